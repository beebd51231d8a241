"""Following the log: what changed, page by page, and waiting until what is made of it has caught up."""

from __future__ import annotations

from msgspec import Struct

from beebread import policy
from beebread.errors import Invalid
from beebread.model import Event, Memory, Principal, Record, Session
from beebread.service.requests import limited
from beebread.service.rooms import Rooms

SLICE = 500  # changes of the log that are looked at at once
MOST = 20  # slices for one page: what others wrote is passed over, and the cursor moves on


class Changes(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What changed after `cursor`; '' begins with the first change there is."""

    cursor: str = ""
    limit: int = 100


class Change(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """That a record was kept or changed, at this position of the log; `gone` when it was forgotten."""

    position: int
    id: str
    type: str
    kind: str
    gone: bool = False


class ChangePage(Struct, frozen=True, kw_only=True):
    """Changes in the order of the log, and where the next page begins. A record that changed again is told where it changed last.

    What was purged or erased is told no more: who keeps copies of what he followed asks more often than that happens, or reads anew.
    `more` says that there is more by now.
    """

    items: tuple[Change, ...] = ()
    cursor: str = ""
    more: bool = False


class Settle(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Wait until what is made of the records has caught up, for at most `timeout` seconds."""

    timeout: float = 60.0


class Settled(Struct, frozen=True, kw_only=True):
    """How many changes still wait, and how many records lack vectors for good, since the model refused their texts."""

    waiting: int = 0
    refused: int = 0


class Following:
    """The operations on the log as a whole."""

    _rooms: Rooms

    async def changes(self, who: Principal, ask: Changes) -> ChangePage:
        """What the asker may see of what changed, in the order of the log. Invalid for a cursor that this did not give."""
        at, limit = _position(ask.cursor), limited(ask.limit)
        found: list[Change] = []
        for _ in range(MOST):
            slice_ = await self._rooms.store.tail(at, SLICE)
            for position, record in slice_:
                at = position
                if policy.follows(who, record):
                    found.append(_change(position, record))
                    if len(found) == limit:
                        return ChangePage(items=tuple(found), cursor=str(at), more=at < await self._rooms.store.position())
            if len(slice_) < SLICE:
                return ChangePage(items=tuple(found), cursor=str(at))
        return ChangePage(items=tuple(found), cursor=str(at), more=True)

    async def position(self) -> int:
        """Where the log stands: it moves with every record that is kept, changed or forgotten."""
        return await self._rooms.store.position()

    async def settle(self, who: Principal, ask: Settle) -> Settled:  # noqa: ARG002 - whoever may ask may wait
        """Return when vectors and memories made of what was kept have caught up, or the time is over.

        Raises Unavailable when the model is away, ModelMismatch when another model made the vectors that are searched.
        """
        if not 0 < ask.timeout <= 3600:
            raise Invalid("timeout is out of range: use up to 3600 seconds")
        waiting, refused = await self._rooms.settle(ask.timeout)
        return Settled(waiting=waiting, refused=refused)


def _position(cursor: str) -> int:
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise Invalid("this is no cursor of changes: give back the one that a page came with, or none")
    return int(cursor or 0)


def _change(position: int, record: Record) -> Change:
    kinds = {Event: "event", Memory: "memory", Session: "session"}
    gone = isinstance(record, (Event, Memory)) and record.forgotten_at is not None
    return Change(position=position, id=record.id, type=kinds[type(record)], kind=record.kind, gone=gone)
