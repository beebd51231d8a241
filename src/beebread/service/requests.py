"""What each operation is asked and what it answers, where that is not a noun of the model already."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from beebread import policy
from beebread.errors import Invalid
from beebread.model import Event, Evidence, Field, Memory, Query, Record, Rules, Session, State

Shape = Literal["openai", "anthropic", "gemini"]
TYPES = ("event", "memory", "session")
MAX_LIMIT = 1000  # answers on one page


class Append(Struct, frozen=True, kw_only=True):
    """Keep these events durably. `aliases` maps the id of a folded event to the id of the one that stands for it."""

    events: tuple[Event, ...]
    aliases: dict[str, str] = {}


class Appended(Struct, frozen=True, kw_only=True):
    """What became of appended events: ids kept, ids seen before, ids refused because they were erased, ids set aside with the reason."""

    created: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    buried: tuple[str, ...] = ()
    rejected: dict[str, str] = {}


class Write(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A memory to keep. `key` is its slot: the current memory of the same slot is closed in the same transaction, never deleted.

    `at` says when it was first written, for one that comes out of an export: it stays erased where it was erased since.
    """

    text: str
    kind: str = "fact"
    id: str = ""
    key: str = ""
    value: Any = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    evidence: Evidence = Evidence()
    confidence: float = 1.0
    importance: float = 0.5
    layer: str = "long"
    trust: str = "human"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    space: str = "private"
    group: str = ""
    sensitivity: int = 0
    environment: dict[str, str] = {}
    at: datetime | None = None


class Written(Struct, frozen=True, kw_only=True):
    """The id of a kept memory, its status (erased: it was, and stays so), and the ids that it superseded.

    `seen`: it was there already, and nothing changed.
    """

    id: str
    status: str = "active"
    superseded: tuple[str, ...] = ()
    seen: bool = False


class ContextRequest(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What the next model call needs: a pack of at most `budget` tokens for `query.text`, in the shape of one chat API."""

    query: Query
    budget: int = 4000
    shape: Shape = "openai"
    system: str = ""


class Get(Struct, frozen=True, kw_only=True):
    """One record by id."""

    id: str


class ListRequest(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Records that answer `query` (whose text is not used), a page at a time; `order` '-time' gives the newest first."""

    query: Query = Query()
    limit: int = 50
    cursor: str = ""
    order: Literal["time", "-time"] = "-time"


class Page(Struct, frozen=True, kw_only=True):
    """One page of a list; `cursor` is '' on the last one."""

    items: tuple[Record, ...] = ()
    cursor: str = ""


class SessionPage(Struct, frozen=True, kw_only=True):
    """One page of sessions."""

    items: tuple[Session, ...] = ()
    cursor: str = ""


class Update(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Change a memory; what is None stays. `version` is the one that was read; a stale one is a Conflict."""

    id: str
    text: str | None = None
    value: Any = None
    tags: tuple[str, ...] | None = None
    confidence: float | None = None
    importance: float | None = None
    version: int | None = None


class Forget(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Forget one memory or event: gone from every answer at once, purged for real after the contract's days, or now with `erase`."""

    id: str
    reason: str = ""
    erase: bool = False


class Forgotten(Struct, frozen=True, kw_only=True):
    """Which ids were forgotten: the record, and its earlier versions."""

    ids: tuple[str, ...] = ()


class Purge(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Purge what was forgotten, whatever the contract's days, or only what is due by them."""

    now: bool = True


class Purged(Struct, frozen=True, kw_only=True):
    """How many records were removed for real."""

    records: int


class TraceRequest(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The causal graph of a session, or the chain around one event (`id`) up to `depth` hops each way."""

    session: str = ""
    id: str = ""
    depth: int = 20
    limit: int = 2000


class Explain(Struct, frozen=True, kw_only=True):
    """Why `expect` was found by `query`, or was not."""

    query: Query
    expect: str


class Body(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A large body of event `id` that is kept apart: the one that a part names (`blob:ref`), or its whole text ('')."""

    id: str
    ref: str = ""


class StateKey(Struct, frozen=True, kw_only=True):
    """One state by its context key."""

    key: str


class StateWrite(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Fields to set in a state (each a value, or a Field with status and source), and its step; `version` guards the whole state."""

    key: str
    fields: dict[str, Field] = {}
    step: str = ""
    memory_type: str = ""  # '' keeps the one it has, task at first
    signature: str = ""
    version: int | None = None
    expires_at: datetime | None = None
    sensitivity: int | None = None
    replace: bool = False


class StatePage(Struct, frozen=True, kw_only=True):
    """One page of states."""

    items: tuple[State, ...] = ()
    cursor: str = ""


class History(Struct, frozen=True, kw_only=True):
    """Versions of a memory, newest first, as far as the asker may see them."""

    items: tuple[Memory, ...] = ()


class Health(Struct, frozen=True, kw_only=True):
    """Whether the store answers, where the data lives, and what the asker keeps in it, by type.

    `capture` counts what became of the events that the asking process recorded (sent, folded, spilled, dropped, rejected, …), and
    `trouble` says why the last of them were not kept yet, '' while all is well. `meaning` tells of the search by meaning: the space of
    vectors, or why there is none; `waiting` is how many changes of the log have no vectors yet, `refused` how many records lack
    some for good, since the model refused their texts.
    """

    ok: bool
    home: str
    store: str
    counts: dict[str, int] = {}
    capture: dict[str, int] = {}
    trouble: str = ""
    meaning: str = ""
    waiting: int = 0
    refused: int = 0


class Nothing(Struct, frozen=True):
    """A request or an answer with nothing in it."""


def limited(limit: int, most: int = MAX_LIMIT) -> int:
    """`limit`, when it is a number of answers that may be asked for; else Invalid."""
    if not 1 <= limit <= most:
        raise Invalid(f"limit {limit} is out of range: use 1 to {most}, and the cursor for more")
    return limit


def checked(query: Query, rules: Rules) -> Query:
    """`query`, when it can have an answer; else Invalid."""
    known = policy.known_kinds(rules)
    for name, given, choice in (("kind", query.kinds, known), ("type", query.types, TYPES)):
        if unknown := [one for one in given if policy.plain_kind(one) not in choice]:
            raise Invalid(f"{name} {unknown[0][:60]!r} is unknown: use one of {', '.join(choice)}")
    limited(query.limit)
    if query.after and query.before and query.after >= query.before:
        raise Invalid("after must be earlier than before: nothing lies between them")
    if query.order not in ("relevance", "time"):
        raise Invalid(f"order {query.order!r} is unknown: use relevance or time")
    return query
