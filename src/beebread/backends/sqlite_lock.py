"""The turn to write among processes: SQLite's own lock lets one process starve, this one lets everybody have a go."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from beebread.errors import Unavailable

if sys.platform == "win32":
    import msvcrt

    def _try(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _wait(handle: int) -> None:
        while not _try(handle):
            time.sleep(0.001)
else:
    import fcntl

    def _try(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _wait(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)  # first come, first served


class Turnstile:
    """Two locks: whoever has the door waits for the room, so the process that just left the room queues behind at the door.

    Closing its file lets go of a lock; the system does so when a process ends, however it ends.
    """

    def __init__(self, folder: Path, busy_ms: int) -> None:
        self._folder = folder
        self._wait = busy_ms / 1000
        for name in ("door.lock", "room.lock"):
            os.close(self._open(name))

    def _open(self, name: str) -> int:
        try:
            return os.open(self._folder / name, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise Unavailable(f"the folder {self._folder} cannot be locked ({error.strerror}): let this user write it") from error

    @contextmanager
    def turn(self) -> Generator[None]:
        """Hold the turn to write; Unavailable when it does not come in time."""
        until = time.monotonic() + self._wait
        door = self._acquire("door.lock", until)
        try:
            room = self._acquire("room.lock", until)
        finally:
            os.close(door)
        try:
            yield
        finally:
            os.close(room)

    def _acquire(self, name: str, until: float) -> int:
        handle = self._open(name)
        if _try(handle) or _Waiting(handle).got(until - time.monotonic()):
            return handle
        raise Unavailable(
            f"others have been writing to {self._folder} for {self._wait:g} s: end one that hangs, or give more time (busy_ms)"
        )


class _Waiting:
    """A wait for a lock in a thread of its own, since the system's queue knows no time limit; given up, it lets go as soon as it can."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._guard = threading.Lock()
        self._done = threading.Event()
        self._left = False
        threading.Thread(target=self._run, name="beebread-turn", daemon=True).start()

    def _run(self) -> None:
        _wait(self._handle)
        with self._guard:
            self._done.set()
            if self._left:
                os.close(self._handle)

    def got(self, seconds: float) -> bool:
        """Whether the lock came within `seconds`; if not, its file is no longer the caller's."""
        if self._done.wait(max(seconds, 0)):
            return True
        with self._guard:
            self._left = not self._done.is_set()
        return not self._left
