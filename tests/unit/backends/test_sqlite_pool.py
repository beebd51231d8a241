"""The writer's thread outlives whatever a write raises, and a pool without a turn to write only reads."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from beebread.backends.sqlite_lock import Turnstile
from beebread.backends.sqlite_pool import Pool
from beebread.backends.sqlite_schema import FILE
from beebread.errors import Unavailable
from tests.unit.backends.kept import in_store


def marked(db: sqlite3.Connection) -> None:
    db.execute("INSERT OR REPLACE INTO marks VALUES ('here', 1)")


def broken(db: sqlite3.Connection) -> None:
    marked(db)
    raise KeyError("a mistake of ours")


def clumsy(db: sqlite3.Connection) -> None:
    marked(db)
    db.execute("INSERT INTO nowhere VALUES (1)")


def counted(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM marks").fetchone()[0])


def opened(folder: Path, *, turnstile: bool = True) -> Pool:
    in_store(folder, lambda store: store.mark("any"))
    return Pool(folder / FILE, busy_ms=1000, turnstile=Turnstile(folder, 1000) if turnstile else None)


def test_a_mistake_in_a_write_reaches_its_caller_and_stops_nobody(tmp_path: Path) -> None:
    pool = opened(tmp_path)

    async def whole() -> None:
        for bad, error in ((broken, KeyError), (clumsy, Unavailable), (broken, KeyError)):
            with pytest.raises(error):
                await pool.write(bad)
            assert await pool.read(counted) == 0
        with pytest.raises(Unavailable):
            await pool.read(clumsy)
        await pool.write(marked)
        assert await pool.read(counted) == 1
        await pool.close()

    asyncio.run(whole())


def test_those_who_wait_with_a_mistake_are_told_too(tmp_path: Path) -> None:
    """They share its transaction, so none of them is acknowledged; the next ones are."""
    pool = opened(tmp_path)

    async def whole() -> None:
        told = await asyncio.gather(*(pool.write(work) for work in (marked, broken, marked)), return_exceptions=True)
        assert isinstance(told[1], KeyError)
        assert await pool.read(counted) == int(None in told)
        await pool.write(marked)
        await pool.close()

    asyncio.run(whole())


def test_a_pool_without_a_turn_only_reads(tmp_path: Path) -> None:
    pool = opened(tmp_path, turnstile=False)

    async def whole() -> None:
        assert await pool.read(counted) == 0
        with pytest.raises(Unavailable, match="only be read"):
            await pool.write(marked)
        with pytest.raises(Unavailable):
            await pool.read(marked)
        await pool.close()

    asyncio.run(whole())
