"""`beebread bench speed` at a tiny size: every figure is there, beside its bar, and nothing is measured on answers that failed."""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner

from beebread.faces.bench import made, meaning_speed
from beebread.faces.cli.root import beebread_command
from beebread.model import owner

pytest.importorskip("numpy")
TINY = ["bench", "speed", "--events", "80", "--owner", "40", "--space", "50", "--questions", "20", "--no-model"]
FIGURES = {
    "record_us_200", "ratio_2000", "events", "ingest_per_s", "ingest_to_bare", "ingest_to_plain", "keyword_p50_ms", "keyword_p95_ms",
    "walk_p50_ms", "walk_p95_ms", "vectors_per_s", "fused_80_p50_ms", "fused_80_p95_ms", "fused_owner_40_p50_ms", "fused_owner_40_p95_ms",
    "fused_space_50_p50_ms", "fused_space_50_p95_ms", "disk_bytes_an_event", "text_bytes_an_event", "resident_mib",
}  # fmt: skip


def test_every_figure_is_measured_and_told_with_its_bar() -> None:
    done = CliRunner().invoke(beebread_command, [*TINY, "--json"])
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["figures"].keys() >= FIGURES
    assert all(value > 0 for value in told["figures"].values())
    disk = float(told["bars"]["disk_bytes_an_event"].removeprefix("<= "))
    assert disk == pytest.approx(1.8 * 1024 + 2 * told["figures"]["text_bytes_an_event"])
    assert told["bars"]["resident_mib"] == "<= 600.0"
    assert told["about"]["cores"]


def test_made_up_texts_and_vectors_are_the_same_in_every_run() -> None:
    assert [event.text for event in made.events(9, 3)] == [event.text for event in made.events(9, 3)]
    assert len({owner(event.scope) for event in made.events(90, 3)}) > 1
    assert len({owner(event.scope) for event in made.events(90, 3, space="shared")}) == 1
    assert made.vector("a text") == made.vector("a text") != made.vector("another")
    assert math.hypot(*made.vector("一段文字", 64)) == pytest.approx(1, abs=1e-6)


def test_a_place_is_asked_through_every_channel(tmp_path: Path) -> None:
    for shared in (False, True):
        figures = asyncio.run(meaning_speed.one_place(tmp_path / str(shared), 60, "here", 20, shared=shared))
        assert 0 < figures["fused_here_p50_ms"] <= figures["fused_here_p95_ms"]
