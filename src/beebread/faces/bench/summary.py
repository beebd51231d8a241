"""Many answers as one row of a table: means, an interval for the main one, the quantiles of time, and what telling apart is worth."""

from __future__ import annotations

import random
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from msgspec import Struct

from beebread.faces.bench.measures import Asked, Measure

WHOLE = "all"
RESAMPLED, SEED = 1000, 1


class Row(Struct, frozen=True, kw_only=True):
    """One system on one kind of question of one set.

    The row `all` leaves out the questions that should not be answered; those of them that have gold (questions that mislead on purpose)
    stand apart, in the row of their type. The measures are the means of `Measure`'s over the questions that have them. r10_low and
    r10_high bound the mean of r10 in 95 of 100 resamplings of the questions (bootstrap, seeded). auroc: how often a question with an
    answer gets a higher top score than one that should not be answered, ties counting half; 0.5 is chance. abstained: the share of those
    that got nothing back. ms: with the vector of the question, search_ms without.
    """

    dataset: str
    system: str
    type: str
    questions: int
    graded: int
    r5: float | None
    r10: float | None
    r10_low: float | None
    r10_high: float | None
    r20: float | None
    ndcg10: float | None
    mrr: float | None
    session_hit5: float | None
    session_r10: float | None
    in512: float | None
    in1024: float | None
    in2048: float | None
    first: float | None
    ahead: float | None
    auroc: float | None
    abstained: float | None
    leaks: int
    failed: int
    p50_ms: float
    p95_ms: float
    search_p50_ms: float
    search_p95_ms: float


MEANS = ("r5", "r10", "r20", "ndcg10", "mrr", "session_hit5", "session_r10", "in512", "in1024", "in2048", "first", "ahead")


def rows(found: Sequence[Asked]) -> list[Row]:
    """A row for the whole of one set and system, and, where there are several, one for each type of question."""
    types = sorted({one.type for one in found})
    lines = [_row(WHOLE, found, [one for one in found if not one.abstain])]
    if len(types) > 1:
        lines += [_row(name, group, group) for name in types if (group := [one for one in found if one.type == name])]
    return lines


def _row(name: str, group: Sequence[Asked], graded: Sequence[Asked]) -> Row:
    measures = [one.measure for one in graded]
    apart = [one.measure for one in group if one.abstain]
    whole = name == WHOLE
    low, high = interval([one.r10 for one in measures if one.r10 is not None]) if whole else (None, None)
    took = sorted(one.measure.ms for one in group)
    searched = sorted(one.measure.ms - one.measure.embed_ms for one in group)
    return Row(
        dataset=group[0].dataset, system=group[0].system, type=name, questions=len(group),
        graded=sum(one.r10 is not None for one in measures), r10_low=low, r10_high=high,
        auroc=auroc([one.top for one in measures], [one.top for one in apart]) if whole else None,
        abstained=mean(one.empty for one in apart), leaks=sum(one.measure.leaks for one in group),
        failed=sum(bool(one.failed) for one in group), p50_ms=quantile(took, 0.5), p95_ms=quantile(took, 0.95),
        search_p50_ms=quantile(searched, 0.5), search_p95_ms=quantile(searched, 0.95), **_means(measures),
    )  # fmt: skip


def _means(measures: Sequence[Measure]) -> dict[str, float | None]:
    return {name: mean(getattr(one, name) for one in measures) for name in MEANS}


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of those that are there."""
    known = [value for value in values if value is not None]
    return round(statistics.fmean(known), 4) if known else None


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which `share` of the ordered values lie."""
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2)


def interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Between which values the mean of 95 of 100 resamplings lies; the same each time, since the seed is fixed."""
    if not values:
        return None, None
    rnd = random.Random(SEED)
    means = sorted(statistics.fmean(rnd.choices(values, k=len(values))) for _ in range(RESAMPLED))
    return round(means[round(0.025 * RESAMPLED)], 4), round(means[round(0.975 * RESAMPLED) - 1], 4)


def auroc(answerable: Sequence[float], unanswerable: Sequence[float]) -> float | None:
    """The chance that one of the former is the greater of a pair, ties counting half; None where either is empty."""
    if not answerable or not unanswerable:
        return None
    below = sorted(unanswerable)
    wins = sum(bisect_left(below, score) + bisect_right(below, score) for score in answerable) / 2
    return round(wins / len(answerable) / len(below), 4)
