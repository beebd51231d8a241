"""A durable queue in a local folder: events wait there while the store is away, and are replayed in order when it is back."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import zlib
from collections.abc import Sequence
from io import FileIO
from pathlib import Path

import msgspec

from beebread.model import Event, new_id

if sys.platform == "win32":  # pragma: no cover - the other platforms' branch is the one measured
    import msvcrt

    def _lock(file: FileIO) -> bool:
        """Whether this process now holds `file`; a byte far behind its end is locked, since a lock there stops reading too."""
        file.seek(1 << 40)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(file: FileIO) -> bool:
        """Whether this process now holds `file`; the lock ends with the process, however it ends."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


SUFFIX = ".spill"
_HEAD = 18  # eight hex digits of length, a space, eight of CRC-32, a space
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Event)


def _frame(event: Event) -> bytes:
    body = _encoder.encode(event)
    return b"%08x %08x %b\n" % (len(body), zlib.crc32(body), body)


class _File:
    """One spill file that this process holds: read from the front, written at the end if it is our own."""

    def __init__(self, path: Path, file: FileIO) -> None:
        self.path = path
        self.file = file
        self.read = 0  # up to here acknowledged
        self.size = path.stat().st_size

    def next(self, limit: int) -> tuple[list[Event], int, int]:
        """Up to `limit` events after what was acknowledged, where they end, and how many damaged lines lie among them."""
        found: list[Event] = []
        damaged = 0
        end = self.read
        with self.path.open("rb") as reader:
            reader.seek(end)
            while len(found) < limit and end < self.size:
                line = reader.readline()
                end = end + len(line) if line else self.size
                event = _unframed(line)
                if event is not None:
                    found.append(event)
                else:
                    damaged += 1
        return found, end, damaged

    def remove(self) -> None:
        # Windows keeps an open file from being removed, so it is closed first; whoever takes it up meanwhile finds it empty.
        self.file.truncate(0)
        self.file.close()
        self.path.unlink(missing_ok=True)


def _unframed(line: bytes) -> Event | None:
    body = line[_HEAD:-1]
    if not line.endswith(b"\n") or line[:_HEAD] != b"%08x %08x " % (len(body), zlib.crc32(body)):
        return None
    try:
        return _decoder.decode(body)
    except msgspec.DecodeError:  # written by another version of this package
        return None


class Spill:
    """The queue in `folder`. Several processes, and several recorders of one process, each write a file of their own.

    A file is locked by whoever made it; the lock ends with the process, and then `adopt` takes the file over. A line that was only half
    written when its process died is left out and counted in `damaged`: it had not been acknowledged. OSError says that the disk refuses.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.damaged = 0
        self._guard = threading.RLock()
        self._own: _File | None = None
        self._adopted: list[_File] = []
        self._taken: tuple[_File, int, int] | None = None

    def append(self, events: Sequence[Event], *, sync: bool = True) -> None:
        """Put `events` at the end, all or none. With `sync` they outlive a power cut, without it only the end of this process."""
        with self._guard:
            own = self._own = self._own or self._opened()
            frames = b"".join(map(_frame, events))
            try:
                own.file.seek(own.size)
                left = memoryview(frames)
                while left:
                    left = left[own.file.write(left) :]
                if sync:
                    os.fsync(own.file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    own.file.truncate(own.size)
                raise
            own.size += len(frames)

    def take(self, limit: int) -> list[Event]:
        """The oldest events that wait, at most `limit`; the same ones again until `done` is called."""
        with self._guard:
            while True:
                file = self._adopted[0] if self._adopted else self._own
                if file is None:
                    return []
                found, end, damaged = file.next(limit)
                self._taken = (file, end, damaged)
                if found:
                    return found
                self.done()

    def done(self) -> None:
        """What `take` last gave is acknowledged; a file of which that was the rest is deleted."""
        with self._guard:
            if self._taken is None:
                return
            file, file.read, damaged = self._taken
            self._taken = None
            self.damaged += damaged
            if file.read < file.size:
                return
            file.remove()
            if file is self._own:
                self._own = None
            else:
                self._adopted.remove(file)

    @property
    def empty(self) -> bool:
        """Whether nothing waits here, as far as this process holds it."""
        return not self._adopted and self._own is None

    def adopt(self) -> int:
        """Take over the files of processes that have ended; how many."""
        adopted = 0
        with self._guard:
            for path in sorted(self.folder.glob(f"*{SUFFIX}")) if self.folder.is_dir() else ():
                file = self._held(path)
                if file is None:
                    continue
                self._adopted.append(file)
                adopted += 1
        return adopted

    def close(self) -> None:
        """Let go of the files; what waits in them is left for whoever adopts them."""
        with self._guard:
            for file in (*self._adopted, *([self._own] if self._own else ())):
                file.file.close()
            self._own, self._adopted, self._taken = None, [], None

    def after_fork(self) -> None:
        """In a forked child: leave the parent's files to the parent."""
        self._guard = threading.RLock()
        self.close()

    def _opened(self) -> _File:
        self.folder.mkdir(parents=True, exist_ok=True)
        while True:
            path = self.folder / f"{new_id()}{SUFFIX}"
            file = path.open("xb+", buffering=0)
            if _lock(file):  # else someone took it for a dead process's in between
                path.chmod(0o600)
                return _File(path, file)
            file.close()

    def _held(self, path: Path) -> _File | None:
        """The file at `path`, if nobody else holds it and it is still there."""
        try:
            file = path.open("rb+", buffering=0)
        except OSError:
            return None
        try:
            if _lock(file) and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
                return _File(path, file)
        except FileNotFoundError:
            pass
        file.close()
        return None
