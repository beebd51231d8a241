"""A function as an embedder, and the memory for texts seen a moment ago."""

from __future__ import annotations

from array import array
from collections.abc import Awaitable, Sequence

import pytest

from beebread.errors import ModelMismatch, Unavailable
from beebread.models import Cached
from beebread.models.function import FunctionEmbedder
from beebread.models.hashing import Hashing
from tests.unit.models.conftest import cosine, documents, opened, run


def lengths(texts: list[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


async def lengths_later(texts: list[str]) -> list[list[float]]:
    return lengths(texts)


def test_a_function_is_an_embedder_at_once_or_awaited() -> None:
    def lengths_promised(texts: list[str]) -> Awaitable[list[list[float]]]:
        return lengths_later(texts)

    for function in (lengths, lengths_later, lengths_promised):
        embedder = opened(function)
        one, two = documents(embedder, "abc", "a\0bc  ")
        assert one == two
        assert cosine(one, one) == pytest.approx(1)
        assert one[0] / one[1] == pytest.approx(3)
        assert embedder.dimensions == 2
        assert run(embedder.embed_queries(["abc"])) == [one]
        assert run(embedder.embed_queries([])) == []
        run(embedder.close())
    assert opened(lengths).space.endswith("test_wrappers.lengths")
    assert FunctionEmbedder(lengths, space="mine/2").space == "mine/2"


def test_it_gets_long_texts_cut() -> None:
    seen: list[int] = []

    def embed(texts: list[str]) -> list[list[float]]:
        seen.extend(map(len, texts))
        return lengths(texts)

    documents(FunctionEmbedder(embed, window=100), "x" * 1_000_000, "我" * 1_000)
    assert seen == [100, 50]


NO_VECTORS: list[tuple[object, str]] = [
    ([], "0 vectors for 2 texts"),
    ([[1.0]], "1 vectors for 2 texts"),
    (None, "no list of vectors"),
    ("ab", "no list of vectors"),
    ([[1.0], [float("nan")]], "NaN"),
    ([[1.0], [float("inf")]], "infinity"),
    ([[0.0], [1.0]], "zeros"),
    ([[], []], "or none"),
    ([["x"], [1.0]], "no vector of numbers"),
    ([None, [1.0]], "no vector of numbers"),
    ([[10**400], [1.0]], "no vector of numbers"),
]


@pytest.mark.parametrize(("answer", "message"), NO_VECTORS)
def test_what_is_no_vector_is_refused(answer: object, message: str) -> None:
    def embed(texts: list[str]) -> Sequence[Sequence[float]]:
        assert len(texts) == 2
        return answer  # pyright: ignore[reportReturnType] # what a careless function gives

    with pytest.raises(Unavailable, match=message):
        documents(opened(embed), "a", "b")


@pytest.mark.requirement("S3")
def test_a_function_that_runs_out_of_answers_fails_like_any_other() -> None:
    answers = iter([[[1.0, 0.0]]])
    embedder = FunctionEmbedder(lambda texts: next(answers), space="few")
    assert documents(embedder, "one")
    with pytest.raises(Unavailable, match="StopIteration"):
        documents(embedder, "two")


def test_a_model_that_changes_its_length_is_another_model() -> None:
    sizes = iter([3, 4])

    def embed(texts: list[str]) -> list[list[float]]:
        size = next(sizes)
        return [[1.0] * size for _ in texts]

    embedder = opened(embed)
    documents(embedder, "a")
    with pytest.raises(ModelMismatch, match="4 numbers where 3 were expected.*beebread reembed"):
        documents(embedder, "a")
    with pytest.raises(ModelMismatch):
        documents(opened(lambda texts: [[1.0] * (1 + at) for at, _ in enumerate(texts)]), "a", "b")


def test_huge_and_tiny_numbers_keep_their_direction() -> None:
    embedder = opened(lambda texts: [[3e300, 4e300] if text == "huge" else [3e-300, 4e-300] for text in texts])
    for vector in documents(embedder, "huge", "tiny"):
        assert vector.tolist() == pytest.approx([0.6, 0.8])


class Counting(Hashing):
    """An embedder that counts the texts it was asked for."""

    def __init__(self) -> None:
        super().__init__(16)
        self.asked: list[str] = []
        self.closed = False

    async def embed_documents(self, texts: Sequence[str]) -> list[array[float]]:
        self.asked += texts
        return await super().embed_documents(texts)

    async def embed_queries(self, texts: Sequence[str]) -> list[array[float]]:
        if "fail" in texts:
            raise Unavailable("it failed")
        self.asked += texts
        return await super().embed_queries(texts)

    async def close(self) -> None:
        self.closed = True


def test_a_text_just_seen_is_not_embedded_again() -> None:
    inner = Counting()
    cached = Cached(inner, entries=3)
    assert (cached.space, cached.dimensions, cached.window) == (inner.space, 16, inner.window)
    plain = documents(inner, "a", "b", "a")
    inner.asked.clear()
    assert documents(cached, "a", "b", "a", " a ") == [*plain, plain[0]]
    assert inner.asked == ["a", "b"]
    assert documents(cached, "b", "a") == [plain[1], plain[0]]
    assert inner.asked == ["a", "b"]
    run(cached.embed_queries(["a"]))  # a question is another thing than a kept text
    assert inner.asked == ["a", "b", "a"]
    documents(cached, "c", "d")
    documents(cached, "b")  # the oldest are gone
    assert inner.asked == ["a", "b", "a", "c", "d", "b"]
    assert documents(cached, *"abcdefgh") == documents(inner, *"abcdefgh")
    run(cached.close())
    assert inner.closed


def test_a_failure_is_not_kept() -> None:
    cached = Cached(Counting())
    for _ in range(2):
        with pytest.raises(Unavailable):
            run(cached.embed_queries(["x", "fail"]))
    assert len(run(cached.embed_queries(["x"]))) == 1
