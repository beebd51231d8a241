"""Segments of the keyword index merged with numpy: the very rows that `sqlite_postings.merged` makes one posting at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from beebread.backends.sqlite_postings import COUNT_BITS, POSTING_BITS

_BYTES = POSTING_BITS // 8


def merged(olds: Sequence[Mapping[int, bytes]], before: int, after: int) -> Iterator[tuple[int, bytes]]:
    """The rows of a segment of 2**`after` documents, from those of segments of 2**`before`, each bucket -> postings."""
    grow, held = after - before, before + COUNT_BITS
    blobs = [(place, bucket, blob) for place, old in enumerate(olds) for bucket, blob in old.items()]
    if not blobs:
        return
    sizes = [len(blob) // _BYTES for _, _, blob in blobs]
    wide = np.zeros((sum(sizes), 8), np.uint8)
    at = 0
    for (_, _, blob), size in zip(blobs, sizes, strict=True):
        wide[at : at + size, :_BYTES] = np.frombuffer(blob, np.uint8).reshape(_BYTES, size).T
        at += size
    postings = wide.view("<u8")[:, 0].astype(np.int64)  # with its bucket, a posting takes 60 bits at most
    where = np.array([bucket << POSTING_BITS + grow | place << held for place, bucket, _ in blobs], np.int64)
    found = postings >> held << held + grow | postings & (1 << held) - 1 | np.repeat(where, sizes)
    found.sort()
    buckets = found >> POSTING_BITS
    starts = np.flatnonzero(np.diff(buckets, prepend=-1))
    raw = found.astype("<i8").view(np.uint8).reshape(-1, 8)[:, :_BYTES]
    for bucket, start, end in zip(buckets[starts].tolist(), starts.tolist(), [*starts[1:].tolist(), len(found)], strict=True):
        yield bucket, raw[start:end].T.tobytes()
