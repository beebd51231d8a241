"""Among which occasions an order picks: only those that are nearly as much about the question as the best one."""

from __future__ import annotations

import pytest

from beebread.model import Event, Query
from beebread.retrieval.fuse import Fused
from beebread.retrieval.options import Options
from beebread.retrieval.order import Ranked, by_time
from beebread.retrieval.plan import plan
from beebread.retrieval.times import times
from tests.unit.retrieval.world import START, World


def ranked(event: Event, score: float) -> Ranked:
    """An answer with this score."""
    return Ranked(fused=Fused(key=("u", event.id), record=event, relevance=score, channels={}, parts={}), score=score, factors={})


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("text", ["what did the tests of the search give the last time?", "上次跑的搜索测试结果怎么样？"])
def test_a_newer_thing_that_is_less_alike_is_not_the_last_time(text: str) -> None:
    world, options = World(), Options()
    runs = [world.event(name, name, session=name, days=days) for name, days in (("first", 1), ("second", 2), ("beside", 3))]
    scored = [ranked(runs[0], 1.0), ranked(runs[1], options.occasion_like + 0.05), ranked(runs[2], options.occasion_like - 0.05)]
    made = plan(Query(text=text), options, said_when=times(text, START))
    assert made.order is not None
    found = {one.fused.record.id: one.score for one in by_time(scored, made, options)}
    assert max(found, key=lambda name: found[name]) == "second", found
    assert found["beside"] == options.occasion_like - 0.05
