"""Text becomes storable whatever it holds, and two spellings of one thing fold to the same form."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beebread.text import clean, fold
from beebread.text.fold import traditional
from beebread.text.stopwords import CHINESE, ENGLISH

ANY = st.text(st.characters(codec=None), max_size=80)  # lone surrogates and NUL included


@given(ANY)
def test_any_text_becomes_storable_and_stays_as_it_is_then(text: str) -> None:
    stored = clean(text)
    assert stored.encode().decode() == stored
    assert "\0" not in stored
    assert clean(stored) == stored


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("", ""),
        ("买了iPhone 15 Pro\r\n", "买了iPhone 15 Pro\r\n"),
        ("a\0b\0", "ab"),
        ("密\0码", "密码"),
        ("\ud83d", "\ufffd"),
        ("猫\udc00\ud800x", "猫\ufffd\ufffdx"),
        ("\ud83d\ude00", "😀"),
        ("שלום\u202e", "שלום\u202e"),
    ],
)
def test_only_what_cannot_be_stored_is_changed(text: str, stored: str) -> None:
    assert clean(text) == stored


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("軟體開發與資料庫", "软体开发与资料库"),
        ("頭髮後來乾淨了", "头发后来干净了"),
        ("什麼時候去臺灣", "什么时候去台湾"),
        ("ＡＢＣ１２３，ｋｇ", "abc123,kg"),
        ("ｶﾞｷﾞ", "ガギ"),
        ("José Núñez", "jose nunez"),
        ("Jose\u0301", "JOSÉ"),
        ("Straße", "STRASSE"),
        ("Łódź Ørsted", "lodz orsted"),
        ("İstanbul", "istanbul"),
        ("don’t", "don't"),
        ("٣١ ۴", "31 4"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("Ελλάδα", "ΕΛΛΑΔΑ"),
        ("pass\u200bword\ufeff", "password"),
        ("👍🏽❤️", "👍❤"),
        ("①㈱㍿", "1(株)株式会社"),
        ("ﬁnal", "final"),
        ("a\0b\ud800", "ab\ufffd"),
    ],
)
def test_two_spellings_fold_to_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_letters_that_only_look_alike_stay_apart() -> None:
    assert fold("й") != fold("и")
    assert fold("が") != fold("か")
    assert fold("猫") != fold("狗")
    assert fold("什么") == "什么"


@given(ANY)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded
    assert clean(folded) == folded


@pytest.mark.parametrize("unit", ["ﷺ", "e" + "\u0301\u0316" * 50_000, "茶", "體", "é", "\ud800", "\0", "שלום ", "A", "ガ\u3099", "😀"])
def test_folding_is_linear_in_time_and_size(unit: str) -> None:
    def seconds(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        start = time.process_time()
        assert len(fold(text)) <= 8 * size
        return time.process_time() - start

    short = max(seconds(60_000), 0.002)
    assert seconds(480_000) < 8 * 6 * short + 0.2


def test_the_stop_words_are_in_folded_form() -> None:
    for word in ENGLISH | CHINESE:
        assert fold(word) == word


def test_the_traditional_table_agrees_with_its_source() -> None:
    opencc: Any = pytest.importorskip("opencc", reason="the OpenCC package is not installed")
    converter = opencc.OpenCC("t2s")
    table = traditional()
    for char, form in table.items():
        expected = str(converter.convert(char))
        assert expected == char or table.get(expected, expected) == form, (char, form, expected)
    assert sum(str(converter.convert(char)) == form for char, form in table.items()) > 0.95 * len(table)
    assert fold("".join(table)) == "".join(table.values())
