"""The real runs, read once and twice, against checkers that walk the raw files themselves."""

from __future__ import annotations

import json
import lzma
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from beebread.importers import read
from beebread.model import Event, links, merge, owner
from tests.unit.importers.given import causes, events, problems

Raw = dict[str, Any]


@pytest.fixture
def runs(data_dir: Path) -> Path:
    if not (folder := data_dir / "runs").is_dir():
        pytest.skip("no runs in the evaluation data")
    return folder


def raw(path: Path) -> Any:
    data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    return json.loads(data)


def by_session(found: list[Event]) -> dict[str, list[Event]]:
    sessions: dict[str, list[Event]] = {}
    for event in found:
        sessions.setdefault(event.scope.session, []).append(event)
    return sessions


@pytest.mark.requirement("C1", "C2")
def test_tau_bench_every_event_once_parents_exact_bytes_equal(runs: Path) -> None:
    path = runs / "tau_gpt4o_airline.json.xz"
    sessions = by_session(events(path))
    whole: list[Raw] = raw(path)
    assert len(whole) == len(sessions) == 200
    checked = sum(check_chat(run["traj"], sessions[f"tau-{run['task_id']}-{run['trial']}"]) for run in whole)
    assert checked == sum(map(len, sessions.values())) == 5398


def check_chat(messages: list[Raw], found: list[Event]) -> int:
    """Every message is its events, in order; each hangs on the one that the raw file says. How many there were."""
    stream = iter(found)
    made: list[list[Event]] = []
    for index, said in enumerate(messages):
        calls: list[Raw] = said.get("tool_calls") or []
        here: list[Event] = []
        if said["content"] or not calls:
            event = next(stream)
            wanted = {"system": "system_message", "user": "user_message", "assistant": "assistant_message", "tool": "tool_result"}[
                said["role"]
            ]
            assert (event.kind, event.text.encode()) == (wanted, said["content"].encode())
            here.append(event)
        for wish in calls:
            call = next(stream)
            assert call.tool
            assert (call.kind, call.tool.name, call.tool.call_id) == ("tool_call", wish["function"]["name"], wish["id"])
            assert call.tool.args == json.loads(wish["function"]["arguments"])
            assert call.parent == (here[0].id if said["content"] else made[index - 1][-1].id)
            here.append(call)
        made.append(here)
        check_edges(messages, made, index)
    assert next(stream, None) is None
    return len(found)


def called(said: Raw) -> list[str]:
    calls: list[Raw] = said.get("tool_calls") or []
    return [call["id"] for call in calls]


def check_edges(messages: list[Raw], made: list[list[Event]], index: int) -> None:
    said, first = messages[index], made[index][0]
    if said["role"] == "tool":
        asked = next(back for back in range(index - 1, -1, -1) if said["tool_call_id"] in called(messages[back]))
        names = called(messages[asked])
        call = made[asked][names.index(said["tool_call_id"]) - len(names)]
        assert (first.parent, causes(first)) == (call.id, [(call.id, "requested_by")])
        assert first.tool
        assert first.tool.name == said["name"]
    elif said["role"] == "assistant":
        since = next((back for back in range(index - 1, -1, -1) if messages[back]["role"] == "assistant"), -1)
        read_first = [made[back][0].id for back in range(since + 1, index) if messages[back]["role"] != "system"]
        assert causes(first) == [(id, "input_of") for id in read_first]
    else:
        assert (first.parent, first.causes) == ("", ())


@pytest.mark.requirement("C1", "C2")
def test_swe_agent_every_event_once_parents_exact_bytes_equal(runs: Path) -> None:
    path = runs / "sweagent_trajs.json.xz"
    sessions, whole = by_session(events(path)), raw(path)
    assert set(sessions) == set(whole)
    for name, run in whole.items():
        found = sessions[name]
        if not run.get("trajectory"):
            assert [event.text for event in found if event.kind != "tool_call"] == [said["content"] for said in run["history"]]
            continue
        beginning = [said for said in run["history"] if said["role"] != "assistant"]
        before = len(found) - sum(3 if step["thought"] else 2 for step in run["trajectory"]) - bool(run["info"].get("exit_status"))
        assert 2 <= before <= len(beginning)
        assert [event.text for event in found[:before]] == [said["content"] for said in run["history"][:before]]
        check_steps(run["trajectory"], found[before:], found[:before])


def check_steps(steps: list[Raw], found: list[Event], before: list[Event]) -> None:
    stream = iter(found)
    last = [event.id for event in before if event.kind == "user_message"]
    for step in steps:
        thought = next(stream) if step["thought"] else None
        call, result = next(stream), next(stream)
        if thought:
            assert (thought.kind, thought.text) == ("thought", step["thought"])
            assert (call.parent, call.causes) == (thought.id, ())
        assert causes(thought or call) == [(id, "input_of") for id in last]
        assert (call.kind, call.text, call.tool and call.tool.args) == ("tool_call", step["action"], {"command": step["action"]})
        assert (result.kind, result.text, result.parent) == ("tool_result", step["observation"], call.id)
        assert causes(result) == [(call.id, "requested_by")]
        last = [result.id]
    end = next(stream, None)
    assert end is None or (end.kind, causes(end)) == ("agent_end", [(last[0], "caused_by")])
    assert next(stream, None) is None


@pytest.mark.parametrize("name", ["solo_chat_en", "solo_chat_zh", "team_chat_en", "team_chat_zh"])
def test_chats_keep_speakers_times_and_words(runs: Path, name: str) -> None:
    path = runs / f"evermem_{name}.json"
    found, whole = events(path), raw(path)
    people = {key: person["full_name"] for key, person in whole["session_meta"]["user_details"].items()}
    assert len(found) == len(whole["conversation_list"]) == len({event.id for event in found})
    for event, said in zip(found, whole["conversation_list"], strict=True):
        human = not said["sender"].startswith("robot")
        assert (event.text, event.at, event.kind) == (
            said["content"], datetime.fromisoformat(said["create_time"]), "user_message" if human else "assistant_message",
        )  # fmt: skip
        assert (event.speaker, event.actor.name) == ((people[said["sender"]], "") if human else ("", people[said["sender"]]))
        assert event.source.native_id == said["message_id"]
        assert event.scope.session == whole["session_meta"]["group_id"]


@pytest.mark.requirement("C7")
def test_replayed_twice_nothing_changes(runs: Path) -> None:
    """Equal to the last byte, and a second sighting merges into the first without a change or a conflict."""
    for path in sorted(runs.glob("*.json*")):
        assert not problems(path)
        once, again = events(path), events(path)
        assert once == again
        assert len({event.id for event in once}) == len(once)
        assert all(merge(old, new) is old for old, new in zip(once, again, strict=True))


def test_no_edge_hangs_loose_and_no_cause_is_later(runs: Path) -> None:
    for path in sorted(runs.glob("*.json*")):
        place = {event.id: (event.at, event.seq) for event in events(path)}
        for event in events(path):
            for link in links(event, owner(event.scope)):
                assert place[link.target] <= place[event.id]


def test_a_folder_is_all_its_files(runs: Path) -> None:
    found = list(read(runs))
    assert all(isinstance(item, Event) for item in found)
    assert len(found) == sum(len(events(path)) for path in runs.glob("*.json*")) == 7388
