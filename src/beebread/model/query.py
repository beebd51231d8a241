"""What is asked (Query, Where) and what comes back (Hit, Item, Recall, Pack, Trace)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Literal

from msgspec import Struct

from beebread.clock import micros
from beebread.errors import Invalid
from beebread.model.event import Event
from beebread.model.graph import Link
from beebread.model.memory import Record
from beebread.model.scope import Principal, owner

Order = Literal["time", "-time"]
CURRENT = ("active", "disputed")
HISTORY = (*CURRENT, "superseded", "expired")
EVERY_STATUS = (*HISTORY, "pending", "forgotten")  # for the memory itself; no query of anybody asks for it


class Where(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The whole filter language. `asker` has no default: no read can be written that forgets who asks.

    An empty tuple filters nothing; several values of one name are alternatives; different names must all hold. `after` <= at < `before`.
    `as_of`: valid in the world then. `known_at`: in the log then. `linked_to`: has a link to one of these ids. `environment`: each given
    name has that value. `now` is the moment by which expiry is judged. `policy.matches` is the exact meaning, for every engine.
    """

    asker: Principal
    now: datetime
    types: tuple[str, ...] = ()  # event, memory, session
    kinds: tuple[str, ...] = ()
    without_kinds: tuple[str, ...] = ()  # of none of these
    layers: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    after: datetime | None = None
    before: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    status: tuple[str, ...] = CURRENT
    min_confidence: float = 0.0
    linked_to: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    order: Order = "time"


class Query(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a user may ask; it travels whole, so that a new option touches this type and the room that uses it.

    `now` is the moment from which relative time is counted (default: the clock); `tz` the zone it is counted in. `channels` empty means
    those that the query needs. `chain` adds each hit's causal chain. `again` lets a pack give what its session was already given.
    """

    text: str = ""
    limit: int = 10
    types: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    speakers: tuple[str, ...] = ()
    after: datetime | None = None
    before: datetime | None = None
    as_of: datetime | None = None
    known_at: datetime | None = None
    now: datetime | None = None
    tz: str = ""
    min_confidence: float = 0.0
    history: bool = False
    chain: bool = False
    again: bool = False
    order: Literal["relevance", "time"] = "relevance"
    channels: tuple[str, ...] = ()
    linked_to: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    tool: str = ""  # with `args`: find this tool's earlier call and result (mission R11)
    args: Any = None


class Hit(Struct, frozen=True, gc=False):
    """One answer of one channel: the record's key and the channel's own score (higher is better).

    `ideal` is what a good answer should score, where the channel can tell: measured against it, scores stay low when nothing fits.
    """

    owner: str
    id: str
    score: float
    ideal: float = 0.0


class Rank(Struct, frozen=True, gc=False):
    """Where a channel put an item: its rank from 1 and its score."""

    rank: int
    score: float


class Item(Struct, frozen=True, kw_only=True):
    """One recalled record and why it was recalled. `sources` are the ids of the events it rests on; for an event, its own id."""

    id: str
    kind: str
    text: str
    score: float
    at: datetime
    record: Record
    reasons: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    channels: dict[str, Rank] = {}
    status: str = "active"
    chain: tuple[Record, ...] = ()


class Report(Struct, frozen=True, kw_only=True):
    """How a recall came about: the plan, milliseconds by step, channels that failed and why, and why it is empty if it is."""

    plan: dict[str, Any] = {}
    timings: dict[str, float] = {}
    failed: dict[str, str] = {}
    candidates: dict[str, int] = {}
    empty: str = ""


class Recall(Struct, frozen=True, kw_only=True):
    """The answer to a query: items, best first (or in time order), conflicts to ask the user about, and the report."""

    items: tuple[Item, ...] = ()
    conflicts: tuple[dict[str, Any], ...] = ()
    report: Report = Report()

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class Citation(Struct, frozen=True):
    """What one mark in a pack points to."""

    mark: str
    id: str
    kind: str
    at: datetime
    sources: tuple[str, ...] = ()


class Dropped(Struct, frozen=True):
    """What did not go into a pack whole, and why; `handle` is the id by which it can be read."""

    id: str
    reason: str
    tokens: int = 0
    handle: str = ""


class Pack(Struct, frozen=True, kw_only=True):
    """A token-budgeted `messages` array, valid for the chat API of `shape` at any budget.

    `system` holds the system text where the shape keeps it apart (Anthropic, Gemini). `prefix` is how many leading messages stay the
    same from turn to turn, where a provider's cache mark belongs; `prefix_hash` covers their bytes.
    """

    messages: tuple[dict[str, Any], ...]
    tokens: int
    budget: int
    shape: str = "openai"
    system: str = ""
    citations: tuple[Citation, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    prefix: int = 0
    prefix_hash: str = ""
    report: Report = Report()


class Trace(Struct, frozen=True, kw_only=True):
    """The causal graph of a run: its events in order, and the links among them."""

    events: tuple[Record, ...] = ()
    links: tuple[Link, ...] = ()


def sort_key(record: Record) -> tuple[int, int, str, str]:
    """The total order of records: time, the producer's number, id, owner; never the order of arrival."""
    return (micros(record.at), record.seq if isinstance(record, Event) else 0, record.id, owner(record.scope))


def encode_cursor(record: Record) -> str:
    """The place just after `record`, to be handed back as `after`."""
    at, seq, name, home = sort_key(record)
    return f"{at}.{seq}.{len(name)}.{name}{home}"


def decode_cursor(cursor: str) -> tuple[int, int, str, str]:
    """The sort key that `cursor` stands for; Invalid when it is not one of ours."""
    try:
        at, seq, length, rest = cursor.split(".", 3)
        if not 0 <= int(length) <= len(rest):
            raise ValueError(cursor)
        return int(at), int(seq), rest[: int(length)], rest[int(length) :]
    except ValueError:
        raise Invalid(f"cursor {cursor[:60]!r} is not one that a list gave: start again without a cursor") from None
