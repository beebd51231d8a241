"""How one record or state is told to a model: a heading, its words, and what its mark will point to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct

from beebread.context.media import said
from beebread.context.wording import Words, date, heading, language_of, named
from beebread.model import Citation, Event, Item, Memory, Record, Session, State, canonical, search_text
from beebread.text.fence import fence

_LONGEST_ARGUMENTS = 200


class Entry(Struct, frozen=True, kw_only=True):
    """One thing that the model can be told."""

    id: str
    kind: str
    head: str
    body: str
    at: datetime
    sources: tuple[str, ...] = ()


def is_pinned(memory: Memory) -> bool:
    """Whether a standing instruction is one to be obeyed: the user himself asserted it; all else is data."""
    return memory.trust == "human" and memory.evidence.modality in {"asserted", "negated"} and not memory.pending


def pinned_entry(memory: Memory) -> Entry:
    """A standing instruction, its text verbatim."""
    return Entry(id=memory.id, kind=memory.kind, head="", body=memory.text, at=memory.at, sources=memory.evidence.sources)


def state_entry(state: State, now: datetime, language: Words) -> Entry:
    """The fields of a task's state, each with how sure it is and where it came from, on a line of its own."""
    about = [named(state.memory_type, language), f"{language.step}{language.colon}{state.step}" if state.step else "", f"v{state.version}"]
    at = state.updated_at or state.created_at or now
    lines = [
        f"{name}{language.colon}{canonical(field.value).decode()} ({', '.join(part for part in (field.status, field.source) if part)})"
        for name, field in state.fields.items()
    ]
    sources = tuple(dict.fromkeys(field.source for field in state.fields.values() if field.source))
    head = f"{date(at, now)} {state.key} ({', '.join(part for part in about if part)})"
    return Entry(id=state.key, kind="state", head=head, body="\n".join(lines) or "{}", at=at, sources=sources)


def _body(item: Item) -> str:
    record = item.record
    tool = record.tool if isinstance(record, Event) else None
    body = item.text or search_text(record)
    if isinstance(record, Event) and record.error and record.error.message not in body:
        body = f"{body}\n{record.error.message}".strip()
    if tool is None or tool.args is None:
        return body
    args = canonical(tool.args).decode()
    if record.kind == "tool_call":
        return item.text or args
    return f"{args[:_LONGEST_ARGUMENTS]}{'…' if len(args) > _LONGEST_ARGUMENTS else ''} → {body}"


def item_entry(item: Item, now: datetime, language: Words) -> Entry:
    """A recalled record: when, what and who as its heading, its text as its body."""
    sources = item.sources or ((item.id,) if isinstance(item.record, Event) else ())
    return Entry(id=item.id, kind=item.kind, head=heading(item, now, language), body=_body(item), at=item.at, sources=sources)


def as_item(record: Record) -> Item:
    """A record that no search found, as an item without a score. It says so where another has taken its place since."""
    status = "active"
    if isinstance(record, Memory):
        text, sources = record.text, record.evidence.sources
        status = "superseded" if record.superseded_by else "disputed" if record.disputes else status
    elif isinstance(record, Event):
        text, sources = said(record), (record.id,)
        status = "superseded" if record.superseded_by else status
    else:
        text, sources = record.title, ()
    return Item(id=record.id, kind=record.kind, text=text, score=0.0, at=record.at, record=record, sources=sources, status=status)


def is_session(item: Item) -> bool:
    """Whether an item is a session's record, which has no words to tell."""
    return isinstance(item.record, Session)


def line(entry: Entry, language: Words) -> str:
    """The entry without its mark. Its heading is one line and its body indented, so that no remembered text can pass for a line of ours."""
    if not entry.head:
        return entry.body
    body = entry.body.strip().replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\n  ")
    return f"{' '.join(entry.head.split())}{language.colon}{body}"


def cited(entries: Iterable[Entry], *, first: int = 1, letter: str = "", kind: str = "") -> tuple[Citation, ...]:
    """What the marks of `entries` point to, numbered from `first`, under `kind` where it is not their own."""
    return tuple(
        Citation(f"[{letter}{number}]", entry.id, kind or entry.kind, entry.at, entry.sources)
        for number, entry in enumerate(entries, first)
    )


def given_entries(items: Sequence[Item], now: datetime) -> tuple[Entry, ...]:
    """Records that were given before, in the language that they are in themselves: it stays the same whatever is asked later."""
    language = language_of(" ".join(item.text for item in items))
    return tuple(item_entry(item, now, language) for item in items)


def given_text(entries: Sequence[Entry], first: int) -> str:
    """The block that stands where `entries` were given, numbered from `first`."""
    language = language_of(" ".join(entry.body for entry in entries))
    lines = (f"{citation.mark} {line(entry, language)}" for citation, entry in zip(cited(entries, first=first), entries, strict=True))
    return fence("\n".join(lines), note=language.earlier)
