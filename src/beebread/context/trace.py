"""A run's causal graph laid out as an outline, for whoever draws it."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from beebread.model import Event, Trace, sort_key

# The cause that says most about where an event belongs comes first.
_NEAREST = ("parent", "requested_by", "delegated_by", "retry_of", "caused_by", "continues", "input_of", "data_from")
_HOLDS_ALL = frozenset({"agent_start", "handoff", "model_call"})
_UNDER_A_CALL = frozenset({"tool_result", "agent_start", "error"})


class Row(Struct, frozen=True):
    """One line of an outline: how far in, the event, and what is remarkable: error, partial, cancelled, retry, delegated, cut loose."""

    depth: int
    event: Event
    marks: tuple[str, ...] = ()


def _edges(trace: Trace) -> dict[str, list[tuple[str, str]]]:
    """For each event id, (relation, other end) of what it says and of what the links say, nearest relation first."""
    edges: dict[str, dict[tuple[str, str], None]] = {}
    for event in trace.events:
        if isinstance(event, Event):
            own = edges.setdefault(event.id, {})
            if event.parent:
                own["parent", event.parent] = None
            own.update({(cause.relation, cause.id): None for cause in event.causes})
    for link in trace.links:
        if link.family in {"CAUSED_BY", "DATA_FROM"}:
            edges.setdefault(link.source, {})[link.relation or "caused_by", link.target] = None
    order = {relation: place for place, relation in enumerate(_NEAREST)}
    return {name: sorted(own, key=lambda edge: order.get(edge[0], len(order))) for name, own in edges.items()}


def _holds(above: Event, event: Event) -> bool:
    """Whether `event` stands under `above` that led to it, and not beside it: so a long chain of causes does not walk off the page."""
    if above.kind == "user_message":
        return event.kind != "user_message"
    return above.kind in _HOLDS_ALL or (above.kind == "tool_call" and event.kind in _UNDER_A_CALL)


def _place(event: Event, edges: list[tuple[str, str]], places: dict[str, str], known: dict[str, Event]) -> str:
    """The id of the event that `event` stands under, '' at the margin."""
    near = next(((relation, target) for relation, target in edges if target in known and target != event.id), None)
    if near is None:
        return ""
    relation, above = near
    if relation == "parent":
        return above
    if relation == "retry_of":
        return places.get(above, "")
    passed: set[str] = set()
    while above and above not in passed and not _holds(known[above], event):
        passed.add(above)
        above = places.get(above, "")
    return "" if above in passed else above


def _marks(event: Event, edges: list[tuple[str, str]], known: dict[str, Event]) -> tuple[str, ...]:
    relations = {relation for relation, _ in edges}
    loose = bool(edges) and all(target not in known for _, target in edges)
    found = (
        ("error", event.status == "error" or event.kind == "error"),
        ("partial", event.status == "partial"),
        ("cancelled", event.status == "cancelled"),
        ("retry", "retry_of" in relations or bool(event.tool and event.tool.attempt > 1)),
        ("delegated", "delegated_by" in relations),
        ("cut loose", loose),
    )
    return tuple(mark for mark, holds in found if holds)


def _without_rings(places: dict[str, str], order: Iterable[str]) -> dict[str, list[str]]:
    """The children of each place in order. An event that would stand under itself, by whatever way, stands at the margin."""
    safe: set[str] = {""}
    children: dict[str, list[str]] = {}
    for name in order:
        way: list[str] = []
        at = name
        while at not in safe and at not in way:
            way.append(at)
            at = places[at]
        if at not in safe:
            places[at] = ""
        safe.update(way)
    for name, place in places.items():
        children.setdefault(place, []).append(name)
    return children


def outline(trace: Trace) -> list[Row]:
    """The events of `trace` as a tree by structure and cause, each place in order of time and the producer's number.

    An event stands under its parent, a result under its call, whatever a user's message led to under that message; what one step merely
    came after stands beside it. An event whose every cause is outside the trace is marked 'cut loose' and stands at the margin.
    """
    events = sorted((event for event in trace.events if isinstance(event, Event)), key=sort_key)
    known = {event.id: event for event in events}
    edges = _edges(trace)
    places: dict[str, str] = {}
    for event in known.values():
        places[event.id] = _place(event, edges.get(event.id, []), places, known)
    children = _without_rings(places, known)
    rows: list[Row] = []
    waiting = [(0, name) for name in reversed(children.get("", []))]
    while waiting:
        depth, name = waiting.pop()
        rows.append(Row(depth, known[name], _marks(known[name], edges.get(name, []), known)))
        waiting.extend((depth + 1, child) for child in reversed(children.get(name, [])))
    return rows
