"""Command serve: the memory over HTTP, until it is told to stop."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import click

from beebread.errors import Forbidden, Unavailable
from beebread.faces.cli.options import Door, F, command

_OPTIONS = (
    click.option(
        "--host", default="127.0.0.1", show_default=True, help="The address to listen on; another than this machine's own needs a key."
    ),
    click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 takes a free one."),
    click.option("--rate", default=0.0, show_default=True, help="Requests a second of one credential, on average; 0 sets no limit."),
    click.option("--at-once", default=256, show_default=True, type=click.IntRange(min=1), help="Requests answered at once."),
    click.option("--body", default=16 << 20, show_default=True, type=click.IntRange(min=1024), help="Bytes of one request."),
)


def listening(function: F) -> F:
    """Add the options of a server."""
    wrapped: Any = function
    for option in reversed(_OPTIONS):
        wrapped = option(wrapped)
    return wrapped


@command("serve", writes=True)
@listening
@click.option("--openapi", is_flag=True, help="Print the OpenAPI document, and serve nothing.")
def serve(door: Door, *, openapi: bool, **options: Any) -> None:
    """Serve the memory over HTTP.

    REST is below /v1, its documentation at /docs; MCP is at /mcp, where beebread[mcp] is installed.

    \b
    beebread serve
    beebread key create phone --user u1 && beebread serve --host 0.0.0.0
    """
    if openapi:
        click.echo(_serving().document())
    else:
        run(door, options)


def run(door: Door, options: dict[str, Any], **mcp: Any) -> None:
    """Serve the memory of `door`, with MCP where that is installed; `mcp` are options of that."""
    serving = _serving()
    from beebread.faces.rest import ServerOptions

    chosen = ServerOptions(**options)
    client = door.root
    if not chosen.loopback and not client.key_list():
        raise Forbidden(
            "whoever reaches this machine would read everything: make a key first (beebread key create), or listen on 127.0.0.1"
        )
    try:
        from beebread.faces.mcp.http import McpApp
    except ModuleNotFoundError as error:
        if mcp:
            raise Unavailable(f"MCP needs {error.name}: pip install 'beebread[mcp]'") from None
        door.note(f"MCP is not served: {error.name} is not installed (pip install 'beebread[mcp]')")
        serving.serve(client, chosen, door.note)
    else:
        serving.serve(client, chosen, door.note, {"/mcp": McpApp(client.served, chosen, **mcp)})


def _serving() -> ModuleType:
    try:
        from beebread.faces.rest import serving
    except ModuleNotFoundError as error:
        raise Unavailable(f"serving needs {error.name}: pip install 'beebread[server]'") from None
    return serving
