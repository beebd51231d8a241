"""Planted faults of states and bodies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from beebread.backends.reference import ReferenceStore
from beebread.backends.reference_data import Data
from beebread.backends.reference_states import ReferenceBlobs, ReferenceStates
from beebread.model import AuditLine, State, Where
from beebread.policy import state_matches
from beebread.ports import Blobs, Store
from beebread.testing.scene import EVERY_STATUS, changed


class FaultyStates(ReferenceStates):
    """States with one rule broken, by name."""

    def __init__(self, data: Data, fault: str) -> None:
        super().__init__(data)
        self.fault = fault

    def matches(self, state: State, where: Where) -> bool:
        if self.fault == "expired states shown":
            return state_matches(state, changed(where, status=EVERY_STATUS))
        return super().matches(state, where)

    def next(self, old: State | None, new: State, *, expect: int | None, limit: int, whole: bool) -> State:
        if self.fault == "state versions ignored" or (self.fault == "state 0 means any" and expect == 0):
            expect = None
        if self.fault == "expired states come back" and old is not None:
            old = changed(old, expires_at=None)
        return super().next(old, new, expect=expect, limit=limit, whole=whole)

    def write(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine], *, whole: bool) -> State:
        if self.fault == "state limit ignored":
            limit = 10**9
        if self.fault == "state limit in characters" and sum(map(len, map(str, state.fields.values()))) <= limit:
            limit *= 3
        if self.fault == "state compartments shared":
            state = changed(state, scope=changed(state.scope, agent="", sensitivity=0))
        if self.fault == "states of one key shared":
            state = changed(state, scope=changed(state.scope, user="ann"))
        if self.fault == "steps of states lost":
            state = changed(state, step="")
        if self.fault == "states cut at NUL":
            state = changed(state, key=state.key.partition("\0")[0] or "k")
        if self.fault == "no diary of states":
            audit = ()
        written = super().write(state, expect, limit, audit, whole=whole)
        if self.fault == "no history of states":
            self.data.states = {name: versions[-1:] for name, versions in self.data.states.items()}
        return written

    async def set(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine] = ()) -> State:
        return await (self.put if self.fault == "set replaces" else super().set)(state, expect, limit, audit)

    async def put(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine] = ()) -> State:
        return await (self.set if self.fault == "put merges" else super().put)(state, expect, limit, audit)

    async def history(self, owner: str, state: str, limit: int) -> list[State]:
        found = await super().history(owner, state, limit)
        return found[::-1] if self.fault == "history oldest first" else found

    async def list(self, where: Where, limit: int, after: str = "") -> list[State]:
        if self.fault == "states paged by key":
            found = await super().list(where, 1_000_000)
            return [state for state in found if state.key > after.rpartition("\0")[0] or not after][:limit]
        found = await super().list(where, 1_000_000, after)
        return (sorted(found, key=lambda state: state.updated_at or where.now) if self.fault == "states by update" else found)[:limit]

    async def delete(self, owner: str, state: str = "", audit: Sequence[AuditLine] = ()) -> int:
        if self.fault == "delete takes all":
            state = ""
        if self.fault == "delete of any owner" and state:
            owner = next((home for home, name in self.data.states if name == state), owner)
        return await super().delete(owner, state, audit)


class LostUpdates(ReferenceStates):
    """Reads, lets others write, then writes."""

    async def set(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine] = ()) -> State:
        before = dict(self.data.states)
        await asyncio.sleep(0)
        self.data.states = before
        return await super().set(state, expect, limit, audit)


class BlobsOfAll(ReferenceBlobs):
    """Gives a body to whoever has its reference."""

    async def get(self, owner: str, ref: str) -> bytes:
        home = next((place for place, name in self.bodies if name == ref), owner)
        return await super().get(home, ref)


class BlobsDeletedForAll(ReferenceBlobs):
    """Deletes a body of whoever keeps it."""

    async def delete(self, owner: str, ref: str | None) -> None:
        for home in {place for place, name in self.bodies if name == ref} | {owner}:
            await super().delete(home, ref)


class BlobsByPrefix(ReferenceBlobs):
    """Deletes all of every owner whose name begins alike."""

    async def delete(self, owner: str, ref: str | None) -> None:
        for home in {place for place, _ in self.bodies if place.startswith(owner)}:
            await super().delete(home, ref)


class BlobsAnew(ReferenceBlobs):
    """Gives the same bytes another reference each time."""

    async def put(self, owner: str, body: bytes) -> str:
        ref = await super().put(owner, body)
        self.bodies[owner, f"{ref}-{len(self.bodies)}"] = body
        return f"{ref}-{len(self.bodies) - 1}"


class BlobsShort(ReferenceBlobs):
    """Keeps the first megabyte of a body."""

    async def put(self, owner: str, body: bytes) -> str:
        return await super().put(owner, body[: 1 << 20])


class BlobsKept(ReferenceBlobs):
    """Deletes nothing by its reference."""

    async def delete(self, owner: str, ref: str | None) -> None:
        if ref is None:
            await super().delete(owner, ref)


def with_states(made: Callable[[Data], ReferenceStates]) -> Callable[[], Store]:
    """How to open a store with such states."""

    def opened() -> Store:
        store = ReferenceStore()
        store.states = made(store.data)
        return store

    return opened


def faulty(fault: str) -> Callable[[], Store]:
    """How to open a store whose states have this fault."""
    return with_states(lambda data: FaultyStates(data, fault))


STATES_FAULTS: dict[str, Callable[[], Store]] = {
    **{
        name: faulty(name)
        for name in (
            "expired states shown",
            "state versions ignored",
            "expired states come back",
            "state 0 means any",
            "state limit ignored",
            "state limit in characters",
            "state compartments shared",
            "states of one key shared",
            "steps of states lost",
            "states cut at NUL",
            "put merges",
            "no diary of states",
            "no history of states",
            "set replaces",
            "history oldest first",
            "states paged by key",
            "states by update",
            "delete takes all",
            "delete of any owner",
        )
    },
    "updates of states lost": with_states(LostUpdates),
}
BLOB_FAULTS: dict[str, Callable[[], Blobs]] = {
    "bodies for whoever has the reference": BlobsOfAll,
    "bodies deleted for all": BlobsDeletedForAll,
    "bodies deleted by prefix": BlobsByPrefix,
    "bodies under a new reference each time": BlobsAnew,
    "bodies cut short": BlobsShort,
    "bodies kept": BlobsKept,
}
