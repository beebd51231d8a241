"""Planted faults of answering: engines that misorder, miscount, mispage, misrank or walk astray, each in one way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from beebread.backends.reference import ReferenceStore
from beebread.backends.reference_data import Key
from beebread.clock import micros
from beebread.errors import Invalid
from beebread.model import (
    Applied,
    AuditLine,
    Batch,
    Direction,
    Event,
    Family,
    Hit,
    Link,
    Record,
    Where,
    decode_cursor,
    links,
    owner,
    owners,
    sort_key,
)
from beebread.policy import matches, visible
from beebread.ports import Probe, Store
from beebread.testing.faults_judge import Judge
from beebread.testing.scene import changed

ALL = 1_000_000


class Arrival(ReferenceStore):
    """Orders by place in the log."""

    def answering(self, where: Where) -> list[Record]:
        return sorted(super().answering(where), key=lambda record: record.position)


class IgnoresSeq(ReferenceStore):
    """Orders by time and id alone."""

    def answering(self, where: Where) -> list[Record]:
        return sorted(super().answering(where), key=lambda record: (record.at, record.id, owner(record.scope)))


class Cursor(ReferenceStore):
    """A page goes on by `beyond`, of the sort keys of a record and of the cursor."""

    def __init__(self, beyond: Callable[[tuple[int, int, str, str], tuple[int, int, str, str]], bool]) -> None:
        super().__init__()
        self.beyond = beyond

    async def scan(self, where: Where, limit: int, after: str = "") -> list[Record]:
        if not after:
            return await super().scan(where, limit)
        last, back = decode_cursor(after), where.order == "-time"
        found = self.answering(where)[:: -1 if back else 1]
        pairs = [(last, sort_key(record)) if back else (sort_key(record), last) for record in found]
        return [record for record, pair in zip(found, pairs, strict=True) if self.beyond(*pair)][:limit]


class BackwardsTies(ReferenceStore):
    """Turns the order of time about, not that of equal times."""

    async def scan(self, where: Where, limit: int, after: str = "") -> list[Record]:
        found = await super().scan(where, ALL, after)
        if where.order == "-time":
            found = sorted(sorted(found, key=sort_key), key=lambda record: -micros(record.at))
        return found[:limit]


class Unordered(ReferenceStore):
    """Answers `get` in the order of time."""

    async def get(self, ids: Sequence[str], where: Where) -> list[Record]:
        return sorted(await super().get(ids, where), key=sort_key)


class NoAlias(ReferenceStore):
    """Knows no alias."""

    async def get(self, ids: Sequence[str], where: Where) -> list[Record]:
        return [record for record in await super().get(ids, where) if record.id in ids]


class CountsForgotten(ReferenceStore):
    """Counts what nobody may see any more."""

    async def count(self, where: Where, by: str = "") -> dict[str, int]:
        return await super().count(changed(where, status=(*where.status, "forgotten")), by)


class CountsByKindAlone(ReferenceStore):
    """Groups by kind whatever is asked."""

    async def count(self, where: Where, by: str = "") -> dict[str, int]:
        return await super().count(where, "kind" if by in ("session", "task") else by)


class Walks(ReferenceStore):
    """Walks with some of its arguments changed."""

    def __init__(self, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        super().__init__()
        self.change = change

    async def walk(
        self, start: Sequence[str], direction: Direction, depth: int, where: Where, families: Sequence[Family] = ()
    ) -> list[Link]:
        given: dict[str, Any] = {"start": start, "direction": direction, "depth": depth, "where": where, "families": families}
        return await super().walk(**{**given, **self.change(given)})


class WalksThrough(ReferenceStore):
    """Walks through what `through` lets it."""

    def __init__(self, through: Callable[[Record, Where], bool]) -> None:
        super().__init__()
        self.through = through

    def passable(self, where: Where) -> dict[Key, Record]:
        return {key: record for key, record in self.data.records.items() if self.through(record, where)}


class CrossesOwners(ReferenceStore):
    """Takes an id for the record of any owner."""

    def edges(self, passable: dict[Key, Record]) -> list[Link]:
        there = {key[1]: key[0] for key in passable}
        brought = [link for (home, _), record in passable.items() for link in links(record, home) if link.target in there]
        wandering = [Link(there[link.target], link.source, link.family, link.target, link.relation) for link in brought]
        return list(dict.fromkeys([*super().edges(passable), *(link for link in wandering if (link.owner, link.target) in passable)]))

    def passable(self, where: Where) -> dict[Key, Record]:
        mine = super().passable(where)
        return mine | {
            (home, name): record for home in {key[0] for key in mine} for (_, name), record in mine.items() if (home, name) not in mine
        }


class DeepestFirst(ReferenceStore):
    """Gives the farthest links first."""

    async def walk(
        self, start: Sequence[str], direction: Direction, depth: int, where: Where, families: Sequence[Family] = ()
    ) -> list[Link]:
        return (await super().walk(start, direction, depth, where, families))[::-1]


class NextByArrival(ReferenceStore):
    """Orders sessions by place in the log."""

    def edges(self, passable: dict[Key, Record]) -> list[Link]:
        return [*(link for link in super().edges(passable) if link.family != "NEXT"), *arrivals(passable)]


def arrivals(passable: dict[Key, Record]) -> Iterator[Link]:
    """NEXT by place in the log."""
    before: dict[tuple[str, str], Event] = {}
    for record in sorted((record for record in passable.values() if isinstance(record, Event)), key=lambda record: record.position):
        line = (owner(record.scope), record.scope.session)
        if line[1] and line in before:
            yield Link(line[0], record.id, "NEXT", before[line].id)
        before[line] = record


class FiltersAfterRank(ReferenceStore):
    """Takes the best of what `owned` says, then filters."""

    def __init__(self, *, owned: bool) -> None:
        super().__init__()
        self.owned = owned

    async def search(self, probe: Probe) -> list[Hit]:
        scores = self.keyword(probe) if probe.channel == "keyword" else self.exact(probe)
        top = sorted(scores, key=lambda key: (-scores[key], key[1], key[0]))[: probe.limit * 10]
        return [Hit(*key, scores[key]) for key in top if self.matches(self.data.records[key], probe.where)][: probe.limit]

    def held(self, probe: Probe) -> list[Key]:
        return super().held(probe) if self.owned else [key for key in self.data.documents if self.data.records[key].forgotten_at is None]


class Statistics(ReferenceStore):
    """Takes its statistics from the records that `counts` says."""

    def __init__(self, counts: Judge) -> None:
        super().__init__()
        self.counts = counts

    def held(self, probe: Probe) -> list[Key]:
        return [key for key in self.data.documents if self.counts(self.data.records[key], probe.where)]


class FindsForgotten(ReferenceStore):
    """One channel does not look at what was forgotten since."""

    def __init__(self, channel: str) -> None:
        super().__init__()
        self.channel = channel

    async def search(self, probe: Probe) -> list[Hit]:
        found = await super().search(probe)
        if probe.channel == self.channel:
            every = changed(probe.where, status=("forgotten",))
            gone = [key for key, record in self.data.records.items() if matches(record, every)]
            found += [Hit(*key, 0.1) for key in gone if set(probe.terms) & self.data.documents[key].terms.keys()]
        return found[: probe.limit]


class FindsInvisible(ReferenceStore):
    """Gives hits of everything that the owners keep."""

    async def search(self, probe: Probe) -> list[Hit]:
        scores = self.keyword(probe) if probe.channel == "keyword" else self.exact(probe)
        hits = [Hit(*key, score) for key, score in scores.items()]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id, hit.owner))[: probe.limit]


class TiesByArrival(ReferenceStore):
    """Orders equal scores by place in the log."""

    async def search(self, probe: Probe) -> list[Hit]:
        place = {key: record.position for key, record in self.data.records.items()}
        hits = await super().search(Probe(channel=probe.channel, where=probe.where, limit=ALL, terms=probe.terms))
        return sorted(hits, key=lambda hit: (-hit.score, place[hit.owner, hit.id]))[: probe.limit]


class TailOfVersions(ReferenceStore):
    """Keeps telling of versions that are no more."""

    def __init__(self) -> None:
        super().__init__()
        self.versions: dict[int, Record] = {}

    async def apply(self, batch: Batch) -> Applied:
        applied = await super().apply(batch)
        self.versions |= {record.position: record for record in self.data.records.values()}
        return applied

    async def tail(self, after: int, limit: int) -> list[tuple[int, Record]]:
        return sorted((place, record) for place, record in self.versions.items() if place > after)[:limit]


class TailRepeats(ReferenceStore):
    """Begins at the cursor, not after it."""

    async def tail(self, after: int, limit: int) -> list[tuple[int, Record]]:
        return await super().tail(after - 1, limit)


class SweepsTooSoon(ReferenceStore):
    """Gives everything forgotten, whenever."""

    async def forgotten(self, before: datetime, limit: int) -> list[Record]:
        return await super().forgotten(before.replace(year=9999), limit)


class DiaryByPrefix(ReferenceStore):
    """Compares owners by how they begin."""

    async def audit(self, owner: str, after: int, limit: int) -> list[tuple[int, AuditLine]]:
        return [(number, line) for number, line in await super().audit("", after, ALL) if line.owner.startswith(owner)][:limit]


class BeginsAnew(ReferenceStore):
    """Takes a cursor that it cannot read for none."""

    async def scan(self, where: Where, limit: int, after: str = "") -> list[Record]:
        try:
            return await super().scan(where, limit, after)
        except Invalid:
            return await super().scan(where, limit)


class NoSingleCharacter(ReferenceStore):
    """Finds nothing by one character."""

    async def search(self, probe: Probe) -> list[Hit]:
        return await super().search(changed(probe, terms=tuple(term for term in probe.terms if len(term) > 1 or term.isascii())))


def forgotten_too(record: Record, where: Where) -> bool:
    """What may be seen, forgotten or not."""
    return visible(where.asker, record)


def anyone_unforgotten(record: Record, where: Where) -> bool:
    """What any owner keeps and nobody forgot."""
    return record.forgotten_at is None and (owned(record, where) or not visible(where.asker, record))


def owned(record: Record, where: Where) -> bool:
    """What the asker's owners keep and nobody forgot."""
    return owner(record.scope) in owners(where.asker) and record.forgotten_at is None


def owned_or_forgotten(record: Record, where: Where) -> bool:
    """What the asker's owners keep or kept."""
    return owner(record.scope) in owners(where.asker)


def seen(record: Record, where: Where) -> bool:
    """What the asker sees and nobody forgot."""
    return visible(where.asker, record) and record.forgotten_at is None


READING_FAULTS: dict[str, Callable[[], Store]] = {
    "order of arrival": Arrival,
    "the producer's number ignored": IgnoresSeq,
    "a cursor skips ties": lambda: Cursor(lambda one, other: one[0] > other[0]),
    "a cursor repeats": lambda: Cursor(lambda one, other: one >= other),
    "a cursor without the owner": lambda: Cursor(lambda one, other: one[:3] > other[:3]),
    "ties forwards in reverse order": BackwardsTies,
    "get in the order of time": Unordered,
    "aliases not read": NoAlias,
    "the forgotten counted": CountsForgotten,
    "groups mixed up": CountsByKindAlone,
    "a walk one hop too far": lambda: Walks(lambda given: {"depth": given["depth"] + 1 if given["depth"] else 0}),
    "a walk of more families": lambda: Walks(lambda given: {"families": given["families"] or ("CAUSED_BY", "DATA_FROM", "REFERS_TO")}),
    "a walk without data": lambda: Walks(lambda given: {"families": given["families"] or ("CAUSED_BY",)}),
    "a walk up alone": lambda: Walks(lambda given: {"direction": given["direction"] and "up"}),
    "a walk shows all": lambda: Walks(lambda given: {"where": Where(asker=given["where"].asker, now=given["where"].now)}),
    "a walk through the forgotten": lambda: WalksThrough(forgotten_too),
    "a walk through the invisible": lambda: WalksThrough(owned),
    "a walk through answers alone": lambda: WalksThrough(matches),
    "a walk across owners": CrossesOwners,
    "a walk deepest first": DeepestFirst,
    "sessions in order of arrival": NextByArrival,
    "filter after rank": lambda: FiltersAfterRank(owned=True),
    "filter after rank of all owners": lambda: FiltersAfterRank(owned=False),
    "statistics of all owners": lambda: Statistics(anyone_unforgotten),
    "statistics of the visible": lambda: Statistics(seen),
    "statistics of the forgotten too": lambda: Statistics(owned_or_forgotten),
    "keyword finds the forgotten": lambda: FindsForgotten("keyword"),
    "exact finds the forgotten": lambda: FindsForgotten("exact"),
    "search finds the invisible": FindsInvisible,
    "ties in order of arrival": TiesByArrival,
    "single characters not found": NoSingleCharacter,
    "a bad cursor begins anew": BeginsAnew,
    "the tail tells of old versions": TailOfVersions,
    "the tail repeats its last": TailRepeats,
    "the sweep comes too soon": SweepsTooSoon,
    "the diary by prefix": DiaryByPrefix,
}
