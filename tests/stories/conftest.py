"""A memory in a fresh folder, seen through the public client, on a clock that stands still: opened here, and on a server."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from beebread import Client
from beebread.clock import ManualClock
from tests.served import served


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 30, 9, 0, tzinfo=UTC))


@pytest.fixture(params=["embedded", "served"])
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock) -> Iterator[Client]:
    """Whatever a story tells, it tells of both."""
    if request.param == "embedded":
        with Client(tmp_path / "memory", clock=clock) as client:
            yield client
        return
    with served(tmp_path / "memory", clock=clock) as url, Client(url, clock=clock) as client:
        yield client
