"""The sockets that engines plug into, and what is asked of them. Each method's rules are proven by a suite in beebread.testing."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from msgspec import Struct

from beebread.model import Applied, AuditLine, Batch, Direction, Family, Hit, Link, Record, State, Where

TokenCount = Callable[[str], int]
Redact = Callable[[str], tuple[str, dict[str, int]]]
if TYPE_CHECKING:
    Vector = array[float]
else:
    Vector = array
"""C floats (typecode 'f'): small, and read by numpy without a copy."""


class Probe(Struct, frozen=True, kw_only=True):
    """What one channel of an index is asked: the records that answer `where`, ranked by how well they fit; at most `limit`.

    keyword: `terms` as `text.query_terms` gives them, ranked by BM25 over everything the asker's owners keep (invisible or filtered
    records still count in the statistics, never in the answer); `Hit.ideal` is then the sum of the idf of the eight rarest of the
    terms, what nobody said counting as said once. exact: `terms` as `text.document` indexes them (with their mark); the
    score is the number of different terms that a record has. vector and context: the cosine of `vector`, which is in the space named
    `space`, with the nearest of the record's windows; zero and less is no hit.
    """

    channel: str
    where: Where
    limit: int
    terms: tuple[str, ...] = ()
    vector: Vector | None = None
    space: str = ""


class Indexed(Struct, frozen=True, kw_only=True):
    """A record as an index receives it: for each channel its vectors, one a window of its text, and the space that they are in.

    The channel vector holds the text alone, context the text as it stands in its conversation: after `read_with`, if there is one,
    a record of the same owner whose words are in it too.
    """

    owner: str
    record: Record
    vectors: Mapping[str, tuple[Vector, ...]] = {}
    space: str = ""
    read_with: Record | None = None


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

    async def position(self) -> int:
        """The log position of the newest change; 0 while there was none."""
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
    """A derived index; may be dropped and rebuilt from the log.

    An index of vectors may hold several spaces while a memory moves from one to another, and searches one of them: the first that it was
    given, until another is adopted. A context goes at once when what it was read with is forgotten, erased, removed or says something
    else, and is torn until its record is added again.
    """

    channels: frozenset[str]

    async def add(self, records: Sequence[Indexed]) -> None:
        """Take these in, each instead of what was known of it in the same space; again is the same as once.

        Left out are records that are not kept, were forgotten or say something else by now; of one that was read with such a record, or
        with another owner's, the context: it is torn. Raises Invalid for what is no vector, and ModelMismatch, with the fix, for one of
        another length than the space's; both name the record, and nothing of `records` is taken in.
        """
        ...

    async def remove(self, owner: str, ids: Sequence[str] | None) -> None:
        """Drop these ids, or all of the owner's (None), from every space."""
        ...

    async def search(self, probe: Probe) -> list[Hit]:
        """Hits of one channel, best first, ties by id. The store checks each again before anyone sees it.

        Raises ModelMismatch, with the fix, when `probe.space` is not the one that is searched; Invalid for a vector of another length.
        """
        ...

    async def missing(self, owner: str, ids: Sequence[str], space: str = "") -> list[str]:
        """Those of `ids` that are not in the index, or not in that space of it."""
        ...

    async def torn(self, space: str, limit: int) -> list[Record]:
        """At most `limit` records whose contexts are torn in that space, in no order."""
        ...

    async def spaces(self) -> tuple[str, ...]:
        """The spaces that it holds anything in, the one that is searched first."""
        ...

    async def adopt(self, space: str) -> None:
        """Search in `space` from now on, and drop what is held in any other; atomically."""
        ...

    async def reset(self) -> None:
        """Empty the index."""
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...


@runtime_checkable
class KeepsVectors(Protocol):
    """A store that has an index of vectors beside its records, changed in the same transactions."""

    vectors: Index


@runtime_checkable
class SearchesTogether(Protocol):
    """A store that answers several channels of one question in one go, those of its vectors among them."""

    async def search_together(self, probes: Sequence[Probe]) -> list[list[Hit]]:
        """The hits of each probe, as `search` gives them; of those of meaning also all else that the other probes found and that fits.

        All probes have one `where`, else Invalid. Raises what `search` raises, whichever probe is to blame.
        """
        ...


class Embedder(Protocol):
    """Texts to vectors of length one, so that their cosine is their inner product. Safe to call from several tasks at once.

    Any text is taken: it is cleaned, and what is longer than the model reads is cut. A text's vector never depends on what else is
    embedded with it. Raises Unavailable when the model cannot be reached or gives what is no vector; the message says what to do.
    """

    @property
    def space(self) -> str:
        """Provider, model, revision, quantisation, prefixes, pooling and length: vectors are comparable within one space only."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has; 0 while that is not known yet."""
        ...

    @property
    def window(self) -> int:
        """Characters of English that fit into the model at once; of Chinese about half as many do."""
        ...

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that are kept."""
        ...

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that ask."""
        ...

    async def close(self) -> None:
        """Let go of the model."""
        ...


class Reranker(Protocol):
    """A second, closer look at the best answers."""

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, between 0 and 1, in the order of `texts`; Unavailable as for an Embedder."""
        ...

    async def close(self) -> None:
        """Let go of the model."""
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
