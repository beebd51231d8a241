"""Erasing for real in the SQLite engine, and the tombstones that keep what was erased from coming back."""

from __future__ import annotations

import sqlite3
from hashlib import blake2b

from beebread.backends.sqlite_keep import Keeping
from beebread.backends.sqlite_rows import labels
from beebread.backends.sqlite_terms import first_place, save_counts
from beebread.backends.sqlite_vector_rows import drop, drop_owner
from beebread.clock import micros
from beebread.model import Erase, Record, Session

# The tables whose rows belong to an owner by its number.
OF_OWNER = ("labels", "links", "aliases", "segments", "states", "state_versions", "records")


class Graves:
    """The tombstones of one store: a keyed hash of (owner, name) and the date up to which it refuses; name '' stands for all."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._any = db.execute("SELECT 1 FROM tombstones LIMIT 1").fetchone() is not None
        self._secret: bytes = b""

    def _name(self, home: str, name: str) -> bytes:
        if not self._secret:
            self._secret = self._db.execute("SELECT value FROM meta WHERE name = 'secret'").fetchone()[0]
        return blake2b(f"{len(home)}:{home}{name}".encode(), key=self._secret, digest_size=16).digest()

    def covers(self, home: str, record: Record) -> bool:
        """Whether the record, or all that its owner had, was erased after it happened."""
        if not self._any:
            return False
        dedup = "" if isinstance(record, Session) else record.dedup_key
        names = [self._name(home, name) for name in ("", record.id, dedup)]
        row = self._db.execute("SELECT max(at) FROM tombstones WHERE name IN (?, ?, ?)", names).fetchone()
        return row[0] is not None and micros(record.at) < row[0]

    def bury(self, home: str, name: str, at: int) -> None:
        """Leave a tombstone; a later one stands."""
        self._any = True
        self._db.execute(
            "INSERT INTO tombstones VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = max(at, excluded.at)", (self._name(home, name), at)
        )


class Erasing:
    """The erasures of one batch. Everything else of the batch is written down before."""

    def __init__(self, keeping: Keeping, graves: Graves) -> None:
        self._keeping = keeping
        self._db = keeping.db
        self._graves = graves
        self._docs: dict[str, list[int]] = {}

    def erase(self, erase: Erase) -> None:
        """Remove a record, or all of an owner."""
        at = micros(erase.at)
        self._graves.bury(erase.owner, erase.id, at)
        home = self._keeping.home(erase.owner)
        if home is None:
            return
        if not erase.id:
            self._db.execute("DELETE FROM bodies WHERE doc IN (SELECT doc FROM records WHERE owner = ?)", (home.n,))
            for table in OF_OWNER:
                self._db.execute(f"DELETE FROM {table} WHERE owner = ?", (home.n,))
            span = (first_place(home.n), first_place(home.n + 1))
            for table in ("fresh", "postings"):
                self._db.execute(f"DELETE FROM {table} WHERE place >= ? AND place < ?", span)
            drop_owner(self._db, home.n)
            self._db.execute("DELETE FROM owners WHERE n = ?", (home.n,))
            self._docs.pop(erase.owner, None)
            self._keeping.forget_owner(erase.owner)
            return
        self._keeping.load([(erase.owner, erase.id)])
        name = self._keeping.aliases.get((erase.owner, erase.id), erase.id)
        self._keeping.load([(erase.owner, name)])
        kept = self._keeping.kept.get((erase.owner, name))
        if kept is None:
            return
        self._docs.setdefault(erase.owner, []).append(kept.doc)
        names = {alias for (alias,) in self._db.execute("SELECT alias FROM aliases WHERE owner = ? AND id = ?", (home.n, name))}
        if not isinstance(kept.now, Session):
            names.add(kept.now.dedup_key)
        for buried in (name, *sorted(names - {""})):
            self._graves.bury(erase.owner, buried, at)
        self._remove(home.n, name, kept.doc, kept.now)
        self._keeping.drop((erase.owner, name))

    def _remove(self, n: int, name: str, doc: int, record: Record) -> None:
        self._db.execute("DELETE FROM records WHERE doc = ?", (doc,))
        self._db.execute("DELETE FROM bodies WHERE doc = ?", (doc,))
        self._db.executemany("DELETE FROM labels WHERE owner = ? AND label = ? AND doc = ?", [(n, label, doc) for label in labels(record)])
        self._db.execute("DELETE FROM links WHERE owner = ? AND source = ?", (n, name))
        # What was said of an alias is again said of that name alone.
        self._db.execute("UPDATE links SET leads = target WHERE owner = ? AND leads = ? AND target <> leads", (n, name))
        self._db.execute("DELETE FROM aliases WHERE owner = ? AND id = ?", (n, name))

    def finish(self) -> None:
        """Take what is gone out of the indexes."""
        for name, docs in self._docs.items():
            home = self._keeping.home(name)
            if home is not None:
                self._keeping.terms.remove(self._db, home, docs)
                drop(self._db, home.n, docs)
                save_counts(self._db, home)
