"""The writer's side of the SQLite engine's keyword index: documents come in one by one, are merged into segments, and are taken out.

A row for each posting would be written all over the file (120 terms to a text, each on a page of its own). So a document brings one row,
and segments of them are merged as they fill up, as a log-structured tree does (O'Neil et al., 1996). A document can be found as soon as its
row is there, and is taken out of wherever it is at once.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import blake2s
from os import urandom
from typing import cast

from msgspec import Struct

from beebread.backends import sqlite_postings
from beebread.backends.sqlite_postings import DOC_BITS, HASH, LENGTH_BITS, LONGEST, decoded, encoded, of_document, without
from beebread.backends.sqlite_where import bound, marks

FIRST_BITS = 6  # 2**6 documents of an owner are read one by one, at most
STEP_BITS = 3
LEVELS = 2
BUCKET_BITS = FIRST_BITS + LEVELS * STEP_BITS
KEY_BYTES = 16
CACHED = 1 << 18  # terms whose hash is remembered


class Hashes(dict[str, int]):
    """The terms of one owner and their hashes, as far as they were asked for.

    BLAKE2s of the owner's key and the term: its keyed mode spends a block of its own on the key, and a key of fixed length in front of the
    message is as good with a hash that no message can be lengthened under.
    """

    def __init__(self, key: bytes) -> None:
        super().__init__()
        self.key = key
        self._begun = blake2s(key, digest_size=8)

    def of(self, terms: Collection[str]) -> list[int]:
        """The hashes of `terms` in their order."""
        found = list(map(self.get, terms))
        if None in found:
            missing = [term for term, number in zip(terms, found, strict=True) if number is None]
            begin = self._begun.copy
            digests = [(state := begin(), state.update(term.encode()), state.digest())[2] for term in missing]
            made = [number & HASH for number in numbers(b"".join(digests))]
            self.update(zip(missing, made, strict=True))
            rest = iter(made)
            return [next(rest) if number is None else number for number in found]
        return cast("list[int]", found)


class Owner(Struct):
    """A row of owners."""

    n: int
    name: str
    key: bytes
    docs: int
    length: int
    fresh: int


OWNER = "SELECT n, owner, key, docs, length, fresh FROM owners"


class Entry(Struct):
    """One document on its way into the index."""

    doc: int
    length: int
    postings: bytes


class Segment(Struct):
    """A row of segments; `docs` has for each number the document and its length, as `listed` joins them, or 0 where it went."""

    owner: int
    segment: int
    level: int
    docs: array[int]

    def bucket(self, bucket: int) -> int:
        """The place of one of its rows of postings; one past the last is where the next segment's begin."""
        return ((self.owner << DOC_BITS - BUCKET_BITS | self.segment) << BUCKET_BITS) + bucket


def listed(doc: int, length: int) -> int:
    """A document and its length in one number."""
    return doc << LENGTH_BITS | min(length, LONGEST)


def numbers(blob: bytes) -> array[int]:
    """The 64-bit numbers of a blob."""
    found = array("Q")
    found.frombytes(blob)
    return found


def first_place(n: int) -> int:
    """Where the rows of an owner begin, by document or by segment and bucket; they end where the next one's begin."""
    return n << DOC_BITS


class Terms:
    """The writer's side of the index; one transaction at a time. `first` and `step` are FIRST_BITS and STEP_BITS but in tests."""

    def __init__(self, *, first: int = FIRST_BITS, step: int = STEP_BITS) -> None:
        self._first = first
        self._step = step
        self._hashes: dict[int, Hashes] = {}
        self._cached = 0

    def bits(self, level: int) -> int:
        """A segment of this level has room for two to the power of so many documents."""
        return self._first + level * self._step

    def entry(self, owner: Owner, doc: int, terms: dict[str, int], length: int) -> Entry:
        """The index entry of a document."""
        hashes = self._hashes.pop(owner.n, None)
        if hashes is not None:
            self._cached -= len(hashes)
        if hashes is None or hashes.key != owner.key:  # an owner's number is given again when its first batch was undone
            hashes = Hashes(owner.key)
        found = hashes.of(terms)
        self._cached += len(hashes)
        self._hashes[owner.n] = hashes  # now the last one to be dropped
        while self._cached > CACHED:
            self._cached -= len(self._hashes.pop(next(iter(self._hashes))))
        return Entry(doc, length, encoded(of_document(found, terms.values())))

    def forget(self, n: int) -> None:
        """Drop what is remembered of an owner that is no more."""
        self._cached -= len(self._hashes.pop(n, ()))

    def add(self, db: sqlite3.Connection, owner: Owner, entries: Sequence[Entry]) -> None:
        """Take documents in; `owner`'s counts change with them and are the caller's to write."""
        first = first_place(owner.n)
        for start in range(0, len(entries), 1 << self._first):
            some = entries[start : start + (1 << self._first)]
            db.executemany("INSERT INTO fresh VALUES (?, ?, ?)", [(first + entry.doc, entry.length, entry.postings) for entry in some])
            owner.fresh += len(some)
            if owner.fresh >= 1 << self._first:
                self._flush(db, owner)
        owner.docs += sum(entry.length > 0 for entry in entries)
        owner.length += sum(entry.length for entry in entries)

    def remove(self, db: sqlite3.Connection, owner: Owner, docs: Sequence[int]) -> None:
        """Take documents out, wherever they are; those that are not in are passed over."""
        older: set[int] = set()
        for doc in docs:
            row = db.execute("DELETE FROM fresh WHERE place = ? RETURNING length", (first_place(owner.n) + doc,)).fetchone()
            if row is None:
                older.add(doc)
            else:
                owner.fresh -= 1
                self._count_out(owner, row[0])
        for segment in segments(db, owner.n) if older else ():
            held = {number: value for number, value in enumerate(segment.docs) if value and value >> LENGTH_BITS in older}
            if held:
                for value in held.values():
                    self._count_out(owner, value & LONGEST)
                self._take_out(db, segment, frozenset(held))

    @staticmethod
    def _count_out(owner: Owner, length: int) -> None:
        owner.docs -= length > 0
        owner.length -= length

    def _take_out(self, db: sqlite3.Connection, segment: Segment, gone: frozenset[int]) -> None:
        """Rewrite the rows of a segment without the documents numbered `gone`. All are looked through: which ones hold them is not kept."""
        for number in gone:
            segment.docs[number] = 0
        bits = self.bits(segment.level)
        for place, blob in _rows(db, segment, bits):
            postings = decoded(blob)
            kept = without(postings, gone, bits)
            if not kept:
                db.execute("DELETE FROM postings WHERE place = ?", (place,))
            elif len(kept) < len(postings):
                db.execute("UPDATE postings SET entries = ? WHERE place = ?", (encoded(kept), place))
        key = (segment.owner, segment.segment)
        if any(segment.docs):
            db.execute("UPDATE segments SET docs = ? WHERE owner = ? AND segment = ?", (segment.docs.tobytes(), *key))
        else:
            db.execute("DELETE FROM segments WHERE owner = ? AND segment = ?", key)

    def _flush(self, db: sqlite3.Connection, owner: Owner) -> None:
        """Merge the fresh documents of an owner into segments, and segments where a level is full."""
        span = (first_place(owner.n), first_place(owner.n + 1))
        rows = db.execute("SELECT place, length, entries FROM fresh WHERE place >= ? AND place < ? ORDER BY place", span).fetchall()
        db.execute("DELETE FROM fresh WHERE place >= ? AND place < ?", span)
        owner.fresh = 0
        size = 1 << self._first
        for start in range(0, len(rows), size):
            some = rows[start : start + size]
            docs = array("Q", [listed(place - span[0], length) for place, length, _ in some])
            self._insert(db, owner.n, 0, docs, _merged()([{0: blob} for _, _, blob in some], 0, self._first))
        while self._join(db, owner.n):
            pass

    def _join(self, db: sqlite3.Connection, n: int) -> bool:
        """Merge the segments of a level that is full; whether there was one."""
        levels: dict[int, list[Segment]] = {}
        for segment in segments(db, n):
            levels.setdefault(segment.level, []).append(segment)
        full = [level for level, some in levels.items() if level < LEVELS and len(some) >= 1 << self._step]
        if not full:
            return False
        level = min(full)
        olds, bits = levels[level][: 1 << self._step], self.bits(level)
        docs = array("Q")
        for old in olds:
            docs.extend(old.docs)
            docs.extend([0] * ((1 << bits) - len(old.docs)))
        rows = [{place & _BUCKET: blob for place, blob in _rows(db, old, bits)} for old in olds]
        self._insert(db, n, level + 1, docs, _merged()(rows, bits, self.bits(level + 1)))
        for old in olds:
            db.execute("DELETE FROM postings WHERE place >= ? AND place < ?", (old.bucket(0), old.bucket(1 << bits)))
            db.execute("DELETE FROM segments WHERE owner = ? AND segment = ?", (n, old.segment))
        return True

    @staticmethod
    def _insert(db: sqlite3.Connection, n: int, level: int, docs: array[int], buckets: Iterator[tuple[int, bytes]]) -> None:
        number = int(db.execute("SELECT coalesce(max(segment), 0) + 1 FROM segments WHERE owner = ?", (n,)).fetchone()[0])
        made = Segment(n, number, level, docs)
        db.execute("INSERT INTO segments VALUES (?, ?, ?, ?)", (n, number, level, docs.tobytes()))
        db.executemany("INSERT INTO postings VALUES (?, ?)", ((made.bucket(at), postings) for at, postings in buckets))


_BUCKET = (1 << BUCKET_BITS) - 1
Merge = Callable[[Sequence[Mapping[int, bytes]], int, int], Iterator[tuple[int, bytes]]]


@cache
def _merged() -> Merge:
    """How segments are merged: with numpy where there is one, in a fifth of the time."""
    try:
        from beebread.backends.sqlite_merging import merged
    except ModuleNotFoundError:
        return sqlite_postings.merged
    return merged


def segments(db: sqlite3.Connection, n: int) -> list[Segment]:
    """The segments of an owner, in the order in which they were made."""
    rows = db.execute("SELECT owner, segment, level, docs FROM segments WHERE owner = ? ORDER BY segment", (n,))
    return [Segment(owner, segment, level, numbers(docs)) for owner, segment, level, docs in rows]


def _rows(db: sqlite3.Connection, segment: Segment, bits: int) -> list[tuple[int, bytes]]:
    span = (segment.bucket(0), segment.bucket(1 << bits))
    return db.execute("SELECT place, entries FROM postings WHERE place >= ? AND place < ? ORDER BY place", span).fetchall()


def save_counts(db: sqlite3.Connection, owner: Owner) -> None:
    """Write the counts of an owner down."""
    db.execute("UPDATE owners SET docs = ?, length = ?, fresh = ? WHERE n = ?", (owner.docs, owner.length, owner.fresh, owner.n))


def new_key() -> bytes:
    """A new owner's key."""
    return urandom(KEY_BYTES)


def owners_named(db: sqlite3.Connection, names: Iterable[str]) -> list[Owner]:
    """The rows of those owners that keep anything, in the order of `names`."""
    wanted = [bound(name) for name in names]
    found = {row[1]: row for row in db.execute(f"{OWNER} WHERE owner IN ({marks(wanted)})", wanted)}
    return [Owner(*found[name]) for name in wanted if name in found]
