"""A record as the rows of the SQLite engine: its columns, its body, its labels."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

from beebread.errors import Invalid
from beebread.model import Event, Family, Memory, Record, columns

T = TypeVar("T", bound=Struct)
LARGEST = 1 << 63

COLUMNS = (
    "doc", "owner", "id", "type", "kind", "at", "seq", "position", "recorded_at", "space", "agent", "session", "task", "sensitivity",
    "layer", "key", "actor", "origin", "speaker", "confidence", "valid_from", "valid_to", "closed_at", "forgotten_at", "expires_at",
    "pending", "disputed",
)  # fmt: skip

LETTERS: dict[Family, str] = {"CAUSED_BY": "C", "DATA_FROM": "D", "REFERS_TO": "R", "RESTS_ON": "E", "NEXT": "N"}
"""How the family of a link is kept: its name would stand in two indexes with every link."""

encode = msgspec.json.Encoder().encode
"""The JSON that a record is kept as; of the position in it, its column alone is true."""


def sound(value: T, *ids: str) -> tuple[T, bytes]:
    """`value` as its JSON gives it back, and the JSON; Invalid when it cannot be kept so."""
    try:
        body = encode(value)
        return msgspec.json.decode(body, type=type(value)), body
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        raise Invalid(f"this cannot be kept: {error}; make it plain JSON data in well-formed Unicode", ids=ids) from error


def row_of(record: Record, n: int, doc: int, position: int) -> tuple[object, ...]:
    """The values of COLUMNS."""
    row, home = columns(record), record.scope
    if not -LARGEST <= row.seq < LARGEST:
        raise Invalid(f"seq {row.seq} is out of range: number the events of a session from 0", ids=(record.id,))
    return (
        doc, n, row.id, row.type, row.kind, row.at, row.seq, position, row.recorded_at, home.space, home.agent, home.session, home.task,
        home.sensitivity, row.layer, row.key, row.actor, row.origin, row.speaker, row.confidence, row.valid_from, row.valid_to,
        row.closed_at, row.forgotten_at, row.expires_at, row.pending, row.disputed,
    )  # fmt: skip


def labels(record: Record) -> list[str]:
    """What a record is filtered by beside its columns."""
    if not isinstance(record, (Event, Memory)):
        return []
    found = [f"#{tag}" for tag in record.tags]
    if isinstance(record, Memory):
        found.extend(f"&{entity}" for entity in record.entities)
    found.extend(f"={name}\0{value}" for name, value in record.environment.items() if value)
    return list(dict.fromkeys(found))
