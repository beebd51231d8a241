"""The reference engine: the Store of ports.py in plain dicts, the oracle that every other engine is held against."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from datetime import datetime

from beebread.backends.reference_apply import Transaction
from beebread.backends.reference_data import Data, Key
from beebread.backends.reference_states import ReferenceStates
from beebread.backends.reference_vectors import ReferenceVectors
from beebread.errors import Invalid
from beebread.model import (
    CAUSAL,
    Applied,
    AuditLine,
    Batch,
    Direction,
    Event,
    Family,
    Hit,
    Link,
    Record,
    Where,
    columns,
    decode_cursor,
    links,
    owner,
    owners,
    sort_key,
)
from beebread.policy import matches, visible
from beebread.ports import Index, Probe, States
from beebread.text import Document, bm25, ideal, idf

GROUPS = ("", "type", "kind", "session", "task", "layer", "actor", "origin")


class ReferenceStore:
    """Everything in memory, every answer computed anew; see `ports.Store` for the meaning of each method."""

    channels: frozenset[str] = frozenset({"keyword", "exact"})
    transaction: type[Transaction] = Transaction

    def __init__(self) -> None:
        self.data = Data()
        self.states: States = ReferenceStates(self.data)
        self.meanings = ReferenceVectors(self.data)
        self.vectors: Index = self.meanings

    async def apply(self, batch: Batch) -> Applied:
        """Write all of `batch` or nothing."""
        draft = self.data.copy()
        applied = self.transaction(draft).run(batch)
        self.meanings.change(self.data.records, draft.records)
        self.data.adopt(draft)
        return applied

    def matches(self, record: Record, where: Where) -> bool:
        """Whether a record is shown."""
        return matches(record, where)

    async def get(self, ids: Sequence[str], where: Where) -> list[Record]:
        """The records called `ids`, each once, those of one name in the order of the asker's owners."""
        keys = (self.data.resolve(home, name) for name in ids for home in owners(where.asker))
        found = (self.data.records[key] for key in dict.fromkeys(keys) if key is not None)
        return [record for record in found if self.matches(record, where)]

    def answering(self, where: Where) -> list[Record]:
        """All that answers `where`, in the total order."""
        return sorted((record for record in self.data.records.values() if self.matches(record, where)), key=sort_key)

    async def scan(self, where: Where, limit: int, after: str = "") -> list[Record]:
        """A page of what answers `where`."""
        last = decode_cursor(after) if after else None
        found = self.answering(where)
        if where.order == "-time":
            found = [record for record in reversed(found) if last is None or sort_key(record) < last]
        else:
            found = [record for record in found if last is None or sort_key(record) > last]
        return found[: max(limit, 0)]

    async def count(self, where: Where, by: str = "") -> dict[str, int]:
        """How many answer `where`, by group; a group of none is left out, the whole ('') is not."""
        if by not in GROUPS:
            raise Invalid(f"nothing is counted by {by[:60]!r}: use one of {', '.join(GROUPS[1:])}")
        found = self.answering(where)
        return dict(Counter(group_of(record, by) for record in found)) if by else {"": len(found)}

    def passable(self, where: Where) -> dict[Key, Record]:
        """What a walk may go through: what the asker sees and nobody forgot."""
        return {key: record for key, record in self.data.records.items() if visible(where.asker, record) and record.forgotten_at is None}

    async def walk(
        self, start: Sequence[str], direction: Direction, depth: int, where: Where, families: Sequence[Family] = ()
    ) -> list[Link]:
        """The links met, breadth first."""
        passable = self.passable(where)
        around: dict[Key, list[Link]] = {}
        for link in self.edges(passable):
            if link.family in (families or CAUSAL):
                around.setdefault((link.owner, link.source if direction == "up" else link.target), []).append(link)
        begin = [key for name in start for home in owners(where.asker) if (key := self.data.resolve(home, name)) and key in passable]
        depths = dict.fromkeys(begin, 0)
        ahead = deque(depths)
        met: list[Link] = []
        while ahead:
            here = ahead.popleft()
            if depths[here] >= depth:
                continue
            for link in around.get(here, ()):
                there = (link.owner, link.target if direction == "up" else link.source)
                if there not in depths:
                    depths[there] = depths[here] + 1
                    ahead.append(there)
                if self.matches(passable[there], where):
                    met.append(Link(link.owner, link.source, link.family, link.target, link.relation, depths[here] + 1))
        return met

    def edges(self, passable: dict[Key, Record]) -> list[Link]:
        """Every link between passable records, each end by its own id, and the order of each session as the asker sees it."""
        found: dict[Link, None] = {}
        for (home, _), record in passable.items():
            for link in links(record, home):
                target = self.data.resolve(home, link.target)
                if target in passable:
                    found[Link(home, record.id, link.family, target[1], link.relation)] = None
        return [*found, *following(passable)]

    async def search(self, probe: Probe) -> list[Hit]:
        """Hits of the keyword or the exact channel."""
        if probe.channel not in self.channels:
            raise Invalid(f"this store has no channel {probe.channel[:60]!r}: use one of {', '.join(sorted(self.channels))}")
        scores = self.keyword(probe) if probe.channel == "keyword" else self.exact(probe)
        shown = {key: score for key, score in scores.items() if self.matches(self.data.records[key], probe.where)}
        most = self.ideal(probe) if probe.channel == "keyword" else 0.0
        hits = [Hit(home, name, score, most) for (home, name), score in shown.items()]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id, hit.owner))[: max(probe.limit, 0)]

    def held(self, probe: Probe) -> list[Key]:
        """What the statistics and hits are taken from: all that the asker's owners keep and nobody forgot."""
        mine = owners(probe.where.asker)
        return [key for key in self.data.documents if key[0] in mine and self.data.records[key].forgotten_at is None]

    def keyword(self, probe: Probe) -> dict[Key, float]:
        """BM25 over every record with words."""
        corpus = self.corpus(probe)
        average = sum(held.length for held in corpus.values()) / len(corpus) if corpus else 0.0
        scores: dict[Key, float] = {}
        for term in dict.fromkeys(probe.terms):
            holding = {key: held for key, held in corpus.items() if term in held.terms}
            weight = idf(len(corpus), len(holding))
            for key, held in holding.items():
                scores[key] = scores.get(key, 0.0) + bm25(held.terms[term], held.length, average, weight)
        return scores

    def corpus(self, probe: Probe) -> dict[Key, Document]:
        """Every record with words."""
        return {key: held for key in self.held(probe) if (held := self.data.documents[key]).length}

    def ideal(self, probe: Probe) -> float:
        """What a good answer should score."""
        corpus = self.corpus(probe).values()
        holding = [sum(term in held.terms for held in corpus) for term in dict.fromkeys(probe.terms)]
        return ideal(idf(len(corpus), max(1, count)) for count in holding)

    def exact(self, probe: Probe) -> dict[Key, float]:
        """How many of the terms a record has."""
        scores = {key: float(len(set(probe.terms) & self.data.documents[key].terms.keys())) for key in self.held(probe)}
        return {key: score for key, score in scores.items() if score}

    async def tail(self, after: int, limit: int) -> list[tuple[int, Record]]:
        """What changed, newest versions in log order."""
        changed = sorted((record.position, record) for record in self.data.records.values() if record.position > after)
        return changed[: max(limit, 0)]

    async def forgotten(self, before: datetime, limit: int) -> list[Record]:
        """What the sweep has to erase for real."""
        gone = [(at, key) for key, record in self.data.records.items() if (at := record.forgotten_at) is not None and at < before]
        return [self.data.records[key] for _, key in sorted(gone)][: max(limit, 0)]

    async def position(self) -> int:
        """Of the newest change."""
        return self.data.position

    async def mark(self, name: str) -> int:
        """A cursor or lease."""
        return self.data.marks.get(name, 0)

    async def audit(self, owner: str, after: int, limit: int) -> list[tuple[int, AuditLine]]:
        """The diary; its lines are numbered from 1."""
        lines = [(number, line) for number, line in enumerate(self.data.diary, 1) if number > after and owner in ("", line.owner)]
        return lines[: max(limit, 0)]

    async def close(self) -> None:
        """Nothing to let go of."""


def group_of(record: Record, by: str) -> str:
    """The group that `record` is counted under."""
    row = columns(record)
    return {
        "type": row.type, "kind": row.kind, "session": row.scope.session, "task": row.scope.task, "layer": row.layer, "actor": row.actor,
        "origin": row.origin,
    }[by]  # fmt: skip


def following(passable: dict[Key, Record]) -> Iterator[Link]:
    """NEXT: from each event of a session to the one just before it."""
    before: dict[tuple[str, str], Event] = {}
    for record in sorted((record for record in passable.values() if isinstance(record, Event)), key=sort_key):
        line = (owner(record.scope), record.scope.session)
        if line[1]:
            if line in before:
                yield Link(line[0], record.id, "NEXT", before[line].id)
            before[line] = record
