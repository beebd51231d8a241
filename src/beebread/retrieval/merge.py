"""Joins the answers to the questions of one turn with those to the turn as a whole, so that each question has its share."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from beebread.retrieval.channels import Outcome
from beebread.retrieval.found import Found
from beebread.retrieval.order import Ranked
from beebread.retrieval.searches import Key


def merged(whole: Found, parts: Sequence[Found], share: float) -> Found:
    """`whole` with the answers of all searches, each measured against the best of its own.

    A record has the best that it got anywhere, of a question by itself `share` of it.
    """
    top = max((found.ranked[0].score for found in (whole, *parts) if found.ranked), default=0.0)
    best: dict[Key, Ranked] = {}
    for found, counts in ((whole, 1.0), *((part, share) for part in parts)):
        for one in found.ranked:
            score = one.score * counts * top / found.ranked[0].score if found.ranked[0].score > 0 else 0.0
            if one.fused.key not in best or score > best[one.fused.key].score:
                best[one.fused.key] = msgspec.structs.replace(one, score=score)
    folded = {(key[0], name) for key, one in best.items() for name in one.same}
    ranked = sorted(
        (one for key, one in best.items() if key not in folded),
        key=lambda one: (-one.score, -one.fused.record.at.timestamp(), one.fused.key),
    )
    fused = {one.key: one for found in (*parts, whole) for one in found.fused}
    return msgspec.structs.replace(
        whole, ranked=ranked, fused=sorted(fused.values(), key=lambda one: -one.relevance), outcome=_outcome(whole, parts),
        timings={**whole.timings, "questions": round(sum(sum(found.timings.values()) for found in parts), 3)},
    )  # fmt: skip


def _outcome(whole: Found, parts: Sequence[Found]) -> Outcome:
    failed = {name: why for found in (*parts, whole) for name, why in found.outcome.failed.items()}
    return Outcome(whole.outcome.hits, failed, whole.outcome.timings)
