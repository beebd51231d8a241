"""A closer look at the best answers, where it pays: when several are about as good, or when they are not in the question's language."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec

from beebread.errors import Unavailable
from beebread.model import search_text
from beebread.ports import Reranker
from beebread.retrieval.fuse import Fused
from beebread.retrieval.options import Options
from beebread.retrieval.order import Ranked
from beebread.retrieval.plan import Plan
from beebread.retrieval.searches import Key
from beebread.text import is_dense

LONGEST = 1_000  # characters of a text that are looked at


def pays(ranked: Sequence[Ranked], plan: Plan, options: Options) -> bool:
    """Whether a closer look is likely to change which answer comes first."""
    if options.closer <= 0 or len(ranked) < 2 or not plan.terms:
        return False
    first, second = ranked[0], ranked[1]
    if second.score >= options.tie * first.score:
        return True
    asked = is_dense(plan.text)
    return any(is_dense(search_text(one.fused.record)[:LONGEST]) != asked for one in ranked[:2])


async def closer(reranker: Reranker, ranked: Sequence[Ranked], plan: Plan, options: Options) -> tuple[dict[Key, float], str]:
    """What the closer look gives the best answers, 0 to 1, and why it failed, '' where it did not.

    It gives nothing where it would take too long: what was looked at by then is remembered, so that the next question gets further.
    """
    best = ranked[: options.closer_top]
    texts = [search_text(one.fused.record)[:LONGEST] for one in best]
    try:
        scores = await asyncio.wait_for(reranker.rerank(plan.text, texts), options.closer_ms / 1000)
    except TimeoutError:
        return {}, ""
    except Unavailable as error:
        return {}, str(error)
    return {one.fused.key: score for one, score in zip(best, scores, strict=True)}, ""


def with_closer(fused: Sequence[Fused], found: dict[Key, float], options: Options) -> list[Fused]:
    """The answers with what the closer look adds to those that it was taken at."""
    return [_added(one, options.closer * found[one.key]) if one.key in found else one for one in fused]


def _added(one: Fused, part: float) -> Fused:
    return msgspec.structs.replace(one, relevance=one.relevance + part, parts={**one.parts, "closer": part})
