"""Orderings that are no calendar time, and the questions about what held at a time."""

from __future__ import annotations

from datetime import datetime

import pytest

from beebread.timex import as_of, order
from tests.unit.timex.tables import NOW, moment

# text | kind | n | noun | index
ORDERS = """
the first version of the plan | nth | 1 | version | 0
show me the third draft | nth | 3 | draft | 2
the 2nd attempt | nth | 2 | attempt | 1
the very first message | nth | 1 | message | 0
my first job | nth | 1 | job | 0
the first restaurant I mentioned | nth | 1 | restaurant | 0
when did I first visit Paris | nth | 1 | | 0
what was it originally | nth | 1 | | 0
the original plan | nth | 1 | plan | 0
the one before | before | 1 | | -2
the version before that | before | 1 | version | -2
previous version | before | 1 | version | -2
the previous owner | before | 1 | owner | -2
two drafts ago | before | 2 | draft | -3
last time | nth_last | 1 | time | -1
the last meeting | nth_last | 1 | meeting | -1
the latest design | nth_last | 1 | design | -1
most recent order | nth_last | 1 | order | -1
when did we last talk | nth_last | 1 | | -1
the second to last attempt | nth_last | 2 | attempt | -2
the version before last | nth_last | 2 | version | -2
the draft before last | nth_last | 2 | draft | -2
the draft before the last one | before | 1 | draft | -2
the version before the previous one | before | 2 | version | -3
the second-last draft | nth_last | 2 | draft | -2
the last-but-one version | nth_last | 2 | version | -2
倒数第二版 | nth_last | 2 | 版 | -2
倒数第 2 版 | nth_last | 2 | 版 | -2
第 3 版 | nth | 3 | 版 | 2
上上版 | before | 2 | 版 | -3
上上个版本 | before | 2 | 版本 | -3
第一版方案 | nth | 1 | 版 | 0
第三稿写了什么 | nth | 3 | 稿 | 2
第2个版本 | nth | 2 | 版本 | 1
第一次去北京 | nth | 1 | 次 | 0
最早的方案 | nth | 1 | | 0
一开始怎么定的 | nth | 1 | | 0
初稿 | nth | 1 | | 0
上一个 | before | 1 | | -2
上一版 | before | 1 | 版 | -2
前一版 | before | 1 | 版 | -2
再上一版 | before | 2 | 版 | -3
上次部署 | nth_last | 1 | 次 | -1
最近一次会议 | nth_last | 1 | 次 | -1
最后一版 | nth_last | 1 | 版 | -1
上上次 | nth_last | 2 | 次 | -2
倒数第二个 | nth_last | 2 | | -2
第一個版本 | nth | 1 | 版本 | 0
"""
NO_ORDER = """
last week
last Friday
last month
last night
last year
the second floor
my last name
first name
the first week of May
give me a second
at last
how long did it last
in the last few days
before the meeting
the one we made before lunch
第三周
第二天
上个月
上一年
上一周
上个星期
第三季度
给我一秒
上班
第3页
上一个月
the third quarter
first aid
the second of June
previous week
what we said in our previous conversation
the earlier chat about bicycles
the last two weeks
last year's National Day
the Friday before last
the summer before last
第 3 季度
""".strip().splitlines()

STATES = """
where did I live in May | 2026-06-01
as of last March who was the CEO | 2026-04-01
5月那时候我住哪 | 2026-06-01
Who was my manager on 5 May? | 2026-05-06
which bank was I using in 2024 | 2025-01-01
what was our address before 2020 | 2020-01-01
截至上个月我们有多少用户 | 2026-11-01
去年我的主管是谁 | 2026-01-01
2026年5月3日的时候我在哪个城市工作 | 2026-05-04
back in May, was she the lead? | 2026-06-01
"""
NO_STATE = """
那时候我住哪
back then
what did I say last week
what was the meeting about yesterday
昨天我们讨论了什么
where did we go last summer
上周发生了什么
what will my address be next month
where do I live
my manager
when did I move in May
我的主管是谁
since May where did I live
""".strip().splitlines()


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("line", ORDERS.strip().splitlines())
def test_orders(line: str) -> None:
    text, kind, n, noun, index = (cell.strip() for cell in line.split("|"))
    found = order(text)
    assert found is not None
    assert (found.kind, found.n, found.noun, found.index) == (kind, int(n), noun, int(index))
    assert text[found.at : found.at + len(found.words)] == found.words


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("text", NO_ORDER)
def test_calendar_words_and_names_are_no_orders(text: str) -> None:
    assert order(text) is None


def test_the_index_picks_from_oldest_to_newest() -> None:
    drafts = ["a", "b", "c", "d"]
    picked = {
        text: drafts[found.index]
        for text in ("the first draft", "第三稿", "the latest draft", "the previous draft", "倒数第三稿")
        if (found := order(text))
    }
    assert picked == {"the first draft": "a", "第三稿": "c", "the latest draft": "d", "the previous draft": "c", "倒数第三稿": "b"}


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("line", STATES.strip().splitlines())
def test_questions_about_a_state(line: str) -> None:
    text, end = (cell.strip() for cell in line.split("|"))
    at, bound = as_of(text, NOW), moment(end)
    assert at and bound and at < bound and (bound - at).total_seconds() < 1e-3


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("text", NO_STATE)
def test_events_and_timeless_questions_have_no_moment(text: str) -> None:
    assert as_of(text, NOW) is None


def test_a_state_now_is_no_later_than_now() -> None:
    at = as_of("where did I live this month", NOW)
    assert at == NOW and isinstance(at, datetime)
