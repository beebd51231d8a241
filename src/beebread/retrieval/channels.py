"""Runs the channels of a plan at once, all by one deadline; one that fails is noted and costs no more than its own answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial

import msgspec

from beebread.errors import Unavailable
from beebread.model import Direction, Family, Hit, Link, Record, Where, owner
from beebread.ports import Embedder, Index, Store
from beebread.retrieval.options import Options
from beebread.retrieval.plan import Plan
from beebread.retrieval.searches import MEANING, Deadline, Job, Key, Outcome, Own, Searches, run
from beebread.retrieval.times import Window

RECENT = 20
"""Events that count as recent."""
_TIED: tuple[Family, ...] = ("CAUSED_BY", "DATA_FROM", "REFERS_TO", "RESTS_ON")
_BESIDE: tuple[Family, ...] = ("NEXT",)
_BOTH: tuple[Direction, ...] = ("up", "down")
_LISTINGS = ("recent", "time")


class Channels:
    """The channels of one store and the indexes attached to it; those of meaning where there is an embedder."""

    def __init__(self, store: Store, indexes: Sequence[Index], options: Options, embedder: Embedder | None = None) -> None:
        self._store = store
        self._own = Own.of(store)
        self._options = options
        self._embedder = embedder
        # A store's own index wins, for it never lags behind the log.
        self._served: dict[str, Store | Index] = {channel: plug for plug in (*reversed(indexes), store) for channel in plug.channels}

    @property
    def index_channels(self) -> frozenset[str]:
        """What the attached indexes serve beyond the channels that every store has."""
        return frozenset(self._served) - {"keyword", "exact"} - (MEANING if self._embedder is None else frozenset())

    async def run(self, plan: Plan, where: Where, session: str, deadline: Deadline | None = None) -> Outcome:
        """Everything that `plan` asks for; the neighbourhood after the others, since it starts from what they found.

        Last, what any of them found is compared with the question's meaning. Raises Unavailable when no channel at all could answer.
        """
        deadline = deadline or Deadline.after(self._options.deadline_ms)
        with closing(Searches(self._own, self._served, self._embedder, plan)) as searches:
            return await self._run(searches, plan, where, session, deadline)

    async def _run(self, searches: Searches, plan: Plan, where: Where, session: str, deadline: Deadline) -> Outcome:
        named = [name for name in plan.channels if name not in ("graph", *_LISTINGS) and _asked(name, plan) and _open(name, where)]
        await searches.begin(named, deadline)
        wheres = [where, *(_within(where, window) for window in plan.windows)]
        outcome = await searches.together(named, wheres, plan.pool, deadline)
        jobs = searches.jobs([name for name in named if name not in outcome.timings], wheres, plan.pool)
        jobs |= {name: self._listing(name, plan, where, session) for name in _LISTINGS if name in plan.channels}
        outcome = outcome.with_more(await run(jobs, deadline))
        if outcome.failed and not outcome.hits:
            raise Unavailable("nothing could be recalled: " + "; ".join(f"{name}: {why}" for name, why in outcome.failed.items()))
        if "graph" in plan.channels and (seeds := self._seeds(outcome.hits)):
            outcome = outcome.with_more(await run({"graph": lambda: self._around(seeds, where, plan)}, deadline.with_grace()))
        outcome = await searches.rest(outcome, where, deadline)
        if searches.embed_ms:
            outcome.timings["embed"] = searches.embed_ms  # part of what the channels of meaning took
        return outcome

    def _listing(self, name: str, plan: Plan, where: Where, session: str) -> Job:
        return partial(self._recent, where, session) if name == "recent" else partial(self._in_time, plan, where)

    async def _recent(self, where: Where, session: str) -> list[Hit]:
        """The session's last events, then the user's others: what was said a moment ago may have been said on another device."""
        latest = msgspec.structs.replace(where, order="-time", types=where.types or ("event",))
        found: list[Record] = []
        if session and not where.sessions:
            found = await self._store.scan(msgspec.structs.replace(latest, sessions=(session,)), RECENT)
        if len(found) < RECENT:
            have = {record.id for record in found}
            found += [record for record in await self._store.scan(latest, RECENT) if record.id not in have]
        return _descending(found[:RECENT])

    async def _in_time(self, plan: Plan, where: Where) -> list[Hit]:
        """The newest of each span that is named, or of all that answers the filter."""
        found: list[Record] = []
        for window in plan.windows or (Window(),):
            found += await self._store.scan(msgspec.structs.replace(_within(where, window), order="-time"), plan.pool)
        return _descending(found)

    def _seeds(self, hits: Mapping[str, list[Hit]]) -> dict[Key, float]:
        """The best hits of each channel, each with its share of that channel's best score."""
        seeds: dict[Key, float] = {}
        for found in hits.values():
            for hit in found[: self._options.seeds]:
                key = (hit.owner, hit.id)
                seeds[key] = max(seeds.get(key, 0.0), hit.score / found[0].score)
        best = sorted(seeds, key=lambda key: (-seeds[key], key))[: self._options.seeds]
        return {key: seeds[key] for key in best}

    async def _around(self, seeds: dict[Key, float], where: Where, plan: Plan) -> list[Hit]:
        """What the seeds came from, what came of them, and what was said just before and after."""
        start = list(dict.fromkeys(name for _, name in seeds))
        gained: dict[Key, float] = {}
        ways: list[tuple[Direction, tuple[Family, ...], int, float]] = [
            (direction, families, hops, left)
            for families, hops, left in ((_TIED, plan.hops, plan.hop), (_BESIDE, 1, self._options.beside))
            for direction in _BOTH
        ]
        walks = await asyncio.gather(*(self._store.walk(start, direction, hops, where, families) for direction, families, hops, _ in ways))
        for (direction, _, _, left), walked in zip(ways, walks, strict=True):
            for key, score in spread(seeds, walked, direction, left).items():
                gained[key] = max(gained.get(key, 0.0), score)
        ranked = sorted(gained, key=lambda key: (-gained[key], key))[: plan.pool]
        return [Hit(*key, gained[key]) for key in ranked]


def spread(seeds: Mapping[Key, float], walked: Sequence[Link], direction: Direction, left: float) -> dict[Key, float]:
    """What records gain from the seeds along `walked` links, nearest first: the share `left` of a score survives each hop."""
    gained: dict[Key, float] = {}
    for link in sorted(walked, key=lambda link: link.depth):
        here, there = (link.source, link.target) if direction == "up" else (link.target, link.source)
        flow = max(seeds.get((link.owner, here), 0.0), gained.get((link.owner, here), 0.0)) * left
        if flow > gained.get((link.owner, there), 0.0):
            gained[link.owner, there] = flow
    return gained


def _asked(channel: str, plan: Plan) -> bool:
    """Whether there is anything to ask of `channel`; an answer to no question would hide that nothing else could answer."""
    terms = {"keyword": plan.terms, "exact": (*plan.exact, *plan.signatures)}
    return bool(terms.get(channel, True))


def _open(channel: str, where: Where) -> bool:
    """Whether `channel` tells the asker only of what he may read: a turn stands in its context beside one of another kind."""
    return channel != "context" or where.asker.kinds is None


def _within(where: Where, window: Window) -> Where:
    return msgspec.structs.replace(where, after=_later(where.after, window.after), before=_sooner(where.before, window.before))


def _descending(records: Sequence[Record]) -> list[Hit]:
    unique = {(owner(record.scope), record.id): None for record in records}
    return [Hit(*key, 1.0 - at / (2 * len(unique))) for at, key in enumerate(unique)]


def _later(left: datetime | None, right: datetime | None) -> datetime | None:
    return max(left, right) if left and right else left or right


def _sooner(left: datetime | None, right: datetime | None) -> datetime | None:
    return min(left, right) if left and right else left or right
