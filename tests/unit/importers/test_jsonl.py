"""JSON lines: our own export comes back as it was, and the lenient form is read by its documented names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest

from beebread.importers import Options, Problem, Progress, read
from beebread.model import (
    EVENT_KINDS,
    Actor,
    Cause,
    Event,
    Evidence,
    Failure,
    Memory,
    ModelCall,
    Scope,
    Source,
    Tool,
    session_of,
)
from tests.unit.importers.given import WRITTEN, causes, dated, events, kept, lines, problems, records

CHINA = timezone(timedelta(hours=8))
NOON = datetime(2026, 3, 1, 12, tzinfo=CHINA)


def whole_event() -> Event:
    return Event(
        id="e1", scope=Scope(tenant="t", user="李雷", session="s", task="订票", sensitivity=2), kind="tool_result", at=NOON, origin="tool",
        actor=Actor("a", "助手"), speaker="", run="r", root_session="root", ended_at=NOON, recorded_at=NOON, seq=7, position=9, parent="p",
        causes=(Cause("p", "requested_by"),), refers_to=("x",), text="结果: 42 \u0000 \u202eabc",
        parts=({"type": "text", "content": "结果"},), tool=Tool("f", "c", {"n": 1.5, "城市": "上海"}, 2),
        model=ModelCall(name="m", usage={"in": 3}, cost=0.25), status="error",
        error=Failure("t", "坏了"), source=Source(framework="f", line=3), priority="high", tags=("甲", "b"), environment={"city": "上海"},
        dedup_key="d", redactions={"phone": 1}, body_ref="b", superseded_by="z",
    )  # fmt: skip


def whole_memory() -> Memory:
    return Memory(
        id="m1", scope=Scope(user="u"), kind="preference", at=NOON, text="喜欢靠窗", key="seat", value={"side": "window"}, tags=("t",),
        entities=("ZH1701",), evidence=Evidence(sources=("e1",), quote="靠窗", speaker="李雷"), confidence=0.5, valid_from=NOON, uses=3,
        disputes=("m0",), environment={"app": "1"},
    )  # fmt: skip


@pytest.mark.requirement("C2")
def test_an_export_comes_back_as_it_was(tmp_path: Path) -> None:
    given = [whole_event(), whole_memory()]
    path = dated(tmp_path / "out.jsonl", b"".join(msgspec.json.encode(record) + b"\n" for record in [*given, session_of(whole_event())]))
    found = records(path)
    assert found == given
    assert found[0].at.utcoffset() == timedelta(hours=8)
    assert b"".join(msgspec.json.encode(record) + b"\n" for record in found) == b"".join(
        msgspec.json.encode(record) + b"\n" for record in given
    )


def test_an_export_moves_to_another_owner_and_stays_as_secret(tmp_path: Path) -> None:
    path = dated(tmp_path / "out.jsonl", msgspec.json.encode(whole_event()))
    [moved] = records(path, Options(scope=Scope(tenant="t2", user="u2", session="not used")))
    assert moved.scope == Scope(tenant="t2", user="u2", session="s", task="订票", sensitivity=2)
    [named] = records(path, Options(session="new"))
    assert named.scope == msgspec.structs.replace(whole_event().scope, session="new")


@pytest.mark.requirement("C1", "C2")
def test_lenient_lines_are_read_by_their_names(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "日志.jsonl",
        [
            {"id": "1", "session": "s", "role": "user", "content": "上海天气？", "at": "2026-03-01T09:00:00+08:00", "name": "李雷"},
            {"id": "2", "session": "s", "type": "internal_thought", "text": "look it up", "ts": 1772326801, "parent": "1"},
            {"id": "3", "session": "s", "kind": "tool_invocation", "tool": {"name": "weather", "call_id": "c1", "args": {"city": "上海"}},
             "timestamp": 1772326802500, "causes": [["2", "input_of"], "1", {"id": "x", "rel": "data_from"}], "agent": {"id": "a"}},
            {"session": "s", "kind": "tool_result", "call_id": "c1", "content": {"temp": 9}, "at": "2026-03-01T01:00:03Z"},
            {"session": "s", "kind": "assistant_message", "text": [{"type": "text", "text": "9 度"}], "at": "2026-03-01T01:00:04Z",
             "ended_at": "2026-03-01T01:00:05Z", "tags": ["t"], "environment": {"city": "上海"}, "model": "m", "agent": "a"},
            {"session": "s", "kind": "error", "error": "boom", "at": "2026-03-01T01:00:06Z", "refers_to": ["1"], "priority": "high"},
        ],
    )  # fmt: skip
    said, thought, call, result, answer, failure = events(path)
    assert [event.kind for event in events(path)] == ["user_message", "thought", "tool_call", "tool_result", "assistant_message", "error"]
    assert (said.id, said.text, said.speaker, said.at.isoformat()) == ("1", "上海天气？", "李雷", "2026-03-01T09:00:00+08:00")
    assert (thought.parent, thought.at) == ("1", datetime(2026, 3, 1, 1, 0, 1, tzinfo=UTC))
    assert call.tool == Tool("weather", "c1", {"city": "上海"})
    assert causes(call) == [("2", "input_of"), ("1", "caused_by"), ("x", "data_from")]
    assert (call.at.microsecond, call.actor) == (500_000, Actor("a"))
    assert (result.parent, causes(result), result.tool) == ("3", [("3", "requested_by")], Tool("weather", "c1"))
    assert result.text == '{"temp":9}'
    assert (answer.text, answer.parts, answer.tags, answer.model) == ("9 度", (), ("t",), ModelCall(name="m"))
    assert (failure.status, failure.error, failure.refers_to, failure.priority) == ("error", Failure(message="boom"), ("1",), "high")
    assert [event.origin for event in events(path)] == ["human", "model", "model", "tool", "model", "harness"]


@pytest.mark.requirement("C1")
@pytest.mark.parametrize("kind", EVENT_KINDS)
def test_every_kind_of_event_can_be_imported(tmp_path: Path, kind: str) -> None:
    [event] = events(lines(tmp_path / "a.jsonl", [{"kind": kind, "text": "x"}]))
    assert event.kind == kind
    assert event.origin


@pytest.mark.requirement("C7")
def test_ids_are_made_from_session_kind_place_and_content(tmp_path: Path) -> None:
    said = {"role": "user", "content": "好"}
    path = lines(tmp_path / "a.jsonl", [said, said])
    twice = events(path)
    assert len({event.id for event in twice}) == 2, "a person may say the same thing twice"
    assert events(path) == twice
    other = events(lines(tmp_path / "b.jsonl", [said]))
    assert other[0].scope.session == "b"
    assert other[0].id not in {event.id for event in twice}
    changed = events(lines(tmp_path / "a.jsonl", [said, {**said, "content": "不好"}]))
    assert (changed[0].id, changed[1].id == twice[1].id) == (twice[0].id, False)


def test_lines_without_times_are_paced(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [{"role": "user", "text": "a"}, {"role": "assistant", "text": "b"}])
    assert [event.at for event in events(path)] == [WRITTEN, WRITTEN]
    assert [event.seq for event in events(path)] == [1, 2]
    assert [event.at for event in events(path, Options(start=NOON))] == [NOON, NOON + timedelta(seconds=1)]


def test_a_naive_time_needs_a_zone(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [{"role": "user", "text": "a", "at": "2026-03-01T09:00:00"}, {"role": "user", "text": "b"}])
    [problem] = problems(path)
    assert problem.line == 1
    assert "no time zone" in problem.reason
    assert "tz" in problem.reason
    assert [event.text for event in kept(path)] == ["b"]
    assert events(path, Options(tz="Asia/Shanghai"))[0].at.isoformat() == "2026-03-01T09:00:00+08:00"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ({"role": "user", "text": "a", "at": "yesterday"}, "ISO 8601"),
        ({"role": "user", "text": "a", "at": "9999-01-01T00:00:00Z"}, "outside 1900 to 2200"),
        ({"role": "user", "text": "a", "at": -5}, "Unix time"),
        ({"role": "user", "text": "a", "at": 1e300}, "Unix time"),
        ({"role": "user", "text": "a", "at": True}, "not a string"),
        ({"kind": "gossip", "text": "a"}, "use one of user_message"),
        ({"text": "a"}, "no kind"),
        ({"role": "user", "text": [{"type": "text", "text": 3}]}, "not a string"),
        ({"role": "user", "text": "a", "causes": [3]}, "not an object"),
        ({"role": "user", "text": "a", "causes": [["x", "because"]]}, "relation 'because' is unknown"),
        ({"role": "user", "text": "a", "status": "meh"}, "use one of ok"),
        ({"role": "user", "text": "a", "environment": {"city": 1}}, "environment"),
        ({"role": "user", "text": "a", "id": 1.5}, "not a string"),
        ({"type": "event", "scope": {}, "kind": "user_message", "at": "2026-03-01T09:00:00+08:00"}, "id"),
        ({"type": "event", "scope": {}, "id": "", "kind": "user_message", "at": "2026-03-01T09:00:00+08:00"}, "no id"),
        ({"type": "event", "scope": {}, "id": "a", "kind": "user_message", "at": "2026-03-01T09:00:00"}, "no time zone"),
        ({"type": "event", "scope": {}, "id": "a", "kind": "gossip", "at": "2026-03-01T09:00:00Z"}, "use one of"),
        ({"type": "memory", "scope": {}, "id": "a", "kind": "fact", "at": "2026-03-01T09:00:00Z", "valid_to": "3000-01-01T00:00:00Z"},
         "valid_to"),
        ([1], "a list"),
        ("7", "a number"),
        ("nonsense {", "not valid JSON"),
        ('{"role": "user", "text": "\\ud800x"}', "lone surrogate"),
        ('{"role": "user", "text": NaN}', "number that JSON has not"),
        ('{"a":' * 3000, "not valid JSON"),
    ],
)  # fmt: skip
def test_a_bad_line_is_told_and_the_others_come(tmp_path: Path, line: object, word: str) -> None:
    good = {"role": "user", "text": "好"}
    path = lines(tmp_path / "a.jsonl", [good, line, good])
    [problem] = problems(path)
    assert (problem.file, problem.line, problem.unfinished) == ("a.jsonl", 2, False)
    assert word in problem.reason
    assert str(problem) == f"a.jsonl:2: {problem.reason}"
    assert [event.text for event in kept(path)] == ["好", "好"]


def test_a_circle_of_causes_is_refused_at_the_line_that_closes_it(tmp_path: Path) -> None:
    def line(name: str, *above: str) -> dict[str, object]:
        return {"id": name, "kind": "thought", "text": name, "causes": list(above)}

    path = lines(
        tmp_path / "a.jsonl", [line("0"), line("a", "c", "0"), line("b", "a"), line("c", "0", "b"), line("d", "d"), line("e", "c")]
    )
    circle, itself = problems(path)
    assert (circle.line, itself.line) == (4, 5)
    assert "c <- b <- a <- c" in circle.reason
    assert "among its own causes" in itself.reason
    assert [event.id for event in kept(path)] == ["0", "a", "b", "e"]


def test_a_parent_closes_a_circle_too(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", [{"id": "a", "role": "user", "parent": "b"}, {"id": "b", "role": "user", "parent": "a"}])
    assert [problem.line for problem in problems(path)] == [2]


def test_a_half_written_last_line_is_left_for_the_next_time(tmp_path: Path) -> None:
    path = dated(tmp_path / "a.jsonl", '{"role": "user", "text": "早"}\n{"role": "assistant", "text": "您')
    [problem] = problems(path)
    assert (problem.line, problem.unfinished) == (2, True)
    [first] = kept(path)
    dated(path, '{"role": "user", "text": "早"}\n{"role": "assistant", "text": "您好"}')
    assert [event.text for event in events(path)] == ["早", "您好"], "complete without a line break at its end"
    assert events(path)[0] == first


def test_long_odd_and_right_to_left_text_is_kept_to_the_letter(tmp_path: Path) -> None:
    texts = ["", "文" * 350_000, "a\u0000b", "\u202eשלום", "  两 端  ", "\r\n\t", "😀" * 3]
    path = lines(tmp_path / "a.jsonl", [{"role": "user", "text": text} for text in texts])
    assert [event.text for event in events(path)] == texts


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    told: list[Progress] = []
    path = lines(tmp_path / "a.jsonl", [{"role": "user", "text": "x" * 1000} for _ in range(1000)])
    assert len(events(path, Options(progress=told.append))) == 1000
    size = path.stat().st_size
    assert [step.bytes_done for step in told] == sorted(step.bytes_done for step in told)
    assert (len(told) >= 3, told[-1]) == (True, Progress("a.jsonl", size, size))


def test_lines_are_streamed(tmp_path: Path) -> None:
    """The first events come before the file is read: what lies behind them may still be broken or very long."""
    path = lines(tmp_path / "a.jsonl", [{"role": "user", "text": "x" * 1000} for _ in range(5000)])
    told: list[Progress] = []
    stream = read(path, Options(progress=told.append))
    assert isinstance(next(stream), Event)
    assert not told or told[-1].bytes_done < path.stat().st_size / 2
    assert not any(isinstance(item, Problem) for item in stream)
