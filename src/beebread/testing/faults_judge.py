"""Planted faults of judging: engines that misread who asks or what is asked for, on every path or on one alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from beebread.backends.reference import ReferenceStore
from beebread.backends.reference_data import Key
from beebread.model import Hit, Principal, Record, Where, owner, owners
from beebread.policy import matches
from beebread.ports import Probe, Store
from beebread.testing.scene import EVERY_STATUS, START, changed

Judge = Callable[[Record, Where], bool]


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
        mine = await super().get(ids, where)
        theirs = [
            record for name in ids for key, record in self.data.records.items() if key[1] == name and key[0] not in owners(where.asker)
        ]
        return [*mine, *(record for record in theirs if self.matches(record, where))]

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
        widened = self.open_to(probe.where)
        return list(dict.fromkeys([*super().held(probe), *widened]))

    def passable(self, where: Where) -> dict[Key, Record]:
        self.path = "walk"
        return self.open_to(where)

    def open_to(self, where: Where) -> dict[Key, Record]:
        """What is not forgotten and, as `judge` sees it, open to the asker."""
        every = Where(asker=where.asker, now=where.now, status=EVERY_STATUS)
        return {key: record for key, record in self.data.records.items() if record.forgotten_at is None and self.matches(record, every)}


def asked_by(where: Where, **fields: Any) -> Where:
    """`where` with another asker."""
    return changed(where, asker=changed(where.asker, **fields))


def anyone(record: Record, where: Where) -> bool:
    """Whose record it is makes no difference."""
    scope = record.scope
    return matches(
        record,
        asked_by(where, tenant=scope.tenant, user=scope.user, agent=scope.agent, session=scope.session, groups=(scope.group,), clearance=3),
    )


def given(**fields: Any) -> Judge:
    """Every asker is taken to have what he was not given."""
    return lambda record, where: matches(record, asked_by(where, **fields))


def given_its(part: str) -> Judge:
    """Every asker is taken to have the record's own `part`."""
    return lambda record, where: matches(record, asked_by(where, **{part: getattr(record.scope, part)}))


def any_group(record: Record, where: Where) -> bool:
    """Every asker is in every group."""
    return matches(record, asked_by(where, groups=(record.scope.group,)))


def no_kinds_for_all(record: Record, where: Where) -> bool:
    """No kinds at all are taken for no limit."""
    return matches(record, where if where.asker.kinds else asked_by(where, kinds=None))


def owners_alike(alike: Callable[[str, str], bool]) -> Judge:
    """Owners are compared by something weaker than equality."""

    def judge(record: Record, where: Where) -> bool:
        scope = record.scope
        near = any(alike(owner(scope), home) for home in owners(where.asker))
        return near and matches(record, asked_by(where, tenant=scope.tenant, user=scope.user, groups=(scope.group,)))

    return judge


def like(name: str, pattern: str) -> bool:
    """SQL's LIKE."""
    return re.fullmatch(re.escape(pattern).replace("%25", ".*").replace("_", "."), name) is not None


def caseless(name: str, home: str) -> bool:
    """Letter case makes no difference."""
    return name.lower() == home.lower()


def tenantless(name: str, home: str) -> bool:
    """The tenant makes no difference."""
    return name[0] == home[0] and name.rpartition(":")[2] == home.rpartition(":")[2]


def without(part: str) -> Judge:
    """One part of the filter is never looked at."""
    plain = getattr(Where(asker=Principal(), now=START), part)
    return lambda record, where: matches(record, changed(where, **{part: plain}))


def any_status(record: Record, where: Where) -> bool:
    """What was forgotten, has expired or was superseded is shown like anything else."""
    return matches(record, changed(where, status=EVERY_STATUS))


def tags_by_prefix(record: Record, where: Where) -> bool:
    """Tags are compared by how they begin."""
    met = tuple(tag for tag in getattr(record, "tags", ()) if tag.startswith(where.tags))
    return matches(record, changed(where, tags=met or where.tags))


def bounds_reversed(record: Record, where: Where) -> bool:
    """'After' leaves its moment out, 'before' takes it in."""
    return matches(record, changed(where, before=None)) and record.at != where.after and (where.before is None or record.at <= where.before)


PARTS = (
    "types", "kinds", "without_kinds", "layers", "keys", "tags", "entities", "sessions", "tasks", "actors", "origins", "speakers", "ids",
    "after", "before", "as_of", "known_at", "min_confidence", "linked_to", "environment",
)  # fmt: skip
JUDGING: dict[str, tuple[Judge, str]] = {
    **{f"{path} drops the owner": (anyone, path) for path in ("get", "scan", "count", "walk", "search")},
    "owners by prefix": (owners_alike(str.startswith), ""),
    "owners by LIKE": (owners_alike(like), ""),
    "owners without case": (owners_alike(caseless), ""),
    "tenants make no difference": (owners_alike(tenantless), ""),
    "clearance ignored": (given(clearance=3), ""),
    "clearance ignored in count": (given(clearance=3), "count"),
    "clearance ignored in search": (given(clearance=3), "search"),
    "kinds ignored": (given(kinds=None), ""),
    "no kinds taken for all": (no_kinds_for_all, ""),
    "closed sessions open": (given_its("session"), ""),
    "private agents open": (given_its("agent"), ""),
    "private agents open in walk": (given_its("agent"), "walk"),
    "every group open": (any_group, ""),
    "own groups hidden": (given(groups=()), ""),
    "tasks share nothing": (given(task=""), ""),
    "the user himself kept out": (given(roles=("agent",)), ""),
    "status ignored": (any_status, ""),
    "status ignored in get": (any_status, "get"),
    **{f"{part} ignored": (without(part), "") for part in PARTS},
    "tags by prefix": (tags_by_prefix, ""),
    "bounds of time reversed": (bounds_reversed, ""),
}


def misjudging(judge: Judge, only: str) -> Callable[[], Store]:
    """How to open such an engine."""
    return lambda: Judged(judge, only)


JUDGING_FAULTS: dict[str, Callable[[], Store]] = {name: misjudging(*how) for name, how in JUDGING.items()}
