"""The rest of a connection on standard input and output, on the SDK's own transport."""

from __future__ import annotations

from typing import Any, TextIO, cast

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from beebread.faces.client import Client
from beebread.faces.mcp.first import Lines, Output


class Stdio:
    """A loaded server with its memory; see `first.Ready`."""

    def __init__(self, client: Client, server: Server[Any]) -> None:
        self._client, self._server = client, server

    def serve(self, lines: Lines, out: Output) -> None:
        """Go on until the client leaves."""
        anyio.run(self._serve, lines, out)

    async def _serve(self, lines: Lines, out: Output) -> None:
        reading, writing = anyio.wrap_file(cast("TextIO", _Reads(lines))), anyio.wrap_file(cast("TextIO", _Writes(out)))
        async with stdio_server(reading, writing) as streams:
            await self._server.run(*streams, self._server.create_initialization_options())

    def close(self) -> None:
        """Let go of the memory."""
        self._client.close()


class _Reads:
    """Lines as the transport reads them."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def readline(self) -> str:
        return self._lines.readline()

    def __next__(self) -> str:
        if not (line := self._lines.readline()):
            raise StopIteration
        return line


class _Writes:
    """Output as the transport writes it."""

    def __init__(self, out: Output) -> None:
        self._out = out

    def write(self, text: str) -> int:
        self._out.line(text)
        return len(text)

    def flush(self) -> None:
        """Every line is written at once."""
