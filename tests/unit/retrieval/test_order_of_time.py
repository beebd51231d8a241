"""Which of several like things an order picks: memories stand by when they began to hold, not by when they were written."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.unit.retrieval.world import START, World


@pytest.mark.requirement("R3")
@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("the first version of the plan?", "spring"), ("第一版发布方案？", "spring"), ("第 2 版发布方案？", "summer"),
        ("the latest version of the plan?", "autumn"), ("最新一版发布方案？", "autumn"),
        ("the version before last of the plan?", "summer"), ("倒数第 2 版发布方案？", "summer"), ("上上版发布方案？", "spring"),
    ],
)  # fmt: skip
def test_memories_stand_by_when_they_began_to_hold(question: str, right: str) -> None:
    """The newest is told first, the oldest last, as when old notes are brought in."""
    world = World()
    for days, name in ((60, "autumn"), (150, "summer"), (240, "spring")):
        world.memory(name, f"version of the plan 发布方案 {name}", valid_from=START - timedelta(days=days), days=days)
    world.now = START + timedelta(days=301)
    found = world.ask(question)
    assert found.items[0].id == right, [(item.id, item.reasons) for item in found]


@pytest.mark.requirement("R3")
def test_a_memory_without_a_beginning_stands_where_it_was_written() -> None:
    world = World()
    world.memory("old", "version of the plan 发布方案 a", days=10)
    world.memory("older", "version of the plan 发布方案 b", days=20, valid_from=START)
    world.memory("new", "version of the plan 发布方案 c", days=15)
    world.now = START + timedelta(days=21)
    assert world.ask("第一版发布方案？").items[0].id == "older"
    assert world.ask("the latest version of the plan?").items[0].id == "new"
