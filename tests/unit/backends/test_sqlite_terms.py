"""The keyword index by segments: with segments so small that they are made and joined all the time, every rule still holds."""

from __future__ import annotations

import asyncio
import random
from array import array
from pathlib import Path

import msgspec
import pytest

from beebread.backends.reference import ReferenceStore
from beebread.backends.sqlite_lock import Turnstile
from beebread.backends.sqlite_pool import Pool
from beebread.backends.sqlite_schema import FILE
from beebread.backends.sqlite_store import SqliteStore
from beebread.backends.sqlite_terms import LEVELS, Segment, Terms
from beebread.errors import Invalid
from beebread.model import Batch, Cause, Erase, Event, Hit, Principal
from beebread.ports import Store
from beebread.testing.simulate import history
from beebread.testing.store import STORE_CHECKS
from tests.simulation.agreement import disagreements
from tests.unit.backends.kept import START, event, in_store, words

WORDS = "退款 航班 改签 cat refund the ORD-7 getUserName 猫 flight".split()


async def small(folder: Path) -> SqliteStore:
    """A store whose segments have two documents and are joined by twos."""
    await (await SqliteStore.open(folder)).close()
    return SqliteStore(Pool(folder / FILE, busy_ms=10_000, turnstile=Turnstile(folder, 10_000)), Terms(first=1, step=1))


@pytest.mark.requirement("R1", "S4")
def test_contracts_and_histories_in_small_segments(tmp_path: Path) -> None:
    async def whole() -> None:
        store = await small(tmp_path)
        for name, check in STORE_CHECKS.items():
            if name.startswith(("search.", "erase.", "write.")):
                await check(store)
        for seed in range(100, 104):
            await history(store, seed)
        await store.close()

    asyncio.run(whole())


def rounded(hits: list[Hit]) -> list[tuple[str, float]]:
    return [(hit.id, round(hit.score, 9)) for hit in hits]


async def compare(store: Store, oracle: Store) -> None:
    for said in (*WORDS, "退款 flight", "猫 the cat 改签", "nothing"):
        assert rounded(await store.search(words(said))) == rounded(await oracle.search(words(said))), said


@pytest.mark.requirement("R1", "S4")
def test_adding_forgetting_bringing_back_and_erasing(tmp_path: Path) -> None:
    """Documents leave and come back in the middle of old segments, and every search equals the reference's."""

    async def whole() -> None:
        rng = random.Random(5)
        store, oracle = await small(tmp_path), ReferenceStore()
        kept: dict[str, Event] = {}
        for step in range(60):
            batch = Batch(put=tuple(event(f"e{step}-{at}", " ".join(rng.choices(WORDS, k=rng.randint(0, 12)))) for at in range(3)))
            changed: list[Event] = []
            for old in rng.sample(sorted(kept), min(4, len(kept))):
                forgotten = None if kept[old].forgotten_at else START
                changed.append(msgspec.structs.replace(kept[old], forgotten_at=forgotten, text=rng.choice(WORDS)))
            gone = tuple(name for name in rng.sample(sorted(kept), min(1, len(kept))) if name not in {each.id for each in changed})
            batch = msgspec.structs.replace(batch, replace=tuple(changed), erase=tuple(Erase("u::ann", name, START) for name in gone))
            kept |= {record.id: record for record in (*batch.put, *changed) if isinstance(record, Event)}
            kept = {name: record for name, record in kept.items() if name not in gone}
            for each in (store, oracle):
                await each.apply(batch)
            if step % 6 == 0:
                await compare(store, oracle)
        await compare(store, oracle)
        await store.close()

    asyncio.run(whole())


@pytest.mark.slow
@pytest.mark.requirement("R1")
def test_segments_of_the_real_size(tmp_path: Path) -> None:
    """Enough documents of one owner for segments and a join: each is found by its own word, a common one by all."""

    async def whole(store: SqliteStore) -> None:
        number = 2400
        for start in range(0, number, 300):
            await store.apply(Batch(put=tuple(event(f"e{at:04d}", f"共同 unique{at}", seq=at) for at in range(start, start + 300))))
        for at in range(0, number, 97):
            assert (await store.search(words(f"unique{at}")))[0].id == f"e{at:04d}"
        assert len(await store.search(words("共同", limit=5000))) == number

    in_store(tmp_path, whole)


def test_a_term_that_is_there_very_often(tmp_path: Path) -> None:
    """A count beyond what a posting holds is taken as the most that it holds."""

    async def whole(store: SqliteStore) -> None:
        await store.apply(Batch(put=(event("much", "哈" * 70_000), event("little", "哈 一次"))))
        assert [hit.id for hit in await store.search(words("哈"))] == ["much", "little"]
        await store.apply(Batch(put=tuple(event(f"e{at}", "别的") for at in range(260))))
        assert [hit.id for hit in await store.search(words("哈"))] == ["much", "little"]

    in_store(tmp_path, whole)


def test_the_number_of_an_owner_whose_first_batch_was_undone(tmp_path: Path) -> None:
    """The next owner may get the same number, with another key: it is found all the same."""

    async def whole(store: SqliteStore) -> None:
        circle = tuple(event(f"c{at}", "退款 refund", user="bob", causes=(Cause(f"c{1 - at}"),)) for at in range(2))
        with pytest.raises(Invalid):
            await store.apply(Batch(put=circle))
        await store.apply(Batch(put=(event("a", "退款 refund", user="carl"),)))
        assert [hit.id for hit in await store.search(words("退款", Principal(user="carl")))] == ["a"]
        assert await store.search(words("退款", Principal(user="bob"))) == []

    in_store(tmp_path, whole)


@pytest.mark.requirement("S4")
def test_the_rows_of_a_segment_end_where_the_next_ones_begin() -> None:
    for number in range(1, 9):
        rows = Segment(3, number, LEVELS, array("Q"))
        assert rows.bucket(1 << Terms().bits(LEVELS)) == Segment(3, number + 1, LEVELS, array("Q")).bucket(0) > rows.bucket(0)


@pytest.mark.slow
@pytest.mark.requirement("S4")
def test_what_is_erased_leaves_segments_of_the_last_level(tmp_path: Path) -> None:
    """Of the real size, and two of them, for one has an odd number."""

    async def whole(store: SqliteStore) -> None:
        number = 2 << Terms().bits(LEVELS)
        for start in range(0, number, 512):
            await store.apply(Batch(put=tuple(event(f"e{at}", f"unique{at}", seq=at) for at in range(start, start + 512))))
        gone = range(0, number, 97)
        await store.apply(Batch(erase=tuple(Erase("u::ann", f"e{at}", START) for at in gone)))
        left = {hit.id for hit in await store.search(words("unique", limit=2 * number))}
        assert left == {f"e{at}" for at in range(number)} - {f"e{at}" for at in gone}

    in_store(tmp_path, whole)
    assert disagreements(tmp_path) == []
