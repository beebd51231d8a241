"""`beebread bench recall`: what comes back, on data sets with known answers, beside plain yardsticks and another product."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO

import click
import msgspec
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from beebread.errors import Invalid
from beebread.faces.bench import datasets, mem0, run
from beebread.faces.bench.about import About, about
from beebread.faces.bench.datasets import Case
from beebread.faces.bench.measures import Asked
from beebread.faces.bench.peers import plain
from beebread.faces.bench.summary import WHOLE, Row, rows
from beebread.faces.bench.systems import OWN, Beebread, System, without
from beebread.faces.bench.vectors import Vectors, open_vectors
from beebread.faces.cli.terminal import Terminal

PEERS = ("bm25", "embedder", "sum", "mem0")
WORSE = 0.01
"""A channel should not cost more than this anywhere."""
_PIPE = 160  # columns where no terminal says how many there are
_MEASURES = {
    "R@5": "r5", "R@10": "r10", "R@20": "r20", "nDCG@10": "ndcg10", "MRR": "mrr", "session hit@5": "session_hit5",
    "session R@10": "session_r10", "in 512 tokens": "in512", "in 1,024 tokens": "in1024", "in 2,048 tokens": "in2048", "first": "first",
    "ahead of outdated": "ahead", "AUROC": "auroc", "nothing when none": "abstained",
}  # fmt: skip
_OF_TYPES = {"R@10": "r10", "first": "first", "ahead": "ahead"}


@click.command("recall")
@click.option(
    "--data", envvar="BEEBREAD_DATA", required=True, metavar="FOLDER", type=click.Path(path_type=Path),
    help="The folder that holds eval/ (default: BEEBREAD_DATA).",
)  # fmt: skip
@click.option("--set", "sets", multiple=True, metavar="NAME", help="Only this set (repeatable; default: all).")
@click.option("--limit-cases", type=click.IntRange(0), default=0, metavar="N", help="Only the first N cases of each set.")
@click.option("--size", type=click.IntRange(0), default=0, metavar="N", help="Join the sets into one owner of N records: for the times.")
@click.option("--peer", "peers", multiple=True, type=click.Choice(PEERS), help="Measure this beside it (repeatable).")
@click.option("--ablate", is_flag=True, help="Also switch off each channel in turn.")
@click.option("--types", is_flag=True, help="Show a row for each type of question.")
@click.option("--raw", type=click.Path(path_type=Path, dir_okay=False), help="Keep the result of every question, as JSON lines.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def recall(
    *, data: Path, sets: tuple[str, ...], limit_cases: int, size: int, peers: tuple[str, ...], ablate: bool, types: bool, raw: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Ask questions whose answers are known, through the same calls as a program makes, and count what comes back.

    docs/benchmarks.md says what the columns mean and where the data comes from. Every set is asked with the same settings.
    """
    names = datasets.chosen(data, sets)
    out, err = Terminal(), Terminal(stderr=True)
    if not out.is_terminal:
        out.width = _PIPE
    every: list[Row] = []
    with ExitStack() as stack:
        kept = stack.enter_context(_opened(raw)) if raw else None
        systems, versions = _systems(peers, ablate, err.print, stack)
        told = about(versions)
        _keep(kept, told)
        if not as_json:
            _circumstances(out, told)
        progress = stack.enter_context(_progress(err))
        for cases in _histories(data, names, limit_cases, size):
            asked = _asked(cases, systems, progress)
            _keep(kept, *(one for line in asked for one in line))
            lines = [row for line in asked for row in rows(line)]
            every += lines
            if not as_json:
                _show(out, [row for row in lines if not row.system.startswith(without(""))], types)
    if as_json:
        click.echo(msgspec.json.encode({"about": told, "rows": every}).decode())
    elif ablate:
        _changes(out, every)


def _histories(data: Path, names: Sequence[str], limit: int, size: int) -> Iterator[list[Case]]:
    """The cases of each set, or all joined into one owner."""
    if size:
        yield [datasets.joined((case for name in names for case in datasets.cases(data, name, limit)), size)]
    else:
        yield from (datasets.cases(data, name, limit) for name in names)


def _systems(
    peers: Sequence[str], ablate: bool, say: Callable[[str], None], stack: ExitStack
) -> tuple[dict[str, Callable[[], System]], dict[str, str]]:
    """How each system is made anew for a world, and the versions of those that have any."""
    systems: dict[str, Callable[[], System]] = {OWN: lambda: Beebread(ablate)}
    versions: dict[str, str] = {}
    vectors: Vectors | None = None
    if set(peers) - {"bm25"}:
        vectors = open_vectors()
        stack.callback(vectors.close)
        versions["embedder"] = vectors.space
    for name in dict.fromkeys(peers):
        if name == mem0.NAME and vectors is not None:
            python = mem0.environment(Path.home() / ".cache" / "beebread" / "peers", say)
            versions[name] = mem0.version(python)
            systems[name] = partial(mem0.Mem0, python, vectors)
        else:
            systems[name] = partial(plain, name, vectors if name != "bm25" else None)
    return systems, versions


def _asked(cases: list[Case], systems: Mapping[str, Callable[[], System]], progress: Progress) -> list[list[Asked]]:
    """What every system answered to the questions of these cases, a list for each line of the table."""
    found: list[list[Asked]] = []
    for name, make in systems.items():
        task = progress.add_task(f"{cases[0].dataset}: {name}", total=sum(len(case.questions) for case in cases))
        found += run.measure(cases, make, partial(progress.advance, task)).values()
        progress.remove_task(task)
    return found


def _progress(err: Terminal) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=err, transient=True, disable=not err.is_terminal)


# ---------------------------------------------------------------- what is kept and shown


def _opened(path: Path) -> IO[bytes]:
    try:
        return path.open("wb")
    except OSError as error:
        raise Invalid(f"the raw results cannot be kept in {str(path)!r}: {error}") from None


def _keep(kept: IO[bytes] | None, *found: About | Asked) -> None:
    if kept is not None:
        kept.write(b"".join(msgspec.json.encode(one) + b"\n" for one in found))
        kept.flush()


def _circumstances(out: Terminal, told: About) -> None:
    out.print(", ".join(f"{name} {version}" for name, version in told.versions.items()), markup=False)
    out.print(f"{told.machine}, {told.cores} cores, {told.memory_gib} GiB", markup=False)
    seeds = ", ".join(map(str, told.seeds))
    out.print(f"seeds of the generator {seeds}; bootstrap: {told.resampled} resamplings, seed {told.seed}", markup=False)
    for name, version in told.systems.items():
        out.print(f"{name}: {version}", markup=False)


def _show(out: Terminal, lines: Sequence[Row], types: bool) -> None:
    """One set: a column for each system, a row for each measure, and for some of each type of question."""
    whole = [row for row in lines if row.type == WHOLE]
    table = Table(box=None, title=f"{whole[0].dataset}, {whole[0].questions} questions, {whole[0].graded} of them graded")
    table.add_column("")
    for row in whole:
        table.add_column(row.system, justify="right", no_wrap=True)
    for title, name in _MEASURES.items():
        _line(table, title, [getattr(row, name) for row in whole])
    table.add_row("R@10, 95 % from", *(_share(row.r10_low) for row in whole))
    table.add_row("R@10, 95 % to", *(_share(row.r10_high) for row in whole))
    table.add_row("others' items", *(f"{row.leaks}" for row in whole))
    for title, low, high in (("ms", "p50_ms", "p95_ms"), ("ms without the vector", "search_p50_ms", "search_p95_ms")):
        table.add_row(f"{title}, p50 / p95", *(f"{getattr(row, low):.1f} / {getattr(row, high):.1f}" for row in whole))
    for kind in dict.fromkeys(row.type for row in lines if types and row.type != WHOLE):
        group = [row for row in lines if row.type == kind]
        for title, name in _OF_TYPES.items():
            _line(table, f"{kind} ({group[0].questions}): {title}", [getattr(row, name) for row in group])
    out.print(table)
    for row in whole:
        if row.failed:
            out.print(f"{row.system}: a channel did not answer in {row.failed} of {row.questions} questions", style="bold red")
    out.print()


def _line(table: Table, title: str, values: Sequence[float | None]) -> None:
    if any(value is not None for value in values):
        table.add_row(title, *map(_share, values))


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _changes(out: Terminal, every: Sequence[Row]) -> None:
    """What switching a channel off changes, for every set and type of question: less is what the channel is for."""
    whole = {(row.dataset, row.type): row for row in every if row.system == OWN}
    lines = [row for row in every if row.system.startswith(without(""))]
    channels = list(dict.fromkeys(row.system for row in lines))
    table = Table(box=None, title="Change of R@10 with one channel switched off")
    for head in ("set", "type", "n", "R@10", *(name.removeprefix(f"{OWN} ") for name in channels)):
        table.add_column(head, justify="left" if head in {"set", "type"} else "right", no_wrap=True)
    for (dataset, kind), row in whole.items():
        others = {one.system: one for one in lines if one.dataset == dataset and one.type == kind}
        if row.r10 is not None:
            table.add_row(dataset, kind, f"{row.graded}", _share(row.r10), *(_change(row, others.get(name)) for name in channels))
    out.print(table)


def _change(row: Row, other: Row | None) -> str:
    """The change, marked where the channel makes things worse by more than 0.01."""
    if other is None or row.r10 is None or other.r10 is None:
        return ""
    change = other.r10 - row.r10
    return f"[bold red]{change:+.3f}[/]" if change > WORSE else f"{change:+.3f}"
