"""A memory on a server, as if it were opened here: the same operations, the same recorder, the same import."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Awaitable, Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, cast

import msgspec

from beebread.capture import MessageLedger, Recorder, Spill
from beebread.clock import Clock, SystemClock
from beebread.errors import Invalid
from beebread.faces.embedded import LEDGERS
from beebread.faces.importing import Import, Imported, Progress, import_
from beebread.faces.wire import Wire
from beebread.model import Event, Principal, Scope
from beebread.operations import OPERATIONS
from beebread.ports import Redact
from beebread.service import Append, Appended, Nothing, Service, Settle, Settled
from beebread.settings import Settings, load

WAIT = 30.0  # seconds that one request waits for the vectors; settle asks again
TIMEOUT = 75.0  # of one request


class RemoteService:
    """Every operation of the table, as a method of its name."""

    def __init__(self, wire: Wire) -> None:
        for name in OPERATIONS:
            setattr(self, name, partial(self._call, wire, name))
        self._wire = wire

    async def _call(self, wire: Wire, name: str, who: Principal, ask: msgspec.Struct, count: object = None) -> Any:
        if count is not None:
            raise Invalid("a server counts tokens itself: leave tokens= out, or open the memory's folder")
        return await wire.call(name, who, ask)


class Remote:
    """A memory over HTTP, shared by every client bound from it; see `embedded.Home` for what its members are."""

    def __init__(
        self, wire: Wire, settings: Settings, clock: Clock, redact: Redact | None, on_pressure: Callable[[float], None] | None
    ) -> None:
        self.settings = settings
        self.where = wire.url
        self.service = cast("Service", RemoteService(wire))
        self._wire = wire
        self.who = Principal(roles=("admin", "self"), clearance=3)
        place = hashlib.blake2b(wire.url.encode(), digest_size=8).hexdigest()
        self.recorder = Recorder(
            self._keep, settings=settings, clock=clock, redact=redact, spill=Spill(settings.folder / "remote" / place / "spill"),
            on_pressure=on_pressure,
        )  # fmt: skip
        self.ledger = lru_cache(LEDGERS)(_ledger)
        self._ending = threading.Lock()
        self._closed = False

    @classmethod
    def open(
        cls, url: str, *, token: str = "", clock: Clock | None = None, redact: Redact | None = None,
        on_pressure: Callable[[float], None] | None = None, **settings: object,
    ) -> Remote:  # fmt: skip
        """Open the memory that is served at `url`; the token's principal is who asks. Raises Forbidden for a token that is not valid,
        Unavailable where no server answers."""
        remote = cls(Wire(url, token, TIMEOUT), load(**settings), clock or SystemClock(), redact, on_pressure)
        try:
            remote.who = _now(remote.service.whoami(Principal(clearance=3), Nothing()))
        except BaseException:
            remote.close()
            raise
        return remote

    async def _keep(self, events: tuple[Event, ...], aliases: dict[str, str]) -> Appended:
        return await self.service.append(Principal(clearance=3), Append(events=events, aliases=aliases))

    async def settle(self, progress: Progress | None = None) -> None:
        """Return when what was kept has its vectors."""
        most = 0
        while True:
            state: Settled = await self.service.settle(Principal(clearance=3), Settle(timeout=WAIT))
            most = max(most, state.waiting)
            if progress is not None and most:
                progress(most - state.waiting, most)
            if not state.waiting:
                return

    async def reembed(self, progress: Progress | None = None) -> bool:  # noqa: ARG002 - as of a memory that is opened here
        """Nothing that a client can have done."""
        raise Invalid("vectors are made anew where the memory is: run `beebread reembed` there")

    async def import_(self, who: Principal, path: Path, ask: Import, progress: Progress | None) -> Imported:
        """See `importing.import_`."""
        return await import_(self.service, who, path, ask, progress)

    def close(self) -> None:
        """Send what was recorded, and let go of the connections; again does nothing."""
        with self._ending:
            if self._closed:
                return
            self._closed = True
            try:
                self.recorder.close()
            finally:
                _now(self._wire.close())


def _ledger(scope: Scope) -> MessageLedger:
    return MessageLedger(scope.session)


def _now(work: Awaitable[Any]) -> Any:
    """What `work` gives, for who is in no event loop or may not wait in the one he is in."""
    found: list[Any] = []

    def run() -> None:
        async def whole() -> None:
            found.append(await work)

        try:
            asyncio.run(whole())
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run, name="beebread-remote")
    thread.start()
    thread.join()
    if isinstance(found[0], BaseException):
        raise found[0]
    return found[0]
