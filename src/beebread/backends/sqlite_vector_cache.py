"""Copies of owners' vectors in memory, brought up to date at every search, bounded by bytes; the least recently used go first."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from operator import itemgetter

import numpy as np

from beebread.backends.sqlite_vector_codec import part_bytes, unpack
from beebread.backends.sqlite_vector_parts import LARGE, Channel, Docs, Parts, Sketch
from beebread.backends.sqlite_vector_rows import Space, changes, newest
from beebread.backends.sqlite_where import marks

BYTES = 128 << 20
PAGE = 2048  # rows that are read before they are copied; values of one statement
CHANNELS = ("vector", "context")

Row = tuple[int, bytes, bytes]
"""A document and what it holds for each channel."""


def unpacked(rows: Sequence[Row], channel: str, dimensions: int) -> Parts:
    """One channel of some documents."""
    docs: Docs = np.fromiter(map(itemgetter(0), rows), np.int64, len(rows))
    blobs: list[bytes] = list(map(itemgetter(1 if channel == "vector" else 2), rows))
    ints, scales = unpack(blobs, dimensions, channel)
    counts = np.fromiter(map(len, blobs), np.int64, len(blobs)) // part_bytes(dimensions, channel)
    return Parts(docs if (counts == 1).all() else np.repeat(docs, counts), ints, scales)


def _every(db: sqlite3.Connection, space: int, owner: int) -> Iterator[Sequence[Row]]:
    found = db.execute("SELECT doc, texts, contexts FROM vectors WHERE space = ? AND owner = ?", (space, owner))
    while rows := found.fetchmany(PAGE):
        yield rows


def chosen(db: sqlite3.Connection, space: int, owner: int, docs: Docs) -> Iterator[Sequence[Row]]:
    """The rows of some documents, those that are held, page by page."""
    for start in range(0, len(docs), PAGE):
        part: list[int] = docs[start : start + PAGE].tolist()
        found = f"SELECT doc, texts, contexts FROM vectors WHERE space = ? AND owner = ? AND doc IN ({marks(part)})"
        yield db.execute(found, (space, owner, *part)).fetchall()


class Copy:
    """What one owner holds in one space, as of its last change that was read."""

    def __init__(self, space: Space, owner: int, large: int = LARGE) -> None:
        self._space, self._owner, self._large = space, owner, large
        self._guard = threading.Lock()
        self._stamp = 0
        self._channels: dict[str, Channel] = {}

    @property
    def bytes(self) -> int:
        """The room that it takes."""
        return sum(channel.bytes for channel in self._channels.values())

    def parts(self, db: sqlite3.Connection, name: str) -> Parts | Sketch:
        """A channel as it stands in the snapshot of `db`, or newer."""
        with self._guard:
            last = newest(db, self._space.n, self._owner)
            if last > self._stamp or not self._channels:
                self._follow(db, last)
            return self._channels[name].parts

    def _follow(self, db: sqlite3.Connection, last: int) -> None:
        """Read what changed since the last time, or everything where that is no longer known."""
        known = changes(db, self._space.n, self._owner, self._stamp, last) if self._channels else None
        if known is None:
            self._channels = {name: Channel(self._space.dimensions, self._large) for name in CHANNELS}
            pages = _every(db, self._space.n, self._owner)
        else:
            docs = np.unique(np.array(known, np.int64))
            for channel in self._channels.values():
                channel.remove(docs)
            pages = chosen(db, self._space.n, self._owner, docs)
        for rows in pages:
            for name, channel in self._channels.items():
                parts = unpacked(rows, name, self._space.dimensions)
                channel.add(parts)
        for channel in self._channels.values():
            channel.fit()
        self._stamp = last


class Copies:
    """The copies of the owners last asked about."""

    def __init__(self, limit: int = BYTES, large: int = LARGE) -> None:
        self._limit, self._large = limit, large
        self._guard = threading.Lock()
        self._held: OrderedDict[tuple[int, int, int], tuple[Copy, int]] = OrderedDict()
        self._bytes = 0

    @property
    def bytes(self) -> int:
        """The room that all copies take."""
        return self._bytes

    def parts(self, db: sqlite3.Connection, space: Space, owner: int, channel: str) -> Parts | Sketch:
        """A channel of an owner as it stands in the snapshot of `db`, or newer."""
        key = (space.n, space.dimensions, owner)
        with self._guard:
            copy = self._held[key][0] if key in self._held else Copy(space, owner, self._large)
            self._let_in(key, copy)
        parts = copy.parts(db, channel)
        with self._guard:
            self._let_in(key, copy)
        return parts

    def _let_in(self, key: tuple[int, int, int], copy: Copy) -> None:
        """Count a copy as the one last used, and drop others until all fit; one that is too large alone is not kept."""
        self._bytes -= self._held.pop(key, (copy, 0))[1]
        size = copy.bytes
        self._held[key] = (copy, size)
        self._bytes += size
        while self._bytes > self._limit:
            self._bytes -= self._held.popitem(last=False)[1][1]
