"""What only the embedded engine has to answer for: bytes on the disk, threads, full disks, forks, group commit."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from beebread.backends.sqlite_schema import FILE
from beebread.backends.sqlite_store import SqliteStore
from beebread.errors import Conflict, Invalid, Unavailable
from beebread.model import Alias, Batch, Cause, Erase, Event, Evidence, Family, Field, Memory, Principal, Scope, State, state_id
from beebread.ports import Probe
from tests.unit.backends.kept import START, bodies_with, event, in_store, remains, where, words

HOME = "u::ann"
SENTINELS = ("zebrasentinel", "斑马暗号句")


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


def secret(name: str, user: str = "ann") -> Batch:
    said = " ".join(SENTINELS)
    scope = Scope(user=user, session=SENTINELS[0])
    return Batch(
        put=(
            event(name, said * 60, user=user, tags=SENTINELS, environment=dict.fromkeys(SENTINELS, said), refers_to=SENTINELS),
            event(f"{name}-{SENTINELS[1]}", said, scope=scope, causes=(Cause(name),), dedup_key=said),
            Memory(id=f"m-{name}", scope=scope, kind="fact", at=START, text=said, key=SENTINELS[0], entities=SENTINELS,
                   evidence=Evidence(sources=(name,), quote=said)),
        ),
        aliases=(Alias(f"u::{user}", f"alias-{SENTINELS[0]}-{name}", name),),
    )  # fmt: skip


@pytest.mark.requirement("S4")
def test_an_erased_owner_is_in_no_byte_of_the_folder(tmp_path: Path) -> None:
    """Scanned while the store is open, since a process may run for months."""

    async def whole(store: SqliteStore) -> None:
        await store.apply(Batch(put=tuple(event(f"b{at}", f"别人 others {at} " * 30, user="bob") for at in range(300))))
        for at in range(3):
            await store.apply(secret(f"s{at}"))
            await store.apply(Batch(put=tuple(event(f"f{at}-{i}", f"填充 filler {SENTINELS[0]} {i}") for i in range(150))))
        state = State(key=SENTINELS[0], scope=Scope(user="ann"), fields={"x": Field(SENTINELS[1])})
        await store.states.put(state, None, 10_000)
        await store.states.put(state, None, 10_000)
        await store.search(words(SENTINELS[0]))
        assert all(word.encode() in bytes_of(tmp_path) for word in SENTINELS)
        bodies = bodies_with(tmp_path, SENTINELS[0])
        assert len(bodies) == 3 * 3 + 3 * 150 + 1 and remains(tmp_path, SENTINELS[0], bodies)
        await store.apply(Batch(erase=(Erase(HOME, "", START),)))
        assert not [word for word in SENTINELS if remains(tmp_path, word, bodies)]
        assert await store.scan(where(), 10) == []
        assert await store.states.history(HOME, state_id(state), 10) == []
        assert (await store.apply(secret("s1"))).created == ("s1", f"s1-{SENTINELS[1]}", "m-s1")

    in_store(tmp_path, whole)


@pytest.mark.requirement("S4")
def test_erased_records_are_in_no_byte_of_the_folder(tmp_path: Path) -> None:
    async def whole(store: SqliteStore) -> None:
        await store.apply(Batch(put=tuple(event(f"o{at}", f"旁边 neighbour {at} " * 20) for at in range(280))))
        await store.apply(secret("s"))
        bodies = bodies_with(tmp_path, SENTINELS[0])
        assert len(bodies) == 4
        gone = tuple(Erase(HOME, name, START) for name in ("s", f"s-{SENTINELS[1]}", "m-s"))
        await store.apply(Batch(erase=gone))
        session = await store.scan(where(types=("session",)), 10)
        await store.apply(Batch(erase=tuple(Erase(HOME, record.id, START) for record in session)))
        assert not [word for word in SENTINELS if remains(tmp_path, word, bodies)]
        assert len(await store.scan(where(), 1000)) == 280

    in_store(tmp_path, whole)


@pytest.mark.requirement("S4")
def test_a_deleted_state_is_in_no_byte_of_the_folder(tmp_path: Path) -> None:
    async def whole(store: SqliteStore) -> None:
        state = State(key="trip", scope=Scope(user="ann"), fields={"x": Field(" ".join(SENTINELS))})
        await store.states.put(state, None, 10_000)
        assert await store.states.delete(HOME, state_id(state)) == 1
        assert not [word for word in SENTINELS if word.encode() in bytes_of(tmp_path)]

    in_store(tmp_path, whole)


def test_batches_that_wait_together_stand_alone(tmp_path: Path) -> None:
    """Many callers at once share commits; one that is refused takes none with it."""

    async def whole(store: SqliteStore) -> None:
        await store.apply(Batch(put=(event("there", "first"),)))
        batches = [Batch(put=(event(f"e{at}", f"text {at}"), *((event("there", "second"),) if at % 7 == 0 else ()))) for at in range(70)]
        outcomes = await asyncio.gather(*(store.apply(batch) for batch in batches), return_exceptions=True)
        refused = [at for at, outcome in enumerate(outcomes) if isinstance(outcome, Conflict)]
        assert refused == list(range(0, 70, 7))
        kept = {record.id for record in await store.scan(where(), 1000)}
        assert kept == {"there", *(f"e{at}" for at in range(70) if at % 7)}
        positions = [position for position, _ in await store.tail(0, 1000)]
        assert positions == sorted(set(positions))

    in_store(tmp_path, whole)


def test_two_loops_in_two_threads(tmp_path: Path) -> None:
    """One store may be used from several event loops."""

    async def whole(store: SqliteStore) -> None:
        async def elsewhere() -> None:
            for at in range(20):
                await store.apply(Batch(put=(event(f"other{at}"),)))

        thread = threading.Thread(target=lambda: asyncio.run(elsewhere()))
        thread.start()
        for at in range(20):
            await store.apply(Batch(put=(event(f"mine{at}"),)))
        await asyncio.to_thread(thread.join)
        assert (await store.count(where()))[""] == 40

    in_store(tmp_path, whole)


def test_closing_finishes_what_waits_and_then_refuses(tmp_path: Path) -> None:
    async def whole() -> None:
        store = await SqliteStore.open(tmp_path)
        waiting = [asyncio.ensure_future(store.apply(Batch(put=(event(f"e{at}"),)))) for at in range(20)]
        await asyncio.sleep(0)
        await store.close()
        await store.close()
        assert all(applied.created for applied in await asyncio.gather(*waiting))
        with pytest.raises(Unavailable, match="closed"):
            await store.apply(Batch(put=(event("late"),)))
        with pytest.raises(Unavailable, match="closed"):
            await store.mark("any")

    asyncio.run(whole())
    assert in_store(tmp_path, lambda store: store.count(where())) == {"": 20}


def test_a_caller_that_gives_up_breaks_nothing(tmp_path: Path) -> None:
    async def whole(store: SqliteStore) -> None:
        leaving = asyncio.ensure_future(store.apply(Batch(put=(event("left"),))))
        await asyncio.sleep(0)
        leaving.cancel()
        await store.apply(Batch(put=(event("stayed"),)))
        assert {record.id for record in await store.scan(where(), 10)} == {"left", "stayed"}

    in_store(tmp_path, whole)


@pytest.mark.skipif(sys.platform == "win32", reason="file sizes cannot be limited here")
@pytest.mark.requirement("S2")
def test_a_full_disk_loses_nothing_acknowledged(tmp_path: Path) -> None:
    """The disk takes no more in the middle of a batch: that batch is refused whole, and after some space was freed it goes on."""
    import resource

    def size() -> int:
        return max(path.stat().st_size for path in tmp_path.iterdir())

    async def whole(store: SqliteStore) -> None:
        await store.apply(Batch(put=(event("before", "退款"),)))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size() + 20_000, hard))
        try:
            with pytest.raises(Unavailable, match="nothing acknowledged is lost"):
                await store.apply(Batch(put=tuple(event(f"big{at}", f"太大 {at} " * 200) for at in range(100))))
            assert [record.id for record in await store.scan(where(), 10)] == ["before"]
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        await store.apply(Batch(put=(event("after", "退款"),)))
        assert {hit.id for hit in await store.search(words("退款"))} == {"before", "after"}

    in_store(tmp_path, whole)
    db = sqlite3.connect(tmp_path / FILE)
    assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    db.close()


FORKED = """
import asyncio, os, sys, warnings
from pathlib import Path
from beebread.backends.sqlite_store import SqliteStore
from beebread.errors import Unavailable
warnings.simplefilter("ignore", DeprecationWarning)
store = asyncio.run(SqliteStore.open(Path(sys.argv[1])))
child = os.fork()
if child == 0:
    try:
        asyncio.run(store.mark("any"))
    except Unavailable as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
asyncio.run(store.close())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_child_is_told_to_open_its_own(tmp_path: Path) -> None:
    told = subprocess.run([sys.executable, "-c", FORKED, str(tmp_path)], capture_output=True, encoding="utf-8", check=True)
    assert "forked: open it again" in told.stdout


def test_what_cannot_be_kept_is_refused_and_the_rest_goes_on(tmp_path: Path) -> None:
    async def whole(store: SqliteStore) -> None:
        for bad in (event("a", "half \ud83d"), event("a", seq=1 << 70), event("a", parts=({"x": object()},))):
            with pytest.raises(Invalid) as raised:
                await store.apply(Batch(put=(bad,)))
            assert raised.value.ids == ("a",)
        assert (await store.apply(Batch(put=(event("a", "NUL \0 and right-to-left \u202e text 混合 " + "x" * 1_000_000),)))).created
        assert [record.id for record in await store.get(["a", "\ud800", ""], where())] == ["a"]
        assert await store.scan(where(sessions=("\ud800",), tags=("\0",)), 10) == []

    in_store(tmp_path, whole)


@pytest.mark.parametrize("families", [(), ("NEXT",), ("NEXT", "CAUSED_BY")])
@pytest.mark.requirement("S1")
def test_a_walk_as_long_as_the_session(tmp_path: Path, families: tuple[Family, ...]) -> None:
    """Far beyond the hops of one query, with two links at every step and a short cut to the beginning from everywhere."""
    number = 300

    def step(at: int) -> Event:
        causes = (Cause(f"e{at - 1}"), Cause("e0", "continues")) if at > 1 else ()
        scope = Scope(user="ann", session="s")
        return event(f"e{at}", seq=at, scope=scope, parent=f"e{at - 1}" if at else "", causes=causes)

    async def whole(store: SqliteStore) -> None:
        await store.apply(Batch(put=tuple(map(step, range(number)))))
        met = await store.walk([f"e{number - 1}"], "up", 1000, where(), families)
        depths = {link.source: link.depth for link in met}
        assert depths == {f"e{at}": number - at for at in range(1, number)}
        assert len(met) == len(set(met))
        assert [link.depth for link in met] == sorted(link.depth for link in met)
        assert {link.target for link in await store.walk(["e0"], "down", 1, where(), families)} == {"e0"}
        assert await store.walk(["e0"], "down", 0, where(), families) == []

    in_store(tmp_path, whole)


WAYS: tuple[dict[str, Any], ...] = (
    {}, {"ids": ("a", "none")}, {"sessions": ("s", "other")}, {"sessions": ("", "s")}, {"tasks": ("k",)}, {"tags": ("t", "u")},
    {"keys": ("",)}, {"linked_to": ("b",)}, {"linked_to": ("other-name",)}, {"order": "-time"}, {"types": ()},
    {"environment": {"city": "上海", "app": ""}}, {"tags": ("t",), "sessions": ("s",), "tasks": ("k",)},
)  # fmt: skip


@pytest.mark.parametrize("fields", WAYS)
def test_every_way_leads_to_the_record(tmp_path: Path, fields: dict[str, Any]) -> None:
    """Each filter may choose another index, and an asker without a kind finds nothing by any."""

    async def whole(store: SqliteStore) -> None:
        scope = Scope(user="ann", session="s", task="k")
        wanted = event("a", "x", tags=("t",), scope=scope, environment={"city": "上海"}, causes=(Cause("b"), Cause("other-name")))
        others = (event("b", tags=("v",)), event("c", user="bob", tags=("t",)))
        await store.apply(Batch(put=(wanted, *others), aliases=(Alias(HOME, "other-name", "b"),)))
        asked = {"kinds": ("user_message",), "before": START + timedelta(1), **fields}
        found = await store.scan(where(Principal(user="ann", session="s", task="k"), **asked), 10)
        assert "a" in {record.id for record in found}
        assert not {record.id for record in found} - {"a", "b", found[0].id if not isinstance(found[0], Event) else "a"}
        assert (await store.count(where(Principal(user="ann", session="s", task="k"), **asked)))[""] == len(found)
        assert await store.scan(where(Principal(user="ann", kinds=()), **fields), 10) == []

    in_store(tmp_path, whole)


@pytest.mark.requirement("S4")
def test_a_reader_in_the_way_delays_the_wiping_and_no_more(tmp_path: Path) -> None:
    """Another process that still reads an old snapshot keeps the log; with the next write after it the bytes are gone."""

    async def whole(store: SqliteStore) -> None:
        await store.apply(secret("s"))
        reader = sqlite3.connect(tmp_path / FILE, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM records").fetchone()
        await store.apply(Batch(erase=(Erase(HOME, "", START),)))
        assert await store.scan(where(), 10) == []
        reader.execute("COMMIT")
        reader.close()
        await store.apply(Batch(put=(event("b", user="bob"),)))
        assert not [word for word in SENTINELS if word.encode() in bytes_of(tmp_path)]

    in_store(tmp_path, whole)


def test_questions_that_make_no_sense(tmp_path: Path) -> None:
    async def whole(store: SqliteStore) -> None:
        await store.apply(Batch(put=(event("b", "退款"),)))
        with pytest.raises(Invalid, match="keyword"):
            await store.search(Probe(channel="vector", where=where(), limit=1))
        with pytest.raises(Invalid, match="session"):
            await store.count(where(), "owner")
        with pytest.raises(Invalid, match="in parts"):
            await store.scan(where(ids=tuple(map(str, range(10_000)))), 1)
        with pytest.raises(Invalid, match="cursor"):
            await store.states.list(where(), 1, "no cursor")
        with pytest.raises(Invalid, match="too large"):
            await store.apply(Batch(put=(event("a", scope=Scope(user="ann", sensitivity=1 << 70)),)))
        assert await store.search(Probe(channel="keyword", where=where(), limit=5, terms=("\ud800", "航班"))) == []
        assert await store.scan(where(), 0) == []
        assert len(await store.get([str(at) for at in range(6000)], where())) == 0

    in_store(tmp_path, whole)
