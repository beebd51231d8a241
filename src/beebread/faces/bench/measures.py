"""What one answer is worth: an answer held against the messages that hold the evidence."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from beebread.faces.bench.datasets import Question
from beebread.text import estimate_tokens

DEPTH = 100
"""Items asked of every system."""
TIMED = 10
"""Items for which the times are taken: as many as people ask for."""
BUDGETS = (512, 1024, 2048)


class Shown(Struct, frozen=True):
    """One item of an answer: the ids of the messages that it stands for, and the text that a model would read."""

    ids: tuple[str, ...]
    text: str


class Answer(Struct, frozen=True):
    """What came back, best first; `top` is the score of the best item (0 for none).

    `ms` is the time of the whole query, of which `embed_ms` went into the vector of the question. `failed` are the channels that did not
    answer.
    """

    items: tuple[Shown, ...]
    top: float
    ms: float
    embed_ms: float = 0.0
    failed: tuple[str, ...] = ()


class Measure(Struct, frozen=True):
    """What an answer was worth; None is a measure that its question does not have. Shares are between 0 and 1.

    An item stands for every message that it rests on, and counts once. r5, r10, r20: the share of the gold messages among the first so
    many items. ndcg10: discounted gain of the first 10 items, each worth 1 when it brings a gold message that none above it brought,
    over that of the best order. mrr: 1 / the rank of the first gold item. session_hit5: whether one of the first 5 sessions is a gold
    one, session_r10: the share of the gold sessions among the first 10; sessions are ranked by their best item. in512, in1024, in2048:
    the share of the gold messages in what fits into so many tokens, taken from the top until an item does not fit. first: whether the
    first item is gold. ahead: whether a gold item stands above every outdated one; a gold one that is not there does not. leaks: items
    that belong to somebody else. empty: whether nothing came back. top, ms, embed_ms: of the `Answer`.
    """

    r5: float | None = None
    r10: float | None = None
    r20: float | None = None
    ndcg10: float | None = None
    mrr: float | None = None
    session_hit5: float | None = None
    session_r10: float | None = None
    in512: float | None = None
    in1024: float | None = None
    in2048: float | None = None
    first: float | None = None
    ahead: float | None = None
    leaks: int = 0
    empty: float = 0.0
    top: float = 0.0
    ms: float = 0.0
    embed_ms: float = 0.0


class Asked(Struct, frozen=True, kw_only=True):
    """One question put to one system: the ranks (from 1) of gold and outdated items, the ids of the first 20 items, and the measure."""

    dataset: str
    system: str
    case: str
    lang: str
    question: str
    type: str
    abstain: bool
    gold: tuple[int, ...]
    outdated: tuple[int, ...]
    items: tuple[str, ...]
    failed: tuple[str, ...] = ()
    measure: Measure


def ranks(items: Sequence[Shown], wanted: frozenset[str]) -> tuple[int, ...]:
    """The ranks, from 1, of the items that stand for a wanted message."""
    return tuple(at for at, item in enumerate(items, 1) if not wanted.isdisjoint(item.ids))


def judge(question: Question, answer: Answer, sessions: Mapping[str, str]) -> Measure:
    """The measure of an answer; `sessions` tells in which session each message was said."""
    items, gold, outdated = answer.items[:DEPTH], ids(question.gold), ids(question.outdated)
    leaks = sum(any(name.startswith(question.forbidden) for name in item.ids) for item in items) if question.forbidden else 0
    found = Measure(leaks=leaks, empty=float(not items), top=answer.top, ms=answer.ms, embed_ms=answer.embed_ms)
    if not gold:
        return found
    right, wrong = ranks(items, gold), ranks(items, outdated)
    gained = _gained(items, gold)
    ideal = sum(1 / math.log2(at + 1) for at in range(1, min(10, len(gold)) + 1))
    fits = _fitting(items)
    places = _places(items, sessions)
    homes = frozenset(question.gold_sessions) or frozenset(sessions[name] for name in gold)
    return msgspec.structs.replace(
        found, r5=sum(gained[:5]) / len(gold), r10=sum(gained[:10]) / len(gold), r20=sum(gained[:20]) / len(gold),
        ndcg10=sum(bool(new) / math.log2(at + 1) for at, new in enumerate(gained[:10], 1)) / ideal,
        mrr=1 / right[0] if right else 0.0,
        session_hit5=float(not homes.isdisjoint(places[:5])), session_r10=len(homes & set(places[:10])) / len(homes),
        in512=sum(gained[: fits[0]]) / len(gold), in1024=sum(gained[: fits[1]]) / len(gold), in2048=sum(gained[: fits[2]]) / len(gold),
        first=float(right[:1] == (1,)),
        ahead=float(bool(right) and (not wrong or right[0] < wrong[0])) if outdated else None,
    )  # fmt: skip


def ids(messages: Sequence[str | int]) -> frozenset[str]:
    """Ids as systems give them back."""
    return frozenset(map(str, messages))


def _gained(items: Sequence[Shown], gold: frozenset[str]) -> list[int]:
    """How many gold messages each item brings that none above it brought."""
    seen: set[str] = set()
    gained: list[int] = []
    for item in items:
        new = gold.intersection(item.ids) - seen
        seen |= new
        gained.append(len(new))
    return gained


def _fitting(items: Sequence[Shown]) -> list[int]:
    """How many items from the top fit into each budget."""
    fits = [0] * len(BUDGETS)
    used = 0
    for at, item in enumerate(items, 1):
        used += estimate_tokens(item.text)
        if used > BUDGETS[-1]:
            break
        for which, budget in enumerate(BUDGETS):
            if used <= budget:
                fits[which] = at
    return fits


def _places(items: Sequence[Shown], sessions: Mapping[str, str]) -> list[str]:
    """The sessions that the items come from, by their best item."""
    return list(dict.fromkeys(sessions[name] for item in items for name in item.ids if name in sessions))
