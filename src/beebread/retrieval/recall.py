"""From a query to ranked records: plan, channels, union, the store's own check, fusion, threshold, rank, chain."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Sequence

import msgspec

from beebread.errors import Unavailable
from beebread.model import CAUSAL, HISTORY, Direction, Family, Link, Query, Recall, Record, Where, owner, sort_key
from beebread.ports import Embedder, Index, Reranker, Store
from beebread.retrieval import earlier, explain, fuse, rank
from beebread.retrieval.channels import Channels
from beebread.retrieval.closer import closer, pays, with_closer
from beebread.retrieval.found import Found
from beebread.retrieval.merge import merged
from beebread.retrieval.options import ECHOES, Options
from beebread.retrieval.plan import plan
from beebread.retrieval.searches import Deadline, Key, keys_of
from beebread.retrieval.times import times
from beebread.text.questions import questions

_CHAIN_UP, _CHAIN_DOWN = 8, 4
_CHAIN: tuple[Family, ...] = (*CAUSAL, "RESTS_ON")


class Retriever:
    """Recalls from one store and the indexes attached to it. Keeps nothing between two queries."""

    def __init__(
        self,
        store: Store,
        indexes: Sequence[Index] = (),
        options: Options | None = None,
        *,
        embedder: Embedder | None = None,
        reranker: Reranker | None = None,
    ) -> None:
        self.options = options or Options()
        self._store = store
        self._reranker = reranker
        self._channels = Channels(store, indexes, self.options, embedder)

    async def recall(self, query: Query, where: Where, *, session: str = "") -> Recall:
        """The answer to `query` among what `where` lets through, best first or, for order 'time', as it happened; at most `query.limit`.

        `session` is the one that asks: its last events are what is recent. Raises Invalid for an unknown channel and Unavailable when
        every channel failed; when only some did, the report names them.
        """
        if query.tool:
            return await self._again(query, where)
        found = await self.search(query, where, session)
        began = time.perf_counter()
        best = found.ranked[: query.limit]
        chains = await self._chains([one.fused.record for one in best], where) if query.chain else [()] * len(best)
        items = [rank.item(one, found.plan, where, chain) for one, chain in zip(best, chains, strict=True)]
        found.timings["show"] = _since(began)
        if query.order == "time":
            items = rank.in_time(items)
        return Recall(items=tuple(items), report=found.report(found.why_empty() if not items else ""))

    async def search(self, query: Query, where: Where, session: str = "") -> Found:
        """Every step of a recall but the last, kept apart so that each can be explained."""
        deadline = Deadline.after(self.options.deadline_ms)
        whole = await self._search(query, where, session, deadline)
        asked = questions(query.text) if whole.plan.terms and self.options.question > 0 else []
        parts: list[Found] = []
        for text in asked:
            try:
                parts.append(await self._search(msgspec.structs.replace(query, text=text), where, session, deadline))
            except Unavailable:
                if not deadline.over:
                    raise
                whole.outcome.failed["questions"] = deadline.why  # the turn as a whole has its answer
                break
        return merged(whole, parts, self.options.question) if parts else whole

    async def _search(self, query: Query, where: Where, session: str, deadline: Deadline) -> Found:
        began = time.perf_counter()
        plotted = plan(query, self.options, self._channels.index_channels, times(query.text, where.now))
        if plotted.as_of is not None and where.as_of is None:
            where = msgspec.structs.replace(where, status=tuple(dict.fromkeys((*where.status, *HISTORY))))
        if not where.kinds:
            where = msgspec.structs.replace(where, without_kinds=ECHOES)
        timings = {"plan": _since(began)}
        outcome = await self._channels.run(plotted, where, session, deadline)
        timings.update(outcome.timings)
        began = time.perf_counter()
        parts = fuse.weighed(outcome.hits, plotted)
        few = self.options.read_timely if plotted.timely else self.options.read
        records = await self._checked(fuse.leading(parts, max(few, 4 * query.limit)), where)
        timings["check"] = _since(began)
        began = time.perf_counter()
        fused = fuse.fuse(parts, outcome.hits, records, self.options)
        # A listing, or what is recent, has no question that it could fail to answer.
        least = fuse.threshold(fused, self.options) if plotted.terms else 0.0
        answers = [one for one in fused if one.relevance >= least]
        if query.order == "time":
            # An account of what happened has no place for what was merely said beside it.
            answers = [one for one in answers if not one.parts.keys() <= {"graph", "session"}]
        ranked = rank.rank(answers, plotted, where, self.options)
        timings["rank"] = _since(began)
        if self._reranker is not None and pays(ranked, plotted, self.options):
            began = time.perf_counter()
            seen, why = await closer(self._reranker, ranked, plotted, self.options)
            if seen:
                ranked = rank.rank(with_closer(answers, seen, self.options), plotted, where, self.options)
            elif why:
                outcome.failed["closer"] = why
            timings["closer"] = _since(began)
        return Found(plan=plotted, outcome=outcome, fused=fused, threshold=least, ranked=ranked, timings=timings)

    async def explain(self, query: Query, where: Where, expect: str, *, session: str = "") -> explain.Explanation:
        """Why the record `expect` is, or is not, in the answer to `query` (mission R10)."""
        record = await explain.written(self._store, where, expect)
        found = await self.search(msgspec.structs.replace(query, tool="", args=None), where, session)
        return explain.explanation(record, expect, found, query, where)

    async def _checked(self, keys: Collection[Key], where: Where) -> dict[Key, Record]:
        """Those records that the store itself lets through: a stale or wrong index shows nothing that it should not."""
        records = await self._store.get(sorted({name for _, name in keys}), where) if keys else []
        kept = {(owner(record.scope), record.id): record for record in records}
        wanted = frozenset(keys)
        return {key: record for key, record in kept.items() if key in wanted}

    async def _again(self, query: Query, where: Where) -> Recall:
        """What the same tool gave for the same arguments before (mission R11)."""
        plotted = plan(query, self.options)
        outcome = await self._channels.run(plotted, earlier.calls_only(where), "")
        began = time.perf_counter()
        calls = await self._checked(keys_of(outcome.hits.values()), earlier.calls_only(where))
        items = await earlier.earlier(self._store, sorted(calls.values(), key=sort_key), where, query.limit)
        found = Found(
            plan=plotted, outcome=outcome, fused=(), threshold=0.0, ranked=(), timings={**outcome.timings, "results": _since(began)}
        )
        return Recall(items=tuple(items), report=found.report("" if items else f"{query.tool} was not called with these arguments before"))

    async def _chains(self, records: Sequence[Record], where: Where) -> list[tuple[Record, ...]]:
        """For each record what led to it and what came of it, nearest first up to a limit, then in the order in which it happened."""
        return list(await asyncio.gather(*(self._chain(record, where) for record in records)))

    async def _chain(self, record: Record, where: Where) -> tuple[Record, ...]:
        # The chain of an answer is not bound by the filters that chose the answer.
        free = Where(asker=where.asker, now=where.now, as_of=where.as_of, known_at=where.known_at, status=where.status)
        ways: tuple[tuple[Direction, int], ...] = (("up", _CHAIN_UP), ("down", _CHAIN_DOWN))
        walked: list[tuple[Direction, Link]] = []
        for direction, depth in ways:
            links = await self._store.walk([record.id], direction, depth, free, _CHAIN)
            walked.extend((direction, link) for link in links)
        home = owner(record.scope)
        met = {
            (link.target if direction == "up" else link.source): None
            for direction, link in sorted(walked, key=lambda step: step[1].depth)
            if link.owner == home
        }
        names = [name for name in met if name != record.id][: self.options.chain_records - 1]
        others = [other for other in await self._store.get(names, free) if owner(other.scope) == home] if names else []
        return tuple(sorted((record, *others), key=sort_key))


def _since(began: float) -> float:
    return round((time.perf_counter() - began) * 1000, 3)
