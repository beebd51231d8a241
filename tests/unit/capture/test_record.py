"""What record() makes of what it is told: fields, ids, order, causes."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from beebread.capture import Recorder
from beebread.clock import ManualClock
from beebread.errors import Invalid
from beebread.model import EVENT_KINDS, Actor, Cause, Event, Scope, Tool
from tests.unit.capture.conftest import Recording
from tests.unit.capture.shelf import HOME, NOON, Shelf


def edges(event: Event) -> set[tuple[str, str]]:
    return {(cause.id, cause.relation) for cause in event.causes}


@pytest.mark.requirement("C1", "C2")
@pytest.mark.parametrize("kind", [*EVENT_KINDS, "tool_invocation", "internal_thought"])
def test_every_step_of_an_agent_is_an_event(kind: str, recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    name = recorder.record(kind, "查一下天气 / check the weather", scope=HOME)
    recorder.flush()
    (event,) = shelf.events
    assert event.id == name
    assert event.kind == {"tool_invocation": "tool_call", "internal_thought": "thought"}.get(kind, kind)
    assert event.origin
    assert event.text == "查一下天气 / check the weather"
    assert event.scope == HOME
    assert event.at.utcoffset() == timedelta(0)


def test_everything_that_can_be_said_of_an_event_is_kept(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    shanghai = timezone(timedelta(hours=8))
    name = recorder.record(
        "tool_result",
        {"温度": 5, "ok": True},
        scope=HOME,
        id="r1",
        at="2026-11-30T09:00:00+08:00",
        ended_at=NOON,
        causes=[("c1", "requested_by")],
        parent="p",
        refers_to=["x"],
        tool={"name": "weather", "call_id": "k", "args": {"city": "北京"}},
        source="langchain",
        actor="agent-7",
        error=ValueError("坏了"),
        parts=[{"type": "image", "caption": "云图"}],
        priority="low",
        speaker="Betty",
        run="run1",
        root_session="s0",
        seq=42,
        tags=["天气"],
        environment={"device": "ios"},
        expires_at=NOON + timedelta(days=1),
    )
    recorder.flush()
    event = shelf.event(name)
    assert event.text == '{"温度":5,"ok":true}'
    assert event.at == datetime(2026, 11, 30, 9, tzinfo=shanghai)
    assert event.at.utcoffset() == timedelta(hours=8)
    assert (event.tool, event.actor, event.seq, event.speaker) == (Tool("weather", "k", {"city": "北京"}), Actor("agent-7"), 42, "Betty")
    assert (event.error.type, event.error.message, event.status) == ("ValueError", "坏了", "error") if event.error else False
    assert event.causes == (Cause("c1", "requested_by"),)
    assert (event.parent, event.refers_to, event.tags, event.environment, event.priority) == (
        "p",
        ("x",),
        ("天气",),
        {"device": "ios"},
        "low",
    )
    assert event.source.framework == "langchain"


@pytest.mark.parametrize(
    ("details", "says"),
    [
        ({"kind": "tool_calls"}, "use one of user_message"),
        ({"at": NOON.replace(tzinfo=None)}, "no time zone"),
        ({"at": "yesterday"}, "ISO 8601"),
        ({"at": "0001-01-01T00:00:00+00:00"}, "outside"),
        ({"priority": "urgent"}, "use one of low"),
        ({"status": "fine"}, "use one of ok"),
        ({"origin": "god"}, "use one of human"),
        ({"causes": [("a", "because")]}, "use one of input_of"),
        ({"causes": [3]}, "an id or an (id, relation) pair"),
        ({"causes": 3}, "causes must be ids"),
        ({"id": "a\0b"}, "without NUL"),
        ({"id": "x" * 600}, "at most 512"),
        ({"tags": 5}, "list of texts"),
        ({"parts": "picture"}, "list of content parts"),
        ({"environment": "ios"}, "names with their values"),
        ({"tool": {"call_id": 7}}, "wrong form"),
        ({"tool": 7}, "must be a Tool"),
        ({"seq": -1}, "whole number"),
        ({"speaker": 1}, "must be text"),
        ({"colour": "red"}, "known are actor, at"),
        ({"text": b"raw"}, "put bytes into parts"),
        ({"tool": {"name": "x", "args": {("a", "b"): 1}}}, "cannot be kept as JSON"),
    ],
)
def test_bad_arguments_are_refused_at_once_and_say_what_to_do(details: dict[str, Any], says: str, recording: Recording) -> None:
    recorder = recording()
    given: dict[str, Any] = {"kind": "user_message", "text": "x", **details}
    with pytest.raises(Invalid) as raised:
        recorder.record(given.pop("kind"), given.pop("text"), scope=HOME, **given)
    assert says in str(raised.value)
    assert recorder.counters()["recorded"] == 0


def test_hooks_never_raise(recording: Recording) -> None:
    recorder = recording()
    assert recorder.record_quietly("no_such_kind", scope=HOME) == ""
    assert recorder.record_quietly("user_message", "嗯", scope=HOME) != ""
    recorder.close()
    assert recorder.record_quietly("user_message", "late", scope=HOME) == ""
    assert recorder.counters()["faults"] == 2
    with pytest.raises(Invalid, match="closed"):
        recorder.record("user_message", "late", scope=HOME)


@pytest.mark.parametrize(
    "text", ["", "a\0b", "lone \ud800 surrogate", "مرحبا \u202e abc", "汉" * 300_000], ids=["empty", "nul", "surrogate", "rtl", "long"]
)
def test_awkward_text_is_kept_as_far_as_it_can_be(text: str, recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    cases: list[dict[str, Any]] = [{}, {"at": NOON}, {"tool": {"name": "t", "args": {"q": text}}}]
    for details in cases:
        recorder.record("tool_call", text, scope=HOME, **details)
    recorder.flush()
    assert recorder.counters()["rejected"] == 0
    assert {event.text for event in shelf.events} == {text.replace("\0", "").replace("\ud800", "\ufffd")}


def test_arguments_may_be_changed_by_the_host_afterwards(recording: Recording, shelf: Shelf) -> None:
    args: dict[str, Any] = {"cities": ["北京"]}
    recorder = recording()
    name = recorder.record("tool_call", scope=HOME, tool=Tool("weather", "1", args))
    args["cities"].append("上海")
    recorder.flush()
    assert shelf.event(name).tool == Tool("weather", "1", {"cities": ["北京"]})


@pytest.mark.requirement("C7")
def test_the_same_content_with_the_same_causes_is_kept_once(recording: Recording, shelf: Shelf) -> None:
    first, second = recording(), recording()

    def told(kind: str, by: Recorder = first, cause: str = "q1", n: int = 3, scope: Scope = HOME) -> str:
        return by.record(kind, scope=scope, causes=[cause], tool=Tool("search", "c1", {"q": "天气", "n": n}))

    names = {told("tool_call"), told("tool_call"), told("tool_call", second)}
    elsewhere = Scope(tenant="acme", user="u1", session="s2")
    other = [told("tool_call", cause="q2"), told("tool_call", n=4), told("tool_result"), told("tool_call", scope=elsewhere)]
    first.flush()
    second.flush()
    assert len(names) == 1
    assert len({*names, *other}) == 5
    assert len(shelf.events) == 5
    assert first.counters()["duplicates"] + second.counters()["duplicates"] == 2


@pytest.mark.requirement("C7")
def test_a_hook_that_fires_twice_stores_once_but_a_user_may_repeat_himself(recording: Recording, shelf: Shelf) -> None:
    clock = ManualClock(NOON)
    recorder = recording(clock=clock)
    first = recorder.record("user_message", "继续", scope=HOME)
    clock.advance(1.9)
    assert recorder.record("user_message", "继续", scope=HOME) == first
    clock.advance(2.1)
    second = recorder.record("user_message", "继续", scope=HOME)
    recorder.record("assistant_message", "好", scope=HOME)
    third = recorder.record("user_message", "继续", scope=HOME)
    assert len({first, second, third}) == 3
    assert recorder.record("user_message", "继续", scope=Scope(tenant="acme", user="u2", session="s1")) not in {first, second, third}
    recorder.flush()
    assert shelf.texts.count("继续") == 4


def test_a_second_sighting_fills_what_was_empty(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(clock=ManualClock(NOON))
    name = recorder.record("model_call", scope=HOME, id="m1")
    recorder.record("thought", "想一想", scope=HOME)
    recorder.record("model_call", scope=HOME, id="m1", model={"name": "qwen", "usage": {"in": 7}}, ended_at=NOON)
    recorder.flush()
    event = shelf.event(name)
    assert event.model is not None
    assert event.model.usage == {"in": 7}
    assert event.ended_at == NOON
    assert event.causes == ()


def test_one_id_for_two_contents_is_counted_and_the_first_stays(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    recorder.record("user_message", "一", scope=HOME, id="x")
    recorder.record("user_message", "二", scope=HOME, id="x")
    recorder.flush()
    recorder.record("user_message", "三", scope=HOME, id="x")
    recorder.record("user_message", "四", scope=HOME, id="y")
    recorder.flush()
    assert sorted(shelf.texts) == ["一", "四"]
    assert recorder.counters()["rejected"] == 2
    assert all("other content" in one.reason for one in recorder.rejected)


def test_native_ids_make_ids(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    native: dict[str, Any] = {"framework": "adk", "native_id": "n1"}
    one = recorder.record("user_message", "hi", scope=HOME, source=native)
    recorder.record("thought", "x", scope=HOME)
    assert recorder.record("user_message", "hi", scope=HOME, source=native) == one
    assert recorder.record("tool_call", "hi", scope=HOME, source=native) != one
    assert recorder.record("user_message", "hi", scope=HOME, source={"framework": "agno", "native_id": "n1"}) != one
    recorder.flush()
    assert len(shelf.events) == 4


@pytest.mark.requirement("C2", "C3")
def test_a_run_recorded_line_by_line_has_its_causes(recording: Recording, shelf: Shelf) -> None:
    """A home-made agent says nothing of causes, and its graph is right all the same: parallel calls, failing tool, answer."""
    recorder = recording()

    def say(kind: str, text: str = "", **details: Any) -> str:
        return recorder.record(kind, text, scope=HOME, **details)

    user = say("user_message", "北京和上海天气如何?")
    call = say("model_call", model="qwen")
    thought = say("thought", "查两个城市")
    one = say("tool_call", tool=Tool("weather", "c1", {"city": "北京"}))
    two = say("tool_call", tool=Tool("weather", "c2", {"city": "上海"}))
    second = say("tool_result", "上海 18 度", tool=Tool("weather", "c2"))
    first = say("tool_result", "timed out", tool=Tool("weather", "c1"), error="TimeoutError")
    again = say("tool_result", "by name alone", tool=Tool("clock"))
    answer = say("assistant_message", "上海 18 度，北京查询失败")
    new = say("user_message", "谢谢")
    recorder.flush()
    edge = {name: edges(shelf.event(name)) for name in (user, call, thought, one, two, first, second, again, answer, new)}
    assert edge[user] == edge[new] == set()
    assert edge[call] == {(user, "input_of")}
    assert edge[thought] == {(call, "caused_by")}
    assert edge[one] == edge[two] == {(thought, "caused_by")}
    assert edge[first] == {(one, "requested_by")}
    assert edge[second] == {(two, "requested_by")}
    assert edge[answer] == {(first, "caused_by"), (second, "caused_by"), (again, "caused_by")}
    assert shelf.event(first).status == "error"
    assert [event.seq for event in shelf.events] == list(range(1, 11))


def test_results_without_call_ids_find_their_calls(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    calls = [recorder.record("tool_call", scope=HOME, tool=Tool("grep", "", {"n": n})) for n in range(2)]
    last = recorder.record("tool_call", scope=HOME, tool=Tool("ls"))
    results = [recorder.record("tool_result", f"r{n}", scope=HOME, tool="grep") for n in range(2)]
    nameless = recorder.record("tool_result", "files", scope=HOME)
    recorder.flush()
    assert [edges(shelf.event(name)) for name in results] == [{(call, "requested_by")} for call in calls]
    assert edges(shelf.event(nameless)) == {(last, "requested_by")}


def test_a_reused_call_id_joins_the_newest_call(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    pairs: list[tuple[str, str]] = []
    for n in range(2):
        call = recorder.record("tool_call", scope=HOME, tool=Tool("f", "call_1", {"n": n}))
        pairs.append((call, recorder.record("tool_result", f"结果{n}", scope=HOME, tool=Tool("f", "call_1"))))
    recorder.flush()
    assert all(edges(shelf.event(result)) == {(call, "requested_by")} for call, result in pairs)


def test_given_causes_go_before_the_rule_and_a_result_still_names_its_call(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    recorder.record("user_message", "开始", scope=HOME)
    root = recorder.record("agent_start", scope=HOME, causes=[])
    call = recorder.record("tool_call", scope=HOME, tool=Tool("f", "c"), causes="elsewhere")
    result = recorder.record("tool_result", "x", scope=HOME, tool=Tool("f", "c"), causes=[("data", "data_from")])
    recorder.flush()
    assert edges(shelf.event(root)) == set()
    assert edges(shelf.event(call)) == {("elsewhere", "caused_by")}
    assert edges(shelf.event(result)) == {("data", "data_from"), (call, "requested_by")}


def test_a_repeated_id_never_makes_a_cycle(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    for _ in range(3):
        recorder.record("thought", "a", scope=HOME, id="a")
        recorder.record("thought", "b", scope=HOME, id="b")
        recorder.flush()
    assert recorder.counters()["rejected"] == 0
    assert edges(shelf.event("b")) == {("a", "caused_by")}
    assert edges(shelf.event("a")) == set()
