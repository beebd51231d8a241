"""Which of several like things is meant: the newest where it is the present that counts, the first, the latest, the one before."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec
from msgspec import Struct

from beebread.model import Memory, Record, sort_key
from beebread.retrieval.fuse import Fused
from beebread.retrieval.options import Options
from beebread.retrieval.plan import Plan

PAUSE = timedelta(minutes=15)  # things of one session that are further apart are two occasions


class Ranked(Struct, frozen=True, kw_only=True):
    """One answer with its final score: its relevance times the `factors`. `same` are the ids of records that say the same."""

    fused: Fused
    score: float
    factors: dict[str, float]
    same: tuple[str, ...] = ()


class Occasion(Struct):
    """Like things that belong together in time."""

    session: str
    first: datetime
    last: datetime

    def holds(self, session: str, at: datetime) -> bool:
        """Whether what happened there and then is part of it."""
        return session == self.session and self.first - PAUSE <= at <= self.last + PAUSE


def began(record: Record) -> datetime:
    """When a memory began to hold, which may be long before it was written; of anything else when it happened."""
    return record.valid_from or record.at if isinstance(record, Memory) else record.at


def _place(one: Ranked) -> tuple[datetime, tuple[int, int, str, str]]:
    return began(one.fused.record), sort_key(one.fused.record)


def by_time(scored: Sequence[Ranked], plan: Plan, options: Options) -> list[Ranked]:
    """The same answers with those raised or lowered that the order of time picks among the ones about as good as the best.

    The newest of like things loses nothing, the oldest a share: a large one where the question is for the present or for what held at a
    moment. Where it is for the first, the latest or the one before, that one is raised.
    """
    best = max((one.score for one in scored), default=0.0)
    least = best * (options.occasion_like if plan.order is not None and plan.order.occasion else options.like)
    like = sorted((one for one in scored if one.score >= least), key=_place)
    if plan.order is not None:
        return _picked(scored, like, plan, options)
    share = options.current if "current" in plan.cues or plan.as_of is not None else 0.0 if "past" in plan.cues else options.newer
    if len(like) < 2 or share == 0.0 or plan.windows or not plan.terms:
        return list(scored)
    newer = {id(one): place / (len(like) - 1) for place, one in enumerate(like)}
    return [_times(one, "newer", 1.0 - share * (1.0 - newer.get(id(one), 0.0))) for one in scored]


def _picked(scored: Sequence[Ranked], like: Sequence[Ranked], plan: Plan, options: Options) -> list[Ranked]:
    """With the occasion raised that is asked for; versions and drafts are each one for themselves."""
    assert plan.order is not None
    found = occasions(like, PAUSE if plan.order.occasion else timedelta(0))
    if not -len(found) <= plan.order.index < len(found):
        return list(scored)
    meant = found[plan.order.index]
    added = options.occasion if plan.order.occasion else options.picked
    return [
        _times(one, "order", 1.0 + added) if meant.holds(one.fused.record.scope.session, began(one.fused.record)) else one for one in scored
    ]


def occasions(like: Sequence[Ranked], pause: timedelta) -> list[Occasion]:
    """The occasions of answers that stand in the order of time: those of one session with no longer pause between them are one."""
    found: list[Occasion] = []
    for one in like:
        session, at = one.fused.record.scope.session, began(one.fused.record)
        open_one = next((other for other in reversed(found) if other.session == session), None)
        if open_one is not None and at - open_one.last <= pause:
            open_one.last = at
        else:
            found.append(Occasion(session, at, at))
    return found


def _times(one: Ranked, name: str, factor: float) -> Ranked:
    factor = round(factor, 4)
    if factor == 1.0:
        return one
    return msgspec.structs.replace(one, score=one.score * factor, factors={**one.factors, name: factor})
