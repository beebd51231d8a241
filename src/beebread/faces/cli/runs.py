"""Commands on runs: import, sessions, trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from beebread.context import outline
from beebread.faces.cli import show
from beebread.faces.cli.options import Door, command, given
from beebread.importers import FORMATS


@command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--format", "format_", type=click.Choice(["auto", *sorted(FORMATS)]), default="auto", show_default=True)
def import_(door: Door, paths: tuple[Path, ...], format_: str) -> None:
    """Import transcripts, exports or runs from PATHS (files or folders); importing again changes nothing.

    \b
    beebread import ~/.claude/projects --user me
    beebread import chat.json --format openai --user u1 --session s1
    """
    totals = {"created": 0, "seen": 0, "buried": 0}
    problems: list[str] = []
    name = TextColumn("{task.description}", markup=False)  # files may be called anything
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=door.err,
        disable=door.json,
    )
    with bar:
        for path in paths:
            task = bar.add_task(path.name, total=None)
            session = door.bindings.get("session", "")
            done = door.client.import_(
                path, format_, session=session, progress=lambda at, total, task=task: bar.update(task, completed=at, total=total)
            )
            totals = {name: totals[name] + getattr(done, name) for name in totals}
            problems.extend((*done.problems, *done.unfinished))

    def draw(out: Any) -> None:
        out.print(
            f"{totals['created']} events kept, {totals['seen']} were there already"
            + (f", {totals['buried']} stay erased" if totals["buried"] else "")
        )
        for problem in problems:
            out.print(f"[yellow]{show.short(problem)}[/]")

    nothing = not (totals["created"] or totals["seen"])
    door.answer({**totals, "problems": problems}, draw, empty=nothing)


@command("sessions")
@click.option("--limit", default=50, show_default=True)
@click.option("--cursor", default="", help="Where the page before ended.")
def sessions(door: Door, **options: Any) -> None:
    """List sessions with their events, errors and tokens, latest begun first."""
    page = door.client.sessions(**given(options))
    door.answer(page, lambda out: show.sessions(out, page.items, page.cursor), empty=not page.items)


@command("trace")
@click.argument("session")
@click.option("--id", "id", default="", help="Only the chain around this event.")
@click.option("--depth", default=20, show_default=True, help="Hops each way, with --id.")
def trace(door: Door, session: str, id: str, depth: int) -> None:
    """Draw the causal graph of SESSION: what each step came from, failures and retries marked."""
    found = door.client.trace(session, id=id, depth=depth)
    door.answer(
        found, lambda out: show.outline(out, [(row.depth, row.event, row.marks) for row in outline(found)], session), empty=not found.events
    )
