"""What every command takes (where the memory is, who asks, --json) and how each one answers and fails."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time, tzinfo
from typing import Any, TypeVar

import click
import msgspec

from beebread.capture import storable
from beebread.clock import parse_zone
from beebread.errors import BeebreadError, codes
from beebread.faces.cli.terminal import Terminal
from beebread.faces.cli.tree import Leaf
from beebread.faces.client import Client
from beebread.settings import load

F = TypeVar("F", bound=Callable[..., Any])
EMPTY = 1  # exit code of an answer with nothing in it


@dataclass(slots=True)
class Door:
    """One command's memory, asker and way of answering."""

    home: str | None
    json: bool
    bindings: dict[str, Any]
    writes: bool = False
    out: Terminal = field(default_factory=Terminal)
    err: Terminal = field(default_factory=lambda: Terminal(stderr=True))
    _client: Client | None = None
    _noted: bool = False

    @property
    def root(self) -> Client:
        """The folder's administrator; opened on first use. A person, and whoever writes, is told where the data lives."""
        if self._client is None:
            self._client = Client(self.home)
            if self.writes or self.err.is_terminal:
                self.note(f"memory in {self._client.home}")
        return self._client

    @property
    def bound(self) -> Client:
        """The memory as bound by --user, --agent, --session and --task."""
        return self.root.bind(**self.bindings) if self.bindings else self.root

    @property
    def client(self) -> Client:
        """`bound`, for a command on somebody's memories: a forgotten --user is pointed out, once."""
        bound = self.bound
        if not self._noted and not self.bindings.get("user"):
            self._noted = True
            self.note("no --user given: this is the memory of no user in particular")
        return bound

    def note(self, text: str) -> None:
        """A word beside the answer, for people."""
        if not self.json:
            self.err.print(text, style="dim", markup=False)

    def answer(self, value: Any, show: Callable[[Terminal], None], *, empty: bool = False) -> None:
        """Print `value` as JSON, or let `show` draw it; an empty answer exits with 1."""
        if self.json:
            click.echo(_json(value))
        else:
            show(self.out)
        if empty:
            raise click.exceptions.Exit(EMPTY)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()


def _json(value: Any) -> str:
    """`value` in JSON; also the control characters that JSON lets through (C1, DEL) are escaped, since a terminal obeys them."""
    return re.sub("[\x7f-\x9f]", lambda found: f"\\u{ord(found[0]):04x}", msgspec.json.encode(value, enc_hook=str).decode())


def _fail(door: Door, error: BeebreadError) -> None:
    if door.json:
        told = storable({"error": type(error).__name__, "message": str(error), "ids": error.ids})
        click.echo(_json(told))
    else:
        door.err.print(f"[bold red]{type(error).__name__}[/]: ", end="")
        door.err.print(str(error), markup=False)
    raise click.exceptions.Exit(codes(error).exit)


def door_of(given: dict[str, Any], *, writes: bool) -> Door:
    """The door of a command that was given these parameters; those of every command are taken out."""
    bindings = {name: given.pop(f"bind_{name}") for name in _BINDINGS}
    return Door(given.pop("home"), given.pop("as_json"), {name: value for name, value in bindings.items() if value}, writes)


def command(name: str, *, writes: bool = False) -> Callable[[Callable[..., None]], click.Command]:
    """Make a command whose function gets a Door first; the door is closed last, and errors become messages and exit codes."""

    def wrap(function: Callable[..., None]) -> click.Command:
        @functools.wraps(function)
        def run(**given: Any) -> None:
            door = door_of(given, writes=writes)
            try:
                door.out.zone = parse_zone(door.bindings["tz"]) if "tz" in door.bindings else None
                try:
                    function(door, **_moments(given, door))
                finally:
                    door.close()  # it makes the last words durable, and may fail like anything else
            except BeebreadError as error:
                _fail(door, error)

        wrapped: Any = run
        for option in reversed(_COMMON):
            wrapped = option(wrapped)
        made = click.command(name, cls=Leaf)(wrapped)
        made.share(_SHARED)
        return made

    return wrap


def _moments(given: dict[str, Any], door: Door) -> dict[str, Any]:
    """`given` with each bare day among its times as the start of that day in --tz, else in the zone of the settings."""
    days = {name: value for name, value in given.items() if name in _TIMES and value and _DAY.fullmatch(value)}
    if not days:
        return given
    zone = door.out.zone or parse_zone(load(home=door.home).tz)
    return {**given, **{name: _start(value, zone) for name, value in days.items()}}


def _start(day: str, zone: tzinfo) -> str:
    try:
        return datetime.combine(date.fromisoformat(day), time(), zone).isoformat()
    except ValueError:
        raise click.BadParameter(f"{day} is no day of the calendar") from None


_TIMES = ("after", "before", "as_of", "known_at", "now", "valid_from")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_BINDINGS = ("user", "agent", "session", "task", "tz", "tenant", "groups", "clearance")
_COMMON = (
    click.option("--home", metavar="FOLDER", help="The memory's folder (default: BEEBREAD_HOME, else ~/.beebread)."),
    click.option("--user", "bind_user", metavar="U", help="Whose memory: the stable id of a user."),
    click.option("--agent", "bind_agent", metavar="A", help="Which agent acts."),
    click.option("--session", "bind_session", metavar="S", help="In which session."),
    click.option("--task", "bind_task", metavar="T", help="On which task."),
    click.option("--tz", "bind_tz", metavar="ZONE", help="Time zone in which times are shown and days counted, such as Asia/Shanghai."),
    click.option("--tenant", "bind_tenant", metavar="T", help="Of which tenant, where there are several."),
    click.option("--group", "bind_groups", multiple=True, metavar="G", help="Member of this group (repeatable)."),
    click.option("--clearance", "bind_clearance", type=click.IntRange(0, 3), help="Highest sensitivity to see (a user's default: 0)."),
    click.option("--json", "as_json", is_flag=True, help="Answer in JSON, one document on standard output."),
)


_SHARED = frozenset(("home", "as_json", *(f"bind_{name}" for name in _BINDINGS)))


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
    click.option(
        "--after",
        metavar="TIME",
        help="Only from then on: ISO 8601 with offset, or a day: its start in --tz (default UTC).",
    ),
    click.option("--before", metavar="TIME", help="Only before then (the same form)."),
    click.option("--as-of", metavar="TIME", help="What held in the world then (the same form)."),
    click.option("--known-at", metavar="TIME", help="What the memory knew then (the same form)."),
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
