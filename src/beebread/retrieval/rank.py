"""Orders what is relevant by what else speaks for it, folds what says the same, and puts every contribution into words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property
from math import log1p

import msgspec

from beebread import policy
from beebread.model import Event, Item, Memory, Record, Where, owner, search_text, signature, sort_key
from beebread.retrieval.fuse import Fused, terms_of
from beebread.retrieval.options import KINDS, Options
from beebread.retrieval.order import Ranked, by_time
from beebread.retrieval.plan import Plan
from beebread.retrieval.times import Window
from beebread.text import fold
from beebread.text.cues import particulars

_DAY = timedelta(days=1)
_LEAST_RESULT = 40
_LONG_ANSWER = 500  # characters from which a model's answer is long; one of twice as many is fully so
_LONGEST_NEAR = 600
_FOLDED = 30
_RANKED = 100
_SHOWN_TERMS = 6


def rank(fused: Sequence[Fused], plan: Plan, where: Where, options: Options) -> list[Ranked]:
    """Best first: relevance, lowered by age, doubt and kind, raised by importance and use. Age lowers and never removes.

    Age counts from the newest of what was found, so that in an old archive the newer of two facts still comes first.
    """
    if not fused:
        return []
    newest = min(where.now, max(one.record.at for one in fused))
    then = msgspec.structs.replace(where, as_of=where.as_of or plan.as_of)
    # What is far behind in relevance stays there: no factor lifts it by so much.
    close = fused[: max(_RANKED, plan.pool)] if plan.terms else fused
    scored = by_time([_scored(one, newest, plan, then, options) for one in close], plan, options)
    scored.sort(key=lambda one: (-one.score, -one.fused.record.at.timestamp(), one.fused.key))
    return folded(scored, plan, options)


def _scored(one: Fused, newest: datetime, plan: Plan, where: Where, options: Options) -> Ranked:
    record = one.record
    share = 0.0 if "past" in plan.cues else options.recency
    age = max(0.0, (newest - record.at) / _DAY)
    factors = {"age": 1.0 - share * (1.0 - 0.5 ** (age / options.half_life_days)), "kind": KINDS.get(record.kind, 1.0)}
    if record.kind == "assistant_message":
        # How a thing came out is what an agent says in the end. Else the longer it speaks, the more words of any question it has.
        long = min(1.0, max(0.0, len(shown(record)) / _LONG_ANSWER - 1.0))
        factors["kind"] = 1.0 if "chain" in plan.cues else factors["kind"] - options.verbose * long
    if isinstance(record, Memory):
        factors["importance"] = 1.0 + options.importance * (record.importance - 0.5)
        factors["confidence"] = 1.0 - options.confidence * (1.0 - record.confidence)
        factors["use"] = 1.0 + options.use * log1p(record.uses)
    if plan.terms and record.at - where.now > _DAY:
        factors["ahead"] = options.ahead  # of the moment that is asked from
    if windows := _windows(plan, record):
        share = options.outside if plan.as_of is None else options.since
        began = record.valid_from or record.at if isinstance(record, Memory) and plan.as_of is not None else record.at
        factors["when"] = 1.0 - min(share * one.certainty * one.outside(began, _DAY / 24) for one in windows)
    status = policy.status_of(record, where)
    if status in ("superseded", "expired"):
        factors[status] = 0.5
    factors = {name: rounded for name, factor in factors.items() if (rounded := round(factor, 4)) != 1.0}
    score = one.relevance
    for factor in factors.values():
        score *= factor
    return Ranked(fused=one, score=score, factors=factors)


def _windows(plan: Plan, record: Record) -> tuple[Window, ...]:
    """The spans that an answer lies in; what held at a moment began before it."""
    if plan.as_of is not None:
        return (Window(before=plan.as_of),) if isinstance(record, (Event, Memory)) else ()
    return plan.windows


def folded(ranked: Sequence[Ranked], plan: Plan, options: Options) -> list[Ranked]:
    """Each thing once: what says the same as a better one goes into that one's `same`. Other numbers or negations are another thing.

    Only among the best: to compare takes longer than all else that is done here.
    """
    best = min(_FOLDED, 2 * plan.limit)
    kept: list[Ranked] = []
    alike: dict[object, list[tuple[int, _Shape]]] = {}
    for one in ranked[:best]:
        shape = _Shape(one.fused.record)
        others = alike.setdefault(shape.mark, [])
        twin = next((place for place, other in others if shape.says(other, options.alike)), None)
        if twin is None:
            others.append((len(kept), shape))
            kept.append(one)
        else:
            kept[twin] = msgspec.structs.replace(kept[twin], same=(*kept[twin].same, one.fused.record.id))
    return [*kept, *ranked[best:]]


class _Shape:
    """What of a record is compared with another's to see whether they say the same."""

    def __init__(self, record: Record) -> None:
        text = search_text(record)
        # Long texts that differ at all differ in something; comparing them closely would cost more than it finds.
        self.text = " ".join(fold(text).split()) if len(text) <= _LONGEST_NEAR else text.strip()
        about = signature(record) if isinstance(record, Event) else record.key if isinstance(record, Memory) else record.id
        # Some things stand for themselves: two results that both say 'ok' are two.
        alone = not self.text or (record.kind == "tool_result" and len(self.text) < _LEAST_RESULT)
        self.mark = (owner(record.scope), record.kind, record.id if alone else about)

    @cached_property
    def pairs(self) -> frozenset[int]:
        """Every two letters that stand side by side, as one number."""
        letters = memoryview(self.text.encode("utf-32-le", errors="surrogatepass"))
        whole = len(letters) & -8
        after = letters[4:]
        return frozenset((*letters[:whole].cast("Q"), *after[: len(after) & -8].cast("Q")))

    @cached_property
    def particulars(self) -> tuple[tuple[str, ...], int]:
        return particulars(self.text)

    def says(self, other: _Shape, alike: float) -> bool:
        """Whether both, of one mark, say the same, in the same words or nearly."""
        if self.text == other.text:
            return True
        mine, others = len(self.text), len(other.text)
        if mine > _LONGEST_NEAR or others > _LONGEST_NEAR or mine < alike * others or others < alike * mine:
            return False
        if self.particulars != other.particulars:
            return False
        common = len(self.pairs & other.pairs)
        return common >= alike * (len(self.pairs) + len(other.pairs) - common) > 0


def item(one: Ranked, plan: Plan, where: Where, chain: tuple[Record, ...] = ()) -> Item:
    """The answer as a caller sees it."""
    record = one.fused.record
    return Item(
        id=record.id, kind=record.kind, text=shown(record), score=round(one.score, 6), at=record.at, record=record,
        reasons=reasons(one, plan, where), sources=sources(record, one.same), channels=one.fused.channels,
        status=policy.status_of(record, where), chain=chain,
    )  # fmt: skip


def shown(record: Record) -> str:
    """The text of a record; of a call without text, its tool and arguments."""
    return getattr(record, "text", "") or search_text(record) or getattr(record, "title", "")


def sources(record: Record, same: Sequence[str] = ()) -> tuple[str, ...]:
    """The ids of the events that an answer rests on; an event's own first, then those that say the same."""
    own = record.evidence.sources if isinstance(record, Memory) else (record.id,)
    return tuple(dict.fromkeys((*own, *same) if isinstance(record, Event) else own))


def reasons(one: Ranked, plan: Plan, where: Where) -> tuple[str, ...]:
    """Every contribution to the score, in words."""
    record, held = one.fused.record, terms_of(one.fused.record)
    words = [term for term in plan.terms if term in held]
    names = [term.lstrip("=@") for term in plan.exact if term in held]
    about = {
        "keyword": ", ".join(words[:_SHOWN_TERMS]), "exact": ", ".join(names[:_SHOWN_TERMS]),
        "graph": "next to better hits",
        "session": "its session is about it too",
    }  # fmt: skip
    said = [f"{name} {part:.2f}" + (f" ({about[name]})" if about.get(name) else "") for name, part in one.fused.parts.items()]
    for name, factor in one.factors.items():
        details = {"age": age(record.at, where.now), "kind": record.kind, "when": _named(plan)}
        detail = details.get(name, plan.order.words if name == "order" and plan.order else "")
        said.append(f"{name} ×{factor:.2f}" + (f" ({detail})" if detail else ""))
    if one.same:
        said.append(f"said {len(one.same) + 1} times")
    return tuple(said)


def _named(plan: Plan) -> str:
    return f"as of {plan.as_of:%Y-%m-%d}" if plan.as_of is not None else ", ".join(window.words for window in plan.windows)


def age(at: datetime, now: datetime) -> str:
    """How long before `now` something was, in the largest unit that fits."""
    seconds = max(0, int((now - at).total_seconds()))
    for unit, size in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count > 1 else ''} old"
    return "just now"


def in_time(items: Sequence[Item]) -> list[Item]:
    """The items in the order in which they happened."""
    return sorted(items, key=lambda one: sort_key(one.record))
