"""The index of vectors of the reference engine: every cosine in plain Python, over what the store's records still say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from math import fsum, isfinite, sqrt

from msgspec import Struct

from beebread.backends.reference_data import Data, Key
from beebread.errors import Invalid, ModelMismatch
from beebread.model import Hit, Record, Where, owner, owners, search_text
from beebread.policy import matches
from beebread.ports import Indexed, Probe, Vector

CHANNELS = frozenset({"vector", "context"})

Numbers = tuple[float, ...]
Held = dict[str, tuple[Numbers, ...]]
"""What one record has for each channel."""


class Space(Struct):
    """What is held in one space, by record."""

    records: dict[Key, Held] = {}
    read_with: dict[Key, Key | None] = {}  # what contexts were read with, where they were; None where that is gone, and they with it

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
                    raise ModelMismatch("a vector of another length than those that are kept: `beebread reembed`", ids=(indexed.record.id,))
                lengths[indexed.space] = len(part)
        for indexed, held in checked:
            key = (indexed.owner, indexed.record.id)
            if self.admits(self.data.records.get(key), indexed.record):
                space = self.held.setdefault(indexed.space, Space())
                space.records[key] = held
                space.read_with.pop(key, None)
                if indexed.read_with is not None:
                    space.read_with[key] = (indexed.owner, indexed.read_with.id)
                    if not self.reads(indexed.owner, indexed.read_with):
                        self.tear_one(space, key)

    def check(self, indexed: Indexed) -> Held:
        """The vectors of one record; Invalid for what is none."""
        if not printable(indexed.space) or indexed.vectors.keys() - CHANNELS:
            raise Invalid("vectors need the name of their space, and channels that there are", ids=(indexed.record.id,))
        return {channel: tuple(numbers(part, indexed.record.id) for part in parts) for channel, parts in indexed.vectors.items()}

    def reads(self, home: str, given: Record) -> bool:
        """Whether what a context was read with is the same owner's, and still says the same."""
        return owner(given.scope) == home and self.admits(self.data.records.get((home, given.id)), given)

    def admits(self, kept: Record | None, given: Record) -> bool:
        """Whether the record is kept and still says what the vectors were made of."""
        return kept is not None and getattr(kept, "forgotten_at", None) is None and search_text(kept) == search_text(given)

    def change(self, before: Mapping[Key, Record], after: Mapping[Key, Record]) -> None:
        """Drop the vectors of what a transaction erased, forgot or made say something else."""
        for space in self.held.values():
            self.drop(space, {key for key in space.records if not self.admits(after.get(key), before[key])})
            self.tear(space, {key for key in space.read_with.values() if key and not self.admits(after.get(key), before[key])})

    def drop(self, space: Space, keys: Set[Key]) -> None:
        """Drop the vectors of records."""
        for key in keys:
            del space.records[key]
            space.read_with.pop(key, None)

    def tear(self, space: Space, keys: Set[Key]) -> None:
        """Drop the contexts that were read with records."""
        for key in [key for key, read in space.read_with.items() if read in keys]:
            self.tear_one(space, key)

    def tear_one(self, space: Space, key: Key) -> None:
        """Drop the contexts of one record."""
        space.read_with[key] = None
        space.records[key] = {channel: parts for channel, parts in space.records[key].items() if channel != "context"}

    async def remove(self, owner: str, ids: Sequence[str] | None) -> None:
        """Drop these ids, or all of the owner's."""
        for space in self.held.values():
            self.drop(space, {key for key in space.records if key[0] == owner and (ids is None or key[1] in ids)})
            self.tear(space, {key for key in space.read_with.values() if key and key[0] == owner and (ids is None or key[1] in ids)})

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

    async def torn(self, space: str, limit: int) -> list[Record]:
        """Records whose contexts are torn in a space."""
        found = self.held[space].read_with if space in self.held else {}
        return [self.data.records[key] for key, read in found.items() if read is None][: max(limit, 0)]

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
