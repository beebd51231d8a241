"""The background loops: what is due by the contract is purged, by one process at a time, and what was kept is embedded as it comes."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import suppress

from beebread.clock import Clock, micros
from beebread.errors import BeebreadError, Conflict
from beebread.model import Batch, Mark, Principal
from beebread.ports import Store
from beebread.service import Purge, Service
from beebread.worker.embedding import Embedding

SWEEP = "sweep"
SWEEP_SECONDS = 3600.0
RETRY_SECONDS = 60.0  # after a sweep that failed
FOLLOW_SECONDS = 1.0  # between two looks at the log, and before the first: a program that only asks ends sooner
LAST_MOMENT = 0.5
_log = logging.getLogger("beebread.worker")


class Worker:
    """Owns every background loop of one memory. Several may run, in any number of processes."""

    def __init__(self, service: Service, store: Store, clock: Clock, embedding: Embedding | None = None) -> None:
        self.embedding = embedding
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
        try:
            return (await self._service.purge(self._who, Purge(now=False))).records
        except BaseException:
            with suppress(BeebreadError):  # give the hour back, so that whoever is able to does the work
                await self._store.apply(Batch(marks=(Mark(SWEEP, last, expect=now),)))
            raise

    def run(self, stop: threading.Event) -> None:
        """Sweep every hour and follow the log until `stop` is set, in the calling thread; what fails is logged once and tried again."""
        failed: dict[str, bool] = {"sweep": False, "embedding": False}
        due = time.monotonic()
        with asyncio.Runner() as runner:  # one loop, to which a model's connections belong
            while not stop.is_set():
                if time.monotonic() >= due:
                    self._try("sweep", runner, failed, stop)
                    due = time.monotonic() + (RETRY_SECONDS if failed["sweep"] else SWEEP_SECONDS)
                if stop.wait(FOLLOW_SECONDS if self.embedding is not None else max(0.0, due - time.monotonic())):
                    return
                if self.embedding is not None:
                    self._try("embedding", runner, failed, stop)

    def _try(self, name: str, runner: asyncio.Runner, failed: dict[str, bool], stop: threading.Event) -> None:
        try:
            runner.run(self._work(name, stop))
            failed[name] = False
        except Exception:
            stop.wait(LAST_MOMENT)
            if not threading.main_thread().is_alive():
                stop.set()  # the program is ending, and took the store's threads away: no failure of the work
            elif not failed[name]:
                failed[name] = True
                _log.exception("the %s failed and will be tried again", name)

    async def _work(self, name: str, stop: threading.Event) -> None:
        if name == "sweep":
            await self.sweep()
        elif self.embedding is not None:
            following = asyncio.ensure_future(self.embedding.catch_up(stop=stop))
            while not following.done():
                await asyncio.wait({following}, timeout=LAST_MOMENT)
                if stop.is_set():
                    following.cancel()  # a model that does not answer must not keep a program from ending
            if not following.cancelled():
                following.result()
