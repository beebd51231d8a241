"""Brings the channels' scores to one measure and adds them up, with what each contributed kept to be shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from beebread.model import Hit, Rank, Record, exact_keys, search_text
from beebread.retrieval.channels import Key
from beebread.retrieval.options import Options
from beebread.retrieval.plan import Plan
from beebread.text import document

_JUDGED = 6
_HEAD = 1_500
_ENOUGH = 8
_AROUND = ("graph", "recent", "time")


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


def ideal(hits: Sequence[tuple[float, frozenset[str]]], terms: Sequence[str]) -> float:
    """What a record that holds all of the query's `terms` (or the eight of a long one that any good answer would) should score.

    Engines tell a record's score and not the weights of the terms, so the whole is inferred from the parts: each of the best hits has
    its score for the share of the terms that it holds. Scores measured against this, and not against the best hit, stay low when
    nothing fits the question well.
    """
    enough = min(len(terms), _ENOUGH)
    wholes = [score * enough / min(enough, count) for score, held in hits if (count := sum(term in held for term in terms))]
    return max(max((score for score, _ in hits), default=0.0), sum(wholes) / len(wholes) if wholes else 0.0)


def fuse(hits: Mapping[str, Sequence[Hit]], records: Mapping[Key, Record], plan: Plan, options: Options) -> list[Fused]:
    """The union of all channels, most relevant first, ties newest first, then by id; only of `records`, which the store let through."""
    scores = {channel: _measured(channel, found, records, plan) for channel, found in hits.items() if channel not in _AROUND}
    strength = max((score for found in scores.values() for score in found.values()), default=0.0)
    # What is near or recent is worth no more than what was found by itself; alone, a listing keeps its own order.
    for channel in _AROUND:
        if channel in hits:
            scores[channel] = {(hit.owner, hit.id): hit.score * (strength or 1.0) for hit in hits[channel]}
    ranks = {channel: {(hit.owner, hit.id): Rank(at, hit.score) for at, hit in enumerate(found, 1)} for channel, found in hits.items()}
    gates = {channel: min(1.0, max(found.values(), default=0.0) / options.weak) for channel, found in scores.items()}
    counted = {
        key: {
            channel: plan.channels.get(channel, 0.0) * gates[channel] * found[key]
            for channel, found in scores.items()
            if found.get(key, 0.0) * plan.channels.get(channel, 0.0) > 0
        }
        for key in records
    }
    company = _company(counted, records)
    fused: list[Fused] = []
    for key, record in records.items():
        parts = counted[key]
        if company.get(key):
            parts["session"] = options.session * company[key]
        witnesses = sum(1 for channel in parts if channel not in (*_AROUND, "session"))
        if witnesses > 1:
            parts["agreement"] = options.agreement * (witnesses - 1) * strength
        fused.append(
            Fused(
                key=key, record=record, relevance=sum(parts.values()), parts=parts,
                channels={channel: found[key] for channel, found in ranks.items() if key in found},
            )
        )  # fmt: skip
    return sorted(fused, key=lambda one: (-one.relevance, -one.record.at.timestamp(), one.key))


def _company(counted: Mapping[Key, Mapping[str, float]], records: Mapping[Key, Record]) -> dict[Key, float]:
    """How much the rest of a record's session is about the question: the mean of the three best others, found by words or names."""
    sessions: dict[Key, list[tuple[float, Key]]] = {}
    for key, parts in counted.items():
        if records[key].scope.session:
            found = max((part for channel, part in parts.items() if channel not in _AROUND), default=0.0)
            sessions.setdefault((key[0], records[key].scope.session), []).append((found, key))
    company: dict[Key, float] = {}
    for members in sessions.values():
        best = sorted(members, reverse=True)[:4]
        for _, key in members:
            company[key] = sum([found for found, other in best if other != key][:3]) / 3
    return company


def _measured(channel: str, hits: Sequence[Hit], records: Mapping[Key, Record], plan: Plan) -> dict[Key, float]:
    """Each hit's score as a share of the most that this query could have had."""
    if channel == "keyword":
        judged = [(hit.score, terms_of(record)) for hit in hits[:_JUDGED] if (record := records.get((hit.owner, hit.id))) is not None]
        most = ideal(judged, plan.terms)
    elif channel == "exact":
        # Codes are meant when they are written; possible names far outnumber real ones, so what the best hit has is the measure of those.
        codes = sum(term.startswith("=") for term in plan.exact)
        most = min(3.0, max(codes, max((hit.score for hit in hits), default=0.0)))
    else:
        most = 1.0
    return {(hit.owner, hit.id): min(1.0, hit.score / most) for hit in hits if hit.score > 0} if most > 0 else {}


def threshold(fused: Sequence[Fused], options: Options) -> float:
    """The relevance below which a record is no answer: an absolute floor, and a share of the best one's."""
    return max(options.floor, options.relative * max((one.relevance for one in fused), default=0.0))
