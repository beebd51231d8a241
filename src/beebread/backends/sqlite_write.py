"""Writing one Batch into the SQLite engine, inside a transaction that its caller began and rolls back when anything is raised."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import msgspec

from beebread.backends.sqlite_erase import Erasing, Graves
from beebread.backends.sqlite_keep import Keeping, Key
from beebread.backends.sqlite_rows import sound
from beebread.backends.sqlite_terms import Terms
from beebread.errors import Conflict, Invalid, NotFound
from beebread.model import (
    Alias,
    Applied,
    AuditLine,
    Batch,
    Event,
    Expect,
    Mark,
    Memory,
    Record,
    Session,
    join_sessions,
    merge,
    owner,
    same_memory,
    session_of,
)

Sound = tuple[Record, bytes]


def apply(db: sqlite3.Connection, terms: Terms, batch: Batch) -> Applied:
    """Write all of `batch`. Guards judge by what was there before it; then put, replace, erase and aliases, in the order they are given."""
    puts = [sound(record, record.id) for record in batch.put]
    replacements = [sound(record, record.id) for record in batch.replace]
    rest, _ = sound(msgspec.structs.replace(batch, put=(), replace=()))
    return Writing(db, terms).run(puts, replacements, rest)


class Writing:
    """One batch on its way in."""

    def __init__(self, db: sqlite3.Connection, terms: Terms) -> None:
        self._db = db
        self._keeping = Keeping(db, terms)
        self._graves = Graves(db)
        self._created: list[str] = []
        self._seen: list[str] = []
        self._buried: list[str] = []

    def run(self, puts: Sequence[Sound], replacements: Sequence[Sound], rest: Batch) -> Applied:
        """Write records, given with their JSON, and the rest of their batch."""
        keeping = self._keeping
        keeping.load((expect.owner, expect.id) for expect in rest.expect)
        for expect in rest.expect:
            self._expect(expect)
        for mark in rest.marks:
            self._mark(mark)
        folds = [session_of(record) if isinstance(record, Event) and record.scope.session else None for record, _ in puts]
        named = (*(record for record, _ in (*puts, *replacements)), *(fold for fold in folds if fold))
        keeping.load((owner(record.scope), record.id) for record in named)
        for (record, body), fold in zip(puts, folds, strict=True):
            self._put(record, body, fold)
        for record, body in replacements:
            self._replace(record, body)
        keeping.write()
        if rest.erase:
            erasing = Erasing(keeping, self._graves)
            for erase in rest.erase:
                erasing.erase(erase)
            erasing.finish()
        for alias in rest.aliases:
            self._alias(alias)
        keeping.refuse_cycles()
        write_audit(self._db, rest.audit)
        keeping.finish()
        return Applied(keeping.position, tuple(self._created), tuple(self._seen), tuple(self._buried))

    def _expect(self, expect: Expect) -> None:
        kept = self._keeping.kept.get((expect.owner, expect.id))
        record = kept.now if kept else None
        version = record.version if isinstance(record, Memory) else 0
        if version != expect.version:
            raise Conflict(
                f"memory {expect.id!r} has version {version}, not {expect.version}: read it again and repeat the change",
                ids=(expect.id,), detail=record,
            )  # fmt: skip

    def _mark(self, mark: Mark) -> None:
        row = self._db.execute("SELECT value FROM marks WHERE name = ?", (mark.name,)).fetchone()
        there = row[0] if row else 0
        if mark.expect is not None and mark.expect != there:
            raise Conflict(f"mark {mark.name!r} is {there}, not {mark.expect}: someone else has moved it")
        self._db.execute("INSERT OR REPLACE INTO marks VALUES (?, ?)", (mark.name, mark.value))

    def _put(self, record: Record, body: bytes, fold: Session | None) -> None:
        if isinstance(record, Session):
            raise Invalid("a Session is folded from its events: put the events", ids=(record.id,))
        if not record.id:
            raise Invalid("a record needs an id")
        home = owner(record.scope)
        key = (home, record.id)
        if self._graves.covers(home, record):
            self._buried.append(record.id)
            return
        there = self._keeping.kept.get(key)
        if there is not None:
            self._again(key, there.now, record)
            self._seen.append(record.id)
        elif key in self._keeping.aliases:
            # An alias names what was folded into its record: that sighting is already in it.
            self._seen.append(record.id)
        else:
            self._keeping.keep(key, record, body)
            self._created.append(record.id)
            if fold is not None:
                self._fold((home, fold.id), fold)

    def _again(self, key: Key, old: Record, new: Event | Memory) -> None:
        if isinstance(old, Event) and isinstance(new, Event):
            merged = merge(old, new)
            if merged is not old:
                self._keeping.keep(key, merged)
        elif not (isinstance(old, Memory) and isinstance(new, Memory) and same_memory(old, new)):
            raise Conflict(
                f"{new.id!r} is already kept with other content: supersede or replace it, or use another id", ids=(new.id,), detail=old
            )

    def _fold(self, key: Key, alone: Session) -> None:
        there = self._keeping.kept.get(key)
        old = there.now if there else None
        if old is not None and not isinstance(old, Session):
            raise Conflict(f"{old.id!r} is the id of a session: use another id", ids=(old.id,), detail=old)
        self._keeping.keep(key, join_sessions(old, alone) if old else alone)

    def _replace(self, record: Record, body: bytes) -> None:
        key = (owner(record.scope), record.id)
        there = self._keeping.kept.get(key)
        if there is None:
            raise NotFound(f"there is no record {record.id!r} to change", ids=(record.id,))
        if type(there.now) is not type(record):
            raise Conflict(f"{record.id!r} is another type of record", ids=(record.id,), detail=there.now)
        self._keeping.keep(key, record, body)

    def _alias(self, alias: Alias) -> None:
        if not alias.alias:
            raise Invalid("an alias needs a name", ids=(alias.id,))
        keeping = self._keeping
        home = keeping.home(alias.owner)
        keeping.load(((alias.owner, alias.id), (alias.owner, alias.alias)))
        target = self._resolved((alias.owner, alias.id))
        if home is None or target is None:
            raise NotFound(f"there is no record {alias.id!r} to be called {alias.alias!r}", ids=(alias.id,))
        there = self._resolved((alias.owner, alias.alias))
        if there is not None and there != target:
            raise Conflict(f"{alias.alias!r} is another record's name", ids=(alias.alias,))
        if there is None:
            self._db.execute("INSERT INTO aliases VALUES (?, ?, ?)", (home.n, alias.alias, target))
            self._db.execute("UPDATE links SET leads = ? WHERE owner = ? AND leads = ?", (target, home.n, alias.alias))
            keeping.aliases[alias.owner, alias.alias] = target
            keeping.suspect((alias.owner, target))

    def _resolved(self, key: Key) -> str | None:
        return key[1] if key in self._keeping.kept else self._keeping.aliases.get(key)


def write_audit(db: sqlite3.Connection, lines: Sequence[AuditLine]) -> None:
    """Add lines to the diary."""
    db.executemany("INSERT INTO audit (owner, body) VALUES (?, ?)", [(line.owner, sound(line)[1]) for line in lines])
