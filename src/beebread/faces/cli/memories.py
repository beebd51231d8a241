"""Commands on memories: query, context, write, get, list, update, forget, history, purge, health."""

from __future__ import annotations

from typing import Any

import click

from beebread.faces.cli import meaning, show
from beebread.faces.cli.options import Door, command, filters, given
from beebread.faces.cli.terminal import Terminal


@command("query")
@click.argument("words", nargs=-1, metavar="[TEXT]…")
@click.option("--limit", default=10, show_default=True, help="At most this many items.")
@click.option("--order", type=click.Choice(["relevance", "time"]), default="relevance", show_default=True, help="What comes first.")
@click.option("--chain", is_flag=True, help="With each hit's causal chain: question, thought, call, result.")
@click.option("--tool", default="", help="Find the earlier result of this tool (with --args).")
@click.option("--args", "arguments", default="", metavar="JSON", help="The tool's arguments, as JSON.")
@click.option("--now", metavar="TIME", help="The moment, or day, from which relative time is counted (default: now).")
@click.option("--explain", "explained", is_flag=True, help="Show channels, scores, timings and the plan.")
@filters
def query(door: Door, words: tuple[str, ...], explained: bool, arguments: str, **options: Any) -> None:
    """Find the right past for TEXT, best first, with reasons. TEXT may be left out with --tool or a filter.

    \b
    beebread query "怎么通知我?" --user u1
    beebread query "port 8043" --user u1 --type event --chain
    """
    if not words and not given({name: value for name, value in options.items() if name not in _WAYS}):
        raise click.UsageError("Missing argument 'TEXT': say what to look for, or give --tool or a filter such as --kind")
    if arguments:
        options["args"] = show.json_argument(arguments, "--args")
    client = door.client
    meaning.settle_few(door)
    recall = client.query(" ".join(words), **given(options))
    door.answer(recall, lambda out: show.recall(out, recall, explained=explained), empty=not recall.items)


_WAYS = ("limit", "order", "chain", "now")  # how to answer, which says nothing of what is looked for


@command("context")
@click.argument("words", nargs=-1, required=True, metavar="TEXT…")
@click.option("--budget", default=4000, show_default=True, help="At most this many tokens.")
@click.option("--shape", type=click.Choice(["openai", "anthropic", "gemini"]), default="openai", show_default=True, help="Whose messages.")
@click.option("--system", default="", help="Your own system text, kept verbatim in front.")
@click.option("--now", metavar="TIME", help="The moment, or day, from which relative time is counted (default: now).")
@filters
def context(door: Door, words: tuple[str, ...], budget: int, shape: Any, system: str, **options: Any) -> None:
    """Make the messages for the next model call about TEXT. They keep within a token budget.

    \b
    beebread context "继续上次的爬虫任务" --user u1 --session s2 --budget 2000
    """
    client = door.client
    meaning.settle_few(door)
    pack = client.context(" ".join(words), budget=budget, shape=shape, system=system, **given(options))
    door.answer(pack, lambda out: show.pack(out, pack))


@command("write", writes=True)
@click.argument("text")
@click.option("--kind", default="fact", show_default=True, help="preference, instruction, fact, decision, commitment, conclusion, …")
@click.option("--key", default="", help="Its slot, such as notification.channel; a newer one of the same slot supersedes it.")
@click.option("--value", default="", help="The slot's bare value, such as feishu.")
@click.option("--tag", "tags", multiple=True, help="A tag (repeatable).")
@click.option("--confidence", default=1.0, show_default=True, help="How sure it is, 0 to 1.")
@click.option("--importance", default=0.5, show_default=True, help="How much it matters, 0 to 1.")
@click.option("--space", default="private", show_default=True, help="private, shared, system or session.")
@click.option("--shared-with", "group", default="", metavar="G", help="Of the shared space: the group that it is for.")
@click.option("--sensitivity", default=0, show_default=True, help="0 open to 3 secret.")
@click.option("--valid-from", metavar="TIME", help="Since when it holds in the world: a moment or a day.")
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
@click.option("--limit", default=50, show_default=True, help="At most this many.")
@click.option("--cursor", default="", help="Where the page before ended.")
@filters
def list_(door: Door, **options: Any) -> None:
    """List memories, newest first. Or events, with --type event."""
    page = door.client.list(**given(options))

    def draw(out: Terminal) -> None:
        events = 0 if page.items or options["types"] else door.bound.health().counts.get("event", 0)
        if events:
            out.print(f"no memories; {show.events(events)}: add --type event")
        else:
            show.records(out, page.items, page.cursor)

    door.answer(page, draw, empty=not page.items)


@command("update", writes=True)
@click.argument("id")
@click.option("--text", help="The new text.")
@click.option("--tag", "tags", multiple=True, help="The new tags, all of them.")
@click.option("--confidence", type=float, help="How sure it is, 0 to 1.")
@click.option("--importance", type=float, help="How much it matters, 0 to 1.")
@click.option("--version", type=int, help="Refuse unless it is still at this version.")
def update(door: Door, id: str, **options: Any) -> None:
    """Change the memory ID. Its earlier version stays in its history."""
    memory = door.client.update(id, **{name: value for name, value in options.items() if value not in (None, ())})
    door.answer(memory, lambda out: show.record(out, memory))


@command("forget", writes=True)
@click.argument("id")
@click.option("--reason", default="", help="Why, for the diary.")
@click.option("--erase", is_flag=True, help="Remove it for real at once.")
def forget(door: Door, id: str, reason: str, *, erase: bool) -> None:
    """Forget the record ID and what rests on it alone. It is removed for real later (see purge), or now with --erase."""
    gone = door.client.forget(id, reason=reason, erase=erase)
    door.answer({"forgotten": gone}, lambda out: out.print(f"forgotten: {', '.join(gone)}", markup=False))


@command("history")
@click.argument("id")
def history(door: Door, id: str) -> None:
    """Show the versions of the memory ID, newest first. Those of its slot too."""
    versions = door.client.history(id)
    door.answer(versions, lambda out: show.records(out, versions), empty=not versions)


@command("purge", writes=True)
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
    """Say whether the memory answers, where it is, what it keeps. What it keeps is counted for the asker."""
    state = door.bound.health()
    user = door.bindings.get("user")
    door.answer(state, lambda out: show.health(out, state, f"user {user}" if user else "no user in particular"))
