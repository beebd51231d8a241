"""A scene whose records have meanings: vectors made of words, put into the index of an engine and asked for."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from random import Random
from typing import Any, Protocol, TypeAlias

from beebread.model import Event, Hit, Memory, Principal, owner
from beebread.ports import Index, Indexed, Probe, Store, Vector
from beebread.testing.scene import Scene, fail, holds

DIMENSIONS = 24
NEAR = 0.01  # how far a score may be from the cosine: engines keep vectors in few bits
SPACE = "words-1"
NONE: list[Hit] = []

Vectors: TypeAlias = "dict[str, tuple[Vector, ...]]"
"""A record's vectors by channel."""


class IndexedStore(Store, Protocol):
    """A store with the index of vectors that belongs to its records."""

    vectors: Index


@lru_cache(maxsize=4096)
def _numbers(word: str, dimensions: int) -> tuple[float, ...]:
    dice = Random(word)
    found = [dice.gauss(0, 1) for _ in range(dimensions)]
    return tuple(number / sqrt(sum(number * number for number in found)) for number in found)


def meaning(*words: str, dimensions: int = DIMENSIONS, length: float = 1.0) -> Vector:
    """The vector of a few words together: those that share many are near to each other."""
    parts = [_numbers(word, dimensions) for word in words]
    whole = [sum(numbers) for numbers in zip(*parts, strict=True)]
    return array("f", [number * length / sqrt(sum(other * other for other in whole)) for number in whole])


def cosine(left: Vector, right: Vector) -> float:
    """The cosine of two vectors."""
    inner = [sum(a * b for a, b in zip(one, other, strict=True)) for one, other in ((left, right), (left, left), (right, right))]
    return inner[0] / sqrt(inner[1] * inner[2])


def nearly(hits: Sequence[Hit], wanted: Sequence[Hit], limit: int, what: str) -> None:
    """Fail unless `hits` are the first `limit` of `wanted` (all there are, best first), but for scores that are nearly equal."""
    scores = {(hit.owner, hit.id): hit.score for hit in wanted}
    for hit in hits:
        holds(abs(scores.get((hit.owner, hit.id), 0.0) - hit.score) <= NEAR, f"{what}: {hit} where {scores.get((hit.owner, hit.id))} fits")
    order = sorted(hits, key=lambda hit: (-hit.score, hit.id, hit.owner))
    holds(list(hits) == order, f"{what}: {hits} are not best first, ties by id")
    holds(len({(hit.owner, hit.id) for hit in hits}) == len(hits) <= max(limit, 0), f"{what}: {hits} are too many, or one twice")
    least = hits[-1].score if hits and len(hits) == limit else 0.0
    lost = [hit for hit in wanted if hit.score > least + 2 * NEAR and hit not in hits and (hit.owner, hit.id) not in keys(hits)]
    if lost and limit > 0:
        fail(f"{what}: {lost[:3]} are missing among {hits[:9]}")


def keys(hits: Sequence[Hit]) -> set[tuple[str, str]]:
    """Owners and ids."""
    return {(hit.owner, hit.id) for hit in hits}


class Meanings(Scene):
    """One check's world, and an index that holds nothing else."""

    def __init__(self, store: IndexedStore) -> None:
        super().__init__(store)
        self.index = store.vectors

    @classmethod
    async def begin(cls, store: IndexedStore) -> Meanings:
        """A world whose index is empty, whoever used it before."""
        await store.vectors.reset()
        return cls(store)

    async def learn(self, *records: Event | Memory, space: str = SPACE) -> None:
        """Keep records and index each by the words of its text, alone for one channel and with 'before' for the other."""
        await self.put(*records)
        await self.know(*records, space=space)

    async def know(self, *records: Event | Memory, space: str = SPACE) -> None:
        """Index records by the words of their texts."""
        await self.give(*((record, self.said(record)) for record in records), space=space)

    def said(self, record: Event | Memory) -> Vectors:
        """The vectors of a record's words."""
        words = record.text.split() or ["silence"]
        return {"vector": (meaning(*words),), "context": (meaning(*words, "before"),)}

    async def give(self, *given: tuple[Event | Memory, Vectors], space: str = SPACE) -> None:
        """Index records by vectors of one's own."""
        indexed = [Indexed(owner=owner(record.scope), record=record, vectors=vectors, space=space) for record, vectors in given]
        await self.index.add(indexed)

    async def read(self, record: Event | Memory, after: Event | Memory, *, space: str = SPACE) -> None:
        """Index a record by its words, alone for one channel and after those of another record for the other."""
        vectors: Vectors = {"vector": (meaning(*record.text.split()),), "context": (meaning(*after.text.split(), *record.text.split()),)}
        await self.index.add([Indexed(owner=owner(record.scope), record=record, vectors=vectors, space=space, read_with=after)])

    async def torn(self, space: str = SPACE, limit: int = 1000) -> list[str]:
        """The ids of records whose contexts are torn."""
        return sorted(record.id for record in await self.index.torn(space, limit))

    async def meant(
        self, *words: str, channel: str = "vector", who: Principal | None = None, limit: int = 1000, space: str = SPACE, **fields: Any
    ) -> list[Hit]:
        """What is nearest to a few words."""
        return await self.near(meaning(*words), channel=channel, who=who, limit=limit, space=space, **fields)

    async def near(
        self,
        vector: Vector,
        *,
        channel: str = "vector",
        who: Principal | None = None,
        limit: int = 1000,
        space: str = SPACE,
        **fields: Any,
    ) -> list[Hit]:
        """What is nearest to a vector."""
        return await self.index.search(Probe(channel=channel, where=self.where(who, **fields), limit=limit, vector=vector, space=space))
