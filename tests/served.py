"""A memory behind a real server on a free port of this machine, in a thread of the test."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from beebread import Client
from beebread.faces.rest import ServerOptions, make_app, serving
from beebread.faces.rest.app import Mounted


@contextmanager
def served(
    folder: Path, options: ServerOptions | None = None, mcp: dict[str, Any] | None = None,
    prepare: Callable[[Any], None] | None = None, **opening: Any,
) -> Generator[str]:  # fmt: skip
    """The address of a server of the memory in `folder`, which is opened with `opening`.

    With `mcp`, its options, it is at /mcp too; `prepare` gets that one's server before it begins.
    """
    with Client(folder, **opening) as client, socket.socket(proto=socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        options = options or ServerOptions()
        mounted = {} if mcp is None else {"/mcp": _mcp(client, options, mcp, prepare)}
        server = serving.server_of(make_app(client.served, options, mounted), options)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


def _mcp(client: Client, options: ServerOptions, given: dict[str, Any], prepare: Callable[[Any], None] | None) -> Mounted:
    from beebread.faces.mcp.http import McpApp  # most tests have nothing to do with it, and it takes a second to load

    app = McpApp(client.served, options, **given)
    if prepare is not None:
        prepare(app.server)
    return app
