"""The edge that every request passes: its id, how many are answered at once, and who may reach a memory without keys."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from beebread.faces.rest.access import Access
from beebread.faces.rest.answered import problem
from beebread.faces.rest.options import LOOPBACK, ServerOptions
from beebread.model import new_id

LONGEST_ID = 128
SLASH = "\ufdd0"
"""Stands in a path for a slash inside of a name (%2F), so that it parts nothing: no character that a text has."""


class Edge:
    """Stands before the application."""

    def __init__(self, app: ASGIApp, access: Access, options: ServerOptions) -> None:
        self._app, self._access, self._options = app, access, options
        self._now = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if 0 < len(given) <= LONGEST_ID and given.isascii() and given.isprintable() else new_id()

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["X-Request-Id"] = request_id
            await send(message)

        if self._now >= self._options.at_once:
            refusal = problem(503, "too many requests at once: wait as Retry-After says", {"Retry-After": "1"})
            await refusal(scope, receive, marked)
            return
        if not await self._access.guarded() and (why := _stranger(headers)):
            await problem(403, why)(scope, receive, marked)
            return
        if b"%2f" in (raw := scope.get("raw_path") or b"").lower():
            parts = (unquote(part).replace("/", SLASH) for part in raw.partition(b"?")[0].decode("ascii", "replace").split("/"))
            scope = {**scope, "path": "/".join(parts)}
        self._now += 1
        try:
            await self._app(scope, receive, marked)
        finally:
            self._now -= 1


def _stranger(headers: Headers) -> str:
    """Why a request to a memory without keys is not from this machine's own programs; '' when it is.

    A web page that a person looks at can send requests to this machine: by its own origin, or by a name that it lets lead here (DNS
    rebinding). Neither may reach a memory that asks for no key.
    """
    host = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    if host not in LOOPBACK:
        return "without a key this memory answers by the names 127.0.0.1, ::1 and localhost alone: `beebread key create` makes a key"
    origin = headers.get("origin", "")
    if origin and urlsplit(origin).netloc != headers.get("host", ""):
        return "without a key this memory answers no web page of another origin: `beebread key create` makes a key"
    return ""
