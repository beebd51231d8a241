"""The searches of one question by words and by meaning: of a store that can, all in one go, which saves most of their time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from beebread.errors import BeebreadError, Invalid, ModelMismatch, Unavailable
from beebread.model import Hit, Where
from beebread.ports import Embedder, Index, KeepsVectors, Probe, SearchesTogether, Store, Vector
from beebread.retrieval.plan import Plan
from beebread.text import exact_terms

MEANING = frozenset({"vector", "context"})
_FAILURES = (Unavailable, ModelMismatch, TimeoutError, OSError)
_MOMENT = 0.05
"""Seconds that words wait for the question's vector, to be searched together with it."""

Key = tuple[str, str]  # (owner, id)
Job = Callable[[], Awaitable[list[Hit]]]
Served = Mapping[str, Store | Index]


class Outcome(Struct, frozen=True):
    """What the channels found, best first in each; which failed and why; and milliseconds of each."""

    hits: dict[str, list[Hit]]
    failed: dict[str, str]
    timings: dict[str, float]

    def with_more(self, more: Outcome) -> Outcome:
        """This and what was found after it; of a channel that was asked before, what that told of records found by then."""
        if not more.timings:
            return self
        found = keys_of(self.hits.values())
        hits = {
            name: merged([self.hits[name], [hit for hit in some if (hit.owner, hit.id) in found]]) if name in self.hits else some
            for name, some in more.hits.items()
        }
        timings = {name: round(self.timings.get(name, 0.0) + ms, 3) for name, ms in more.timings.items()}
        return Outcome({**self.hits, **hits}, {**self.failed, **more.failed}, {**self.timings, **timings})


class Deadline(Struct, frozen=True):
    """The moment, by the monotonic clock (and asyncio's), when a recall gives up what has not answered: one for all its parts."""

    ms: float
    ends: float

    @classmethod
    def after(cls, ms: float) -> Deadline:
        """So many milliseconds from now."""
        return cls(ms, time.monotonic() + ms / 1000)

    @property
    def over(self) -> bool:
        """Whether it is past."""
        return time.monotonic() >= self.ends

    @property
    def why(self) -> str:
        """What is said of whoever was too late."""
        return f"no answer within {self.ms:g} ms"

    def with_grace(self) -> Deadline:
        """At least a quarter of the whole from now: for what starts from answers, when another channel took all the time."""
        return msgspec.structs.replace(self, ends=max(self.ends, Deadline.after(self.ms / 4).ends))


async def run(jobs: Mapping[str, Job], deadline: Deadline) -> Outcome:
    """Run every job at once. Only a failure to answer is noted (away, too late, other model); a wrong question is still an error."""
    if not jobs:
        return Outcome({}, {}, {})
    hits: dict[str, list[Hit]] = {}
    failed: dict[str, str] = {}
    timings: dict[str, float] = {}
    wrong: list[BeebreadError] = []

    async def one(name: str, job: Job) -> None:
        began = time.perf_counter()
        try:
            async with asyncio.timeout_at(deadline.ends):
                hits[name] = await job()
        except TimeoutError:
            failed[name] = deadline.why
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


class Own(NamedTuple):
    """What a store can do by itself beyond what every store can; found out once, since to ask takes as long as a search."""

    together: SearchesTogether | None
    plugs: tuple[Store | Index, ...]

    @classmethod
    def of(cls, store: Store) -> Own:
        """What `store` can do."""
        return cls(
            store if isinstance(store, SearchesTogether) else None,
            (store, store.vectors) if isinstance(store, KeepsVectors) else (store,),
        )


class Searches:
    """The searches of one question. `begin` first, `close` last."""

    def __init__(self, own: Own, served: Served, embedder: Embedder | None, plan: Plan) -> None:
        self._own = own
        self._served = served
        self._embedder = embedder
        self._plan = plan
        self._vector: asyncio.Task[Vector] | None = None
        self._joined: list[str] = []
        self.embed_ms = 0.0

    async def begin(self, names: Sequence[str], deadline: Deadline) -> None:
        """Make the question's vector, if one of `names` needs it, and choose which of them the store answers in one go."""
        if self._embedder is None or not MEANING & {*names}:
            return
        self._vector = asyncio.ensure_future(self._embed(self._embedder))
        self._vector.add_done_callback(_heard)
        if self._own.together is None:
            return
        await asyncio.wait({self._vector}, timeout=min(_MOMENT, max(0.0, deadline.ends - time.monotonic())))
        if self._vector.done() and not self._vector.cancelled() and not self._vector.exception():
            self._joined = [name for name in names if self._served.get(name) in self._own.plugs]

    def close(self) -> None:
        """Give up a vector that came too late, or whose asker is gone: a model that does not answer must not gather questions."""
        if self._vector is not None:
            self._vector.cancel()

    async def together(self, names: Sequence[str], wheres: Sequence[Where], limit: int, deadline: Deadline) -> Outcome:
        """What those of `names` find that the store answers in one go; of nothing when one of them cannot, to be asked each by itself."""
        joined, store = [name for name in names if name in self._joined], self._own.together
        began, hits, failed = time.perf_counter(), dict[str, list[Hit]](), dict[str, str]()
        if store is not None and joined:
            try:
                async with asyncio.timeout_at(deadline.ends):
                    found = [await store.search_together([await self._probe(name, one, limit) for name in joined]) for one in wheres]
            except TimeoutError:
                failed = dict.fromkeys(joined, deadline.why)
            except BeebreadError:
                self._joined = joined = []
            else:
                hits = {name: merged([some[at] for some in found]) for at, name in enumerate(joined)}
        return Outcome(hits, failed, dict.fromkeys(joined, round((time.perf_counter() - began) * 1000, 3)))

    def jobs(self, names: Sequence[str], wheres: Sequence[Where], limit: int) -> dict[str, Job]:
        """For each of `names` its best hits by every filter of `wheres`, asked by itself."""
        return {name: partial(self._alone, name, wheres, limit) for name in names}

    async def rest(self, outcome: Outcome, where: Where, deadline: Deadline) -> Outcome:
        """`outcome` with all that was found compared with the question's meaning: a record must not lose for having come by words."""
        met = [name for name in self._plan.channels if name in MEANING and outcome.hits.get(name)]
        if not met:
            return outcome
        others = dict(outcome.hits)
        if self._joined:  # whose answers were compared with each other's already
            compared = keys_of([others.pop(name) for name in self._joined if name in others])
        else:
            compared = keys_of([others[met[0]]]).intersection(*(keys_of([others[name]]) for name in met))
        ids = tuple(sorted({name for _, name in keys_of(others.values()) - compared}))
        if not ids:
            return outcome
        named = [msgspec.structs.replace(where, ids=ids)]
        more = await self.together(met, named, 2 * len(ids), deadline)
        alone = await run(self.jobs([name for name in met if name not in more.timings], named, 2 * len(ids)), deadline)
        return outcome.with_more(more).with_more(alone)

    async def _embed(self, embedder: Embedder) -> Vector:
        began = time.perf_counter()
        made = await embedder.embed_queries([self._plan.text])
        self.embed_ms = round((time.perf_counter() - began) * 1000, 3)
        return made[0]

    async def _probe(self, name: str, where: Where, limit: int) -> Probe:
        if name in MEANING:
            if self._vector is None or self._embedder is None:
                raise Unavailable("nothing is searched by meaning here: set an embedder")
            # One channel's deadline must not take the vector from the others.
            vector = await asyncio.shield(self._vector)
            return Probe(channel=name, where=where, limit=limit, vector=vector, space=self._embedder.space)
        terms = (*self._plan.exact, *exact_terms("", self._plan.signatures)) if name == "exact" else self._plan.terms
        return Probe(channel=name, where=where, limit=limit, terms=terms)

    async def _alone(self, name: str, wheres: Sequence[Where], limit: int) -> list[Hit]:
        if (plug := self._served.get(name)) is None:
            raise Unavailable(f"no index serves the channel {name}")
        try:
            return merged([await plug.search(await self._probe(name, where, limit)) for where in wheres])
        except Invalid as error:
            if name not in MEANING:
                raise
            raise ModelMismatch(str(error)) from error  # the vector is the embedder's, not the asker's: words still serve


def _heard(made: asyncio.Task[Any]) -> None:
    """Take note of an error that every channel may have been too late to hear."""
    if not made.cancelled():
        made.exception()


def keys_of(some: Iterable[Sequence[Hit]]) -> set[Key]:
    """Whose hits these are."""
    return {(hit.owner, hit.id) for hits in some for hit in hits}


def merged(some: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The hits of several searches of one channel, each record once, best first; what scores nothing is no hit."""
    if len(some) == 1:
        (alone,) = some
        return list(alone) if alone and alone[-1].score > 0 else [hit for hit in alone if hit.score > 0]
    found = {(hit.owner, hit.id): hit for hits in some for hit in hits if hit.score > 0}
    return sorted(found.values(), key=lambda hit: (-hit.score, hit.id, hit.owner))
