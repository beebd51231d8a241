"""`hashing://`, an embedder for tests: words hashed to places in a vector, so that texts with words in common are near each other."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Sequence

from beebread.models.address import parameters, whole
from beebread.ports import Vector
from beebread.settings import Settings
from beebread.text import words

DIMENSIONS = 256
WINDOW = 1_500
MOST_DIMENSIONS = 4_096


class Hashing:
    """The embedder; it knows nothing of meaning, needs no package, and gives the same vectors everywhere."""

    window = WINDOW

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.space = f"hashing/{dimensions}"

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that are kept."""
        return [self._vector(text) for text in texts]

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that ask."""
        return [self._vector(text) for text in texts]

    async def close(self) -> None:
        """Nothing to let go of."""

    def _vector(self, text: str) -> Vector:
        sums = [0.0] * self.dimensions
        for word in words(text[: WINDOW * 4]) or [""]:
            number = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
            sums[number % self.dimensions] += 1.0 if number >> 63 else -1.0
        if not any(sums):  # two words that cancel each other out
            sums[0] = 1.0
        length = math.sqrt(sum(value * value for value in sums))
        return array("f", [value / length for value in sums])


def open_hashing(url: str, _settings: Settings) -> Hashing:
    """`hashing://?dimensions=64`."""
    given = parameters(url, ("dimensions",))
    return Hashing(whole(given, "dimensions", DIMENSIONS, MOST_DIMENSIONS))
