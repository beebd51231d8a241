"""The keyword index of the SQLite engine: what each document is found by, and the same turned round, segment by segment.

A row for each posting would be written all over the file (150 terms to a text, each on a page of its own). So a document brings one row,
its keyed hashes, and every 128 documents of an owner are turned round into a segment, whose rows are written side by side: a bucket each,
of all postings whose hash ends alike. Eight segments of a level are joined, byte by byte, into one of the next. A document can be found
as soon as its row is there, and is taken out of both forms at once.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2s
from itertools import chain
from operator import itemgetter
from os import urandom
from typing import Literal

from msgspec import Struct

from beebread.backends.sqlite_where import marks

FRESH = 128  # documents of an owner that a search reads one by one, at most
FANOUT, LEVELS = 8, 2
BUCKETS = 512
LAST = BUCKETS - 1
KEY_BYTES = 16
MOST, LONGEST = (1 << 14) - 1, (1 << 18) - 1
CACHED = 1 << 18  # terms whose hash is remembered


class Hashes(dict[str, int]):
    """The terms of one owner and their signed 64-bit hashes, as far as they were asked for.

    BLAKE2s of the owner's key and the term: its keyed mode spends a block of its own on the key, and a key of fixed length in front of the
    message is as good with a hash that no message can be lengthened under.
    """

    def __init__(self, key: bytes) -> None:
        super().__init__()
        self.key = key
        self._begun = blake2s(key, digest_size=8)

    def of(self, terms: Iterable[str]) -> array[int]:
        """The hashes of `terms` in their order."""
        missing = [term for term in terms if term not in self]
        if missing:
            begin = self._begun.copy
            digests: list[bytes] = []
            for term in missing:
                state = begin()
                state.update(term.encode())
                digests.append(state.digest())
            self.update(zip(missing, array("q", b"".join(digests)), strict=True))
        return array("q", map(self.__getitem__, terms))


class Owner(Struct):
    """A row of owners."""

    n: int
    name: str
    key: bytes
    docs: int
    length: int
    flushed: int
    fresh: int


OWNER = "SELECT n, owner, key, docs, length, flushed, fresh FROM owners"


class Entry(Struct):
    """One document on its way into the index or out of it."""

    doc: int
    length: int
    hashes: array[int]
    counts: array[int]


def packed(doc: int, count: int, length: int) -> int:
    """A posting in 63 bits: document (31 bits), how often it has the term (14, at most MOST), how long it is (18)."""
    return doc << 32 | count << 18 | min(length, LONGEST)


class Terms:
    """The writer's side of the index; one transaction at a time. `fresh` and `fanout` are FRESH and FANOUT but in tests."""

    def __init__(self, *, fresh: int = FRESH, fanout: int = FANOUT) -> None:
        self._fresh = fresh
        self._fanout = fanout
        self._hashes: dict[int, Hashes] = {}
        self._cached = 0

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
        most = max(terms.values(), default=0) > MOST
        counts = [min(count, MOST) for count in terms.values()] if most else terms.values()
        return Entry(doc, length, found, array("H", counts))

    def forget(self, n: int) -> None:
        """Drop what is remembered of an owner that is no more."""
        self._cached -= len(self._hashes.pop(n, ()))

    def add(self, db: sqlite3.Connection, owner: Owner, entries: Sequence[Entry]) -> None:
        """Take documents in; `owner`'s counts change with them and are the caller's to write."""
        db.executemany(
            "INSERT INTO terms VALUES (?, ?, ?, ?, ?)",
            [(entry.doc, owner.n, entry.length, entry.hashes.tobytes(), entry.counts.tobytes()) for entry in entries],
        )
        for entry in entries:
            owner.docs += entry.length > 0
            owner.length += entry.length
            owner.fresh += entry.doc > owner.flushed
        self._rewrite(db, owner, [], [entry for entry in entries if entry.doc <= owner.flushed])
        if owner.fresh >= self._fresh:
            self._flush(db, owner)

    def remove(self, db: sqlite3.Connection, owner: Owner, docs: Sequence[int]) -> None:
        """Take documents out of both forms; those that are not in are passed over."""
        entries = [entry for doc in docs if (entry := _stored(db, doc)) is not None]
        db.executemany("DELETE FROM terms WHERE doc = ?", [(entry.doc,) for entry in entries])
        for entry in entries:
            owner.docs -= entry.length > 0
            owner.length -= entry.length
            owner.fresh -= entry.doc > owner.flushed
        self._rewrite(db, owner, [entry for entry in entries if entry.doc <= owner.flushed], [])

    def _rewrite(self, db: sqlite3.Connection, owner: Owner, gone: Sequence[Entry], come: Sequence[Entry]) -> None:
        """Change the segments that documents up to `flushed` are in."""
        changes: dict[tuple[int, int], tuple[set[int], array[int]]] = {}
        for entry, removed in chain(((entry, True) for entry in gone), ((entry, False) for entry in come)):
            holding = "SELECT segment FROM segments WHERE owner = ? AND last >= ? ORDER BY last LIMIT 1"
            segment = int(db.execute(holding, (owner.n, entry.doc)).fetchone()[0])
            for term, count in zip(entry.hashes, entry.counts, strict=True):
                out, into = changes.setdefault((segment, term & LAST), (set(), array("q")))
                if removed:
                    out.add(entry.doc)
                else:
                    into.extend((term, packed(entry.doc, count, entry.length)))
        for (segment, bucket), (out, into) in sorted(changes.items(), key=itemgetter(0)):
            place = (owner.n, segment, bucket)
            row = db.execute("SELECT entries FROM postings WHERE owner = ? AND segment = ? AND bucket = ?", place).fetchone()
            held = unpacked("q", row[0] if row else b"")
            kept = array("q", [part for pair in zip(held[::2], held[1::2], strict=True) if pair[1] >> 32 not in out for part in pair])
            db.execute("INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?)", (*place, (kept + into).tobytes()))

    def _flush(self, db: sqlite3.Connection, owner: Owner) -> None:
        """Turn the fresh documents of an owner round into a segment, and join segments where a level is full."""
        rows = db.execute("SELECT doc, length, hashes, counts FROM terms WHERE owner = ? AND doc > ?", (owner.n, owner.flushed)).fetchall()
        owner.fresh = 0
        if not rows:
            return
        buckets: list[list[int]] = [[] for _ in range(BUCKETS)]
        for doc, length, hashes, counts in rows:
            alone = packed(doc, 0, length)
            for term, count in zip(unpacked("q", hashes), unpacked("H", counts), strict=True):
                buckets[term & LAST] += (term, alone | count << 18)
        segment = _next_segment(db, owner.n)
        db.executemany(
            "INSERT INTO postings VALUES (?, ?, ?, ?)",
            [(owner.n, segment, at, array("q", bucket).tobytes()) for at, bucket in enumerate(buckets) if bucket],
        )
        owner.flushed = int(rows[-1][0])
        db.execute("INSERT INTO segments VALUES (?, ?, ?, 0)", (owner.n, owner.flushed, segment))
        while _join(db, owner.n, self._fanout):
            pass


def _join(db: sqlite3.Connection, n: int, fanout: int) -> bool:
    """Join the newest segments where a level is full; whether there was one."""
    newest = db.execute("SELECT last, segment, level FROM segments WHERE owner = ? ORDER BY last DESC LIMIT ?", (n, fanout)).fetchall()
    if len(newest) < fanout or len({level for _, _, level in newest}) > 1 or newest[0][2] == LEVELS:
        return False
    olds = [segment for _, segment, _ in newest]
    joined = _next_segment(db, n)
    db.executemany(
        "INSERT INTO postings SELECT owner, ?, bucket, CAST(group_concat(entries, '') AS BLOB) FROM postings "
        f"WHERE owner = ? AND segment IN ({marks(olds)}) AND bucket = ? GROUP BY owner, bucket",
        [(joined, n, *olds, bucket) for bucket in range(BUCKETS)],
    )
    db.execute(f"DELETE FROM postings WHERE owner = ? AND segment IN ({marks(olds)})", (n, *olds))
    db.execute(f"DELETE FROM segments WHERE owner = ? AND segment IN ({marks(olds)})", (n, *olds))
    db.execute("INSERT INTO segments VALUES (?, ?, ?, ?)", (n, newest[0][0], joined, newest[0][2] + 1))
    return True


def _next_segment(db: sqlite3.Connection, n: int) -> int:
    return int(db.execute("SELECT coalesce(max(segment), 0) + 1 FROM segments WHERE owner = ?", (n,)).fetchone()[0])


def _stored(db: sqlite3.Connection, doc: int) -> Entry | None:
    row = db.execute("SELECT length, hashes, counts FROM terms WHERE doc = ?", (doc,)).fetchone()
    return Entry(doc, row[0], unpacked("q", row[1]), unpacked("H", row[2])) if row else None


def unpacked(kind: Literal["q", "H"], blob: bytes) -> array[int]:
    """The numbers of a blob: q for signed of 64 bits, H for unsigned of 16."""
    found: array[int] = array(kind)
    found.frombytes(blob)
    return found


def save_counts(db: sqlite3.Connection, owner: Owner) -> None:
    """Write the counts of an owner down."""
    db.execute(
        "UPDATE owners SET docs = ?, length = ?, flushed = ?, fresh = ? WHERE n = ?",
        (owner.docs, owner.length, owner.flushed, owner.fresh, owner.n),
    )


def new_key() -> bytes:
    """A new owner's key."""
    return urandom(KEY_BYTES)


def owners_named(db: sqlite3.Connection, names: Iterable[str]) -> list[Owner]:
    """The rows of those owners that keep anything, in the order of `names`."""
    found = (db.execute(f"{OWNER} WHERE owner = ?", (name,)).fetchone() for name in names)
    return [Owner(*row) for row in found if row]
