"""The threads of the SQLite engine: one writer that commits what is waiting in one go, and a few readers with a snapshot each.

Mostly one reader is at work: threads hand the interpreter to each other at every row, and four that answer the channels of one search at
once take three times as long as one that answers them in turn. Others join when a read has to wait.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, Generic, TypeVar

from beebread.backends.sqlite_lock import Turnstile
from beebread.backends.sqlite_schema import connect, unavailable
from beebread.errors import BeebreadError, Invalid, Unavailable

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]
READERS = 4
PATIENCE = 0.03  # seconds that a read waits behind others before one more reader begins
CLOSED = "the store is closed: open it again"
TOGETHER = 512  # writes committed in one transaction at most, so that other processes have their turn


class Job(Generic[T]):
    """One read that waits for a reader, or one write that waits for its commit."""

    def __init__(self, work: Work[T], *, loop: asyncio.AbstractEventLoop, scrub: bool = False) -> None:
        self.work = work
        self.scrub = scrub
        self.loop = loop
        self.begun = False
        self.future: asyncio.Future[T] = loop.create_future()
        self.outcome: tuple[T] | None = None
        self.error: BaseException | None = None

    def settle(self) -> None:
        """Tell the waiting caller; runs in its loop."""
        if self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        elif self.outcome is not None:
            self.future.set_result(self.outcome[0])


class Pool:
    """Connections to one file; without a turnstile it may only be read."""

    def __init__(self, path: Path, *, busy_ms: int, turnstile: Turnstile | None, immutable: bool = False) -> None:
        self._path = path
        self._busy_ms = busy_ms
        self._turnstile = turnstile
        self._immutable = immutable
        self._pid = os.getpid()
        self._closed = False
        self._guard = threading.Lock()
        self._waiting: deque[Job[Any]] = deque()
        self._serving = False
        self._db: sqlite3.Connection | None = None
        self._place = (0, 0)  # device and inode of the file that is written to
        self._unscrubbed = False
        self._local = threading.local()
        self._questions: deque[Job[Any]] = deque()
        self._busy = 0  # readers at work
        self._readers: list[sqlite3.Connection] = []
        self._writing = ThreadPoolExecutor(1, "beebread-writer")
        self._reading = ThreadPoolExecutor(READERS, "beebread-reader")

    def _check(self) -> None:
        if self._closed:
            raise Unavailable(CLOSED)
        if self._pid != os.getpid():
            raise Unavailable("the store was opened before this process was forked: open it again here")

    async def read(self, work: Work[T]) -> T:
        """Run `work` in one snapshot."""
        loop = asyncio.get_running_loop()
        job = Job(work, loop=loop)
        with self._guard:
            self._check()
            self._questions.append(job)
            waits = self._busy > 0
            if not waits:
                self._begin_reading()
        if not waits:
            return await job.future
        timer = loop.call_later(PATIENCE, self._help, job)
        try:
            return await job.future
        finally:
            timer.cancel()

    def _begin_reading(self) -> None:
        self._reading.submit(self._read)
        self._busy += 1

    def _help(self, job: Job[Any]) -> None:
        """Let one more reader in where a read still waits behind others."""
        with self._guard:
            if job.begun or self._closed:
                return
            if self._busy < READERS:
                try:
                    self._begin_reading()
                except RuntimeError:  # the program is ending, and takes no new work
                    return
        job.loop.call_later(PATIENCE, self._help, job)

    def _read(self) -> None:
        """Answer what waits until nothing does."""
        while True:
            with self._guard:
                if not self._questions:
                    self._busy -= 1
                    return
                job = self._questions.popleft()
                job.begun = True
            if job.future.cancelled():
                continue
            try:
                job.outcome = (self._run(job.work),)
            except BaseException as error:
                job.error = error  # the one who asked raises it
                if not isinstance(error, BeebreadError):
                    self._reading.submit(self._read)  # the next one is answered all the same
                    raise
            finally:
                _tell([job])

    def _run(self, work: Work[T]) -> T:
        try:
            db: sqlite3.Connection | None = getattr(self._local, "db", None)
            if db is None:
                mode = "ro" if self._turnstile is None else "rw"
                db = self._local.db = connect(self._path, busy_ms=self._busy_ms, mode=mode, immutable=self._immutable)
                self._readers.append(db)
            db.execute("BEGIN")
            try:
                return work(db)
            finally:
                if db.in_transaction:
                    db.execute("COMMIT")
        except (sqlite3.Error, OSError) as error:
            raise unavailable(error, self._path) from error

    async def write(self, work: Work[T], *, scrub: bool = False) -> T:
        """Run `work` in the next transaction and return when that is durable; `scrub` when it erases, so that no log keeps a copy."""
        loop = asyncio.get_running_loop()
        job = Job(work, loop=loop, scrub=scrub)
        with self._guard:
            self._check()
            if self._turnstile is None:
                raise Unavailable(f"the store {self._path} may only be read here: make the folder writable for this user")
            self._waiting.append(job)
            if not self._serving:
                self._serving = True
                self._writing.submit(self._serve)
        return await job.future

    def _serve(self) -> None:
        """Commit what waits until nothing does."""
        while True:
            with self._guard:
                jobs = [self._waiting.popleft() for _ in range(min(TOGETHER, len(self._waiting)))]
                if not jobs:
                    self._serving = False
                    return
            try:
                self._commit(jobs)
            except BaseException as error:
                for job in jobs:
                    job.error = job.error or error
                self._writing.submit(self._serve)
                raise
            finally:
                _tell(jobs)

    def _commit(self, jobs: Sequence[Job[Any]]) -> None:
        """One transaction for all jobs, each on its own savepoint; a job's own error is its own, the transaction's is everybody's."""
        try:
            self._transact(jobs)
        except (sqlite3.Error, OSError, Unavailable) as error:
            told = error if isinstance(error, Unavailable) else unavailable(error, self._path)
            for job in jobs:
                job.error = job.error or told

    def _transact(self, jobs: Sequence[Job[Any]]) -> None:
        with self._turn():
            db = self._writer()
            db.execute("BEGIN IMMEDIATE")
            try:
                for job in jobs:
                    _attempt(db, job)
                self._still_there()
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            self._unscrubbed = self._unscrubbed or any(job.scrub and job.error is None for job in jobs)
            if self._unscrubbed:
                self._scrub(db)

    def _still_there(self) -> None:
        """Raise Unavailable when the file is no longer the one in the folder: what is written to a deleted file is kept nowhere."""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            found = None
        if found is None or (found.st_dev, found.st_ino) != self._place:
            raise Unavailable(f"{self._path} was moved or deleted while it was open: put it back, or close this memory and open it again")

    def _scrub(self, db: sqlite3.Connection) -> None:
        """Empty the write-ahead log, in which what was erased can still stand; again after the next write when somebody is reading it."""
        db.execute("PRAGMA busy_timeout = 1000")
        try:
            self._unscrubbed = bool(db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0])
        finally:
            db.execute(f"PRAGMA busy_timeout = {self._busy_ms}")

    def _turn(self) -> AbstractContextManager[None]:
        return self._turnstile.turn() if self._turnstile is not None else nullcontext()

    def _writer(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = connect(self._path, busy_ms=self._busy_ms)
            found = self._path.stat()
            self._place = (found.st_dev, found.st_ino)
            self._db.execute("PRAGMA wal_autocheckpoint = 4000")
            self._db.execute("PRAGMA journal_size_limit = 67108864")
        return self._db

    async def close(self) -> None:
        """Finish the writes that wait, then let go of the file."""
        with self._guard:
            if self._closed:
                return
            self._closed = True
        await asyncio.get_running_loop().run_in_executor(None, self._shut)

    def _shut(self) -> None:
        self._writing.shutdown()
        self._reading.shutdown()
        left = [*self._questions]
        for job in left:  # whose reader failed
            job.error = Unavailable(CLOSED)
        _tell(left)
        if self._db is not None and self._unscrubbed:
            self._scrub(self._db)
        for db in (*self._readers, self._db):
            if db is not None:
                db.close()


def _attempt(db: sqlite3.Connection, job: Job[Any]) -> None:
    """Run one job; what it raises on purpose undoes it alone."""
    db.execute("SAVEPOINT job")
    try:
        job.outcome = (job.work(db),)
    except BeebreadError as error:
        job.error = error
    except OverflowError as error:
        job.error = Invalid(f"a number is too large to be kept ({error}): keep it as text")
    if job.error is not None:
        db.execute("ROLLBACK TO job")
    db.execute("RELEASE job")


def _tell(jobs: Sequence[Job[Any]]) -> None:
    """Settle the jobs in the loops of their callers, one wake-up for each loop."""
    loops: dict[asyncio.AbstractEventLoop, list[Job[Any]]] = {}
    for job in jobs:
        loops.setdefault(job.loop, []).append(job)
    for loop, mine in loops.items():
        with suppress(RuntimeError):  # a loop that was closed has nobody left to tell
            loop.call_soon_threadsafe(_settle, mine)


def _settle(jobs: Sequence[Job[Any]]) -> None:
    for job in jobs:
        job.settle()
