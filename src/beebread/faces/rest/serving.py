"""Running the application under uvicorn, and stopping it: what is being answered is answered, and what was recorded is durable."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Mapping

import uvicorn
from starlette.applications import Starlette

from beebread.errors import Unavailable
from beebread.faces.client import Client
from beebread.faces.rest import openapi
from beebread.faces.rest.app import Mounted, make_app
from beebread.faces.rest.connection import connection
from beebread.faces.rest.options import ServerOptions

QUEUE = 2048  # connections that wait to be taken


def document() -> str:
    """The OpenAPI document as JSON."""
    return openapi.text().decode()


def serve(client: Client, options: ServerOptions, note: Callable[[str], None], mount: Mapping[str, Mounted] | None = None) -> None:
    """Serve the memory of `client` until an interrupt or SIGTERM. Raises Unavailable where the address cannot be had."""
    listening = _listening(options)
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    note(f"serving on http://{shown}:{port} (documentation: /docs); Ctrl-C ends it")
    server = server_of(make_app(client.served, options, mount), options)
    for ending in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises them once more when it is done, which is a clean end here
        signal.signal(ending, _ended)
    server.run(sockets=[listening])


def server_of(app: Starlette, options: ServerOptions) -> uvicorn.Server:
    """The server of an application, which is not running yet."""
    config = uvicorn.Config(
        app, http=connection(options.patience), ws="none", loop="asyncio", lifespan="on", proxy_headers=False, server_header=False,
        log_level="warning", access_log=False, timeout_graceful_shutdown=int(options.patience) or 1, timeout_keep_alive=75,
    )  # fmt: skip
    return _Server(config)


class _Server(uvicorn.Server):
    """Ends the answers that have no end of their own, before it waits for those being given."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        assert isinstance(self.config.app, Starlette)
        self.config.app.state.stopping.set()
        await super().shutdown(sockets)


def _ended(_signal: int, _frame: object) -> None:
    """Nothing is left to do."""


def _listening(options: ServerOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # By its protocol asyncio knows that what it takes may not wait for more to send (TCP_NODELAY): else every answer takes 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((options.host, options.port))
        listening.listen(QUEUE)  # from here on who connects waits, however long the rest of the start takes
    except OSError as error:
        listening.close()
        raise Unavailable(f"port {options.port} of {options.host} cannot be had ({error.strerror}): choose another --port") from error
    return listening
