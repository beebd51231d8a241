"""Searching the SQLite engine's keyword index: exact BM25 over all that the asker's owners keep, then the filter, then the rank."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator, Sequence
from itertools import compress
from operator import itemgetter

from beebread.backends.sqlite_terms import LAST, LONGEST, Hashes, Owner, owners_named, packed, unpacked
from beebread.backends.sqlite_where import marks, matches
from beebread.errors import Invalid
from beebread.model import Hit, Where, owners
from beebread.ports import Probe
from beebread.text import bm25, idf

CHANNELS = frozenset({"keyword", "exact"})
CHUNK = 64  # candidates checked at once, at first
MOST = 4096


def search(db: sqlite3.Connection, probe: Probe) -> list[Hit]:
    """The hits of one channel."""
    if probe.channel not in CHANNELS:
        raise Invalid(f"this store has no channel {probe.channel[:60]!r}: use one of {', '.join(sorted(CHANNELS))}")
    homes = owners_named(db, owners(probe.where.asker))
    terms = [term for term in dict.fromkeys(probe.terms) if _storable(term)]
    if not homes or not terms or probe.limit <= 0:
        return []
    postings = [array("q") for _ in terms]
    for home in homes:
        _collect(db, home, terms, postings)
    scores = _bm25(homes, postings) if probe.channel == "keyword" else _counted(postings)
    return _best(db, scores, probe.where, {home.n: home.name for home in homes}, probe.limit)


def _storable(term: str) -> bool:
    return term.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in term)


def _collect(db: sqlite3.Connection, home: Owner, terms: Sequence[str], postings: Sequence[array[int]]) -> None:
    """Add the postings of one owner to the list of each term: from its segments, then from its fresh documents one by one."""
    wanted = {term: at for at, term in enumerate(Hashes(home.key).of(terms))}
    buckets: dict[int, list[int]] = {}
    for term in wanted:
        buckets.setdefault(term & LAST, []).append(term)
    for bucket, blob in db.execute(
        "SELECT p.bucket, p.entries FROM segments s CROSS JOIN postings p ON p.owner = s.owner AND p.segment = s.segment "
        f"WHERE s.owner = ? AND p.bucket IN ({marks(buckets)})",
        (home.n, *buckets),
    ):
        entries = unpacked("q", blob)
        held, documents = entries[::2], entries[1::2]
        for term in buckets[bucket]:
            postings[wanted[term]].extend(compress(documents, map(term.__eq__, held)))
    names = wanted.keys()
    for doc, length, blob, counts in db.execute(
        "SELECT doc, length, hashes, counts FROM terms WHERE owner = ? AND doc > ?", (home.n, home.flushed)
    ):
        held = unpacked("q", blob)
        if met := names & set(held):
            often = unpacked("H", counts)
            for term in met:
                postings[wanted[term]].append(packed(doc, often[held.index(term)], length))


def _bm25(homes: Sequence[Owner], postings: Sequence[array[int]]) -> dict[int, float]:
    """Documents with words to their score, the terms added up in the order in which they are asked."""
    docs = sum(home.docs for home in homes)
    average = sum(home.length for home in homes) / docs if docs else 0.0
    scores: dict[int, float] = {}
    for entries in postings:
        worded = [posting for posting in entries if posting & LONGEST]
        weight = idf(docs, len(worded))
        known: dict[int, float] = {}
        for posting in worded:
            kind = posting & 0xFFFFFFFF
            score = known.get(kind)
            if score is None:
                score = known[kind] = bm25(kind >> 18, kind & LONGEST, average, weight)
            doc = posting >> 32
            scores[doc] = scores.get(doc, 0.0) + score
    return scores


def _counted(postings: Sequence[array[int]]) -> dict[int, float]:
    """Documents to how many of the terms they have."""
    scores: dict[int, float] = {}
    for entries in postings:
        for posting in entries:
            doc = posting >> 32
            scores[doc] = scores.get(doc, 0.0) + 1.0
    return scores


def _best(db: sqlite3.Connection, scores: dict[int, float], where: Where, names: dict[int, str], limit: int) -> list[Hit]:
    """The best hits among what answers `where`, checked from the best candidate downwards until there are enough."""
    clause = matches(where)
    hits: list[Hit] = []
    for chunk in _chunks(sorted(scores.items(), key=itemgetter(1), reverse=True), max(CHUNK, 2 * limit)):
        rows = db.execute(
            f"SELECT r.doc, r.owner, r.id FROM records r WHERE r.doc IN ({marks(chunk)}) AND {clause.sql}",
            (*(doc for doc, _ in chunk), *clause.values),
        )
        hits.extend(Hit(names[n], name, scores[doc]) for doc, n, name in rows if n in names)
        # What comes later scores at most as much as the last of this chunk; an equal score may still win by its id.
        if len(hits) >= limit and chunk[-1][1] < sorted((hit.score for hit in hits), reverse=True)[limit - 1]:
            break
    return sorted(hits, key=lambda hit: (-hit.score, hit.id, hit.owner))[:limit]


def _chunks(ranked: Sequence[tuple[int, float]], size: int) -> Iterator[Sequence[tuple[int, float]]]:
    at = 0
    while at < len(ranked):
        yield ranked[at : at + size]
        at += size
        size = min(size * 2, MOST)
