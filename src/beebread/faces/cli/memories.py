"""Commands on memories: query, context, write, get, list, update, forget, history, purge, health."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from beebread.faces.cli import show
from beebread.faces.cli.options import Door, command, filters, given


@command("query")
@click.argument("text")
@click.option("--limit", default=10, show_default=True, help="At most this many items.")
@click.option("--order", type=click.Choice(["relevance", "time"]), default="relevance", show_default=True)
@click.option("--chain", is_flag=True, help="With each hit's causal chain: question, thought, call, result.")
@click.option("--tool", default="", help="Find the earlier result of this tool (with --args).")
@click.option("--args", "arguments", default="", metavar="JSON", help="The tool's arguments, as JSON.")
@click.option("--now", metavar="TIME", help="The moment from which relative time is counted (default: now).")
@click.option("--explain", "explained", is_flag=True, help="Show channels, scores, timings and the plan.")
@filters
def query(door: Door, text: str, explained: bool, arguments: str, **options: Any) -> None:
    """Find the right past for TEXT, best first, with reasons.

    \b
    beebread query "怎么通知我?" --user u1
    beebread query "port 8043" --user u1 --type event --chain
    """
    if arguments:
        options["args"] = show.json_argument(arguments, "--args")
    recall = door.client.query(text, **given(options))
    door.answer(recall, lambda out: show.recall(out, recall, explained=explained), empty=not recall.items)


@command("context")
@click.argument("text")
@click.option("--budget", default=4000, show_default=True, help="At most this many tokens.")
@click.option("--shape", type=click.Choice(["openai", "anthropic", "gemini"]), default="openai", show_default=True)
@click.option("--system", default="", help="Your own system text, kept verbatim in front.")
@click.option("--now", metavar="TIME", help="The moment from which relative time is counted (default: now).")
@filters
def context(door: Door, text: str, budget: int, shape: Any, system: str, **options: Any) -> None:
    """Make the messages for the next model call about TEXT, within a token budget.

    \b
    beebread context "继续上次的爬虫任务" --user u1 --session s2 --budget 2000
    """
    pack = door.client.context(text, budget=budget, shape=shape, system=system, **given(options))
    door.answer(pack, lambda out: show.pack(out, pack))


@command("write")
@click.argument("text")
@click.option("--kind", default="fact", show_default=True, help="preference, instruction, fact, decision, commitment, conclusion, …")
@click.option("--key", default="", help="Its slot, such as notification.channel; a newer one of the same slot supersedes it.")
@click.option("--value", default="", help="The slot's bare value, such as feishu.")
@click.option("--tag", "tags", multiple=True, help="A tag (repeatable).")
@click.option("--confidence", default=1.0, show_default=True)
@click.option("--importance", default=0.5, show_default=True)
@click.option("--space", default="private", show_default=True, help="private, shared, system or session.")
@click.option("--shared-with", "group", default="", metavar="G", help="Of the shared space: the group that it is for.")
@click.option("--sensitivity", default=0, show_default=True, help="0 open to 3 secret.")
@click.option("--valid-from", metavar="TIME", help="Since when it holds in the world.")
@click.option("--id", "id", default="", help="Your own id for it.")
def write(door: Door, text: str, **options: Any) -> None:
    """Keep TEXT as a memory and print its id."""
    written = door.client.write(text, **given(options))
    door.answer({"id": written}, lambda out: out.print(written, markup=False))


@command("get")
@click.argument("id")
def get(door: Door, id: str) -> None:
    """Show one record by ID."""
    record = door.client.get(id)
    door.answer(record, lambda out: show.record(out, record), empty=record is None)


@command("list")
@click.option("--limit", default=50, show_default=True)
@click.option("--cursor", default="", help="Where the page before ended.")
@filters
def list_(door: Door, **options: Any) -> None:
    """List memories (or events, with --type event), newest first."""
    page = door.client.list(**given(options))
    door.answer(page, lambda out: show.records(out, page.items, page.cursor), empty=not page.items)


@command("update")
@click.argument("id")
@click.option("--text", help="The new text.")
@click.option("--tag", "tags", multiple=True, help="The new tags, all of them.")
@click.option("--confidence", type=float)
@click.option("--importance", type=float)
@click.option("--version", type=int, help="Refuse unless it is still at this version.")
def update(door: Door, id: str, **options: Any) -> None:
    """Change the memory ID; its earlier version stays in its history."""
    memory = door.client.update(id, **{name: value for name, value in options.items() if value not in (None, ())})
    door.answer(memory, lambda out: show.record(out, memory))


@command("forget")
@click.argument("id")
@click.option("--reason", default="", help="Why, for the diary.")
def forget(door: Door, id: str, reason: str) -> None:
    """Forget the record ID and what rests on it alone; purged for real later (see purge)."""
    gone = door.client.forget(id, reason=reason)
    door.answer({"forgotten": gone}, lambda out: out.print(f"forgotten: {', '.join(gone)}", markup=False))


@command("history")
@click.argument("id")
def history(door: Door, id: str) -> None:
    """Show the versions of the memory ID and of its slot, newest first."""
    versions = door.client.history(id)
    door.answer(versions, lambda out: show.records(out, versions), empty=not versions)


@command("purge")
@click.option("--yes", is_flag=True, help="Do not ask.")
def purge(door: Door, yes: bool) -> None:
    """Remove for real, now, everything that was forgotten."""
    if not yes and door.json:
        raise click.UsageError("with --json nobody is asked: add --yes to remove for real what was forgotten")
    if not yes:
        click.confirm(f"Remove for real everything forgotten in {door.root.home}?", abort=True, err=True)
    removed = door.root.purge()
    door.answer({"records": removed}, lambda out: out.print(f"{removed} records removed for real"))


@command("health")
def health(door: Door) -> None:
    """Say whether the memory answers, where it is, and what it keeps for the asker."""
    state = door.client.health()
    door.answer(state, lambda out: out.print_json(msgspec.json.encode(state).decode()))
