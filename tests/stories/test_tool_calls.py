"""Tool calls as people record them: the arguments are kept in every form, and a pack never shows a tool that does not exist."""

from __future__ import annotations

import json
from typing import Any

import pytest

from beebread import Client, Event, Invalid, NotFound

ARGS = {"city": "杭州", "max": 600}
FORMS: dict[str, dict[str, Any]] = {
    "args": {"content": "", "tool": {"name": "hotels", "args": ARGS}},
    "arguments": {"content": "", "tool": {"name": "hotels", "arguments": ARGS}},
    "input": {"content": "", "tool": {"name": "hotels", "input": ARGS, "id": "c1"}},
    "content": {"content": ARGS, "tool": "hotels"},
    "json": {"content": json.dumps(ARGS), "tool": "hotels"},
    "json in args": {"content": "", "tool": {"name": "hotels", "args": json.dumps(ARGS)}},
}


@pytest.mark.requirement("C2", "P1", "R11")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", ["openai", "anthropic", "gemini"])
def test_arguments_survive_whatever_they_are_called(memory: Client, form: str, shape: Any) -> None:
    me = memory.bind(user="u", session="s")
    ask = me.record("user_message", "订杭州的酒店")
    call = me.record("tool_call", causes=[ask], **FORMS[form])
    me.record("tool_result", "找到 3 家", tool={"name": "hotels"}, causes=[call])
    told = json.dumps(me.context("最便宜的是哪家？", budget=2000, shape=shape).messages, ensure_ascii=False)
    assert "hotels" in told and "杭州" in told and "600" in told and "找到 3 家" in told
    assert [item.text for item in me.query(tool="hotels", args=ARGS)] == ["找到 3 家"]


@pytest.mark.requirement("P1")
def test_a_call_without_a_tool_is_told_in_words(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    call = me.record("tool_call", "hotels(city='Hangzhou')")
    me.record("tool_result", "3 hotels found", causes=[call])
    pack = me.context("which is cheapest?", budget=2000)
    assert not [message for message in pack.messages if message.get("tool_calls") or message["role"] == "tool"]
    assert "hotels(city='Hangzhou')" in str(pack.messages) and "3 hotels found" in str(pack.messages)


def test_unknown_fields_of_a_tool_are_named(memory: Client) -> None:
    with pytest.raises(Invalid, match="colour"):
        memory.bind(user="u").record("tool_call", tool={"name": "t", "colour": "red"})


@pytest.mark.requirement("P4", "S4")
def test_a_memory_tools_result_keeps_no_copy_of_what_was_remembered(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    me.write("紫晶蜂鸟是口令", id="secret")
    block = next(str(message["content"]) for message in me.context("口令是什么？", budget=2000).messages if "紫晶" in str(message))
    me.record("tool_result", f"memory says: {block}", id="r", tool={"name": "memory_query"})
    me.flush()
    kept = me.get("r")
    assert isinstance(kept, Event) and "紫晶" not in kept.text and kept.origin == "memory"


@pytest.mark.requirement("C2")
def test_large_bodies_are_read_whole_by_their_owner_alone(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    long = "很长的报告 " * 20_000
    me.record("tool_result", "see the file", id="r", parts=[{"type": "text", "content": long}])
    me.record("tool_result", long, id="whole")
    me.flush()
    event = me.get("r")
    assert isinstance(event, Event)
    ref = str(event.parts[0]["content"])
    assert ref.startswith("blob:") and me.body("r", ref).decode() == long
    assert me.body("whole").decode() == long
    for name, other in (("r", "blob:nope"), ("r", ""), ("unknown", ref), ("whole", "blob:nope")):
        with pytest.raises(NotFound, match="no such body"):
            me.body(name, other)
    with pytest.raises(NotFound):
        memory.bind(user="eve").body("r", ref)


@pytest.mark.requirement("R4")
@pytest.mark.parametrize("wrong", [{"kinds": ["facts"]}, {"types": ["events"]}])
def test_a_kind_that_nothing_has_is_named_and_never_an_empty_answer(memory: Client, wrong: dict[str, Any]) -> None:
    me = memory.bind(user="u")
    me.write("喜欢喝茶", kind="user_preference", id="p")
    with pytest.raises(Invalid, match="unknown"):
        me.query("茶", **wrong)
    with pytest.raises(Invalid, match="unknown"):
        me.list(**wrong)
    assert [item.id for item in me.query("喝茶", kinds=["user_preference"])] == ["p"]


@pytest.mark.requirement("C6")
def test_producers_are_told_when_the_buffer_runs_full(tmp_path: Any) -> None:
    told: list[float] = []
    with Client(tmp_path, buffer_events=20, flush_ms=1000, flush_events=1000, on_pressure=told.append) as memory:
        me = memory.bind(user="u", session="s")
        for number in range(40):
            me.record("user_message", f"第 {number} 条", id=f"e{number}")
        assert told and told[0] >= 0.7
        me.flush()
        assert me.pressure < 0.5 and me.health().capture["recorded"] == 40
        assert len(me.list(types=["event"], limit=100).items) == 40
