"""Times of search by meaning: adding vectors, asking through every channel at once, the built-in model, and a command from nothing."""

from __future__ import annotations

import asyncio
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from beebread import policy
from beebread.errors import Unavailable
from beebread.faces.bench import made, speed
from beebread.model import Batch, Event, Mark, Memory, Principal, Query, owner, search_text
from beebread.models import open_embedder
from beebread.ports import Embedder, Index, Indexed, KeepsVectors, Store
from beebread.retrieval import Options, Retriever
from beebread.settings import load
from beebread.wiring import open_plugs

SHORT = (  # 26 pieces of the built-in model's vocabulary each
    "Remind me to send the quarterly report to the finance team before the meeting on Thursday morning, please",
    "请在周四上午开会之前提醒我把季度报告发给财务部的同事，另外抄送给王经理",
)
QUESTIONS = 300
WARM = 10  # the first tenth of all questions is not counted: it fills the caches
TEXTS = 200
COLD_EVENTS, COLD = 1_000, 5
SLICE = 512


async def add(store: Store, index: Index, embedder: Embedder) -> float:
    """Give everything in the store made-up vectors for both channels; records a second, the making of the vectors left out."""
    spent, count, at, size = 0.0, 0, 0, embedder.dimensions
    while changes := await store.tail(at, SLICE):
        at = changes[-1][0]
        records = [record for _, record in changes if isinstance(record, (Event, Memory))]
        texts = [search_text(record) for record in records]
        rows = [
            Indexed(
                owner=owner(record.scope), record=record, space=embedder.space,
                vectors={"vector": (made.vector(text, size),), "context": (made.vector(f"before it\n{text}", size),)},
            )
            for record, text in zip(records, texts, strict=True)
        ]  # fmt: skip
        began = time.perf_counter()
        await index.add(rows)
        spent += time.perf_counter() - began
        count += len(rows)
    return count / spent if spent else 0.0


def vectors_of(store: Store) -> Index:
    """The store's index of vectors. Raises Unavailable where it has none."""
    if not isinstance(store, KeepsVectors):
        raise Unavailable("this store keeps no vectors: measure one that does")
    return store.vectors


async def fused(store: Store, asked: Iterable[tuple[Principal, str]], count: int, name: str) -> dict[str, float]:
    """Milliseconds of a whole recall through every channel, the model's time left out, and what its slowest steps take."""
    retriever = Retriever(store, (vectors_of(store),), Options(), embedder=made.Instant())
    took: list[float] = []
    for who, question in asked:
        query = Query(text=question, now=made.after(count))
        began = time.perf_counter()
        found = await retriever.recall(query, policy.where_for(who, query, made.after(count)))
        if found.report.failed:
            raise Unavailable(f"a channel failed, and its time says nothing: {found.report.failed}")
        took.append((time.perf_counter() - began) * 1000)
    p50, p95 = speed.quantiles(took[len(took) // WARM :])
    return {f"fused_{name}_p50_ms": p50, f"fused_{name}_p95_ms": p95}


async def one_place(folder: Path, count: int, name: str, questions: int, *, shared: bool) -> dict[str, float]:
    """The same where one owner, or the space that a tenant shares, holds `count` events."""
    plugs = await open_plugs(load(home=str(folder), embedder="none"))
    try:
        await speed.ingest(plugs.store, made.events(count, 100 if shared else 1, space="shared" if shared else "private"))
        await add(plugs.store, vectors_of(plugs.store), made.Instant())
        rnd, who = random.Random(9), Principal(user="user-0")
        asked = [(who, made.sentence(rnd, 32)) for _ in range(questions)]
        return await fused(plugs.store, asked, count, name)
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
            texts = [f"{text} {number}" for number in range(TEXTS)]
            began = time.perf_counter()
            await opened.embed_documents(texts)
            speeds[f"embed_{name}_per_s"] = len(texts) / (time.perf_counter() - began)
        await opened.close()
        return speeds

    return asyncio.run(measure())


async def _cold_memory(folder: Path) -> str:
    """A memory of one user, with made-up vectors in the space of the model that is set; who he is."""
    plugs = await open_plugs(load(home=str(folder)))
    try:
        await speed.ingest(plugs.store, made.events(COLD_EVENTS, 1))
        if plugs.embedder is not None:
            await plugs.embedder.embed_queries(["warm"])  # some models know the length of their vectors only then
            await add(plugs.store, vectors_of(plugs.store), plugs.embedder)
            mark = Mark(f"embedded {plugs.embedder.space}", await plugs.store.position())
            await plugs.store.apply(Batch(marks=(mark,)))
        return "user-0"
    finally:
        await plugs.close()


def cold(folder: Path) -> dict[str, float]:
    """Seconds of `beebread query` from nothing, with the model that is set, on 1,000 events."""
    user = asyncio.run(_cold_memory(folder))
    took: list[float] = []
    command = [sys.executable, "-m", "beebread", "query", "when is the report due?", "--user", user, "--home", str(folder)]
    for _ in range(COLD):
        began = time.perf_counter()
        subprocess.run(command, capture_output=True, check=True)  # noqa: S603 - this very program
        took.append(time.perf_counter() - began)
    return {"cli_cold_s": statistics.median(took)}
