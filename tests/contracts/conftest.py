"""Runs every contract on every engine."""

from __future__ import annotations

import pytest

from tests.contracts.engines import ENGINES, Engine


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--histories", type=int, default=0, help="random histories for each engine (0: the usual few)")


@pytest.fixture(params=ENGINES, ids=[engine.name for engine in ENGINES])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn."""
    chosen: Engine = request.param
    return chosen
