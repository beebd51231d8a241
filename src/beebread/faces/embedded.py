"""One opened memory of this process, shared by every client bound from it: its plugs, its recorder, its background worker."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from beebread import wiring
from beebread.capture import MessageLedger, Recorder, Spill
from beebread.clock import Clock
from beebread.errors import Invalid
from beebread.faces.importing import Import, Imported, Progress, import_
from beebread.model import Principal, Scope
from beebread.models import Embed
from beebread.ports import Redact
from beebread.service import Service
from beebread.settings import Settings, load

LEDGERS = 256  # sessions whose re-sent history is remembered; ids made from content cover those that were let go


class Home:
    """An opened memory. `service` holds its operations, `recorder` its capture."""

    def __init__(self, plugs: wiring.Plugs, on_pressure: Callable[[float], None] | None = None) -> None:
        self.settings: Settings = plugs.settings
        self.service: Service = plugs.service
        self.where = str(plugs.settings.folder)
        self.who = Principal(roles=("admin", "self"), clearance=3)  # embedded, who opens a folder is its administrator
        self._plugs = plugs
        self.recorder = Recorder(
            plugs.service.keep,
            settings=plugs.settings,
            clock=plugs.clock,
            redact=plugs.redact,
            spill=Spill(plugs.settings.folder / "spill"),
            on_pressure=on_pressure,
        )
        self.ledger = lru_cache(LEDGERS)(_ledger)
        self._stop = threading.Event()
        self._ending = threading.Lock()
        self._sweeper = threading.Thread(target=plugs.worker.run, args=(self._stop,), name="beebread-worker", daemon=True)
        self._sweeper.start()

    @classmethod
    def open(
        cls,
        home: str | Path | None,
        *,
        store: str | None = None,
        embedder: str | Embed | None = None,
        clock: Clock | None = None,
        redact: Redact | None = None,
        on_pressure: Callable[[float], None] | None = None,
        **settings: object,
    ) -> Home:
        """Open the folder (created on first use); Invalid for unknown settings or plugs, Unavailable where the data cannot be opened."""
        if isinstance(home, str) and "://" in home:
            raise Invalid(f"{home} is no folder: give it as store=")
        named = embedder if isinstance(embedder, str) else None
        function = None if isinstance(embedder, str) else embedder
        wanted = load(home=None if home is None else str(home), store=store, embedder=named, **settings)
        return cls(wiring.open_memory(wanted, clock=clock, redact=redact, embedder=function), on_pressure)

    async def settle(self, progress: Progress | None = None) -> None:
        """Return when what was kept has its vectors. Raises ModelMismatch when another model made those that are searched."""
        await wiring.settle(self._plugs.worker.embedding, None, progress)

    async def reembed(self, progress: Progress | None = None) -> bool:
        """Move the vectors to this memory's embedder; whether there was a change. Raises Invalid where there is none."""
        embedding = self._plugs.worker.embedding
        if embedding is None:
            raise Invalid(self._plugs.meaningless or "this memory has no embedder: set one, for instance embedder='builtin://'")
        return await embedding.move(progress)

    async def import_(self, who: Principal, path: Path, ask: Import, progress: Progress | None) -> Imported:
        """See `importing.import_`."""
        return await import_(self.service, who, path, ask, progress)

    def close(self) -> None:
        """Make what was recorded durable, stop the worker and let go of the folder; again does nothing."""
        with self._ending:
            if self._stop.is_set():
                return
            try:
                self.recorder.close()
            finally:
                self._stop.set()
                self._sweeper.join()
                wiring.in_thread(self._plugs.close())


def _ledger(scope: Scope) -> MessageLedger:
    return MessageLedger(scope.session)
