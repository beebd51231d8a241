"""The sockets that engines plug into, and what is asked of them. Each method's rules are proven by a suite in beebread.testing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct

from beebread.model import Applied, AuditLine, Batch, Direction, Family, Hit, Link, Record, State, Where

TokenCount = Callable[[str], int]
Redact = Callable[[str], tuple[str, dict[str, int]]]


class Probe(Struct, frozen=True, kw_only=True):
    """What one channel of an index is asked: the records that answer `where`, ranked by how well they fit; at most `limit`.

    keyword: `terms` as `text.query_terms` gives them, ranked by BM25 over everything the asker's owners keep (invisible or filtered
    records still count in the statistics, never in the answer). exact: `terms` as `text.document` indexes them (with their mark); the
    score is the number of different terms that a record has. vector: `vector`, in the space named `space`.
    """

    channel: str
    where: Where
    limit: int
    terms: tuple[str, ...] = ()
    vector: tuple[float, ...] = ()
    space: str = ""


class Indexed(Struct, frozen=True, kw_only=True):
    """A record as an index receives it, with its vectors (one for each window of its text) and the space that they are in."""

    owner: str
    record: Record
    vectors: tuple[tuple[float, ...], ...] = ()
    space: str = ""


class Store(Protocol):
    """The system of record. Every read filters by `where`, asker first; a foreign id reads the same as one that never was."""

    channels: frozenset[str]
    states: States

    async def apply(self, batch: Batch) -> Applied:
        """Write all of `batch` or nothing, durably. Raises Conflict, NotFound or Invalid (with the ids concerned), or Unavailable."""
        ...

    async def get(self, ids: Sequence[str], where: Where) -> list[Record]:
        """The records called `ids` (or by an alias) that answer `where`, in the order of `ids`; unknown ones are left out."""
        ...

    async def scan(self, where: Where, limit: int, after: str = "") -> list[Record]:
        """The first `limit` records that answer `where`, by `model.sort_key` (or its reverse for order '-time'), after the cursor."""
        ...

    async def count(self, where: Where, by: str = "") -> dict[str, int]:
        """How many records answer `where`, under '' or by type, kind, session, task, layer, actor or origin."""
        ...

    async def walk(
        self, start: Sequence[str], direction: Direction, depth: int, where: Where, families: Sequence[Family] = ()
    ) -> list[Link]:
        """The links met when going up (to what came before) or down from `start`, at most `depth` hops, nearest first.

        Goes only through records that the asker may see and nobody forgot, whatever else `where` asks; a link is returned when both its
        ends are such records and the end it leads to answers `where`. No families means CAUSED_BY and DATA_FROM.
        """
        ...

    async def search(self, probe: Probe) -> list[Hit]:
        """Hits of one of this store's own `channels`, best first, ties by id."""
        ...

    async def tail(self, after: int, limit: int) -> list[tuple[int, Record]]:
        """The newest version of each record changed since log position `after`, in log order; for workers only."""
        ...

    async def forgotten(self, before: datetime, limit: int) -> list[Record]:
        """Records that were forgotten before then, oldest first; for the sweep only, which erases them for real."""
        ...

    async def mark(self, name: str) -> int:
        """The named cursor or lease; 0 when it was never set."""
        ...

    async def audit(self, owner: str, after: int, limit: int) -> list[tuple[int, AuditLine]]:
        """Lines of the diary about `owner` ('' for every owner) after that line number."""
        ...

    async def close(self) -> None:
        """Finish what was begun and let go of the files."""
        ...


class States(Protocol):
    """Working memory: one row for each (owner, `model.state_id`), with an optimistic version and its history."""

    async def list(self, where: Where, limit: int, after: str = "") -> list[State]:
        """States that answer `policy.state_matches`, by (key, state id), after the last state's key and id joined by a NUL."""
        ...

    async def put(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine] = ()) -> State:
        """Replace the whole state, by `model.next_state`; the lines of the diary are kept in the same transaction.

        Raises what next_state raises: Conflict for a stale version, Invalid for one over `limit` bytes.
        """
        ...

    async def set(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine] = ()) -> State:
        """Set the given fields alone, atomically; the rest as for put. No version given: no lost update either."""
        ...

    async def history(self, owner: str, state: str, limit: int) -> list[State]:
        """Earlier and present versions of the state whose `model.state_id` is `state`, newest first."""
        ...

    async def delete(self, owner: str, state: str = "", audit: Sequence[AuditLine] = ()) -> int:
        """Remove for real, with the history: all of an owner's states, or the one whose `model.state_id` is `state`; how many."""
        ...


class Index(Protocol):
    """A derived index; may be dropped and rebuilt from the log."""

    channels: frozenset[str]

    async def add(self, records: Sequence[Indexed]) -> None:
        """Take these in; again is the same as once."""
        ...

    async def remove(self, owner: str, ids: Sequence[str] | None) -> None:
        """Drop these ids, or all of the owner's (None)."""
        ...

    async def search(self, probe: Probe) -> list[Hit]:
        """Hits of one channel, best first. The store checks each again before anyone sees it."""
        ...

    async def missing(self, owner: str, ids: Sequence[str]) -> list[str]:
        """Those of `ids` that are not in the index."""
        ...

    async def reset(self) -> None:
        """Empty the index."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...


class Blobs(Protocol):
    """Large bodies, by owner and content."""

    async def put(self, owner: str, body: bytes) -> str:
        """Keep `body` durably; the reference is the same for the same owner and bytes."""
        ...

    async def get(self, owner: str, ref: str) -> bytes:
        """The bytes; NotFound for an unknown reference and for another owner's."""
        ...

    async def delete(self, owner: str, ref: str | None) -> None:
        """Remove one body, or all of the owner's (None); removing what is not there is no error."""
        ...
