"""A small world for the tests of retrieval: events and memories in the reference engine, and questions about them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from beebread import policy
from beebread.backends.reference import ReferenceStore
from beebread.errors import Unavailable
from beebread.model import (
    ORIGIN_OF_KIND,
    Batch,
    Cause,
    Event,
    Hit,
    Memory,
    Principal,
    Query,
    Recall,
    Record,
    Scope,
    Tool,
    owner,
    search_text,
)
from beebread.ports import Index, Indexed, Probe
from beebread.retrieval import Explanation, Options, Retriever
from beebread.text import words

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class World:
    """One user's memory (others by `user=`), told step by step; a minute passes with each."""

    def __init__(self, indexes: Sequence[Index] = (), options: Options | None = None) -> None:
        self.store = ReferenceStore()
        self.retriever = Retriever(self.store, indexes, options)
        self.now = START

    def put(self, *records: Record) -> None:
        asyncio.run(self.store.apply(Batch(put=records)))

    def event(self, name: str, text: str = "", kind: str = "user_message", *, causes: Sequence[str] = (), **more: Any) -> Event:
        """Tell of one event. `days` says how long after the start it was; `args` and `tool` make it a call or result."""
        self.now += timedelta(minutes=1)
        scope = Scope(user=more.pop("user", "u"), session=more.pop("session", "s1"), **more.pop("scope", {}))
        days = more.pop("days", None)
        if "tool" in more:
            more["tool"] = Tool(name=more["tool"], args=more.pop("args", None))
        event = Event(
            id=name, scope=scope, kind=kind, text=text, at=self.now if days is None else START + timedelta(days=days),
            origin=ORIGIN_OF_KIND[kind], causes=tuple(Cause(cause) for cause in causes), **more,
        )  # fmt: skip
        self.put(event)
        return event

    def memory(self, name: str, text: str, kind: str = "fact", **more: Any) -> Memory:
        self.now += timedelta(minutes=1)
        at = START + timedelta(days=more.pop("days")) if "days" in more else self.now
        memory = Memory(id=name, scope=Scope(user=more.pop("user", "u")), kind=kind, text=text, at=at, **more)
        self.put(memory)
        return memory

    def asker(self, **who: Any) -> Principal:
        return msgspec.structs.replace(Principal(user="u"), **who)

    def ask(self, text: str = "", *, session: str = "", who: Principal | None = None, **options: Any) -> Recall:
        query = Query(text=text, **options)
        where = policy.where_for(who or self.asker(), query, self.now)
        return asyncio.run(self.retriever.recall(query, where, session=session))

    def explain(self, text: str, expect: str, *, session: str = "", who: Principal | None = None, **options: Any) -> Explanation:
        query = Query(text=text, **options)
        where = policy.where_for(who or self.asker(), query, self.now)
        return asyncio.run(self.retriever.explain(query, where, expect, session=session))


def names(recall: Recall) -> list[str]:
    return [item.id for item in recall]


class LetterIndex:
    """A derived index of its own channel: scores by the share of a text's letters that the question has. Knows nobody's rights."""

    channels = frozenset({"letters"})

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], set[str]] = {}

    async def add(self, records: Sequence[Indexed]) -> None:
        self.kept.update({(one.owner, one.record.id): set("".join(words(search_text(one.record)))) for one in records})

    def take(self, *records: Record) -> None:
        asyncio.run(self.add([Indexed(owner=owner(record.scope), record=record) for record in records]))

    async def remove(self, owner: str, ids: Sequence[str] | None) -> None:
        self.kept = {key: kept for key, kept in self.kept.items() if key[0] != owner or (ids is not None and key[1] not in ids)}

    async def search(self, probe: Probe) -> list[Hit]:
        asked = set("".join(probe.terms))
        hits = [Hit(*key, len(asked & kept) / len(asked | kept)) for key, kept in self.kept.items() if asked & kept]
        return sorted(hits, key=lambda hit: (-hit.score, hit.id))[: probe.limit]

    async def missing(self, owner: str, ids: Sequence[str], space: str = "") -> list[str]:
        return [name for name in ids if (owner, name) not in self.kept]

    async def spaces(self) -> tuple[str, ...]:
        return ()

    async def adopt(self, space: str) -> None:
        """It has no vectors."""

    async def torn(self, space: str, limit: int) -> list[Record]:
        return []

    async def reset(self) -> None:
        self.kept.clear()

    async def close(self) -> None:
        """Nothing to let go of."""


class AwayIndex(LetterIndex):
    """The same, while its server is away."""

    async def search(self, probe: Probe) -> list[Hit]:
        raise Unavailable("the index's server is away: start it")


class SlowIndex(LetterIndex):
    """The same, and it never answers."""

    async def search(self, probe: Probe) -> list[Hit]:
        await asyncio.Event().wait()
        return []


class AwayStore(ReferenceStore):
    """A store whose own channels cannot answer."""

    async def search(self, probe: Probe) -> list[Hit]:
        raise Unavailable("the store is locked: try again")
