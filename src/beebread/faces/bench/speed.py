"""Times of recording, ingesting, asking by words and walking, beside plain yardsticks of the same run."""

from __future__ import annotations

import hashlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from beebread import policy
from beebread.backends.sqlite_yardstick import bare_speed, plain_speed
from beebread.faces.bench import made
from beebread.faces.client import Client
from beebread.model import Batch, Event, Principal, Query
from beebread.ports import Probe, Store
from beebread.text import query_terms

BATCH = 256  # events of one durable append, as the recorder sends them
WHAT = {"bare": "the very rows, packed beforehand", "plain": "a plain schema, a row for each posting"}


def quantiles(values: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    ordered = sorted(values)
    return statistics.median(ordered), ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]


def _timed(work: Callable[[], object], times: int) -> list[float]:
    took: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return took


def record_cost(size: int, times: int) -> dict[str, float]:
    """Median microseconds of record(), of json.dumps and a hash of the same event, and their ratio."""
    text = made.sentence(random.Random(size), size)
    with tempfile.TemporaryDirectory() as folder, Client(folder, embedder="none", buffer_events=1_000_000) as memory:
        me = memory.bind(user="u", agent="a", session="s")
        numbers = iter(range(10_000_000))
        # Different each time, as events are: the same one again would be recognised and skipped.
        own = _timed(lambda: me.record("user_message", f"{text}{next(numbers)}"), times)
        me.flush()
    plain = {
        "id": "01900000-0000-7000-8000-000000000000",
        "kind": "user_message",
        "user": "u",
        "agent": "a",
        "session": "s",
        "at": "2026-11-30T09:00:00+00:00",
    }
    numbers = iter(range(10_000_000))
    yard = _timed(lambda: hashlib.sha256(json.dumps({**plain, "text": f"{text}{next(numbers)}"}).encode()).hexdigest(), times)
    p50, floor = statistics.median(own) * 1e6, statistics.median(yard) * 1e6
    return {"record_us": p50, "json_and_hash_us": floor, "ratio": p50 / floor}


async def ingest(store: Store, events: Iterable[Event]) -> float:
    """Events a second of durable appends, the making of the events left out."""
    batch: list[Event] = []
    count, spent = 0, 0.0

    async def write() -> None:
        nonlocal spent, count
        began = time.perf_counter()
        await store.apply(Batch(put=tuple(batch)))
        spent += time.perf_counter() - began
        count += len(batch)
        batch.clear()

    for event in events:
        batch.append(event)
        if len(batch) == BATCH:
            await write()
    if batch:
        await write()
    return count / spent


def yardsticks(folder: Path, say: Callable[[str], None]) -> dict[str, float]:
    """Records a second of bare `executemany` for the same memory, packed as ours is and as a plain schema."""
    speeds: dict[str, float] = {}
    for name, yardstick in (("bare", bare_speed), ("plain", plain_speed)):
        say(f"writing the same with bare executemany: {WHAT[name]}")
        speeds[name] = yardstick(folder, folder / f"{name}.db", BATCH)
        (folder / f"{name}.db").unlink()
    return speeds


async def ask(store: Store, count: int, owners: int) -> dict[str, float]:
    """Milliseconds of the keyword channel alone, and of a walk up from a user's last event."""
    users = made.Users(owners, 1)
    users.rnd.seed(7)
    keyword: list[float] = []
    walks: list[float] = []
    now = made.after(count)
    for _ in range(300):
        who, question = Principal(user=users.one()), made.sentence(users.rnd, 32)
        where = policy.where_for(who, Query(types=("event",)), now)
        probe = Probe(channel="keyword", where=where, limit=20, terms=tuple(query_terms(question)))
        began = time.perf_counter()
        await store.search(probe)
        keyword.append(time.perf_counter() - began)
        newest = await store.scan(msgspec.structs.replace(where, order="-time"), 1)
        if newest:
            began = time.perf_counter()
            await store.walk([newest[0].id], "up", 20, where)
            walks.append(time.perf_counter() - began)
    (ask50, ask95), (walk50, walk95) = quantiles(keyword), quantiles(walks)
    return {"keyword_p50_ms": ask50 * 1e3, "keyword_p95_ms": ask95 * 1e3, "walk_p50_ms": walk50 * 1e3, "walk_p95_ms": walk95 * 1e3}


def resident() -> float:
    """Most memory this process has had resident, in MiB; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
