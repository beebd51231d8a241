"""Working memory and large bodies of the reference engine, in dicts."""

from __future__ import annotations

from collections.abc import Sequence

from beebread.backends.reference_data import Data, sound
from beebread.errors import Invalid, NotFound
from beebread.model import AuditLine, State, Where, digest, next_state, owner, state_id
from beebread.policy import state_matches


class ReferenceStates:
    """States over the data of a reference store; see `ports.States` for the meaning of each method."""

    def __init__(self, data: Data) -> None:
        self.data = data

    async def list(self, where: Where, limit: int, after: str = "") -> list[State]:
        """States that answer `where`, by key, then id."""
        last = cursor_of(after)
        present = sorted((versions[-1] for versions in self.data.states.values()), key=place)
        return [state for state in present if self.matches(state, where) and (last is None or place(state) > last)][: max(limit, 0)]

    def matches(self, state: State, where: Where) -> bool:
        """Whether a state is shown."""
        return state_matches(state, where)

    async def put(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine] = ()) -> State:
        """Replace the whole state."""
        return self.write(state, expect, limit, audit, whole=True)

    async def set(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine] = ()) -> State:
        """Set the given fields alone."""
        return self.write(state, expect, limit, audit, whole=False)

    def write(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine], *, whole: bool) -> State:
        """The one way a state changes."""
        if not state.key:
            raise Invalid("a state needs a key, such as {task_type}_{entity_id}")
        given, lines = sound(state), [sound(line) for line in audit]
        name = state_id(given)
        versions = self.data.states.get((owner(given.scope), name), [])
        old = versions[-1] if versions else None
        new = self.next(old, given, expect=expect, limit=limit, whole=whole)
        self.data.states[owner(given.scope), name] = [*versions, new]
        self.data.diary.extend(lines)
        return new

    def next(self, old: State | None, new: State, *, expect: int | None, limit: int, whole: bool) -> State:
        """The version that a write makes."""
        return next_state(old, new, expect=expect, limit=limit, whole=whole)

    async def history(self, owner: str, state: str, limit: int) -> list[State]:
        """Versions, newest first."""
        return self.data.states.get((owner, state), [])[::-1][: max(limit, 0)]

    async def delete(self, owner: str, state: str = "", audit: Sequence[AuditLine] = ()) -> int:
        """Remove states for real."""
        lines = [sound(line) for line in audit]
        gone = [name for name in self.data.states if name[0] == owner and state in ("", name[1])]
        self.data.diary.extend(lines)
        for name in gone:
            del self.data.states[name]
        return len(gone)


def place(state: State) -> tuple[str, str]:
    """Where a state stands in a list."""
    return state.key, state_id(state)


def cursor_of(after: str) -> tuple[str, str] | None:
    """The place that a list's cursor stands for."""
    if not after:
        return None
    key, mark, name = after.rpartition("\0")
    if not mark:
        raise Invalid(f"cursor {after[:60]!r} is not one that a list of states gave: start again without a cursor")
    return key, name


class ReferenceBlobs:
    """Large bodies in a dict; see `ports.Blobs`."""

    def __init__(self) -> None:
        self.bodies: dict[tuple[str, str], bytes] = {}

    async def put(self, owner: str, body: bytes) -> str:
        """Keep a body."""
        ref = digest([owner, body])
        self.bodies[owner, ref] = bytes(body)
        return ref

    async def get(self, owner: str, ref: str) -> bytes:
        """The bytes of a body."""
        if (owner, ref) not in self.bodies:
            raise NotFound("there is no such body")
        return self.bodies[owner, ref]

    async def delete(self, owner: str, ref: str | None) -> None:
        """Remove one body or all of an owner's."""
        for key in [key for key in self.bodies if key[0] == owner and ref in (None, key[1])]:
            del self.bodies[key]
