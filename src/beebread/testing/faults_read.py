"""Planted faults of reading: engines that leak, hide, miscount, misorder or misrank, each in one way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from beebread.backends.reference import ReferenceStore
from beebread.backends.reference_data import Key
from beebread.clock import micros
from beebread.model import (
    Applied,
    AuditLine,
    Batch,
    Direction,
    Event,
    Family,
    Hit,
    Link,
    Principal,
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
from beebread.testing.scene import EVERY_STATUS

Judge = Callable[[Record, Where], bool]
ALL = 1_000_000


class Judged(ReferenceStore):
    """Reads by `judge`, a faulty understanding of the filter, on every path or on one alone."""

    def __init__(self, judge: Judge, only: str = "") -> None:
        super().__init__()
        self.judge = judge
        self.only = only
        self.path = ""

    def matches(self, record: Record, where: Where) -> bool:
        return self.judge(record, where) if self.only in ("", self.path) else matches(record, where)

    async def get(self, ids: Sequence[str], where: Where) -> list[Record]:
        self.path = "get"
        found = [
            record for name in dict.fromkeys(ids) for (home, _), record in self.data.records.items() if name in self.called(home, record)
        ]
        return [record for record in found if self.matches(record, where)]

    def called(self, home: str, record: Record) -> set[str]:
        """Every name of a record."""
        return {record.id} | {alias for (place, alias), name in self.data.aliases.items() if (place, name) == (home, record.id)}

    async def scan(self, where: Where, limit: int, after: str = "") -> list[Record]:
        self.path = "scan"
        return await super().scan(where, limit, after)

    async def count(self, where: Where, by: str = "") -> dict[str, int]:
        self.path = "count"
        return await super().count(where, by)

    async def search(self, probe: Probe) -> list[Hit]:
        self.path = "search"
        return await super().search(probe)

    def held(self, probe: Probe) -> list[Key]:
        every = changed_where(anything(probe.where), status=EVERY_STATUS)
        widened = [key for key, record in self.data.records.items() if record.forgotten_at is None and self.matches(record, every)]
        return list(dict.fromkeys([*super().held(probe), *widened]))

    def passable(self, where: Where) -> dict[Key, Record]:
        self.path = "walk"
        every = changed_where(anything(where), status=EVERY_STATUS)
        return {key: record for key, record in self.data.records.items() if record.forgotten_at is None and self.matches(record, every)}


def changed_where(where: Where, **fields: Any) -> Where:
    """`where` with other parts."""
    given: dict[str, Any] = {name: getattr(where, name) for name in Where.__struct_fields__}
    return Where(**{**given, **fields})


def anything(where: Where) -> Where:
    """The asker of `where`, and no filter."""
    return Where(asker=where.asker, now=where.now)


def inside(record: Record, where: Where) -> Where:
    """`where` as asked by someone to whom `record` is open, his kinds aside."""
    scope = record.scope
    who = Principal(
        tenant=scope.tenant, user=scope.user, agent=scope.agent, session=scope.session, groups=(scope.group,), clearance=3,
        kinds=where.asker.kinds,
    )  # fmt: skip
    return changed_where(where, asker=who)


def given_to_all(**fields: Any) -> Judge:
    """Everyone is taken to have what he was not given."""

    def judge(record: Record, where: Where) -> bool:
        who = where.asker
        parts: dict[str, Any] = {name: getattr(who, name) for name in Principal.__struct_fields__}
        chosen = {name: value(record) if callable(value) else value for name, value in fields.items()}
        return matches(record, changed_where(where, asker=Principal(**{**parts, **chosen})))

    return judge


def owners_alike(alike: Callable[[str, str], bool]) -> Judge:
    """Owners are compared by something weaker than equality."""

    def judge(record: Record, where: Where) -> bool:
        near = any(alike(owner(record.scope), home) for home in owners(where.asker))
        mine = Principal(**{name: getattr(where.asker, name) for name in ("clearance", "kinds", "roles", "agent", "session", "task")},
        tenant=record.scope.tenant, user=record.scope.user, groups=(record.scope.group,))  # fmt: skip
        return near and matches(record, changed_where(where, asker=mine))

    return judge


def like(name: str, pattern: str) -> bool:
    """SQL's LIKE."""
    return re.fullmatch(re.escape(pattern).replace("%25", ".*").replace("_", "."), name) is not None


def without(*parts: str) -> Judge:
    """Some parts of the filter are never looked at."""
    defaults = Where(asker=Principal(), now=datetime.min)
    return lambda record, where: matches(record, changed_where(where, **{part: getattr(defaults, part) for part in parts}))


def anyone(record: Record, where: Where) -> bool:
    """Whose record it is makes no difference."""
    return matches(record, inside(record, where))


def prefixed(record: Record, where: Where) -> bool:
    """Tags are compared by how they begin, as a careless LIKE would."""
    tags = tuple(tag for tag in getattr(record, "tags", ()) if any(tag.startswith(wanted) for wanted in where.tags))
    return matches(record, changed_where(where, tags=tags or where.tags))


def later_than(record: Record, where: Where) -> bool:
    """'After' leaves out the moment itself, 'before' takes it in."""
    at = record.at
    return matches(record, changed_where(where, before=None)) and at != where.after and (where.before is None or at <= where.before)


class Arrival(ReferenceStore):
    def answering(self, where: Where) -> list[Record]:
        return sorted(super().answering(where), key=lambda record: record.position)


class IgnoresSeq(ReferenceStore):
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
    async def scan(self, where: Where, limit: int, after: str = "") -> list[Record]:
        found = await super().scan(where, ALL, after)
        return sorted(found, key=lambda record: -micros(record.at) if where.order == "-time" else 0)[:limit] if not after else found[:limit]

    def answering(self, where: Where) -> list[Record]:
        found = super().answering(where)
        return sorted(found[::-1], key=lambda record: record.at) if where.order == "-time" else found


class Unordered(ReferenceStore):
    async def get(self, ids: Sequence[str], where: Where) -> list[Record]:
        return sorted(await super().get(ids, where), key=sort_key)


class NoAlias(ReferenceStore):
    async def get(self, ids: Sequence[str], where: Where) -> list[Record]:
        return [record for record in await super().get(ids, where) if record.id in ids]


class CountsForgotten(ReferenceStore):
    async def count(self, where: Where, by: str = "") -> dict[str, int]:
        return await super().count(changed_where(where, status=(*where.status, "forgotten")), by)


class CountsByKindAlone(ReferenceStore):
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
        asked: dict[str, Any] = {"start": start, "direction": direction, "depth": depth, "where": where, "families": families}
        return await super().walk(**{**asked, **self.change(asked)})


class WalksThrough(ReferenceStore):
    """Walks through what `through` lets it."""

    def __init__(self, through: Callable[[Record, Where], bool]) -> None:
        super().__init__()
        self.through = through

    def passable(self, where: Where) -> dict[Key, Record]:
        return {key: record for key, record in self.data.records.items() if self.through(record, where)}


class CrossesOwners(ReferenceStore):
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
    async def walk(
        self, start: Sequence[str], direction: Direction, depth: int, where: Where, families: Sequence[Family] = ()
    ) -> list[Link]:
        return (await super().walk(start, direction, depth, where, families))[::-1]


class NextByArrival(ReferenceStore):
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
            every = changed_where(probe.where, status=("forgotten",))
            gone = [key for key, record in self.data.records.items() if matches(record, every)]
            found += [Hit(*key, 0.1) for key in gone if set(probe.terms) & self.data.documents[key].terms.keys()]
        return found[: probe.limit]


class FindsInvisible(ReferenceStore):
    async def search(self, probe: Probe) -> list[Hit]:
        scores = self.keyword(probe) if probe.channel == "keyword" else self.exact(probe)
        hits = [Hit(*key, score) for key, score in scores.items()]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id, hit.owner))[: probe.limit]


class TiesByArrival(ReferenceStore):
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


class TailOfFirst(ReferenceStore):
    async def tail(self, after: int, limit: int) -> list[tuple[int, Record]]:
        return await super().tail(after - 1, limit)


class SweepsTooSoon(ReferenceStore):
    async def forgotten(self, before: datetime, limit: int) -> list[Record]:
        return [record for record in self.data.records.values() if record.forgotten_at is not None][:limit]


class DiaryByPrefix(ReferenceStore):
    async def audit(self, owner: str, after: int, limit: int) -> list[tuple[int, AuditLine]]:
        return [(number, line) for number, line in await super().audit("", after, ALL) if line.owner.startswith(owner)][:limit]


def forgotten_too(record: Record, where: Where) -> bool:
    """Sees what may be seen, forgotten or not."""
    return visible(where.asker, record)


READING: dict[str, Callable[[], Store]] = {
    **{f"{path} drops the owner": (lambda path=path: Judged(anyone, path)) for path in ("get", "scan", "count", "walk", "search")},
    "every read drops the owner": lambda: Judged(anyone),
    "owners by prefix": lambda: Judged(owners_alike(str.startswith)),
    "owners by LIKE": lambda: Judged(owners_alike(like)),
    "owners without case": lambda: Judged(owners_alike(lambda name, home: name.lower() == home.lower())),
    "tenants make no difference": lambda: Judged(owners_alike(lambda name,
    home: name.rpartition(":")[2] == home.rpartition(":")[2] and name[0] == home[0])),  # fmt: skip
    "clearance ignored": lambda: Judged(given_to_all(clearance=3)),
    "clearance ignored in count": lambda: Judged(given_to_all(clearance=3), "count"),
    "clearance ignored in search": lambda: Judged(given_to_all(clearance=3), "search"),
    "kinds ignored": lambda: Judged(given_to_all(kinds=None)),
    "no kinds taken for all kinds": lambda: Judged(lambda record, where: matches(record,
    where) if where.asker.kinds else given_to_all(kinds=None)(record, where)),  # fmt: skip
    "closed sessions open": lambda: Judged(given_to_all(session=lambda record: record.scope.session)),
    "private agents open": lambda: Judged(given_to_all(agent=lambda record: record.scope.agent)),
    "private agents open in walk": lambda: Judged(given_to_all(agent=lambda record: record.scope.agent), "walk"),
    "groups of others": lambda: Judged(given_to_all(groups=lambda record: (record.scope.group,))),
    "one task shares nothing": lambda: Judged(given_to_all(task="")),
    "the user himself is kept out": lambda: Judged(given_to_all(roles=("agent",))),
    "groups of one's own hidden": lambda: Judged(given_to_all(groups=())),
    "status ignored": lambda: Judged(lambda record, where: matches(record, changed_where(where, status=EVERY_STATUS))),
    "status ignored in get": lambda: Judged(lambda record, where: matches(record, changed_where(where, status=EVERY_STATUS)), "get"),
    **{f"{part} ignored": (lambda part=part: Judged(without(part))) for part in (
        "types", "kinds", "layers", "keys", "tags", "entities", "sessions", "tasks", "actors", "origins", "speakers", "ids", "after",
        "before",
        "as_of", "known_at", "min_confidence", "linked_to", "environment",
    )},
    "tags by prefix": lambda: Judged(prefixed),
    "bounds of time reversed": lambda: Judged(later_than),
    "order of arrival": Arrival,
    "the producer's number ignored": IgnoresSeq,
    "a cursor skips ties": lambda: Cursor(lambda one, other: one[0] > other[0]),
    "a cursor repeats": lambda: Cursor(lambda one, other: one >= other),
    "a cursor without the owner": lambda: Cursor(lambda one, other: one[:3] > other[:3]),
    "ties forwards in reverse order": BackwardsTies,
    "get in the order of time": Unordered,
    "aliases not read": NoAlias,
    "the forgotten are counted": CountsForgotten,
    "groups mixed up": CountsByKindAlone,
    "a walk one hop too far": lambda: Walks(lambda asked: {"depth": asked["depth"] + 1 if asked["depth"] else 0}),
    "a walk of every family": lambda: Walks(lambda asked: {"families": asked["families"] or ("CAUSED_BY", "DATA_FROM", "REFERS_TO")}),
    "a walk without data": lambda: Walks(lambda asked: {"families": asked["families"] or ("CAUSED_BY",)}),
    "a walk up alone": lambda: Walks(lambda asked: {"direction": "up"}),
    "a walk shows all": lambda: Walks(lambda asked: {"where": anything(asked["where"])}),
    "a walk through the forgotten": lambda: WalksThrough(forgotten_too),
    "a walk through the invisible": lambda: WalksThrough(lambda record,
    where: owner(record.scope) in owners(where.asker) and not record.forgotten_at),
    "a walk through what answers alone": lambda: WalksThrough(matches),
    "a walk across owners": CrossesOwners,
    "a walk deepest first": DeepestFirst,
    "sessions in order of arrival": NextByArrival,
    "filter after rank": lambda: FiltersAfterRank(owned=True),
    "filter after rank of all owners": lambda: FiltersAfterRank(owned=False),
    "statistics of all owners": lambda: Statistics(lambda record, where: record.forgotten_at is None),
    "statistics of the visible": lambda: Statistics(lambda record, where: record.forgotten_at is None and visible(where.asker, record)),
    "statistics of the forgotten too": lambda: Statistics(lambda record, where: owner(record.scope) in owners(where.asker)),
    "keyword finds the forgotten": lambda: FindsForgotten("keyword"),
    "exact finds the forgotten": lambda: FindsForgotten("exact"),
    "search finds the invisible": FindsInvisible,
    "ties in order of arrival": TiesByArrival,
    "the tail tells of old versions": TailOfVersions,
    "the tail repeats its last": TailOfFirst,
    "the sweep comes too soon": SweepsTooSoon,
    "the diary by prefix": DiaryByPrefix,
}  # fmt: skip
