"""Planted faults of an index of vectors: each takes in, keeps, drops, compares or ranks in one wrong way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial

import msgspec

from beebread.backends.reference import ReferenceStore
from beebread.backends.reference_data import Data, Key
from beebread.backends.reference_vectors import Held, Numbers, ReferenceVectors, Space, cosine, dot
from beebread.errors import Invalid
from beebread.model import Hit, Record, Where, owner, search_text
from beebread.policy import matches
from beebread.ports import Index, Indexed, Probe
from beebread.testing.faults_judge import JUDGING, Judge
from beebread.testing.index_scene import IndexedStore

ALL = 1_000_000


class Judged(ReferenceVectors):
    """Reads by a faulty understanding of who may see what, over every owner's records."""

    def __init__(self, data: Data, judge: Judge) -> None:
        super().__init__(data)
        self.judge = judge

    def mine(self, key: Key, where: Where) -> bool:
        return True

    def matches(self, record: Record, where: Where) -> bool:
        return self.judge(record, where)


class Scored(ReferenceVectors):
    """Compares by something else than the cosine with the nearest window."""

    def __init__(self, data: Data, by: Callable[[Numbers, Sequence[Numbers]], float]) -> None:
        super().__init__(data)
        self.by = by

    def score(self, query: Numbers, parts: Sequence[Numbers]) -> float:
        return self.by(query, parts) if parts else 0.0


class Found(ReferenceVectors):
    """Changes what is asked, or the hits."""

    def __init__(self, data: Data, ask: Callable[[Probe], Probe], tell: Callable[[list[Hit]], list[Hit]]) -> None:
        super().__init__(data)
        self.ask, self.tell = ask, tell

    async def search(self, probe: Probe) -> list[Hit]:
        return self.tell(await super().search(self.ask(probe)))[: max(probe.limit, 0) if self.tell is not told else ALL]


class FilterLate(ReferenceVectors):
    """Ranks first and filters what is left."""

    async def search(self, probe: Probe) -> list[Hit]:
        where = msgspec.structs.replace(Where(asker=probe.where.asker, now=probe.where.now), status=("active", "superseded", "disputed"))
        hits = await super().search(msgspec.structs.replace(probe, where=where))
        return [hit for hit in hits if matches(self.data.records[hit.owner, hit.id], probe.where)]


class Admits(ReferenceVectors):
    """Takes in what was forgotten, what says something else by now, or what is not kept."""

    def __init__(self, data: Data, *, forgotten: bool = False, changed: bool = False, unknown: bool = False) -> None:
        super().__init__(data)
        self.forgotten, self.changed, self.unknown = forgotten, changed, unknown

    def admits(self, kept: Record | None, given: Record) -> bool:
        if kept is None:
            return self.unknown
        sound = self.forgotten or getattr(kept, "forgotten_at", None) is None
        return sound and (self.changed or search_text(kept) == search_text(given))

    async def search(self, probe: Probe) -> list[Hit]:
        known = {name: dict(space.records) for name, space in self.held.items()}
        for space in self.held.values():
            space.records = {key: held for key, held in space.records.items() if key in self.data.records}
        found = await super().search(probe)
        self.held.update({name: Space(records) for name, records in known.items()})
        return found


class Careless(ReferenceVectors):
    """One rule of keeping broken, by name."""

    def __init__(self, data: Data, fault: str) -> None:
        super().__init__(data)
        self.fault = fault

    async def add(self, records: Sequence[Indexed]) -> None:
        before = {name: dict(space.records) for name, space in self.held.items()}
        if self.fault == "half a refused batch is kept":
            for indexed in records:
                await super().add([indexed])
            return
        await super().add(records)
        for name, space in self.held.items():
            for key, old in before.get(name, {}).items():
                new = space.records[key]
                if new != old and self.fault == "new windows beside the old":
                    space.records[key] = {channel: (*old.get(channel, ()), *parts) for channel, parts in new.items()}
                if new != old and self.fault == "a channel that is not given stays":
                    space.records[key] = {**old, **new}
                if self.fault == "the first vectors stay":
                    space.records[key] = old

    def check(self, indexed: Indexed) -> Held:
        try:
            return super().check(indexed)
        except Invalid:
            if self.fault == "what is no vector is passed over":
                return {}
            if self.fault == "errors name no record":
                raise Invalid("something is wrong somewhere") from None
            raise

    def change(self, before: Mapping[Key, Record], after: Mapping[Key, Record]) -> None:
        if self.fault == "nothing goes with its record":
            return
        if self.fault == "what is forgotten stays":
            after = {key: msgspec.structs.replace(record, forgotten_at=None) if hasattr(record, "forgotten_at") else record
                     for key, record in after.items()}  # fmt: skip
        if self.fault == "what says something else stays":
            after = {key: before.get(key, record) if getattr(record, "forgotten_at", None) is None else record
                     for key, record in after.items()}  # fmt: skip
        if self.fault == "every change takes vectors along":
            after = {key: record for key, record in after.items() if before.get(key) == record}
        searched = self.filled()[:1]
        kept = {name: dict(space.records) for name, space in self.held.items()}
        read_with = {name: dict(space.read_with) for name, space in self.held.items()}
        super().change(before, after)
        if self.fault == "only the searched space lets go":
            self.held.update({name: Space(records, read_with[name]) for name, records in kept.items() if name not in searched})

    async def remove(self, owner: str, ids: Sequence[str] | None) -> None:
        if self.fault == "no ids are taken for all":
            ids = ids or None
        if self.fault == "an owner goes with those that begin alike":
            for home in {key[0] for space in self.held.values() for key in space.records if key[0].startswith(owner)}:
                await super().remove(home, ids)
        if self.fault == "all of an owner's goes, whatever the ids":
            ids = None
        await super().remove(owner, ids)

    def searched(self, probe: Probe, length: int) -> Space:
        if self.fault == "any space is searched":
            return self.held.get(probe.space, Space())
        if self.fault == "the newest space is searched" and self.held:
            self.adopted = list(self.held)[-1]
        if self.fault == "questions of any length" and self.filled()[:1] == [probe.space]:
            return Space()
        return super().searched(probe, length)

    async def missing(self, owner: str, ids: Sequence[str], space: str = "") -> list[str]:
        if self.fault == "missing knows no spaces":
            space = ""
        if self.fault == "missing takes no vectors for not being there":
            known = [found for found in self.held.values() for key, held in found.records.items() if key[0] == owner and not held]
            return await super().missing(owner, ids, space) + ([ids[0]] if known else [])
        found = await super().missing(owner, ids, space)
        return sorted(found) if self.fault == "missing in an order of its own" else found

    async def adopt(self, space: str) -> None:
        others = dict(self.held)
        await super().adopt(space)
        if self.fault == "what was left behind comes back":
            self.held = {**others, **self.held}
        if self.fault == "adopting empties":
            self.held.clear()

    async def reset(self) -> None:
        if self.fault == "a reset forgets the searched space alone":
            for name in self.filled()[:1]:
                del self.held[name]
            return
        await super().reset()
        self.adopted = ""


class Torn(ReferenceVectors):
    """One rule of contexts broken, by name."""

    def __init__(self, data: Data, fault: str) -> None:
        super().__init__(data)
        self.fault = fault

    async def add(self, records: Sequence[Indexed]) -> None:
        before = {name: dict(space.read_with) for name, space in self.held.items()}
        await super().add(records)
        for name, space in self.held.items():
            for key, read in before.get(name, {}).items():
                if read is None and self.fault == "what is torn stays torn":
                    self.tear_one(space, key)
                if read is not None and self.fault == "what it was read with first stays":
                    space.read_with[key] = read

    def reads(self, home: str, given: Record) -> bool:
        kept = self.data.records.get((home, given.id))
        if self.fault == "a late context is taken in":
            return True
        if self.fault == "read with what was forgotten":
            return kept is not None and search_text(kept) == search_text(given)
        if self.fault == "read with what it said before":
            return kept is not None and getattr(kept, "forgotten_at", None) is None
        if self.fault == "read with another owner's":
            return (owner(given.scope), given.id) in self.data.records or super().reads(home, given)
        return super().reads(home, given)

    def change(self, before: Mapping[Key, Record], after: Mapping[Key, Record]) -> None:
        if self.fault == "contexts stay when what they were read with is erased":
            after = {**before, **after}
        if self.fault == "contexts stay when what they were read with is forgotten":
            after = {key: before.get(key, record) if getattr(record, "forgotten_at", None) else record for key, record in after.items()}
        if self.fault == "contexts stay when what they were read with is corrected":
            after = {key: record if getattr(record, "forgotten_at", None) else before.get(key, record) for key, record in after.items()}
        if self.fault == "every change tears":
            for space in self.held.values():
                self.tear(space, {key for key in space.read_with.values() if key and before[key] != after.get(key)})
        super().change(before, after)

    async def remove(self, owner: str, ids: Sequence[str] | None) -> None:
        await super().remove("" if self.fault == "what is removed stays in contexts" and ids else owner, ids)
        if self.fault == "what is removed stays in contexts" and ids:
            for space in self.held.values():
                self.drop(space, {(owner, name) for name in ids} & space.records.keys())

    def tear(self, space: Space, keys: Set[Key]) -> None:
        if self.fault == "contexts stay":
            return
        if self.fault == "contexts of the searched space alone go" and space is not self.held[self.filled()[0]]:
            return
        if self.fault == "one context alone goes":
            first = next((key for key, read in space.read_with.items() if read in keys), None)
            keys = set()
            if first is not None:
                self.tear_one(space, first)
        super().tear(space, keys)

    def tear_one(self, space: Space, key: Key) -> None:
        super().tear_one(space, key)
        if self.fault == "texts go with contexts":
            space.records[key] = {}
        if self.fault == "a record goes with what it was read with":
            self.drop(space, {key})
        if self.fault == "nothing is told to be torn":
            space.read_with.pop(key, None)

    async def torn(self, space: str, limit: int) -> list[Record]:
        if self.fault == "torn in any space":
            return [record for name in self.held for record in await super().torn(name, limit)]
        return await super().torn(space, ALL if self.fault == "torn without a limit" else limit)


class Faulty(ReferenceStore):
    """A sound store with a faulty index."""

    def __init__(self, made: Callable[[Data], ReferenceVectors]) -> None:
        super().__init__()
        self.meanings = made(self.data)
        self.vectors: Index = self.meanings


def first_window(query: Numbers, parts: Sequence[Numbers]) -> float:
    """By the first window."""
    return cosine(query, parts[0])


def mean_of_windows(query: Numbers, parts: Sequence[Numbers]) -> float:
    """By all windows alike."""
    return sum(cosine(query, part) for part in parts) / len(parts)


def inner_product(query: Numbers, parts: Sequence[Numbers]) -> float:
    """By how long the vectors are, too."""
    return max(dot(query, part) for part in parts)


def absolute(query: Numbers, parts: Sequence[Numbers]) -> float:
    """Opposite is as good as alike."""
    return max(abs(cosine(query, part)) for part in parts)


def lifted(query: Numbers, parts: Sequence[Numbers]) -> float:
    """Half of everything is a hit."""
    return (max(cosine(query, part) for part in parts) + 1) / 2


def nowhere_zero(query: Numbers, parts: Sequence[Numbers]) -> float:
    """A right angle is a hit too."""
    return max(1e-12, *(cosine(query, part) for part in parts))


def coarse(query: Numbers, parts: Sequence[Numbers]) -> float:
    """By the signs of the numbers alone."""

    def sign(numbers: Numbers) -> Numbers:
        return tuple(1.0 if number > 0 else -1.0 for number in numbers)

    return max(cosine(sign(query), sign(part)) for part in parts)


def same_probe(probe: Probe) -> Probe:
    """As it is asked."""
    return probe


def told(hits: list[Hit]) -> list[Hit]:
    """As it is found."""
    return hits


def unlimited(probe: Probe) -> Probe:
    """All there is."""
    return msgspec.structs.replace(probe, limit=ALL)


def one_channel(probe: Probe) -> Probe:
    """By the texts, whichever channel is asked."""
    return msgspec.structs.replace(probe, channel="vector") if probe.channel == "context" else probe


def ties_backwards(hits: list[Hit]) -> list[Hit]:
    """Equal scores by id, the last first."""
    return sorted(sorted(hits, key=lambda hit: hit.id, reverse=True), key=lambda hit: -hit.score)


def worst_first(hits: list[Hit]) -> list[Hit]:
    """The other way round."""
    return hits[::-1]


def most_alike(hits: list[Hit]) -> list[Hit]:
    """Only what is rather alike."""
    return [hit for hit in hits if hit.score > 0.3]


COMPARING = (first_window, mean_of_windows, inner_product, absolute, lifted, nowhere_zero, coarse)
CARELESS = (
    "half a refused batch is kept", "new windows beside the old", "a channel that is not given stays", "the first vectors stay",
    "what is no vector is passed over", "errors name no record", "nothing goes with its record", "what is forgotten stays",
    "what says something else stays", "every change takes vectors along", "only the searched space lets go", "no ids are taken for all",
    "an owner goes with those that begin alike", "all of an owner's goes, whatever the ids", "any space is searched",
    "the newest space is searched", "questions of any length", "missing knows no spaces", "missing takes no vectors for not being there",
    "missing in an order of its own", "what was left behind comes back", "adopting empties", "a reset forgets the searched space alone",
)  # fmt: skip
TORN = (
    "what is torn stays torn", "what it was read with first stays", "a late context is taken in", "read with what was forgotten",
    "read with what it said before", "read with another owner's", "contexts stay", "contexts of the searched space alone go",
    "contexts stay when what they were read with is erased", "contexts stay when what they were read with is forgotten",
    "contexts stay when what they were read with is corrected", "every change tears", "what is removed stays in contexts",
    "one context alone goes", "texts go with contexts", "a record goes with what it was read with", "nothing is told to be torn",
    "torn in any space", "torn without a limit",
)  # fmt: skip
MADE: dict[str, Callable[[Data], ReferenceVectors]] = {
    **{f"meaning: {name}": partial(Judged, judge=judge) for name, (judge, only) in JUDGING.items() if only in ("", "search")},
    **{fault: partial(Careless, fault=fault) for fault in CARELESS},
    **{fault: partial(Torn, fault=fault) for fault in TORN},
    **{by.__name__: partial(Scored, by=by) for by in COMPARING},
    "takes in what was forgotten": partial(Admits, forgotten=True),
    "takes in what says something else": partial(Admits, changed=True),
    "takes in what is not kept": partial(Admits, unknown=True),
    **{ask.__name__: partial(Found, ask=ask, tell=told) for ask in (unlimited, one_channel)},
    **{tell.__name__: partial(Found, ask=same_probe, tell=tell) for tell in (worst_first, most_alike)},
    "ties_backwards": partial(Found, ask=unlimited, tell=ties_backwards),
    "filtered after the rank": FilterLate,
}  # fmt: skip


def opened(made: Callable[[Data], ReferenceVectors]) -> Callable[[], IndexedStore]:
    """How to open a store with such an index."""
    return lambda: Faulty(made)


INDEX_FAULTS: dict[str, Callable[[], IndexedStore]] = {name: opened(made) for name, made in MADE.items()}
