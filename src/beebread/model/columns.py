"""The filterable face of any record: one flat row that policy judges and every engine stores in its own way."""

from __future__ import annotations

from typing import Any, cast

from msgspec import Struct

from beebread.clock import micros
from beebread.model.event import Event, Tool, signature
from beebread.model.ids import canonical
from beebread.model.memory import Memory, Record, Session
from beebread.model.scope import Scope, owner

BLOB = "blob:"  # what a string of a part that went to a blob begins with


class Columns(Struct, frozen=True, kw_only=True):
    """What can be filtered by, with absent things as their empty value. Times are microseconds since 1970 UTC, None where there is none."""

    owner: str
    id: str
    type: str
    kind: str
    scope: Scope
    at: int
    seq: int
    recorded_at: int
    layer: str = ""
    key: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    actor: str = ""
    origin: str = ""
    speaker: str = ""
    confidence: float = 1.0
    valid_from: int
    valid_to: int | None = None
    closed_at: int | None = None
    forgotten_at: int | None = None
    expires_at: int | None = None
    pending: bool = False
    disputed: bool = False
    environment: dict[str, str]


def columns(record: Record) -> Columns:
    """The row of `record`. An event that a correction superseded is closed in the world from the moment it happened."""
    home, at = owner(record.scope), micros(record.at)
    forgotten = micros(record.forgotten_at) if record.forgotten_at else None
    if isinstance(record, Session):
        return Columns(owner=home, id=record.id, type="session", kind="session", scope=record.scope, at=at, seq=0, recorded_at=at,
                       actor=record.actor.id, valid_from=at, forgotten_at=forgotten, environment={})  # fmt: skip
    expires = micros(record.expires_at) if record.expires_at else None
    closed = micros(record.closed_at) if record.closed_at else None
    if isinstance(record, Event):
        return Columns(
            owner=home, id=record.id, type="event", kind=record.kind, scope=record.scope, at=at, seq=record.seq,
            recorded_at=micros(record.recorded_at) if record.recorded_at else at, tags=record.tags, actor=record.actor.id,
            origin=record.origin, speaker=record.speaker, valid_from=at, valid_to=at if record.superseded_by else None, closed_at=closed,
            forgotten_at=forgotten,
            expires_at=expires, environment=record.environment,
        )  # fmt: skip
    return Columns(
        owner=home, id=record.id, type="memory", kind=record.kind, scope=record.scope, at=at, seq=0, recorded_at=at, layer=record.layer,
        key=record.key, tags=record.tags, entities=record.entities, actor=record.actor.id, speaker=record.evidence.speaker,
        confidence=record.confidence, valid_from=micros(record.valid_from) if record.valid_from else at,
        valid_to=micros(record.valid_to) if record.valid_to else None, closed_at=closed, forgotten_at=forgotten, expires_at=expires,
        pending=record.pending, disputed=bool(record.disputes), environment=record.environment,
    )  # fmt: skip


_ROLES = frozenset({"", "user", "human", "assistant", "ai", "agent", "bot", "model", "system", "tool"})


def search_text(record: Record) -> str:
    """The text under which `record` is found: what who said (if by name), the tool and its arguments, captions, the error."""
    if isinstance(record, Session):
        return ""
    if isinstance(record, Memory):
        return " ".join(
            part
            for part in (record.text, record.value if isinstance(record.value, str) and record.value not in record.text else "")
            if part
        )
    tool = record.tool or Tool()
    text = record.text if record.speaker.casefold() in _ROLES else f"{record.speaker}: {record.text}"
    said = [text, *(str(part[name]) for part in record.parts for name in ("caption", "filename", "name") if part.get(name))]
    if record.kind == "tool_call":
        said.append(tool.name if tool.name not in record.text else "")
        said.append(canonical(tool.args).decode() if tool.args and not record.text else "")
    if record.error:
        said.append(record.error.message if record.error.message not in record.text else "")
    return " ".join(part for part in said if part)


def exact_keys(record: Record) -> list[str]:
    """What `record` is found under exactly: slot key, tags, entities, blob, and the signature of a tool call."""
    if isinstance(record, Session):
        return []
    keys = [f"#{tag}" for tag in record.tags]
    if isinstance(record, Memory):
        keys.extend(f"&{entity}" for entity in record.entities)
        return [*keys, f"@{record.key}"] if record.key else keys
    keys.extend(f"~{ref}" for ref in blob_refs(record))
    return [*keys, f"!{call}"] if (call := signature(record)) else keys


def blob_refs(event: Event) -> list[str]:
    """References of the blobs that `event` rests on: its whole text, and the strings `blob:…` in its parts."""
    found = [event.body_ref] if event.body_ref else []
    waiting: list[Any] = list(event.parts)
    while waiting:
        value = waiting.pop()
        if isinstance(value, str) and value.startswith(BLOB):
            found.append(value[len(BLOB) :])
        elif isinstance(value, dict):
            waiting.extend(cast("dict[str, Any]", value).values())
        elif isinstance(value, (list, tuple)):
            waiting.extend(cast("list[Any]", value))
    return found
