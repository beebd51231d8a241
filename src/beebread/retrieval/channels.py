"""Runs the channels of a plan at once, each with its own deadline; one that fails is noted and costs no more than its own answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from beebread.errors import BeebreadError, Invalid, ModelMismatch, Unavailable
from beebread.model import Direction, Family, Hit, Link, Record, Where, owner
from beebread.ports import Embedder, Index, Probe, Store, Vector
from beebread.retrieval.options import ECHOES, Options
from beebread.retrieval.plan import Plan
from beebread.retrieval.times import Window
from beebread.text import exact_terms

RECENT = 20
"""Events that count as recent."""
_TIED: tuple[Family, ...] = ("CAUSED_BY", "DATA_FROM", "REFERS_TO", "RESTS_ON")
_BESIDE: tuple[Family, ...] = ("NEXT",)
_BOTH: tuple[Direction, ...] = ("up", "down")
MEANING = frozenset({"vector", "context"})
_FAILURES = (Unavailable, ModelMismatch, TimeoutError, OSError)

Key = tuple[str, str]  # (owner, id)
Job = Callable[[], Awaitable[list[Hit]]]


class Outcome(Struct, frozen=True):
    """What the channels found, best first in each; which failed and why; and milliseconds of each."""

    hits: dict[str, list[Hit]]
    failed: dict[str, str]
    timings: dict[str, float]


async def run(jobs: Mapping[str, Job], deadline_ms: float) -> Outcome:
    """Run every job at once. Only a failure to answer is noted (away, too late, other model); a wrong question is still an error."""
    hits: dict[str, list[Hit]] = {}
    failed: dict[str, str] = {}
    timings: dict[str, float] = {}
    wrong: list[BeebreadError] = []

    async def one(name: str, job: Job) -> None:
        began = time.perf_counter()
        try:
            async with asyncio.timeout(deadline_ms / 1000):
                hits[name] = await job()
        except TimeoutError:
            failed[name] = f"no answer within {deadline_ms:g} ms"
        except _FAILURES as error:
            failed[name] = str(error) or type(error).__name__
        except BeebreadError as error:
            wrong.append(error)  # raised when all have ended, so that no channel is left running
        timings[name] = round((time.perf_counter() - began) * 1000, 3)

    async with asyncio.TaskGroup() as group:
        for name, job in jobs.items():
            group.create_task(one(name, job))
    if wrong:
        raise wrong[0]
    return Outcome({name: hits[name] for name in jobs if name in hits}, failed, timings)


class _Asked:
    """The vector of one question, made once for all channels that need it."""

    def __init__(self, embedder: Embedder | None, text: str) -> None:
        self._embedder = embedder
        self._text = text
        self._made: asyncio.Task[list[Vector]] | None = None
        self.ms = 0.0

    @property
    def space(self) -> str:
        """The space that it is in."""
        return self._embedder.space if self._embedder is not None else ""

    async def vector(self) -> Vector:
        """Raises Unavailable when there is no embedder or its model is away."""
        if self._embedder is None:
            raise Unavailable("nothing is searched by meaning here: set an embedder")
        if self._made is None:
            self._made = asyncio.ensure_future(self._embed(self._embedder))
            self._made.add_done_callback(lambda made: made.cancelled() or made.exception())  # if every channel was too late to hear it
        # One channel's deadline must not take the vector from the others.
        return (await asyncio.shield(self._made))[0]

    async def _embed(self, embedder: Embedder) -> list[Vector]:
        began = time.perf_counter()
        made = await embedder.embed_queries([self._text])
        self.ms = round((time.perf_counter() - began) * 1000, 3)
        return made


class Channels:
    """The channels of one store and the indexes attached to it; those of meaning where there is an embedder."""

    def __init__(self, store: Store, indexes: Sequence[Index], options: Options, embedder: Embedder | None = None) -> None:
        self._store = store
        self._options = options
        self._embedder = embedder
        # A store's own index wins, for it never lags behind the log.
        self._served: dict[str, Store | Index] = {channel: plug for plug in (*reversed(indexes), store) for channel in plug.channels}

    @property
    def index_channels(self) -> frozenset[str]:
        """What the attached indexes serve beyond the channels that every store has."""
        return frozenset(self._served) - {"keyword", "exact"} - (MEANING if self._embedder is None else frozenset())

    async def run(self, plan: Plan, where: Where, session: str) -> Outcome:
        """Everything that `plan` asks for; the neighbourhood after the others, since it starts from what they found.

        Last, what any of them found is compared with the question's meaning too: a record must not lose for having come by words.
        Raises Unavailable when no channel at all could answer.
        """
        asked = _Asked(self._embedder, plan.text)
        jobs = {name: self._job(name, plan, where, session, asked) for name in plan.channels if name != "graph" and _asked(name, plan)}
        if (outcome := await run(jobs, self._options.deadline_ms)).failed and not outcome.hits:
            raise Unavailable("nothing could be recalled: " + "; ".join(f"{name}: {why}" for name, why in outcome.failed.items()))
        if "graph" in plan.channels and (seeds := self._seeds(outcome.hits)):
            around = await run({"graph": lambda: self._around(seeds, where, plan)}, self._options.deadline_ms)
            outcome = Outcome({**outcome.hits, **around.hits}, {**outcome.failed, **around.failed}, {**outcome.timings, **around.timings})
        met = [name for name in jobs if name in MEANING and outcome.hits.get(name)]
        rest = await run({name: self._rest(name, outcome, where, asked) for name in met}, self._options.deadline_ms)
        for name, hits in rest.hits.items():
            outcome.hits[name] = sorted((*outcome.hits[name], *hits), key=lambda hit: (-hit.score, hit.id, hit.owner))
            outcome.timings[name] = round(outcome.timings[name] + rest.timings[name], 3)
        outcome.failed.update(rest.failed)
        if asked.ms:
            outcome.timings["embed"] = asked.ms  # part of what the channels of meaning took
        return outcome

    def _job(self, name: str, plan: Plan, where: Where, session: str, asked: _Asked) -> Job:
        if name == "recent":
            return lambda: self._recent(where, session)
        if name == "time":
            return lambda: self._in_time(plan, where)
        if name in MEANING:
            return lambda: self._meant(name, plan, where, asked)
        terms = (*plan.exact, *exact_terms("", plan.signatures)) if name == "exact" else plan.terms
        return lambda: self._search(Probe(channel=name, where=where, limit=plan.pool, terms=terms), plan.windows)

    async def _search(self, probe: Probe, windows: Sequence[Window]) -> list[Hit]:
        """The best hits of all times and, where spans are named, the best within each: a long history must not crowd them out."""
        if (plug := self._served.get(probe.channel)) is None:
            raise Unavailable(f"no index serves the channel {probe.channel}")
        probes = [probe, *(msgspec.structs.replace(probe, where=_within(probe.where, window)) for window in windows)]
        found = {(hit.owner, hit.id): hit for one in probes for hit in await plug.search(one) if hit.score > 0}
        return sorted(found.values(), key=lambda hit: (-hit.score, hit.id, hit.owner))

    async def _meant(self, channel: str, plan: Plan, where: Where, asked: _Asked) -> list[Hit]:
        vector = await asked.vector()
        probe = Probe(channel=channel, where=where, limit=plan.pool, vector=vector, space=asked.space)
        try:
            return await self._search(probe, plan.windows)
        except Invalid as error:  # the vector is the embedder's, not the asker's: words still serve
            raise ModelMismatch(str(error)) from error

    def _rest(self, channel: str, outcome: Outcome, where: Where, asked: _Asked) -> Job:
        """What other channels found, by its meaning."""
        have = {(hit.owner, hit.id) for hit in outcome.hits[channel]}
        rest = {(hit.owner, hit.id) for hits in outcome.hits.values() for hit in hits} - have
        ids = tuple(sorted({name for _, name in rest}))

        async def search() -> list[Hit]:
            vector = await asked.vector()
            probe = Probe(
                channel=channel, where=msgspec.structs.replace(where, ids=ids), limit=len(ids) * 2, vector=vector, space=asked.space
            )
            return [hit for hit in await self._search(probe, ()) if (hit.owner, hit.id) in rest] if ids else []

        return search

    async def _recent(self, where: Where, session: str) -> list[Hit]:
        """The session's last events, then the user's others: what was said a moment ago may have been said on another device."""
        latest = msgspec.structs.replace(where, order="-time", types=where.types or ("event",))
        found: list[Record] = []
        if session and not where.sessions:
            found = await self._store.scan(msgspec.structs.replace(latest, sessions=(session,)), RECENT)
        if len(found) < RECENT:
            have = {record.id for record in found}
            found += [record for record in await self._store.scan(latest, RECENT) if record.id not in have]
        return _descending([record for record in found if where.kinds or record.kind not in ECHOES][:RECENT])

    async def _in_time(self, plan: Plan, where: Where) -> list[Hit]:
        """The newest of each span that is named, or of all that answers the filter."""
        found: list[Record] = []
        for window in plan.windows or (Window(),):
            found += await self._store.scan(msgspec.structs.replace(_within(where, window), order="-time"), plan.pool)
        return _descending([record for record in found if where.kinds or record.kind not in ECHOES])

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


def _within(where: Where, window: Window) -> Where:
    return msgspec.structs.replace(where, after=_later(where.after, window.after), before=_sooner(where.before, window.before))


def _descending(records: Sequence[Record]) -> list[Hit]:
    unique = {(owner(record.scope), record.id): None for record in records}
    return [Hit(*key, 1.0 - at / (2 * len(unique))) for at, key in enumerate(unique)]


def _later(left: datetime | None, right: datetime | None) -> datetime | None:
    return max(left, right) if left and right else left or right


def _sooner(left: datetime | None, right: datetime | None) -> datetime | None:
    return min(left, right) if left and right else left or right
