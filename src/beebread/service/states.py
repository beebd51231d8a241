"""Working memory: read, set, replace and list the states of tasks."""

from __future__ import annotations

import msgspec

from beebread import capture, policy
from beebread.errors import NotFound, shown
from beebread.model import Actor, AuditLine, Principal, Query, State, owner, state_id
from beebread.service.requests import ListRequest, Nothing, StateKey, StatePage, StateWrite, limited
from beebread.service.rooms import Rooms, audit_line
from beebread.tasks import state as rules_of_state


class Stating:
    """The operations on states. The user's own state is found whichever session or device wrote it (mission W3)."""

    _rooms: Rooms

    async def state_get(self, who: Principal, ask: StateKey) -> State | None:
        """The state called `ask.key`, or None: for an unknown one, an expired one and somebody else's alike."""
        found = await self._states(who, Query(keys=(ask.key,)))
        # The most closely kept first: a private agent's own before the user's.
        return max(
            found, key=lambda state: (bool(state.scope.agent), state.scope.space == "session", state.scope.sensitivity), default=None
        )

    async def state_set(self, who: Principal, ask: StateWrite) -> State:
        """Set fields alone, each atomically, or the whole state (`ask.replace`); returns the state as it is now kept.

        Raises Conflict (its detail is the state as it is) for a stale version, Invalid for one that makes no sense or is too large.
        """
        rooms, now = self._rooms, self._rooms.clock.now()
        kept = await self.state_get(who, StateKey(key=ask.key))
        old = kept if kept is not None and ask.sensitivity in (None, kept.scope.sensitivity) else None
        if old is not None:
            scope = msgspec.structs.replace(old.scope, task=who.task or old.scope.task)
        else:
            scope = policy.scope_for(who, sensitivity=ask.sensitivity or 0)
        policy.may_write(who, scope)
        fields = {
            name: msgspec.structs.replace(field, value=capture.masked(field.value, rooms.redact, name))
            for name, field in ask.fields.items()
        }
        state = State(
            key=ask.key, scope=scope, memory_type=ask.memory_type or (old.memory_type if old else "task"), fields=fields,
            step=ask.step, signature=ask.signature, actor=Actor(who.agent), updated_at=now,
            expires_at=rules_of_state.expiry(ask.expires_at, now, rooms.rules, old),
        )  # fmt: skip
        rules_of_state.check(state)
        write = rooms.store.states.put if ask.replace else rooms.store.states.set
        line = self._line(who, "state_put" if ask.replace else "state_set", state)
        return await write(state, ask.version, rooms.rules.state_bytes, [line])

    async def state_list(self, who: Principal, ask: ListRequest) -> StatePage:
        """States that the asker may see, by key, a page at a time."""
        limit = limited(ask.limit)
        where = policy.where_for(who, ask.query, self._rooms.clock.now())
        found = await self._rooms.store.states.list(where, limit + 1, ask.cursor)
        items = tuple(found[:limit])
        return StatePage(items=items, cursor=f"{items[-1].key}\0{state_id(items[-1])}" if len(found) > limit else "")

    async def state_history(self, who: Principal, ask: StateKey) -> StatePage:
        """Earlier and present versions of a state, newest first; empty for an unknown one."""
        found = await self._states(who, Query(keys=(ask.key,), history=True))
        versions = [await self._rooms.store.states.history(owner(state.scope), state_id(state), 100) for state in found]
        return StatePage(items=tuple(state for listed in versions for state in listed if policy.visible(who, state)))

    async def state_delete(self, who: Principal, ask: StateKey) -> Nothing:
        """Remove a state for real, with its history; NotFound for an unknown one."""
        found = await self._states(who, Query(keys=(ask.key,), history=True))
        if not found:
            raise NotFound(f"there is no state {shown(ask.key)}")
        for state in found:
            policy.may_write(who, state.scope)
            await self._rooms.store.states.delete(owner(state.scope), state_id(state), [self._line(who, "state_delete", state)])
        return Nothing()

    async def _states(self, who: Principal, query: Query) -> list[State]:
        where = policy.where_for(who, query, self._rooms.clock.now())
        return await self._rooms.store.states.list(where, 64)

    def _line(self, who: Principal, operation: str, state: State) -> AuditLine:
        return audit_line(who, operation, self._rooms.clock.now(), owner(state.scope), (state_id(state),))
