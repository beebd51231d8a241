"""How the reference engine writes one batch into a draft of its data."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

import msgspec

from beebread.backends.reference_data import Data, Key, sound
from beebread.errors import Conflict, Invalid, NotFound
from beebread.model import (
    CAUSAL,
    Alias,
    Applied,
    Batch,
    Erase,
    Event,
    Expect,
    Mark,
    Memory,
    Record,
    Session,
    exact_keys,
    join_sessions,
    links,
    merge,
    owner,
    same_memory,
    search_text,
    session_of,
)
from beebread.text import document

R = TypeVar("R", bound=Record)


class Transaction:
    """One batch on its way into `data`, a draft that its caller throws away when anything is raised.

    Guards come first and judge by what was there before the batch; then put, replace, erase and aliases, in the order they are given.
    """

    def __init__(self, data: Data) -> None:
        self.data = data
        self.created: list[str] = []
        self.seen: list[str] = []
        self.buried: list[str] = []
        self.touched: list[Key] = []

    def run(self, batch: Batch) -> Applied:
        """Write all of `batch`."""
        puts = [sound(record, record.id) for record in batch.put]
        replacements = [sound(record, record.id) for record in batch.replace]
        batch = sound(msgspec.structs.replace(batch, put=(), replace=()))
        for expect in batch.expect:
            self.expect(expect)
        for mark in batch.marks:
            self.mark(mark)
        for record in puts:
            self.put(record)
        for record in replacements:
            self.replace(record)
        for erase in batch.erase:
            self.erase(erase)
        for alias in batch.aliases:
            self.alias(alias)
        self.refuse_cycles()
        self.data.diary.extend(batch.audit)
        return Applied(self.data.position, tuple(self.created), tuple(self.seen), tuple(self.buried))

    def expect(self, expect: Expect) -> None:
        """Refuse unless the memory has the expected version; an event or session is no memory."""
        record = self.data.records.get((expect.owner, expect.id))
        version = record.version if isinstance(record, Memory) else 0
        if version != expect.version:
            raise Conflict(
                f"memory {expect.id!r} has version {version}, not {expect.version}: read it again and repeat the change",
                ids=(expect.id,), detail=record,
            )  # fmt: skip

    def mark(self, mark: Mark) -> None:
        """Set a cursor or lease."""
        there = self.data.marks.get(mark.name, 0)
        if mark.expect is not None and mark.expect != there:
            raise Conflict(f"mark {mark.name!r} is {there}, not {mark.expect}: someone else has moved it")
        self.data.marks[mark.name] = mark.value

    def put(self, record: Record) -> None:
        """One sighting."""
        if isinstance(record, Session):
            raise Invalid("a Session is folded from its events: put the events", ids=(record.id,))
        if not record.id:
            raise Invalid("a record needs an id")
        home = owner(record.scope)
        if self.is_buried(home, record):
            self.buried.append(record.id)
            return
        key = self.data.resolve(home, record.id)
        if key is None:
            self.keep(record)
            self.created.append(record.id)
            if isinstance(record, Event) and record.scope.session:
                self.fold(record)
            return
        # An alias names what was folded into, or is known by another name of, its record: that sighting is already in it.
        if key == (home, record.id):
            self.again(self.data.records[key], record)
        self.seen.append(record.id)

    def is_buried(self, home: str, record: Event | Memory) -> bool:
        """Whether the record, or all that its owner had, was erased after it happened."""
        dates = (self.data.tombstones.get((home, name)) for name in ("", record.id, record.dedup_key))
        return any(date is not None and record.at < date for date in dates)

    def again(self, old: Record, new: Record) -> None:
        """A second sighting of `old`: nothing, a fuller event, or Conflict."""
        if isinstance(old, Event) and isinstance(new, Event):
            merged = self.merged(old, new)
            if merged is not old:
                self.keep(merged)
        elif not (isinstance(old, Memory) and isinstance(new, Memory) and same_memory(old, new)):
            raise Conflict(
                f"{new.id!r} is already kept with other content: supersede or replace it, or use another id", ids=(new.id,), detail=old
            )

    def merged(self, old: Event, new: Event) -> Event:
        """`old` with what `new` adds."""
        return merge(old, new)

    def replace(self, record: Record) -> None:
        """A changed version of what is there."""
        old = self.data.records.get((owner(record.scope), record.id))
        if old is None:
            raise NotFound(f"there is no record {record.id!r} to change", ids=(record.id,))
        if type(old) is not type(record):
            raise Conflict(f"{record.id!r} is another type of record", ids=(record.id,), detail=old)
        self.keep(record)

    def keep(self, record: Record) -> None:
        """Set `record` down as the newest change of the log, and what it is found by."""
        self.data.position += 1
        key = (owner(record.scope), record.id)
        self.data.records[key] = placed(record, self.data.position)
        self.data.documents[key] = document(search_text(record), exact_keys(record))
        self.touched.append(key)

    def fold(self, event: Event) -> None:
        """Count a new event into the session of its compartment."""
        alone = session_of(event)
        old = self.data.records.get((owner(event.scope), alone.id))
        if old is not None and not isinstance(old, Session):
            raise Conflict(f"{old.id!r} is the id of a session: use another id", ids=(old.id,), detail=old)
        self.keep(join_sessions(old, alone) if old else alone)

    def erase(self, erase: Erase) -> None:
        """Remove a record, or all of an owner, and leave tombstones for every name that it went by."""
        if not erase.id:
            for names in (self.data.records, self.data.documents, self.data.aliases, self.data.states):
                for key in [key for key in names if key[0] == erase.owner]:
                    del names[key]
            self.bury((erase.owner, ""), erase.at)
            return
        self.bury((erase.owner, erase.id), erase.at)
        key = self.data.resolve(erase.owner, erase.id)
        if key is None:
            return
        record = self.data.records.pop(key)
        del self.data.documents[key]
        names = [alias for (home, alias), survivor in self.data.aliases.items() if home == erase.owner and survivor == record.id]
        for alias in names:
            del self.data.aliases[erase.owner, alias]
        dedup = "" if isinstance(record, Session) else record.dedup_key
        for name in (record.id, dedup, *names):
            if name:
                self.bury((erase.owner, name), erase.at)

    def bury(self, key: Key, at: datetime) -> None:
        """Leave a tombstone; a later one stands."""
        self.data.tombstones[key] = max(at, self.data.tombstones.get(key, at))

    def alias(self, alias: Alias) -> None:
        """Let a record go by another name as well."""
        if not alias.alias:
            raise Invalid("an alias needs a name", ids=(alias.id,))
        target = self.data.resolve(alias.owner, alias.id)
        if target is None:
            raise NotFound(f"there is no record {alias.id!r} to be called {alias.alias!r}", ids=(alias.id,))
        there = self.data.resolve(alias.owner, alias.alias)
        if there is not None and there != target:
            raise Conflict(f"{alias.alias!r} is another record's name", ids=(alias.alias,))
        if there is None:
            self.data.aliases[alias.owner, alias.alias] = target[1]
            self.touched.append(target)

    def refuse_cycles(self) -> None:
        """Raise Invalid when anything that this batch touched is among its own causes."""
        for key in self.touched:
            if key in self.data.records and key in self.ancestors(key):
                raise Invalid(f"event {key[1]!r} would be its own cause: an effect cannot come before its cause", ids=(key[1],))

    def ancestors(self, start: Key) -> set[Key]:
        """What `start` came from, itself only when it is in a cycle."""
        found: set[Key] = set()
        ahead = [start]
        while ahead:
            home, name = ahead.pop()
            for link in links(self.data.records[home, name], home):
                cause = self.data.resolve(home, link.target) if link.family in CAUSAL else None
                if cause is not None and cause not in found:
                    found.add(cause)
                    ahead.append(cause)
        return found


def placed(record: R, position: int) -> R:
    """`record` at its place in the log."""
    return msgspec.structs.replace(record, position=position)
