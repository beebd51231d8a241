"""One channel of one owner in memory: every part in 8 bits a number, or, of a channel too large for that, one bit a number.

The bit says whether the number is above its mean over what was there at first. Parts whose bits differ least from the query's are read
from the file and compared exactly; so what is approximate is only which parts are compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from beebread.backends.sqlite_vector_codec import Floats, Ints, Query

LARGE = 1 << 15  # parts that are all compared: 3 ms at 384 numbers each
CANDIDATES = 512  # parts, those whose bits are nearest, that are read and compared, at least
SPARE = 16  # parts that there is room for beyond what is needed
BLOCK = 8192  # parts whose bits are compared at once: they stay in the processor's cache

Docs = NDArray[np.int64]
Bits = NDArray[np.uint64]


class Parts(NamedTuple):
    """Parts with all their numbers, as they were at some moment: the document of each, its numbers and its scale."""

    docs: Docs
    ints: Ints
    scales: Floats

    def among(self, docs: Docs) -> Parts:
        """Those of some documents, which are sorted."""
        at = np.flatnonzero(among(self.docs, docs))
        return Parts(self.docs[at], self.ints[at], self.scales[at])

    def between(self, start: int, end: int) -> Parts:
        """Those at some places."""
        return Parts(self.docs[start:end], self.ints[start:end], self.scales[start:end])


class Sketch(NamedTuple):
    """Parts of which only bits are at hand, and the mean that those are told by."""

    docs: Docs
    bits: Bits
    mean: Floats

    def near(self, query: Query, wanted: int) -> Docs:
        """The documents of the parts whose bits differ least, several times as many as are `wanted`."""
        near = max(CANDIDATES, len(self.docs) >> 8, 4 * wanted)
        apart = differing(self.bits, signs(query.unit[None].astype(np.float32), self.mean)[0])
        within = int(np.searchsorted(np.cumsum(np.bincount(apart)), near))  # as many bits may differ
        return np.unique(self.docs[apart <= within])


def among(docs: Docs, some: Docs) -> NDArray[np.bool_]:
    """Which of `docs` are among `some`, which are sorted."""
    if not len(some):
        return np.zeros(len(docs), np.bool_)
    return some[np.minimum(np.searchsorted(some, docs), len(some) - 1)] == docs


def signs(numbers: Floats, mean: Floats) -> Bits:
    """Of each vector, which numbers are above the mean, filled up to whole words."""
    packed = np.packbits(numbers > mean, axis=1)
    filled = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    filled[:, : packed.shape[1]] = packed
    return filled.view(np.uint64)


def differing(bits: Bits, asked: Bits) -> NDArray[np.uint16]:
    """How many bits of each part differ from those that are asked for."""
    found = np.zeros(len(bits), np.uint16)
    for start in range(0, len(bits), BLOCK):
        counts = np.bitwise_count(bits[start : start + BLOCK] ^ asked)
        for word in range(bits.shape[1]):
            found[start : start + BLOCK] += counts[:, word]
    return found


class Channel:
    """The parts of one channel of one owner as they come and go. What is there is never written over, so that a reader may go on."""

    def __init__(self, dimensions: int, large: int = LARGE) -> None:
        self._dimensions = dimensions
        self._large = large
        self._mean: Floats | None = None
        self._count = 0
        self._room: list[NDArray[Any]] = self._made(0)

    def _made(self, size: int) -> list[NDArray[Any]]:
        if self._mean is not None:
            return [np.empty(size, np.int64), np.empty((size, -(-self._dimensions // 64)), np.uint64)]
        return [np.empty(size, np.int64), np.empty((size, self._dimensions), np.int8), np.empty(size, np.float32)]

    @property
    def bytes(self) -> int:
        """The room that it takes."""
        return sum(array.nbytes for array in self._room)

    def _held(self) -> list[NDArray[Any]]:
        return [array[: self._count] for array in self._room]

    @property
    def parts(self) -> Parts | Sketch:
        """What is there now."""
        if self._mean is not None:
            docs, bits = self._held()
            return Sketch(docs, bits, self._mean)
        docs, ints, scales = self._held()
        return Parts(docs, ints, scales)

    def add(self, parts: Parts) -> None:
        """Put parts behind the others."""
        if self._mean is None and self._count + len(parts.docs) > self._large:
            self._to_bits(parts)
        if self._mean is None:
            self._append(parts)
        else:
            self._append([parts.docs, signs(parts.ints * parts.scales[:, None], self._mean)])

    def _to_bits(self, more: Parts) -> None:
        """Keep one bit a number from now on."""
        held = Parts(*self._held())
        sample = held if self._count else more
        mean: Floats = (np.dot(sample.scales, sample.ints) / len(sample.docs)).astype(np.float32)
        self._mean = mean
        self._count, self._room = 0, self._made(2 * self._count)
        for start in range(0, len(held.docs), BLOCK):
            block = held.between(start, start + BLOCK)
            self._append([block.docs, signs(block.ints * block.scales[:, None], mean)])

    def _append(self, new: Sequence[NDArray[Any]]) -> None:
        start, end = self._count, self._count + len(new[0])
        if end > len(self._room[0]):
            self._resize(end + end // 2)
        for there, values in zip(self._room, new, strict=True):
            there[start:end] = values
        self._count = end

    def _resize(self, size: int) -> None:
        held = self._held()
        self._room = self._made(size)
        for there, old in zip(self._room, held, strict=True):
            there[: self._count] = old

    def fit(self) -> None:
        """Give back room that is not needed soon."""
        if len(self._room[0]) > self._count + self._count // 4 + SPARE:
            self._resize(self._count + self._count // 8 + SPARE)

    def remove(self, docs: Docs) -> None:
        """Take the parts of these documents out."""
        held = self._held()
        if not len(docs) or not self._count or docs.min() > held[0].max():
            return
        stays = ~np.isin(held[0], docs)
        if not stays.all():
            self._room = [array[stays] for array in held]
            self._count = len(self._room[0])
