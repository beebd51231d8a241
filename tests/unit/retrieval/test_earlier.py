"""A tool that was already called with these arguments is not called again: its earlier result is found, and judged."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from beebread.model import Failure
from tests.unit.retrieval.world import START, World, names


def called(world: World, number: int, args: Any, text: str, days: float, **more: Any) -> None:
    world.event(f"call{number}", "", "tool_call", tool="get_weather", args=args, days=days, session=more.get("session", "s1"), **_who(more))
    if text:
        world.event(
            f"result{number}", text, "tool_result", causes=[f"call{number}"], tool="get_weather", days=days + 0.001,
            session=more.get("session", "s1"), status=more.get("status", "ok"), error=more.get("error"), **_who(more),
        )  # fmt: skip


def _who(more: dict[str, Any]) -> dict[str, Any]:
    return {name: more[name] for name in ("user", "actor", "scope") if name in more}


@pytest.mark.requirement("R11")
@pytest.mark.parametrize(
    "args",
    [
        {"city": "成都", "days": 3},
        {"days": 3.0, "city": " 成都 "},
        {"city": "成都", "days": 3, "unit": None, "lang": ""},
        '{"days": 3, "city": "成都"}',
    ],
)
def test_equivalent_arguments_find_the_result(args: Any) -> None:
    world = World()
    called(world, 1, {"city": "成都", "days": 3}, "晴，二十度", 1)
    called(world, 2, {"city": "成都", "days": 4}, "雨，十度", 1)
    called(world, 3, {"city": "重庆", "days": 3}, "雾，十五度", 1)
    recall = world.ask(tool="get_weather", args=args)
    assert names(recall) == ["result1"]
    assert recall.items[0].text == "晴，二十度"
    assert not world.ask(tool="get_forecast", args=args).items
    assert "not called" in world.ask(tool="get_forecast", args=args).report.empty


@pytest.mark.requirement("R11")
@pytest.mark.parametrize("kept", [None, {}, "", "{}"])
@pytest.mark.parametrize("asked", [None, {}, "{}"])
def test_no_arguments_are_no_arguments_however_written(kept: Any, asked: Any) -> None:
    world = World()
    called(world, 1, kept, "ok", 1)
    assert names(world.ask(tool="get_weather", args=asked)) == ["result1"]


@pytest.mark.requirement("R11")
def test_arguments_kept_as_json_text_meet_arguments_given_as_an_object() -> None:
    world = World()
    called(world, 1, '{"city":"Oslo"}', "4 degrees", 1)
    assert names(world.ask(tool="get_weather", args={"city": "Oslo"})) == ["result1"]


@pytest.mark.requirement("R11")
def test_age_and_status_are_told_and_what_a_later_result_contradicts() -> None:
    world = World()
    called(world, 1, {"city": "Oslo"}, "4 degrees", 1)
    called(world, 2, {"city": "Oslo"}, "4 degrees", 2)
    called(world, 3, {"city": "Oslo"}, "9 degrees", 3)
    world.now = START + timedelta(days=5)
    items = world.ask(tool="get_weather", args={"city": "Oslo"}).items
    assert [item.id for item in items] == ["result3", "result2", "result1"]
    newest, middle, oldest = items
    assert "1 day old" in newest.reasons
    assert "status ok" in newest.reasons
    assert "the latest" in newest.reasons
    assert newest.status == "active"
    assert middle.status == oldest.status == "contradicted"
    assert any("says otherwise" in reason and "result3" in reason for reason in oldest.reasons)
    assert not any("result2" in reason for reason in oldest.reasons)


@pytest.mark.requirement("R11")
def test_later_results_that_agree_and_a_later_failure() -> None:
    world = World()
    called(world, 1, {"city": "Oslo"}, "4 degrees", 1)
    called(world, 2, {"city": "Oslo"}, "4 degrees", 2)
    first = world.ask(tool="get_weather", args={"city": "Oslo"}).items[1]
    assert (first.id, first.status) == ("result1", "active")
    assert "later results agree" in first.reasons
    called(world, 3, {"city": "Oslo"}, "", 3)
    world.event(
        "result3", "no such city", "tool_result", causes=["call3"], tool="get_weather", days=3.1, status="error",
        error=Failure("KeyError", "no such city"),
    )  # fmt: skip
    items = world.ask(tool="get_weather", args={"city": "Oslo"}).items
    assert [item.id for item in items] == ["result3", "result2", "result1"]
    assert "status error" in items[0].reasons
    assert any("failed" in reason and "result3" in reason for reason in items[1].reasons)
    assert items[1].status == "contradicted"


@pytest.mark.requirement("R11")
def test_another_agent_and_session_of_the_same_user_are_looked_in_and_another_user_is_not() -> None:
    world = World()
    called(world, 1, {"city": "Oslo"}, "4 degrees", 1, session="yesterday")
    called(world, 9, {"city": "Oslo"}, "mine alone", 2, user="v")
    assert names(world.ask(tool="get_weather", args={"city": "Oslo"}, session="today", who=world.asker(agent="other"))) == ["result1"]
    assert names(world.ask(tool="get_weather", args={"city": "Oslo"}, who=world.asker(user="v"))) == ["result9"]
    assert not world.ask(tool="get_weather", args={"city": "Oslo"}, who=world.asker(user="w")).items


@pytest.mark.requirement("R11")
def test_a_private_agents_call_is_not_told_to_another() -> None:
    world = World()
    called(world, 1, {"city": "Oslo"}, "4 degrees", 1, scope={"agent": "a"})
    assert not world.ask(tool="get_weather", args={"city": "Oslo"}, who=world.asker(agent="b")).items
    assert names(world.ask(tool="get_weather", args={"city": "Oslo"}, who=world.asker(agent="a"))) == ["result1"]


@pytest.mark.requirement("R11")
def test_a_call_without_a_kept_result_is_given_only_when_no_result_is() -> None:
    world = World()
    called(world, 1, {"city": "Oslo"}, "", 1)
    (call,) = world.ask(tool="get_weather", args={"city": "Oslo"}).items
    assert call.id == "call1"
    assert "called, and no result is kept" in call.reasons
    called(world, 2, {"city": "Oslo"}, "4 degrees", 0.5)
    assert names(world.ask(tool="get_weather", args={"city": "Oslo"})) == ["result2"]


@pytest.mark.requirement("R11")
def test_a_result_that_repeats_its_arguments_needs_no_call_and_a_window_holds() -> None:
    world = World()
    world.event("lone", "4 degrees", "tool_result", tool="get_weather", args={"city": "Oslo"}, days=1)
    assert names(world.ask(tool="get_weather", args={"city": "Oslo"})) == ["lone"]
    assert not world.ask(tool="get_weather", args={"city": "Oslo"}, after=START + timedelta(days=2)).items
    called(world, 2, {"city": "Oslo"}, "5 degrees", 3)
    assert names(world.ask(tool="get_weather", args={"city": "Oslo"}, limit=1)) == ["result2"]
