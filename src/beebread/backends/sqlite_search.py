"""Searching the SQLite engine's keyword index: exact BM25 over all that the asker's owners keep, then the filter, then the rank."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from beebread.backends.sqlite_postings import COUNT_BITS, LENGTH_BITS, LONGEST, MOST, bucket_of, counted, decoded, matching
from beebread.backends.sqlite_terms import Hashes, Owner, Segment, Terms, first_place, listed, owners_named, segments
from beebread.backends.sqlite_where import marks, matches
from beebread.errors import Invalid
from beebread.model import Hit, Where, owners
from beebread.ports import Probe
from beebread.text import bm25, ideal, idf

Ranked = Sequence[tuple[int, float]]
"""Documents and their scores, best first."""

CHANNELS = frozenset({"keyword", "exact"})
CHUNK = 64  # candidates checked at once, at first
WIDEST = 4096
PLACES = 16_000  # rows read by one statement

DOC = LENGTH_BITS + COUNT_BITS
KIND = (1 << DOC) - 1
Postings = list[int]  # the document with its length, as `listed` joins them, and below that how often it has the term, less one


def search(db: sqlite3.Connection, layout: Terms, probe: Probe) -> list[Hit]:
    """The hits of one channel."""
    if probe.channel not in CHANNELS:
        raise Invalid(f"this store has no channel {probe.channel[:60]!r}: use one of {', '.join(sorted(CHANNELS))}")
    homes = owners_named(db, owners(probe.where.asker))
    terms = [term for term in dict.fromkeys(probe.terms) if _storable(term)]
    if not homes or not terms or probe.limit <= 0:
        return []
    postings: list[Postings] = [[] for _ in terms]
    for home in homes:
        _collect(db, home, terms, postings, layout)
    scores, most = _bm25(homes, postings) if probe.channel == "keyword" else (_counted(postings), 0.0)
    ranked = sorted(scores.items(), key=itemgetter(1), reverse=True)
    hits = best(db, chunks(ranked, max(CHUNK, 2 * probe.limit)), probe.where, {home.n: home.name for home in homes}, probe.limit)
    return [Hit(hit.owner, hit.id, hit.score, most) for hit in hits]


def _storable(term: str) -> bool:
    return term.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in term)


def _collect(db: sqlite3.Connection, home: Owner, terms: Sequence[str], postings: list[Postings], layout: Terms) -> None:
    """Add what one owner keeps to the postings of each term: from its segments, then from its fresh documents one by one."""
    hashes = Hashes(home.key).of(terms)
    rows: dict[int, list[tuple[int, Segment]]] = {}
    for segment in segments(db, home.n):
        bits = layout.bits(segment.level)
        for at, term in enumerate(hashes):
            rows.setdefault(segment.bucket(bucket_of(term, bits)), []).append((at, segment))
    places = list(rows)
    for start in range(0, len(places), PLACES):
        some = places[start : start + PLACES]
        for place, blob in db.execute(f"SELECT place, entries FROM postings WHERE place IN ({marks(some)})", some):
            entries = decoded(blob)
            for at, segment in rows[place]:
                bits, docs = layout.bits(segment.level), segment.docs
                mask = (1 << bits) - 1
                found = matching(entries, hashes[at], bits)
                postings[at] += [docs[one >> COUNT_BITS & mask] << COUNT_BITS | one & MOST - 1 for one in found]
    first, wanted = first_place(home.n), {term: at for at, term in enumerate(hashes)}
    span = (first, first_place(home.n + 1))
    for place, length, blob in db.execute("SELECT place, length, entries FROM fresh WHERE place >= ? AND place < ?", span):
        for term, count in counted(decoded(blob), wanted.keys()).items():
            whole, rest = divmod(count - 1, MOST)
            one = listed(place - first, length) << COUNT_BITS
            postings[wanted[term]] += [*[one | MOST - 1] * whole, one | rest]


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


def _bm25(homes: Sequence[Owner], postings: Sequence[Postings]) -> tuple[dict[int, float], float]:
    """Documents with words to their score, the terms added up in the order in which they are asked; and the ideal score."""
    docs = sum(home.docs for home in homes)
    average = sum(home.length for home in homes) / docs if docs else 0.0
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


def best(db: sqlite3.Connection, candidates: Iterable[Ranked], where: Where, names: dict[int, str], limit: int) -> list[Hit]:
    """The best hits among what answers `where`, checked from the best candidate downwards until there are enough."""
    clause = matches(where)
    hits: list[Hit] = []
    for chunk in candidates:
        scores = dict(chunk)
        rows = db.execute(
            f"SELECT r.doc, r.owner, r.id FROM records r WHERE r.doc IN ({marks(chunk)}) AND {clause.sql}", (*scores, *clause.values)
        )
        hits.extend(Hit(names[n], name, scores[doc]) for doc, n, name in rows if n in names)
        # What comes later scores at most as much as the last of this chunk; an equal score may still win by its id.
        if len(hits) >= limit and chunk[-1][1] < sorted((hit.score for hit in hits), reverse=True)[limit - 1]:
            break
    return sorted(hits, key=lambda hit: (-hit.score, hit.id, hit.owner))[:limit]


def chunks(ranked: Ranked, size: int) -> Iterator[Ranked]:
    """`ranked` in parts that are checked at once, each twice as large as the one before."""
    at = 0
    while at < len(ranked):
        yield ranked[at : at + size]
        at += size
        size = min(size * 2, WIDEST)
