"""Every engine's index of vectors keeps every rule of the Index contract."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest

from beebread.backends.reference import ReferenceStore
from beebread.backends.sqlite_store import SqliteStore
from beebread.testing.faults_index import INDEX_FAULTS
from beebread.testing.index import INDEX_CHECKS
from beebread.testing.index_history import index_history
from beebread.testing.index_scene import IndexedStore
from beebread.testing.report import outcome_of


async def reference(folder: Path) -> IndexedStore:
    return ReferenceStore()


async def sqlite(folder: Path) -> IndexedStore:
    return await SqliteStore.open(folder)


Opened = Callable[[Path], Awaitable[IndexedStore]]
ENGINES: dict[str, Opened] = {"reference": reference, "sqlite": sqlite}


def run(engine: str, folder: Path, *works: Callable[[IndexedStore], Awaitable[object]]) -> None:
    """Do some work on one engine."""

    async def whole() -> None:
        store = await ENGINES[engine](folder)
        try:
            for work in works:
                await work(store)
        finally:
            await store.close()

    asyncio.run(whole())


@pytest.mark.requirement("S2", "R2", "S4")
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", INDEX_CHECKS)
def test_index(engine: str, name: str, tmp_path: Path) -> None:
    run(engine, tmp_path, INDEX_CHECKS[name])


@pytest.mark.parametrize("engine", ENGINES)
def test_one_after_the_other(engine: str, tmp_path: Path) -> None:
    """All checks in one store, where each meets the leavings of those before."""
    run(engine, tmp_path, *INDEX_CHECKS.values())


@pytest.mark.requirement("S2", "S4")
@pytest.mark.parametrize("engine", ENGINES)
def test_histories(engine: str, tmp_path: Path) -> None:
    """Random histories give what the reference engine gives."""
    seeds = range(2 if engine == "reference" else 8)
    run(engine, tmp_path, *(partial(index_history, seed=seed) for seed in seeds))


@pytest.mark.soak
@pytest.mark.requirement("S2")
def test_many_histories(tmp_path: Path) -> None:
    run("sqlite", tmp_path, *(partial(index_history, seed=seed) for seed in range(8, 300)))


async def caught_by(opened: Callable[[], IndexedStore]) -> str:
    """The first check that finds something wrong with a fresh store; '' when none does."""
    for name, check in INDEX_CHECKS.items():
        if (await outcome_of(name, lambda check=check: check(opened()))).message:
            return name
    return ""


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("name", INDEX_FAULTS)
def test_a_fault_is_caught(name: str) -> None:
    assert asyncio.run(caught_by(INDEX_FAULTS[name])), f"no check notices: {name}"
