"""Which of the memories of one slot holds at which time: the newer closes the older, in the world's time, whatever came in first."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from beebread.model import Memory, owner


def holds_from(memory: Memory) -> datetime:
    """The moment from which a memory says that it holds: what it says itself, else when it was written."""
    return memory.valid_from or memory.at


def same_slot(left: Memory, right: Memory) -> bool:
    """Whether two memories speak of the same thing to the same readers; only then may one close the other."""
    return (
        bool(left.key)
        and (left.key, owner(left.scope), left.scope.space, left.scope.agent, left.scope.sensitivity)
        == (right.key, owner(right.scope), right.scope.space, right.scope.agent, right.scope.sensitivity)
        and (left.scope.space != "session" or left.scope.session == right.scope.session)
    )


def reconcile(new: Memory, current: Iterable[Memory], now: datetime) -> tuple[Memory, list[Memory]]:
    """`new` and the memories of its slot that change by it.

    An older one is closed where the new one begins. A new one that speaks of an earlier time than a current one (late evidence) is
    itself closed where that begins, so that it is found as history and never hides what is newer. Nothing is deleted.
    """
    rivals = [memory for memory in current if memory.id != new.id and same_slot(memory, new)]
    later = [memory for memory in rivals if holds_from(memory) > holds_from(new)]
    if later and new.valid_to is None:
        first = min(later, key=holds_from)
        new = msgspec.structs.replace(new, valid_to=holds_from(first), closed_at=now, superseded_by=first.id)
    # One that the new memory has closed already (it begins in the future) stays as it is.
    older = [
        memory
        for memory in rivals
        if holds_from(memory) <= holds_from(new) and (memory.superseded_by, memory.valid_to) != (new.id, holds_from(new))
    ]
    closed = [
        msgspec.structs.replace(memory, valid_to=holds_from(new), closed_at=now, superseded_by=new.id, version=memory.version + 1)
        for memory in older
    ]
    return new, closed
