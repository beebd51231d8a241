"""Scores of many postings at once with numpy: the very sums that `sqlite_search` makes one by one, equal to the last bit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from beebread.backends.sqlite_collect import WIDEST, Collected, Slice
from beebread.backends.sqlite_postings import COUNT_BITS, LENGTH_BITS, LONGEST, MOST
from beebread.text import BM25_B, BM25_K1, ideal, idf

Whole = NDArray[np.int64]
Scores = NDArray[np.float64]


class _Postings(NamedTuple):
    """Postings in the order in which their terms are asked for, each of another pair of term and document."""

    terms: Whole
    documents: Whole  # their places in the table of all documents
    counts: Scores


def bm25_scores(found: Collected, slices: Sequence[Sequence[Slice]], docs: int, average: float) -> tuple[Whole, Scores, float]:
    """Of the terms of `slices`, terms that `found` holds, the documents that have any, in no order, their scores, and the ideal score."""
    table = _table(found)
    terms, documents, counts = _postings(found, slices)
    holding = np.bincount(terms, minlength=len(slices)).tolist()
    weights = np.array([idf(docs, number) for number in holding])
    relative = (table & LONGEST) / average if average > 0 else np.ones(len(table))
    held = BM25_K1 * (1.0 - BM25_B + BM25_B * relative)
    # Added up in the order of the postings, so by term in the order in which they are asked.
    scores = _summed(documents, weights[terms] * counts * (BM25_K1 + 1.0) / (counts + held[documents]), len(table))
    at = np.flatnonzero(scores)
    return table[at] >> LENGTH_BITS, scores[at], ideal([idf(docs, max(1, number)) for number in holding])


def matched_scores(found: Collected, slices: Sequence[Sequence[Slice]]) -> tuple[Whole, Scores]:
    """Of the terms of `slices` the documents that have any, in no order, and how many of them each has."""
    scores = np.bincount(_postings(found, slices).documents, minlength=1).astype(np.float64)
    at = np.flatnonzero(scores)
    return _table(found)[at] >> LENGTH_BITS, scores[at]


def bm25_chunks(found: Collected, docs: int, average: float, size: int) -> tuple[Iterator[Sequence[tuple[int, float]]], float]:
    """The documents by score in parts, as `chunked` gives them; and the ideal score."""
    documents, scores, most = bm25_scores(found, found.slices, docs, average)
    return chunked(documents, scores, size), most


def _summed(places: Whole, values: Scores, size: int) -> Scores:
    """The values added up by place, in their order."""
    return np.bincount(places, values, size).astype(np.float64, copy=False)


def _table(found: Collected) -> Whole:
    return np.frombuffer(b"".join(found.segments), np.int64)


def _postings(found: Collected, slices: Sequence[Sequence[Slice]]) -> _Postings:
    every = [(term, one) for term, some in enumerate(slices) for one in some]
    if not every:
        return _Postings(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    starts = np.cumsum([0, *(len(segment) for segment in found.segments)]).tolist()
    packed = np.frombuffer(b"".join([one.postings for _, one in every]), np.int64)
    about = np.array([(term, starts[one.segment], (1 << one.bits) - 1) for term, one in every], np.int64)
    each = np.repeat(about, [len(one.postings) for _, one in every], axis=0)
    terms, documents = each[:, 0], each[:, 1] + (packed >> COUNT_BITS & each[:, 2])
    more = packed & MOST - 1
    counts = (more + 1).astype(np.float64)
    if more.any() and counts.max() == MOST:  # it may go on in another posting of the document
        pairs, which = np.unique(terms << 32 | documents, return_inverse=True)
        terms, documents, counts = pairs >> 32, pairs & (1 << 32) - 1, _summed(which, counts, len(pairs))
    return _Postings(terms, documents, counts)


def chunked(docs: Whole, scores: Scores, size: int) -> Iterator[Sequence[tuple[int, float]]]:
    """Documents by score, best first, in parts of which the first has `size`, each later one twice as many."""
    if size < len(docs):  # mostly the first part is enough, and the rest need not be put in order
        parted = np.argpartition(-scores, size)
        docs, scores = docs[parted], scores[parted]
    yield from _ordered(docs[:size], scores[:size], size)
    yield from _ordered(docs[size:], scores[size:], min(size * 2, WIDEST))


def _ordered(docs: Whole, scores: Scores, size: int) -> Iterator[Sequence[tuple[int, float]]]:
    order = np.argsort(-scores)
    at = 0
    while at < len(order):
        part = order[at : at + size]
        yield list(zip(docs[part].tolist(), scores[part].tolist(), strict=True))
        at += size
        size = min(size * 2, WIDEST)
