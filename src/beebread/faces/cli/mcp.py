"""Command mcp: the memory for agents' own programs, over the Model Context Protocol."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from beebread.errors import Unavailable
from beebread.faces.cli import serve
from beebread.faces.cli.options import Door, command, door_of, utf8

if TYPE_CHECKING:
    from beebread.faces.mcp.stdio import Stdio


@command("mcp", writes=True)
@click.option("--tools", type=click.Choice(["usual", "full"]), default="usual", help="full: also context and task states.")
@click.option("--text-only", is_flag=True, help="Answer in text alone, for a client that takes nothing else.")
@click.option("--no-ask", is_flag=True, help="Never ask the user which of two values is right: the newer one is.")
@click.option("--http", is_flag=True, help="Serve over HTTP, at /mcp, as `beebread serve` does.")
@serve.listening
def mcp(door: Door, *, http: bool, tools: str, text_only: bool, no_ask: bool, **options: Any) -> None:
    """Serve the memory to agents over MCP.

    A client starts this command by itself and talks to it on standard input and output; `beebread install` writes it into the client's
    settings.

    \b
    beebread mcp --user ann
    claude mcp add beebread -- beebread mcp --user ann
    """
    if http:
        serve.run(door, options, full=tools == "full", structured=not text_only, asks=not no_ask)
        return
    from beebread.faces.mcp import first

    load = partial(_stdio, door, tools, text_only=text_only, no_ask=no_ask)
    raise SystemExit(first.serve(load, full=tools == "full", structured=not text_only))


def loaded(words: list[str]) -> Stdio:
    """The server that a command line asks for; what makes no sense is said, and ends with SystemExit."""
    utf8()
    try:
        given = mcp.make_context("beebread mcp", words).params
    except click.ClickException as error:
        error.show()
        raise SystemExit(error.exit_code) from None
    door = door_of(given, writes=True)
    return _stdio(door, given["tools"], text_only=given["text_only"], no_ask=given["no_ask"])


def _stdio(door: Door, tools: str, *, text_only: bool, no_ask: bool) -> Stdio:
    try:
        from beebread.faces.mcp.server import make_server
        from beebread.faces.mcp.stdio import Stdio
    except ModuleNotFoundError as error:
        raise Unavailable(f"MCP needs {error.name}: pip install 'beebread[mcp]'") from None
    service, who = door.bound.operations
    server = make_server(service, lambda _: who, full=tools == "full", structured=not text_only, asks=not no_ask)
    return Stdio(door.root, server)
