"""Which tool result answers which tool call, in a session where call ids may be missing, repeated or out of order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from beebread.model import Event, Tool


class Paired(Struct, frozen=True):
    """The result of each call (by the call's event id), and results that answer none, with the reason."""

    results: dict[str, Event]
    left: tuple[tuple[Event, str], ...]


class _Call(Struct):
    event: Event
    place: int
    turn: int


def _pick(calls: Iterable[_Call], place: int, turn: int) -> _Call | None:
    """The call that a result at `place` most likely answers: the first one waiting in its turn, else the nearest before, else after."""
    waiting = list(calls)
    before = [call for call in waiting if call.place < place]
    here = [call for call in before if call.turn == turn]
    if here:
        return here[0]
    return before[-1] if before else (waiting[0] if waiting else None)


def pair(events: Sequence[Event]) -> Paired:
    """Pairs by what the result says it came from, then by call id, then, where it has no call id, by the tool's name.

    Each call has one result: a later one stands in for an earlier partial one, else it is a duplicate.
    """
    calls: dict[str, _Call] = {}
    alike: dict[tuple[str, str], list[_Call]] = {}
    results: list[tuple[int, int, Event]] = []
    turn = 0
    for place, event in enumerate(events):
        tool = event.tool or Tool()
        if event.kind == "user_message":
            turn += 1
        elif event.kind == "tool_call":
            calls[event.id] = call = _Call(event, place, turn)
            alike.setdefault(("id", tool.call_id), []).append(call)
            alike.setdefault(("name", tool.name), []).append(call)
        elif event.kind == "tool_result":
            results.append((place, turn, event))
    answers: dict[str, Event] = {}
    left: list[tuple[Event, str]] = []
    for place, turn, result in results:
        tool = result.tool or Tool()
        named = next((name for name in (result.parent, *(cause.id for cause in result.causes)) if name in calls), "")
        same = [calls[named]] if named else alike.get(("id", tool.call_id) if tool.call_id else ("name", tool.name), [])
        call = _pick((call for call in same if call.event.id not in answers), place, turn)
        call = call or next((call for call in reversed(same) if answers[call.event.id].status == "partial"), None)
        if call is None:
            left.append((result, "duplicate" if same else "unpaired"))
            continue
        if earlier := answers.get(call.event.id):
            left.append((earlier, "duplicate"))
        answers[call.event.id] = result
    return Paired(answers, tuple(left))
