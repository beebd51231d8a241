"""A real HTTP server in a thread, which answers each request as the test says: well, badly, late or not at all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: Any


class Reply(NamedTuple):
    """What to answer: a body (text as it is, anything else as JSON), a status, and further headers."""

    body: Any
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()


Answer = Callable[[Asked], Reply]


class Serving:
    """The address of the running server and what it was asked."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[Asked] = []
        self.answer = answer
        serving = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.path, headers, json.loads(self.rfile.read(size)))
                serving.asked.append(asked)
                reply = serving.answer(asked)
                data = reply.body.encode() if isinstance(reply.body, str) else json.dumps(reply.body).encode()
                try:
                    self.send_response(reply.status)
                    for name, value in reply.headers:
                        self.send_header(name, value)
                    self.send_header("content-length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True  # the client gave up, as some tests want it to

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"


@contextmanager
def serving(answer: Answer) -> Generator[Serving]:
    """A server that runs until the block ends."""
    made = Serving(answer)
    thread = threading.Thread(target=made.server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()
        thread.join(10)
