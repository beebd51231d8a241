"""Commands on runs: import, sessions, trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from beebread.context import outline
from beebread.errors import BeebreadError
from beebread.faces.cli import meaning, show
from beebread.faces.cli.options import Door, command, given
from beebread.faces.cli.terminal import Terminal, one_line
from beebread.importers import FORMATS

_FORMAT = click.Choice(["auto", *sorted(FORMATS)])


@command("import", writes=True)
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option(
    "--format", "format_", type=click.Choice(["auto", *sorted(FORMATS)]), default="auto", show_default=True, help="What the files are."
)
def import_(door: Door, paths: tuple[Path, ...], format_: str) -> None:
    """Import transcripts, exports or runs from PATHS. PATHS are files or folders; importing again changes nothing.

    \b
    beebread import ~/.claude/projects --user me
    beebread import chat.json --format openai --user u1 --session s1
    """
    totals = {"created": 0, "seen": 0, "buried": 0}
    problems: list[str] = []
    bar = Progress(
        TextColumn("{task.description}", markup=False),  # files may be called anything
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=door.err,
        disable=door.json or not door.err.is_terminal,
    )
    client, session = door.client, door.bindings.get("session", "")
    try:
        with bar:
            for path in paths:
                task = bar.add_task(one_line(path.name), total=None)
                done = client.import_(
                    path, format_, session=session, progress=lambda at, total, task=task: bar.update(task, completed=at, total=total)
                )
                totals = {name: totals[name] + getattr(done, name) for name in totals}
                problems.extend((*done.problems, *done.unfinished))
    except BeebreadError:
        if any(totals.values()):
            door.note(f"from the files before: {_kept(totals)}; importing them again doubles nothing")
        raise
    meaning.settle_all(door)

    def draw(out: Terminal) -> None:
        out.print(_kept(totals))
        for problem in problems:
            out.print(f"[yellow]{show.short(problem)}[/]")

    nothing = not (totals["created"] or totals["seen"])
    door.answer({**totals, "problems": problems}, draw, empty=nothing)


def _kept(totals: dict[str, int]) -> str:
    erased = f", {totals['buried']} stay erased" if totals["buried"] else ""
    return f"{show.events(totals['created'])} kept, {totals['seen']} were there already{erased}"


@command("sessions")
@click.option("--limit", default=50, show_default=True, help="At most this many.")
@click.option("--cursor", default="", help="Where the page before ended.")
def sessions(door: Door, **options: Any) -> None:
    """List sessions, latest begun first. With their events, errors and tokens."""
    page = door.client.sessions(**given(options))
    door.answer(page, lambda out: show.sessions(out, page.items, page.cursor), empty=not page.items)


@command("trace")
@click.argument("session")
@click.option("--id", "id", default="", help="Only the chain around this event.")
@click.option("--depth", default=20, show_default=True, help="Hops each way, with --id.")
def trace(door: Door, session: str, id: str, depth: int) -> None:
    """Draw the causal graph of SESSION. What each step came from, failures and retries marked."""
    found = door.client.trace(session, id=id, depth=depth)

    def draw(out: Terminal) -> None:
        if found.events:
            out.print(session, style="bold", markup=False)
            show.outline(out, [(row.depth, row.event, row.marks) for row in outline(found)])
        elif id:
            out.print(f"no event {id!r} for this user (see: beebread trace {session})", style="yellow", markup=False)
        else:
            out.print(f"no session {session!r} for this user (see: beebread sessions)", style="yellow", markup=False)

    door.answer(found, draw, empty=not found.events)
