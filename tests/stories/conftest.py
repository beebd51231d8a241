"""A memory in a fresh folder, seen through the public client, on a clock that stands still."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from beebread import Client
from beebread.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 11, 30, 9, 0, tzinfo=UTC))


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Client]:
    with Client(tmp_path / "memory", clock=clock) as client:
        yield client
