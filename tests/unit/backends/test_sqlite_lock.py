"""The turn to write: one holder at a time, a clear error for who waits too long."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from beebread.backends.sqlite_lock import Turnstile
from beebread.backends.sqlite_schema import FILE
from beebread.backends.sqlite_store import SqliteStore
from beebread.errors import Unavailable
from beebread.model import Batch
from tests.unit.backends.kept import event, in_store


def test_one_at_a_time(tmp_path: Path) -> None:
    inside, worst = 0, 0
    guard = threading.Lock()

    def often() -> None:
        nonlocal inside, worst
        turnstile = Turnstile(tmp_path, 10_000)
        for _ in range(20):
            with turnstile.turn():
                with guard:
                    inside += 1
                    worst = max(worst, inside)
                with guard:
                    inside -= 1

    threads = [threading.Thread(target=often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert worst == 1


def test_a_turn_that_does_not_come_is_an_error_with_advice(tmp_path: Path) -> None:
    async def write(store: SqliteStore) -> None:
        held = Turnstile(tmp_path, 0)
        with held.turn(), pytest.raises(Unavailable, match="busy_ms"):
            await store.apply(Batch(put=(event("a"),)))
        assert (await store.apply(Batch(put=(event("a"),)))).created == ("a",)

    in_store(tmp_path, write, busy_ms=50)


def test_a_stranger_that_holds_the_file_is_an_error_with_advice(tmp_path: Path) -> None:
    """Another program, which knows no turn, may hold SQLite's own lock."""

    async def write(store: SqliteStore) -> None:
        stranger = sqlite3.connect(tmp_path / FILE, isolation_level=None)
        stranger.execute("BEGIN IMMEDIATE")
        with pytest.raises(Unavailable, match="another process"):
            await store.apply(Batch(put=(event("a"),)))
        stranger.execute("ROLLBACK")
        stranger.close()
        assert (await store.apply(Batch(put=(event("a"),)))).created == ("a",)

    in_store(tmp_path, write, busy_ms=50)


def test_a_folder_that_cannot_be_locked_says_so(tmp_path: Path) -> None:
    (tmp_path / "door.lock").mkdir()
    with pytest.raises(Unavailable, match="cannot be locked"):
        Turnstile(tmp_path, 0)
