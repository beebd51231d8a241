"""A small world of its own for one check: a tenant nobody else has, people, records, and plain words for what went wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec

from beebread.errors import BeebreadError
from beebread.model import (
    CURRENT,
    Applied,
    Batch,
    Event,
    Field,
    Hit,
    Memory,
    Principal,
    Record,
    Scope,
    State,
    Where,
    encode_cursor,
    new_id,
    owner,
)
from beebread.ports import Probe, Store
from beebread.text import exact_terms, query_terms

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
EVERY_STATUS = (*CURRENT, "superseded", "expired", "pending", "forgotten")
STATE_BYTES = 256 * 1024

Check = Callable[[Store], Coroutine[Any, Any, None]]
T = TypeVar("T")
Placed = TypeVar("Placed", Event, Memory, Record)
R = TypeVar("R", bound=msgspec.Struct)


def fail(what: str) -> None:
    """Say what rule the engine broke."""
    raise AssertionError(what)


def same(found: object, wanted: object, what: str) -> None:
    """Fail unless both are equal."""
    if found != wanted:
        fail(f"{what}: found {found!r}, wanted {wanted!r}")


def holds(condition: object, what: str) -> None:
    """Fail unless `condition` is true."""
    if not condition:
        fail(what)


def only(found: Sequence[T], what: str) -> T:
    """The one thing of `found`."""
    if len(found) != 1:
        fail(f"{what}: found {len(found)}, wanted one")
    return found[0]


async def refused(doing: Awaitable[object], error: type[BeebreadError], what: str) -> BeebreadError:
    """The error of `error` that `doing` must raise."""
    try:
        await doing
    except error as raised:
        return raised
    except BeebreadError as raised:
        raise AssertionError(f"{what}: {type(raised).__name__} instead of {error.__name__}: {raised}") from raised
    raise AssertionError(f"{what}: accepted, though it must raise {error.__name__}")


def unplaced(record: Placed) -> Placed:
    """`record` without its place in the log, which is the engine's own."""
    return msgspec.structs.replace(record, position=0)


def changed(record: R, **fields: Any) -> R:
    """`record`, or any other of the model's structs, with other fields."""
    return msgspec.structs.replace(record, **fields)


def names(records: Iterable[Record | Hit]) -> list[str]:
    """Their ids, in order."""
    return [record.id for record in records]


def minutes(number: float) -> datetime:
    """A moment so many minutes after the start of every scene."""
    return START + timedelta(minutes=number)


class Scene:
    """One check's world inside `store`. Users are made by naming them; `ann` is whoever nothing else is said of."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.tenant = f"scene-{new_id()}"
        self.made = 0

    def who(self, user: str = "ann", **fields: Any) -> Principal:
        """Someone who asks."""
        given: dict[str, Any] = {"tenant": self.tenant, "user": user, **fields}
        return Principal(**given)

    def scope(self, user: str = "ann", **fields: Any) -> Scope:
        """A place to live in."""
        given: dict[str, Any] = {"tenant": self.tenant, "user": user, **fields}
        return Scope(**given)

    def owner(self, user: str = "ann", **fields: Any) -> str:
        """The owner of such a place."""
        return owner(self.scope(user, **fields))

    def where(self, who: Principal | None = None, **fields: Any) -> Where:
        """A filter asked a day after the start, of events and memories unless `types` says otherwise."""
        given: dict[str, Any] = {"asker": who or self.who(), "now": minutes(24 * 60), "types": ("event", "memory"), **fields}
        return Where(**given)

    def event(self, name: str, text: str = "", **fields: Any) -> Event:
        """An event, a minute after the one made before."""
        self.made += 1
        given: dict[str, Any] = {"scope": self.scope(), "kind": "user_message", "at": minutes(self.made), "text": text, **fields}
        return Event(id=name, **given)

    def memory(self, name: str, text: str = "", **fields: Any) -> Memory:
        """A memory, a minute after the one made before."""
        self.made += 1
        given: dict[str, Any] = {"scope": self.scope(), "kind": "fact", "at": minutes(self.made), "text": text, **fields}
        return Memory(id=name, **given)

    def state(self, key: str, fields: dict[str, Any] | None = None, **others: Any) -> State:
        """A state of a task, its fields given by value."""
        self.made += 1
        values = {name: Field(value) for name, value in (fields or {}).items()}
        given: dict[str, Any] = {"scope": self.scope(), "fields": values, "updated_at": minutes(self.made), **others}
        return State(key=key, **given)

    async def put(self, *records: Record, **others: Any) -> Applied:
        """One batch that keeps `records`."""
        return await self.store.apply(Batch(put=records, **others))

    async def replace(self, *records: Record) -> Applied:
        """One batch that replaces `records`."""
        return await self.store.apply(Batch(replace=records))

    async def got(self, *ids: str, who: Principal | None = None, **fields: Any) -> list[str]:
        """Which of `ids` are found."""
        return names(await self.store.get(ids, self.where(who, **fields)))

    async def one(self, name: str, who: Principal | None = None, **fields: Any) -> Record:
        """The one record called `name`, in any status."""
        found = await self.store.get([name], self.where(who, **{"types": (), "status": EVERY_STATUS, **fields}))
        return only(found, f"records called {name!r}")

    async def all(self, who: Principal | None = None, **fields: Any) -> list[str]:
        """The ids that a scan gives."""
        return names(await self.store.scan(self.where(who, **fields), 1000))

    async def pages(self, where: Where, size: int) -> list[Record]:
        """A scan read page by page."""
        found: list[Record] = []
        after = ""
        while True:
            page = await self.store.scan(where, size, after)
            if len(page) > size:
                fail(f"a scan of {size} gave {len(page)}")
            found += page
            if len(page) < size:
                return found
            if len(found) > 1000:
                fail("paging does not come to an end")
            after = encode_cursor(page[-1])

    async def words(self, text: str, who: Principal | None = None, limit: int = 1000, **fields: Any) -> list[Hit]:
        """What the keyword channel finds for `text`."""
        probe = Probe(channel="keyword", where=self.where(who, **fields), limit=limit, terms=tuple(query_terms(text)))
        return await self.store.search(probe)

    async def exact(self, *keys: str, text: str = "", who: Principal | None = None, **fields: Any) -> list[Hit]:
        """What the exact channel finds for `keys` and the entities of `text`."""
        probe = Probe(channel="exact", where=self.where(who, **fields), limit=1000, terms=tuple(exact_terms(text, keys)))
        return await self.store.search(probe)
