"""Expressions of time in both languages mean the spans that the tables say."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from beebread.errors import Invalid
from beebread.timex import find
from tests.unit.timex.tables import NOW, check, lines, moment, only, rows

ENGLISH = rows("english.txt")
CHINESE = rows("chinese.txt")

# The expressions that the field's parsers were measured on.
MEASURED = (
    "上周三 去年国庆节 春节前 本季度末 上个月 半小时后 昨天下午 三天前 前天 "
    "这周末 月初 年底 最近一周 下周三 凌晨三点 3月到5月 大前天 上上周"
).split()
MEASURED_ENGLISH = (
    "a few days ago;this weekend;last summer;end of the quarter;in May 2023;between March 3 and 5;last week;yesterday at 3pm;two weeks ago;"
    "from Monday to Wednesday;the week of June 5;since Tuesday;last week on Friday;past 3 days"
).split(";")

NONE = lines("none.txt")

IMPOSSIBLE = lines("impossible.txt")


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(("expression", "start", "end"), ENGLISH, ids=[row[0] for row in ENGLISH])
def test_english(expression: str, start: str, end: str) -> None:
    check(expression, start, end)


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(("expression", "start", "end"), CHINESE, ids=[row[0] for row in CHINESE])
def test_chinese(expression: str, start: str, end: str) -> None:
    check(expression, start, end)


@pytest.mark.requirement("R3")
def test_what_other_parsers_were_measured_on_is_in_the_tables() -> None:
    assert set(MEASURED) <= {row[0] for row in CHINESE}
    assert set(MEASURED_ENGLISH) <= {row[0] for row in ENGLISH}


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    "carrier", ["what did I say about the plan {}?", "{}, what was the plan", "关于方案{}我说了什么？", "“{}”的 meeting"]
)
def test_in_a_sentence_of_either_language(carrier: str) -> None:
    for expression, start, end in (
        ("last week", "2026-11-23", "2026-11-30"), ("yesterday at 3pm", "2026-11-29 15:00", "2026-11-29 16:00"),
        ("上周三", "2026-11-25", "2026-11-26"), ("去年国庆节", "2025-10-01", "2025-10-02"),
        ("昨天下午", "2026-11-29 12:00", "2026-11-29 18:00"),
        ("May 5, 2023", "2023-05-05", "2023-05-06"), ("2023年5月5日", "2023-05-05", "2023-05-06"),
    ):  # fmt: skip
        check(expression, start, end, carrier)


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("text", NONE)
def test_what_is_no_date(text: str) -> None:
    assert find(text, NOW) == ()


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_impossible_dates_name_nothing(text: str) -> None:
    assert find(text, NOW) == ()


def test_words_and_offset_are_the_text_itself() -> None:
    text = "Ｗhat did WE do Ｌast  week? 上個月呢？"
    for span in find(text, NOW):
        assert text[span.at : span.at + len(span.words)] == span.words
    assert [span.words for span in find("and LAST WEEK, 上個月", NOW)] == ["LAST WEEK", "上個月"]


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("gap", ["", " ", "  ", "\u3000", "\u00a0", "\u2009", "\t"], ids=ascii)
def test_spaces_between_digits_and_chinese_change_nothing(gap: str) -> None:
    """Many write 2025 年 8 月: the year belongs to it, and the words are those of the text, spaces and all."""
    for written, start, end in (
        ("2025_年_8_月", "2025-08-01", "2025-09-01"), ("2023_年8_月", "2023-08-01", "2023-09-01"), ("3_天前", "2026-11-27", "2026-11-28"),
        ("８_月_５_日", "2026-08-05", "2026-08-06"), ("最近_3_天", "2026-11-27", "now"),
        ("昨天下午_3_点", "2026-11-29 15:00", "2026-11-29 16:00"), ("2025_年第_3_季度", "2025-07-01", "2025-10-01"),
        ("90_年代", "1990-01-01", "2000-01-01"), ("10_月_1_日_-_10_月_7_日", "2026-10-01", "2026-10-08"),
    ):  # fmt: skip
        words = written.replace("_", gap)
        text = f"在 3 号线上，关于{gap}{words}{gap}的事，见 12 页"
        span = only(text)
        assert (span.start, span.end, span.words) == (moment(start), moment(end), words), text
        assert text[span.at : span.at + len(words)] == words


@pytest.mark.requirement("R3")
def test_a_time_of_day_without_its_day_is_the_last_one_and_less_sure() -> None:
    for text, start in (("at 6 PM", "2026-11-29 18:00"), ("晚上8点", "2026-11-29 20:00"), ("at 8 am", "2026-11-30 08:00")):
        assert only(text).start == moment(start) and only(text).certainty <= 0.5 < only(f"yesterday {text}").certainty


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("at 3pm UTC yesterday", "2026-11-29 23:00"), ("yesterday at 15:00 GMT", "2026-11-29 23:00"),
        ("9 am PST on March 3", "2026-03-04 01:00"), ("9am (UTC-08:00) on March 3", "2026-03-04 01:00"),
        ("3 pm New York time on July 1", "2026-07-02 03:00"), ("2026-03-01 09:00 EST", "2026-03-01 22:00"),
        ("昨天上午9点 UTC+9", "2026-11-29 08:00"), ("纽约时间昨天上午9点", "2026-11-29 22:00"),
        ("北京时间昨天下午三点", "2026-11-29 15:00"),
    ],
)  # fmt: skip
def test_a_time_of_day_in_another_zone(text: str, start: str) -> None:
    assert only(text).start == moment(start)


def test_two_times_are_two_spans() -> None:
    assert [span.words for span in find("compare last week with yesterday, 和上个月", NOW)] == ["last week", "yesterday", "上个月"]


def test_unfolded_text_is_read() -> None:
    for text in ("３月５日", "三月五號", "3月5号"):
        assert only(text).start == datetime(2026, 3, 5, tzinfo=NOW.tzinfo)
    assert only("上個禮拜").start == only("上个礼拜").start == only("ＬＡＳＴ ＷＥＥＫ").start


def test_certainty_falls_with_vagueness() -> None:
    sure = [only(text).certainty for text in ("2026-11-30", "three days ago", "a few days ago", "recently")]
    assert sure == sorted(sure, reverse=True) and sure[0] == 1.0 and sure[-1] < 0.4
    assert only("3/4").certainty <= 0.5 < only("11/30").certainty
    assert only("2025-03-04").certainty == 1.0 > only("3/4/2025").certainty


def test_granularity() -> None:
    wanted = {
        "last week": "week", "昨天": "day", "昨天下午": "part_of_day", "at 3pm": "hour", "15:30": "minute",
        "上个月": "month", "Q3": "quarter",
        "last summer": "season", "2023年": "year", "the 90s": "decade", "since May": "open", "now": "second",
    }  # fmt: skip
    assert {text: only(text).granularity for text in wanted} == wanted


def test_of_a_long_text_both_ends_are_read() -> None:
    filler = "words " * 200_000
    text = f"yesterday {filler} last week {filler} tomorrow"
    spans = find(text, NOW)
    assert [span.words for span in spans] == ["yesterday", "tomorrow"]
    assert all(text[span.at :].startswith(span.words) for span in spans)


def test_half_a_date_at_the_cut_is_not_read() -> None:
    text = "x" * 3_000 + "2023-05-03"[5:] + " " * 1_995
    assert find(text, NOW) == ()


def test_now_must_be_aware() -> None:
    with pytest.raises(Invalid, match="aware"):
        find("today", datetime(2026, 11, 30))  # noqa: DTZ001 - a naive time is what is refused


def test_at_the_edge_of_the_years_of_records() -> None:
    for now in (
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, tzinfo=UTC),
        datetime(1900, 1, 1, tzinfo=UTC),
        datetime(2199, 12, 31, tzinfo=UTC),
    ):
        for text in ("yesterday", "next year", "十年前", "last week", "Friday", "since Christmas", "in May", "明年春节"):
            for span in find(text, now):
                assert span.start is None or span.end is None or span.start < span.end


def test_words_are_found_by_their_first_letters_without_loss() -> None:
    """Rules are chosen by the letters a word begins with: every row of the tables also holds in capitals and inside brackets."""
    for expression, start, end in ENGLISH:
        if not re.search(r"\bmay\b", expression, re.IGNORECASE):
            check(expression.upper(), start, end, "({})")


def test_a_span_is_half_open_and_comparable() -> None:
    span = only("yesterday")
    assert span.start and span.end
    assert span.start <= datetime(2026, 11, 28, 16, 0, tzinfo=UTC) < span.end
    assert not datetime(2026, 11, 29, 16, 0, tzinfo=UTC) < span.end
    assert span.end - span.start == timedelta(days=1)
