"""Opening the embedded store: fresh, older, newer, foreign, damaged and read-only folders."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from beebread import model
from beebread.backends.sqlite_rows import LETTERS
from beebread.backends.sqlite_schema import APPLICATION, FAMILIES, FILE, FIRST, MIGRATIONS, connect, migrate, version_of
from beebread.backends.sqlite_store import SqliteStore
from beebread.errors import Invalid, Unavailable
from beebread.model import Batch, Cause, Direction, Evidence, Link, Memory, Scope
from tests.unit.backends.kept import START, event, in_store, where


async def write(store: SqliteStore) -> None:
    await store.apply(Batch(put=(event("a", "退款 refund"),)))


async def read(store: SqliteStore) -> list[str]:
    return [record.id for record in await store.scan(where(), 10)]


async def nothing(store: SqliteStore) -> None:
    """Only open it."""


def test_a_fresh_folder_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "home"
    in_store(folder, write)
    assert in_store(folder, read) == ["a"]
    if sys.platform != "win32":
        assert folder.stat().st_mode & 0o777 == 0o700
        assert all(path.stat().st_mode & 0o077 == 0 for path in folder.iterdir())


def test_an_empty_file_is_a_fresh_store(tmp_path: Path) -> None:
    """A process that died right after making the file left this behind."""
    (tmp_path / FILE).touch()
    in_store(tmp_path, write)
    assert in_store(tmp_path, read) == ["a"]


def test_an_older_schema_is_brought_up_to_date(tmp_path: Path) -> None:
    """Each step runs once, in order, in one transaction; what was there stays."""
    in_store(tmp_path, write)
    db = connect(tmp_path / FILE, busy_ms=1000)
    second = ("ALTER TABLE marks ADD COLUMN note TEXT NOT NULL DEFAULT ''", "INSERT INTO marks VALUES ('lease', 1, 'second')")
    third = ("UPDATE marks SET note = note || ' then third'",)
    broken = ("INSERT INTO marks VALUES ('half', 1, '')", "INSERT INTO nowhere VALUES (1)")
    with pytest.raises(sqlite3.OperationalError):
        migrate(db, tmp_path / FILE, START, (*MIGRATIONS, second, broken))
    assert version_of(db, tmp_path / FILE) == len(MIGRATIONS)
    assert db.execute("SELECT count(*) FROM marks").fetchone() == (0,)
    migrate(db, tmp_path / FILE, START, (*MIGRATIONS, second, third))
    migrate(db, tmp_path / FILE, START, (*MIGRATIONS, second, third))
    assert db.execute("SELECT note FROM marks").fetchall() == [("second then third",)]
    assert int(db.execute("PRAGMA user_version").fetchone()[0]) == len(MIGRATIONS) + 2
    assert db.execute("SELECT count(*) FROM records").fetchone() == (1,)
    db.close()


def test_a_folder_of_schema_version_1_opens(tmp_path: Path) -> None:
    """The first published layout, made by its own statements alone."""
    db = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    for step in FIRST:
        db.execute(step)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute("PRAGMA user_version = 1")
    db.close()
    in_store(tmp_path, write)
    assert in_store(tmp_path, read) == ["a"]


@pytest.mark.requirement("S1")
def test_the_links_of_an_older_folder_lead_where_they_led(tmp_path: Path) -> None:
    """Schema version 4 named the families of links in full."""
    older, now = tmp_path / "older", tmp_path / "now"

    async def fill(store: SqliteStore) -> None:
        made = (
            event("a"),
            event("b", causes=(Cause(id="a"),), refers_to=("a",)),
            event("c", causes=(Cause(id="b", relation="data_from"),), parent="a"),
            Memory(id="m", scope=Scope(user="ann"), kind="fact", text="it", at=START, evidence=Evidence(sources=("c", "b"))),
        )
        await store.apply(Batch(put=made))

    async def walked(store: SqliteStore) -> list[Link]:
        ways: tuple[tuple[str, Direction], ...] = (("m", "up"), ("a", "down"))
        return [link for start, way in ways for link in await store.walk([start], way, 9, where(), model.FAMILIES)]

    async def closes_a_cycle(store: SqliteStore) -> None:
        await store.apply(Batch(replace=(event("a", causes=(Cause(id="c"),)),)))

    in_store(now, fill)
    wanted = in_store(now, walked)
    assert {link.family for link in wanted} == {*model.FAMILIES} - {"NEXT"}
    older.mkdir()
    db = connect(older / FILE, busy_ms=1000, mode="rwc")
    migrate(db, older / FILE, START, MIGRATIONS[: MIGRATIONS.index(FAMILIES)])
    db.execute("ATTACH ? AS now", (str(now / FILE),))
    db.execute("INSERT OR REPLACE INTO meta SELECT * FROM now.meta WHERE name NOT GLOB 'schema *'")
    for table in ("owners", "records", "bodies", "fresh", "links", "aliases"):
        db.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM now.{table}")
    for family, letter in LETTERS.items():
        db.execute("UPDATE links SET family = ? WHERE family = ?", (family, letter))
    db.close()
    assert in_store(older, walked) == wanted
    with pytest.raises(Invalid, match="its own cause"):
        in_store(older, closes_a_cycle)


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    in_store(tmp_path, write)
    db = sqlite3.connect(tmp_path / FILE)
    db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(Unavailable, match="newer Beebread.*upgrade Beebread"):
        in_store(tmp_path, nothing)
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.parametrize("content", [b"my diary, not yours\n" * 1000, b"SQLite format 3\0" + b"\xff" * 5000, b"x"])
def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(Unavailable, match="move it aside"):
        in_store(tmp_path, nothing)
    assert (tmp_path / FILE).read_bytes() == content


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    db = sqlite3.connect(tmp_path / FILE)
    db.execute("CREATE TABLE theirs (x)")
    db.commit()
    db.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(Unavailable, match="another program"):
        in_store(tmp_path, nothing)
    assert (tmp_path / FILE).read_bytes() == before


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    """The schema is whole, so that it opens; the pages behind it are not."""

    async def much(store: SqliteStore) -> None:
        for start in range(5):
            await store.apply(Batch(put=tuple(event(f"e{start}-{at}", f"退款 {at} " * 20) for at in range(100))))

    in_store(tmp_path, much)
    db = sqlite3.connect(tmp_path / FILE)
    page = int(db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'records_time'").fetchone()[0])
    size = int(db.execute("PRAGMA page_size").fetchone()[0])
    db.close()
    with (tmp_path / FILE).open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    with pytest.raises(Unavailable, match="damaged.*backup"):
        in_store(tmp_path, read)


def test_a_file_in_the_way_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file", encoding="utf-8")
    with pytest.raises(Unavailable, match="cannot be used"):
        in_store(tmp_path / "home", nothing)


READ_ONLY = """
import asyncio, os, sys
from datetime import timedelta
from pathlib import Path
from beebread.backends.sqlite_store import SqliteStore
from beebread.errors import Unavailable
from beebread.model import Batch
from tests.unit.backends.kept import event, where, words
import sqlite3, msgspec, encodings.idna
if os.getuid() == 0:
    os.setuid(65534)
async def main():
    try:
        store = await SqliteStore.open(Path(sys.argv[1]))
    except Unavailable as error:
        print("refused", error)
        return
    print("read", [record.id for record in await store.scan(where(), 10)], [hit.id for hit in await store.search(words("退款"))])
    try:
        await store.apply(Batch(put=(event("b"),)))
    except Unavailable as error:
        print("write", error)
    await store.close()
asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be made read-only here")
@pytest.mark.parametrize("state", ["closed", "unreadable", "missing"])
def test_a_read_only_folder_is_read_or_says_why_not(tmp_path_factory: pytest.TempPathFactory, state: str) -> None:
    folder = tmp_path_factory.mktemp("readonly")
    for parent in (folder, *folder.parents):
        if parent.name.startswith("pytest-"):
            parent.chmod(parent.stat().st_mode | 0o055)
    if state != "missing":
        in_store(folder, write)
    for path in folder.iterdir():
        path.chmod(0o000 if state == "unreadable" else 0o444)
    folder.chmod(0o555)
    try:
        told = subprocess.run(
            [sys.executable, "-c", READ_ONLY, str(folder)],
            capture_output=True, encoding="utf-8", check=False, cwd=Path(__file__).parents[3],
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        )  # fmt: skip
    finally:
        folder.chmod(0o755)
    if state == "closed":
        assert "read ['a'] ['a']" in told.stdout, told.stderr
        assert "make the folder writable" in told.stdout
    else:
        assert told.stdout.startswith("refused"), told.stderr
        assert "cannot be used" in told.stdout or "cannot be opened" in told.stdout


def test_two_openings_of_a_fresh_folder_at_once(tmp_path: Path) -> None:
    script = "import asyncio, sys; from pathlib import Path; from beebread.backends.sqlite_store import SqliteStore; "
    script += "asyncio.run((lambda: SqliteStore.open(Path(sys.argv[1])))())"
    started = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stderr=subprocess.PIPE) for _ in range(4)]
    assert [process.communicate()[1] for process in started] == [b""] * 4
    in_store(tmp_path, write)
    assert in_store(tmp_path, read) == ["a"]
