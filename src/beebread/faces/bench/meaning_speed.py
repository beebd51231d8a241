"""Times of search by meaning: making vectors, asking through every channel at once, the built-in model, and a command from nothing."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from beebread.model import Batch, Event, Principal, Query
from beebread.models import open_embedder
from beebread.settings import load
from beebread.wiring import Plugs, open_plugs

INSTANT = "hashing://?dimensions=384"  # vectors as long as the built-in model's, made in no time
SHORT = (
    "Remind me to send the quarterly report to the finance team before the meeting on Thursday morning, please",
    "请在周四上午开会之前提醒我把季度报告发给财务部的同事",
)
QUERIES = 200
COLD = 3


def quantiles(values: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


async def vectors(plugs: Plugs) -> dict[str, float]:
    """Records a second that get their vectors, the model's time left out."""
    assert plugs.worker.embedding is not None
    changes = (await plugs.worker.embedding.waiting()).changes
    began = time.perf_counter()
    await plugs.worker.embedding.catch_up()
    return {"settle_per_s": changes / (time.perf_counter() - began)}


async def fused(plugs: Plugs, asked: Iterable[tuple[Principal, str]], now: Query, name: str) -> dict[str, float]:
    """Milliseconds of a whole query, the model's time left out, for each who asks what."""
    took: list[float] = []
    for who, question in asked:
        began = time.perf_counter()
        await plugs.service.query(who, Query(text=question, now=now.now))
        took.append((time.perf_counter() - began) * 1000)
    p50, p95 = quantiles(took[len(took) // 10 :])  # the first ones fill the caches
    return {f"fused{name}_p50_ms": p50, f"fused{name}_p95_ms": p95}


async def one_owner(folder: Path, events: Sequence[Event], asked: Sequence[str], now: Query, name: str) -> dict[str, float]:
    """The same for one owner of all these events."""
    plugs = await open_plugs(load(home=str(folder), embedder=INSTANT))
    try:
        for start in range(0, len(events), 256):
            await plugs.store.apply(Batch(put=tuple(events[start : start + 256])))
        await vectors(plugs)
        who = Principal(tenant=events[0].scope.tenant, user=events[0].scope.user)
        return await fused(plugs, ((who, question) for question in asked), now, name)
    finally:
        await plugs.close()


def embedding() -> dict[str, float]:
    """Short texts a second that the built-in model embeds with one thread, in English and in Chinese; nothing where it is not installed."""
    opened = open_embedder("auto", load(embedder="auto")).embedder
    if opened is None:
        return {}

    async def measure() -> dict[str, float]:
        await opened.embed_queries(["warm"])
        speeds: dict[str, float] = {}
        for name, text in zip(("en", "zh"), SHORT, strict=True):
            texts = [f"{text} {number}" for number in range(200)]
            began = time.perf_counter()
            await opened.embed_documents(texts)
            speeds[f"embed_{name}_per_s"] = len(texts) / (time.perf_counter() - began)
        await opened.close()
        return speeds

    return asyncio.run(measure())


def cold(folder: Path, say: Callable[[str], None]) -> dict[str, float]:
    """Seconds of `beebread query` from nothing, with the model that is set, in the folder."""
    say("asking from the command line, from nothing")
    took: list[float] = []
    command = [sys.executable, "-m", "beebread", "query", "when is the report due?", "--user", "user-0", "--home", str(folder)]
    for _ in range(COLD):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - this very program
        took.append(time.perf_counter() - began)
    return {"cli_cold_s": statistics.median(took)}
