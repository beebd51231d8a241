"""What the SQLite engine's keyword index holds of a query's terms, slice by slice as it lies in the segments of the asker's owners."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Sequence
from typing import NamedTuple

from beebread.backends.sqlite_postings import COUNT_BITS, DOC_BITS, MOST, Sought, decoded, matching, sought
from beebread.backends.sqlite_terms import Hashes, Owner, Terms, first_place, listed, segments
from beebread.backends.sqlite_where import marks

PLACES = 16_000  # rows read by one statement
WIDEST = 4096  # documents checked by one

Postings = list[int]  # the document with its length, as `listed` joins them, and below that how often it has the term, less one


class Slice(NamedTuple):
    """Postings of one term in one segment: the document's number in it, and below that how often it has the term, less one."""

    postings: array[int]
    segment: int  # its place among `Collected.segments`
    bits: int  # of a document's number


class Collected(NamedTuple):
    """What the asker's owners keep of each term; of each segment its documents with their lengths, as `listed` joins them."""

    slices: list[list[Slice]]
    segments: list[array[int]]

    @property
    def size(self) -> int:
        """How many postings there are."""
        return sum(len(one.postings) for some in self.slices for one in some)

    def joined(self) -> list[Postings]:
        """The postings of each term by document."""
        found: list[Postings] = []
        for some in self.slices:
            postings: Postings = []
            for one, segment, bits in some:
                docs, mask = self.segments[segment], (1 << bits) - 1
                postings += [docs[posting >> COUNT_BITS & mask] << COUNT_BITS | posting & MOST - 1 for posting in one]
            found.append(postings)
        return found


def collect(db: sqlite3.Connection, home: Owner, terms: Sequence[str], found: Collected, layout: Terms) -> None:
    """Add what one owner keeps to the postings of each term: from its segments, then from its fresh documents one by one."""
    hashes = Hashes(home.key).of(terms)
    wanted: dict[int, list[tuple[int, Sought]]] = {}
    rows: dict[int, list[tuple[int, Sought, int, int]]] = {}
    for segment in segments(db, home.n):
        bits, at, first = layout.bits(segment.level), len(found.segments), segment.bucket(0)
        found.segments.append(segment.docs)
        if bits not in wanted:
            wanted[bits] = [(term, sought(hash_, bits)) for term, hash_ in enumerate(hashes)]
        for term, asked in wanted[bits]:
            rows.setdefault(first + asked.bucket, []).append((term, asked, at, bits))
    places = list(rows)
    for start in range(0, len(places), PLACES):
        some = places[start : start + PLACES]
        for place, blob in db.execute(f"SELECT place, entries FROM postings WHERE place IN ({marks(some)})", some):
            for term, asked, at, bits in rows[place]:
                if postings := matching(blob, asked):
                    found.slices[term].append(Slice(postings, at, bits))
    _collect_fresh(db, home, {hash_: term for term, hash_ in enumerate(hashes)}, found)


def _collect_fresh(db: sqlite3.Connection, home: Owner, wanted: dict[int, int], found: Collected) -> None:
    """The documents that no segment holds yet, as one more segment."""
    first, at = first_place(home.n), len(found.segments)
    counted = {hash_ | count: term for hash_, term in wanted.items() for count in range(MOST)}
    docs = array("Q")
    fresh: dict[int, array[int]] = {}
    span = (first, first_place(home.n + 1))
    for place, length, blob in db.execute("SELECT place, length, entries FROM fresh WHERE place >= ? AND place < ?", span):
        one = len(docs) << COUNT_BITS
        for posting in [posting for posting in decoded(blob) if posting in counted]:
            fresh.setdefault(counted[posting], array("Q")).append(one | posting & MOST - 1)
        docs.append(listed(place - first, length))
    found.segments.append(docs)
    for term, postings in fresh.items():
        found.slices[term].append(Slice(postings, at, DOC_BITS))
