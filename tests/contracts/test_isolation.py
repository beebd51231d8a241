"""Every asker against every scope, on every engine and every read."""

from __future__ import annotations

from pathlib import Path

import pytest

from beebread.testing.isolation import ISOLATION_CHECKS
from tests.contracts.engines import Engine


@pytest.mark.requirement("I1", "I2", "I3", "I4", "S2")
@pytest.mark.parametrize("name", ISOLATION_CHECKS)
def test_isolation(engine: Engine, name: str, tmp_path: Path) -> None:
    engine.run(tmp_path, ISOLATION_CHECKS[name])
