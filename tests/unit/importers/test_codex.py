"""Codex rollouts: response items alone, grouped into model calls by what they were sampled from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beebread.importers import detect
from beebread.model import Event, ModelCall, Tool
from tests.unit.importers.given import causes, events, lines


class Rollout:
    """Writes a rollout line by line; `sampled` None leaves out what older versions do not say."""

    def __init__(self, *, numbered: bool) -> None:
        self.values: list[dict[str, Any]] = []
        self._numbered = numbered
        self.add("session_meta", id="s1", cli_version="0.1", model_provider="openai")
        self.add("turn_context", turn_id="turn1", model="gpt-x")

    def add(self, kind: str, /, sampled: int | None = None, **payload: Any) -> None:
        value: dict[str, Any] = {"timestamp": f"2026-03-01T01:00:{len(self.values):02d}.5Z", "type": kind, "payload": payload}
        if self._numbered and sampled is not None:
            value["metadata"] = {"sampled_through_sequence": sampled}
        self.values.append(value)

    def said(self, role: str, text: str, sampled: int, *items: str) -> None:
        piece = {"type": "output_text" if role == "assistant" else "input_text", "text": text}
        about = {"internal_chat_message_metadata_passthrough": {"content_item_kinds": list(items)}} if items else {}
        self.add("response_item", sampled, type="message", role=role, content=[piece], id=f"msg_{len(self.values)}", **about)


def rollout(*, numbered: bool) -> list[dict[str, Any]]:
    made = Rollout(numbered=numbered)
    made.said("developer", "rules", 0)
    made.said("user", "<environment_context>…</environment_context>", 0)
    made.said("user", "请运行", 0)
    made.said("developer", "<memory>喜欢茶</memory>", 0, "hooks.additional_context")
    made.add("event_msg", type="user_message", message="请运行")
    made.add("response_item", 4, type="reasoning", id="rs", summary=[{"type": "summary_text", "text": "想"}], content=None)
    made.said("assistant", "Running.", 4)
    made.add("response_item", 4, type="function_call", id="fc", call_id="c1", name="exec", arguments='{"cmd": "echo 一"}')
    made.add("response_item", 4, type="custom_tool_call", call_id="c2", name="apply_patch", input="*** Begin")
    made.add("token_usage_record", response_id="resp1", usage={"input_tokens": 9, "output_tokens": 3, "cached_input_tokens": 2})
    made.add("response_item", 4, type="custom_tool_call_output", call_id="c2", output={"content": "patched", "success": True})
    made.add("response_item", 4, type="function_call_output", call_id="c1", output="Process exited with code 2\nOutput:\nno such file")
    made.said("assistant", "完成", 9)
    made.add("compacted", message="summary")
    made.add("response_item", 12, type="reasoning", id="rs2", summary=[], encrypted_content="…")
    made.said("assistant", "后来", 12)
    return made.values


@pytest.mark.requirement("C1", "C2")
@pytest.mark.parametrize("numbered", [True, False])
def test_a_rollout(tmp_path: Path, numbered: bool) -> None:
    path = lines(tmp_path / "rollout-x.jsonl", rollout(numbered=numbered))
    assert detect(path) == "codex"
    rules, world, asked, memory, one, thought, said, call, patch, patched, failed, two, done, compaction, three, later = events(path)
    assert [event.kind for event in (rules, world, asked, memory, compaction)] == [
        "system_message", "harness_message", "user_message", "memory_injected", "compaction",
    ]  # fmt: skip
    assert (asked.text, asked.scope.session, asked.run, asked.source.version) == ("请运行", "s1", "turn1", "0.1")
    assert causes(one) == [(event.id, "input_of") for event in (world, asked, memory)]
    assert [event.parent for event in (thought, said, call, patch)] == [one.id] * 4
    assert (thought.text, said.text, call.tool) == ("想", "Running.", Tool("exec", "c1", {"cmd": "echo 一"}))
    assert patch.tool == Tool("apply_patch", "c2", "*** Begin")
    assert one.model == ModelCall(provider="openai", name="gpt-x", response_id="resp1", usage={"in": 9, "out": 3, "cache_read": 2})
    assert (patched.parent, patched.text, patched.status, patched.tool) == (patch.id, "patched", "ok", Tool("apply_patch", "c2"))
    assert (failed.parent, failed.status, causes(failed)) == (call.id, "error", [(call.id, "requested_by")])
    assert causes(two) == [(patched.id, "input_of"), (failed.id, "input_of")]
    assert (done.parent, later.parent, causes(three)) == (two.id, three.id, [(compaction.id, "input_of")])


@pytest.mark.requirement("C7")
def test_equal_items_of_two_rollouts_are_apart(tmp_path: Path) -> None:
    first = rollout(numbered=True)
    second = [{**first[0], "payload": {**first[0]["payload"], "id": "s2"}}, *first[1:]]

    def ids(values: list[dict[str, Any]], name: str) -> set[str]:
        found: list[Event] = events(lines(tmp_path / name, values))
        assert len({event.id for event in found}) == len(found)
        return {event.id for event in found}

    assert not ids(first, "a.jsonl") & ids(second, "b.jsonl")
    assert ids(first, "a.jsonl") == ids(first, "moved.jsonl")
