"""Every engine keeps every rule of the Store, States and Blobs contracts."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from beebread.testing.blobs import BLOB_CHECKS
from beebread.testing.store import STATES_CHECKS, STORE_CHECKS
from tests.contracts.engines import Engine


def named(*groups: str) -> list[str]:
    """The checks of some groups."""
    return [name for name in STORE_CHECKS if name.startswith(groups)]


@pytest.mark.requirement("S2", "C7")
@pytest.mark.parametrize("name", named("write."))
def test_writing(engine: Engine, name: str, tmp_path: Path) -> None:
    engine.run(tmp_path, STORE_CHECKS[name])


@pytest.mark.requirement("S2", "S4")
@pytest.mark.parametrize("name", named("erase."))
def test_erasing(engine: Engine, name: str, tmp_path: Path) -> None:
    engine.run(tmp_path, STORE_CHECKS[name])


@pytest.mark.requirement("S2", "S4")
@pytest.mark.parametrize("name", named("read."))
def test_reading(engine: Engine, name: str, tmp_path: Path) -> None:
    engine.run(tmp_path, STORE_CHECKS[name])


@pytest.mark.requirement("S2", "S1")
@pytest.mark.parametrize("name", named("graph."))
def test_the_graph(engine: Engine, name: str, tmp_path: Path) -> None:
    engine.run(tmp_path, STORE_CHECKS[name])


@pytest.mark.requirement("S2", "R1")
@pytest.mark.parametrize("name", named("search."))
def test_searching(engine: Engine, name: str, tmp_path: Path) -> None:
    engine.run(tmp_path, STORE_CHECKS[name])


@pytest.mark.requirement("S2", "W1", "W2", "W3", "W5")
@pytest.mark.parametrize("name", STATES_CHECKS)
def test_states(engine: Engine, name: str, tmp_path: Path) -> None:
    engine.run(tmp_path, STATES_CHECKS[name])


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("name", BLOB_CHECKS)
def test_blobs(engine: Engine, name: str, tmp_path: Path) -> None:
    asyncio.run(BLOB_CHECKS[name](engine.blobs(tmp_path)))


def test_every_group_is_run() -> None:
    groups = [named("write."), named("erase."), named("read."), named("graph."), named("search.")]
    assert sum(map(len, groups)) == len(STORE_CHECKS)
    assert all(groups)
