"""Finds what the same tool gave for the same arguments before, so that an agent need not call it again (mission R11)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from beebread import policy
from beebread.model import CURRENT, Event, Item, Rank, Record, Where, canonical, owner
from beebread.ports import Store
from beebread.retrieval.rank import age, shown
from beebread.retrieval.searches import Key

_ANSWERS = ("CAUSED_BY",)


async def earlier(store: Store, calls: Sequence[Record], where: Where, limit: int) -> list[Item]:
    """The results of `calls` (and of results among them that repeat their call's arguments), newest first.

    Each says how old it is, how it ended, and whether a later result of the same call says otherwise: then its status is 'contradicted'
    and the newer one is what holds. A call without a kept result is given only when no result is.
    """
    results: dict[Key, Event] = {}
    begun = {(owner(call.scope), call.id): call for call in calls if isinstance(call, Event)}
    for key, record in list(begun.items()):
        if record.kind == "tool_result":
            results[key] = begun.pop(key)
    answered = await _answers(store, list(begun.values()), where)
    results.update(answered)
    found = sorted(results.values(), key=_newest)
    if not found:
        return [_item(call, 1.0 / at, (age(call.at, where.now), "called, and no result is kept"), where) for at, call in
                enumerate(sorted(begun.values(), key=_newest)[:limit], 1)]  # fmt: skip
    return [_result(one, found[:at], 1.0 / (at + 1), where) for at, one in enumerate(found[:limit])]


def _newest(event: Event) -> tuple[float, int, str]:
    return (-event.at.timestamp(), -event.seq, event.id)


async def _answers(store: Store, calls: Sequence[Event], where: Where) -> dict[Key, Event]:
    """The tool results that these calls caused."""
    if not calls:
        return {}
    whole = msgspec.structs.replace(where, kinds=("tool_result",), types=("event",), tags=())
    links = await store.walk([call.id for call in calls], "down", 1, whole, _ANSWERS)
    homes = {(owner(call.scope), call.id) for call in calls}
    wanted = {(link.owner, link.source) for link in links if (link.owner, link.target) in homes}
    records = await store.get(list(dict.fromkeys(name for _, name in wanted)), whole)
    return {key: record for record in records if isinstance(record, Event) and (key := (owner(record.scope), record.id)) in wanted}


def _result(one: Event, later: Sequence[Event], score: float, where: Where) -> Item:
    """`later` are the results of the same call that came after this one."""
    said = ["the same tool and arguments", age(one.at, where.now), f"status {one.status}"]
    against = [other for other in later if other.status == "error" or not _agree(one, other)]
    for other in against[:3]:
        what = "failed" if other.status == "error" and one.status != "error" else "says otherwise"
        said.append(f"a later result {what}: {other.id} ({age(other.at, where.now)})")
    if not later:
        said.append("the latest")
    elif not against:
        said.append("later results agree")
    return _item(one, score, tuple(said), where, "contradicted" if against else "")


def _agree(left: Event, right: Event) -> bool:
    return left.status == right.status and canonical([left.text.strip(), left.parts]) == canonical([right.text.strip(), right.parts])


def _item(one: Event, score: float, reasons: tuple[str, ...], where: Where, status: str = "") -> Item:
    return Item(
        id=one.id, kind=one.kind, text=shown(one), score=round(score, 6), at=one.at, record=one, reasons=reasons, sources=(one.id,),
        channels={"exact": Rank(round(1 / score), score)}, status=status or policy.status_of(one, where),
    )  # fmt: skip


def calls_only(where: Where) -> Where:
    """The filter under which calls are looked up: who asks, when and where stay; what kind of record is wanted does not."""
    return msgspec.structs.replace(where, kinds=("tool_call", "tool_result"), types=("event",), tags=(), order="time",
                                   status=tuple(dict.fromkeys((*CURRENT, *where.status))))  # fmt: skip
