"""The embedded store: one folder, one SQLite file, the standard library's driver, and any number of processes."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from beebread.backends import sqlite_read, sqlite_search, sqlite_walk, sqlite_write
from beebread.backends.sqlite_lock import Turnstile
from beebread.backends.sqlite_pool import Pool
from beebread.backends.sqlite_rebuild import rebuild
from beebread.backends.sqlite_schema import MIGRATIONS, OLDEST_SQLITE, connect, migrate, prepare, unavailable, version_of
from beebread.backends.sqlite_states import SqliteStates
from beebread.backends.sqlite_terms import Terms
from beebread.backends.sqlite_vectors import SqliteVectors
from beebread.clock import Clock, SystemClock
from beebread.errors import Unavailable
from beebread.model import Applied, AuditLine, Batch, Direction, Family, Hit, Link, Record, Where
from beebread.ports import Index, Probe, States


class SqliteStore:
    """See `ports.Store` for the meaning of each method; `open` makes one."""

    channels: frozenset[str] = sqlite_search.CHANNELS

    def __init__(self, pool: Pool, terms: Terms) -> None:
        self._pool = pool
        self._terms = terms
        self.states: States = SqliteStates(pool)
        self._vectors = SqliteVectors(pool)
        self.vectors: Index = self._vectors

    @classmethod
    async def open(cls, folder: Path, *, clock: Clock | None = None, busy_ms: int = 30_000) -> SqliteStore:
        """Open the store in `folder`, made where it is missing; `busy_ms` is how long a write waits for other processes.

        Raises Unavailable, with what to do, for a folder that cannot be used, a file that is damaged or not ours, and one that a newer
        Beebread wrote. An older one is brought up to date. A folder that may only be read is opened for reading.
        """
        if sqlite3.sqlite_version_info < OLDEST_SQLITE:
            raise Unavailable(f"SQLite {sqlite3.sqlite_version} is too old: use a Python whose sqlite3 has 3.35 or newer")
        return await asyncio.get_running_loop().run_in_executor(None, cls._open, folder, clock or SystemClock(), busy_ms)

    @classmethod
    def _open(cls, folder: Path, clock: Clock, busy_ms: int) -> SqliteStore:
        path = prepare(folder)
        terms = Terms()
        if not (os.access(folder, os.W_OK) and os.access(path, os.W_OK)):
            pool = Pool(path, busy_ms=busy_ms, turnstile=None, immutable=_only_immutable(path))
            return cls(pool, terms)
        turnstile = Turnstile(folder, busy_ms)
        try:
            db = connect(path, busy_ms=busy_ms)
            try:
                if version_of(db, path) < len(MIGRATIONS):
                    with turnstile.turn():
                        migrate(db, path, clock.now())
                rebuild(db, path, turnstile)
                # A process that was killed may have left a log with what it had erased; who is reading keeps it for now.
                db.execute("PRAGMA busy_timeout = 0")
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            finally:
                db.close()
        except sqlite3.Error as error:
            raise unavailable(error, path) from error
        return cls(Pool(path, busy_ms=busy_ms, turnstile=turnstile), terms)

    async def apply(self, batch: Batch) -> Applied:
        """Write all of `batch` or nothing."""
        return await self._pool.write(lambda db: sqlite_write.apply(db, self._terms, batch), scrub=bool(batch.erase))

    async def get(self, ids: Sequence[str], where: Where) -> list[Record]:
        """The records called `ids`."""
        return await self._pool.read(lambda db: sqlite_read.get(db, ids, where))

    async def scan(self, where: Where, limit: int, after: str = "") -> list[Record]:
        """A page of what answers `where`."""
        return await self._pool.read(lambda db: sqlite_read.scan(db, where, limit, after))

    async def count(self, where: Where, by: str = "") -> dict[str, int]:
        """How many answer `where`, by group."""
        return await self._pool.read(lambda db: sqlite_read.count(db, where, by))

    async def walk(
        self, start: Sequence[str], direction: Direction, depth: int, where: Where, families: Sequence[Family] = ()
    ) -> list[Link]:
        """The links met, nearest first."""
        return await self._pool.read(lambda db: sqlite_walk.walk(db, start, direction, depth, where, families))

    async def search(self, probe: Probe) -> list[Hit]:
        """Hits of the keyword or the exact channel."""
        return await self._pool.read(lambda db: sqlite_search.search(db, self._terms, probe))

    async def search_together(self, probes: Sequence[Probe]) -> list[list[Hit]]:
        """Hits of several channels, those of the vectors among them."""
        searching = self._vectors.searching
        from beebread.backends.sqlite_together import search_together

        return await self._pool.read(lambda db: search_together(db, self._terms, searching, probes))

    async def tail(self, after: int, limit: int) -> list[tuple[int, Record]]:
        """What changed, in log order."""
        return await self._pool.read(lambda db: sqlite_read.tail(db, after, limit))

    async def forgotten(self, before: datetime, limit: int) -> list[Record]:
        """What the sweep has to erase."""
        return await self._pool.read(lambda db: sqlite_read.forgotten(db, before, limit))

    async def position(self) -> int:
        """Of the newest change."""
        return await self._pool.read(sqlite_read.position)

    async def mark(self, name: str) -> int:
        """A cursor or lease."""
        return await self._pool.read(lambda db: sqlite_read.mark(db, name))

    async def audit(self, owner: str, after: int, limit: int) -> list[tuple[int, AuditLine]]:
        """The diary."""
        return await self._pool.read(lambda db: sqlite_read.audit(db, owner, after, limit))

    async def close(self) -> None:
        """Finish the writes that wait, then let go of the files."""
        await self._pool.close()


def _only_immutable(path: Path) -> bool:
    """Whether a file that may only be read must be read as one that nobody changes: SQLite cannot make its shared memory there."""
    for immutable in (False, True):
        try:
            db = connect(path, busy_ms=0, mode="ro", immutable=immutable)
            try:
                version = version_of(db, path)
            finally:
                db.close()
        except sqlite3.Error as error:
            wal = path.with_name(f"{path.name}-wal")
            if immutable or (wal.exists() and wal.stat().st_size):  # a log that cannot be read would hide what it holds
                raise unavailable(error, path) from error
            continue
        if version < len(MIGRATIONS):
            raise Unavailable(f"{path} was written by an older Beebread and may only be read here: open it once where it may be written")
        return immutable
    raise AssertionError
