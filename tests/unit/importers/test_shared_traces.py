"""The real transcripts of Claude Code and Codex, against checkers that walk the raw lines themselves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from beebread.importers import Problem, read
from beebread.model import Event, links, merge, owner
from tests.unit.importers.given import causes, kept

Raw = dict[str, Any]


@pytest.fixture
def traces(data_dir: Path) -> Path:
    if not (folder := data_dir / "traces").is_dir():
        pytest.skip("no traces in the evaluation data")
    return folder


def raw(path: Path) -> list[Raw]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def text_of(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(item.get("text") or "" for item in content)


def session(folder: Path, into: Path) -> Path:
    """The captured files, as Claude Code lays them out: the sub-agent under its session's folder."""
    for name, place in (("main_session", "main.jsonl"), ("subagent", "main/subagents/agent.jsonl"), ("forked_session", "fork.jsonl")):
        (into / place).parent.mkdir(parents=True, exist_ok=True)
        (into / place).write_bytes((folder / f"{name}.jsonl").read_bytes())
    return into


@pytest.mark.requirement("C1", "C2", "C7")
def test_claude_code_every_line_once_and_parents_exact(traces: Path, tmp_path: Path) -> None:
    folder = session(traces / "claude_code", tmp_path)
    found = list(read(folder))
    assert not [str(item) for item in found if isinstance(item, Problem)]
    events = {item.id: item for item in found if isinstance(item, Event)}
    assert len(events) == len(found)
    whole: dict[str, Raw] = {}
    home: dict[str, str] = {}
    for name in ("main.jsonl", "main/subagents/agent.jsonl", "fork.jsonl"):
        for line in raw(folder / name):
            if "uuid" in line:
                whole.setdefault(line["uuid"], line)
                home.setdefault(line["uuid"], line["sessionId"])
    calls: dict[str, str] = {}
    said = 0
    for uuid, line in whole.items():
        if line["type"] not in ("user", "assistant"):
            continue
        said += 1
        event = events[uuid]
        assert (event.at.isoformat(timespec="milliseconds").replace("+00:00", "Z"), event.scope.session) == (line["timestamp"], home[uuid])
        check_line(line, event, events, calls)
    added = [line.get("attachment", {}).get("type") for line in whole.values()]
    noted = added.count("hook_additional_context") + added.count("queued_command")
    compactions = sum(line.get("subtype") == "compact_boundary" for line in whole.values())
    own = [event for event in events.values() if event.source.native_id]
    assert len(own) == said + noted + compactions == 28
    assert len([event for event in events.values() if event.kind == "model_call"]) == len(
        {line["message"]["id"] for line in whole.values() if line["type"] == "assistant"}
    )


def check_line(line: Raw, event: Event, events: dict[str, Event], calls: dict[str, str]) -> None:
    content = line["message"]["content"]
    if isinstance(content, str):
        assert event.text == content
        return
    [block] = content
    if block["type"] == "tool_result":
        assert (event.text, event.parent) == (text_of(block["content"]), line["sourceToolAssistantUUID"])
        assert causes(event) == [(calls[block["tool_use_id"]], "requested_by")]
        assert (event.status == "error") == bool(block.get("is_error"))
        return
    call = events[event.parent]
    assert call.kind == "model_call"
    assert call.model
    assert (call.model.name, call.model.response_id) == (line["message"]["model"], line["message"]["id"])
    assert call.model.usage == {"in": 10, "out": 20}
    if block["type"] == "tool_use":
        assert event.tool
        assert (event.tool.name, event.tool.args, event.tool.call_id) == (block["name"], block["input"], block["id"])
        calls[block["id"]] = event.id
    else:
        assert event.text == block.get("text", block.get("thinking"))


def test_claude_code_kinds_origins_and_the_sub_agent(traces: Path, tmp_path: Path) -> None:
    events = kept(session(traces / "claude_code", tmp_path))
    assert [event.text for event in events if event.origin == "human"] == [
        "MAINTASK 请运行",
        "MAINTASK second prompt\n",
        "MAINTASK forked\n",
    ]
    assert {event.text for event in events if event.kind == "memory_injected"} == {"<memory>user likes tea</memory>"}
    [start] = [event for event in events if event.kind == "agent_start"]
    assert next(event for event in events if event.id == start.parent).tool
    [prompt] = [event for event in events if event.kind == "user_message" and event.origin == "agent"]
    assert (prompt.text, prompt.parent) == ("SUBTASK say hi", start.id)
    known = {event.id for event in events}
    assert all(link.target in known for event in events for link in links(event, owner(event.scope)))


def test_codex_every_item_once_and_parents_exact(traces: Path) -> None:
    path = traces / "codex" / "rollout.jsonl"
    events, whole = kept(path), [line for line in raw(path) if line["type"] == "response_item"]
    said = sorted((event for event in events if event.kind != "model_call"), key=lambda event: event.seq)
    assert len(said) == len(whole) == 12
    by_id = {event.id: event for event in events}
    inputs: dict[int, str] = {}
    calls: dict[str, str] = {}
    for event, line in zip(said, whole, strict=True):
        item, number = line["payload"], line["metadata"]["history_sequence"]
        if item["type"] == "function_call_output":
            assert (event.text, event.parent) == (item["output"], calls[item["call_id"]])
            assert (event.status == "error") == ("code 2" in item["output"])
            inputs[number] = event.id
        elif item["type"] == "message" and item["role"] != "assistant":
            assert event.text == text_of(item["content"])
            inputs[number] = event.id
        else:
            call = by_id[event.parent]
            assert call.model
            assert (call.kind, call.model.name, call.model.usage) == ("model_call", "stub-model", {"in": 10, "out": 5, "reasoning": 1})
            sampled = [source for source, relation in causes(call) if relation == "input_of"]
            read_by = {key for key, value in inputs.items() if value in sampled}
            assert read_by
            assert max(read_by) == line["metadata"]["sampled_through_sequence"]
            if item["type"] == "function_call":
                assert event.tool
                assert (event.tool.name, event.tool.args) == (item["name"], json.loads(item["arguments"]))
                calls[item["call_id"]] = event.id
    kinds = [event.kind for event in said[:5]]
    assert kinds == ["system_message", "harness_message", "memory_injected", "user_message", "memory_injected"]


def test_read_twice_nothing_changes(traces: Path, tmp_path: Path) -> None:
    for path in (session(traces / "claude_code", tmp_path), traces / "codex" / "rollout.jsonl"):
        once, again = kept(path), kept(path)
        assert once == again
        assert all(merge(old, new) is old for old, new in zip(once, again, strict=True))
