"""OpenAI messages: calls and results joined, causes exact, content parts kept."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from beebread.importers import Options, detect
from beebread.model import Actor, ModelCall, Scope, Tool
from tests.unit.importers.given import WRITTEN, causes, document, events, kept, lines, problems


def call(name: str, id: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


TALK: list[dict[str, Any]] = [
    {"role": "system", "content": "你是天气助手"},
    {"role": "user", "content": "上海和北京天气？"},
    {"role": "assistant", "content": None,
     "tool_calls": [call("weather", "c1", '{"city": "上海"}'), call("weather", "c2", '{"city": "北京"}')]},
    {"role": "tool", "tool_call_id": "c2", "content": "北京 3 度"},
    {"role": "tool", "tool_call_id": "c1", "content": "上海 9 度"},
    {"role": "assistant", "content": "上海 9 度，北京 3 度"},
    {"role": "user", "content": "And Paris?"},
    {"role": "assistant", "reasoning_content": "look", "content": "Let me look.", "tool_calls": [call("weather", "c1", "not json")]},
    {"role": "tool", "tool_call_id": "c1", "name": "weather", "content": [{"type": "text", "text": "12"}]},
    {"role": "assistant", "content": "12 degrees"},
]  # fmt: skip


@pytest.mark.requirement("C1", "C2")
def test_a_conversation_with_parallel_calls_and_reused_ids(tmp_path: Path) -> None:
    path = document(tmp_path / "chat.json", {"session_id": "s9", "model": "gpt-x", "messages": TALK})
    assert detect(path) == "openai"
    system, asked, first, second, north, south, answer, again, thought, said, third, paris, last = events(path)
    assert [event.kind for event in (first, second, north, south)] == ["tool_call", "tool_call", "tool_result", "tool_result"]
    assert (system.kind, system.origin, asked.kind, asked.causes) == ("system_message", "harness", "user_message", ())
    assert first.tool == Tool("weather", "c1", {"city": "上海"})
    assert (first.parent, second.parent, causes(first)) == (asked.id, asked.id, [(asked.id, "input_of")])
    assert (north.parent, causes(north), north.tool) == (second.id, [(second.id, "requested_by")], Tool("weather", "c2"))
    assert (south.parent, south.text) == (first.id, "上海 9 度")
    assert causes(answer) == [(north.id, "input_of"), (south.id, "input_of")]
    assert (again.causes, thought.kind, causes(thought)) == ((), "thought", [(again.id, "input_of")])
    assert (said.parent, third.parent, third.tool) == (thought.id, said.id, Tool("weather", "c1", "not json"))
    assert (paris.parent, paris.text, paris.parts) == (third.id, "12", ())
    assert causes(last) == [(paris.id, "input_of")]
    assert (answer.model, answer.actor, asked.actor) == (ModelCall(name="gpt-x"), Actor("assistant"), Actor())
    assert {event.scope.session for event in events(path)} == {"s9"}


def test_times_end_when_the_file_was_written_or_begin_at_start(tmp_path: Path) -> None:
    path = document(tmp_path / "chat.json", TALK)
    found = events(path)
    assert (found[0].at, found[-1].at) == (WRITTEN - timedelta(seconds=9), WRITTEN)
    started = events(path, Options(start=WRITTEN))
    assert (started[0].at, started[-1].at) == (WRITTEN, WRITTEN + timedelta(seconds=9))
    assert [event.id for event in started] == [event.id for event in found], "ids do not hang on times"


@pytest.mark.requirement("C7")
def test_a_grown_conversation_adds_and_changes_nothing(tmp_path: Path) -> None:
    before = events(document(tmp_path / "chat.json", TALK[:6]))
    after = events(document(tmp_path / "chat.json", TALK))
    assert [event.id for event in after][: len(before)] == [event.id for event in before]
    assert {event.scope.session for event in after} == {event.scope.session for event in before}


def test_options_name_the_owner_the_agent_and_the_session(tmp_path: Path) -> None:
    options = Options(scope=Scope(tenant="t", user="u", agent="a", task="k"), session="new", actor=Actor("bot", "Bot"))
    found = events(document(tmp_path / "chat.json", TALK), options)
    assert {event.scope for event in found} == {Scope(tenant="t", user="u", agent="a", task="k", session="new")}
    assert {event.actor for event in found if event.kind != "user_message"} == {Actor("bot", "Bot")}


def test_several_conversations_are_several_sessions(tmp_path: Path) -> None:
    other = [{"role": "user", "content": "别的"}]
    for value in ([TALK, other], [{"messages": TALK}, {"messages": other}]):
        found = events(document(tmp_path / "many.json", value))
        assert len({event.scope.session for event in found}) == 2
        assert all(
            event.scope.session.startswith("p-many-") for event in events(document(tmp_path / "many.json", value), Options(session="p"))
        )
    by_line = kept(lines(tmp_path / "many.jsonl", [{"messages": TALK}, {"messages": other}]))
    assert [event.text for event in by_line if event.kind == "user_message"] == ["上海和北京天气？", "And Paris?", "别的"]
    assert len({event.scope.session for event in by_line}) == 2


def test_a_message_a_line_is_one_conversation(tmp_path: Path) -> None:
    path = lines(tmp_path / "chat.jsonl", TALK)
    assert detect(path) == "openai"
    found = events(path)
    assert len({event.scope.session for event in found}) == 1
    calls = {event.id: event for event in found if event.kind == "tool_call"}
    assert [calls[event.parent].tool for event in found if event.kind == "tool_result"] == [
        Tool("weather", "c2", {"city": "北京"}), Tool("weather", "c1", {"city": "上海"}), Tool("weather", "c1", "not json"),
    ]  # fmt: skip


def test_content_parts_keep_pictures_sounds_and_files(tmp_path: Path) -> None:
    content = [
        {"type": "text", "text": "看"},
        {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "input_audio", "input_audio": {"data": "BBBB", "format": "wav"}},
        {"type": "file", "file": {"filename": "报告.pdf", "file_id": "f1"}},
        {"type": "text", "text": "完"},
        {"type": "hologram", "x": 1},
    ]
    [event] = events(document(tmp_path / "chat.json", [{"role": "user", "content": content}]))
    assert event.text == "看\n完"
    assert event.parts == (
        {"type": "text", "content": "看"},
        {"type": "uri", "modality": "image", "uri": "https://example.org/a.png"},
        {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "AAAA"},
        {"type": "blob", "modality": "audio", "mime_type": "wav", "content": "BBBB"},
        {"type": "file", "filename": "报告.pdf", "file_id": "f1"},
        {"type": "text", "content": "完"},
        {"type": "generic", "value": {"type": "hologram", "x": 1}},
    )


def test_old_function_calls_are_joined_by_name(tmp_path: Path) -> None:
    talk = [
        {"role": "user", "content": "time?", "timestamp": "2026-01-01T08:00:00+08:00", "name": "Kim"},
        {"role": "assistant", "content": "", "function_call": {"name": "now", "arguments": "{}"}},
        {"role": "function", "name": "now", "content": "noon"},
    ]
    asked, made, result = events(document(tmp_path / "chat.json", talk))
    assert (asked.speaker, asked.at.isoformat()) == ("Kim", "2026-01-01T08:00:00+08:00")
    assert (made.tool, result.parent) == (Tool("now", "function-now", {}), made.id)


def test_a_result_whose_call_was_trimmed_away_still_comes(tmp_path: Path) -> None:
    result, empty = events(document(tmp_path / "chat.json", [{"role": "tool", "tool_call_id": "c", "content": "x"}, {"role": "assistant"}]))
    assert (result.parent, result.causes, result.tool) == ("", (), Tool("", "c"))
    assert (empty.kind, empty.text, causes(empty)) == ("assistant_message", "", [(result.id, "input_of")])


def test_a_bad_message_does_not_stop_the_others(tmp_path: Path) -> None:
    bad: list[Any] = [TALK[0], {"role": "narrator", "content": "x"}, 5, {"role": "user", "content": "\ud800"},
                     {"role": "user", "content": "早"},
                      {"role": "user", "content": "晚", "timestamp": "2026-01-01T08:00:00"}]  # fmt: skip
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(bad))
    assert [event.text for event in kept(path)] == [TALK[0]["content"], "早"]
    reasons = [str(problem) for problem in problems(path)]
    assert len(reasons) == 4
    assert "message 2: a message's role is 'narrator'" in reasons[0]
    assert "message 3: a message is 5" in reasons[1]
    assert "message 4: the text holds half a character" in reasons[2]
    assert "message 6: time of a message 2026-01-01T08:00:00 has no time zone" in reasons[3]


def test_a_bad_conversation_does_not_stop_the_others(tmp_path: Path) -> None:
    good = {"messages": TALK[:2]}
    path = document(tmp_path / "many.json", [good, {"messages": "x" * 100}, good, "x"])
    assert [str(problem).split(": ")[1] for problem in problems(path)] == ["conversation 2", "conversation 4"]
    assert len({event.id for event in kept(path)}) == 2
    by_line = lines(tmp_path / "many.jsonl", [good, {"messages": [5]}, {"role": "narrator"}, good])
    assert [problem.line for problem in problems(by_line)] == [2, 3]


def test_pictures_by_id_and_of_the_responses_form(tmp_path: Path) -> None:
    content = [
        {"type": "input_image", "image_url": "https://example.org/a.png"}, {"type": "input_image", "file_id": "f2"},
        {"type": "document", "title": "合同", "source": {"type": "file", "file_id": "f3"}},
        {"type": "input_file", "file_data": "data:a/b;base64,CC"},
    ]  # fmt: skip
    [event] = events(document(tmp_path / "chat.json", [{"role": "user", "content": content}]))
    assert event.parts == (
        {"type": "uri", "modality": "image", "uri": "https://example.org/a.png"},
        {"type": "file", "modality": "image", "file_id": "f2"},
        {"type": "file", "modality": "document", "filename": "合同", "file_id": "f3"},
        {"type": "blob", "mime_type": "a/b", "content": "CC"},
    )
