"""A shelf to record onto, and recorders that are closed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from beebread.capture import Recorder, Spill
from beebread.settings import Settings
from tests.unit.capture.shelf import Shelf

Recording = Callable[..., Recorder]


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
def recording(shelf: Shelf, tmp_path: Path) -> Iterator[Recording]:
    """Make a recorder onto the shelf; settings by name, other things as the recorder takes them."""
    made: list[Recorder] = []

    def make(
        *, spill: bool = True, clock: Any = None, redact: Any = None, on_pressure: Any = None, loop: Any = None, **settings: Any
    ) -> Recorder:
        place = Spill(tmp_path / "spill") if spill else None
        recorder = Recorder(
            shelf.send, settings=Settings(**settings), clock=clock, redact=redact, spill=place, loop=loop, on_pressure=on_pressure
        )
        made.append(recorder)
        return recorder

    yield make
    shelf.back()
    shelf.door.set()
    for recorder in made:
        recorder.close(10)
