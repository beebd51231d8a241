"""The keyword search of the SQLite engine: the sums by numpy are those made one by one, and reads that wait are helped."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import threading
from pathlib import Path

import pytest

from beebread.backends import sqlite_search
from beebread.backends.sqlite_lock import Turnstile
from beebread.backends.sqlite_pool import Pool
from beebread.backends.sqlite_postings import encoded, matching, sought
from beebread.backends.sqlite_schema import FILE
from beebread.backends.sqlite_store import SqliteStore
from beebread.backends.sqlite_terms import Terms
from beebread.model import Batch, Hit
from beebread.ports import Probe
from tests.unit.backends.kept import event, in_store, words

WORDS = "退款 航班 改签 cat refund flight hotel 酒店 order".split()
NEVER, ALWAYS = 1 << 60, 0


def searched(terms: Terms, probe: Probe, many: int, db: sqlite3.Connection) -> list[Hit]:
    return sqlite_search.search(db, terms, probe, many)


@pytest.mark.requirement("R1", "S4")
@pytest.mark.parametrize("first", [1, 6])
def test_sums_by_numpy_equal_those_one_by_one_to_the_last_bit(tmp_path: Path, first: int) -> None:
    pytest.importorskip("numpy")

    async def whole() -> None:
        await (await SqliteStore.open(tmp_path)).close()
        pool, terms = Pool(tmp_path / FILE, busy_ms=10_000, turnstile=Turnstile(tmp_path, 10_000)), Terms(first=first, step=1)
        store = SqliteStore(pool, terms)
        rnd = random.Random(first)
        # Some words come more often in one text than a posting can count.
        texts = [" ".join(rnd.choices(WORDS, k=rnd.choice((1, 3, 20, 90)))) for _ in range(150)]
        await store.apply(Batch(put=tuple(event(f"e{at}", text) for at, text in enumerate(texts))))
        for asked in (*WORDS, " ".join(WORDS), "refund 退款 nothing", "nothing"):
            for limit in (1, 10, 1000):
                probe = words(asked, limit=limit)
                slow, fast = [
                    await pool.read(lambda db, probe=probe, many=many: sqlite_search.search(db, terms, probe, many))
                    for many in (NEVER, ALWAYS)
                ]
                assert fast == slow, asked
        await store.close()

    asyncio.run(whole())


@pytest.mark.requirement("R1")
def test_a_term_is_found_among_others_of_its_bucket() -> None:
    rnd = random.Random(5)
    bits = 6
    postings = sorted(rnd.getrandbits(48) for _ in range(500))
    blob = encoded(postings)
    for posting in postings:
        rest = posting >> bits + 3
        found = matching(blob, sought(rest << 3, bits))
        assert list(found) == [other for other in postings if other >> bits + 3 == rest]
    assert not matching(encoded([]), sought(8, bits))


def test_a_read_that_waits_behind_a_long_one_is_answered_by_another_reader(tmp_path: Path) -> None:
    async def whole(store: SqliteStore) -> None:
        pool = Pool(tmp_path / FILE, busy_ms=10_000, turnstile=None)
        told = threading.Event()
        long = asyncio.ensure_future(pool.read(lambda _: told.wait(10)))
        await asyncio.sleep(0)
        assert await asyncio.wait_for(pool.read(lambda db: db.execute("SELECT 1").fetchone()), 5) == (1,)
        assert not long.done()
        told.set()
        assert await long
        await pool.close()

    in_store(tmp_path, whole)
