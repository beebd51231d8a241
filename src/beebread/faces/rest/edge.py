"""The edge that every request passes: its id, how many are answered at once, and who may reach a memory without keys."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from beebread.errors import BeebreadError
from beebread.faces.rest.access import Access
from beebread.faces.rest.answered import Refused, failed, problem, refused
from beebread.faces.rest.options import LOOPBACK, ServerOptions
from beebread.model import new_id

LONGEST_ID = 128
LONGEST_URL = MOST_HEADERS = 60_000  # bytes; what reads them ends at 65,535
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
                message = {**message, "headers": [*message.get("headers", ()), (b"x-request-id", request_id.encode())]}
            await send(message)

        if self._now >= self._options.at_once:
            refusal = problem(503, "too many requests at once: wait as Retry-After says", {"Retry-After": "1"})
            await refusal(scope, receive, marked)
            return
        self._now += 1
        try:
            refusal = await self._refusal(scope, headers)
            await (refusal or self._app)(_whole_names(scope), receive, marked)
        except Refused as error:
            await refused(error)(scope, receive, marked)
        except BeebreadError as error:
            await failed(error)(scope, receive, marked)
        finally:
            self._now -= 1

    async def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        """Why a request goes no further; None for one that does."""
        if len(scope.get("raw_path") or scope["path"]) + len(scope["query_string"]) > LONGEST_URL:
            return problem(414, f"an address has at most {LONGEST_URL} bytes: send what is longer in a body")
        if sum(len(name) + len(value) for name, value in scope["headers"]) > MOST_HEADERS:
            return problem(431, f"the headers of a request have at most {MOST_HEADERS} bytes together")
        if not await self._access.guarded() and (why := _stranger(headers)):
            return problem(403, why)
        return None


def _whole_names(scope: Scope) -> Scope:
    """The request with each slash that is inside of a name told apart."""
    raw: bytes = scope.get("raw_path") or b""
    if b"%2f" not in raw.lower():
        return scope
    parts = (unquote(part).replace("/", SLASH) for part in raw.partition(b"?")[0].decode("ascii", "replace").split("/"))
    return {**scope, "path": "/".join(parts)}


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
