"""Vectors in few bits a number: how they are written down, and a cosine that is the same to the last bit wherever it is computed.

A vector is scaled so that its largest number is 127, and rounded; beside it stands one over the length that it then has. A context, which
only helps to tell texts apart, takes 4 bits a number where it is long enough for the errors to even out: of each the nearest of -15, -13 …
15 when the vector is scaled so that those cover 2.8 standard deviations. In memory both are whole numbers of 8 bits. A query is
rounded to whole numbers too, as finely as lets every sum of products, whole or in part, be a whole number below 2**24: those are exact in
floats of 32 bits, so that no order of adding, no library and no place in a matrix makes a difference, and equal vectors score equally.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from beebread.errors import Invalid
from beebread.ports import Vector

Ints = NDArray[np.int8]
Floats = NDArray[np.float32]
Scores = NDArray[np.float64]

LARGEST = 127
EXACT = 1 << 24  # whole numbers below this are exact in a float of 32 bits
NARROW = 256  # numbers from which a context has 4 bits each: a cosine is then off by 0.006 (standard deviation), by 0.0004 in 8 bits
STEPS = 8 / 2.8  # of 4 bits, to a standard deviation: the best for what is normally distributed, as the numbers of embedders mostly are
BLOCK = 512  # vectors that are widened at once: they stay in the processor's cache


def _floats(vector: Vector) -> Scores:
    """The numbers of a vector; Invalid for what has no direction."""
    try:
        numbers = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise Invalid(f"this is no vector: {error}") from error
    if numbers.ndim != 1 or not np.isfinite(numbers).all() or not numbers.any():
        raise Invalid("a vector of zeros, or with a number that is none (NaN, infinite), has no direction: look at the embedder")
    return numbers


def pack(vectors: Sequence[Vector], id_: str, channel: str = "vector") -> tuple[bytes, int]:
    """The parts of one record as they are kept for a channel, and how many numbers each has, 0 for no part."""
    if not vectors:
        return b"", 0
    try:
        numbers = [_floats(vector) for vector in vectors]
    except Invalid as error:
        raise Invalid(str(error), ids=(id_,)) from error
    if len({len(part) for part in numbers}) > 1:
        raise Invalid("the vectors of one record have different lengths", ids=(id_,))
    dimensions = len(numbers[0])
    whole = np.stack(numbers)
    whole /= np.abs(whole).max(axis=1, keepdims=True)
    packed = np.empty(len(numbers), _part(dimensions, channel))
    if _narrow(dimensions, channel):
        steps = np.floor(whole * (STEPS * np.sqrt(dimensions) / np.linalg.norm(whole, axis=1, keepdims=True)))
        codes = (np.clip(steps, -8, 7) + 8).astype(np.uint8)
        half = dimensions // 2
        packed["ints"] = codes[:, :half] << 4 | codes[:, half:]
        ints = _widened(packed["ints"]).astype(np.float64)
    else:
        ints = np.rint(whole * LARGEST)
        packed["ints"] = ints
    packed["scale"] = 1 / np.linalg.norm(ints, axis=1)
    return packed.tobytes(), dimensions


def _narrow(dimensions: int, channel: str) -> bool:
    return channel == "context" and dimensions >= NARROW and dimensions % 2 == 0


def _part(dimensions: int, channel: str) -> np.dtype[np.void]:
    ints = ("u1", (dimensions // 2,)) if _narrow(dimensions, channel) else ("i1", (dimensions,))
    return np.dtype([("ints", *ints), ("scale", "<f4")])


def _widened(packed: NDArray[np.uint8]) -> Ints:
    """The numbers that stand two in a byte: those of the first half above those of the second."""
    half = packed.shape[1]
    ints = np.empty((len(packed), 2 * half), np.int8)
    np.right_shift(packed, 4, out=ints[:, :half].view(np.uint8))
    np.bitwise_and(packed, 15, out=ints[:, half:].view(np.uint8))
    ints *= 2
    ints -= 15
    return ints


def part_bytes(dimensions: int, channel: str = "vector") -> int:
    """How many bytes a part takes."""
    return _part(dimensions, channel).itemsize


def unpack(blobs: Sequence[bytes], dimensions: int, channel: str = "vector") -> tuple[Ints, Floats]:
    """The parts of a channel in `blobs` one after the other, and their scales."""
    packed = np.frombuffer(b"".join(blobs), _part(dimensions, channel))
    ints: Ints = _widened(packed["ints"]) if _narrow(dimensions, channel) else packed["ints"]
    return ints, packed["scale"]


class Query:
    """A vector that is asked with."""

    def __init__(self, vector: Vector) -> None:
        numbers = _floats(vector)
        self.dimensions = len(numbers)
        root = sqrt(self.dimensions)
        numbers = numbers / np.abs(numbers).max()
        self.unit: Scores = numbers / np.linalg.norm(numbers)
        fineness = EXACT / (LARGEST * root) - root / 2  # what rounding adds to the length, at most
        ints = np.rint(self.unit * max(fineness, 1.0))
        if not ints.any():
            ints = np.rint(numbers)
        self._ints = ints.astype(np.float32)
        self._scale = 1 / float(np.linalg.norm(ints))

    def cosines(self, ints: Ints, scales: Floats) -> Scores:
        """The cosine with each part."""
        found = np.empty(len(ints), np.float32)
        wide = np.empty((min(BLOCK, len(ints)), self.dimensions), np.float32)
        for start in range(0, len(ints), BLOCK):
            part = ints[start : start + BLOCK]
            block = wide[: len(part)]
            np.copyto(block, part)
            np.dot(block, self._ints, out=found[start : start + BLOCK])
        return np.minimum(found.astype(np.float64) * (scales.astype(np.float64) * self._scale), 1.0)
