"""Searching the SQLite engine's vectors: cosines with all that the asker's owners hold, then the filter, then the rank."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from beebread.backends.sqlite_read import places
from beebread.backends.sqlite_search import SPARE, Ranked, best, called, chunks
from beebread.backends.sqlite_terms import Owner, owners_named
from beebread.backends.sqlite_vector_cache import Copies, chosen, unpacked
from beebread.backends.sqlite_vector_codec import Query, Scores, pack
from beebread.backends.sqlite_vector_parts import Docs, Parts, Sketch, among
from beebread.backends.sqlite_vector_rows import Space, spaces
from beebread.backends.sqlite_where import matches
from beebread.errors import Invalid, ModelMismatch
from beebread.model import Hit, owners
from beebread.ports import Probe

WIDEST = 1024  # candidates checked by rank before the filter is asked what it lets through


class VectorSearch:
    """All that needs numpy."""

    def __init__(self, copies: Copies | None = None) -> None:
        self.copies = copies or Copies()
        self.pack = pack

    def search(self, db: sqlite3.Connection, probe: Probe) -> list[Hit]:
        """The hits of one channel."""
        homes = owners_named(db, owners(probe.where.asker))
        asked = self.asked(db, probe, homes)
        if asked is None or probe.limit <= 0:
            return []
        names = {home.n: home.name for home in homes}
        if not probe.where.ids:
            return best(db, asked.all(), matches(probe.where), names, probe.limit)
        found = called(db, probe.where, names)
        hits = [Hit(*found[doc], score) for doc, score in asked.of(np.array(sorted(found), np.int64))]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id, hit.owner))[: probe.limit]

    def asked(self, db: sqlite3.Connection, probe: Probe, homes: Sequence[Owner]) -> Asked | None:
        """What a channel makes of what `homes` hold; None when they hold nothing to compare with."""
        if probe.vector is None:
            raise Invalid("a search by meaning needs a vector: embed the query")
        query = Query(probe.vector)
        space = searched(db, probe.space, query.dimensions)
        if space is None or not homes:
            return None
        return Asked(db, probe, query, space, homes, [self.copies.parts(db, space, home.n, probe.channel) for home in homes])


def searched(db: sqlite3.Connection, asked: str, dimensions: int) -> Space | None:
    """The space that is searched, None when nothing is held; ModelMismatch when another is asked for."""
    held = spaces(db)
    if not held:
        return None
    if held[0].name != asked:
        raise ModelMismatch(
            f"the vectors kept here were made by {held[0].name!r}, and {asked!r} asks: "
            "run `beebread reembed` to move them to the new model, or configure the old one"
        )
    if held[0].dimensions not in (0, dimensions):
        raise Invalid(
            f"a vector of {dimensions} numbers in a space of {held[0].dimensions}: run `beebread reembed`, or configure the old model"
        )
    return held[0] if held[0].dimensions else None


class Asked:
    """One query on its way through what its owners hold: documents by their nearest part, to be checked by the filter.

    First those with the best cosines, in the hope that the filter lets enough of them through; then all that it does let through.
    """

    ideal = 0.0

    def __init__(
        self, db: sqlite3.Connection, probe: Probe, query: Query, space: Space, homes: Sequence[Owner], held: Sequence[Parts | Sketch]
    ) -> None:
        self._db, self._probe, self._query, self._space, self._homes, self._held = db, probe, query, space, homes, held
        self._whole = not any(isinstance(parts, Sketch) for parts in held)

    @cached_property
    def _nearest(self) -> tuple[Docs, Scores]:
        return self._scored(None)

    def first(self, size: int) -> tuple[Ranked, float]:
        """The `size` best documents, best first, or some more; and the cosine of any other, at most; 0 when none fits."""
        parts, width = len(self._nearest[1]), size
        found = ranked(*self._nearest, width)
        while 0 < len(found) < size and width < parts:  # long texts have several parts among the best
            width *= 2
            found = ranked(*self._nearest, width)
        every = not found or (self._whole and parts <= width)
        return found, 0.0 if every else found[-1][1]

    def all(self) -> Iterator[Ranked]:
        """Documents and their best cosines, the best first, in parts to be checked."""
        size = self._probe.limit + SPARE
        width = max(WIDEST, 4 * size)
        told: set[int] = set()
        for count in (size, width):
            chunk = [(doc, score) for doc, score in ranked(*self._nearest, count) if doc not in told]
            told.update(doc for doc, _ in chunk)
            if chunk:
                yield chunk
        if self._whole and np.count_nonzero(self._nearest[1] > 0) <= width:
            return
        rest = self.of(np.sort(np.array(self._let_through(), np.int64)))
        yield from chunks([(doc, score) for doc, score in rest if doc not in told], size)

    def of(self, docs: Docs) -> list[tuple[int, float]]:
        """Those of `docs` that fit, best first."""
        if not self._whole or "_nearest" not in self.__dict__:
            return ranked(*self._scored(docs))
        held, scores = self._nearest
        here = among(held, docs)
        return ranked(held[here], scores[here])

    def _let_through(self) -> list[int]:
        """Every document that answers the filter."""
        return [place[4] for home in self._homes for place in places(self._db, home, self._probe.where, -1, None)]

    def _scored(self, some: Docs | None) -> tuple[Docs, Scores]:
        """Documents and cosines of the parts that are compared."""
        near: list[Parts] = []
        for home, parts in zip(self._homes, self._held, strict=True):
            if isinstance(parts, Sketch):
                near.append(self._read(home.n, parts.near(self._query, self._probe.limit) if some is None else some))
            else:
                near.append(parts if some is None else parts.among(some))
        scores = [self._query.cosines(parts.ints, parts.scales) for parts in near]
        if len(near) == 1:
            return near[0].docs, scores[0]
        return np.concatenate([parts.docs for parts in near]), np.concatenate(scores)

    def _read(self, owner: int, docs: Docs) -> Parts:
        rows = [row for page in chosen(self._db, self._space.n, owner, docs) for row in page]
        return unpacked(rows, self._probe.channel, self._space.dimensions)


def ranked(docs: Docs, scores: Scores, width: int = 0) -> list[tuple[int, float]]:
    """The documents of the `width` best parts (0: of all) with their best cosine, best first; those that do not fit at all left out."""
    if 0 < width < len(scores):
        top = np.argpartition(scores, len(scores) - width)[len(scores) - width :]
        docs, scores = docs[top], scores[top]
    order = np.argsort(-scores, kind="stable")
    found: dict[int, float] = {}
    for doc, score in zip(docs[order].tolist(), scores[order].tolist(), strict=True):
        if score > 0:
            found.setdefault(doc, score)
    return list(found.items())
