"""What only the embedded engine's index of vectors has to answer for: bytes on the disk, copies in memory, sketches, older files."""

from __future__ import annotations

import asyncio
import sqlite3
from array import array
from pathlib import Path

import msgspec
import numpy as np
import pytest

from beebread.backends import sqlite_vector_rows
from beebread.backends.sqlite_schema import APPLICATION, FILE, FIRST, MIGRATIONS, connect, migrate
from beebread.backends.sqlite_store import SqliteStore
from beebread.backends.sqlite_vector_cache import Copies
from beebread.backends.sqlite_vector_codec import Query, pack, part_bytes, unpack
from beebread.backends.sqlite_vector_parts import Channel, Parts, Sketch
from beebread.backends.sqlite_vector_search import VectorSearch
from beebread.model import Batch, Erase, Hit, Mark, Principal
from beebread.ports import Indexed
from beebread.testing.index_scene import cosine, nearly
from tests.unit.backends.kept import START, event, in_store, where
from tests.unit.backends.vectors import HOME, SIZE, SPACE, bytes_of, filled, indexed, near, probe, random_vector


def clustered(count: int, seed: int = 0, size: int = SIZE) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Vectors around a few centres."""
    dice = np.random.default_rng(seed)
    centres = np.random.default_rng(99).normal(size=(count // 30 + 1, size))
    return (centres[dice.integers(0, len(centres), count)] + dice.normal(size=(count, size))).astype(np.float32)


@pytest.mark.requirement("S2")
def test_a_folder_of_schema_version_1_takes_vectors(tmp_path: Path) -> None:
    """The first published layout, made by its own statements alone, with a record in it."""
    db = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    for step in FIRST:
        db.execute(step)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute("PRAGMA user_version = 1")
    db.close()

    async def whole(store: SqliteStore) -> list[Hit]:
        await filled(store, 3)
        return await store.vectors.search(probe(random_vector("ann1")))

    assert near(in_store(tmp_path, whole)) == ["ann1"]

    async def again(store: SqliteStore) -> list[Hit]:
        return await store.vectors.search(probe(random_vector("ann2")))

    assert near(in_store(tmp_path, again)) == ["ann2"]


@pytest.mark.requirement("S4")
@pytest.mark.parametrize("how", ["record", "owner", "removed", "space"])
def test_a_vector_that_is_gone_is_in_no_byte_of_the_folder(tmp_path: Path, how: str) -> None:
    """Scanned while the store is open, since a process may run for months; the neighbours' bytes stay."""
    gone, _ = pack([random_vector("ann7")], "")
    stays, _ = pack([random_vector("bob7")], "")

    async def whole(store: SqliteStore) -> None:
        await filled(store, 40)
        await filled(store, 40, user="bob")
        await store.vectors.search(probe(random_vector("ann7")))
        assert gone[:20] in bytes_of(tmp_path) and stays[:20] in bytes_of(tmp_path)
        if how == "record":
            await store.apply(Batch(erase=(Erase(HOME, "ann7", START),)))
        if how == "owner":
            await store.apply(Batch(erase=(Erase(HOME, "", START),)))
        if how == "removed":
            await store.vectors.remove(HOME, ["ann7"])
        if how == "space":
            await store.vectors.adopt("test-2")
        if how in ("removed", "space"):  # no promise to a person was made: the log is emptied with the next erasure
            await store.apply(Batch(erase=(Erase(HOME, "none", START),)))
        for at in range(0, len(gone) - 20, 10):
            assert gone[at : at + 20] not in bytes_of(tmp_path)
        assert (stays[:20] in bytes_of(tmp_path)) == (how != "space")

    in_store(tmp_path, whole)


@pytest.mark.requirement("I1", "S4")
@pytest.mark.parametrize("how", ["erased", "forgotten", "corrected"])
def test_a_context_read_with_what_is_gone_is_in_no_byte_of_the_folder(tmp_path: Path, how: str) -> None:
    """Nobody follows the log here: the transaction itself takes it out. Another process, which has a copy in memory, serves it no more."""
    context, text = random_vector("read with ann7"), random_vector("ann8")
    gone, stays = pack([context], "")[0], pack([text], "")[0]
    asked = msgspec.structs.replace(probe(context), channel="context")

    async def whole(store: SqliteStore) -> None:
        other = await SqliteStore.open(tmp_path)
        records = await filled(store, 40)
        vectors = {"vector": (text,), "context": (context,)}
        await store.vectors.add([Indexed(owner=HOME, record=records[8], vectors=vectors, space=SPACE, read_with=records[7])])
        for one in (store, other):
            assert near(await one.vectors.search(asked)) == ["ann8"]
        assert gone[:20] in bytes_of(tmp_path) and stays[:20] in bytes_of(tmp_path)
        if how == "forgotten":
            await store.apply(Batch(replace=(msgspec.structs.replace(records[7], forgotten_at=START),)))
        if how == "corrected":
            await store.apply(Batch(replace=(msgspec.structs.replace(records[7], text="nothing"),)))
        await store.apply(Batch(erase=(Erase(HOME, "ann7" if how == "erased" else "none", START),)))
        for one in (store, other):
            assert near(await one.vectors.search(asked)) == []
            assert near(await one.vectors.search(probe(text))) == ["ann8"]
            assert [record.id for record in await one.vectors.torn(SPACE, 10)] == ["ann8"]
        for at in range(0, len(gone) - 20, 10):
            assert gone[at : at + 20] not in bytes_of(tmp_path)
        assert stays[:20] in bytes_of(tmp_path)
        await other.close()

    in_store(tmp_path, whole)


@pytest.mark.requirement("I1")
def test_contexts_of_a_folder_that_does_not_know_what_they_were_read_with_are_made_anew(tmp_path: Path) -> None:
    """Schema version 3, made by its own statements: texts stay and are found, and the log is followed from its beginning."""
    older = tmp_path / "older"
    older.mkdir()
    now = tmp_path / "now"

    async def fill(store: SqliteStore) -> None:
        await filled(store, 5)
        await store.apply(Batch(marks=(Mark(f"embedded {SPACE}", 5), Mark("sweep", 7))))

    in_store(now, fill)
    db = connect(older / FILE, busy_ms=1000, mode="rwc")
    migrate(db, older / FILE, START, MIGRATIONS[:3])
    db.execute("ATTACH ? AS now", (str(now / FILE),))
    db.execute("INSERT OR REPLACE INTO meta SELECT * FROM now.meta WHERE name NOT GLOB 'schema *'")
    for table in ("owners", "records", "bodies", "fresh", "marks", "vector_spaces", "vector_changes"):
        db.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM now.{table}")
    db.execute("INSERT INTO vectors SELECT space, owner, doc, texts, contexts FROM now.vectors")
    db.close()

    async def whole(store: SqliteStore) -> None:
        assert near(await store.vectors.search(probe(random_vector("ann1")))) == ["ann1"]
        asked = msgspec.structs.replace(probe(random_vector("ann1")), channel="context")
        assert await store.vectors.search(asked) == []
        assert (await store.mark(f"embedded {SPACE}"), await store.mark("sweep"), await store.vectors.torn(SPACE, 9)) == (0, 7, [])

    in_store(older, whole)


def test_cosines_are_near_and_the_same_wherever_they_are_computed() -> None:
    vectors = [random_vector(number) for number in range(1500)]
    for size in (1, 3, 8, 384, 1536, 4096):
        some = [random_vector((size, number), size) for number in range(40)]
        ints, scales = unpack([pack(some, "")[0]], size)
        for asked in some[:5]:
            found = Query(asked).cosines(ints, scales)
            assert max(abs(score - cosine(asked, vector)) for score, vector in zip(found, some, strict=True)) < 0.01
    ints, scales = unpack([pack(vectors, "")[0]], SIZE)
    query = Query(random_vector("q"))
    whole = query.cosines(ints, scales)
    for start, end in ((0, 1), (3, 700), (511, 514), (1499, 1500)):
        assert (query.cosines(ints[start:end], scales[start:end]) == whole[start:end]).all()


def test_what_has_little_room_or_none_is_found_the_same(tmp_path: Path) -> None:
    """Copies that do not fit are dropped, and read again when they are asked for."""

    async def whole(store: SqliteStore) -> None:
        for user in ("ann", "bob", "cleo"):
            await filled(store, 60, user=user)

    in_store(tmp_path, whole)
    db = connect(tmp_path / FILE, busy_ms=1000)
    whole_size = 60 * 2 * (SIZE + 12)
    for limit in (0, whole_size // 2, 3 * whole_size // 2, 1 << 30):
        copies = Copies(limit)
        search = VectorSearch(copies)
        for number, user in enumerate(("ann", "bob", "ann", "cleo", "bob", "ann") * 2):
            asked = probe(random_vector(f"{user}{number}"), limit=3, filter_=where(Principal(user=user, roles=("self",))))
            assert near(search.search(db, asked)) == [f"{user}{number}"]
            assert copies.bytes <= limit
    db.close()


def test_what_another_process_wrote_is_in_the_next_answer(tmp_path: Path) -> None:
    """Two stores on one folder know nothing of one another: only the file tells the one what the other did."""

    async def whole() -> None:
        one, other = await SqliteStore.open(tmp_path), await SqliteStore.open(tmp_path)
        records = await filled(one, 30)

        async def both(name: str) -> tuple[list[str], list[str]]:
            asked = probe(random_vector(name))
            return near(await one.vectors.search(asked)), near(await other.vectors.search(asked))

        assert await both("ann3") == (["ann3"], ["ann3"])
        await other.vectors.remove(HOME, ["ann3"])
        assert await both("ann3") == ([], [])
        await one.vectors.add([indexed(records[3], random_vector("else"))])
        assert await both("else") == (["ann3"], ["ann3"])
        await other.apply(Batch(erase=(Erase(HOME, "ann3", START),)))
        assert await both("else") == ([], [])
        for _ in range(sqlite_vector_rows.REMEMBERED // 20 + 2):  # more than is told apart
            await one.vectors.add([indexed(record, random_vector("fill")) for record in records[4:24]])
        assert (await both("fill"))[1] == near(await one.vectors.search(probe(random_vector("fill"))))
        assert len((await both("fill"))[1]) == 10
        await one.vectors.remove(HOME, None)
        assert await both("fill") == ([], [])
        await other.vectors.add([indexed(records[5], random_vector("again"))])
        assert await both("again") == (["ann5"], ["ann5"])
        await other.apply(Batch(erase=(Erase(HOME, "", START),)))
        assert await both("again") == ([], [])
        await one.close()
        await other.close()

    asyncio.run(whole())


def test_writers_and_readers_at_once(tmp_path: Path) -> None:
    """While records come and go in one process, every answer of another is of some moment: nothing half, nothing twice."""

    async def whole() -> None:
        one, other = await SqliteStore.open(tmp_path), await SqliteStore.open(tmp_path)
        await filled(one, 200)
        asked = probe(random_vector("ann0"), limit=1000)

        async def write() -> None:
            for number in range(40):
                record = event(f"new{number}", "text")
                await one.apply(Batch(put=(record,)))
                await one.vectors.add([indexed(record, random_vector("ann0"), random_vector(number))])
                await one.vectors.remove(HOME, [f"ann{number + 1}"])

        async def read() -> None:
            seen = 0
            while seen < 40:
                hits = await other.vectors.search(asked)
                names = [hit.id for hit in hits]
                assert len(names) == len(set(names)) and "ann0" in names
                come = sum(hit.score > 0.99 and hit.id.startswith("new") for hit in hits)
                assert come >= seen
                seen = come

        await asyncio.gather(write(), *(read() for _ in range(3)))
        await one.close()
        await other.close()

    asyncio.run(whole())


@pytest.mark.requirement("R2")
def test_a_sketch_finds_what_is_nearest() -> None:
    """Parts too many to compare are told apart by one bit a number first; at 384 numbers that loses little."""
    vectors = clustered(6000, size=384)
    channel = Channel(384, large=1000)
    for start in range(0, len(vectors), 700):
        ints, scales = unpack([pack([array("f", vector) for vector in vectors[start : start + 700]], "")[0]], 384)
        channel.add(Parts(np.arange(start, start + len(ints)), ints, scales))
    parts = channel.parts
    assert isinstance(parts, Sketch) and len(parts.docs) == 6000
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    found: list[float] = []
    for asked in clustered(40, seed=5, size=384):
        best = np.argsort(-(unit @ asked))[:10].tolist()
        found.append(len(set(best) & set(parts.near(Query(array("f", asked)), 10).tolist())) / 10)
    assert sum(found) / len(found) >= 0.98
    channel.remove(np.arange(0, 6000, 2))
    channel.fit()
    assert (channel.parts.docs % 2 == 1).all() and len(channel.parts.docs) == 3000
    assert channel.bytes < 3000 * 1.3 * (48 + 8) + 1000


def test_what_is_sketched_is_answered_whole(tmp_path: Path) -> None:
    """A filter that lets little through, ids, and a high limit get all that there is, with the scores of an exact comparison."""

    async def whole(store: SqliteStore) -> None:
        await store.apply(Batch(put=tuple(event(f"e{number}", "x", tags=(f"t{number % 400}",)) for number in range(1200))))
        for start in range(0, 1200, 200):
            some = [event(f"e{number}", "x") for number in range(start, start + 200)]
            await store.vectors.add([indexed(record, random_vector(record.id), random_vector((record.id, 2))) for record in some])

    in_store(tmp_path, whole)
    db = connect(tmp_path / FILE, busy_ms=1000)
    exact, sketched = VectorSearch(Copies(large=1 << 20)), VectorSearch(Copies(large=300))
    for number in range(20):
        vector = random_vector(f"e{number}")
        for filter_ in (where(tags=(f"t{number}",)), where(ids=tuple(f"e{at}" for at in range(40)))):
            asked = probe(vector, limit=50, filter_=filter_)
            assert sketched.search(db, asked) == exact.search(db, asked) != []
        assert sketched.search(db, probe(vector, limit=1)) == exact.search(db, probe(vector, limit=1))
        nearly(sketched.search(db, probe(vector, limit=2000)), exact.search(db, probe(vector, limit=2000)), 2000, f"e{number}")
    db.close()


def test_a_long_context_takes_half_the_bytes_and_its_cosines_stay_near() -> None:
    """Short ones, whose errors would not even out, and the vectors of texts keep 8 bits a number."""
    assert [part_bytes(size, channel) for channel in ("vector", "context") for size in (24, 255, 257, 384)] == [
        28, 259, 261, 388, 28, 259, 261, 196,
    ]  # fmt: skip
    for size in (256, 384, 1024):
        some = [random_vector((size, number), size) for number in range(60)]
        blobs = [pack(some[at : at + 2], "", "context")[0] for at in range(0, 60, 2)]
        assert {len(blob) for blob in blobs} == {2 * (size // 2 + 4)}
        ints, scales = unpack(blobs, size, "context")
        assert ints.dtype == np.int8 and set(np.unique(ints)) == set(range(-15, 16, 2))
        for number, asked in enumerate(some[:5]):
            found = Query(asked).cosines(ints, scales)
            assert found[number] > 0.985
            assert max(abs(found - [cosine(asked, vector) for vector in some])) < 0.03


def test_equal_contexts_are_kept_equally() -> None:
    one, other = random_vector("a", 384), random_vector("b", 384)
    assert pack([one, other], "", "context")[0] == pack([one], "", "context")[0] + pack([other], "", "context")[0]
    assert pack([array("f", [4 * number for number in one])], "", "context") == pack([one], "", "context")
