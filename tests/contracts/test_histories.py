"""Random histories on every engine give what the reference engine gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from beebread.ports import Store
from beebread.testing.simulate import history
from tests.contracts.engines import Engine

USUAL = 8
ITSELF = 2  # the reference against itself shows only that a history can be told again
LONG = 1000


def run(engine: Engine, folder: Path, seeds: range) -> None:
    """Each history in one store, where it meets the leavings of those before."""

    async def whole(store: Store) -> None:
        for seed in seeds:
            await history(store, seed)

    engine.run(folder, whole)


@pytest.mark.requirement("S2")
def test_histories(engine: Engine, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    # The option is known only where pytest was started in this folder.
    asked: int = pytestconfig.getoption("histories", 0) or 0
    run(engine, tmp_path, range(asked or (ITSELF if engine.name == "reference" else USUAL)))


@pytest.mark.soak
@pytest.mark.requirement("S2")
def test_many_histories(engine: Engine, tmp_path: Path) -> None:
    run(engine, tmp_path, range(USUAL, LONG // 10 if engine.name == "reference" else LONG))  # which looks at everything each time
