"""How answers look on a terminal: tables, chains and packs, in colour where a person looks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click
import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from beebread.model import Event, Memory, Pack, Recall, Record, Session, State

COLOURS = {
    "user_message": "green", "assistant_message": "cyan", "thought": "magenta", "tool_call": "yellow", "tool_result": "blue",
    "error": "red",
}  # fmt: skip
LONGEST = 240


def json_argument(text: str, name: str) -> Any:
    """`text` as JSON, or a usage error that names the option."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise click.BadParameter(f"{name} is not JSON: {error}") from None


def short(text: str, longest: int = LONGEST) -> str:
    """One line of `text`, cut with an ellipsis, with nothing that rich would read as markup."""
    line = " ".join(text.split())
    return escape(line if len(line) <= longest else line[: longest - 1] + "…")


def moment(value: datetime | None) -> str:
    """A time for people: to the minute, in its own offset."""
    return value.strftime("%Y-%m-%d %H:%M %z") if value else ""


def _text(record: Record) -> str:
    if isinstance(record, Session):
        return record.title
    if isinstance(record, Event) and record.tool and not record.text:
        return f"{record.tool.name} {msgspec.json.encode(record.tool.args).decode()}"
    return record.text


def _table(*columns: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0))
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def recall(out: Console, found: Recall, *, explained: bool) -> None:
    """Items best first, each with its reasons; with the plan and the channels when asked."""
    for number, item in enumerate(found.items, 1):
        colour = COLOURS.get(item.kind, "white")
        out.print(f"[bold]{number}.[/] [{colour}]{item.kind}[/]  {moment(item.at)}  [dim]score {item.score:.2f}  {escape(item.id)}[/]")
        out.print(f"   {short(item.text)}")
        out.print(f"   [dim]{escape('; '.join(item.reasons))}[/]")
        if explained:
            ranks = ", ".join(f"{name} #{rank.rank} ({rank.score:.2f})" for name, rank in item.channels.items())
            out.print(f"   [dim]{escape(ranks)}[/]")
        for step in item.chain:
            out.print(f"     [dim]{step.kind}[/] {short(_text(step), 160)}")
    if not found.items:
        out.print(escape(found.report.empty or "nothing relevant is known"), style="yellow")
    if explained:
        out.print_json(msgspec.json.encode(found.report, enc_hook=str).decode())


def pack(out: Console, made: Pack) -> None:
    """The messages as they would be sent, then what they cost and where they come from."""
    if made.system:
        out.print(f"[bold]system[/]\n{escape(made.system)}")
    for message in made.messages:
        out.print(f"[bold]{message['role']}[/]")
        content = message.get("content", message.get("parts"))
        if isinstance(content, str):
            out.print(escape(content))
        elif content:
            out.print_json(msgspec.json.encode(content).decode())
        if message.get("tool_calls"):
            out.print_json(msgspec.json.encode(message["tool_calls"]).decode())
    out.print(f"[dim]{made.tokens} of {made.budget} tokens; {len(made.citations)} citations; {len(made.dropped)} left out or shortened[/]")


def record(out: Console, one: Record | None) -> None:
    """Everything known of one record."""
    if one is None:
        out.print("nothing under that id", style="yellow")
    else:
        out.print_json(msgspec.json.encode(one).decode())


def records(out: Console, listed: Sequence[Record], cursor: str = "") -> None:
    """A table of records."""
    table = _table("at", "kind", "text", "id")
    for one in listed:
        marks = " [dim](superseded)[/]" if isinstance(one, Memory) and one.superseded_by else ""
        table.add_row(moment(one.at), one.kind, short(_text(one), 120) + marks, escape(one.id))
    out.print(table if listed else "nothing")
    if cursor:
        out.print(f"[dim]more: --cursor {escape(cursor)}[/]")


def sessions(out: Console, listed: Sequence[Session], cursor: str) -> None:
    """A table of sessions."""
    table = _table("session", "from", "to", "events", "errors", "tokens", "title")
    for one in listed:
        tokens = str(one.tokens_in + one.tokens_out or "")
        table.add_row(
            escape(one.scope.session),
            moment(one.at),
            moment(one.last_at),
            str(one.events),
            str(one.errors or ""),
            tokens,
            short(one.title, 60),
        )
    out.print(table if listed else "no sessions")
    if cursor:
        out.print(f"[dim]more: --cursor {escape(cursor)}[/]")


def state(out: Console, one: State | None) -> None:
    """A state, field by field."""
    if one is None:
        out.print("no state under that key", style="yellow")
        return
    out.print(f"[bold]{escape(one.key)}[/] version {one.version}, step {escape(one.step) or '-'}, updated {moment(one.updated_at)}")
    table = _table("field", "value", "status", "source")
    for name, field in one.fields.items():
        value = field.value if isinstance(field.value, str) else msgspec.json.encode(field.value).decode()
        table.add_row(escape(name), short(value), field.status, escape(field.source))
    out.print(table)


def outline(out: Console, rows: Sequence[tuple[int, Event, Sequence[str]]], title: str) -> None:
    """A run as a tree: what each step came from, with failures and retries marked."""
    tree = Tree(f"[bold]{escape(title)}[/]")
    branches: list[Tree] = [tree]
    for depth, event, marks in rows:
        del branches[depth + 1 :]
        colour = "red" if event.status == "error" else COLOURS.get(event.kind, "white")
        noted = f" [bold red]{escape(', '.join(marks))}[/]" if marks else ""
        label = f"[{colour}]{event.kind}[/]{noted} {short(_text(event), 120)} [dim]{escape(event.id)}[/]"
        branches.append(branches[-1].add(label))
    out.print(tree)
