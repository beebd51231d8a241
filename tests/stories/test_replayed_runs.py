"""Real runs replayed through the public client: every event once, parents exact, bytes equal, nothing new the second time."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from beebread import Client, Event

RUNS = (
    "tau_gpt4o_airline.json.xz",
    "sweagent_trajs.json.xz",
    "evermem_solo_chat_zh.json",
    "evermem_team_chat_zh.json",
    "evermem_team_chat_en.json",
)


def kept(me: Client) -> dict[str, Event]:
    found: dict[str, Event] = {}
    cursor = ""
    while True:
        page = me.list(types=["event"], limit=1000, cursor=cursor, order="time")
        found.update({record.id: record for record in page.items if isinstance(record, Event)})
        cursor = page.cursor
        if not cursor:
            return found


def raw(path: Path) -> Any:
    body = path.read_bytes()
    return json.loads(lzma.decompress(body) if path.suffix == ".xz" else body)


@pytest.mark.requirement("C1", "C2", "C7")
@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_kept_once_with_its_bytes_and_parents(tmp_path: Path, data_dir: Path, name: str) -> None:
    source = data_dir / "runs" / name
    with Client(tmp_path) as memory:
        me = memory.bind(user="u")
        first = me.import_(source)
        assert first.created > 0 and first.problems == () and first.seen == 0
        before = kept(me)
        assert len(before) == first.created
        again = me.import_(source)
        assert (again.created, again.seen) == (0, first.created)
        after = kept(me)
    assert before == after, "a second import changed something"
    for event in before.values():
        for end in (event.parent, *(cause.id for cause in event.causes)):
            assert not end or end in before, f"{event.id} hangs loose from {end}"
        if event.kind == "tool_result":
            causes = [before[cause.id] for cause in event.causes]
            assert any(cause.kind == "tool_call" for cause in causes) or before[event.parent].kind == "tool_call", event.id
    texts = sorted(event.text for event in before.values())
    for said in spoken(raw(source)):
        assert said in texts, f"not kept byte for byte: {said[:80]!r}"


def spoken(data: Any) -> list[str]:
    """Every text of a raw file that must be kept byte for byte, found without our importers."""
    if isinstance(data, list):
        turns = [message for run in rows(data) for message in rows(run["traj"])]
        return [message["content"] for message in turns if message.get("content")]
    if "conversation_list" in data:
        return [message["content"] for message in rows(data["conversation_list"]) if message["content"]]
    steps = [step for run in rows(data.values()) for step in rows(run.get("trajectory") or [])]
    return [text for step in steps for text in (step.get("observation"), step.get("thought")) if text]


def rows(values: Any) -> list[dict[str, Any]]:
    return list(values)


@pytest.mark.requirement("R11")
def test_each_repeated_tool_call_finds_its_earlier_result(tmp_path: Path, data_dir: Path) -> None:
    source = data_dir / "runs" / RUNS[0]
    repeated = missed = 0
    with Client(tmp_path) as memory:
        me = memory.bind(user="u")
        me.import_(source)
        sessions = {session.scope.session for session in all_sessions(me)}
        assert len(sessions) == len(raw(source))
        for session in sorted(sessions):
            events = [event for event in me.trace(session).events if isinstance(event, Event)]
            results: dict[str, str] = {}
            calls: dict[str, str] = {}
            for event in events:
                tool = event.tool
                if event.kind == "tool_call" and tool is not None:
                    signature = json.dumps([tool.name, tool.args], sort_keys=True)
                    if signature in calls and calls[signature] in results:
                        repeated += 1
                        found = me.query(tool=tool.name, args=tool.args, sessions=[session], before=event.at, limit=50)
                        missed += results[calls[signature]] not in [item.id for item in found]
                        again = me.query(tool=tool.name, args=dict(reversed(list(tool.args.items()))), before=event.at, limit=1000)
                        missed += results[calls[signature]] not in [item.id for item in again]
                    calls[signature] = event.id
                if event.kind == "tool_result":
                    for end in (event.parent, *(cause.id for cause in event.causes)):
                        results.setdefault(end, event.id)
    assert repeated > 20
    assert missed == 0


def all_sessions(me: Client) -> list[Any]:
    found: list[Any] = []
    cursor = ""
    while True:
        page = me.sessions(limit=500, cursor=cursor)
        found += page.items
        cursor = page.cursor
        if not cursor:
            return found
