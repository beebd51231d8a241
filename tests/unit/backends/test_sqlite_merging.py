"""Segments merged with numpy and without: the same rows, to the byte."""

from __future__ import annotations

import random

import pytest

from beebread.backends import sqlite_merging, sqlite_postings
from beebread.backends.sqlite_postings import HASH_BITS, encoded, of_document


@pytest.mark.parametrize(("before", "after"), [(0, 6), (6, 9), (9, 12), (0, 1), (1, 2)])
def test_both_ways_of_merging_make_the_same_rows(before: int, after: int) -> None:
    dice = random.Random(after)
    olds: list[dict[int, bytes]] = []
    for _ in range(1 << after - before):
        if before:
            buckets = [bucket for bucket in range(1 << before) if dice.random() < 0.3]
            rows = {bucket: encoded(sorted(dice.getrandbits(48) for _ in range(dice.randrange(1, 60)))) for bucket in buckets}
        else:
            hashes = [dice.getrandbits(HASH_BITS) << 3 for _ in range(100)]
            rows = {0: encoded(of_document(hashes, [dice.choice((1, 1, 2, 8, 9, 30)) for _ in hashes]))}
        olds.append(rows)
    made = list(sqlite_merging.merged(olds, before, after))
    assert made == list(sqlite_postings.merged(olds, before, after))
    assert [bucket for bucket, _ in made] == sorted({bucket for bucket, _ in made})


def test_nothing_merges_to_nothing() -> None:
    assert list(sqlite_merging.merged([{}], 0, 6)) == list(sqlite_postings.merged([{}], 0, 6)) == []
