"""How answers look on a terminal: tables, chains and packs, in colour where a person looks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec
from rich.cells import cell_len
from rich.markup import escape
from rich.text import Text

from beebread.faces.cli.terminal import Terminal, one_line
from beebread.model import Event, Memory, Pack, Recall, Record, Session, State
from beebread.service import Health

COLOURS = {
    "user_message": "green", "assistant_message": "cyan", "thought": "magenta", "tool_call": "yellow", "tool_result": "blue",
    "error": "red",
}  # fmt: skip
LONGEST = 240
SHORTEST = 16  # cells of text that even a deep step of a run shows


def json_argument(text: str, name: str) -> Any:
    """`text` as JSON, or a usage error that names the option."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise click.BadParameter(f"{name} is not JSON: {error}") from None


def short(text: str, longest: int = LONGEST) -> str:
    """One line of `text`, cut with an ellipsis, with nothing that rich would read as markup."""
    line = one_line(text)
    return escape(line if len(line) <= longest else line[: longest - 1] + "…")


def events(count: int) -> str:
    """So many events, in words."""
    return f"{count} event{'' if count == 1 else 's'}"


def _text(record: Record) -> str:
    if isinstance(record, Session):
        return record.title
    if isinstance(record, Event) and record.tool and not record.text:
        return f"{record.tool.name} {msgspec.json.encode(record.tool.args).decode()}"
    return record.text


def more(out: Terminal, cursor: str) -> None:
    """Where the next page begins, when there is one."""
    if cursor:
        out.print(f"[dim]more: --cursor {escape(cursor)}[/]")


def recall(out: Terminal, found: Recall, *, explained: bool) -> None:
    """Items best first, each with its reasons; with the plan and the channels when asked."""
    for number, item in enumerate(found.items, 1):
        colour = COLOURS.get(item.kind, "white")
        head = f"[bold]{number}.[/] [{colour}]{escape(item.kind)}[/]  {out.moment(item.at)}"
        out.print(f"{head}  [dim]score {item.score:.2f}  {escape(item.id)}[/]")
        out.print(f"   {escape(out.cut(item.text, LONGEST))}")
        out.print(f"   [dim]{escape('; '.join(item.reasons))}[/]")
        if explained:
            ranks = ", ".join(f"{name} #{rank.rank} ({rank.score:.2f})" for name, rank in item.channels.items())
            out.print(f"   [dim]{escape(ranks)}[/]")
        for step in item.chain:
            out.print(f"     [dim]{escape(step.kind)}[/] {escape(out.cut(_text(step), 160))}")
    if not found.items:
        out.print(escape(found.report.empty or "nothing relevant is known"), style="yellow")
    if explained:
        out.print_json(msgspec.json.encode(found.report, enc_hook=str).decode())


def pack(out: Terminal, made: Pack) -> None:
    """The messages as they would be sent, then what they cost and where they come from."""
    if made.system:
        out.print("[bold]\\[system][/]")
        out.print(made.system, markup=False)
    for message in made.messages:
        out.print(f"[bold]{escape('[' + str(message['role']) + ']')}[/]")
        content = message.get("content", message.get("parts"))
        if isinstance(content, str):
            out.print(content, markup=False)
        elif content:
            out.print_json(msgspec.json.encode(content).decode())
        if message.get("tool_calls"):
            out.print_json(msgspec.json.encode(message["tool_calls"]).decode())
    out.print(f"[dim]{made.tokens} of {made.budget} tokens; {len(made.citations)} citations; {len(made.dropped)} left out or shortened[/]")


def record(out: Terminal, one: Record | None) -> None:
    """Everything known of one record."""
    if one is None:
        out.print("nothing under that id", style="yellow")
    else:
        out.print_json(msgspec.json.encode(one).decode())


def records(out: Terminal, listed: Sequence[Record], cursor: str = "") -> None:
    """A table of records."""
    rows = [
        (one.id, out.moment(one.at), one.kind, ("(superseded) " if isinstance(one, Memory) and one.superseded_by else "") + _text(one))
        for one in listed
    ]
    if rows:
        out.table(("id", "at", "kind", "text"), rows, text="text")
    else:
        out.print("nothing")
    more(out, cursor)


def sessions(out: Terminal, listed: Sequence[Session], cursor: str) -> None:
    """A table of sessions."""
    rows = [
        (
            one.scope.session, out.moment(one.at), out.moment(one.last_at), str(one.events), str(one.errors or ""),
            str(one.tokens_in + one.tokens_out or ""), one.title,
        )
        for one in listed
    ]  # fmt: skip
    if rows:
        out.table(("session", "from", "to", "events", "errors", "tokens", "title"), rows, text="title")
    else:
        out.print("no sessions")
    more(out, cursor)


def state(out: Terminal, one: State | None) -> None:
    """A state, field by field."""
    if one is None:
        out.print("no state under that key", style="yellow")
        return
    head = f"[bold]{escape(one_line(one.key))}[/] version {one.version}"
    out.print(f"{head}, step {escape(one_line(one.step)) or '-'}, {out.moment(one.updated_at)}")
    rows = [(name, _value(field.value), field.status, field.source) for name, field in one.fields.items()]
    out.table(("field", "value", "status", "source"), rows, text="value")


def _value(value: object) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def outline(out: Terminal, rows: Sequence[tuple[int, Event, Sequence[str]]]) -> None:
    """A run as a tree: ids in front, what each step came from, failures and retries marked; the text is what gives way."""
    longest = max((cell_len(one_line(event.id)) for _, event, _ in rows), default=0)
    for (_, event, marks), branch in zip(rows, _branches([depth for depth, _, _ in rows]), strict=True):
        name = one_line(event.id)
        colour = "red" if event.status == "error" else COLOURS.get(event.kind, "white")
        line = Text.assemble((name + " " * (longest - cell_len(name) + 2), "dim"), branch, (one_line(event.kind), colour))
        if marks:
            line.append(f" {one_line(', '.join(marks))}", "bold red")
        line.append(f" {out.cut(_text(event), max(SHORTEST, out.width - line.cell_len - 1))}")
        out.print(line)


def _branches(depths: Sequence[int]) -> list[str]:
    """The lines of a tree in front of each of its rows; the rows of depth 0 stand at the margin."""
    drawn: list[str] = []
    later: set[int] = set()  # the depths at which a sibling follows below
    for depth in reversed(depths):
        stems = "".join("│  " if level in later else "   " for level in range(1, depth))
        drawn.append(stems + ("├─ " if depth in later else "└─ ") if depth else "")
        later = {level for level in later if level < depth} | {depth}
    return drawn[::-1]


def health(out: Terminal, state: Health, asker: str) -> None:
    """Whether the memory answers, where it is, and what it keeps for the asker."""
    out.print(f"{'answers':<10}{'yes' if state.ok else 'no'}")
    rows = [("folder", state.home), ("for", asker), *((name, str(count)) for name, count in sorted(state.counts.items()))]
    if state.store != state.home:
        rows.insert(1, ("store", state.store))
    if not state.counts:
        rows.append(("keeps", "nothing yet"))
    rows += [(name, str(count)) for name, count in state.capture.items() if count]
    without = [f"{state.waiting} changes have no vectors yet"] if state.waiting else []
    without += [f"the model refused {state.refused} records"] if state.refused else []
    rows.append(("meaning", state.meaning + (f" ({', '.join(without)})" if without else "")))
    for name, value in rows:
        out.print(f"{name:<10}{value}", markup=False)
