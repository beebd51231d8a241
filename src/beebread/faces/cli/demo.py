"""`beebread demo`: the whole path on a bundled run in Chinese and English, checked as it goes."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

import click
from rich.markup import escape

from beebread.clock import parse_zone
from beebread.errors import Conflict
from beebread.faces.cli import show
from beebread.faces.cli.options import utf8
from beebread.faces.cli.terminal import Terminal
from beebread.faces.client import Client
from beebread.model import Item

NOW = "2026-11-30T09:00:00+08:00"
TZ = "Asia/Shanghai"
QUESTIONS = (
    ("上次爬虫卡在第几页？后来怎么解决的？", ("crawl-14", "crawl-13")),
    ("以后有进展怎么通知我？", ("crawl-15",)),
    ("How did we fix the staging deployment when port 8043 was taken?", ("deploy-09",)),
    ("Who owns the nightly report?", ("deploy-10", "deploy-11")),
    ("成都酒店的订单号是多少？", ("trip-07", "trip-08")),
)
BY_HAND = "上次爬虫卡在第几页"
TRIP = "hotel_booking_ORD-20261021-0088"


@dataclass(slots=True)
class Story:
    """What the demo tells as it goes, and what it found wrong."""

    out: Terminal
    wrong: list[str] = field(default_factory=list[str])

    def title(self, text: str) -> None:
        self.out.print(f"\n[bold]{text}[/]")

    def check(self, right: bool, text: str) -> None:
        self.out.print(f"  [{'green' if right else 'bold red'}]{'ok' if right else 'wrong'}[/]  {text}")
        if not right:
            self.wrong.append(text)

    def hits(self, found: Iterable[Item], right: Collection[str]) -> None:
        """A line for each hit; the right ones marked, with what mainly brought them."""
        for item in found:
            good, who = item.id in right, item.kind.removesuffix("_message")
            line = self.out.cut(f"{self.out.moment(item.at):.16} {who}: {item.text}", self.out.width - 4)
            self.out.print(f"  {'→' if good else ' '} [{'bold' if good else 'default'}]{escape(line)}[/]")
            if good:
                self.out.print(f"      [dim]{escape(self.out.cut('; '.join(item.reasons[:2]), self.out.width - 6))}[/]")


@click.command("demo")
@click.option("--home", metavar="FOLDER", help="Keep the demo's memory in this folder (default: a temporary one, removed at the end).")
def demo(home: str | None) -> None:
    """See the whole path on a bundled run.

    A run is imported, asked about weeks later in Chinese and English, packed for a model; a state is shared by two devices.
    Needs no server, key, download or network. Exits with 1 when any answer is not the right one.
    """
    utf8()
    out = Terminal(zone=parse_zone(TZ))
    folder = Path(home) if home else Path(tempfile.mkdtemp(prefix="beebread-demo-"))
    story = Story(out)
    try:
        with Client(folder) as memory:
            out.print(f"memory in {folder}" + ("" if home else ", removed at the end"), style="dim", markup=False)
            _import(story, memory)
            _ask(story, memory)
            _again(story, memory)
            _pack(story, memory)
            _state(story, memory, folder)
            _stranger(story, memory)
    finally:
        if not home:
            shutil.rmtree(folder, ignore_errors=True)
    if story.wrong:
        out.print(f"\n[bold red]{len(story.wrong)} of the answers are wrong[/]")
        raise click.exceptions.Exit(1)
    out.print("\n[bold green]every answer is right[/]")
    _next(out, home)


def _next(out: Terminal, home: str | None) -> None:
    """Commands that run as they stand."""
    kept = home or "./demo-memory"
    out.print("\nNow by hand:")
    if not home:
        out.print(f"  beebread demo --home {kept}", markup=False)
    out.print(f'  beebread query "{BY_HAND}" --home {shlex.quote(kept)} --user lin', markup=False)


def _import(story: Story, memory: Client) -> None:
    story.title(f"1. A run is imported: three sessions of one user (times of {TZ})")
    lin = memory.bind(user="lin", tz=TZ)
    source = files("beebread.faces.cli") / "demo_run.jsonl"
    lines = len(source.read_text(encoding="utf-8").splitlines())
    with as_file(source) as run:
        first, second = lin.import_(run), lin.import_(run)
    told = f"{first.created} events kept, with their own times and causes" + (f"; {first.seen} were there already" if first.seen else "")
    story.check(first.created + first.seen == lines and not first.problems, told)
    story.check(second.created == 0 and second.seen == lines, "imported again: nothing is doubled")


def _ask(story: Story, memory: Client) -> None:
    story.title("2. Weeks later, from another session, questions in Chinese and English")
    lin = memory.bind(user="lin", session="november", tz=TZ)
    for question, right in QUESTIONS:
        found = lin.query(question, limit=3, now=NOW)
        story.out.print(f"\n  [bold cyan]{question}[/]")
        story.hits(found, right)
        story.check(bool({item.id for item in found} & set(right)), "the right event is among the first three")


def _again(story: Story, memory: Client) -> None:
    story.title("3. A tool already called with these arguments need not be called again")
    lin = memory.bind(user="lin", session="november", tz=TZ)
    found = lin.query(tool="http_get", args={"url": "https://shop.example/robots.txt"}, now=NOW)
    story.hits(list(found)[:1], ("crawl-04",))
    story.check("crawl-04" in [item.id for item in found], "http_get of robots.txt: its earlier result is found, with its age")


def _pack(story: Story, memory: Client) -> None:
    story.title("4. The messages for the next model call, within 900 tokens")
    lin = memory.bind(user="lin", session="november", tz=TZ)
    pack = lin.context("继续上次的爬虫任务，先看还有什么没做", budget=900, system="You are a coding agent.", now=NOW)
    show.pack(story.out, pack)
    story.check(pack.tokens <= 900 and "断点续爬" in str(pack.messages), "the pack fits, and holds what was left to do")


def _state(story: Story, memory: Client, folder: Path) -> None:
    story.title("5. The state of a task, on two devices")
    phone = memory.bind(user="lin", session="phone", tz=TZ)
    phone.state_set(TRIP, fields={"hotel": "锦里小院", "nights": 2, "breakfast": None}, step="booked")
    with Client(folder) as other:
        laptop = other.bind(user="lin", session="laptop", tz=TZ)
        seen = laptop.state_get(TRIP)
        show.state(story.out, seen)
        story.check(seen is not None and seen.fields["hotel"].value == "锦里小院", "what the phone wrote, the laptop reads")
        version = seen.version if seen else 0
        laptop.state_set(TRIP, fields={"breakfast": {"value": "two", "status": "tentative"}}, version=version)
    try:
        phone.state_set(TRIP, fields={"nights": 3}, version=version)
        refused = False
    except Conflict as conflict:
        refused = True
        story.out.print(f"  [dim]{show.short(str(conflict), 160)}[/]")
    story.check(refused, "a write that did not see the laptop's change is refused, not lost")


def _stranger(story: Story, memory: Client) -> None:
    story.title("6. Somebody else asks the same")
    wang = memory.bind(user="wang", tz=TZ)
    nothing = not any(len(wang.query(question, now=NOW)) for question, _ in QUESTIONS) and wang.state_get(TRIP) is None
    story.check(nothing and wang.get("crawl-14") is None, "nothing of it is his: the same empty answer as for an unknown user")
