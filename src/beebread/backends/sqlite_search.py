"""Searching the SQLite engine's keyword index: exact BM25 over all that the asker's owners keep, then the filter, then the rank."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from operator import itemgetter

import msgspec

from beebread.backends.sqlite_collect import WIDEST, Collected, Postings, collect
from beebread.backends.sqlite_postings import COUNT_BITS, LENGTH_BITS, LONGEST, MOST
from beebread.backends.sqlite_terms import Owner, Terms, owners_named
from beebread.backends.sqlite_where import Clause, bound, marks, matches
from beebread.errors import Invalid
from beebread.model import Hit, Where, owners
from beebread.ports import Probe
from beebread.text import bm25, ideal, idf

Ranked = Sequence[tuple[int, float]]
"""Documents and their scores, best first."""
Place = tuple[float, str, str, int]
"""A hit by its rank: the score below zero, id, owner; and its document."""

CHANNELS = frozenset({"keyword", "exact"})
CHUNK = 64  # candidates checked at first
SPARE = 16  # or so many more than are wanted
MANY = 4_000  # postings that are summed faster by numpy than one by one

DOC = LENGTH_BITS + COUNT_BITS
KIND = (1 << DOC) - 1

Summed = Callable[[Collected, int, float, int], tuple[Iterable[Ranked], float]]


@cache
def _numpy() -> Summed | None:
    """The sums of `sqlite_bm25`; None where there is no numpy, without which everything here works too."""
    try:
        from beebread.backends.sqlite_bm25 import bm25_chunks
    except ModuleNotFoundError:
        return None
    return bm25_chunks


def search(db: sqlite3.Connection, layout: Terms, probe: Probe, many: int = MANY) -> list[Hit]:
    """The hits of one channel; `many` is the number of postings from which numpy adds them up."""
    if probe.channel not in CHANNELS:
        raise Invalid(f"this store has no channel {probe.channel[:60]!r}: use one of {', '.join(sorted(CHANNELS))}")
    homes = owners_named(db, owners(probe.where.asker))
    terms = [term for term in dict.fromkeys(probe.terms) if storable(term)]
    if not homes or not terms or probe.limit <= 0:
        return []
    found = Collected([[] for _ in terms], [])
    for home in homes:
        collect(db, home, terms, found, layout)
    size = max(CHUNK, probe.limit + SPARE)
    if probe.channel == "keyword":
        candidates, most = _keyword(homes, found, size, many)
    else:
        candidates, most = _by_score(_counted(found.joined()), size), 0.0
    hits = best(db, candidates, matches(probe.where), {home.n: home.name for home in homes}, probe.limit)
    return [Hit(hit.owner, hit.id, hit.score, most) for hit in hits]


def storable(term: str) -> bool:
    """Whether it is text: what is none was never kept."""
    return term.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in term)


def _keyword(homes: Sequence[Owner], found: Collected, size: int, many: int) -> tuple[Iterable[Ranked], float]:
    """The documents by BM25, to be checked `size` at first; and the ideal score. Numpy, where it is there, gives the very same."""
    docs = sum(home.docs for home in homes)
    average = sum(home.length for home in homes) / docs if docs else 0.0
    if found.size >= many and (summed := _numpy()) is not None:
        return summed(found, docs, average, size)
    scores, most = _bm25(docs, average, found.joined())
    return _by_score(scores, size), most


def _by_score(scores: dict[int, float], size: int) -> Iterator[Ranked]:
    return chunks(sorted(scores.items(), key=itemgetter(1), reverse=True), size)


class _Scores(dict[int, float]):
    """What a term adds to documents by their length and how often they have it, each made once."""

    def __init__(self, average: float, weight: float) -> None:
        super().__init__()
        self._average, self._weight = average, weight

    def __missing__(self, kind: int) -> float:
        score = self[kind] = self.of(kind >> COUNT_BITS, (kind & MOST - 1) + 1)
        return score

    def of(self, length: int, count: int) -> float:
        return bm25(count, length, self._average, self._weight)


def _bm25(docs: int, average: float, postings: Sequence[Postings]) -> tuple[dict[int, float], float]:
    """Documents with words to their score, the terms added up in the order in which they are asked; and the ideal score."""
    scores: defaultdict[int, float] = defaultdict(float)
    weights: list[float] = []
    for found in postings:
        often = [one for one in found if one & MOST - 1 == MOST - 1]  # it may go on in another posting of the document
        documents = {one >> DOC for one in found} if often else found
        weight = idf(docs, len(documents))
        weights.append(idf(docs, max(1, len(documents))))
        known = _Scores(average, weight)
        if often:
            for one, count in _summed(found).items():
                scores[one >> LENGTH_BITS] += known.of(one & LONGEST, count)
        else:
            for one in found:
                scores[one >> DOC] += known[one & KIND]
    return scores, ideal(weights)


def _summed(found: Postings) -> dict[int, int]:
    """Documents with their lengths, as `listed` joins them, to how often they have the term in all."""
    counts: defaultdict[int, int] = defaultdict(int)
    for one in found:
        counts[one >> COUNT_BITS] += (one & MOST - 1) + 1
    return counts


def _counted(postings: Sequence[Postings]) -> dict[int, float]:
    """Documents to how many of the terms they have."""
    scores: defaultdict[int, float] = defaultdict(float)
    for found in postings:
        for doc in {one >> DOC for one in found}:
            scores[doc] += 1.0
    return scores


def best(db: sqlite3.Connection, candidates: Iterable[Ranked], answers: Clause, names: dict[int, str], limit: int) -> list[Hit]:
    """The best hits among what `answers` holds for, checked from the best candidate downwards until there are enough."""
    return [Hit(owner, name, -score) for score, name, owner, _ in best_places(db, candidates, answers, names, limit)]


def best_places(db: sqlite3.Connection, candidates: Iterable[Ranked], answers: Clause, names: dict[int, str], limit: int) -> list[Place]:
    """The same with the document of each."""
    found: list[Place] = []
    for chunk in candidates:
        scores = dict(chunk)
        found.extend([(-scores[doc], name, owner, doc) for doc, (owner, name) in passing(db, list(scores), answers, names).items()])
        found.sort()
        del found[limit:]
        # What comes later scores at most as much as the last of this chunk; an equal score may still win by its id.
        if len(found) == limit and chunk[-1][1] < -found[-1][0]:
            break
    return found


def passing(db: sqlite3.Connection, docs: Sequence[int], answers: Clause, names: dict[int, str]) -> dict[int, tuple[str, str]]:
    """Those of some documents that `answers`, a filter over records, holds for: owner and id."""
    rows = db.execute(
        f"SELECT r.doc, r.owner, r.id FROM records r WHERE r.doc IN ({marks(docs)}) AND {answers.sql}", (*docs, *answers.values)
    )
    return {doc: (names[n], name) for doc, n, name in rows if n in names}


def called(db: sqlite3.Connection, where: Where, names: dict[int, str]) -> dict[int, tuple[str, str]]:
    """The documents of the few records that `where` names by their ids: owner and id."""
    ids = [bound(name) for name in where.ids]
    clause = matches(msgspec.structs.replace(where, ids=()))
    sql = f"SELECT r.doc, r.id FROM records r INDEXED BY records_id WHERE r.owner = ? AND r.id IN ({marks(ids)}) AND {clause.sql}"
    return {doc: (owner, name) for n, owner in names.items() for doc, name in db.execute(sql, (n, *ids, *clause.values))}


def chunks(ranked: Ranked, size: int) -> Iterator[Ranked]:
    """`ranked` in parts that are checked at once, each twice as large as the one before."""
    at = 0
    while at < len(ranked):
        yield ranked[at : at + size]
        at += size
        size = min(size * 2, WIDEST)
