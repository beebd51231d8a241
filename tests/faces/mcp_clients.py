"""The protocol's official client on a memory, over standard input and output and over HTTP, in each era that the protocol has had."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import msgspec
from mcp.client.client import Client
from mcp.client.session import ElicitationFnT
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

MODES = ("legacy", "auto")
COMMAND = [sys.executable, "-m", "beebread", "mcp"]


@asynccontextmanager
async def over_stdio(folder: Path, *options: str, mode: str = "auto", ask: ElicitationFnT | None = None) -> AsyncGenerator[Client]:
    """A client of `beebread mcp` on a folder."""
    # The official client passes on only what every program needs: without this, a server would find an embedder of its own.
    settings = {name: value for name, value in os.environ.items() if name.startswith("BEEBREAD_")}
    command = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], "--home", str(folder), *options], env=settings)
    async with Client(stdio_client(command), mode=mode, elicitation_callback=ask) as client:
        yield client


@asynccontextmanager
async def over_http(url: str, token: str = "", *, mode: str = "auto", ask: ElicitationFnT | None = None) -> AsyncGenerator[Client]:
    """A client of a server's /mcp."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode, elicitation_callback=ask) as client,
    ):
        yield client


async def called(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool gives, which must be the same as data and as text."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    told = _text(result)
    assert msgspec.to_builtins(result.structured_content) == told
    return told


async def refused(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool says of a call that it does not take."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    return _text(result)


def _text(result: types.CallToolResult) -> dict[str, Any]:
    (content,) = result.content
    assert isinstance(content, types.TextContent)
    return msgspec.json.decode(content.text)
