"""BM25, the one formula by which every engine ranks keyword hits."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest
from math import log

BM25_K1 = 1.2
"""How fast repeats of a term stop counting."""
BM25_B = 0.75
"""How much a long document is held back: 0 not at all, 1 in proportion to its length."""


ENOUGH = 8
"""Terms of a query that any good answer would hold; of a longer one the others are the way it was asked."""


PRIOR = 5
"""Documents without a term that are counted with the owner's own: in a small memory a word is not worthless for being in all of it."""


def idf(documents: int, containing: int) -> float:
    """Weight of a term that `containing` of the owner's `documents` hold. Always positive (the form Lucene uses, and PRIOR).

    A `containing` above `documents`, as two unsynchronised counts may give, is taken as `documents`.
    """
    held = min(containing, documents)
    return log(1.0 + (documents + PRIOR - held + 0.5) / (held + 0.5))


def ideal(weights: Iterable[float]) -> float:
    """What a record scores that holds each of a query's terms once, or the ENOUGH rarest of a long one's; `weights` as `idf` gives them."""
    return sum(nlargest(ENOUGH, weights))


def bm25(tf: float, length: float, average: float, weight: float) -> float:
    """Score of one term in one document; a document's score is the sum over the query's terms.

    `tf`: how often the document holds the term. `length`: `Document.length`. `average`: mean length of the owner's
    documents; 0 or less (none counted yet) leaves length out of account. `weight`: `idf` of the term.
    """
    relative = length / average if average > 0 else 1.0
    return weight * tf * (BM25_K1 + 1.0) / (tf + BM25_K1 * (1.0 - BM25_B + BM25_B * relative))
