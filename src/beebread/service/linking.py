"""Edges that nobody gave: what a new event mentions or takes its arguments from is looked for among its session's earlier ones."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from msgspec import Struct

from beebread import policy
from beebread.capture import Values
from beebread.clock import Clock
from beebread.model import Event, Scope, Where, decode_cursor, encode_cursor, sort_key
from beebread.ports import Store

EARLIER = 200  # events of a session among which sources are looked for
SESSIONS = 64  # sessions whose values are remembered between two appends


class _Known(Struct):
    """The values of one session's earlier events, and the place of the newest of them."""

    values: Values
    since: int  # how often something had been forgotten when they were read
    newest: str = ""


class Linking:
    """Links events to earlier ones of their own session and compartment, so that an edge never tells of what its reader may not see.

    What is remembered of a session is taken out while it is used: appends at the same time each have their own.
    """

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._kept: OrderedDict[Scope, _Known] = OrderedDict()
        self._forgettings = 0

    async def linked(self, events: Sequence[Event]) -> tuple[list[Event], dict[Scope, _Known]]:
        """`events` with their edges, and what is to be `remembered` once they are durable."""
        used: dict[Scope, _Known] = {}
        done: list[Event] = []
        new = {event.id for event in events}
        for event in events:
            scope = event.scope
            if not scope.session:
                done.append(event)
                continue
            if scope not in used:
                used[scope] = await self._known(scope, new)
            done.append(used[scope].values.linked(event))
        for scope, known in used.items():
            latest = max((event for event in done if event.scope == scope), key=sort_key)
            known.newest = max(known.newest, encode_cursor(latest), key=_place)
        return done, used

    def remember(self, used: dict[Scope, _Known]) -> None:
        """Keep what `linked` gave for the sessions' next events."""
        self._kept.update({scope: known for scope, known in used.items() if known.since == self._forgettings})
        while len(self._kept) > SESSIONS:
            self._kept.popitem(last=False)

    def forget(self) -> None:
        """Drop all that is remembered: something was forgotten, and its values are not to be found again."""
        self._forgettings += 1
        self._kept.clear()

    async def _known(self, scope: Scope, new: set[str]) -> _Known:
        where = Where(asker=policy.writer_of(scope), now=self._clock.now(), types=("event",), sessions=(scope.session,), order="-time")
        known = self._kept.pop(scope, None)
        if known is None:
            known = _Known(Values(), self._forgettings)
            found = (await self._store.scan(where, EARLIER))[::-1]
        else:
            # Another process may have written to the session since.
            found = await self._store.scan(_forward(where), EARLIER, known.newest)
        for record in found:
            if isinstance(record, Event) and record.id not in new:
                known.values.add(record)
        if found:
            known.newest = max(known.newest, encode_cursor(found[-1]), key=_place)
        return known


def _forward(where: Where) -> Where:
    return Where(asker=where.asker, now=where.now, types=where.types, sessions=where.sessions, order="time")


def _place(cursor: str) -> tuple[int, int, str, str]:
    return decode_cursor(cursor) if cursor else (-(1 << 62), 0, "", "")
