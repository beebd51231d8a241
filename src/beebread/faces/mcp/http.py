"""The server over HTTP, to be mounted beside the REST one: whom a request stands for is found out by the same keys."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from beebread.faces.embedded import Home
from beebread.faces.mcp.server import make_server
from beebread.faces.rest.access import Access
from beebread.faces.rest.answered import Refused, refused
from beebread.faces.rest.options import ServerOptions
from beebread.model import Principal

SESSIONS = 10_000  # of clients that still shake hands
IDLE = 30 * 60.0  # seconds after which such a session is let go
_WHO = "beebread.who"


class McpApp:
    """The application at /mcp. Hosts and origins are checked by the edge that it stands behind, so not once more by the SDK."""

    def __init__(self, home: Home, options: ServerOptions, *, full: bool = False, structured: bool = True, asks: bool = True) -> None:
        self._access = Access(home.service, options)
        self.server: Server[Any] = make_server(home.service, _who, full=full, structured=structured, asks=asks)
        self._options = options
        self._manager = self._sessions()

    def _sessions(self) -> StreamableHTTPSessionManager:
        return StreamableHTTPSessionManager(
            app=self.server, max_request_body_size=self._options.body, session_idle_timeout=IDLE, max_sessions=SESSIONS,
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )  # fmt: skip

    def run(self) -> AbstractAsyncContextManager[Any]:
        """What has to be entered while requests are answered."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            token, who = await self._access.credential(request.headers)
            self._access.count(token)
        except Refused as error:
            await refused(error)(scope, receive, send)
            return
        await self._manager.handle_request({**scope, _WHO: who}, receive, send)


def _who(request: Request | None) -> Principal:
    assert request is not None
    who: Principal = request.scope[_WHO]
    return who
