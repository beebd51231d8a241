"""Small answers to reads of one record, kept while the log stands where it stood: most reads of a busy server are the same ones again."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import NamedTuple

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from beebread.faces.rest.access import Access
from beebread.service import Service

READ = "/v1/memories/"
SMALL = 1024  # bytes; larger ones are packed, as the one who asks can take them
MANY = 4096


class _Answer(NamedTuple):
    start: Message
    body: Message


class Kept:
    """Stands before the routes. An answer is kept for the one principal who got it, and only until anything in the log changes.

    Erasing alone moves no log, but what is erased was forgotten before, which does.
    """

    def __init__(self, app: ASGIApp, access: Access, service: Service) -> None:
        self._app, self._access = app, access
        self._log = _Log(service)
        self._at = -1
        self._answers: OrderedDict[tuple[object, ...], _Answer] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith(READ):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        named = (scope["path"], scope["query_string"], headers.get("beebread-bind", ""), headers.get("if-none-match", ""))
        if sum(map(len, named)) > SMALL:
            await self._app(scope, receive, send)
            return
        token, who = await self._access.credential(headers)
        asked = (who, *named)
        at = await self._log.position()
        if at != self._at:
            self._answers.clear()
            self._at = at
        elif (answer := self._answers.get(asked)) is not None:
            self._access.count(token)
            await send(answer.start)
            await send(answer.body)
            return
        started: list[Message] = []

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                started.append(message)
            elif started and self._at == at and _small(started[0], message):
                self._answers[asked] = _Answer(started[0], message)
                if len(self._answers) > MANY:
                    self._answers.popitem(last=False)
            await send(message)

        await self._app(scope, receive, noted)


def _small(start: Message, body: Message) -> bool:
    packed = any(name == b"content-encoding" for name, _ in start["headers"])
    return start["status"] in (200, 304) and not packed and not body.get("more_body") and len(body.get("body", b"")) < SMALL


class _Log:
    """Where the log stands. All who ask at once share one look, which began after the last of them had asked."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._looking = asyncio.Lock()
        self._next: asyncio.Task[int] | None = None

    async def position(self) -> int:
        """The position of the newest change."""
        if self._next is None:
            self._next = asyncio.create_task(self._look())
        return await asyncio.shield(self._next)

    async def _look(self) -> int:
        async with self._looking:
            self._next = None  # who comes from here on may know of a later change
            return await self._service.position()
