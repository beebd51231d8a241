"""Commands on vectors: settle, reembed; and what other commands do so that words just kept are found by their meaning too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from beebread.errors import BeebreadError
from beebread.faces.cli.options import Door, command
from beebread.faces.cli.terminal import Terminal

AT_ONCE = 128  # changes of the log that a query waits for: about a second's work


def _with_bar(door: Door, what: str, work: Callable[[Callable[[int, int], None]], Any]) -> Any:
    bar = Progress(
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=door.err, disable=door.json or not door.err.is_terminal, transient=True,
    )  # fmt: skip
    with bar:
        task = bar.add_task(what, total=None)
        return work(lambda done, total: bar.update(task, completed=done, total=total))


def settle_all(door: Door) -> None:
    """Embed all that waits, with a bar; who stops it loses nothing, for it goes on the next time."""
    try:
        _with_bar(door, "vectors", lambda progress: door.root.settle(progress=progress))
    except KeyboardInterrupt:
        door.note("stopped: `beebread settle` makes the other vectors; until then words, keys and time find everything")
    except BeebreadError as error:
        door.note(str(error))  # what was kept is kept; the reason is also in every answer's report


def settle_few(door: Door) -> None:
    """Embed what waits if that takes about a second at most, else say what to do."""
    waiting = door.root.health().waiting
    if not waiting:
        return
    if waiting > AT_ONCE:
        door.note(f"{waiting} changes have no vectors yet and are found by words alone: beebread settle")
        return
    try:
        door.root.settle()
    except BeebreadError as error:
        door.note(str(error))


@command("settle", writes=True)
def settle(door: Door) -> None:
    """Make the vectors of everything that has none yet. It can be stopped at any time and goes on the next time."""
    _with_bar(door, "vectors", lambda progress: door.root.settle(progress=progress))
    state = door.root.health()

    def draw(out: Terminal) -> None:
        out.print(f"meaning: {state.meaning}", markup=False)

    door.answer({"meaning": state.meaning, "waiting": state.waiting}, draw)


@command("reembed", writes=True)
def reembed(door: Door) -> None:
    """Move the vectors to another embedder. The one that is set now, see BEEBREAD_EMBEDDER.

    Words, keys and time find everything meanwhile. It can be stopped at any time and goes on the next time.
    """
    changed = _with_bar(door, "vectors", lambda progress: door.root.reembed(progress=progress))
    state = door.root.health()

    def draw(out: Terminal) -> None:
        out.print(f"{'now searched by' if changed else 'all vectors are of'} {state.meaning}", markup=False)

    door.answer({"changed": changed, "meaning": state.meaning, "waiting": state.waiting}, draw)


COMMANDS: tuple[click.Command, ...] = (settle, reembed)
