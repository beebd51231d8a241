"""File blobs: where they are kept, who may read them, and what a full or broken disk does."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest

from beebread.backends.files import FileBlobs
from beebread.errors import Unavailable

ANN, BOB = "u::ann", "u::bob"


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.requirement("S2")
def test_a_body_is_one_private_file_named_by_its_content(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path / "blobs")
    ref = asyncio.run(blobs.put(ANN, "长颈鹿".encode()))
    assert asyncio.run(blobs.put(ANN, "长颈鹿".encode())) == ref
    (path,) = files(tmp_path)
    assert (path.name, path.parent.name) == (ref, ref[:2])
    assert "ann" not in str(path.relative_to(tmp_path))
    if sys.platform != "win32":
        assert path.stat().st_mode & 0o077 == 0
        assert path.parent.stat().st_mode & 0o077 == 0


def test_owners_share_nothing(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path)
    assert asyncio.run(blobs.put(ANN, b"same")) != asyncio.run(blobs.put(BOB, b"same"))
    assert len(files(tmp_path)) == 2


@pytest.mark.requirement("S4")
def test_deleting_leaves_no_byte(tmp_path: Path) -> None:
    blobs = FileBlobs(tmp_path)
    asyncio.run(blobs.put(ANN, b"sentinel one"))
    asyncio.run(blobs.put(ANN, b"sentinel two"))
    asyncio.run(blobs.delete(ANN, None))
    assert files(tmp_path) == []


def test_many_writers_of_one_body(tmp_path: Path) -> None:
    async def all_at_once() -> list[str]:
        return await asyncio.gather(*(FileBlobs(tmp_path).put(ANN, b"x" * 100_000) for _ in range(20)))

    (ref,) = set(asyncio.run(all_at_once()))
    assert asyncio.run(FileBlobs(tmp_path).get(ANN, ref)) == b"x" * 100_000
    assert len(files(tmp_path)) == 1


def test_a_folder_that_cannot_be_used_says_so(tmp_path: Path) -> None:
    (tmp_path / "blobs").write_text("in the way", encoding="utf-8")
    with pytest.raises(Unavailable, match="cannot serve"):
        asyncio.run(FileBlobs(tmp_path / "blobs").put(ANN, b"body"))


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited here")
def test_a_full_disk_leaves_no_half_body(tmp_path: Path) -> None:
    import resource

    blobs = FileBlobs(tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(Unavailable, match="nothing acknowledged is lost"):
            asyncio.run(blobs.put(ANN, os.urandom(100_000)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert files(tmp_path) == []
    assert asyncio.run(blobs.get(ANN, asyncio.run(blobs.put(ANN, b"after")))) == b"after"
