"""Channels run at once, each with its own deadline, and a span of time narrows the time channel alone."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Sequence
from datetime import timedelta

import msgspec
import pytest

from beebread import policy
from beebread.backends.reference import ReferenceStore
from beebread.errors import Invalid, Unavailable
from beebread.model import Hit, Query, owner
from beebread.ports import Indexed, Vector
from beebread.retrieval import Options, Window
from beebread.retrieval.channels import Channels
from beebread.retrieval.plan import plan
from beebread.retrieval.searches import Deadline, run
from beebread.retrieval.times import Times
from tests.unit.retrieval.world import START, World


class Plain:
    """An embedder for which all texts are alike; it answers after some seconds."""

    space, dimensions, window = "plain", 2, 100

    def __init__(self, seconds: float = 0.0) -> None:
        self.seconds = seconds

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        await asyncio.sleep(self.seconds)
        return [array("f", [1.0, 0.0]) for _ in texts]

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return await self.embed_documents(texts)

    async def close(self) -> None:
        """Nothing to let go of."""


def test_all_run_at_once_and_a_late_one_costs_its_deadline_alone() -> None:
    running = 0

    async def together() -> list[Hit]:
        nonlocal running
        running += 1
        while running < 2:
            await asyncio.sleep(0)
        return [Hit("o", "a", 1.0)]

    async def late() -> list[Hit]:
        await asyncio.sleep(60)
        return []

    async def away() -> list[Hit]:
        raise ConnectionRefusedError(111, "refused")

    outcome = asyncio.run(run({"one": together, "two": together, "late": late, "away": away}, Deadline.after(100)))
    assert outcome.hits == {"one": [Hit("o", "a", 1.0)], "two": [Hit("o", "a", 1.0)]}
    assert outcome.failed["late"] == "no answer within 100 ms"
    assert "refused" in outcome.failed["away"]
    assert set(outcome.timings) == {"one", "two", "late", "away"}
    assert outcome.timings["late"] >= 90


def test_a_wrong_question_is_an_error_and_no_failure() -> None:
    async def wrong() -> list[Hit]:
        raise Invalid("not a question")

    with pytest.raises(Invalid, match="not a question"):
        asyncio.run(run({"wrong": wrong}, Deadline.after(100)))


@pytest.mark.requirement("R1")
def test_spans_of_time_are_listed_within_the_filter() -> None:
    world = World()
    for day in range(10):
        world.event(f"d{day}", f"第{day}天", days=day)
    query = Query(text="哪天", after=START + timedelta(days=2))
    where = policy.where_for(world.asker(), query, world.now)
    spans = (
        Window(after=START + timedelta(days=1), before=START + timedelta(days=4), words="那几天"),
        Window(after=START + timedelta(days=8), words="最后"),
        Window(before=START + timedelta(days=3), words="起初"),
    )
    made = plan(query, Options(), said_when=Times(windows=spans))
    made = msgspec.structs.replace(made, channels={"time": 1.0})
    outcome = asyncio.run(Channels(world.store, (), Options()).run(made, where, ""))
    assert [hit.id for hit in outcome.hits["time"]] == ["d3", "d2", "d9", "d8"]


def test_a_store_without_an_index_of_its_own_says_so() -> None:
    class Bare(ReferenceStore):
        channels: frozenset[str] = frozenset()

    world = World()
    where = policy.where_for(world.asker(), Query(text="x"), world.now)
    with pytest.raises(Unavailable, match="no index serves the channel keyword"):
        asyncio.run(Channels(Bare(), (), Options()).run(plan(Query(text="x"), Options()), where, ""))


@pytest.mark.requirement("S3")
def test_a_vector_that_comes_too_late_is_waited_for_by_nobody() -> None:
    world = World()
    world.event("a", "the database has a password")
    query = Query(text="database password")

    async def ask() -> int:
        channels = Channels(world.store, [world.store.vectors], Options(deadline_ms=60), Plain(seconds=60))
        for _ in range(3):
            where = policy.where_for(world.asker(), query, world.now)
            outcome = await channels.run(plan(query, Options(), channels.index_channels), where, "")
            assert outcome.failed["vector"] == "no answer within 60 ms"
        await asyncio.sleep(0)
        return len(asyncio.all_tasks())

    assert asyncio.run(ask()) == 1


@pytest.mark.requirement("I1")
def test_who_may_read_some_kinds_alone_asks_no_contexts() -> None:
    world = World()
    before = world.event("a", "口令是 swordfish", kind="assistant_message")
    after = world.event("b", "noted, thank you")
    same = (array("f", [1.0, 0.0]),)
    rows = [
        Indexed(owner=owner(one.scope), record=one, space="plain", vectors={"vector": same, "context": same}) for one in (before, after)
    ]
    asyncio.run(world.store.vectors.add(rows))
    query = Query(text="swordfish 口令")
    channels = Channels(world.store, [world.store.vectors], Options(), Plain())
    for kinds, asked in ((None, {"vector", "context"}), (("user_message",), {"vector"})):
        where = policy.where_for(world.asker(kinds=kinds), query, world.now)
        outcome = asyncio.run(channels.run(plan(query, Options(), channels.index_channels), where, ""))
        assert outcome.hits.keys() & {"vector", "context"} == asked
