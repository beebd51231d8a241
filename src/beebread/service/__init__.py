"""Purpose: every operation of the memory: authorise, act, audit; nothing else does any of the three.
May import: everything below: model, policy, text, ports, settings, and the rooms of floor 3.
Never does: HTTP, argv, environment, SQL, building plugs.
Start reading at: requests.py (what is asked), then writing.py and reading.py."""

from __future__ import annotations

from beebread.service.contexts import Contexts
from beebread.service.following import Change, ChangePage, Changes, Following, Settle, Settled
from beebread.service.forgetting import Forgetting
from beebread.service.keys import Key, KeyCreate, KeyId, KeyMade, KeyPage, Keys
from beebread.service.linking import Linking
from beebread.service.reading import Reading
from beebread.service.requests import (
    Append,
    Appended,
    Body,
    ContextRequest,
    Explain,
    Forget,
    Forgotten,
    Get,
    Health,
    History,
    ListRequest,
    Nothing,
    Page,
    Purge,
    Purged,
    SessionPage,
    Shape,
    StateKey,
    StatePage,
    StateWrite,
    TraceRequest,
    Update,
    Write,
    Written,
)
from beebread.service.rooms import Rooms
from beebread.service.states import Stating
from beebread.service.writing import Writing


class Service(Writing, Forgetting, Reading, Contexts, Stating, Following, Keys):
    """The operations. Each takes the principal who asks and one request, and raises only errors of `beebread.errors`."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._linking = Linking(rooms.store, rooms.clock)


__all__ = [
    "Append",
    "Appended",
    "Body",
    "Change",
    "ChangePage",
    "Changes",
    "ContextRequest",
    "Explain",
    "Forget",
    "Forgotten",
    "Get",
    "Health",
    "History",
    "Key",
    "KeyCreate",
    "KeyId",
    "KeyMade",
    "KeyPage",
    "ListRequest",
    "Nothing",
    "Page",
    "Purge",
    "Purged",
    "Rooms",
    "Service",
    "SessionPage",
    "Settle",
    "Settled",
    "Shape",
    "StateKey",
    "StatePage",
    "StateWrite",
    "TraceRequest",
    "Update",
    "Write",
    "Written",
]
