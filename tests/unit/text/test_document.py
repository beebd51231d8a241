"""The index entry of a text, the terms of a query, and the scores between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beebread.text import BM25_B, BM25_K1, bm25, document, exact_terms, idf, query_terms
from beebread.text.score import PRIOR

COUNT = st.integers(0, 10**9)


def test_repeats_are_counted_and_the_length_is_in_words() -> None:
    entry = document("cats and more cats; 喝茶喝茶")
    assert entry.terms["cat"] == 2
    assert entry.terms["喝茶"] == 2
    assert entry.terms["喝"] == 2
    assert entry.length == 6


def test_the_two_languages_weigh_alike() -> None:
    chinese = document("我上周在杭州出差的时候同事推荐了一家餐厅").length
    english = document("A colleague recommended a restaurant while I was in Hangzhou last week").length
    assert 0.6 < chinese / english < 1.6


def test_keys_are_folded_and_kept_apart_from_words_and_entities() -> None:
    entry = document("通知方式：飞书", keys=["Notification.Channel", "通知"])
    assert entry.terms["@notification.channel"] == 1
    assert entry.terms["@通知"] == 1
    assert "notification.channel" not in entry.terms
    assert entry.length == document("通知方式：飞书").length
    assert exact_terms("", keys=["NOTIFICATION.channel"]) == ["@notification.channel"]


def test_a_code_does_not_make_a_text_longer_by_its_parts() -> None:
    assert document("see /src/foo/bar.py").length == 2


def test_a_long_query_keeps_its_first_and_last_terms() -> None:
    query = " ".join(f"w{number}x" for number in range(10_000))
    terms = query_terms(query)
    assert len(terms) == 128
    assert terms[0] == "w0x"
    assert terms[-1] == "w9999x"


def test_bm25_is_the_published_formula() -> None:
    weight = idf(10, 2)
    assert PRIOR == 5
    assert weight == pytest.approx(1.8562979903656263)  # ln(1 + (10 + 5 - 2 + 0.5) / (2 + 0.5))
    assert (BM25_K1, BM25_B) == (1.2, 0.75)
    assert bm25(3, 20, 10, weight) == pytest.approx(weight * 3 * 2.2 / (3 + 1.2 * (0.25 + 0.75 * 2)))
    assert bm25(1, 0, 0, weight) == pytest.approx(weight)


@given(COUNT, COUNT)
def test_a_weight_is_always_positive_and_rare_terms_weigh_more(documents: int, containing: int) -> None:
    assert idf(documents, containing) > 0
    assert idf(documents, containing) >= idf(documents, containing + 1)


@given(st.integers(1, 1000), st.integers(1, 10**6), st.floats(0.1, 10**6))
def test_a_score_grows_with_repeats_and_falls_with_length(tf: int, length: int, average: float) -> None:
    assert 0 < bm25(tf, length, average, 1.0) < bm25(tf + 1, length, average, 1.0) <= BM25_K1 + 1
    assert bm25(tf, length, average, 1.0) > bm25(tf, length + 1, average, 1.0)
