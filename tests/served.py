"""A memory behind a real server on a free port of this machine, in a thread of the test."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn

from beebread import Client
from beebread.faces.rest import ServerOptions, make_app


@contextmanager
def served(folder: Path, options: ServerOptions | None = None, **opening: Any) -> Generator[str]:
    """The address of a server of the memory in `folder`, which is opened with `opening`."""
    with Client(folder, **opening) as client, socket.socket(proto=socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        config = uvicorn.Config(make_app(client.served, options), log_level="critical", loop="asyncio", timeout_graceful_shutdown=5)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()
