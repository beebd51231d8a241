"""A memory moves to another embedder under queries, killed again and again: no answer is wrong or missing, and the move goes on."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from beebread import Client
from tests.simulation.agreement import disagreements, disembodied

OLD, NEW = "hashing://?dimensions=64", "hashing://?dimensions=128"
PAUSE = 0.02  # seconds that the mover rests between two steps, so that it can be met in the middle
MOVE = f"""
import sys, time
from beebread import Client
def step(done, total):
    print(done, total, flush=True)
    time.sleep(float(sys.argv[2]))
with Client(sys.argv[1], embedder={NEW!r}) as memory:
    print(memory.reembed(progress=step), flush=True)
"""
WORDS = (
    "garden kitchen harbour mountain library station bridge forest market window 花园 厨房 港口 山 图书馆 车站 桥 森林 市场 窗户".split()
)
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
NOW = "2026-12-01T00:00:00+00:00"
ASKED = 20
CHANNELS = ("keyword", "vector", "context")
Answers = dict[tuple[int, str], list[str]]


def said(number: int) -> str:
    """A text of its own for every number, which its words alone find."""
    return f"{WORDS[number % len(WORDS)]} {WORDS[number // len(WORDS) % len(WORDS)]} place{number}"


def filled(folder: Path, number: int, embedder: str) -> None:
    with Client(folder, embedder=embedder, buffer_events=number + 1) as memory:
        me = memory.bind(user="u", session="s")
        for at in range(number):
            me.record("user_message", said(at), id=f"e{at}", at=START + timedelta(seconds=at))
        memory.settle()


def asked(number: int) -> list[int]:
    return list(range(0, number, max(1, number // ASKED)))


def ids(me: Client, text: str, channel: str) -> list[str]:
    """What one channel finds; nothing where it does not answer."""
    found = me.query(text, limit=5, channels=(channel,), now=NOW, types=["event"])
    return [item.id for item in found]


def answers(me: Client, number: int) -> Answers:
    """What each channel answers to each question; the first is what was asked for."""
    found = {(at, channel): ids(me, said(at), channel) for at in asked(number) for channel in CHANNELS}
    assert all(names[0] == f"e{at}" for (at, channel), names in found.items() if channel != "context")
    return found


class Move:
    """A move in a process of its own, and how far it says it is."""

    def __init__(self, folder: Path) -> None:
        self.done = self.total = 0
        self.finished = False
        command = [sys.executable, "-c", MOVE, str(folder), str(PAUSE)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8")
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not line.endswith("\n"):
                return  # the kill cut it off
            if line.split()[0] in {"True", "False"}:
                self.finished = True
            else:
                self.done, self.total = map(int, line.split())

    @property
    def runs(self) -> bool:
        return self._process.poll() is None

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._listener.join()
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def moving(folder: Path) -> Generator[Move]:
    move = Move(folder)
    try:
        yield move
    finally:
        move.end()


def serves(old: Client, new: Client, at: int, known: Answers) -> None:
    """Whoever still has the old model finds the same as ever; whoever has the new one finds it by words, and is told why no more."""
    for channel in CHANNELS:
        assert ids(old, said(at), channel) == known[at, channel], (at, channel)
    found = old.query(said(at), limit=3, now=NOW)
    assert found.items[0].id == f"e{at}" and set(CHANNELS) <= found.items[0].channels.keys() and not found.report.failed
    found = new.query(said(at), limit=3, now=NOW)
    assert found.items[0].id == f"e{at}" and "keyword" in found.items[0].channels
    assert all("beebread reembed" in found.report.failed[channel] for channel in ("vector", "context"))


def moved(folder: Path, number: int, kills: int) -> None:
    """Move the folder, killed `kills` times at random moments, with questions all the while."""
    filled(folder, number, OLD)
    rng = random.Random(7)
    with Client(folder, embedder=OLD) as first, Client(folder, embedder=NEW) as second:
        old, new = first.bind(user="u"), second.bind(user="u")
        known, served = answers(old, number), 0
        waiting = whole = second.health().waiting
        assert waiting >= number
        for kill in range(kills):
            with moving(folder) as move:
                least = rng.uniform(0.1, 0.9) * whole / kills
                while move.runs and (not move.total or move.done < least):
                    serves(old, new, rng.choice(asked(number)), known)
                    served += move.runs
                time.sleep(rng.uniform(0.0, 2 * PAUSE))
            assert not move.finished, "it was to be killed before its end"
            left = second.health().waiting
            assert 0 < left <= waiting - move.done, (kill, left, waiting, move.done)
            assert not kill or move.total <= waiting, "it began anew"
            waiting = left
            for at in asked(number):
                serves(old, new, at, known)
        assert served > kills, "questions were asked while it moved"
        assert waiting < whole
        steps: list[tuple[int, int]] = []
        assert second.reembed(progress=lambda done, total: steps.append((done, total))) is True
        assert steps[-1] == (waiting, waiting), "it does what is left, and no more"
        with_new = answers(new, number)
        assert "beebread reembed" in old.query(said(1), now=NOW).report.failed["vector"]
        assert old.query(said(1), now=NOW).items[0].id == "e1"
        assert second.health().waiting == 0 and second.reembed() is False
    filled(folder.with_name("anew"), number, NEW)
    with Client(folder.with_name("anew"), embedder=NEW) as anew:
        assert with_new == answers(anew.bind(user="u"), number), "as if it had been recorded with the new model"
    assert disagreements(folder) == []
    assert disembodied(folder, "hashing/128") == []


@pytest.mark.slow
@pytest.mark.requirement("S3")
def test_a_move_under_queries_is_killed_and_goes_on(tmp_path: Path) -> None:
    moved(tmp_path / "m", 500, 2)


@pytest.mark.soak
@pytest.mark.requirement("S3")
@pytest.mark.timeout(1800)
def test_ten_thousand_records_move(tmp_path: Path) -> None:
    moved(tmp_path / "m", 10_000, 8)
