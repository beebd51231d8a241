"""The index of vectors of the reference engine: every cosine in plain Python, over what the store's records still say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import fsum, isfinite, sqrt

from msgspec import Struct

from beebread.backends.reference_data import Data, Key
from beebread.errors import Invalid, ModelMismatch
from beebread.model import Hit, Record, Where, owners, search_text
from beebread.policy import matches
from beebread.ports import Indexed, Probe, Vector

CHANNELS = frozenset({"vector", "context"})

Numbers = tuple[float, ...]
Held = dict[str, tuple[Numbers, ...]]
"""What one record has for each channel."""


class Space(Struct):
    """What is held in one space, by record."""

    records: dict[Key, Held] = {}

    @property
    def dimensions(self) -> int:
        """The length of its vectors, 0 while there is none."""
        return next((len(part) for held in self.records.values() for parts in held.values() for part in parts), 0)


class ReferenceVectors:
    """See `ports.Index` for the meaning of each method. What a transaction of the store does to a record it does to its vectors."""

    channels: frozenset[str] = CHANNELS

    def __init__(self, data: Data) -> None:
        self.data = data
        self.held: dict[str, Space] = {}  # in the order in which they came
        self.adopted = ""

    async def add(self, records: Sequence[Indexed]) -> None:
        """Take these in, all or none."""
        checked = [(indexed, self.check(indexed)) for indexed in records]
        lengths = {name: space.dimensions for name, space in self.held.items()}
        for indexed, held in checked:
            for part in (part for parts in held.values() for part in parts):
                if len(part) != (lengths.get(indexed.space) or len(part)):
                    raise Invalid("vectors of different lengths in one space: give each model a space of its own", ids=(indexed.record.id,))
                lengths[indexed.space] = len(part)
        for indexed, held in checked:
            key = (indexed.owner, indexed.record.id)
            if self.admits(self.data.records.get(key), indexed.record):
                self.held.setdefault(indexed.space, Space()).records[key] = held

    def check(self, indexed: Indexed) -> Held:
        """The vectors of one record; Invalid for what is none."""
        if not printable(indexed.space) or indexed.vectors.keys() - CHANNELS:
            raise Invalid("vectors need the name of their space, and channels that there are", ids=(indexed.record.id,))
        return {channel: tuple(numbers(part, indexed.record.id) for part in parts) for channel, parts in indexed.vectors.items()}

    def admits(self, kept: Record | None, given: Record) -> bool:
        """Whether the record is kept and still says what the vectors were made of."""
        return kept is not None and getattr(kept, "forgotten_at", None) is None and search_text(kept) == search_text(given)

    def change(self, before: Mapping[Key, Record], after: Mapping[Key, Record]) -> None:
        """Drop the vectors of what a transaction erased, forgot or made say something else."""
        for space in self.held.values():
            for key in [key for key in space.records if not self.admits(after.get(key), before[key])]:
                del space.records[key]

    async def remove(self, owner: str, ids: Sequence[str] | None) -> None:
        """Drop these ids, or all of the owner's."""
        for space in self.held.values():
            for key in [key for key in space.records if key[0] == owner and (ids is None or key[1] in ids)]:
                del space.records[key]

    def matches(self, record: Record, where: Where) -> bool:
        """Whether a record is shown."""
        return matches(record, where)

    def searched(self, probe: Probe, length: int) -> Space:
        """The space that is searched."""
        names = self.filled()
        if not names:
            return Space()
        if names[0] != probe.space:
            raise ModelMismatch(f"what is kept is in {names[0]!r}, not {probe.space!r}: run `beebread reembed`, or configure the old model")
        if self.held[names[0]].dimensions not in (0, length):
            raise Invalid("a vector of another length than those that are kept: look at the embedder")
        return self.held[names[0]]

    async def search(self, probe: Probe) -> list[Hit]:
        """Hits of one channel."""
        if probe.channel not in self.channels or probe.vector is None:
            raise Invalid(f"vectors have the channels {', '.join(sorted(self.channels))}, and are asked with a vector")
        query = numbers(probe.vector, "")
        space = self.searched(probe, len(query))
        scores = {key: self.score(query, held.get(probe.channel, ())) for key, held in space.records.items() if self.mine(key, probe.where)}
        hits = [Hit(*key, score) for key, score in scores.items() if score > 0 and self.matches(self.data.records[key], probe.where)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id, hit.owner))[: max(probe.limit, 0)]

    def mine(self, key: Key, where: Where) -> bool:
        """Whether the record is one of the asker's owners'."""
        return key[0] in owners(where.asker)

    def score(self, query: Numbers, parts: Sequence[Numbers]) -> float:
        """The cosine with the nearest part; 0 without any."""
        return max((cosine(query, part) for part in parts), default=0.0)

    async def missing(self, owner: str, ids: Sequence[str], space: str = "") -> list[str]:
        """Those of `ids` that are not in the index, or not in that space of it."""
        held = [found.records for name, found in self.held.items() if space in ("", name)]
        return [name for name in dict.fromkeys(ids) if not any((owner, name) in records for records in held)]

    def filled(self) -> list[str]:
        """The spaces that hold anything: the one last adopted, then the others in the order in which they came."""
        return sorted((name for name, space in self.held.items() if space.records), key=lambda name: name != self.adopted)

    async def spaces(self) -> tuple[str, ...]:
        """The spaces that it holds anything in, the one that is searched first."""
        return tuple(self.filled())

    async def adopt(self, space: str) -> None:
        """Search in `space` from now on, and drop the others."""
        if not printable(space):
            raise Invalid("a space needs a name")
        self.held = {name: held for name, held in self.held.items() if name == space}
        self.adopted = space

    async def reset(self) -> None:
        """Empty the index."""
        self.held.clear()
        self.adopted = ""

    async def close(self) -> None:
        """Nothing to let go of."""


def printable(space: str) -> bool:
    """Whether a space may be called so."""
    return bool(space) and space.isprintable()


def numbers(vector: Vector, id_: str) -> Numbers:
    """A vector's numbers; Invalid for what has no direction."""
    found = tuple(map(float, vector))
    if not any(found) or not all(map(isfinite, found)):
        raise Invalid("a vector of zeros, or with a number that is none, has no direction", ids=(id_,) if id_ else ())
    return found


def cosine(left: Numbers, right: Numbers) -> float:
    """The cosine of two vectors."""
    return dot(left, right) / sqrt(dot(left, left) * dot(right, right))


def dot(left: Iterable[float], right: Iterable[float]) -> float:
    """The inner product, rounded once."""
    return fsum(a * b for a, b in zip(left, right, strict=True))
