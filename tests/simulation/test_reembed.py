"""A memory moves to another embedder under queries, killed again and again: no answer is wrong or missing, and the move goes on."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from beebread import Client
from tests.simulation.agreement import disagreements

OLD, NEW = "hashing://?dimensions=64", "hashing://?dimensions=96"
MOVE = f"""
import sys
from beebread import Client
with Client(sys.argv[1], embedder={NEW!r}) as memory:
    print("begun", flush=True)
    memory.reembed(progress=lambda done, total: print(done, total, flush=True))
"""
WORDS = (
    "garden kitchen harbour mountain library station bridge forest market window 花园 厨房 港口 山 图书馆 车站 桥 森林 市场 窗户".split()
)


def said(number: int) -> str:
    """A text of its own for every number, which its words alone find."""
    return f"{WORDS[number % len(WORDS)]} {WORDS[number // len(WORDS) % len(WORDS)]} place{number}"


def filled(folder: Path, number: int) -> None:
    with Client(folder, embedder=OLD, buffer_events=number + 1) as memory:
        me = memory.bind(user="u", session="s")
        for at in range(number):
            me.record("user_message", said(at), id=f"e{at}")
        memory.settle()


def killed(folder: Path, after: float) -> tuple[int, int]:
    """Start the move in a process of its own and kill it; how many changes it said it had done, and of how many."""
    process = subprocess.Popen([sys.executable, "-c", MOVE, str(folder)], stdout=subprocess.PIPE, encoding="utf-8")
    assert process.stdout is not None
    first = process.stdout.readline()
    assert first == "begun\n"
    time.sleep(after)
    process.kill()
    lines = [line for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
    process.stdout.close()
    process.wait()
    done, total = map(int, lines[-1].split()) if lines else (0, 0)
    return done, total


def whole(me: Client, number: int, channel: str) -> None:
    """Every text asked for is the first answer, and by its vector as well as by its words."""
    for at in range(0, number, max(1, number // 20)):
        found = me.query(said(at), limit=3)
        assert found.items[0].id == f"e{at}", said(at)
        assert channel in found.items[0].channels, found.report.failed


def moved(folder: Path, number: int, kills: int, after: float) -> None:
    filled(folder, number)
    with Client(folder, embedder=OLD) as old, Client(folder, embedder=NEW) as new:
        before, after_move = old.bind(user="u"), new.bind(user="u")
        done = most = 0
        for _ in range(kills):
            more, total = killed(folder, after)
            done, most = done + more, max(most, total)
            if not after_move.query(said(1)).report.failed:
                break  # it was faster than the kill
            whole(before, number, "vector")
            whole(after_move, number, "keyword")
            assert "beebread reembed" in after_move.query(said(1)).report.failed["vector"]
        steps: list[tuple[int, int]] = []
        assert new.reembed(progress=lambda at, total: steps.append((at, total))) or done
        rest = steps[-1][1] if steps else 0
        assert not done or rest < most, "a move that was killed began anew"
        whole(after_move, number, "vector")
        assert "vector" in before.query(said(1)).report.failed
        whole(before, number, "keyword")
    assert disagreements(folder) == []
    with Client(folder, embedder=NEW) as memory:
        whole(memory.bind(user="u"), number, "vector")
        assert memory.reembed() is False


@pytest.mark.slow
@pytest.mark.requirement("S3")
def test_a_move_under_queries_is_killed_and_goes_on(tmp_path: Path) -> None:
    moved(tmp_path / "m", 600, 2, 0.3)


@pytest.mark.soak
@pytest.mark.requirement("S3")
@pytest.mark.timeout(1800)
def test_ten_thousand_records_move(tmp_path: Path) -> None:
    moved(tmp_path / "m", 10_000, 6, 2.0)
