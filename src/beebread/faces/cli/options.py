"""What every command takes (where the memory is, who asks, --json) and how each one answers and fails."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import click
import msgspec
from rich.console import Console

from beebread.capture import storable
from beebread.errors import BeebreadError, codes
from beebread.faces.cli.terminal import terminal
from beebread.faces.client import Client

F = TypeVar("F", bound=Callable[..., Any])
EMPTY = 1  # exit code of an answer with nothing in it


@dataclass(slots=True)
class Door:
    """One command's memory, asker and way of answering."""

    home: str | None
    json: bool
    bindings: dict[str, Any]
    out: Console = field(default_factory=terminal)
    err: Console = field(default_factory=lambda: terminal(stderr=True))
    _client: Client | None = None

    @property
    def root(self) -> Client:
        """The folder's administrator; opened on first use, and it says where the data lives."""
        if self._client is None:
            self._client = Client(self.home)
            if not self.json:
                self.err.print(f"memory in {self._client.home}", style="dim", markup=False)
        return self._client

    @property
    def client(self) -> Client:
        """The memory as bound by --user, --agent, --session and --task."""
        return self.root.bind(**self.bindings) if self.bindings else self.root

    def answer(self, value: Any, show: Callable[[Console], None], *, empty: bool = False) -> None:
        """Print `value` as JSON, or let `show` draw it; an empty answer exits with 1."""
        if self.json:
            click.echo(msgspec.json.encode(value, enc_hook=str).decode())
        else:
            show(self.out)
        if empty:
            raise click.exceptions.Exit(EMPTY)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()


def _fail(door: Door, error: BeebreadError) -> None:
    if door.json:
        told = storable({"error": type(error).__name__, "message": str(error), "ids": error.ids})
        click.echo(msgspec.json.encode(told).decode())
    else:
        door.err.print(f"[bold red]{type(error).__name__}[/]: ", end="")
        door.err.print(str(error), markup=False)
    raise click.exceptions.Exit(codes(error).exit)


def command(name: str) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command whose function gets a Door first; the door is closed last, and errors become messages and exit codes."""

    def wrap(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(*, home: str | None, as_json: bool, **given: Any) -> None:
            bindings = {name: given.pop(f"bind_{name}") for name in _BINDINGS}
            door = Door(home, as_json, {name: value for name, value in bindings.items() if value})
            try:
                try:
                    function(door, **given)
                finally:
                    door.close()  # it makes the last words durable, and may fail like anything else
            except BeebreadError as error:
                _fail(door, error)

        wrapped: Any = run
        for option in reversed(_COMMON):
            wrapped = option(wrapped)
        return click.command(name)(wrapped)

    return wrap


_BINDINGS = ("user", "agent", "session", "task", "tz", "tenant", "groups", "clearance")
_COMMON = (
    click.option("--home", metavar="FOLDER", help="The memory's folder (default: BEEBREAD_HOME, else ~/.beebread)."),
    click.option("--user", "bind_user", metavar="U", help="Whose memory: the stable id of a user."),
    click.option("--agent", "bind_agent", metavar="A", help="Which agent acts."),
    click.option("--session", "bind_session", metavar="S", help="In which session."),
    click.option("--task", "bind_task", metavar="T", help="On which task."),
    click.option("--tz", "bind_tz", metavar="ZONE", help="Time zone in which relative time is counted, such as Asia/Shanghai."),
    click.option("--tenant", "bind_tenant", metavar="T", help="Of which tenant, where there are several."),
    click.option("--group", "bind_groups", multiple=True, metavar="G", help="Member of this group (repeatable)."),
    click.option("--clearance", "bind_clearance", type=click.IntRange(0, 3), help="Highest sensitivity to see (a user's default: 0)."),
    click.option("--json", "as_json", is_flag=True, help="Answer in JSON, one document on standard output."),
)


def filters(function: F) -> F:
    """Add the options that narrow a query or list."""
    wrapped: Any = function
    for option in reversed(_FILTERS):
        wrapped = option(wrapped)
    return wrapped


_FILTERS = (
    click.option("--kind", "kinds", multiple=True, metavar="K", help="Only this kind (repeatable): preference, tool_result, …"),
    click.option("--type", "types", multiple=True, type=click.Choice(["event", "memory"]), help="Only events, or only memories."),
    click.option("--tag", "tags", multiple=True, metavar="T", help="Only with this tag (repeatable)."),
    click.option("--in-session", "sessions", multiple=True, metavar="S", help="Only from this session (repeatable)."),
    click.option("--after", metavar="TIME", help="Only from this moment on (ISO 8601 with offset)."),
    click.option("--before", metavar="TIME", help="Only before this moment."),
    click.option("--as-of", metavar="TIME", help="What held in the world then."),
    click.option("--known-at", metavar="TIME", help="What the memory knew then."),
    click.option("--history", is_flag=True, help="Also what was superseded or has expired."),
    click.option("--min-confidence", type=float, metavar="X", help="Only with at least this confidence, 0 to 1."),
)


def given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were really given, as query options."""
    return {name: value for name, value in options.items() if value is not None and value is not False and value not in ((), "")}


def utf8() -> None:
    """Speak UTF-8 whatever the terminal's code page, since a memory holds every script."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
