"""Command install: the memory as a server of a client's, written into that client's own settings."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import click

from beebread.errors import Invalid
from beebread.faces.cli.options import Door, command
from beebread.faces.install import CLIENTS, Change, Client, Entry, changed, server, shown
from beebread.settings import load


@command("install")
@click.argument("client", type=click.Choice(list(CLIENTS)))
@click.option("--print", "only_print", is_flag=True, help="Show what would be written, and write nothing.")
@click.option("--uninstall", is_flag=True, help="Take it out again.")
@click.option("--project", is_flag=True, help="In the settings of the project in this folder, not in the user's.")
@click.option("--tools", type=click.Choice(["usual", "full"]), default="usual", help="full: also context and task states.")
def install(door: Door, client: str, *, only_print: bool, uninstall: bool, project: bool, tools: str) -> None:
    """Give a client this memory as an MCP server.

    Everything else in the client's settings stays as it is, and a copy of them is kept beside. Again changes nothing.

    \b
    beebread install claude-code --user ann
    beebread install codex --print
    """
    known = CLIENTS[client]
    if project and not known.project:
        raise Invalid(f"{known.title} has no settings of a project: leave --project out")
    file = Path.cwd() / known.project if project else known.user()
    entry = server([*_options(door), *(("--tools", "full") if tools == "full" else ())])
    if only_print:
        told = {"file": str(file), "entry": known.written(entry)}
        door.answer(told, lambda out: out.print(f"# {file}\n{shown(known, entry)}", markup=False, soft_wrap=True))
        return
    found = changed(known, file, None if uninstall else entry)
    said = _said(known, found, entry, gone=uninstall)
    door.answer(found, lambda out: out.print(said, markup=False, soft_wrap=True))
    if found.backup:
        door.note(f"the earlier one is kept in {found.backup}")


def _options(door: Door) -> list[str]:
    """The options under which the server is to be started: those that were given here, with a folder's whole path."""
    home = door.home if door.home and "://" in door.home else load(home=door.home).home
    options = ["--home", home if "://" in home else str(Path(home).absolute())] if home else []
    for name, value in door.bindings.items():
        several = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
        for one in several:
            options += ["--group" if name == "groups" else f"--{name}", str(one)]
    return options


def _said(client: Client, found: Change, entry: Entry, *, gone: bool) -> str:
    title, file = client.title, found.file
    if gone:
        return f"{title} no longer has the memory: taken out of {file}" if found.changed else f"{title} has no memory of ours in {file}"
    if not found.changed:
        return f"{title} has the memory already, in {file}"
    return f"{title} has the memory now: {' '.join((entry.command, *entry.args))}\nwritten into {file}. {client.after}."
