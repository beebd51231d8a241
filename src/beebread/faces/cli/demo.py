"""`beebread demo`: the whole path on a bundled run in Chinese and English, checked as it goes."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

import click
from rich.console import Console

from beebread.errors import Conflict
from beebread.faces.cli import show
from beebread.faces.cli.options import utf8
from beebread.faces.cli.terminal import terminal
from beebread.faces.client import Client

NOW = "2026-11-30T09:00:00+08:00"
TZ = "Asia/Shanghai"
QUESTIONS = (
    ("上次爬虫卡在第几页？后来怎么解决的？", ("crawl-14", "crawl-13")),
    ("以后有进展怎么通知我？", ("crawl-15",)),
    ("How did we fix the staging deployment when port 8043 was taken?", ("deploy-09",)),
    ("Who owns the nightly report?", ("deploy-10", "deploy-11")),
    ("成都酒店的订单号是多少？", ("trip-07", "trip-08")),
)
TRIP = "hotel_booking_ORD-20261021-0088"


@dataclass(slots=True)
class Story:
    """What the demo tells as it goes, and what it found wrong."""

    out: Console
    wrong: list[str] = field(default_factory=list[str])

    def title(self, text: str) -> None:
        self.out.print(f"\n[bold]{text}[/]")

    def check(self, right: bool, text: str) -> None:
        self.out.print(f"  [{'green' if right else 'bold red'}]{'ok' if right else 'wrong'}[/]  {text}")
        if not right:
            self.wrong.append(text)


@click.command("demo")
@click.option("--home", metavar="FOLDER", help="Keep the demo's memory in this folder (default: a temporary one, removed at the end).")
def demo(home: str | None) -> None:
    """See the whole path on a bundled run: import, ask weeks later in Chinese and English, pack, state on two devices.

    Needs no server, key, download or network. Exits with 1 when any answer is not the right one.
    """
    utf8()
    out = terminal()
    folder = Path(home) if home else Path(tempfile.mkdtemp(prefix="beebread-demo-"))
    story = Story(out)
    try:
        with Client(folder) as memory:
            out.print(f"memory in {folder}", style="dim", markup=False)
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
    out.print("\n[bold green]every answer is right[/]  next: beebread import YOUR_TRANSCRIPT --user YOU; beebread query '…' --user YOU")


def _import(story: Story, memory: Client) -> None:
    story.title("1. A run is imported: three sessions of one user, autumn 2026")
    lin = memory.bind(user="lin", tz=TZ)
    with as_file(files("beebread.faces.cli") / "demo_run.jsonl") as run:
        first, second = lin.import_(run), lin.import_(run)
    story.check(first.created > 0 and not first.problems, f"{first.created} events kept, with their own times and causes")
    story.check(second.created == 0 and second.seen == first.created, "imported again: nothing is doubled")


def _ask(story: Story, memory: Client) -> None:
    story.title("2. Weeks later, from another session, questions in Chinese and English")
    lin = memory.bind(user="lin", session="november", tz=TZ)
    for question, right in QUESTIONS:
        found = lin.query(question, limit=3, now=NOW)
        story.out.print(f"\n  [bold cyan]{question}[/]")
        for item in found:
            story.out.print(f"  [dim]{show.moment(item.at)}[/] {item.kind}: {show.short(item.text, 150)}")
            story.out.print(f"    [dim]score {item.score:.2f}; {'; '.join(item.reasons)}[/]", soft_wrap=True)
        story.check(bool({item.id for item in found} & set(right)), "the right event is among the first three")


def _again(story: Story, memory: Client) -> None:
    story.title("3. A tool already called with these arguments need not be called again")
    lin = memory.bind(user="lin", session="november", tz=TZ)
    found = lin.query(tool="http_get", args={"url": "https://shop.example/robots.txt"}, now=NOW)
    for item in list(found)[:1]:
        story.out.print(f"  {show.moment(item.at)} {item.kind}: {show.short(item.text, 150)}\n    [dim]{'; '.join(item.reasons)}[/]")
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
