"""Large bodies as files of one folder: blobs/<hash of the owner>/<two letters>/<reference>."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from beebread.errors import NotFound, Unavailable

T = TypeVar("T")
_REF = re.compile(r"[0-9a-f]{64}")


class FileBlobs:
    """See `ports.Blobs` for the meaning of each method. Every file is whole and durable before it has its name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, owner: str, body: bytes) -> str:
        """Keep a body; the reference is a hash of it and its owner, so that it says nothing to anyone else."""
        ref = blake2b(body, key=_digest(owner), digest_size=32).hexdigest()
        await asyncio.to_thread(self._guarded, lambda: _write(self._path(owner, ref), body))
        return ref

    async def get(self, owner: str, ref: str) -> bytes:
        """The bytes of a body."""
        path = self._path(owner, ref)
        return await asyncio.to_thread(self._guarded, path.read_bytes)

    async def delete(self, owner: str, ref: str | None) -> None:
        """Remove one body, or all of the owner's."""
        home = self._home(owner)
        if ref is None:
            await asyncio.to_thread(self._guarded, lambda: shutil.rmtree(home) if home.exists() else None)
        elif _REF.fullmatch(ref):
            await asyncio.to_thread(self._guarded, lambda: self._path(owner, ref).unlink(missing_ok=True))

    def _home(self, owner: str) -> Path:
        return self._folder / _digest(owner).hex()

    def _path(self, owner: str, ref: str) -> Path:
        if not _REF.fullmatch(ref):  # a path never comes from outside
            raise NotFound("there is no such body")
        return self._home(owner) / ref[:2] / ref

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except FileNotFoundError:
            raise NotFound("there is no such body") from None
        except OSError as error:
            raise Unavailable(
                f"the folder {self._folder} cannot serve ({error.strerror}): free some space, or let this user read and write it; "
                "nothing acknowledged is lost"
            ) from error


def _digest(owner: str) -> bytes:
    return blake2b(owner.encode(errors="surrogatepass"), digest_size=32).digest()


def _write(path: Path, body: bytes) -> None:
    """Make the file under another name first, so that nobody ever meets half of it."""
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(body)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
    for folder in (path.parent, path.parent.parent, path.parent.parent.parent):
        sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable; Windows does so by itself and cannot be asked."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
