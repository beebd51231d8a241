"""Words for time in a question, in Chinese and English, counted where the user is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from beebread import Client
from beebread.clock import ManualClock
from beebread.model import Recall

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)  # a Monday


@pytest.fixture
def memory(tmp_path: Path) -> Client:
    return Client(tmp_path / "memory", clock=ManualClock(NOW), tz="UTC")


def ids(recall: Recall) -> list[str]:
    return [item.id for item in recall]


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("What did we decide about the budget yesterday?", "d1"),
        ("What did we decide about the budget last Tuesday?", "d6"),
        ("What did we decide about the budget in October?", "d40"),
        ("What did we decide about the budget three months ago?", "d92"),
        ("昨天预算 budget 是怎么定的？", "d1"),
        ("上周二预算 budget 是怎么定的？", "d6"),
        ("10月份的预算 budget 怎么定的？", "d40"),
        ("去年的预算 budget 怎么定的？", "d400"),
    ],
)
def test_the_span_that_is_named_comes_first(memory: Client, question: str, right: str) -> None:
    me = memory.bind(user="u", session="s")
    for days in (400, 92, 40, 6, 1, 0):
        me.record("user_message", f"budget 预算: we decide on {days + 100}", at=days_ago(days), id=f"d{days}")
    memory.flush()
    found = me.query(question)
    assert ids(found)[0] == right, found.items[0].reasons
    assert set(ids(found)) == {f"d{days}" for days in (400, 92, 40, 6, 1, 0)}, "what lies outside ranks lower and is not hidden"
    assert any(reason.startswith("when") for item in found for reason in item.reasons)
    memory.close()


@pytest.mark.requirement("R3")
def test_a_day_begins_where_the_user_is(memory: Client) -> None:
    for name, at in (("before", "2026-11-29T15:30:00+00:00"), ("after", "2026-11-29T16:30:00+00:00")):
        memory.bind(user="u", session="s").record("user_message", f"the report is {name} midnight", at=at, id=name)
    memory.flush()
    ask = "what did I say about the report today?"
    assert ids(memory.bind(user="u", tz="Asia/Shanghai").query(ask))[0] == "after"  # midnight there is 16:00 UTC
    assert ids(memory.bind(user="u", tz="America/Los_Angeles").query("what did I say about the report yesterday?", now=NOW))
    shanghai = memory.bind(user="u", tz="Asia/Shanghai").query(ask).report.plan["windows"]
    angeles = memory.bind(user="u", tz="America/Los_Angeles").query(ask).report.plan["windows"]
    assert shanghai != angeles
    memory.close()


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("第一版方案是什么？", "v1"), ("the first version of the plan?", "v1"),
        ("第二版方案是什么？", "v2"), ("the second version of the plan?", "v2"),
        ("最新一版方案是什么？", "v3"), ("what is the latest version of the plan?", "v3"),
    ],
)  # fmt: skip
def test_one_of_several_like_things_is_picked_by_its_order(memory: Client, question: str, right: str) -> None:
    me = memory.bind(user="u", session="s")
    for number in (1, 2, 3):
        me.record("assistant_message", f"方案 plan version 版 {'abc'[number - 1]}", at=days_ago(4 - number), id=f"v{number}")
    memory.flush()
    assert ids(me.query(question))[0] == right
    memory.close()


@pytest.mark.requirement("R3")
def test_what_held_at_a_moment_counts_what_was_superseded_since(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    me.write("lives in Lisbon 住在里斯本", kind="fact", key="home.city", valid_from=days_ago(300), id="old")
    me.write("lives in Leeds 住在利兹", kind="fact", key="home.city", valid_from=days_ago(30), id="new")
    assert ids(me.query("Where do I live? lives"))[0] == "new"
    for question in ("Where did I live in May? lives in", "五月的时候我住在哪里？"):
        found = me.query(question)
        assert ids(found)[0] == "old", [item.reasons for item in found]
    memory.close()


@pytest.mark.requirement("R3")
def test_a_statement_names_no_span_and_an_impossible_day_is_none(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    me.record("user_message", "和朋友吵架之后去爬山 argue with a friend", at=days_ago(30), id="far")
    memory.flush()
    for said in (
        "今天又和朋友吵架了",
        "I argue with a friend today, it hurts",
        "2月30日和朋友吵架了吗？",
        "did I argue on February 30?",
    ):
        found = me.query(said)
        assert ids(found) == ["far"] and not found.report.plan.get("windows"), said
    memory.close()


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("question", ["昨天？", "what about yesterday?", "昨天说了什么", "last week?"])
def test_a_question_of_nothing_but_time_words_answers(memory: Client, question: str) -> None:
    me = memory.bind(user="u", session="s")
    me.record("user_message", "fixed the gate 修好了大门", at=days_ago(1), id="gate")
    memory.flush()
    me.query(question)
    assert ids(me.query("gate 大门", before=days_ago(2))) == []  # a filter still hides
    memory.close()
