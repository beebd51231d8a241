"""Scores are brought to one measure, added up and held against a threshold; what says the same is folded."""

from __future__ import annotations

from datetime import timedelta

import pytest

from beebread.model import Link, Query
from beebread.retrieval import Options
from beebread.retrieval.channels import spread
from beebread.retrieval.plan import names as possible
from beebread.retrieval.plan import plan
from beebread.retrieval.rank import age
from tests.unit.retrieval.world import START, World, names


def test_the_only_hit_of_a_poor_match_stays_low() -> None:
    world = World()
    world.event("said", "今天去了海边 beach")
    poor = world.ask("上个季度社交媒体数据分析报告在 beach").items[0].score
    good = world.ask("海边 beach").items[0].score
    assert poor < good / 2


@pytest.mark.requirement("R2")
def test_two_channels_that_agree_outrank_one() -> None:
    world = World()
    world.memory("both", "负责计费系统", entities=("林舟",))
    world.memory("words", "林舟负责计费系统")
    world.memory("names", "另一件事", entities=("林舟",))
    recall = world.ask("林舟的计费系统")
    assert names(recall)[0] == "both"
    assert set(names(recall)) == {"both", "words", "names"}
    assert {reason.split()[0] for reason in recall.items[0].reasons} >= {"keyword", "exact"}


@pytest.mark.requirement("R2")
def test_what_says_the_same_is_folded_and_other_numbers_or_a_negation_are_not() -> None:
    world = World()
    for at, text in enumerate(["每天早上九点开站会", "每天早上九点开站会 ", "每天早上十点开站会", "每天早上九点不开站会"]):
        world.event(f"e{at}", text, session=f"s{at}", days=at)
    recall = world.ask("早上开站会")
    assert set(names(recall)) == {"e1", "e2", "e3"}
    kept = next(item for item in recall if item.id == "e1")
    assert kept.sources == ("e1", "e0")
    assert "said 2 times" in kept.reasons


def test_short_results_stand_for_themselves() -> None:
    world = World()
    for at in range(3):
        world.event(f"r{at}", "部署 ok", "tool_result", session=f"s{at}")
    assert len(world.ask("部署")) == 3


def test_a_score_fades_along_the_links() -> None:
    links = [
        Link("o", "b", "CAUSED_BY", "a", depth=1),
        Link("o", "c", "CAUSED_BY", "b", depth=2),
        Link("x", "c", "CAUSED_BY", "a", depth=1),
    ]
    assert spread({("o", "a"): 1.0}, links, "down", 0.5) == {("o", "b"): 0.5, ("o", "c"): 0.25}
    assert spread({("o", "c"): 1.0}, [links[1], links[0]], "down", 0.5) == {}
    up = [Link("o", "c", "CAUSED_BY", "b", depth=1), Link("o", "b", "CAUSED_BY", "a", depth=2)]
    assert spread({("o", "c"): 1.0, ("o", "b"): 0.8}, up, "up", 0.5) == {("o", "b"): 0.5, ("o", "a"): 0.4}


@pytest.mark.requirement("R8")
def test_a_plan_says_which_channels_run_and_why() -> None:
    made = plan(Query(text="上次部署失败是怎么解决的"), Options())
    assert set(made.channels) == {"keyword", "exact", "graph"} == set(made.why)
    assert made.hops > plan(Query(text="部署在哪"), Options()).hops
    assert "time" in plan(Query(text="部署", after=START), Options()).channels
    assert "recent" in plan(Query(text="刚才的部署"), Options()).channels
    assert plan(Query(text="部署", limit=500), Options()).pool == 1000
    assert set(plan(Query(text="部署"), Options(), frozenset({"vector"})).channels) == {"keyword", "exact", "graph", "vector"}


def test_possible_names_are_short_runs_and_whole_words() -> None:
    found = possible("林舟的 notification.channel 是什么, iPhone?")
    assert {"林舟", "notification.channel", "iphone"} <= set(found)
    assert len(possible("蜂" * 5000)) <= 96


def test_age_is_told_in_the_largest_unit() -> None:
    told = [age(START, START + timedelta(seconds=seconds)) for seconds in (-5, 3, 61, 7200, 86400, 900000)]
    assert told == ["just now", "just now", "1 minute old", "2 hours old", "1 day old", "10 days old"]
