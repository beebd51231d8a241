"""Embedders that the stories are told with: one that counts and fails when told to, and a memory in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

HASHED = "hashing://?dimensions=128"


class Counting:
    """An embedder made of a function: letters as numbers. It counts what it embeds, and fails, lies or dawdles when it is told to."""

    def __init__(self, dimensions: int = 32) -> None:
        self.dimensions = dimensions
        self.embedded: list[str] = []
        self.away: Exception | None = None
        self.answer: float | None = None
        self.seconds = 0.0

    def __call__(self, asked: list[str]) -> list[list[float]]:
        time.sleep(self.seconds)
        if self.away is not None:
            raise self.away
        self.embedded += asked
        return [self._vector(text) for text in asked]

    def _vector(self, text: str) -> list[float]:
        if self.answer is not None:
            return [self.answer] * self.dimensions
        found = [0.01] * self.dimensions
        for character in text:
            found[ord(character) % self.dimensions] += 1.0
        return found


def elsewhere(folder: Path, embedder: str, does: str, absent: tuple[str, ...] = ()) -> str:
    """What a process of its own says that opens the folder as `memory`, `me` being user u, and runs `does`; without those packages."""
    program = (
        f"import sys; sys.modules.update(dict.fromkeys({absent!r}))\n"
        "from beebread import Client\n"
        f"with Client({str(folder)!r}, embedder={embedder!r}) as memory:\n"
        "    me = memory.bind(user='u', session='s')\n" + "".join(f"    {line}\n" for line in does.splitlines())
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", done.stderr
    return done.stdout


def soon(holds: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether it comes to hold within this time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
