"""Forgetting: gone from every answer at once, with what rests on it alone; purged for real when it is due."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from beebread import policy
from beebread.errors import Conflict, Forbidden, Invalid, NotFound, shown
from beebread.model import (
    HISTORY,
    AuditLine,
    Batch,
    Erase,
    Event,
    Expect,
    Memory,
    Principal,
    Record,
    Session,
    Where,
    encode_cursor,
    owner,
)
from beebread.service.linking import Linking
from beebread.service.requests import Forget, Forgotten, Purge, Purged
from beebread.service.rooms import RETRIES, Rooms, audit_line, drop_blobs

PAGE = 500


class Forgetting:
    """The operations that take things away."""

    _rooms: Rooms
    _linking: Linking

    async def forget(self, who: Principal, ask: Forget) -> Forgotten:
        """Forget a record, its earlier versions and what rests on it alone, in one batch; NotFound for an unknown or foreign one.

        A memory that has other evidence too is kept, without this source and without its quotation. What the asker may not see goes too
        when it rests on what he forgets, and is not named to him.
        """
        for _ in range(RETRIES):
            now = self._rooms.clock.now()
            gone, changed = await self._to_forget(who, ask, now)
            home = owner(next(iter(gone.values())).scope)
            # A version higher, so that whoever read one of them before cannot write it back.
            expect = tuple(
                Expect(home, memory.id, memory.version - 1) for memory in (*gone.values(), *changed.values()) if isinstance(memory, Memory)
            )
            line = audit_line(who, "forget", now, home, tuple(gone), ask.reason)
            try:
                await self._rooms.store.apply(Batch(replace=(*gone.values(), *changed.values()), expect=expect, audit=(line,)))
            except Conflict:
                continue
            self._linking.forget()
            if ask.erase:
                await self._erase(who, list(gone.values()), now)
            return Forgotten(ids=tuple(record.id for record in gone.values() if policy.visible(who, record)))
        raise Conflict(f"{ask.id!r} is being changed by many at once: try again", ids=(ask.id,))

    async def _to_forget(self, who: Principal, ask: Forget, now: datetime) -> tuple[dict[str, Record], dict[str, Memory]]:
        """What is to go, and the memories that only lose a source."""
        where = Where(asker=who, now=now, status=(*HISTORY, "pending"))
        found = await self._rooms.store.get([ask.id], where)
        if not found:
            raise NotFound(f"there is no record {shown(ask.id)}", ids=(ask.id,))
        if isinstance(found[0], Session):
            raise Invalid(f"{ask.id!r} is the record of a session, which says only what happened in it: forget its events")
        policy.may_write(who, found[0].scope)
        every = msgspec.structs.replace(where, asker=policy.keeper_of(found[0].scope))
        gone: dict[str, Record] = {}
        changed: dict[str, Memory] = {}
        waiting = found[:1]  # the one that get gives, should several owners of the asker have that id
        while waiting:
            for record in waiting:
                gone[record.id] = _forgotten(record, now)
                changed.pop(record.id, None)
            waiting = await self._left_alone(every, gone, changed)
        return gone, changed

    async def _left_alone(self, where: Where, gone: dict[str, Record], changed: dict[str, Memory]) -> list[Record]:
        """What must go too now that `gone` goes: earlier versions, and memories with no evidence left; others lose the source."""
        store = self._rooms.store
        versions = [
            f"{record.id}@{version}" for record in gone.values() if isinstance(record, Memory) for version in range(1, record.version - 1)
        ]
        home = owner(next(iter(gone.values())).scope)
        earlier = [record for record in await store.get(versions, where) if owner(record.scope) == home]
        also: dict[str, Record] = {record.id: record for record in earlier if record.id not in gone}
        resting = msgspec.structs.replace(where, types=("memory",), linked_to=tuple(gone))
        for memory in await self._all(resting):
            if not isinstance(memory, Memory) or memory.id in gone or owner(memory.scope) != home:
                continue
            left = tuple(source for source in memory.evidence.sources if source not in gone)
            if left:
                evidence = msgspec.structs.replace(memory.evidence, sources=left, quote="")
                changed[memory.id] = msgspec.structs.replace(memory, evidence=evidence, version=memory.version + 1)
            else:
                also[memory.id] = memory
        return list(also.values())

    async def _all(self, where: Where) -> list[Record]:
        found: list[Record] = []
        while page := await self._rooms.store.scan(where, PAGE, encode_cursor(found[-1]) if found else ""):
            found += page
        return found

    async def purge(self, who: Principal, ask: Purge) -> Purged:
        """Remove for real what was forgotten: everything (`ask.now`), or what is due by the contract's days. Needs the admin role."""
        if "admin" not in who.roles:
            raise Forbidden("purging is for an administrator: use the unbound client, or a key with the admin role")
        rooms = self._rooms
        now = rooms.clock.now()
        before = now + timedelta(microseconds=1) if ask.now else policy.purge_before(rooms.rules, now)
        removed = 0
        while found := await rooms.store.forgotten(before, PAGE):
            await self._erase(who, found, now)
            removed += len(found)
        return Purged(records=removed)

    async def _erase(self, who: Principal, found: list[Record], now: datetime) -> None:
        """Remove for real what was forgotten."""
        lines: list[AuditLine] = []
        for home in dict.fromkeys(owner(record.scope) for record in found):
            ids = tuple(record.id for record in found if owner(record.scope) == home)
            lines.append(audit_line(who, "purge", now, home, ids))
        # Bodies first: should this process end in between, the records are still there to be purged again.
        await drop_blobs(self._rooms, [record for record in found if isinstance(record, Event)])
        await self._rooms.store.apply(
            Batch(erase=tuple(Erase(owner(record.scope), record.id, now) for record in found), audit=tuple(lines))
        )


def _forgotten(record: Record, now: datetime) -> Record:
    if isinstance(record, Memory):
        return msgspec.structs.replace(record, forgotten_at=now, version=record.version + 1)
    return msgspec.structs.replace(record, forgotten_at=now)
