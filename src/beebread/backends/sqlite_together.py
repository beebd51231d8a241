"""Several channels of one question in one go: candidates are checked together, and what words found is compared by meaning too."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from beebread.backends.sqlite_bm25 import bm25_scores, chunked, matched_scores
from beebread.backends.sqlite_collect import Collected, collect
from beebread.backends.sqlite_search import CHANNELS, SPARE, Place, Ranked, best_places, called, passing, storable
from beebread.backends.sqlite_terms import Owner, Terms, owners_named
from beebread.backends.sqlite_vector_codec import Scores
from beebread.backends.sqlite_vector_parts import Docs, among
from beebread.backends.sqlite_vector_search import VectorSearch, ranked
from beebread.backends.sqlite_where import matches
from beebread.errors import Invalid
from beebread.model import Hit, Where, owners
from beebread.ports import Probe

FEW = 4  # candidates of each channel that are checked beyond those wanted: mostly the filter lets all through
MANY = 4  # times as many as wanted that are looked at because they score the same


class Way(Protocol):
    """What one channel makes of what the asker's owners keep; nothing of it is checked yet."""

    @property
    def ideal(self) -> float:
        """See `Hit.ideal`."""
        ...

    def first(self, size: int) -> tuple[Ranked, float]:
        """The best documents, at least `size` of them if there are, and what any other scores at most; 0 when none fits."""
        ...

    def all(self) -> Iterator[Ranked]:
        """Every document that fits, in parts to be checked."""
        ...

    def of(self, docs: Docs) -> Ranked:
        """Those of `docs`, which are sorted, that fit."""
        ...


class Summed:
    """A channel of words: the scores of all documents that have any."""

    def __init__(self, limit: int, docs: Docs, scores: Scores, ideal: float = 0.0) -> None:
        self._limit, self._docs, self._scores, self.ideal = limit, docs, scores, ideal

    def first(self, size: int) -> tuple[Ranked, float]:
        """See Way. Those that score as much as the last one come too, unless they are many."""
        if len(self._docs) <= size:
            return ranked(self._docs, self._scores), 0.0
        least = np.partition(self._scores, -size)[-size]
        alike = self._scores >= least
        if np.count_nonzero(alike) > MANY * size:
            return ranked(self._docs, self._scores, size), float(least)
        return ranked(self._docs[alike], self._scores[alike]), float(np.nextafter(least, 0))

    def all(self) -> Iterator[Ranked]:
        """See Way."""
        return chunked(self._docs, self._scores, self._limit + SPARE)

    def of(self, docs: Docs) -> Ranked:
        """See Way."""
        here = among(self._docs, docs)
        return ranked(self._docs[here], self._scores[here])


def search_together(db: sqlite3.Connection, layout: Terms, vectors: VectorSearch, probes: Sequence[Probe]) -> list[list[Hit]]:
    """See `ports.SearchesTogether`."""
    if not probes:
        return []
    where = probes[0].where
    if any(probe.where != where for probe in probes):
        raise Invalid("channels are asked together with one filter")
    homes = owners_named(db, owners(where.asker))
    ways: list[Way | None] = _of_words(db, layout, homes, probes)
    for at, probe in enumerate(probes):
        if probe.channel not in CHANNELS:
            ways[at] = vectors.asked(db, probe, homes)
        if probe.limit <= 0:
            ways[at] = None
    names = {home.n: home.name for home in homes}
    asked = [(way, probe.limit) for way, probe in zip(ways, probes, strict=True)]
    if where.ids:  # a few, whose documents are at hand
        few = called(db, where, names)
        own = [_scored(way, few)[:limit] for way, limit in asked]
    else:
        own = _found(db, where, names, asked)
    found = {doc: (owner, name) for places in own for _, name, owner, doc in places}
    return [
        _hits(way, places if probe.channel in CHANNELS else _scored(way, found))
        for way, probe, places in zip(ways, probes, own, strict=True)
    ]


def _of_words(db: sqlite3.Connection, layout: Terms, homes: Sequence[Owner], probes: Sequence[Probe]) -> list[Way | None]:
    """The ways of the channels of words, all their terms read at once."""
    ways: list[Way | None] = [None for _ in probes]
    asked = {
        at: [term for term in dict.fromkeys(probe.terms) if storable(term)] for at, probe in enumerate(probes) if probe.channel in CHANNELS
    }
    places = {term: place for place, term in enumerate(dict.fromkeys(term for terms in asked.values() for term in terms))}
    found = Collected([[] for _ in places], [])
    for home in homes if places else ():
        collect(db, home, list(places), found, layout)
    docs, length = sum(home.docs for home in homes), sum(home.length for home in homes)
    for at, terms in asked.items():
        slices, limit = [found.slices[places[term]] for term in terms], probes[at].limit
        if any(slices) and probes[at].channel == "keyword":
            ways[at] = Summed(limit, *bm25_scores(found, slices, docs, length / docs if docs else 0.0))
        elif any(slices):
            ways[at] = Summed(limit, *matched_scores(found, slices))
    return ways


def _found(db: sqlite3.Connection, where: Where, names: dict[int, str], asked: Sequence[tuple[Way | None, int]]) -> list[list[Place]]:
    """What each of the ways finds among what answers `where`, as many as are asked for."""
    nothing: tuple[Ranked, float] = (), 0.0
    firsts = [way.first(limit + FEW) if way is not None else nothing for way, limit in asked]
    answers = matches(where)
    seen = passing(db, list({doc for first, _ in firsts for doc, _ in first}), answers, names)
    found: list[list[Place]] = []
    for (way, limit), (first, rest) in zip(asked, firsts, strict=True):
        places = sorted((-score, name, owner, doc) for doc, score in first if doc in seen for owner, name in (seen[doc],))[:limit]
        if way is not None and rest and not (len(places) == limit > 0 and rest < -places[-1][0]):
            places = best_places(db, way.all(), answers, names, limit)  # the filter lets few through, or many fit equally well
        found.append(places)
    return found


def _scored(way: Way | None, found: dict[int, tuple[str, str]]) -> list[Place]:
    """What a way makes of documents that were found."""
    scored: Ranked = way.of(np.fromiter(sorted(found), np.int64, len(found))) if way is not None else ()
    return sorted((-score, name, owner, doc) for doc, score in scored for owner, name in (found[doc],))


def _hits(way: Way | None, places: Sequence[Place]) -> list[Hit]:
    return [Hit(owner, name, -score, way.ideal if way is not None else 0.0) for score, name, owner, _ in places]
