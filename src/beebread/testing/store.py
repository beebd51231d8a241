"""Every directed check of the Store and States contracts by name; a check takes an open store and raises AssertionError."""

from __future__ import annotations

from beebread.testing import states, store_erase, store_graph, store_read, store_search, store_write
from beebread.testing.scene import Check

STORE_CHECKS: dict[str, Check] = {
    f"{module.__name__.rpartition('.')[2].removeprefix('store_')}.{check.__name__}": check
    for module in (store_write, store_erase, store_read, store_graph, store_search)
    for check in module.CHECKS
}
STATES_CHECKS: dict[str, Check] = {f"states.{check.__name__}": check for check in states.CHECKS}
