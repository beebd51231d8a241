"""Every planted fault by name: engines wrong in one way each, which the suites must all notice."""

from __future__ import annotations

from collections.abc import Callable

from beebread.ports import Store
from beebread.testing.faults_judge import JUDGING_FAULTS
from beebread.testing.faults_read import READING_FAULTS
from beebread.testing.faults_states import BLOB_FAULTS, STATES_FAULTS
from beebread.testing.faults_write import WRITING_FAULTS

__all__ = ["BLOB_FAULTS", "FAULTS"]

FAULTS: dict[str, Callable[[], Store]] = {**JUDGING_FAULTS, **READING_FAULTS, **WRITING_FAULTS, **STATES_FAULTS}
