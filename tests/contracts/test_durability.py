"""Killed processes and several at once, on every engine that keeps its data in a folder."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from beebread.testing.durability import DURABILITY_CHECKS, killed_while_writing, processes_at_once
from beebread.testing.faults_durable import DURABLE_FAULTS

ENGINES = {"sqlite": "beebread.backends.sqlite_store:SqliteStore.open"}
# Which check notices each fault, and by what.
NOTICED = {
    "forgetful": ("reopened_is_same", "step 1 was acknowledged, and 0 are there"),
    "lazy": ("killed_while_writing", "was acknowledged, and"),
    "halving": ("killed_while_writing", "the events of"),
    "deaf": ("processes_see_each_other", "write 0 of this process, in the other"),
}


@pytest.mark.requirement("S2", "S7")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", DURABILITY_CHECKS)
def test_durability(engine: str, name: str, tmp_path: Path) -> None:
    asyncio.run(DURABILITY_CHECKS[name](ENGINES[engine], tmp_path))


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("fault", DURABLE_FAULTS)
def test_what_is_not_durable_is_noticed(fault: str, tmp_path: Path) -> None:
    check, what = NOTICED[fault]
    with pytest.raises(AssertionError, match=what):
        asyncio.run(DURABILITY_CHECKS[f"durability.{check}"](f"beebread.testing.faults_durable:{fault}", tmp_path))


def test_a_sound_journal_is_not_blamed(tmp_path: Path) -> None:
    asyncio.run(killed_while_writing("beebread.testing.faults_durable:deaf", tmp_path, rounds=2))


@pytest.mark.soak
@pytest.mark.requirement("S2", "S7")
@pytest.mark.parametrize("engine", ENGINES)
def test_many_kills(engine: str, tmp_path: Path) -> None:
    asyncio.run(killed_while_writing(ENGINES[engine], tmp_path, rounds=50))


@pytest.mark.soak
@pytest.mark.requirement("S2", "S7")
@pytest.mark.parametrize("engine", ENGINES)
def test_many_processes(engine: str, tmp_path: Path) -> None:
    asyncio.run(processes_at_once(ENGINES[engine], tmp_path, processes=16, writes=100))
