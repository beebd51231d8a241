"""A store that can be sent away: the reference engine behind a door that a test opens and shuts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime

from msgspec import Struct

from beebread.backends.reference import ReferenceStore
from beebread.errors import Unavailable
from beebread.model import Alias, Batch, Event, Link, Principal, Scope, Where, owner

HOME = Scope(tenant="acme", user="u1", session="s1")
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINE = Where(asker=Principal(tenant="acme", user="u1", clearance=3), now=NOON, types=("event",))


class Kept(Struct, frozen=True):
    """What a shelf says of what it was given."""

    created: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    buried: tuple[str, ...] = ()
    rejected: dict[str, str] = {}


class Shelf:
    """Keeps events in the reference engine.

    `door` shut: it waits. `failure` set: it raises that, before or (`late`) after keeping. `keeping`: the ids that are kept, None for all.
    """

    def __init__(self) -> None:
        self.store = ReferenceStore()
        self.door = threading.Event()
        self.door.set()
        self.failure: Callable[[tuple[Event, ...]], Exception | None] | None = None
        self.late = False
        self.keeping: set[str] | None = None
        self.batches: list[tuple[Event, ...]] = []

    async def send(self, events: tuple[Event, ...], aliases: dict[str, str]) -> Kept:
        self.door.wait()
        failure = self.failure(events) if self.failure else None
        if failure and not self.late:
            raise failure
        self.batches.append(events)
        if self.keeping is not None:
            events = tuple(event for event in events if event.id in self.keeping)
        homes = {event.id: owner(event.scope) for event in events}
        names = tuple(Alias(homes[kept], alias, kept) for alias, kept in aliases.items())
        applied = await self.store.apply(Batch(put=events, aliases=names))
        if failure:
            raise failure
        return Kept(created=applied.created, seen=applied.seen, buried=applied.buried)

    def away(self) -> None:
        """From now on the store is not there."""
        self.failure = lambda _: Unavailable("the store is away")

    def back(self) -> None:
        """It is there again."""
        self.failure = None

    @property
    def events(self) -> list[Event]:
        """All that is kept, in order."""
        return sorted(
            (record for record in self.store.data.records.values() if isinstance(record, Event)), key=lambda one: (one.at, one.seq)
        )

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events]

    def event(self, name: str) -> Event:
        """The event called `name`, by id or alias."""
        found = self.store.data.records[self.store.data.resolve(owner(HOME), name) or ("", "")]
        assert isinstance(found, Event)
        return found

    async def up(self, name: str) -> list[Link]:
        """The links up from an event, by their engine."""
        return await self.store.walk([name], "up", 20, MINE, ("CAUSED_BY", "DATA_FROM", "REFERS_TO"))


def soon(fact: Callable[[], object], seconds: float = 10) -> None:
    """Wait until `fact` holds."""
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.005)
