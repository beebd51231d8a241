"""The closer look: words against words, bounded in time and memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import pytest

from beebread.models import open_reranker
from beebread.ports import Embedder
from tests.unit.models.conftest import run

pytest.importorskip("numpy", reason="the extra `local` is not installed")
import numpy as np
from numpy.typing import NDArray

from beebread.models.maxsim import TEXTS, MaxSim

TEXT = ["I am allergic to peanuts.", "The build failed on Tuesday.", "妈妈教我做红烧肉。", "My flight leaves from gate nine."]


class Scripted:
    """Tokens are words; each word's vector points along its own axis."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.axes: dict[str, int] = {}

    async def token_vectors(self, texts: Sequence[str], *, asks: bool, most: int) -> list[tuple[list[str], NDArray[np.float32]]]:
        self.asked += [] if asks else texts
        found: list[tuple[list[str], NDArray[np.float32]]] = []
        for text in texts:
            pieces = text.split()[:most]
            rows = np.zeros((len(pieces), 64), np.float32)
            for row, piece in zip(rows, pieces, strict=True):
                row[self.axes.setdefault(piece, len(self.axes))] = 1
            found.append((pieces, rows))
        return found


def test_the_text_that_answers_is_first_in_either_language(e5: Embedder) -> None:
    reranker = open_reranker(e5)
    assert reranker is not None
    for question, best in (
        ("What food is dangerous for me?", 0),
        ("哪天编译出错了？", 1),
        ("How do I cook pork?", 2),
        ("我的航班在几号登机口？", 3),
    ):
        scores = run(reranker.rerank(question, TEXT))
        assert max(range(4), key=scores.__getitem__) == best
        assert all(0 <= score <= 1 for score in scores)
        assert run(reranker.rerank(question, TEXT)) == scores
    run(reranker.close())


def test_any_text_may_be_looked_at(e5: Embedder) -> None:
    reranker = MaxSim(e5)  # pyright: ignore[reportArgumentType] # the built-in embedder has token_vectors beside the socket's methods
    scores = run(reranker.rerank("what is it?", ["", "?!", "\0", "x" * 1_000_000, "ﷺ" * 50_000, "我", "what is it?"]))
    assert scores[:3] == [0, 0, 0]
    assert scores[6] == max(scores)
    assert run(reranker.rerank("?!", ["a"])) == run(reranker.rerank("", ["a"])) == [0]
    assert run(reranker.rerank("a", [])) == []


def test_the_score_is_the_mean_of_the_best_and_signs_do_not_count() -> None:
    reranker = MaxSim(Scripted())
    assert run(reranker.rerank("red bicycle ?", ["red bicycle", "red car", "car ?", "bicycle ! red"])) == pytest.approx(
        [1, 0.5, 0, 1], abs=0.01
    )


def test_what_was_looked_at_is_remembered_within_bounds() -> None:
    scripted = Scripted()
    reranker = MaxSim(scripted, cache_bytes=64 * 3)  # three words
    for _ in range(2):
        run(reranker.rerank("a", ["a", "b", "a"]))
    assert scripted.asked == ["a", "b"]
    run(reranker.rerank("a", ["c d e"]))
    run(reranker.rerank("a", ["a"]))
    assert scripted.asked == ["a", "b", "c d e", "a"]
    run(reranker.close())
    run(reranker.rerank("a", ["a"]))
    assert scripted.asked[4:] == ["a"]


def test_only_so_many_texts_are_looked_at() -> None:
    scripted = Scripted()
    scores = run(MaxSim(scripted).rerank("a", ["a"] + [f"a x{number}" for number in range(TEXTS + 20)]))
    assert scores[:TEXTS] == pytest.approx([1] * TEXTS, abs=0.01)
    assert scores[TEXTS:] == [0] * 21
    assert len(scripted.asked) == TEXTS


def test_it_may_be_stopped_and_goes_further_the_next_time(e5: Embedder) -> None:
    reranker = open_reranker(e5)
    assert reranker is not None
    texts = [f"Line {number}: the scheduler wrote {number * 7} rows into table number {number} before it stopped." for number in range(60)]

    async def within(seconds: float) -> bool:
        started = time.monotonic()
        try:
            await asyncio.wait_for(reranker.rerank("which table?", texts), seconds)
        except TimeoutError:
            assert time.monotonic() - started < seconds + 1
            return False
        return True

    assert run(e5.embed_queries(["load"]))
    tries = 1
    while not run(within(0.3)):
        tries += 1
        assert tries < 60, "it never gets further"
    assert tries > 1
