"""What is done to a text before any embedder sees it, and how a long one is divided."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beebread.models import readable, windows
from beebread.models.clean import WINDOWS, weight, within

EN = "I moved to Leeds last spring and still miss the sea. "
ZH = "我去年春天搬到了青岛，一直很想念以前的朋友。"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("a\0b", "ab"), ("a\ud800b", "ab"), ("\ud83d\ude00", "😀"), (" a \n\t b\r\n", "a b"), ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("", ""), (" \n", ""), ("a\x85b\u2028c", "a b c"), ("全角　空格", "全角 空格"), ("a\x7f\x9fb", "ab"),
    ],
)  # fmt: skip
def test_readable(given: str, expected: str) -> None:
    assert readable(given, 100) == expected


def test_a_character_of_chinese_weighs_as_two() -> None:
    assert weight("hello") == 5
    assert weight("你好") == 4
    assert weight("한국") == 4
    assert within("a" * 10, 4) == "aaaa"
    assert within("你好世界", 5) == "你好"
    assert within("a你b好", 4) == "a你b"
    assert within("你好", 4) == "你好"


@pytest.mark.parametrize("text", [EN, ZH])
def test_a_long_text_is_divided_where_sentences_end_and_nothing_is_lost(text: str) -> None:
    numbered = "".join(f"{number}. {text}" if text == EN else f"第{number}句：{text}" for number in range(40))
    found = windows(numbered, 500)
    assert 4 <= len(found) <= WINDOWS
    for window in found:
        assert 250 <= weight(window) <= 500 or window is found[-1]
        assert window.endswith((".", "。"))
    marks = ["".join(f"{number}." if text == EN else f"第{number}句")[:9] for number in range(40)]
    assert all(any(mark in window for window in found) for mark in marks)
    for one, two in pairwise(found):
        assert any(one.endswith(two[:size]) for size in range(10, 120)), "the windows do not overlap"


def test_of_a_very_long_text_the_head_and_the_end_are_taken() -> None:
    text = "".join(f"Step {number} of the run went well. " for number in range(20_000))
    started = time.perf_counter()
    found = windows(text, 800)
    assert time.perf_counter() - started < 1
    assert len(found) == WINDOWS
    assert found[0].startswith("Step 0 ")
    assert found[-1].endswith("Step 19999 of the run went well.")
    assert len(found[-1]) > 400


def test_lines_are_borders_and_short_texts_stay_whole() -> None:
    assert windows("one line\nanother", 100) == ["one line another"]
    assert windows("", 100) == windows(" \n \0", 100) == []
    log = "\n".join(f"{number:04d} GET /index took {number} ms" for number in range(60))
    assert all(window.split(" ", 1)[0].isdigit() and window.endswith("ms") for window in windows(log, 400)[:-1])


def test_text_without_any_border_is_cut_at_its_length() -> None:
    assert [len(window) for window in windows("x" * 250, 100)] == [100, 100, 74]
    assert "".join(windows("我" * 100, 100)).count("我") >= 100


def test_numbers_and_addresses_are_not_ends_of_sentences() -> None:
    text = "The value of pi is 3.14159 and the page is at https://example.com/a.b/c.html for all to see " * 4
    for window in windows(text, 120):
        assert not window.endswith(("3.", "example.", "/a.", "c."))


@given(st.text(max_size=600), st.integers(20, 200), st.integers(1, 8))
def test_any_text_gives_few_windows_of_the_right_size(text: str, size: int, most: int) -> None:
    found = windows(text, size, most)
    assert len(found) <= most
    assert all(window and weight(window) <= size for window in found)
    assert bool(found) == bool(readable(text, len(text)))
    if found and weight(readable(text, len(text))) <= size:
        assert found == [readable(text, len(text))]
