"""Tool results find their calls whatever the ids, and what cannot be paired leaves the messages valid."""

from __future__ import annotations

from typing import Any

import pytest

from beebread.context.pairing import pair
from beebread.model import Cause, Event, Failure, Tool
from tests.unit.context.scenes import call, event, packed, reasons, result
from tests.unit.context.validate import valid

SHAPES = ("openai", "anthropic", "gemini")


def pairs(*events: Event) -> dict[str, str]:
    return {name: found.id for name, found in pair(events).results.items()}


def test_a_result_goes_by_what_it_says_it_came_from() -> None:
    first, second = call(1, call_id="same"), call(2, call_id="same")
    answer = result(3, "x", "same", causes=(Cause(first.id, "requested_by"),))
    other = result(4, "y", "same", parent=second.id)
    assert pairs(first, second, other, answer) == {first.id: answer.id, second.id: other.id}


def test_parallel_calls_with_one_id_are_answered_in_order() -> None:
    assert pairs(call(1, call_id="a"), call(2, call_id="a"), result(3, "x", "a"), result(4, "y", "a")) == {
        "tool_call-1": "tool_result-3",
        "tool_call-2": "tool_result-4",
    }


def test_an_id_used_again_after_a_crash_answers_the_call_of_its_turn() -> None:
    events = (
        event("user_message", "一", 0),
        call(1, call_id="a"),
        event("user_message", "二", 2),
        call(3, call_id="a"),
        result(4, "x", "a"),
    )
    assert pairs(*events) == {"tool_call-3": "tool_result-4"}


def test_without_ids_the_tools_name_pairs() -> None:
    events = (call(1, "read", call_id=" "), call(2, "write", call_id=" "), result(3, "w", "", "write"), result(4, "r", "", "read"))
    assert pairs(*events) == {"tool_call-1": "tool_result-4", "tool_call-2": "tool_result-3"}


def test_a_result_that_arrives_before_its_call_still_finds_it() -> None:
    assert pairs(result(1, "x", "a"), call(2, call_id="a")) == {"tool_call-2": "tool_result-1"}


def test_a_second_result_is_a_duplicate_unless_the_first_was_partial() -> None:
    events = (call(1, call_id="a"), result(2, "par", "a", status="partial"), result(3, "partial no more", "a"), result(4, "again", "a"))
    found = pair(events)
    assert found.results["tool_call-1"].id == "tool_result-3"
    assert {left.id: reason for left, reason in found.left} == {"tool_result-2": "duplicate", "tool_result-4": "duplicate"}
    assert pair((result(1, "x", "nobody"),)).left[0][1] == "unpaired"


@pytest.mark.requirement("P1")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_call_without_result_is_answered_as_cancelled(shape: str) -> None:
    """P1: a run that died in a call still packs into a valid array."""
    made = packed("继续", shape=shape, tail=(event("user_message", "抓取", 1), call(2, args={"网址": "a"}), call(3)))
    valid(shape, list(made.messages))
    assert "无结果：调用已取消" in str(made.messages)
    assert "the call was cancelled" not in str(made.messages[:3])


@pytest.mark.requirement("P1")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "tools",
    [
        (Tool("查询天气", "工具:1", None), Tool("查询快递", "工具:1", "{}")),
        (Tool("", "", [1, 2]), Tool("a.b", "x" * 99, "not json")),
        (Tool("9lives", "ok", float("inf")), Tool("n" * 200, "ok", {"a": {2, 3}})),
    ],
)
def test_names_ids_and_arguments_that_no_api_takes_are_put_right(shape: str, tools: tuple[Tool, Tool]) -> None:
    """P1: ids repeat across a session, names are Chinese or long, arguments are anything."""
    calls: list[Any] = [event("tool_call", at=at, tool=tool) for at, tool in enumerate(tools)]
    made = packed("继续", shape=shape, tail=(event("user_message", "go", 0, id="u"), *calls))
    valid(shape, list(made.messages))


@pytest.mark.requirement("P1")
def test_ids_that_are_fine_stay_as_they_are() -> None:
    """P1: a host that goes on with the array finds its own ids, and a renamed id does not depend on what else is kept."""
    tail = (
        event("user_message", "go", 0),
        call(1, call_id="toolu_1"),
        result(2, "a", "toolu_1"),
        call(3, call_id="toolu_1"),
        result(4, "b", "toolu_1"),
    )
    made = packed("继续", tail=tail)
    ids = [item["id"] for message in made.messages for item in message.get("tool_calls", ())]
    assert ids[0] == "toolu_1"
    assert ids[1].startswith("call_")


@pytest.mark.requirement("P1")
@pytest.mark.parametrize(("shape", "shows"), [("openai", "超时"), ("anthropic", "'is_error': True"), ("gemini", "{'error': ")])
def test_a_failed_result_says_so(shape: str, shows: str) -> None:
    """P1: the model sees that a call failed and why."""
    failed = result(2, "", "call_1", status="error", error=Failure("Timeout", "超时"))
    made = packed("继续", shape=shape, tail=(event("user_message", "go", 0), call(1), failed))
    assert shows in str(made.messages)
    assert "Timeout: 超时" in str(made.messages)


def test_parallel_calls_are_one_message_and_calls_after_a_result_another() -> None:
    tail = (
        event("user_message", "go", 0),
        event("assistant_message", "我来查", 1),
        call(2),
        call(3),
        result(4, "b", "call_3"),
        result(5, "a", "call_2"),
        call(6),
        result(7, "c", "call_6"),
    )
    made = packed("然后？", tail=tail)
    shapes = [(message["role"], len(message.get("tool_calls", ()))) for message in made.messages[:6]]
    assert shapes == [("user", 0), ("assistant", 2), ("tool", 0), ("tool", 0), ("assistant", 1), ("tool", 0)]
    assert [message["content"] for message in made.messages if message["role"] == "tool"] == ["a", "b", "c"]


def test_results_that_answer_nothing_are_left_out_and_told() -> None:
    made = packed("继续", tail=(event("user_message", "go", 0), result(1, "lost", "nobody")))
    assert reasons(made)["tool_result-1"] == "unpaired"
    assert "lost" not in str(made.messages)
