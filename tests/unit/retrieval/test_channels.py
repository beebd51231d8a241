"""Channels run at once, each with its own deadline, and a span of time narrows the time channel alone."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import msgspec
import pytest

from beebread import policy
from beebread.backends.reference import ReferenceStore
from beebread.errors import Invalid, Unavailable
from beebread.model import Hit, Query
from beebread.retrieval import Options, Window
from beebread.retrieval.channels import Channels
from beebread.retrieval.plan import plan
from beebread.retrieval.searches import Deadline, run
from beebread.retrieval.times import Times
from tests.unit.retrieval.world import START, World


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
