"""`beebread bench speed`: what recording, ingesting and asking cost here, each figure beside the bar that this project sets itself."""

from __future__ import annotations

import asyncio
import statistics
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from beebread.faces.bench import made, meaning_speed, speed
from beebread.faces.bench.about import about
from beebread.faces.cli.tree import Branch
from beebread.model import Event, Principal
from beebread.settings import load
from beebread.wiring import Plugs, open_plugs

EACH = 143  # events of a user, in the mean
MILLION = 1_000_000
ONE_OWNER, SPACE = 5_000, 100_000
BARS = {
    f"fused_owner_{ONE_OWNER}_p50_ms": ("<=", 6.0),
    f"fused_space_{SPACE}_p95_ms": ("<=", 60.0),
    f"fused_{MILLION}_p95_ms": ("<=", 20.0),
    "embed_en_per_s": (">=", 75.0),
    "embed_zh_per_s": (">=", 75.0),
    "resident_mib": ("<=", 600.0),
    "cli_cold_s": ("<=", 1.5),
}
"""What this project asks of a machine with two cores; of memory, at a million events."""
DISK, DISK_OF_TEXT = 1.8 * 1024, 2.0  # bytes a record with its vectors, and so many times its text


async def _measure(folder: Path, count: int, owners: int, questions: int, say: Callable[[str], None]) -> dict[str, float]:
    plugs = await open_plugs(load(home=str(folder), embedder="none"))
    try:
        return await _many_owners(plugs, count, owners, questions, say)
    finally:
        await plugs.close()


async def _many_owners(plugs: Plugs, count: int, owners: int, questions: int, say: Callable[[str], None]) -> dict[str, float]:
    say(f"ingesting {count:,} events of {owners:,} users, {speed.BATCH} a batch, durable")
    waiting: Iterable[Event] = track(made.events(count, owners), total=count, console=Console(stderr=True), transient=True)
    figures: dict[str, float] = {"events": count, "ingest_per_s": await speed.ingest(plugs.store, waiting)}
    figures.update(await speed.ask(plugs.store, count, owners))
    say("adding vectors, two for each event")
    figures["vectors_per_s"] = await meaning_speed.add(plugs.store, meaning_speed.vectors_of(plugs.store), made.Instant())
    say("asking through every channel")
    users = made.Users(owners, 1)
    users.rnd.seed(8)
    asked = [(Principal(user=users.one()), made.sentence(users.rnd, 32)) for _ in range(questions)]
    return {**figures, **await meaning_speed.fused(plugs.store, asked, count, str(count))}


def _on_disk(folder: Path, count: int) -> dict[str, float]:
    size = sum(file.stat().st_size for file in folder.rglob("beebread.db*"))
    text = statistics.fmean(len(event.text.encode()) for event in made.events(1000, 10))
    return {"disk_mib": size / 2**20, "disk_bytes_an_event": size / count, "text_bytes_an_event": text}


def _place(name: str, count: int, questions: int, say: Callable[[str], None]) -> dict[str, float]:
    if not count:
        return {}
    say(f"one {name} of {count:,} events")
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(meaning_speed.one_place(Path(folder), count, f"{name}_{count}", questions, shared=name == "space"))


def bar(name: str, figures: dict[str, float]) -> tuple[str, float] | None:
    """What a figure should be, at least or at most; None where nothing is asked of it."""
    if name == "disk_bytes_an_event":
        return "<=", DISK + DISK_OF_TEXT * figures["text_bytes_an_event"]
    return BARS.get(name)


@click.group("bench", cls=Branch)
def bench() -> None:
    """Measure this machine. Each figure stands beside a plain yardstick of the same run."""


@bench.command("speed")
@click.option("--events", "count", default=SPACE, show_default=True, help="Events to ingest; 1000000 takes some minutes.")
@click.option("--owners", default=0, help="Users that they belong to (default: one for 143 events; 7,000 for 1000000).")
@click.option("--owner", "one", default=ONE_OWNER, show_default=True, help="Also ask one owner of so many events; 0: none.")
@click.option("--space", default=SPACE, show_default=True, help="Also ask one shared space of so many events; 0: none.")
@click.option("--questions", default=meaning_speed.QUESTIONS, show_default=True, help="Questions asked in each place.")
@click.option("--model/--no-model", default=True, help="Also time the model that is installed, and a command from nothing.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def speed_command(*, count: int, owners: int, one: int, space: int, questions: int, model: bool, as_json: bool) -> None:
    """Time recording, ingesting, asking and walking. Also search by meaning, and the memory and the disk that they take.

    Vectors are made up, and the model's time is left out; it is measured by itself, where the built-in one is installed. Where this
    project has set itself a bar, it stands beside the figure.
    """
    say = Console(stderr=True).print
    figures: dict[str, float] = {}
    for size in (200, 2000):
        figures.update({f"{name}_{size}": value for name, value in speed.record_cost(size, 10 * questions).items()})
    with tempfile.TemporaryDirectory() as folder:
        figures.update(asyncio.run(_measure(Path(folder), count, owners or max(1, count // EACH), questions, say)))
        figures.update(_on_disk(Path(folder), count))
        figures["resident_mib"] = speed.resident()  # before the yardsticks take theirs
        for name, measured in speed.yardsticks(Path(folder), say).items():
            figures.update({f"{name}_per_s": measured, f"ingest_to_{name}": figures["ingest_per_s"] / measured})
    figures.update({**_place("owner", one, questions, say), **_place("space", space, questions, say)})
    figures.update(_model(say) if model else {})
    _show(figures, as_json)


def _model(say: Callable[[str], None]) -> dict[str, float]:
    say("embedding short texts, and asking from the command line from nothing")
    with tempfile.TemporaryDirectory() as folder:
        return {**meaning_speed.embedding(), **meaning_speed.cold(Path(folder))}


def _show(figures: dict[str, float], as_json: bool) -> None:
    if as_json:
        bars = {name: " ".join(map(str, asked)) for name in figures if (asked := bar(name, figures))}
        click.echo(msgspec.json.encode({"figures": figures, "bars": bars, "about": about({})}).decode())
        return
    table = Table("figure", "value", "bar", box=None)
    for name, value in figures.items():
        asked = bar(name, figures)
        table.add_row(name, f"{value:,.2f}", f"{asked[0]} {asked[1]:,.1f}" if asked else "")
    Console().print(table)
