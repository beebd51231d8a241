"""Which recalled records a turn could be told, best first, nothing twice."""

from __future__ import annotations

from collections.abc import Iterator

from beebread.context.layers import Layers, layer_of
from beebread.context.request import Request
from beebread.context.steps import Tail
from beebread.context.told import Entry, as_item, is_pinned, is_session, item_entry
from beebread.context.window import Window
from beebread.context.wording import Words
from beebread.model import Dropped, Event, Item, Memory
from beebread.text import fold

_MOST_ASIDE = 10
# The value of a record falls with its place; a small number lets a very near record of a lesser layer pass a far one of a greater.
_EVEN = 3


def _ranked(request: Request, plan: Layers, tail: Tail, window: Window) -> Iterator[tuple[float, Item]]:
    """Every record that could be told and its value: recalled ones, what led to them, and what the session has beside its words."""

    def value(item: Item, place: float) -> float:
        return plan.weights.get(layer_of(item.record), 0.0) / (_EVEN + place)

    for place, item in enumerate(request.items):
        yield value(item, place), item
        for step, record in enumerate(item.chain, 1):
            linked = as_item(record)
            yield value(linked, place + 2 * step), linked
    hidden = {drop.id for drop in window.dropped if drop.reason in {"masked", "cut"}} if plan.turn == "tools" else set[str]()
    again = [event for event in reversed(request.tail) if event.id in hidden]
    behind = list(reversed(tail.aside)) if plan.turn in {"tools", "background"} else []
    for events in (again, behind):
        for place, event in enumerate(events[:_MOST_ASIDE], 1):
            item = as_item(event)
            yield value(item, place), item


def _unwanted(item: Item, request: Request, tail: Tail, window: Window) -> str:
    """Why a record is not told at all, or ''."""
    if is_session(item):
        return "empty"
    if item.kind == "memory_injected" or (isinstance(item.record, Event) and item.record.origin == "memory"):
        return "injected"
    # What was given and still stands in the messages, or was given in a way that the tail does not tell of.
    if not request.again and (item.id in window.told or (item.id in request.given and item.id not in tail.told)):
        return "given"
    repeated = isinstance(item.record, Memory) and bool(item.sources) and window.whole.issuperset(item.sources)
    return "duplicate" if item.id in window.whole or repeated else ""


def item_entries(request: Request, plan: Layers, tail: Tail, window: Window, language: Words) -> tuple[list[Entry], list[Dropped]]:
    """The records to tell, best first, and those that will not be told and why."""
    ranked = sorted(_ranked(request, plan, tail, window), key=lambda pair: -pair[0])
    demoted = [(1.0, as_item(memory)) for memory in request.instructions if not is_pinned(memory)]
    entries: list[Entry] = []
    dropped: list[Dropped] = []
    seen = {memory.id for memory in request.instructions if is_pinned(memory)}
    texts = {fold(request.text).strip(), *(fold(memory.text).strip() for memory in request.instructions if is_pinned(memory))}
    for worth, item in (*ranked, *demoted):
        if item.id in seen:
            continue
        seen.add(item.id)
        reason = _unwanted(item, request, tail, window) or ("" if worth > 0 else "layer")
        entry = item_entry(item, request.now, language)
        same = fold(entry.body).strip()
        if not reason and (not same or same in texts):
            reason = "duplicate" if same else "empty"
        if not reason and len(entries) >= plan.most:
            reason = "layer"
        if reason:
            dropped.append(Dropped(item.id, reason, handle=item.id))
            continue
        texts.add(same)
        entries.append(entry)
    dropped.extend(Dropped(event.id, "layer", handle=event.id) for event in tail.aside if event.id not in seen)
    return entries, dropped
