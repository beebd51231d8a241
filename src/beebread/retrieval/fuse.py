"""Brings the channels' scores to one measure and adds them up, with what each contributed kept to be shown.

Scores are added and not ranks: ranks throw away how much better the best is, and with them a list that hardly fits the question counts as
much as one that does. A channel's scores are measured against what a good answer should have, so that a weak list stays weak by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nsmallest

from msgspec import Struct

from beebread.model import Hit, Rank, Record, exact_keys, search_text
from beebread.retrieval.options import Options
from beebread.retrieval.plan import Plan
from beebread.retrieval.searches import Key
from beebread.text import document

_HEAD = 800
_AROUND = ("graph", "recent", "time")  # what lies beside an answer; its own worth is told by the others
_EVIDENCE = 80  # records among which a session's evidence is looked for


class Fused(Struct, frozen=True, kw_only=True):
    """One record's relevance, the channels that found it, and what each of them added."""

    key: Key
    record: Record
    relevance: float
    channels: dict[str, Rank]
    parts: dict[str, float]


def terms_of(record: Record) -> frozenset[str]:
    """The terms that `record` is indexed under, of the first part of a long text."""
    return frozenset(document(search_text(record)[:_HEAD], exact_keys(record)).terms)


def weighed(hits: Mapping[str, Sequence[Hit]], plan: Plan) -> dict[Key, dict[str, float]]:
    """What each channel adds to the relevance of what any of them found."""
    scores = {channel: _measured(channel, found, plan) for channel, found in hits.items() if channel not in _AROUND}
    strength = max((score for found in scores.values() for score in found.values()), default=0.0)
    # What is near or recent is worth no more than what was found by itself; alone, a listing keeps its own order.
    for channel in _AROUND:
        if channel in hits:
            scores[channel] = {(hit.owner, hit.id): hit.score * (strength or 1.0) for hit in hits[channel]}
    parts: dict[Key, dict[str, float]] = {(hit.owner, hit.id): {} for found in hits.values() for hit in found}
    for channel, found in scores.items():
        weight = plan.channels.get(channel, 0.0)
        for key, score in found.items() if weight > 0 else ():
            if score > 0:
                parts[key][channel] = weight * score
    return parts


def leading(parts: Mapping[Key, Mapping[str, float]], count: int) -> list[Key]:
    """The `count` records to which the channels add most, the most first."""
    if len(parts) <= count:
        return list(parts)
    sums = {key: sum(own.values()) for key, own in parts.items()}
    return nsmallest(count, sums, key=lambda key: (-sums[key], key))


def fuse(
    parts: Mapping[Key, dict[str, float]], hits: Mapping[str, Sequence[Hit]], records: Mapping[Key, Record], options: Options
) -> list[Fused]:
    """`records`, which the store let through, most relevant first, ties newest first, then by id; `parts` as `weighed` gives them."""
    own = {key: parts[key] for key in records}
    channels: dict[Key, dict[str, Rank]] = {key: {} for key in records}
    for channel, some in hits.items():
        for at, hit in enumerate(some, 1):
            if (ranks := channels.get((hit.owner, hit.id))) is not None:
                ranks[channel] = Rank(at, hit.score)
    for key, evidence in _company(own, records).items():
        own[key]["session"] = options.session * evidence
    fused = [
        Fused(key=key, record=record, relevance=sum(own[key].values()), parts=own[key], channels=channels[key])
        for key, record in records.items()
    ]
    return sorted(fused, key=lambda one: (-one.relevance, -one.record.at.timestamp(), one.key))


def _company(parts: Mapping[Key, Mapping[str, float]], records: Mapping[Key, Record]) -> dict[Key, float]:
    """How much the rest of a record's session is about the question: the mean of what its three best others have above half of the best."""
    found = {key: sum(part for channel, part in own.items() if channel not in _AROUND) for key, own in parts.items()}
    best = sorted(found, key=lambda key: (-found[key], key))[:_EVIDENCE]
    half = found[best[0]] / 2 if best else 0.0
    sessions: dict[tuple[str, str], list[Key]] = {}
    for key in best:
        if found[key] > half and (session := records[key].scope.session):
            sessions.setdefault((key[0], session), []).append(key)
    company: dict[Key, float] = {}
    for key, record in records.items():
        members = sessions.get((key[0], record.scope.session), []) if found[key] > 0 else []
        others = [found[other] - half for other in members[:4] if other != key][:3]
        if others:
            company[key] = sum(others) / 3
    return company


def _measured(channel: str, hits: Sequence[Hit], plan: Plan) -> dict[Key, float]:
    """Each hit's score as a share of what a good answer to this question would have."""
    top = max((hit.score for hit in hits), default=0.0)
    if channel == "keyword":
        most = max(top, *(hit.ideal for hit in hits[:1])) if hits else 0.0
    elif channel == "exact":
        # Codes are meant when they are written; possible names far outnumber real ones, so what the best hit has is the measure of those.
        codes = sum(term.startswith("=") for term in plan.exact)
        most = min(3.0, max(codes, top))
    else:
        most = 1.0
    return {(hit.owner, hit.id): min(1.0, hit.score / most) for hit in hits if hit.score > 0} if most > 0 else {}


def threshold(fused: Sequence[Fused], options: Options) -> float:
    """The relevance below which a record is no answer: an absolute floor, and a share of the best one's."""
    return max(options.floor, options.relative * max((one.relevance for one in fused), default=0.0))
