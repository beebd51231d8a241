"""The turn to write among processes: SQLite's own lock lets one process starve, this one lets everybody have a go."""

from __future__ import annotations

import os
import sys
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

    def _release(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
else:
    import fcntl

    def _try(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _release(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)


class Turnstile:
    """Two locks: whoever has the door waits for the room, so the process that just left the room queues behind at the door.

    Used by one thread at a time. The system frees both when a process ends, however it ends.
    """

    def __init__(self, folder: Path, busy_ms: int) -> None:
        self._folder = folder
        self._wait = busy_ms / 1000
        self._door, self._room = (self._open(name) for name in ("door.lock", "room.lock"))

    def _open(self, name: str) -> int:
        try:
            return os.open(self._folder / name, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise Unavailable(f"the folder {self._folder} cannot be locked ({error.strerror}): let this user write it") from error

    @contextmanager
    def turn(self) -> Generator[None]:
        """Hold the turn to write; Unavailable when it does not come in time."""
        until = time.monotonic() + self._wait
        self._acquire(self._door, until, 0.002)
        try:
            self._acquire(self._room, until, 0.0005)
        finally:
            _release(self._door)
        try:
            yield
        finally:
            _release(self._room)

    def _acquire(self, handle: int, until: float, pause: float) -> None:
        while not _try(handle):
            if time.monotonic() >= until:
                raise Unavailable(
                    f"others have been writing to {self._folder} for {self._wait:g} s: end one that hangs, or give more time (busy_ms)"
                )
            time.sleep(pause)

    def close(self) -> None:
        """Let go of the lock files."""
        os.close(self._door)
        os.close(self._room)
