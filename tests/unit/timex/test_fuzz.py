"""Whatever the text: no failure, whole spans, little time."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beebread.timex import as_of, find, order
from tests.unit.timex.tables import NOW, rows

PIECES = st.sampled_from(
    [row[0] for row in rows("english.txt") + rows("chinese.txt")]
    + (
        "last next this the of in on at before after since until from to between and ago"
        " 3 30 99 2月 31 号 前 后 年 月 日 周 一 半 上 下 个 的 第 到 - / : , pm q1 's"
    ).split()
)
ZONES = st.sampled_from(
    [ZoneInfo(name) for name in ("UTC", "Asia/Shanghai", "America/New_York", "America/Santiago", "Australia/Lord_Howe", "Africa/Cairo")]
)
MOMENTS = st.datetimes(datetime(1901, 1, 1), datetime(2199, 12, 1), timezones=ZONES)  # noqa: DTZ001 - hypothesis wants naive bounds


def sound(text: str, now: datetime) -> None:
    spans = find(text, now)
    for span in spans:
        assert span.words and text[span.at : span.at + len(span.words)] == span.words
        assert span.start is not None or span.end is not None
        assert span.start is None or span.end is None or span.start < span.end
        assert 0 < span.certainty <= 1
        assert (span.granularity == "open") == (span.start is None or span.end is None)
    assert all(one.at + len(one.words) <= two.at for one, two in pairwise(spans))
    order(text)
    as_of(text, now)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=7), st.sampled_from(["", " ", " "]), MOMENTS)
def test_time_words_in_any_order(pieces: list[str], gap: str, now: datetime) -> None:
    sound(gap.join(pieces), now)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60), MOMENTS)
def test_any_text(text: str, now: datetime) -> None:
    sound(text, now)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="0123456789/-:. 年月日号点周前后上下半一二三十百千万个第QqHhAaPpMmTt", max_size=40), MOMENTS)
def test_digits_and_signs(text: str, now: datetime) -> None:
    sound(text, now)


@pytest.mark.parametrize(
    "text",
    ["last week " * 100_000, "1" * 1_000_000, "一" * 1_000_000, "上" * 1_000_000, "12/" * 300_000, "the last " * 100_000,
     "twenty-" * 100_000, " " * 1_000_000,
     "from " * 200_000, "a " * 500_000, "第一" * 500_000, "2026-11-30 " * 90_000,
     "年" * 300_000, "3 天前 " * 100_000, "8 月 5 日 下午 " * 50_000, "2019-2021 " * 100_000, "3pm utc " * 100_000, "五月的前" * 100_000],
    ids=lambda text: repr(text[:10]),
)  # fmt: skip
def test_a_megabyte_takes_no_longer_than_its_ends(text: str) -> None:
    begun = time.perf_counter()
    find(text, NOW)
    order(text)
    as_of(text, NOW)
    assert time.perf_counter() - begun < 3.0


def test_a_question_takes_less_than_a_millisecond() -> None:
    texts = [
        "上周三下午我们讨论的数据库迁移方案是什么来着？请再说一遍好吗",
        "what did we decide about the database last Friday",
        "我女儿叫什么名字",
    ]
    for text in texts:
        find(text, NOW)
    best = min(_timed(texts) for _ in range(30))
    assert best / len(texts) < 1e-3


def _timed(texts: list[str]) -> float:
    begun = time.perf_counter()
    for text in texts:
        find(text, NOW)
    return time.perf_counter() - begun


def test_the_same_instant_in_any_offset() -> None:
    assert find("3 hours ago", NOW.astimezone(UTC))[0].start == find("3 hours ago", NOW)[0].start
