"""Reading: query, get, list, history, sessions, trace, explain, health. Packing for the next model call is in contexts.py."""

from __future__ import annotations

import msgspec

from beebread import policy
from beebread.errors import Invalid, NotFound, shown
from beebread.model import (
    FAMILIES,
    Event,
    Link,
    Memory,
    Principal,
    Query,
    Recall,
    Record,
    Session,
    Trace,
    Where,
    blob_refs,
    encode_cursor,
    join_sessions,
    sort_key,
)
from beebread.retrieval import Explanation
from beebread.service.requests import (
    MAX_LIMIT,
    Body,
    Explain,
    Get,
    Health,
    History,
    ListRequest,
    Nothing,
    Page,
    SessionPage,
    TraceRequest,
    checked,
    limited,
)
from beebread.service.rooms import Rooms, blob_home, local_time

EVERY_PART = 100_000  # records of the sessions on one page
TITLE = 60  # characters of the first request that name a session


class Reading:
    """The operations that change nothing."""

    _rooms: Rooms

    def _where(self, who: Principal, query: Query) -> Where:
        return policy.where_for(who, query, self._rooms.clock.now())

    async def query(self, who: Principal, ask: Query) -> Recall:
        """What fits `ask` best among what the asker may see, with reasons; an empty recall says why in its report."""
        checked(ask, self._rooms.rules)
        return await self._rooms.retriever.recall(ask, await self._here(who, ask), session=who.session)

    async def _here(self, who: Principal, query: Query) -> Where:
        """The filter of `query`, its present told in the zone where the user is: his days begin there."""
        where, said = self._where(who, query), list[Record]()
        if who.session and not query.tz and query.now is None:
            tail = Where(asker=who, now=where.now, types=("event",), sessions=(who.session,), order="-time")
            said = await self._rooms.store.scan(tail, 1)
        return msgspec.structs.replace(where, now=local_time(self._rooms, query, said))

    async def get(self, who: Principal, ask: Get) -> Record | None:
        """One record, whole, or None: for an unknown, a forgotten and a foreign id alike. What was superseded is there, marked."""
        found = await self._rooms.store.get([ask.id], self._where(who, Query(history=True)))
        if not found:
            return None
        record = found[0]
        if isinstance(record, Event) and record.body_ref:
            body = await self._rooms.blobs.get(blob_home(record.scope), record.body_ref)
            return msgspec.structs.replace(record, text=body.decode())
        return record

    async def body(self, who: Principal, ask: Body) -> bytes:
        """A large body of an event that the asker may see; NotFound for an unknown or foreign event, and for a body that is not its own."""
        found = await self._rooms.store.get([ask.id], self._where(who, Query(history=True)))
        event = found[0] if found else None
        if not isinstance(event, Event) or (ask.ref or event.body_ref or None) not in blob_refs(event):
            raise NotFound(f"there is no such body of {shown(ask.id)}", ids=(ask.id,))
        return await self._rooms.blobs.get(blob_home(event.scope), ask.ref or event.body_ref)

    async def list(self, who: Principal, ask: ListRequest) -> Page:
        """Records that answer the query's filters, a page at a time, newest first unless asked otherwise."""
        limit = limited(ask.limit)
        where = self._where(who, checked(ask.query, self._rooms.rules))
        types = where.types or ("memory",)
        where = msgspec.structs.replace(where, order=ask.order, types=types)
        found = await self._rooms.store.scan(where, limit + 1, ask.cursor)
        items = tuple(found[:limit])
        return Page(items=items, cursor=encode_cursor(items[-1]) if len(found) > limit else "")

    async def history(self, who: Principal, ask: Get) -> History:
        """A memory's versions and those of its slot, newest first; empty for an unknown or foreign one."""
        where = self._where(who, Query(history=True, types=("memory",)))
        found = [record for record in await self._rooms.store.get([ask.id], where) if isinstance(record, Memory)]
        if not found:
            return History()
        memory = found[0]
        names = [memory.id, *(f"{memory.id}@{version}" for version in range(1, memory.version))]
        versions: dict[str, Record] = {record.id: record for record in await self._rooms.store.get(names, where)}
        if memory.key:
            slot = msgspec.structs.replace(where, keys=(memory.key,))
            versions.update({record.id: record for record in await self._rooms.store.scan(slot, MAX_LIMIT)})
        listed = [record for record in versions.values() if isinstance(record, Memory)]
        listed.sort(key=lambda version: (version.at, version.version, version.position), reverse=True)
        return History(items=tuple(listed))

    async def sessions(self, who: Principal, ask: ListRequest) -> SessionPage:
        """Sessions with their counts, latest begun first; only what the asker may see of each is counted."""
        limit = limited(ask.limit)
        where = msgspec.structs.replace(self._where(who, ask.query), types=("session",), kinds=(), order=ask.order)
        found = await self._rooms.store.scan(where, limit + 1, ask.cursor)
        page = found[:limit]
        # Its compartments may lie on several pages; a session is told whole, where the first of them lies.
        names = tuple(dict.fromkeys(record.scope.session for record in page))
        parts = await self._rooms.store.scan(msgspec.structs.replace(where, sessions=names), EVERY_PART) if names else []
        joined: dict[str, Session] = {}
        first: set[str] = set()
        for record in parts:
            assert isinstance(record, Session)
            name = record.scope.session
            if name not in joined:
                first.add(record.id)
            joined[name] = join_sessions(joined[name], record) if name in joined else record
        here = [record.scope.session for record in page if record.id in first]
        items = [msgspec.structs.replace(joined[name], title=await self._title(where, name)) for name in here]
        return SessionPage(items=tuple(items), cursor=encode_cursor(found[limit - 1]) if len(found) > limit else "")

    async def _title(self, where: Where, session: str) -> str:
        # Read afresh, so that a forgotten request does not live on as a title.
        first = msgspec.structs.replace(where, types=("event",), kinds=("user_message",), sessions=(session,), order="time")
        found = await self._rooms.store.scan(first, 1)
        text = " ".join(found[0].text.split()) if found and isinstance(found[0], Event) else ""
        return text[: TITLE - 1] + "…" if len(text) > TITLE else text

    async def trace(self, who: Principal, ask: TraceRequest) -> Trace:
        """The causal graph of a session in order, or the chain around one event; empty for an unknown or foreign one."""
        store, where = self._rooms.store, self._where(who, Query(types=("event",), history=True))
        if not ask.session and not ask.id:
            raise Invalid("trace needs a session or an id: trace(session=…) or bind(session=…)")
        if ask.id:
            up = await store.walk([ask.id], "up", ask.depth, where)
            down = await store.walk([ask.id], "down", ask.depth, where)
            names = dict.fromkeys([ask.id, *(name for link in (*up, *down) for name in (link.source, link.target))])
            events = await store.get(list(names), where)
            return Trace(events=tuple(sorted(events, key=sort_key)), links=tuple(_unique([*up, *down])))
        where = msgspec.structs.replace(where, sessions=(ask.session,))
        events = await store.scan(where, limited(ask.limit, 100_000))
        ids = [event.id for event in events]
        walked = await store.walk(ids, "up", 1, where, FAMILIES) if ids else []
        return Trace(events=tuple(events), links=tuple(_unique(walked)))

    async def explain(self, who: Principal, ask: Explain) -> Explanation:
        """Why `ask.expect` was found by the query, or was not; a forbidden record reads like an unknown one, but for an administrator."""
        checked(ask.query, self._rooms.rules)
        return await self._rooms.retriever.explain(ask.query, await self._here(who, ask.query), ask.expect, session=who.session)

    async def health(self, who: Principal, _ask: Nothing) -> Health:
        """Whether the store answers, where the data lives, and what the asker keeps."""
        counts = await self._rooms.store.count(self._where(who, Query(history=True)), "type")
        meaning, waiting, refused = await self._rooms.meaning()
        return Health(
            ok=True, home=str(self._rooms.settings.folder), store=self._rooms.where, counts=counts, meaning=meaning, waiting=waiting,
            refused=refused,
        )  # fmt: skip


def _unique(links: list[Link]) -> list[Link]:
    kept = {(link.source, link.family, link.target, link.relation): link for link in links}
    return list(kept.values())
