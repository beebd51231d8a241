"""One deadline for the whole recall, however many questions a turn asks."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from beebread import Client
from tests.stories.embedders import Counting

SAID = "the staging database moved to port 5433"


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    "turn",
    [
        "Where is the staging database? Who moved the staging database? When was the database moved? Which port has the database?",
        "测试数据库在哪里？谁把数据库搬走了？数据库是什么时候搬的？数据库的端口是多少？",
    ],
)
def test_a_turn_of_several_questions_takes_no_longer_than_one(turn: str, tmp_path: Path) -> None:
    embed = Counting()
    with Client(tmp_path / "m", embedder=embed, deadline_ms=400) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", SAID)
        me.record("user_message", "测试数据库搬到了 5433 端口")
        memory.settle()
        embed.seconds = 3.0
        began = time.monotonic()
        found = me.query(turn)
        assert time.monotonic() - began < 0.8
        assert found.items, "words still serve"
        assert "no answer within 400 ms" in found.report.failed["vector"]
        time.sleep(0.1)
