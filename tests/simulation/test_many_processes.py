"""Many processes write into one folder: nothing is lost, nothing doubled, everyone sees what is acknowledged, nobody starves."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from beebread.backends.sqlite_store import SqliteStore
from beebread.ports import Probe
from beebread.text import query_terms
from tests.simulation.agreement import disagreements
from tests.simulation.writer import ASKER, made
from tests.unit.backends.kept import in_store, where

WRITER = Path(__file__).with_name("writer.py")


def write_at_once(folder: Path, processes: int, writes: int) -> list[float]:
    """Let the processes write and look, from here, at each acknowledged event at once; the milliseconds of every write."""
    started = [
        subprocess.Popen(
            [sys.executable, str(WRITER), str(folder), f"w{at}", str(writes), "1"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
        )
        for at in range(processes)
    ]  # fmt: skip
    told: list[tuple[str, float]] = []
    lines = [threading.Thread(target=listen, args=(process, f"w{at}", told)) for at, process in enumerate(started)]
    for line in lines:
        line.start()

    async def look(store: SqliteStore) -> None:
        looked = 0
        while any(line.is_alive() for line in lines) or looked < len(told):
            new = [name for name, _ in told[looked:]]
            looked += len(new)
            found = {record.id for record in await store.get(new, where(ASKER))}
            assert found == set(new), f"acknowledged and not seen: {sorted(set(new) - found)}"

    in_store(folder, look)
    for line, process in zip(lines, started, strict=True):
        line.join()
        assert process.stderr is not None
        errors = process.stderr.read()
        process.stderr.close()
        assert process.wait() == 0, errors
    return sorted(spent for _, spent in told)


def listen(process: subprocess.Popen[str], name: str, told: list[tuple[str, float]]) -> None:
    """Note what a process acknowledges."""
    assert process.stdout is not None
    for line in process.stdout:
        number, spent = line.split()
        told.append((f"{name}-{int(number) - 1}", float(spent)))
    process.stdout.close()


def check(folder: Path, processes: int, writes: int) -> None:
    """Everything is there once, in every index, and the state counts of all writers met."""

    async def look(store: SqliteStore) -> None:
        found = [record.id for record in await store.scan(where(ASKER, types=("event",)), processes * writes + 1)]
        assert sorted(found) == sorted(made(f"w{at}", number, "").id for at in range(processes) for number in range(writes))
        probe = Probe(channel="keyword", where=where(ASKER), limit=processes * writes + 1, terms=tuple(query_terms("退款")))
        assert len(await store.search(probe)) == processes * writes
        chain = await store.walk([f"w0-{writes - 1}"], "up", writes, where(ASKER))
        assert len(chain) == writes - 1
        (state,) = await store.states.list(where(ASKER), 10)
        assert {name: field.value for name, field in state.fields.items()} == {f"w{at}": writes for at in range(processes)}
        assert state.version == processes * writes

    in_store(folder, look)
    assert disagreements(folder) == []


@pytest.mark.slow
@pytest.mark.requirement("S2", "W5")
def test_processes_write_at_once(tmp_path: Path) -> None:
    spent = write_at_once(tmp_path, 4, 50)
    check(tmp_path, 4, 50)
    assert len(spent) == 200
    assert spent[190] <= 1000


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.requirement("S2", "W5")
def test_sixteen_processes_write_a_thousand_each(tmp_path: Path) -> None:
    spent = write_at_once(tmp_path, 16, 1000)
    check(tmp_path, 16, 1000)
    assert spent[int(len(spent) * 0.95)] <= 1000, spent[-20:]
