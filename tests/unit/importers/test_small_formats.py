"""tau-bench, SWE-agent and group chats, on small runs of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beebread.importers import Options, detect
from beebread.model import Actor, ModelCall, Tool
from tests.unit.importers.given import causes, document, events, kept, problems

CALL = {"id": "c", "type": "function", "function": {"name": "find", "arguments": '{"id": 7}'}}
TRAJ: list[Any] = [
    {"role": "system", "content": "policy"},
    {"role": "user", "content": "改签"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c", "name": "find", "content": "{}"},
    {"role": "assistant", "content": "好的"},
]


def tau(task: int, trial: int) -> dict[str, Any]:
    return {"task_id": task, "trial": trial, "reward": 1.0, "info": {"task": {"user_id": "mia"}}, "traj": TRAJ}


def test_tau_runs_are_sessions_by_task_and_trial(tmp_path: Path) -> None:
    path = document(tmp_path / "tau.json", [tau(3, 0), tau(3, 1)])
    assert detect(path) == "tau-bench"
    found = events(path)
    assert [event.scope.session for event in found] == ["tau-3-0"] * 5 + ["tau-3-1"] * 5
    assert len({event.id for event in found}) == 10, "equal runs are apart"
    assert {event.speaker for event in found if event.kind == "user_message"} == {"mia"}
    other = events(path, Options(session="airline"))
    assert {event.scope.session for event in other} == {"airline-3-0", "airline-3-1"}
    assert not {event.id for event in other} & {event.id for event in found}


def test_a_broken_tau_run_does_not_stop_the_others(tmp_path: Path) -> None:
    path = document(tmp_path / "tau.json", [tau(1, 0), 5, {**tau(2, 0), "traj": "x"}, tau(3, 0)])
    assert [problem.reason.split(":")[0] for problem in problems(path)] == ["run 2", "run 3"]
    assert {event.scope.session for event in kept(path)} == {"tau-1-0", "tau-3-0"}


SWE: dict[str, Any] = {
    "history": [
        {"role": "system", "content": "SETTING"},
        {"role": "user", "content": "a demonstration", "is_demo": True},
        {"role": "user", "content": "修复除零错误"},
        {"role": "assistant", "content": "…", "thought": "先找文件", "action": "find_file a.py"},
    ],
    "trajectory": [
        {"thought": "先找文件\n", "action": "find_file a.py", "observation": "Found 1 match", "state": '{"working_dir": "/r"}'},
        {"thought": "", "action": "edit 1:2\nx\n", "observation": "", "state": {"working_dir": "/r", "n": 3}, "response": "…"},
        {"thought": "done", "action": "submit", "observation": "diff", "state": "broken", "response": "…"},
    ],
    "info": {"exit_status": "submitted", "model_stats": {"tokens_sent": 100, "tokens_received": 5, "instance_cost": 0.5}},
}  # fmt: skip


@pytest.mark.requirement("C1", "C2")
def test_swe_agent_steps_are_thought_call_and_result(tmp_path: Path) -> None:
    path = document(tmp_path / "fix.traj", SWE)
    assert detect(path) == "swe-agent"
    system, demo, task, thought, call, result, edit, edited, last, submit, diff, end = events(path)
    assert [event.kind for event in (system, demo, task)] == ["system_message", "harness_message", "user_message"]
    assert (thought.text, thought.parent, causes(thought)) == ("先找文件\n", "", [(task.id, "input_of")])
    assert (call.parent, call.text, call.tool) == (thought.id, "find_file a.py", Tool("find_file", "1", {"command": "find_file a.py"}))
    assert (call.environment, edit.environment, submit.environment) == ({"working_dir": "/r"}, {"working_dir": "/r"}, {})
    assert (result.parent, causes(result), result.text) == (call.id, [(call.id, "requested_by")], "Found 1 match")
    assert (edit.parent, causes(edit), edit.text) == ("", [(result.id, "input_of")], "edit 1:2\nx\n")
    assert (edited.text, edited.parent, causes(last)) == ("", edit.id, [(edited.id, "input_of")])
    assert (submit.parent, diff.parent, causes(end)) == (last.id, submit.id, [(diff.id, "caused_by")])
    assert (end.text, end.status, end.model) == ("submitted", "ok", ModelCall(usage={"in": 100, "out": 5}, cost=0.5))
    assert {event.scope.session for event in events(path)} == {"fix"}


def test_swe_agent_runs_by_path(tmp_path: Path) -> None:
    failed = {**SWE, "info": {"exit_status": "exit_cost"}}
    chat = {"history": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "", "tool_calls": [CALL]},
                        {"role": "tool", "content": "y", "tool_call_ids": ["c"]}]}  # fmt: skip
    path = document(tmp_path / "runs.json", {"a/1.traj": failed, "b": chat, "c": {"trajectory": [{"thought": 3}, 4], "history": []}})
    found = kept(path)
    assert {event.scope.session for event in found} == {"a/1.traj", "b"}
    assert [event.status for event in found if event.kind == "agent_end"] == ["error"]
    result = next(event for event in found if event.text == "y")
    assert next(event for event in found if event.id == result.parent).tool == Tool("find", "c", {"id": 7})
    assert [problem.reason.split(":")[0] for problem in problems(path)] == ["c, step 1", "c, step 2"]


CHAT: dict[str, Any] = {
    "session_meta": {
        "group_id": "销售组", "default_timezone": "Asia/Shanghai",
        "user_details": {"u1": {"full_name": "陈", "role": "user"}, "r1": {"full_name": "助手", "role": "assistant"}},
    },
    "conversation_list": [
        {"message_id": "m1", "create_time": "2025-02-01T10:00:00", "sender": "u1", "sender_name": "chen", "type": "text",
         "content": "大家早", "refer_list": []},
        {"message_id": "m2", "create_time": "2025-02-01T02:01:00Z", "sender": "u2", "sender_name": "Betty", "type": "text",
         "content": "Morning", "refer_list": ["m1"]},
        {"message_id": "m2", "create_time": "2025-02-01T02:02:00Z", "sender": "u2", "sender_name": "Betty", "type": "image",
         "content": "https://example.org/plan.png", "caption": "plan", "refer_list": [{"message_id": "m2"}]},
        {"message_id": "m3", "create_time": "2025-02-01T02:03:00Z", "sender": "r1", "sender_name": "assistant", "type": "text",
         "content": "收到", "refer_list": ["m9"]},
    ],
}  # fmt: skip


def test_a_group_chat_keeps_who_said_it_and_what_it_answers(tmp_path: Path) -> None:
    path = document(tmp_path / "chat.json", CHAT)
    assert detect(path) == "team-chat"
    first, second, picture, answer = kept(path)
    assert [event.speaker for event in (first, second, picture, answer)] == ["陈", "Betty", "Betty", ""]
    assert [event.tags for event in (first, answer)] == [("sender:u1",), ("sender:r1",)]
    assert (first.at.isoformat(), second.refers_to, picture.refers_to) == ("2025-02-01T10:00:00+08:00", (first.id,), (second.id,))
    assert (picture.text, picture.parts) == ("plan", ({"type": "uri", "modality": "image", "uri": "https://example.org/plan.png"},))
    assert (answer.kind, answer.actor) == ("assistant_message", Actor("r1", "助手"))
    assert causes(answer) == [(event.id, "input_of") for event in (first, second, picture)]
    assert {event.scope.session for event in kept(path)} == {"销售组"}
    [problem] = problems(path)
    assert "m3 refers to m9" in problem.reason
