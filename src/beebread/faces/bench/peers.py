"""Lines to hold against: plain BM25, the embedder alone, and their untuned sum, over the messages of one owner with nothing beside them."""

from __future__ import annotations

import heapq
import time
from array import array
from collections.abc import Callable, Mapping, Sequence
from operator import mul
from typing import Protocol

from beebread.faces.bench.datasets import Case, Message, Question
from beebread.faces.bench.measures import DEPTH, Answer, Shown
from beebread.faces.bench.vectors import Vectors
from beebread.text import bm25, document, idf, query_terms

Scores = Mapping[int, float]  # of one owner's texts that fit at all, by number


def said(message: Message) -> str:
    """What peers are given of a message: its text after the name of who said it."""
    return f"{message.speaker}: {message.text}" if message.speaker else message.text


class Evidence(Protocol):
    """One way to score the texts of one owner."""

    def add(self, texts: Sequence[str]) -> None:
        """Take in further texts."""
        ...

    def scores(self, question: str) -> Scores:
        """The scores of the texts for a question."""
        ...


class Words:
    """BM25 over the terms that Beebread's own keyword search has."""

    def __init__(self) -> None:
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = {}

    def add(self, texts: Sequence[str]) -> None:
        """As in Evidence."""
        for text in texts:
            held = document(text)
            for term, count in held.terms.items():
                self._postings.setdefault(term, []).append((len(self._lengths), count))
            self._lengths.append(held.length)

    def scores(self, question: str) -> Scores:
        """As in Evidence; only texts with a word of the question have one."""
        average = sum(self._lengths) / len(self._lengths)
        scores: dict[int, float] = {}
        for term in query_terms(question):
            found = self._postings.get(term, [])
            weight = idf(len(self._lengths), len(found))
            for at, count in found:
                scores[at] = scores.get(at, 0.0) + bm25(count, self._lengths[at], average, weight)
        return scores


class Meaning:
    """Exact cosines of the embedder's vectors, in plain Python: their time says nothing about engines for vectors."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._held: list[array[float]] = []

    def add(self, texts: Sequence[str]) -> None:
        """As in Evidence."""
        self._held += self._vectors.documents(texts)

    def scores(self, question: str) -> Scores:
        """As in Evidence; every text has one."""
        vector, _ = self._vectors.query(question)
        return {at: sum(map(mul, one, vector)) for at, one in enumerate(self._held)}


class Plain:
    """A system that ranks by one way of scoring, or by the mean of several, each spread from 0 to 1 and none weighed.

    `vectors` are those that a way asks for the vector of the question, if one does.
    """

    def __init__(self, name: str, ways: Sequence[Callable[[], Evidence]], vectors: Vectors | None = None) -> None:
        self._name, self._ways, self._vectors = name, ways, vectors
        self._owners: dict[str, tuple[list[Shown], list[Evidence]]] = {}

    def add(self, case: Case, messages: Sequence[Message], first: int) -> None:
        """As in System."""
        if first == 0:
            self._owners[case.case] = ([], [way() for way in self._ways])
        shown, ways = self._owners[case.case]
        shown += [Shown((str(message.id),), message.text) for message in messages]
        texts = [said(message) for message in messages]
        for way in ways:
            way.add(texts)

    def ask(self, case: Case, question: Question) -> dict[str, Answer]:
        """As in System."""
        shown, ways = self._owners[case.case]
        # Made, or found made, before the clock runs: its own time counts, once and in each system alike.
        embed_ms = self._vectors.query(question.text)[1] if self._vectors else 0.0
        began = time.perf_counter()
        found = [way.scores(question.text) for way in ways]
        scores = found[0] if len(found) == 1 else total([spread(one, len(shown)) for one in found])
        order = heapq.nsmallest(DEPTH, scores, key=lambda at: (-scores[at], at))
        ms = (time.perf_counter() - began) * 1000 + embed_ms
        return {self._name: Answer(tuple(shown[at] for at in order), scores[order[0]] if order else 0.0, ms, embed_ms)}

    def close(self) -> None:
        """As in System."""
        self._owners.clear()


def spread(scores: Scores, texts: int) -> Scores:
    """`scores` from 0 to 1 over all `texts`; a text without a score has 0."""
    least = min(scores.values(), default=0.0) if len(scores) == texts else 0.0
    width = max(scores.values(), default=0.0) - least
    return {at: (score - least) / width if width else 0.0 for at, score in scores.items()}


def total(parts: Sequence[Scores]) -> Scores:
    """The mean of several scores of each text."""
    return {at: sum(part.get(at, 0.0) for part in parts) / len(parts) for at in {at for part in parts for at in part}}


def plain(name: str, vectors: Vectors | None) -> Plain:
    """The plain system of that name: bm25, embedder or sum; the latter two need vectors."""
    if vectors is None:
        return Plain(name, [Words])
    ways = {"embedder": [lambda: Meaning(vectors)], "sum": [Words, lambda: Meaning(vectors)]}
    return Plain(name, ways[name], vectors)
