"""One connection of a client, as uvicorn has it, with an end to what brings no request forward: in bytes, and in seconds."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 256 << 10  # bytes in which neither headers nor a part of a body came to an end; the edge takes less of headers, and says so


class Connection(HttpToolsProtocol):
    """Lets go of a client who sends headers without end, and of one who never finishes them."""

    patience = 30.0  # seconds for the whole of a request's headers
    _idle = 0
    _begun = False
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._idle += len(data)
        super().data_received(data)
        if self._idle > MOST:
            self.transport.close()
        elif self._begun:
            self._wait()

    def on_message_begin(self) -> None:
        self._begun = True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value.strip(b" \t"))  # blanks around a value are none of it (RFC 9110 5.5)

    def on_headers_complete(self) -> None:
        self._idle = 0
        self._begun = False
        self._wait_no_more()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._idle = 0
        super().on_body(body)

    def _wait(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.patience, self.transport.close)

    def _wait_no_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def connection(patience: float) -> type[Connection]:
    """Connections that wait so many seconds for the headers of a request."""
    return type("Connection", (Connection,), {"patience": patience})
