"""Commands on the working memory of tasks: state get, set, list, history, delete."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from beebread.faces.cli import show
from beebread.faces.cli.options import Door, command
from beebread.faces.cli.terminal import Terminal
from beebread.faces.cli.tree import Branch


@click.group("state", cls=Branch)
def state() -> None:
    """Keep the state of a task. Its fields have a status, and are the same on every device of the user."""


def _fields(pairs: tuple[str, ...], status: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{pair!r} is not name=value")
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            value = text  # a bare word is a string
        fields[name] = {"value": value, "status": status}
    return fields


@command("get")
@click.argument("key")
def get(door: Door, key: str) -> None:
    """Show the state KEY, such as order_status_12345."""
    found = door.client.state_get(key)
    door.answer(found, lambda out: show.state(out, found), empty=found is None)


_STATUS = click.Choice(["confirmed", "tentative", "missing"])


@command("set", writes=True)
@click.argument("key")
@click.argument("pairs", nargs=-1, metavar="NAME=VALUE…")
@click.option("--status", type=_STATUS, default="confirmed", show_default=True, help="How sure it is.")
@click.option("--step", default="", help="The step that the task is at.")
@click.option("--version", type=int, help="Refuse unless the state is still at this version.")
@click.option("--replace", is_flag=True, help="Replace the whole state, not only these fields.")
def set_(door: Door, key: str, pairs: tuple[str, ...], *, status: str, step: str, version: int | None, replace: bool) -> None:
    """Set fields of the state KEY, each alone. A value is JSON, or a bare word.

    \b
    beebread state set trip_42 city=成都 nights=3 --step hotel --user u1
    """
    write = door.client.state_put if replace else door.client.state_set
    kept = write(key, fields=_fields(pairs, status), version=version, step=step)
    door.answer(kept, lambda out: show.state(out, kept))


@command("list")
@click.option("--limit", default=50, show_default=True, help="At most this many.")
@click.option("--cursor", default="", help="Where the page before ended.")
def list_(door: Door, limit: int, cursor: str) -> None:
    """List states by key."""
    page = door.client.state_list(limit=limit, cursor=cursor)

    def draw(out: Terminal) -> None:
        if not page.items:
            out.print("no states")
        for one in page.items:
            show.state(out, one)
        show.more(out, page.cursor)

    door.answer(page, draw, empty=not page.items)


@command("history")
@click.argument("key")
def history(door: Door, key: str) -> None:
    """Show the versions of the state KEY, newest first."""
    versions = door.client.state_history(key)

    def draw(out: Terminal) -> None:
        if not versions:
            show.state(out, None)
        for one in versions:
            show.state(out, one)

    door.answer(versions, draw, empty=not versions)


@command("delete", writes=True)
@click.argument("key")
def delete(door: Door, key: str) -> None:
    """Remove the state KEY for real, with its history."""
    door.client.state_delete(key)
    door.answer({"deleted": key}, lambda out: out.print("deleted"))


for _command in (get, set_, list_, history, delete):
    state.add_command(_command)
