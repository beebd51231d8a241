"""GET /v1/changes as server-sent events (WHATWG HTML, 9.2): each change with its cursor as id, so that a client goes on there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import msgspec

from beebread.model import Principal
from beebread.service import Changes, Service

EVERY = 0.5  # seconds between two looks at the log
ALIVE = 15.0  # seconds of silence after which a word is sent, so that nobody between takes the line for dead


async def feed(service: Service, who: Principal, ask: Changes, stopping: asyncio.Event) -> AsyncIterator[bytes]:
    """Changes as they come, until the server stops."""
    silent = 0.0
    while not stopping.is_set():
        page = await service.changes(who, ask)
        ask = msgspec.structs.replace(ask, cursor=page.cursor)
        for change in page.items:
            yield b"id: %d\nevent: change\ndata: %b\n\n" % (change.position, msgspec.json.encode(change))
        if page.items:
            silent = 0.0
        elif silent >= ALIVE:
            silent = 0.0
            yield b": still here\n\n"
        if not page.more:
            with suppress(TimeoutError):
                await asyncio.wait_for(stopping.wait(), EVERY)
            silent += EVERY
