"""Claude Code transcripts: uuids as ids, model calls from their blocks, results, sub-agents, forks and compactions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beebread.importers import Options, detect
from beebread.model import Actor, Event, ModelCall, Scope, Tool
from tests.unit.importers.given import causes, dated, kept, lines, problems

Raw = dict[str, Any]
MAIN = "11111111-0000-4000-8000-0000000000"


def uuid(number: int) -> str:
    return f"{MAIN}{number:02d}"


def line(number: int, above: int | None, kind: str, **fields: Any) -> Raw:
    return {
        "uuid": uuid(number), "parentUuid": None if above is None else uuid(above), "sessionId": "s1", "type": kind, "isSidechain": False,
        "timestamp": f"2026-03-01T09:00:{number:02d}.250+08:00", "version": "2.1", "promptId": "p1", **fields,
    }  # fmt: skip


def user(number: int, above: int | None, content: Any, **fields: Any) -> Raw:
    return line(number, above, "user", message={"role": "user", "content": content}, **fields)


def block(number: int, above: int, message: str, content: Raw | str, spent: int, **fields: Any) -> Raw:
    usage = {"input_tokens": 10, "output_tokens": spent, "cache_read_input_tokens": 4, "output_tokens_details": {"thinking_tokens": 2}}
    said = {"id": message, "model": "claude-x", "stop_reason": "tool_use", "usage": usage}
    return line(number, above, "assistant", message={**said, "content": content if isinstance(content, str) else [content]}, **fields)


def note(number: int, above: int, attachment: Raw) -> Raw:
    return line(number, above, "attachment", attachment=attachment)


PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
TRANSCRIPT: list[Raw | str] = [
    {"type": "queue-operation", "sessionId": "s1", "timestamp": "2026-03-01T01:00:00Z", "content": "请运行"},
    user(1, None, "请运行"),
    note(2, 1, {"type": "environment"}),
    note(3, 2, {"type": "hook_additional_context", "content": ["<memory>喜欢茶</memory>", "two"]}),
    block(4, 3, "m1", {"type": "thinking", "thinking": "two commands"}, 1),
    block(5, 4, "m1", {"type": "text", "text": "Running."}, 2),
    block(6, 5, "m1", {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "echo 一"}}, 3),
    user(7, 6, [{"type": "tool_result", "tool_use_id": "t1", "content": "一"}], sourceToolAssistantUUID=uuid(6)),
    block(8, 6, "m1", {"type": "tool_use", "id": "t2", "name": "Agent", "input": {"prompt": "SUB"}}, 20),
    user(9, 8, [{"type": "tool_result", "tool_use_id": "t2", "is_error": True, "content": [{"type": "text", "text": "failed"}]}],
         toolUseResult={"agentId": "a9"}),
    note(10, 9, {"type": "queued_command", "prompt": "<task-notification>done</task-notification>", "commandMode": "task-notification"}),
    note(11, 10, {"type": "queued_command", "prompt": "快一点", "commandMode": "prompt"}),
    block(12, 11, "m2", "完成", 5),
    line(13, 12, "system", subtype="stop_hook_summary"),
    line(14, None, "system", subtype="compact_boundary", content="Conversation compacted", logicalParentUuid=uuid(13)),
    user(15, 14, "the summary", isCompactSummary=True),
    user(16, 15, "<command-name>/compact</command-name>"),
    user(17, 16, [{"type": "text", "text": "看图"}, PICTURE]),
    line(18, 17, "assistant", isApiErrorMessage=True, message={"id": "m3", "model": "<synthetic>", "content": "API 500"}),
    user(19, 18, "again", isMeta=True),
    line(20, 19, "system", subtype="api_error", error={"status": 529}),
    block(21, 20, "m4", {"type": "text", "text": "好"}, 1),
]  # fmt: skip


@pytest.fixture
def found(tmp_path: Path) -> dict[str, Event]:
    path = lines(tmp_path / "s1.jsonl", TRANSCRIPT)
    assert detect(path) == "claude-code"
    assert not problems(path)
    return {event.id: event for event in kept(path, Options(scope=Scope(user="u")))}


@pytest.mark.requirement("C1", "C2")
def test_each_line_is_its_event(found: dict[str, Event]) -> None:
    kinds = {int(id[-2:]): event.kind for id, event in found.items() if id.startswith(MAIN)}
    assert kinds == {
        1: "user_message", 3: "memory_injected", 4: "thought", 5: "assistant_message", 6: "tool_call", 7: "tool_result", 8: "tool_call",
        9: "tool_result", 10: "harness_message", 11: "user_message", 12: "assistant_message", 14: "compaction", 15: "harness_message",
        16: "harness_message", 17: "user_message", 18: "error", 19: "harness_message", 20: "error", 21: "assistant_message",
    }  # fmt: skip
    said, memory = found[uuid(1)], found[uuid(3)]
    assert (said.text, said.at.isoformat(), said.run, said.scope) == (
        "请运行", "2026-03-01T09:00:01.250000+08:00", "p1", Scope(user="u", session="s1"),
    )  # fmt: skip
    assert (memory.text, memory.origin) == ("<memory>喜欢茶</memory>\ntwo", "memory")
    assert (said.source.framework, said.source.version, said.source.native_id, said.source.line) == ("claude-code", "2.1", uuid(1), 2)
    assert found[uuid(17)].parts[1] == {"type": "blob", "modality": "image", "mime_type": "image/png", "content": "AAAA"}
    assert (found[uuid(20)].text, found[uuid(18)].status) == ('{"status":529}', "error")


@pytest.mark.requirement("C1", "C2")
def test_model_calls_are_exact(found: dict[str, Event]) -> None:
    calls = sorted((event for event in found.values() if event.kind == "model_call"), key=lambda event: event.seq)
    one, two, four = calls
    assert [event.parent for event in (found[uuid(4)], found[uuid(5)], found[uuid(6)], found[uuid(8)])] == [one.id] * 4
    assert (found[uuid(12)].parent, found[uuid(21)].parent) == (two.id, four.id)
    assert causes(one) == [(uuid(1), "input_of"), (uuid(3), "input_of")]
    assert causes(two) == [(uuid(9), "input_of"), (uuid(10), "input_of"), (uuid(11), "input_of"), (uuid(7), "input_of")]
    assert causes(four) == [(uuid(number), "input_of") for number in (14, 15, 16, 17, 18, 19, 20)]
    usage = {"in": 10, "out": 20, "cache_read": 4, "reasoning": 2}
    assert one.model == ModelCall(provider="anthropic", name="claude-x", response_id="m1", finish_reason="tool_use", usage=usage)
    assert (one.at, one.ended_at) == (found[uuid(4)].at, found[uuid(8)].at)
    assert one.seq < found[uuid(4)].seq


@pytest.mark.requirement("C2")
def test_results_name_their_calls(found: dict[str, Event]) -> None:
    first, second = found[uuid(7)], found[uuid(9)]
    assert (first.parent, causes(first), first.tool) == (uuid(6), [(uuid(6), "requested_by")], Tool("Bash", "t1"))
    assert (second.parent, second.status, second.text) == (uuid(8), "error", "failed")
    assert second.error
    assert causes(found[uuid(14)]) == [(uuid(12), "continues")]
    assert found[uuid(15)].parent == uuid(14)
    [start] = [event for event in found.values() if event.kind == "agent_start"]
    assert (start.parent, causes(start), start.at) == (uuid(8), [(uuid(8), "delegated_by")], found[uuid(8)].at)


def sub(number: int, above: int | None, kind: str, **fields: Any) -> Raw:
    return line(number, above, kind, agentId="a9", **{"isSidechain": True, **fields})


SUB = [
    sub(51, None, "user", message={"role": "user", "content": "SUB"}),
    sub(
        52,
        51,
        "assistant",
        message={"id": "m9", "model": "claude-x", "content": [{"type": "text", "text": "hi"}]},
        attributionAgent="helper-bee",
    ),
]


def test_a_sub_agent_hangs_below_the_call_that_asked_for_it(tmp_path: Path) -> None:
    lines(tmp_path / "s1.jsonl", TRANSCRIPT)
    lines(tmp_path / "s1" / "subagents" / "agent-a9.jsonl", SUB)
    events = kept(tmp_path)
    [start] = [event for event in events if event.kind == "agent_start"]
    found = {event.id: event for event in events}
    prompt, answer = found[uuid(51)], found[uuid(52)]
    assert start.parent == uuid(8)
    assert (prompt.kind, prompt.origin, prompt.parent, causes(prompt)) == ("user_message", "agent", start.id, [(start.id, "delegated_by")])
    assert causes(found[answer.parent]) == [(uuid(51), "input_of")]
    assert (answer.actor, answer.run, answer.root_session) == (Actor("a9", "helper-bee"), "a9", "s1")
    assert len(events) == len(found)


def test_a_sub_agent_read_alone_begins_all_the_same(tmp_path: Path) -> None:
    start = kept(lines(tmp_path / "agent-a9.jsonl", SUB))[0]
    whole = kept(lines(tmp_path / "s1.jsonl", TRANSCRIPT))
    assert (start.kind, start.parent) == ("agent_start", "")
    assert start.id in {event.id for event in whole}


@pytest.mark.requirement("C7")
def test_a_fork_repeats_nothing(tmp_path: Path) -> None:
    copied = [{**entry, "sessionId": "s2"} for entry in TRANSCRIPT[1:16] if isinstance(entry, dict)]
    fork = [
        {"type": "mode", "sessionId": "s2"},
        {"type": "queue-operation", "timestamp": "2026-03-01T02:00:00Z", "sessionId": "s2"},
        *copied,
    ]
    fork += [{**user(31, 15, "forked"), "sessionId": "s2"}, {**block(32, 31, "m8", {"type": "text", "text": "ok"}, 1), "sessionId": "s2"}]
    alone = kept(lines(tmp_path / "alone" / "s1.jsonl", TRANSCRIPT))
    lines(tmp_path / "both" / "a-fork.jsonl", fork)
    lines(tmp_path / "both" / "z-main.jsonl", TRANSCRIPT)
    both = kept(tmp_path / "both")
    assert len({event.id for event in both}) == len(both) == len(alone) + 3
    assert {event.scope.session for event in both if event.id in {other.id for other in alone}} == {"s1"}
    said, answer = (next(event for event in both if event.id == uuid(number)) for number in (31, 32))
    call = next(event for event in both if event.id == answer.parent)
    assert (said.scope.session, causes(call)[-1]) == ("s2", (uuid(31), "input_of"))


def test_blocks_in_one_line_have_ids_of_their_own(tmp_path: Path) -> None:
    said: list[Raw] = [
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        {"type": "redacted_thinking", "data": "x"},
    ]
    whole = line(2, 1, "assistant", message={"id": "m", "model": "x", "content": said})
    results = [{"type": "tool_result", "tool_use_id": "t", "content": "1"}, {"type": "text", "text": "and then?"}]
    answer = block(4, 3, "m5", {"type": "text", "text": "b"}, 1)
    path = lines(tmp_path / "a.jsonl", [user(1, None, "x"), whole, user(3, 2, results), answer])
    events = {event.kind: event for event in kept(path) if event.seq > 1}
    assert len({event.id for event in kept(path)}) == 8
    result, asked, call = events["tool_result"], events["user_message"], events["model_call"]
    assert result.parent == events["tool_call"].id
    assert {source for source, _ in causes(call)} == {result.id, asked.id}


def test_a_transcript_still_being_written(tmp_path: Path) -> None:
    whole = kept(lines(tmp_path / "s1.jsonl", TRANSCRIPT))
    data = (tmp_path / "s1.jsonl").read_bytes()
    path = dated(tmp_path / "s1.jsonl", data[: len(data) // 2])
    assert [problem.unfinished for problem in problems(path)] == [True]
    half = kept(path)
    assert 0 < len(half) < len(whole)
    assert {event.id for event in half} <= {event.id for event in whole}


def test_bad_lines_of_a_transcript_are_told(tmp_path: Path) -> None:
    bad = [{**user(2, 1, "x"), "timestamp": "soon"}, user(3, 1, 5), {**user(4, 1, "x"), "message": None}, "{broken"]
    path = lines(tmp_path / "a.jsonl", [user(1, None, "x"), *bad, user(6, 1, "y")])
    assert [problem.line for problem in problems(path)] == [2, 3, 4, 5]
    assert [event.text for event in kept(path)] == ["x", "y"]
