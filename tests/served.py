"""A memory behind a real server on a free port of this machine, in a thread of the test."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from beebread import Client
from beebread.faces.rest import ServerOptions, make_app, serving
from beebread.faces.rest.app import Mounted


@contextmanager
def served(folder: Path, options: ServerOptions | None = None, mcp: dict[str, Any] | None = None, **opening: Any) -> Generator[str]:
    """The address of a server of the memory in `folder`, which is opened with `opening`; with `mcp`, its options, at /mcp too."""
    with Client(folder, **opening) as client, socket.socket(proto=socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        options = options or ServerOptions()
        mounted = {} if mcp is None else {"/mcp": _mcp(client, options, mcp)}
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


def _mcp(client: Client, options: ServerOptions, given: dict[str, Any]) -> Mounted:
    from beebread.faces.mcp.http import McpApp  # most tests have nothing to do with it, and it takes a second to load

    return McpApp(client.served, options, **given)
