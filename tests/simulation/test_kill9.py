"""A process is killed in the middle of writing: what it acknowledged is there, what it did not is there whole or not at all."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from beebread.backends.sqlite_store import SqliteStore
from beebread.ports import Probe
from beebread.text import query_terms
from tests.simulation.agreement import disagreements
from tests.simulation.writer import ASKER
from tests.unit.backends.kept import in_store, where

WRITER = Path(__file__).with_name("writer.py")
SIZE = 7


def kill_once(folder: Path, name: str, after: float) -> int:
    """Start a writer, kill it some seconds after its first word; how many events it acknowledged."""
    command = [sys.executable, str(WRITER), str(folder), name, "1000000", str(SIZE)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(after)
    process.kill()
    # A line that the kill cut off was never said.
    lines = [line for line in (first + process.stdout.read()).splitlines(keepends=True) if line.endswith("\n")]
    process.stdout.close()
    assert process.wait() != 0
    return int(lines[-1].split()[0])


def check(folder: Path, acknowledged: dict[str, int]) -> None:
    """All that was acknowledged is found by its own tag and word; nothing is half there."""

    async def look(store: SqliteStore) -> None:
        for name, number in acknowledged.items():
            mine = where(ASKER, types=("event",), tags=(name,))
            found = await store.scan(mine, 10_000_000)
            assert len(found) >= number
            assert len(found) % SIZE == 0, "a batch is half there"
            assert [record.id for record in found] == [f"{name}-{at}" for at in range(len(found))]
            probe = Probe(channel="keyword", where=mine, limit=len(found) + 1, terms=tuple(query_terms("退款")))
            assert len(await store.search(probe)) == len(found)
            assert len(await store.walk([f"{name}-{len(found) - 1}"], "up", len(found), mine)) == len(found) - 1

    in_store(folder, look)
    assert disagreements(folder) == []


def rounds(folder: Path, number: int) -> None:
    rng = random.Random(9)
    acknowledged: dict[str, int] = {}
    for at in range(number):
        acknowledged[f"r{at}"] = kill_once(folder, f"r{at}", rng.uniform(0.0, 0.4))
        check(folder, acknowledged)


@pytest.mark.slow
@pytest.mark.requirement("S2", "S7")
def test_killed_in_the_middle_of_writing(tmp_path: Path) -> None:
    rounds(tmp_path, 3)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.requirement("S2", "S7")
def test_killed_fifty_times(tmp_path: Path) -> None:
    rounds(tmp_path, 50)
