"""Whatever a file holds, reading it ends in events and problems, or an Invalid: never in another error, and never in an event twice."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beebread.errors import Invalid
from beebread.importers import Problem, read
from beebread.importers.shape import is_list, is_object
from beebread.model import Event
from tests.unit.importers.given import document, lines
from tests.unit.importers.test_claude_code import SUB, TRANSCRIPT
from tests.unit.importers.test_codex import rollout
from tests.unit.importers.test_openai_chat import TALK
from tests.unit.importers.test_small_formats import CHAT, SWE, tau

JSONL: list[Any] = [
    {"id": "1", "session": "s", "role": "user", "content": [{"type": "text", "text": "x"}], "at": "2026-03-01T09:00:00Z", "tags": ["t"]},
    {"kind": "tool_call", "tool": {"name": "f", "call_id": "c", "args": {"n": 1}}, "causes": [["1", "input_of"]], "model": {"name": "m"}},
    {"type": "event", "scope": {"user": "u"}, "id": "e", "kind": "thought", "at": "2026-03-01T09:00:00Z", "causes": [{"id": "1"}]},
]
FILES: dict[str, tuple[bool, Any]] = {
    "claude-code": (True, [*TRANSCRIPT, *SUB]), "codex": (True, rollout(numbered=True)), "openai": (False, {"messages": TALK}),
    "tau-bench": (False, [tau(1, 0)]), "swe-agent": (False, {"a": SWE}), "team-chat": (False, CHAT), "jsonl": (True, JSONL),
}  # fmt: skip
ODD: list[Any] = [
    None, 0, -1, 1.5, 2**70, True, "", "x", "\ud800", "\u0000", [], [[]], [None], {}, {"type": "text"}, {"type": 3}, [{"type": "image"}],
]  # fmt: skip


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [way] if way else []
    for key, item in value.items() if is_object(value) else enumerate(value) if is_list(value) else ():
        found.extend(places(item, (*way, key)))
    return found


def changed(value: Any, way: tuple[Any, ...], new: Any) -> Any:
    whole = copy.deepcopy(value)
    at = whole
    for key in way[:-1]:
        at = at[key]
    at[way[-1]] = new
    return whole


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=150)
@given(data=st.data())
def test_an_odd_value_anywhere(tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject) -> None:
    by_line, value = FILES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        value = changed(value, data.draw(st.sampled_from(places(value))), data.draw(st.sampled_from(ODD)))
    folder = tmp_path_factory.getbasetemp()
    path = write(folder / f"{name}.json", by_line, value)
    try:
        found = list(read(path, format=name))
    except Invalid:
        return
    events = [item for item in found if isinstance(item, Event)]
    assert all(isinstance(item, (Event, Problem)) for item in found)
    assert all(event.id and event.at.tzinfo and msgspec.json.encode(event) for event in events)
    assert list(read(path, format=name)) == found


def write(path: Path, by_line: bool, value: Any) -> Path:
    if by_line:
        path.write_text("".join(json.dumps(item) + "\n" for item in value), encoding="utf-8")
    else:
        path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_the_files_are_read_whole_as_they_are(tmp_path: Path) -> None:
    for name, (by_line, value) in FILES.items():
        path = (lines if by_line else document)(tmp_path / f"{name}.json", value)
        assert len([item for item in read(path) if isinstance(item, Problem)]) == (1 if name == "team-chat" else 0)
