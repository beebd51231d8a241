"""The background loop: what is due by the contract is purged; one process at a time does it, whoever comes first."""

from __future__ import annotations

import asyncio
import logging
import threading

from beebread.clock import Clock, micros
from beebread.errors import Conflict
from beebread.model import Batch, Mark, Principal
from beebread.ports import Store
from beebread.service import Purge, Service

SWEEP = "sweep"
SWEEP_SECONDS = 3600.0
LAST_MOMENT = 0.5
_log = logging.getLogger("beebread.worker")


class Worker:
    """Owns every background loop of one memory. Several may run, in any number of processes."""

    def __init__(self, service: Service, store: Store, clock: Clock) -> None:
        self._service = service
        self._store = store
        self._clock = clock
        self._who = Principal(roles=("admin",))

    async def sweep(self) -> int:
        """Purge what is due, unless another process did so within the hour; how many records were removed."""
        now = micros(self._clock.now())
        last = await self._store.mark(SWEEP)
        if now - last < SWEEP_SECONDS * 1_000_000:
            return 0
        try:
            await self._store.apply(Batch(marks=(Mark(SWEEP, now, expect=last),)))
        except Conflict:
            return 0  # another process took this hour
        return (await self._service.purge(self._who, Purge(now=False))).records

    def run(self, stop: threading.Event) -> None:
        """Sweep now and every hour until `stop` is set, in the calling thread; a failing sweep is logged and tried again."""
        while not stop.is_set():
            try:
                asyncio.run(self.sweep())
            except Exception:
                stop.wait(LAST_MOMENT)
                if not threading.main_thread().is_alive():
                    return  # the program is ending, and took the store's threads away: no failure of the sweep
                _log.exception("the sweep failed and will be tried again")
            stop.wait(SWEEP_SECONDS)
