"""The outline of a run: a tree by structure and cause, in order, with what is remarkable marked."""

from __future__ import annotations

import pytest

from beebread.context import outline
from beebread.model import Cause, Event, Link, Tool, Trace
from tests.unit.context.scenes import call, event, memory, result


def drawn(*events: Event, links: tuple[Link, ...] = ()) -> list[tuple[int, str]]:
    return [(row.depth, row.event.id) for row in outline(Trace(events=events, links=links))]


@pytest.mark.requirement("C2")
def test_a_run_is_drawn_by_parent_and_cause() -> None:
    """C2: a result stands under its call, a call under the user's message, the sub-agent under the call that sent it."""
    user = event("user_message", "查天气", 0)
    model = event("model_call", "", 1, causes=(Cause(user.id, "input_of"),))
    asked = call(2, parent=model.id)
    agent = event("agent_start", "", 3, causes=(Cause(asked.id, "delegated_by"),))
    said = event("user_message", "look it up", 4, parent=agent.id)
    got = result(5, "晴", "call_2", causes=(Cause(asked.id, "requested_by"),))
    answer = event("assistant_message", "晴天", 6, causes=(Cause(got.id),))
    assert drawn(answer, got, said, agent, asked, model, user) == [
        (0, user.id), (1, model.id), (2, asked.id), (3, agent.id), (4, said.id), (3, got.id), (2, answer.id),
    ]  # fmt: skip


def test_a_long_chain_of_causes_does_not_walk_off_the_page() -> None:
    events = [event("user_message", "go", 0)]
    for number in range(1, 500):
        events.append(event("assistant_message", "step", number, causes=(Cause(events[-1].id),)))
    assert {depth for depth, _ in drawn(*events)} == {0, 1}
    assert len(drawn(*events)) == 500


def test_depth_without_end_is_drawn_too() -> None:
    events = [event("agent_start", "", 0)]
    for number in range(1, 3000):
        events.append(event("agent_start", "", number, parent=events[-1].id))
    assert drawn(*events)[-1][0] == 2999


def test_a_retry_stands_beside_what_it_repeats_and_is_marked() -> None:
    user = event("user_message", "go", 0)
    first = call(1, causes=(Cause(user.id),), status="error")
    second = call(2, causes=(Cause(first.id, "retry_of"),))
    third = event("tool_call", at=3, tool=Tool("search", "c", None, 2), causes=(Cause(user.id),))
    rows = outline(Trace(events=(user, first, second, third)))
    assert [(row.depth, row.marks) for row in rows] == [(0, ()), (1, ("error",)), (1, ("retry",)), (1, ("retry",))]


def test_failures_and_loose_ends_are_marked() -> None:
    rows = outline(Trace(events=(
        event("error", "boom", 1), event("assistant_message", "ha", 2, status="partial", causes=(Cause("not here"),)),
        call(3, status="cancelled"), memory("m1", "not an event"),
    )))  # fmt: skip
    assert [row.marks for row in rows] == [("error",), ("partial", "cut loose"), ("cancelled",)]


def test_links_say_what_events_do_not() -> None:
    user, asked = event("user_message", "go", 0), call(1)
    links = (Link("o", asked.id, "CAUSED_BY", user.id, "caused_by"), Link("o", asked.id, "NEXT", "elsewhere"))
    assert drawn(user, asked, links=links) == [(0, user.id), (1, asked.id)]


def test_rings_are_drawn_once_each() -> None:
    first = event("agent_start", "", 1, id="a", parent="b")
    second = event("agent_start", "", 2, id="b", parent="a")
    third = event("assistant_message", "x", 3, causes=(Cause("a"),))
    itself = event("model_call", "", 4, id="self", parent="self")
    rows = drawn(first, second, third, itself)
    assert sorted(name for _, name in rows) == ["a", "assistant_message-3", "b", "self"]
    assert rows[-1] == (0, "self")
