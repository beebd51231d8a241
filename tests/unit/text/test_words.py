"""Segmentation: Chinese of any length, English word forms, mixed script, ids and codes, other scripts, odd input."""

from __future__ import annotations

import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beebread.text import document, entities, exact_terms, query_terms, words

ANY = st.text(st.characters(codec=None), max_size=80)


def found(query: str, text: str) -> bool:
    """Whether a query asks for any term of a text, as a keyword search does."""
    return not document(text).terms.keys().isdisjoint(query_terms(query))


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("猫", "那只猫很可爱"),
        ("茶", "我每天下午喝茶"),
        ("喝茶", "我每天下午喝茶"),
        ("微信", "请用微信通知我"),
        ("我的猫叫什么名字", "那只猫很可爱"),
        ("我的猫叫什么名字", "它的名字是团子"),
        ("資料庫密碼", "数据库的资料库密码改了"),
        ("iPhone", "买了iPhone 15 Pro"),
        ("iphone 15", "买了iPhone15手机"),
        ("买手机", "昨天买手机花了八千"),
        ("ＩＰＨＯＮＥ", "买了iPhone 15 Pro"),
        ("running shoes", "She runs every morning"),
        ("connections", "they were connected"),
        ("user's", "the users complained"),
        ("JOSÉ", "Met Jose yesterday"),
        ("ORD-2024_001", "order ORD-2024_001 shipped"),
        ("2024_001", "order ORD-2024_001 shipped"),
        ("bar.py", "edited /src/foo/bar.py twice"),
        ("/src/foo/bar.py", "改了 src/foo/bar.py"),
        ("foo", "edited /src/foo/bar.py twice"),
        ("get_user_name", "call getUserName() first"),
        ("user name", "call getUserName() first"),
        ("server", "class HTTPServer:"),
        ("3.11.7", "Python 3.11.7 on Linux"),
        ("user@example.com", "mail user@example.com, please"),
        ("example", "mail user@example.com, please"),
        ("550e8400-e29b-41d4-a716-446655440000", "id=550e8400-e29b-41d4-a716-446655440000;"),
        ("1234567", "共 1,234,567 元"),
        ("#4573", "fixed in PR #4573"),
        ("C++", "写 c++ 和 c# 都行"),
        ("😀", "好的😀👍"),
        ("👍", "好的👍🏽"),
        ("🇨🇳", "来自🇨🇳的朋友"),
        ("고양이", "우리 고양이가"),
        ("ねこ", "うちのねこは"),
        ("ภาษา", "เรียนภาษาไทย"),
        ("שלום", "שָׁלוֹם עולם"),
        ("محمد", "مُحَمَّد يعمل هنا"),
        ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
        ("привет", "ПРИВЕТ, мир"),
        ("的", "我的猫"),
        ("the", "the cat"),
        ("你是谁", "有人问你是谁"),
        ("to be or not to be", "To be, or not to be?"),
    ],
)
def test_a_query_finds_the_text(query: str, text: str) -> None:
    assert found(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("猫", "那只狗"),
        ("喝茶", "喝咖啡，不泡茶"),
        ("iPhone", "pineapple"),
        ("what is the plan", "the weather is what it is"),
        ("我的猫呢", "我的天呢"),
    ],
)
def test_a_query_does_not_find_an_unrelated_text(query: str, text: str) -> None:
    assert not found(query, text)


def test_common_characters_do_not_drown_a_long_chinese_question() -> None:
    terms = query_terms("你还记得我上次说的那个爬虫任务的代理配置是什么吗")
    assert {"爬虫", "任务", "代理", "配置"} <= set(terms)
    assert not {"什么", "的", "我", "是", "吗"} & set(terms)
    assert sum(len(term) == 1 for term in terms) <= 1


def test_stop_words_are_asked_for_only_when_nothing_else_is_left() -> None:
    assert query_terms("What is the plan for the crawler?") == ["plan", "crawler"]
    assert query_terms("what is it") == ["what", "is", "it"]
    assert query_terms("是的") == ["是的"]


@pytest.mark.parametrize("text", ["", " \n\t", "!!! ... ???", "，。！？——", "\0\0", "«»—", "\u200b\ufeff"])
def test_a_query_of_punctuation_alone_gives_no_terms_and_is_no_error(text: str) -> None:
    assert query_terms(text) == []
    assert exact_terms(text) == []
    assert words(text) == []
    assert document(text).terms == {}
    assert document(text).length == 0


def test_a_code_is_one_term_and_its_parts() -> None:
    assert words("ORD-2024_001") == ["ord-2024_001", "ord", "2024", "001"]
    assert words("买了iPhone 15 Pro") == ["买", "了", "买了", "iphon", "15", "pro"]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("订单号 ORD-2024_001，请查收", ["ord-2024_001"]),
        ("见 /src/foo/bar.py 和 config.yaml", ["src/foo/bar.py", "config.yaml"]),
        ("C:\\work\\app.py", ["c:\\work\\app.py"]),
        ("mail Ann.Lee@Example.com now", ["ann.lee@example.com"]),
        ("see https://Example.com/a?b=1.", ["https://example.com/a?b=1"]),
        ("postgresql://db:5432/x", ["postgresql://db:5432/x"]),
        ("电话 138-0013-8000", ["138-0013-8000", "13800138000"]),
        ("paid 1,234,567", ["1234567"]),
        ("version 3.11.7, room 12", ["3.11.7"]),
        ("commit deadbeef12 fixes #4573", ["deadbeef12", "#4573"]),
        ("in 2024", ["2024"]),
        ("读《三体》和“球状闪电”", ["三体", "球状闪电"]),
        ("call snake_case_name and Foo::bar", ["snake_case_name", "foo::bar"]),
        ("a well-known e.g. and/or thing, 12 kg", []),
    ],
)
def test_entities_are_the_precise_things(text: str, named: list[str]) -> None:
    assert entities(text) == named
    assert exact_terms(text) == ["=" + name for name in named]
    assert set(exact_terms(text)) <= document(text).terms.keys()


def test_entities_are_capped_and_said_once() -> None:
    assert entities("id_1 id_1 ID_1") == ["id_1"]
    assert len(entities(" ".join(f"id_{number}" for number in range(1000)))) == 64


@given(ANY)
def test_any_text_is_taken_apart(text: str) -> None:
    entry = document(text)
    assert all(term and count > 0 for term, count in entry.terms.items())
    assert {term for term in entry.terms if term[0] == "="} == set(exact_terms(text))
    assert set(words(text)) == {term for term in entry.terms if term[0] not in "=@"}
    assert (entry.length > 0) == bool(entry.terms)
    assert bool(query_terms(text)) == bool(words(text))


@given(st.text(st.sampled_from("的我猫茶喝abAB12 -_./:@'#")))
def test_a_text_is_found_by_itself(text: str) -> None:
    assert found(text, text) or not words(text)
    assert set(query_terms(text)) <= document(text).terms.keys()


ODD = [
    "a",
    "茶",
    "茶水喝饮",
    "a...",
    "a-",
    "a'",
    "1,",
    ",123",
    "http://",
    "a::/",
    "@",
    "“",
    "《三",
    "aB",
    "abCd ",
    "😀",
    "e\u0301",
    "\ud800",
    "שלום ",
    "_CODE9.",
]


@pytest.mark.parametrize("unit", [*ODD, "e" + "\u0301\u0316" * 100_000])
def test_odd_text_is_taken_apart_in_linear_time(unit: str) -> None:
    text = (unit * (200_000 // len(unit) + 1))[:200_000]
    start = time.process_time()
    entry = document(text)
    terms = query_terms(text)
    assert time.process_time() - start < 4.0  # about 0.2 s on a free core; a search that goes back takes minutes
    assert len(terms) <= 128
    assert len(entry.terms) < 100


def test_a_megabyte_of_mixed_text_is_taken_apart() -> None:
    text = "买了 iPhone 15 Pro, see /src/foo/bar.py；明天下午三点在杭州开会。José said OK 😀\n" * 16_000
    assert len(text) > 1_000_000
    start = time.process_time()
    entry = document(text)
    assert time.process_time() - start < 6.0  # about 0.6 s on a free core
    assert entry.terms["杭州"] == entry.terms["=src/foo/bar.py"] * 16_000


def test_a_megabyte_of_base64_gives_no_endless_terms() -> None:
    rng = random.Random(4)
    entry = document("".join(rng.choices(string.ascii_letters + string.digits + "+/", k=1_000_000)))
    assert max(map(len, entry.terms)) <= 257
