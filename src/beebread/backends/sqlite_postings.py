"""How the SQLite engine's keyword index is laid out: postings of 48 bits, in rows of about the same length at every level.

A document is a segment of one row, in no order; 64 of an owner's are merged into a segment, eight segments of a level into one of the next,
up to 4,096 documents. A segment of 2**b documents has 2**b sorted rows, its buckets by the first b bits of a term's hash, so that each
holds about as much as one document brought. A posting is the rest of the hash, the document's number in the segment (b bits) and how often
it has the term.
"""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

HASH_BITS = 45  # of a million different terms, a query's own meets a wrong one once in 30 million
COUNT_BITS = 3  # that stand below a hash, so that a hash is the posting of a term that a document has once
MOST = 1 << COUNT_BITS  # a count beyond it is several postings
OFTEN = (1 << 14) - 1  # and one beyond this is taken for it
POSTING_BITS = HASH_BITS + COUNT_BITS
HASH = (1 << POSTING_BITS) - MOST
LENGTH_BITS = 18
LONGEST = (1 << LENGTH_BITS) - 1
DOC_BITS = 31
_BYTES = POSTING_BITS // 8
_NONE = array("Q")


def encoded(postings: Sequence[int]) -> bytes:
    """Postings as six planes of bytes: a third less than as 64-bit numbers, and made and read without a step for each."""
    wide = array("Q", postings)
    if sys.byteorder == "big":
        wide.byteswap()
    raw = wide.tobytes()
    return b"".join([raw[plane::8] for plane in range(_BYTES)])


def decoded(blob: bytes) -> array[int]:
    """The postings of a blob."""
    size = len(blob) // _BYTES
    return _unpacked(blob, size, 0, size)


def _unpacked(blob: bytes, size: int, start: int, end: int) -> array[int]:
    """Some of the `size` postings of a blob."""
    raw = bytearray((end - start) * 8)
    for plane in range(_BYTES):
        raw[plane::8] = blob[plane * size + start : plane * size + end]
    wide = array("Q")
    wide.frombytes(raw)
    if sys.byteorder == "big":
        wide.byteswap()
    return wide


def of_document(terms: Iterable[int], counts: Collection[int]) -> list[int]:
    """The postings of one document, in no order: of its terms' hashes, and how often it has each."""
    postings = list(terms)
    if max(counts, default=1) > 1:
        for at, count in enumerate(counts):
            if count > 1:
                if count > MOST:
                    whole, rest = divmod(min(count, OFTEN) - 1, MOST)
                    postings += [postings[at] | MOST - 1] * whole
                    postings[at] |= rest
                else:
                    postings[at] |= count - 1
    return postings


def merged(olds: Sequence[Mapping[int, bytes]], before: int, after: int) -> Iterator[tuple[int, bytes]]:
    """The rows of a segment of 2**`after` documents, from those of segments of 2**`before`, each bucket -> postings."""
    grow = after - before
    held = before + COUNT_BITS
    tail, row = (1 << held) - 1, (1 << POSTING_BITS) - 1
    for bucket in sorted({bucket for old in olds for bucket in old}):
        found: list[int] = []
        for place, old in enumerate(olds):
            if blob := old.get(bucket):
                number = place << held
                found += [posting >> held << held + grow | number | posting & tail for posting in decoded(blob)]
        found.sort()
        start = 0
        for at in range(1 << grow):
            end = bisect_left(found, at + 1 << POSTING_BITS, start)
            if end > start:
                yield bucket << grow | at, encoded([posting & row for posting in found[start:end]])
            start = end


class Sought(NamedTuple):
    """A term's hash as segments of one size have it."""

    bucket: int
    first: int  # the highest byte of its postings
    second: int | None  # and the next, where that is all of the hash
    low: int  # its postings lie from here
    high: int  # to here, without this


def sought(term: int, bits: int) -> Sought:
    """A term's hash in segments of 2**`bits` documents."""
    held = bits + COUNT_BITS
    rest = (term & (1 << POSTING_BITS - bits) - 1) >> COUNT_BITS
    first, second = (rest << held >> POSTING_BITS - 16).to_bytes(2, "big")
    return Sought(term >> POSTING_BITS - bits, first, second if held <= POSTING_BITS - 16 else None, rest << held, rest + 1 << held)


def matching(blob: bytes, term: Sought) -> array[int]:
    """The postings of a term in the blob of its bucket. Only those are unpacked whose first bytes are those of its hash: mostly none."""
    size = len(blob) // _BYTES
    highest = size * (_BYTES - 1)
    start = blob.find(term.first, highest)
    if start < 0:
        return _NONE
    end = blob.rfind(term.first, highest) + 1
    if term.second is not None and blob.find(term.second, start - size, end - size) < 0:
        return _NONE
    found = _unpacked(blob, size, start - highest, end - highest)
    at = bisect_left(found, term.low)
    return found[at : bisect_left(found, term.high, at)]


def without(postings: Sequence[int], gone: frozenset[int], bits: int) -> list[int]:
    """The postings of a bucket but those of the documents with the numbers `gone`."""
    mask = (1 << bits) - 1
    return [posting for posting in postings if posting >> COUNT_BITS & mask not in gone]
