"""The suites are sharp: every planted fault is caught, and the engine without one passes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from beebread.ports import Blobs, Store
from beebread.testing.blobs import BLOB_CHECKS
from beebread.testing.faults import BLOB_FAULTS, FAULTS
from beebread.testing.faults_judge import JUDGING_FAULTS
from beebread.testing.faults_read import READING_FAULTS
from beebread.testing.faults_states import STATES_FAULTS
from beebread.testing.faults_write import WRITING_FAULTS
from beebread.testing.report import Certificate, Outcome, caught_by, certify, outcome_of
from tests.contracts.engines import ENGINES, Engine

# Where each kind of fault is looked for first; the others follow.
SUITES = {
    **dict.fromkeys(READING_FAULTS, ("write.get", "write.alias", "read.", "graph.", "search.")),
    **dict.fromkeys(JUDGING_FAULTS, ("read.filters", "isolation.")),
    **dict.fromkeys(WRITING_FAULTS, ("write.", "erase.")),
    **dict.fromkeys(STATES_FAULTS, ("states.",)),
}


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught(name: str) -> None:
    assert asyncio.run(caught_by(FAULTS[name], SUITES[name])), f"no check notices: {name}"


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("name", BLOB_FAULTS)
def test_a_fault_of_blobs_is_caught(name: str) -> None:
    async def outcomes(opened: Callable[[], Blobs]) -> list[Outcome]:
        return [await outcome_of(check, lambda check=check: BLOB_CHECKS[check](opened())) for check in BLOB_CHECKS]

    assert any(outcome.message for outcome in asyncio.run(outcomes(BLOB_FAULTS[name]))), f"no check notices: {name}"


@pytest.mark.requirement("S2")
@pytest.mark.parametrize("engine", ENGINES[1:], ids=[engine.name for engine in ENGINES[1:]])
def test_an_engine_is_certified(engine: Engine, tmp_path: Path) -> None:
    """All suites in one store, where each leaves its records behind for the next."""
    heard: list[Outcome] = []

    async def whole(store: Store) -> Certificate:
        return await certify(store, engine.blobs(tmp_path / "blobs"), histories=1, done=heard.append)

    certificate: Certificate = engine.run(tmp_path, whole)
    assert certificate.failed == ()
    assert certificate.level == "full"
    assert tuple(heard) == certificate.outcomes


@pytest.mark.parametrize(
    ("broken", "level"),
    [
        ("history.3", "partial"),
        ("graph.families", "partial"),
        ("erase.diary", "base"),
        ("isolation.x", "none"),
        ("write.y", "none"),
        ("", "full"),
    ],
)
def test_levels(broken: str, level: str) -> None:
    outcomes = [
        Outcome(name, "wrong" if name == broken else "", 0.0)
        for name in ("write.y", "erase.diary", "graph.families", "isolation.x", "history.3")
    ]
    assert Certificate(tuple(outcomes)).level == level
