"""What a service works with: the plugs and rules that wiring hands in, and nothing global."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from beebread import policy
from beebread.clock import Clock, parse_zone
from beebread.model import EVERY_STATUS, AuditLine, Event, Principal, Query, Record, Rules, Scope, Where, blob_refs, owner
from beebread.ports import Blobs, Probe, Redact, Store
from beebread.retrieval import Retriever
from beebread.settings import Settings

RETRIES = 16  # of a write that lost a race for its slot or version


Settle = Callable[[float], Awaitable[tuple[int, int]]]


Meaning = Callable[[], Awaitable[tuple[str, int, int]]]


async def _no_meaning() -> tuple[str, int, int]:
    return "", 0, 0


async def _nothing_to_settle(_: float) -> tuple[int, int]:
    return 0, 0


@dataclass(frozen=True, slots=True)
class Rooms:
    """The rooms of one memory; `redact` None keeps text as it is."""

    store: Store
    blobs: Blobs
    retriever: Retriever
    settings: Settings
    rules: Rules
    clock: Clock
    redact: Redact | None = None
    where: str = ""  # where the data lives, for people
    settle: Settle = _nothing_to_settle  # waits, so many seconds at most; changes without vectors, and records that have none for good
    meaning: Meaning = _no_meaning  # the space that is searched by meaning, or why there is none, and the same two


def local_time(rooms: Rooms, query: Query, said: Sequence[Record]) -> datetime:
    """The present where the user is: in his zone, else with the offset of `now`, else with that of the last of `said` that has one."""
    now = query.now or rooms.clock.now()
    if query.tz:
        return now.astimezone(parse_zone(query.tz))
    if query.now is not None:
        return now
    offset = next((record.at.tzinfo for record in reversed(said) if record.at.utcoffset()), None)
    return now.astimezone(offset or parse_zone(rooms.settings.tz))


def audit_line(who: Principal, operation: str, at: datetime, home: str, ids: tuple[str, ...], reason: str = "") -> AuditLine:
    """The diary's line for what `who` did to the records `ids` of owner `home`."""
    return AuditLine(
        at=at,
        operation=operation,
        owner=home,
        tenant=who.tenant,
        user=who.user,
        agent=who.agent,
        session=who.session,
        ids=ids,
        reason=reason,
    )


def blob_home(scope: Scope) -> str:
    """Under which owner the bodies of `scope` are kept: a closed session's apart, since nobody else may tell whether they are used."""
    return f"{owner(scope)}/{scope.session}" if scope.space == "session" else owner(scope)


async def drop_blobs(rooms: Rooms, events: Sequence[Event]) -> None:
    """Remove the bodies of `events`, which go or were never kept, unless another event rests on the same one: they are kept by content."""
    going = {(owner(event.scope), event.id) for event in events}
    for event in events:
        where = Where(asker=policy.keeper_of(event.scope), now=rooms.clock.now(), status=EVERY_STATUS)
        for ref in blob_refs(event):
            found = await rooms.store.search(Probe(channel="exact", where=where, limit=len(going) + 1, terms=(f"@~{ref}",)))
            if all((hit.owner, hit.id) in going for hit in found):
                await rooms.blobs.delete(blob_home(event.scope), ref)
