"""Words for time in a question, in Chinese and English, counted where the user is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from beebread import Client
from beebread.clock import ManualClock
from beebread.errors import Invalid
from beebread.model import Recall

NOW = datetime(2026, 11, 30, 10, 0, tzinfo=UTC)  # a Monday
# A museum on each of these days, so that only the time tells which is meant.
VISITS = {
    "today": ("2026-11-30T08:00", "Louvre 故宫"),
    "yesterday": ("2026-11-29T15:00", "Prado 颐和园"),
    "wednesday": ("2026-11-25T09:00", "Uffizi 天坛"),
    "october": ("2026-10-14T09:00", "Rijksmuseum 长城"),
    "may": ("2026-05-12T09:00", "Orsay 兵马俑"),
    "holiday": ("2025-10-01T09:00", "Hermitage 莫高窟"),
    "long ago": ("2024-02-02T09:00", "Albertina 布达拉宫"),
}
OTHER = (
    "喜欢喝绿茶",
    "the cat sleeps on the sofa",
    "下个月换新手机",
    "my bicycle needs a new chain",
    "会议室在三楼",
    "the bread is in the oven",
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Client]:
    with Client(tmp_path / "memory", clock=ManualClock(NOW), tz="UTC") as client:
        yield client


@pytest.fixture
def visits(memory: Client) -> Client:
    """User u, who saw a museum on several days."""
    for name, (at, museum) in VISITS.items():
        said = f"we visited the museum called {museum} and it was lovely 参观了博物馆"
        memory.bind(user="u", session=name).record("user_message", said, at=f"{at}:00+00:00", id=name)
    others(memory)
    return memory.bind(user="u")


def others(memory: Client) -> None:
    """What else a user talks of, so that the words of a question are not in everything there is."""
    for number, said in enumerate(OTHER):
        memory.bind(user="u", session="other").record("assistant_message", said, at=days_ago(500 + number))
    memory.flush()


def ids(recall: Recall) -> list[str]:
    return [item.id for item in recall]


def events(recall: Recall) -> list[str]:
    return [item.id for item in recall if item.kind == "user_message"]


def days_ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("which museum did we visit today?", "today"), ("今天参观了哪个博物馆？", "today"),
        ("which museum did we visit yesterday?", "yesterday"), ("昨天参观了哪个博物馆？", "yesterday"),
        ("which museum did we visit last Wednesday?", "wednesday"), ("上周三参观了哪个博物馆？", "wednesday"),
        ("which museum did we visit five days ago?", "wednesday"), ("五天前参观了哪个博物馆？", "wednesday"),
        ("which museum did we visit last month?", "october"), ("上个月参观了哪个博物馆？", "october"),
        ("which museum did we visit in May?", "may"), ("五月份参观了哪个博物馆？", "may"),
        ("which museum did we visit on May 12?", "may"), ("5月12号参观了哪个博物馆？", "may"),
        ("which museum did we visit in October last year?", "holiday"), ("去年国庆节参观了哪个博物馆？", "holiday"),
        ("which museum did we visit the year before last?", "long ago"), ("前年参观了哪个博物馆？", "long ago"),
        ("which museum did we visit on 2024-02-02?", "long ago"), ("2024年2月2日参观了哪个博物馆？", "long ago"),
        ("which museum did we visit last time?", "today"), ("上次参观了哪个博物馆？", "today"),
        ("which museum did we visit the first time?", "long ago"), ("第一次参观的是哪个博物馆？", "long ago"),
    ],
)  # fmt: skip
def test_the_time_that_is_named_decides(visits: Client, question: str, right: str) -> None:
    found = visits.query(question)
    assert events(found)[0] == right, [(item.id, item.reasons) for item in found]


@pytest.mark.requirement("R3", "R10")
@pytest.mark.parametrize("question", ["which museum did we visit in May?", "五月份参观了哪个博物馆？"])
def test_the_span_is_named_in_the_reasons_and_hides_nothing(visits: Client, question: str) -> None:
    found = visits.query(question)
    assert set(events(found)) == set(VISITS), "what lies outside ranks lower and is not hidden"
    words = found.report.plan["windows"][0]["words"]
    outside = [item for item in found if item.kind == "user_message" and item.id != "may"]
    assert all(any(f"({words})" in reason and reason.startswith("when ×0.") for reason in item.reasons) for item in outside)
    told = visits.explain(question, expect="october")
    assert told.found and any(words in reason for reason in told.reasons)
    assert not any(reason.startswith("when") for reason in visits.explain(question, expect="may").reasons)


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
def test_of_like_things_in_one_session_the_one_of_the_span_comes_first(memory: Client, question: str, right: str) -> None:
    me = memory.bind(user="u", session="s")
    for days in (400, 92, 40, 6, 1, 0):
        me.record("user_message", f"budget 预算: we decide on {days + 100}", at=days_ago(days), id=f"d{days}")
    memory.flush()
    found = me.query(question)
    assert ids(found)[0] == right, found.items[0].reasons
    assert set(ids(found)) == {f"d{days}" for days in (400, 92, 40, 6, 1, 0)}
    assert any(reason.startswith("when") for item in found for reason in item.reasons)


@pytest.mark.requirement("R3")
def test_a_day_begins_where_the_user_is(memory: Client) -> None:
    """Midnight of the 30th is 16:00 UTC of the 29th in Shanghai and 08:00 UTC of the 30th in Los Angeles."""
    for name, at in (("evening", "2026-11-29T15:30"), ("night", "2026-11-29T16:30"), ("morning", "2026-11-30T08:30")):
        memory.bind(user="u", session="s").record("user_message", f"the report is {name} 报告", at=f"{at}:00+00:00", id=name)
    memory.flush()
    for zone, day, spans in (
        ("Asia/Shanghai", "2026-11-30", {"today": {"night", "morning"}, "yesterday": {"evening"}}),
        ("America/Los_Angeles", "2026-11-30", {"today": {"morning"}, "yesterday": {"evening", "night"}}),
        ("UTC", "2026-11-30", {"today": {"morning"}, "yesterday": {"evening", "night"}}),
    ):
        me = memory.bind(user="u", tz=zone)
        for word, chinese in (("today", "今天"), ("yesterday", "昨天")):
            for question in (f"what did I say about the report {word}?", f"{chinese}的报告说了什么？"):
                found = me.query(question)
                best = ids(found)[: len(spans[word])]
                assert set(best) == spans[word], (zone, question, ids(found))
        (window,) = me.query("what did I say about the report today?").report.plan["windows"]
        assert datetime.fromisoformat(window["after"]).date().isoformat() == day and window["after"] != window["before"]


@pytest.mark.requirement("R3")
def test_without_a_zone_the_hour_where_the_session_was_recorded_counts(memory: Client) -> None:
    for name, at in (("evening", "2026-11-29T23:30:00+08:00"), ("night", "2026-11-30T00:30:00+08:00")):
        memory.bind(user="u", session="s").record("user_message", f"the report is {name}", at=at, id=name)
    memory.flush()
    asked = "2026-11-30T18:00:00+08:00"
    assert ids(memory.bind(user="u", session="s").query("what did I say about the report today?", now=asked))[0] == "night"
    assert ids(memory.bind(user="u", session="s").query("what did I say about the report yesterday?", now=asked))[0] == "evening"
    asked = "2026-11-29T12:00:00-08:00"  # the same day in Los Angeles still
    assert ids(memory.bind(user="u", tz="America/Los_Angeles").query("what did I say about the report yesterday?", now=asked)) != []


@pytest.mark.requirement("R3")
def test_now_is_what_the_question_says_it_is(visits: Client) -> None:
    question = "which museum did we visit yesterday?"
    assert events(visits.query(question, now="2026-05-13T09:00:00+00:00"))[0] == "may"
    assert events(visits.query("昨天参观了哪个博物馆？", now="2024-02-03T09:00:00+00:00"))[0] == "long ago"
    with pytest.raises(Invalid):
        visits.query(question, now="2026-02-30T09:00:00+00:00")


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("第一版方案是什么？", "v1"), ("the first version of the plan?", "v1"), ("what was the plan originally?", "v1"),
        ("第二版方案是什么？", "v2"), ("the second version of the plan?", "v2"),
        ("第三稿方案写了什么？", "v3"), ("the third draft of the plan?", "v3"),
        ("上一版方案是什么？", "v3"), ("the previous version of the plan?", "v3"), ("倒数第二版方案是什么？", "v3"),
        ("上上版方案是什么？", "v2"), ("the plan two versions ago?", "v2"),
        ("最新一版方案是什么？", "v4"), ("what is the latest version of the plan?", "v4"), ("the last draft of the plan?", "v4"),
    ],
)  # fmt: skip
def test_one_of_several_like_things_is_picked_by_its_order(memory: Client, question: str, right: str) -> None:
    me = memory.bind(user="u", session="s")
    for number in (1, 2, 3, 4):
        me.record("assistant_message", f"方案 plan version draft 版稿 {'abcd'[number - 1]}", at=days_ago(5 - number), id=f"v{number}")
    others(memory)
    found = me.query(question)
    assert ids(found)[0] == right, [(item.id, item.reasons) for item in found]


@pytest.mark.requirement("R3")
def test_a_question_as_of_a_moment_over_events(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    for name, text, days in (
        ("one", "I work at Acme now 我在甲公司上班", 600), ("two", "I work at Bolt now 我在乙公司上班", 200),
        ("three", "I work at Crux now 我在丙公司上班", 20),
    ):  # fmt: skip
        me.record("user_message", text, at=days_ago(days), id=name)
    memory.flush()
    for question in ("Where did I work in August?", "八月的时候我在哪家公司上班？"):
        assert ids(me.query(question))[0] == "two", [(item.id, item.reasons) for item in me.query(question)]
    for question in ("Where do I work now?", "我现在在哪家公司上班？"):
        assert ids(me.query(question))[0] == "three", [(item.id, item.reasons) for item in me.query(question)]


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
        "did I argue on 2026-13-45?",
        "我是不是在13月45号和朋友吵架了？",
        "did I argue in the year 99999?",
    ):
        found = me.query(said)
        assert ids(found) == ["far"] and not found.report.plan.get("windows"), said


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("昨天？", {"yesterday"}), ("昨天说了什么？", {"yesterday"}), ("what about yesterday?", {"yesterday"}),
        ("上周？", {"yesterday", "wednesday"}), ("last week?", {"yesterday", "wednesday"}),
        ("去年？", {"holiday"}), ("what happened last year?", {"holiday"}), ("去年发生了什么？", {"holiday"}),
        ("what happened on 2024-02-02?", {"long ago"}), ("2024年2月？", {"long ago"}),
    ],
)  # fmt: skip
def test_a_question_of_nothing_but_time_words_is_answered_with_what_was_then(visits: Client, question: str, right: set[str]) -> None:
    found = visits.query(question)
    assert set(events(found)) == right, [(item.id, item.reasons) for item in found]


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    "question",
    [
        "昨天", "last week", "yesterday", "去年", "2月30日", "on 31 April?", "next week?", "明天", "99999年", "13月45日", "when?",
        "什么时候？", "the first", "第一版", "last time", "上次", "第0版？", "the millionth version?", "0000-00-00", "一百万年前？",
        "a million years ago?", "in 10000000000 days?", "昨天" * 100 + "？", "12:99?", "the day before " * 60 + "yesterday?",
    ],
)  # fmt: skip
def test_no_time_words_however_odd_raise(visits: Client, question: str) -> None:
    found = visits.query(question)
    assert not found.report.failed and len(found.items) <= 20
    assert events(visits.query(f"{question} Rijksmuseum"))[0] == "october", "and words beside them are found"


@pytest.mark.requirement("R3")
def test_a_filter_still_hides(visits: Client) -> None:
    question = "which museum did we visit in May?"
    assert set(events(visits.query(question, after=days_ago(2)))) == {"today", "yesterday"}
    assert set(events(visits.query(question, before="2025-01-01T00:00:00+00:00"))) == {"long ago"}
    assert set(events(visits.query("昨天参观了哪个博物馆？", after="2026-05-01T00:00:00+00:00", before="2026-06-01T00:00:00+00:00"))) == {
        "may"
    }
    assert events(visits.query(question, before="2020-01-01T00:00:00+00:00")) == []


@pytest.mark.requirement("R3", "R4")
@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Where do I live?", "new"), ("我现在住在哪个城市？", "new"),
        ("Where did I live in May?", "old"), ("五月的时候我住在哪个城市？", "old"), ("五月我住在哪个城市？", "old"),
        ("As of September, where did I live?", "old"), ("截至九月我住在哪个城市？", "old"),
        ("Where did I live in May last year?", "oldest"), ("去年五月我住在哪个城市？", "oldest"),
        ("Where did I live two weeks ago?", "new"),
    ],
)  # fmt: skip
def test_what_held_at_a_moment_counts_what_was_superseded_since(memory: Client, question: str, right: str) -> None:
    for name, text, days in (
        ("oldest", "lives in Turin 住在都灵这个城市", 700), ("old", "lives in Lisbon 住在波尔图这个城市", 300),
        ("new", "lives in Leeds 住在利兹这个城市", 30),
    ):  # fmt: skip
        with Client(memory.health().home, clock=ManualClock(days_ago(days)), tz="UTC") as then:
            then.bind(user="u").write(text, kind="fact", key="home.city", valid_from=days_ago(days), id=name)
    found = memory.bind(user="u").query(question)
    assert ids(found)[0] == right, [(item.id, item.reasons, item.status) for item in found]


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("words", "right"),
    [
        ("昨天", {"yesterday"}), ("yesterday", {"yesterday"}), ("上周", {"yesterday", "wednesday"}),
        ("last week", {"yesterday", "wednesday"}),
        ("去年", {"holiday"}), ("last year", {"holiday"}), ("2024年2月", {"long ago"}), ("2024-02-02", {"long ago"}),
    ],
)  # fmt: skip
def test_time_words_alone_give_what_was_then(visits: Client, words: str, right: set[str]) -> None:
    assert set(events(visits.query(words))) == right
