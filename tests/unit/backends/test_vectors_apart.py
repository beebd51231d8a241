"""The embedded engine's index of vectors without numpy, in a folder that may only be read, and in processes that are killed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from beebread.backends import sqlite_vector_rows
from beebread.backends.sqlite_pool import Pool
from beebread.backends.sqlite_schema import FILE, connect
from beebread.backends.sqlite_store import SqliteStore
from beebread.backends.sqlite_vectors import SqliteVectors
from beebread.errors import Unavailable
from tests.unit.backends.kept import event, in_store, where
from tests.unit.backends.vectors import HOME, filled, indexed, near, probe, random_vector

WITHOUT = """
import asyncio, sys
sys.modules["numpy"] = None
from pathlib import Path
from array import array
from beebread.backends.sqlite_store import SqliteStore
from beebread.errors import Unavailable
from beebread.model import Batch
from beebread.ports import Indexed, Probe
from tests.unit.backends.kept import event, in_store, where, words
async def main(store):
    await store.apply(Batch(put=(event("a", "cat"),)))
    print([hit.id for hit in await store.search(words("cat"))], await store.vectors.missing("u::ann", ["a"]), await store.vectors.spaces())
    vector = array("f", [1.0])
    await store.vectors.remove("u::ann", ["a"])
    await store.vectors.adopt("m")
    await store.vectors.reset()
    for doing in (store.vectors.add([Indexed(owner="u::ann", record=event("a", "cat"), vectors={"vector": (vector,)}, space="m")]),
                  store.vectors.search(Probe(channel="vector", where=where(), limit=1, vector=vector, space="m"))):
        try:
            await doing
        except Unavailable as error:
            print(error)
in_store(Path(sys.argv[1]), main)
"""


def test_the_store_works_without_numpy(tmp_path: Path) -> None:
    told = subprocess.run([sys.executable, "-c", WITHOUT, str(tmp_path)], capture_output=True, text=True, check=True).stdout.splitlines()
    assert told[0] == "['a'] ['a'] ()"
    assert len(told) == 3 and all("pip install beebread[local]" in line for line in told[1:])


def test_a_folder_that_may_only_be_read_is_searched(tmp_path: Path) -> None:
    """The store of a folder that this user may not write: what was there is found, and a write says why it is refused."""

    async def fill(store: SqliteStore) -> None:
        await filled(store, 5)

    in_store(tmp_path, fill)

    async def reading() -> None:
        pool = Pool(tmp_path / FILE, busy_ms=1000, turnstile=None)
        vectors = SqliteVectors(pool)
        assert near(await vectors.search(probe(random_vector("ann2")))) == ["ann2"]
        for doing in (vectors.add([indexed(event("ann2", "text 2"), random_vector(1))]), vectors.adopt("x"), vectors.reset()):
            with pytest.raises(Unavailable, match="may only be read"):
                await doing
        await pool.close()

    asyncio.run(reading())


MOVING = """
import asyncio, sys
from pathlib import Path
from tests.unit.backends.kept import in_store
async def main(store):
    print("open", flush=True)
    await store.vectors.adopt("test-2")
    print("moved", flush=True)
in_store(Path(sys.argv[1]), main)
"""


def swollen(folder: Path, rows: int) -> None:
    """Much more in the first space than a transaction deletes, of records that are no more."""
    db = connect(folder / FILE, busy_ms=1000)
    db.execute("BEGIN IMMEDIATE")
    db.executemany(
        "INSERT INTO vectors (space, owner, doc, texts, contexts) VALUES (1, 1000, ?, ?, ?)",
        [(doc, b"x" * 900, b"y" * 900) for doc in range(rows)],
    )
    db.execute("COMMIT")
    db.close()


def left(folder: Path) -> tuple[int, int]:
    """Rows of the space that is dropped, and how many spaces wait to be cleared."""
    db = connect(folder / FILE, busy_ms=10_000)
    found = (db.execute("SELECT count(*) FROM vectors WHERE space = 1").fetchone()[0],
             db.execute("SELECT count(*) FROM vector_spaces WHERE name IS NULL").fetchone()[0])  # fmt: skip
    db.close()
    return found


@pytest.mark.requirement("S2")
def test_moving_to_another_space_survives_a_kill(tmp_path: Path) -> None:
    """Killed while it deletes what it left behind, a memory is in the new space wholly, and goes on deleting with its next writes."""

    async def fill(store: SqliteStore) -> None:
        records = await filled(store, 20)
        await store.vectors.add([indexed(record, random_vector(record.id, 8), space="test-2") for record in records])

    in_store(tmp_path, fill)
    swollen(tmp_path, 60_000)
    child = subprocess.Popen([sys.executable, "-c", MOVING, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "open\n"
    until = time.monotonic() + 60
    while left(tmp_path)[1] == 0 and time.monotonic() < until:
        time.sleep(0.001)
    child.kill()
    said, _ = child.communicate()
    rows, waiting = left(tmp_path)
    assert (said, waiting) == ("", 1) and rows > sqlite_vector_rows.SLICE

    async def after(store: SqliteStore) -> None:
        assert await store.vectors.spaces() == ("test-2",)
        assert near(await store.vectors.search(probe(random_vector("ann3", 8), space="test-2"))) == ["ann3"]
        began = time.monotonic()
        await store.vectors.add([indexed(event("ann3", "text 3"), random_vector("else", 8), space="test-2")])
        assert time.monotonic() - began < 5 and left(tmp_path)[0] < rows
        await store.vectors.adopt("test-2")
        assert left(tmp_path) == (0, 0)
        assert near(await store.vectors.search(probe(random_vector("else", 8), space="test-2"))) == ["ann3"]

    in_store(tmp_path, after)


ADDING = """
import asyncio, sys
from pathlib import Path
from beebread.model import Batch, Erase
from tests.unit.backends.kept import START, event, in_store
from tests.unit.backends.vectors import indexed, random_vector
async def main(store):
    number = int(sys.argv[2])
    while True:
        records = [event(f"e{number}-{at}", f"text {number}") for at in range(5)]
        await store.apply(Batch(put=tuple(records)))
        await store.vectors.add([indexed(record, random_vector(record.id)) for record in records])
        await store.apply(Batch(erase=(Erase("u::ann", f"e{number}-4", START),)))
        print(number, flush=True)
        number += 1
in_store(Path(sys.argv[1]), main)
"""


@pytest.mark.requirement("S2", "S4")
def test_killed_while_adding(tmp_path: Path) -> None:
    """What was acknowledged is there and found, what was erased is not, and no vector is without its record."""
    last = -1
    for number in range(3):
        child = subprocess.Popen([sys.executable, "-c", ADDING, str(tmp_path), str(last + 1 + number)], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None and child.stdout.readline()
        time.sleep(0.03 * number)
        child.kill()
        said, _ = child.communicate()
        done = [int(line) for line in said.split("\n")[:-1]]
        last = max([last + 1 + number, *done])

        async def intact(store: SqliteStore, upto: int = last) -> None:
            kept = {record.id for record in await store.scan(where(), 100_000)}
            sure = [f"e{upto}-{at}" for at in range(4)]
            assert set(sure) <= kept and await store.vectors.missing(HOME, sure) == []
            assert await store.vectors.missing(HOME, [f"e{upto}-4"]) == [f"e{upto}-4"]
            for name in sure:
                assert near(await store.vectors.search(probe(random_vector(name)))) == [name]

        in_store(tmp_path, intact)
        db = connect(tmp_path / FILE, busy_ms=1000)
        orphans = "SELECT count(*) FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM records r WHERE r.doc = v.doc AND r.owner = v.owner)"
        assert db.execute(orphans).fetchone() == (0,)
        db.close()
