"""Writing: append events, write and update memories."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from beebread import capture, policy
from beebread.clock import parse_time
from beebread.consolidation import reconcile
from beebread.errors import Conflict, Invalid, NotFound, shown
from beebread.model import (
    CURRENT,
    EVERY_STATUS,
    HISTORY,
    LAYERS,
    MAX_DEPTH,
    MEMORY_SYNONYMS,
    TRUSTS,
    Actor,
    Alias,
    Applied,
    Batch,
    Event,
    Expect,
    Memory,
    Principal,
    Record,
    Session,
    Where,
    canonical,
    is_finite,
    is_shallow,
    new_id,
    owner,
    same_memory,
)
from beebread.service.linking import Linking
from beebread.service.requests import Append, Appended, Update, Write, Written
from beebread.service.rooms import RETRIES, Rooms, audit_line, blob_home, drop_blobs
from beebread.text import clean

_VERSION = re.compile(r"@\d+$")  # how the id of a memory's earlier version ends
_SESSION = re.compile(r"session-[0-9a-f]{32}")  # the id of a session's own record


class Writing:
    """The operations that change events and memories; each is one batch."""

    _rooms: Rooms
    _linking: Linking

    async def append(self, who: Principal, ask: Append) -> Appended:
        """Keep events; what cannot be kept (bad, or another thing under the same id) is set aside with its reason, the rest is durable.

        The event log is its own diary: appends make no audit line.
        """
        for event in ask.events:
            policy.may_write(who, event.scope)
        return await self.keep(ask.events, ask.aliases)

    async def keep(self, given: Iterable[Event], aliases: Mapping[str, str]) -> Appended:
        """`append` for events that were authorised when they were recorded, of whichever users; for this process's own recorder."""
        rejected: dict[str, str] = {}
        events: list[Event] = []
        for event in given:
            try:
                events.append(await self._prepared(event))
            except Invalid as error:
                rejected[event.id] = str(error)
        events, session_values = await self._linking.linked(events)
        prepared, applied = events, Applied(0)
        while events:
            put, closed = await self._corrected(events)
            try:
                applied = await self._rooms.store.apply(Batch(put=put, replace=closed, aliases=tuple(_aliases(events, aliases))))
            except (Conflict, Invalid) as error:
                refused = set(error.ids) & {event.id for event in events}
                if not refused:
                    raise
                rejected.update(dict.fromkeys(refused, str(error)))
                events = [event for event in events if event.id not in refused]
            else:
                self._linking.remember(session_values)
                break
        unkept = {*applied.buried, *rejected}
        await drop_blobs(self._rooms, [event for event in prepared if event.id in unkept])
        return Appended(created=applied.created, seen=applied.seen, buried=applied.buried, rejected=rejected)

    async def _corrected(self, events: list[Event]) -> tuple[tuple[Event, ...], tuple[Event, ...]]:
        """`events`, and the kept ones that some of them supersede; both with the superseded closed (mission S4)."""
        newer = {(owner(event.scope), cause.id): event for event in events for cause in event.causes if cause.relation == "supersedes"}
        if not newer:
            return tuple(events), ()
        now = self._rooms.clock.now()

        def closed(old: Event) -> Event:
            new = newer.get((owner(old.scope), old.id))
            if new is None or old.superseded_by or not policy.visible(policy.writer_of(new.scope), old):
                return old
            return msgspec.structs.replace(old, superseded_by=new.id, closed_at=now)

        kept: dict[tuple[str, str], Event] = {}
        for (home, name), new in newer.items():
            where = Where(asker=policy.writer_of(new.scope), now=now, types=("event",), status=HISTORY)
            for old in await self._rooms.store.get([name], where):
                if isinstance(old, Event) and (owner(old.scope), old.id) == (home, name) and closed(old) is not old:
                    kept[home, name] = closed(old)
        return tuple(map(closed, events)), tuple(kept.values())

    async def _prepared(self, event: Event) -> Event:
        rooms = self._rooms
        policy.check_kind(event, rooms.rules)
        parse_time(event.at, "at")
        if _SESSION.fullmatch(event.id):
            raise Invalid(f"{event.id!r} is the id of a session's record: choose another one", ids=(event.id,))
        event = capture.cleaned(event)
        if rooms.redact is not None:
            event = capture.redacted(event, rooms.redact)
        event = await capture.offloaded(event, rooms.settings.inline_bytes, partial(rooms.blobs.put, blob_home(event.scope)))
        return msgspec.structs.replace(event, recorded_at=rooms.clock.now(), dedup_key=event.dedup_key or f"id:{event.id}")

    async def write(self, who: Principal, ask: Write) -> Written:
        """Keep a memory; the current one of the same slot is closed in the same transaction.

        Writing the same id and text again changes nothing; other text under that id is a Conflict.
        """
        for _ in range(RETRIES):
            now = self._rooms.clock.now()
            memory = self._memory(who, ask)
            if ask.id and (kept := await self._kept(memory)):
                return kept
            memory = msgspec.structs.replace(memory, trust=await self._trust(who, memory))
            memory, closed = reconcile.reconcile(memory, await self._slot(memory), now)
            if ask.at is not None:
                closed = []  # it may have been erased, and then closes nothing; if not, the slot is settled below
            ids = (memory.id, *(old.id for old in closed))
            batch = Batch(
                put=(memory,), replace=tuple(closed), expect=tuple(Expect(owner(old.scope), old.id, old.version - 1) for old in closed),
                audit=(audit_line(who, "write", now, owner(memory.scope), ids),),
            )  # fmt: skip
            try:
                applied = await self._rooms.store.apply(batch)
            except Conflict as error:
                if memory.id in error.ids or not closed:
                    if isinstance(error.detail, (Event, Memory, Session)) and not policy.visible(who, error.detail):
                        error.detail = None  # another agent's, or beyond the clearance: that it is there is all that is told
                    raise
                continue
            if memory.id in applied.buried:
                return Written(id=memory.id, status="erased")
            await self._settle_slot(who, memory)
            return Written(id=memory.id, superseded=tuple(old.id for old in closed if policy.visible(who, old)))
        raise Conflict(f"the slot {ask.key!r} is being written by many at once: try again")

    def _memory(self, who: Principal, ask: Write) -> Memory:
        for name, value, known in (("layer", ask.layer, LAYERS), ("trust", ask.trust, TRUSTS)):
            if value not in known:
                raise Invalid(f"{name} {value!r} is unknown: use one of {', '.join(known)}")
        if _VERSION.search(ask.id) or _SESSION.fullmatch(ask.id):
            raise Invalid(f"id {shown(ask.id)} looks like that of an earlier version (m@1) or of a session: choose another one")
        scope = policy.scope_for(who, space=ask.space, sensitivity=ask.sensitivity, group=ask.group)
        policy.may_write(who, scope)
        identity = ask.id or new_id()
        masked = self._masked
        memory = Memory(
            id=identity, scope=scope, kind=MEMORY_SYNONYMS.get(ask.kind, ask.kind), at=ask.at or self._rooms.clock.now(), layer=ask.layer,
            text=masked(clean(ask.text)), key=ask.key, value=masked(ask.value, ask.key), tags=ask.tags, entities=ask.entities,
            evidence=msgspec.structs.replace(ask.evidence, quote=masked(ask.evidence.quote)),
            actor=Actor(who.agent), confidence=ask.confidence, importance=ask.importance, trust=ask.trust,
            valid_from=_moment(ask.valid_from, "valid_from"),
            valid_to=_moment(ask.valid_to, "valid_to"), expires_at=_moment(ask.expires_at, "expires_at"), environment=ask.environment,
            dedup_key=f"id:{identity}",
        )  # fmt: skip
        policy.check_kind(memory, self._rooms.rules)
        self._check(memory)
        if memory.valid_from and memory.valid_to and memory.valid_to <= memory.valid_from:
            raise Invalid("valid_to must come after valid_from")
        return memory

    def _masked(self, value: Any, name: str = "") -> Any:
        return capture.masked(value, self._rooms.redact, name)

    def _check(self, memory: Memory) -> None:
        """Raise Invalid unless `memory` says something, in bounds, that every engine can keep as it is."""
        most = self._rooms.settings.inline_bytes
        if not memory.text.strip():
            raise Invalid("a memory needs text: say what is to be remembered")
        if not (0 <= memory.confidence <= 1 and 0 <= memory.importance <= 1):
            raise Invalid("confidence and importance go from 0 to 1")
        if not (is_shallow(memory.value) and is_finite(memory.value)):
            raise Invalid(f"value must be JSON without NaN or Infinity, nested at most {MAX_DEPTH} levels deep")
        try:
            kept = canonical(memory)
        except (TypeError, ValueError, RecursionError) as error:
            raise Invalid(f"the memory cannot be kept as JSON: {error}") from None
        if b"\\u0000" in kept:
            raise Invalid("a memory's id, key, tags and value hold no NUL: leave it out")
        if len(kept) > 2 * most or len(memory.text.encode()) > most:
            raise Invalid(f"a memory is a statement of at most {most} bytes: record long text as an event")

    async def _kept(self, memory: Memory) -> Written | None:
        """What to answer when `memory` was written before in the same words: it may be superseded or forgotten by now, and stays so."""
        where = Where(asker=policy.writer_of(memory.scope), now=self._rooms.clock.now(), types=("memory",), status=EVERY_STATUS)
        for old in await self._rooms.store.get([memory.id], where):
            if isinstance(old, Memory) and old.id == memory.id and same_memory(old, memory):
                return Written(id=old.id, status=policy.status_of(old, where), seen=True)
        return None

    async def _trust(self, who: Principal, memory: Memory) -> str:
        """How far `memory` is to be trusted: an agent speaks for its user only where it names what he said himself."""
        if memory.trust != "human" or not who.agent:
            return memory.trust
        where = Where(asker=who, now=self._rooms.clock.now(), types=("event",), status=HISTORY)
        sources = set(memory.evidence.sources)
        found = await self._rooms.store.get(list(sources), where)
        said = {event.id for event in found if isinstance(event, Event) and event.origin == "human"}
        return "human" if sources and sources <= said else "model"

    async def _slot(self, memory: Memory) -> list[Memory]:
        # As the slot's own compartment sees it: a writer may write above his own clearance.
        if not memory.key:
            return []
        asker = policy.writer_of(memory.scope)
        where = Where(asker=asker, now=self._rooms.clock.now(), types=("memory",), keys=(memory.key,), status=CURRENT)
        return [record for record in await self._rooms.store.scan(where, 1000) if isinstance(record, Memory)]

    async def _settle_slot(self, who: Principal, written: Memory) -> None:
        # Two writers may each have found the slot empty; whoever commits last sees both and closes the older.
        for _ in range(RETRIES):
            now = self._rooms.clock.now()
            current = [memory for memory in await self._slot(written) if reconcile.same_slot(memory, written)]
            if len(current) < 2:
                return
            newest = max(current, key=lambda memory: (reconcile.holds_from(memory), memory.position))
            _, closed = reconcile.reconcile(newest, current, now)
            if not closed:
                return
            expect = tuple(Expect(owner(old.scope), old.id, old.version - 1) for old in closed)
            line = audit_line(who, "write", now, owner(newest.scope), (newest.id, *(old.id for old in closed)))
            try:
                await self._rooms.store.apply(Batch(replace=tuple(closed), expect=expect, audit=(line,)))
            except Conflict:
                continue

    async def update(self, who: Principal, ask: Update) -> Memory:
        """Change a memory; its earlier version stays in its history. NotFound for an unknown id, Conflict for a stale version."""
        for _ in range(RETRIES):
            old = await self._one(who, ask.id)
            if not isinstance(old, Memory):
                raise Invalid(f"{ask.id!r} is an event: what happened is not changed; record a new event that supersedes it")
            if _VERSION.search(ask.id):
                raise Invalid(f"{ask.id!r} is an earlier version, which stays as it was: update {_VERSION.sub('', ask.id)!r}")
            policy.may_write(who, old.scope)
            if ask.version is not None and ask.version != old.version:
                raise Conflict(
                    f"memory {ask.id!r} is at version {old.version}, not {ask.version}: read it again", ids=(ask.id,), detail=old
                )
            if all(getattr(ask, name) is None for name in ("text", "value", "tags", "confidence", "importance")):
                raise Invalid("an update without a change: give text, value, tags, confidence or importance")
            now = self._rooms.clock.now()
            given: dict[str, Any] = {
                name: value for name in ("value", "tags", "confidence", "importance") if (value := getattr(ask, name)) is not None
            }
            if ask.text is not None:
                given["text"] = self._masked(clean(ask.text))
            if ask.value is not None:
                given["value"] = self._masked(ask.value, old.key)
            new = msgspec.structs.replace(old, **given, version=old.version + 1, at=now)
            self._check(new)
            earlier = msgspec.structs.replace(
                old, id=f"{old.id}@{old.version}", dedup_key="", valid_to=now, closed_at=now, superseded_by=old.id, position=0
            )
            line = audit_line(who, "update", now, owner(old.scope), (old.id, earlier.id))
            try:
                await self._rooms.store.apply(
                    Batch(put=(earlier,), replace=(new,), expect=(Expect(owner(old.scope), old.id, old.version),), audit=(line,))
                )
            except Conflict as error:
                if earlier.id in error.ids:
                    taken = f"the earlier version would be kept as {earlier.id!r}, which names another record: forget that one first"
                    raise Conflict(taken, ids=(earlier.id,)) from None
                continue
            return new
        raise Conflict(f"memory {ask.id!r} is being changed by many at once: try again", ids=(ask.id,))

    async def _one(self, who: Principal, name: str) -> Record:
        where = Where(asker=who, now=self._rooms.clock.now(), status=HISTORY)
        found = await self._rooms.store.get([name], where)
        if not found:
            raise NotFound(f"there is no record {shown(name)}", ids=(name,))
        return found[0]


def _aliases(events: list[Event], aliases: Mapping[str, str]) -> list[Alias]:
    homes = {event.id: owner(event.scope) for event in events}
    return [Alias(homes[kept], alias, kept) for alias, kept in aliases.items() if kept in homes]


def _moment(value: datetime | None, name: str) -> datetime | None:
    return None if value is None else parse_time(value, name)
