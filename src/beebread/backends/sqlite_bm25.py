"""BM25 over many postings with numpy: the very sums that `sqlite_search` makes one by one, in the same order, equal to the last bit."""

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


class _Slice(NamedTuple):
    """Documents of one segment by their number, each once, and how often they have a term; None where all have it once."""

    documents: Whole
    counts: Scores | None
    segment: int


def bm25_chunks(found: Collected, docs: int, average: float, size: int) -> tuple[Iterator[Sequence[tuple[int, float]]], float]:
    """The documents by score, best first, in parts of which the first has `size`, each later one twice as many; and the ideal score."""
    table = np.frombuffer(b"".join(found.segments), np.int64)
    relative = (table & LONGEST) / average if average > 0 else np.ones(len(table))
    held = BM25_K1 * (1.0 - BM25_B + BM25_B * relative)
    scores = np.zeros(len(table))
    ends = np.cumsum([len(segment) for segment in found.segments])[:-1]
    added, held_by, once_by = (np.split(whole, ends) for whole in (scores, held, 1.0 + held))  # the segments' parts, not copied
    weights: list[float] = []
    for some in found.slices:
        slices = [_counted(one) for one in some]
        holding = sum(len(one.documents) for one in slices)
        weight = idf(docs, holding)
        weights.append(idf(docs, max(1, holding)))
        for documents, counts, segment in slices:
            if counts is None:
                added[segment][documents] += weight * (BM25_K1 + 1.0) / once_by[segment][documents]
            else:
                added[segment][documents] += weight * counts * (BM25_K1 + 1.0) / (counts + held_by[segment][documents])
    at = np.flatnonzero(scores)
    return _chunks(table[at] >> LENGTH_BITS, scores[at], size), ideal(weights)


def _counted(one: Slice) -> _Slice:
    packed = np.frombuffer(one.postings, np.int64)
    documents = packed >> COUNT_BITS & (1 << one.bits) - 1
    more = packed & MOST - 1
    if not more.any():
        return _Slice(documents, None, one.segment)
    counts = (more + 1).astype(np.float64)
    if counts.max() == MOST:  # it may go on in another posting of the document
        documents, which = np.unique(documents, return_inverse=True)
        counts = np.bincount(which, counts).astype(np.float64)
    return _Slice(documents, counts, one.segment)


def _chunks(docs: Whole, scores: Scores, size: int) -> Iterator[Sequence[tuple[int, float]]]:
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
