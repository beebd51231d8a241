"""Searching the SQLite engine's vectors: cosines with all that the asker's owners hold, then the filter, then the rank."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from beebread.backends.sqlite_read import places
from beebread.backends.sqlite_search import SPARE, Ranked, best, chunks
from beebread.backends.sqlite_terms import Owner, owners_named
from beebread.backends.sqlite_vector_cache import Copies, chosen, unpacked
from beebread.backends.sqlite_vector_codec import Query, Scores, pack
from beebread.backends.sqlite_vector_parts import Docs, Parts, Sketch
from beebread.backends.sqlite_vector_rows import Space, spaces
from beebread.backends.sqlite_where import bound, marks, matches
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
        if probe.vector is None:
            raise Invalid("a search by meaning needs a vector: embed the query")
        query = Query(probe.vector)
        space = searched(db, probe.space, query.dimensions)
        homes = owners_named(db, owners(probe.where.asker))
        if space is None or not homes or probe.limit <= 0:
            return []
        parts = [self.copies.parts(db, space, home.n, probe.channel) for home in homes]
        asked = Asked(db, probe, query, space, homes)
        if probe.where.ids:
            return asked.named(parts)
        return best(db, asked.candidates(parts), probe.where, {home.n: home.name for home in homes}, probe.limit)


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
        raise Invalid(f"a vector of {dimensions} numbers in a space of {held[0].dimensions}: look at the embedder")
    return held[0] if held[0].dimensions else None


class Asked:
    """One query on its way through what its owners hold: documents by their nearest part, to be checked by the filter.

    First those with the best cosines, in the hope that the filter lets enough of them through; then all that it does let through.
    """

    def __init__(self, db: sqlite3.Connection, probe: Probe, query: Query, space: Space, homes: Sequence[Owner]) -> None:
        self._db, self._probe, self._query, self._space, self._homes = db, probe, query, space, homes

    def candidates(self, held: Sequence[Parts | Sketch]) -> Iterator[Ranked]:
        """Documents and their best cosines, the best first, in parts to be checked."""
        size = self._probe.limit + SPARE
        width = max(WIDEST, 4 * size)
        told: set[int] = set()
        docs, scores = self._scored(held, None)
        for count in (size, width):
            chunk = [(doc, score) for doc, score in ranked(docs, scores, count) if doc not in told]
            told.update(doc for doc, _ in chunk)
            if chunk:
                yield chunk
        if np.count_nonzero(scores > 0) <= width and not any(isinstance(parts, Sketch) for parts in held):
            return
        rest = ranked(*self._scored(held, np.array(self._let_through(), np.int64)))
        yield from chunks([(doc, score) for doc, score in rest if doc not in told], size)

    def named(self, held: Sequence[Parts | Sketch]) -> list[Hit]:
        """The hits among the few that the filter names."""
        names = [bound(name) for name in self._probe.where.ids]
        clause = matches(msgspec.structs.replace(self._probe.where, ids=()))
        through: dict[int, tuple[str, str]] = {}
        for home in self._homes:
            rows = self._db.execute(
                f"SELECT r.doc, r.id FROM records r INDEXED BY records_id WHERE r.owner = ? AND r.id IN ({marks(names)}) AND {clause.sql}",
                (home.n, *names, *clause.values),
            )
            through.update((doc, (home.name, name)) for doc, name in rows)
        rest = ranked(*self._scored(held, np.array(list(through), np.int64)))
        hits = [Hit(*through[doc], score) for doc, score in rest]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id, hit.owner))[: self._probe.limit]

    def _let_through(self) -> list[int]:
        """Every document that answers the filter."""
        return [place[4] for home in self._homes for place in places(self._db, home, self._probe.where, -1, None)]

    def _scored(self, held: Sequence[Parts | Sketch], among: Docs | None) -> tuple[Docs, Scores]:
        """Documents and cosines of the parts that are compared."""
        near: list[Parts] = []
        for home, parts in zip(self._homes, held, strict=True):
            if isinstance(parts, Sketch):
                near.append(self._read(home.n, parts.near(self._query, self._probe.limit) if among is None else among))
            else:
                near.append(parts if among is None else parts.among(among))
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
