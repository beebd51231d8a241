"""Why a record was found or was not is told in one call, and tells an agent no more than it may know."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import msgspec
import pytest

from beebread.model import Batch
from beebread.retrieval import Options
from tests.unit.retrieval.world import START, World


@pytest.mark.requirement("R10")
def test_what_was_found_is_explained_by_rank_channels_and_words() -> None:
    world = World()
    world.event("said", "爬虫任务卡在登录页")
    told = world.explain("爬虫任务的进度", "said")
    assert told.found
    assert told.rank == 1
    assert told.verdict == "found, as number 1"
    assert told.channels["keyword"].rank == 1
    assert "爬虫" in told.matched
    assert "进度" in told.missing
    assert told.relevance > told.threshold
    assert told.parts["keyword"] > 0
    assert told.reasons
    assert told.report.plan["terms"]


@pytest.mark.requirement("R10")
def test_without_a_common_word_it_is_said_which_are_missing() -> None:
    world = World()
    world.event("said", "alpha beta", session="s9")
    world.event("other", "gamma delta")
    told = world.explain("gamma", "said")
    assert not told.found
    assert told.missing == ("gamma",)
    assert told.verdict == "kept, and has none of the words asked for"


@pytest.mark.requirement("R10")
def test_the_limit_the_threshold_the_fold_and_the_pool_are_each_named() -> None:
    world = World()
    for at in range(4):
        world.event(f"e{at}", "爬虫 " * (4 - at) + "甲乙丙丁"[at], session=f"s{at}")
    assert "cut off by the limit: it is number 4" in world.explain("爬虫", "e3", limit=2).verdict
    strict = World(options=Options(floor=5.0))
    strict.event("said", "爬虫任务")
    assert "not relevant enough" in strict.explain("爬虫", "said").verdict
    world.event("again", "爬虫 爬虫 爬虫 爬虫 甲", session="s7")
    told = [world.explain("爬虫", name) for name in ("e0", "again")]
    assert sorted(one.found for one in told) == [False, True]
    assert "which says the same" in next(one.verdict for one in told if not one.found)
    narrow = World(options=Options(pool=2))
    for at in range(4):
        narrow.event(f"e{at}", "爬虫 " * (4 - at), session=f"s{at}")
    assert "not among the 2 best of any channel" in narrow.explain("爬虫", "e3", limit=1, channels=("keyword",)).verdict
    few = World(options=Options(read=2))
    for at in range(6):
        few.event(f"e{at}", "爬虫 " * (6 - at), session=f"s{at}")
    assert "found by keyword, and too far behind the best 4" in few.explain("爬虫", "e5", limit=1, channels=("keyword",)).verdict


@pytest.mark.requirement("R10")
def test_the_filter_that_shut_it_out_is_named() -> None:
    world = World()
    world.event("said", "爬虫任务", days=1)
    told = world.explain("爬虫", "said", kinds=("fact",), after=START + timedelta(days=2), sessions=("s1",))
    assert told.filters == ("kinds", "after")
    assert "kinds, after" in told.verdict


@pytest.mark.requirement("R10")
def test_status_is_named() -> None:
    world = World()
    kept = world.memory("old", "住在杭州")
    world.memory("late", "住在杭州湾", expires_at=START)
    world.memory("asked", "住在杭州西", pending=True)
    when = world.now
    asyncio.run(world.store.apply(Batch(replace=(msgspec.structs.replace(kept, valid_to=when, closed_at=when),))))
    assert world.explain("住在杭州", "old").verdict.startswith("kept, and superseded: ask with history")
    assert world.explain("住在杭州", "old", history=True).found
    assert world.explain("住在杭州", "late").verdict.startswith("kept, and expired")
    assert world.explain("住在杭州", "asked").verdict.startswith("kept, and pending")
    asyncio.run(world.store.apply(Batch(replace=(msgspec.structs.replace(kept, forgotten_at=when),))))
    assert world.explain("住在杭州", "old").verdict.startswith("kept, and forgotten")


def test_the_memorys_own_doings_are_explained() -> None:
    world = World()
    world.event("echo", "爬虫任务", "memory_injected")
    assert "own doings" in world.explain("爬虫", "echo").verdict


@pytest.mark.requirement("R10", "I4")
def test_to_an_agent_forbidden_foreign_and_unknown_read_the_same() -> None:
    world = World()
    world.event("secret", "工资 salary", scope={"sensitivity": 3})
    world.event("private", "工资 salary", scope={"agent": "a"})
    world.event("foreign", "工资 salary", user="v")
    agent = world.asker(agent="b")
    told = [world.explain("工资", name, who=agent) for name in ("secret", "private", "foreign", "never")]
    blank = [msgspec.structs.replace(one, id="", report=told[0].report) for one in told]
    assert all(one == blank[0] for one in blank)
    assert "no such record" in blank[0].verdict
    assert blank[0].matched == ()


@pytest.mark.requirement("R10")
def test_an_administrator_is_told_that_it_is_forbidden() -> None:
    world = World()
    world.event("secret", "工资 salary", scope={"sensitivity": 3})
    admin = world.asker(roles=("admin",), clearance=0)
    told = world.explain("工资", "secret", who=admin)
    assert told.filters == ("asker",)
    assert "may not see it" in told.verdict
    assert "no such record" in world.explain("工资", "never", who=admin).verdict
