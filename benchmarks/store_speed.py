"""How fast the embedded store is: durable ingest, single writes, keyword queries, walks, memory.

Run it as `python benchmarks/store_speed.py ingest --events 100000` (or query, walk, single). Figures are for the machine they are taken on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from beebread.backends.sqlite_store import SqliteStore
from beebread.model import Batch, Cause, Event, Principal, Scope, Where
from beebread.ports import Probe
from beebread.text import query_terms

START = datetime(2026, 1, 1, tzinfo=UTC)
BATCH = 256
_ENGLISH = [
    a + b for a in "re de con pro in ex per sub ad trans inter out over".split()
    for b in "port duct fer act form mit ject press tend vert spect scribe tract cess pose sume gress quire solve".split()
]  # fmt: skip
_SIGNS = [chr(0x4E00 + at) for at in random.Random(1).sample(range(6000), 2500)]
_CHINESE = ["".join(random.Random(at).choices(_SIGNS, k=2)) for at in range(20_000)]


def _zipf(rng: random.Random, words: list[str]) -> str:
    return words[min(len(words) - 1, int(len(words) ** rng.random()) - 1)]


def text(rng: random.Random, length: int = 200) -> str:
    """About `length` characters as agents see them: half Chinese, half English, some codes; words by Zipf's law."""
    if rng.random() < 0.5:
        said = "".join(_zipf(rng, _CHINESE) for _ in range(length // 2 - 20))
        return f"{said[:40]}，{said[40:]} iPhone 15 Pro 订单A{rng.randrange(10**6)}。"
    said = " ".join(_zipf(rng, _ENGLISH) for _ in range(length // 8))
    return f"{said} order ORD-{rng.randrange(10**6)} src/foo/bar{rng.randrange(100)}.py"


def events(rng: random.Random, number: int, users: int, length: int) -> Iterator[Event]:
    """Events of `users` users in sessions of 50, each caused by the one before; a batch is mostly one user's, as imports are."""
    at = 0
    while at < number:
        user = f"user-{int(users * rng.random())}"
        scope = Scope(user=user, session=f"{user}-{at}")
        for step in range(min(50, number - at)):
            cause = (Cause(f"e{at + step - 1:08d}"),) if step else ()
            yield Event(
                id=f"e{at + step:08d}", scope=scope, kind="assistant_message", at=START + timedelta(seconds=at + step), origin="model",
                causes=cause, text=text(rng, length), dedup_key=f"id:e{at + step:08d}",
            )  # fmt: skip
        at += 50


def batches(number: int, users: int, length: int, seed: int = 7) -> Iterator[tuple[Event, ...]]:
    """The same events in the batches of a flush."""
    waiting: list[Event] = []
    for event in events(random.Random(seed), number, users, length):
        waiting.append(event)
        if len(waiting) == BATCH:
            yield tuple(waiting)
            waiting.clear()
    if waiting:
        yield tuple(waiting)


def bare(folder: Path, number: int, users: int, length: int) -> float:
    """Events a second of a plain executemany of the same bodies with the same durability."""
    db = sqlite3.connect(folder / "bare.db", isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE bodies (id TEXT PRIMARY KEY, body BLOB)")
    spent = 0.0
    for batch in batches(number, users, length):
        rows = [(event.id, msgspec.json.encode(event)) for event in batch]
        began = time.perf_counter()
        db.execute("BEGIN IMMEDIATE")
        db.executemany("INSERT INTO bodies VALUES (?, ?)", rows)
        db.execute("COMMIT")
        spent += time.perf_counter() - began
    db.close()
    return number / spent


async def ingest(folder: Path, number: int, users: int, length: int) -> dict[str, float]:
    """Events a second of durable batches, one after another, and of the last tenth of them."""
    store = await SqliteStore.open(folder)
    spent: list[float] = []
    busy = 0.0
    for batch in batches(number, users, length):
        began, worked = time.perf_counter(), time.process_time()
        await store.apply(Batch(put=batch))
        spent.append(time.perf_counter() - began)
        busy += time.process_time() - worked
    await store.close()
    last = spent[-max(1, len(spent) // 10) :]
    return {
        "events_per_second": round(number / sum(spent)),
        "last_tenth_per_second": round(len(last) * BATCH / sum(last)),
        "cpu_us_per_event": round(busy / number * 1e6),
        "slowest_batch_ms": round(max(spent) * 1000), "file_mib": size_of(folder) >> 20,
        "resident_mib": resident(),
    }  # fmt: skip


def size_of(folder: Path) -> int:
    """Bytes of the store's files."""
    return sum(file.stat().st_size for file in folder.glob("beebread.db*"))


async def timed(runs: int, ask: Callable[[], Awaitable[object]]) -> dict[str, float]:
    """p50 and p95 of `runs` calls, in milliseconds."""
    spent: list[float] = []
    worked = time.process_time()
    for _ in range(runs):
        began = time.perf_counter()
        await ask()
        spent.append((time.perf_counter() - began) * 1000)
    worked = (time.process_time() - worked) * 1000 / runs
    spent.sort()
    figures = {"cpu_ms": worked, "p50_ms": spent[runs // 2], "p95_ms": spent[int(runs * 0.95)], "max_ms": spent[-1]}
    return {name: round(figure, 3) for name, figure in figures.items()}


async def query(folder: Path, users: int, runs: int) -> dict[str, float]:
    """Keyword queries of five words by users drawn as their events are."""
    store = await SqliteStore.open(folder)
    rng = random.Random(11)
    found = 0

    async def ask() -> None:
        nonlocal found
        asker = Principal(user=f"user-{int(users * rng.random())}", roles=("self",))
        terms = tuple(query_terms(" ".join(text(rng, 60).split()[:5])[:40]))
        probe = Probe(channel="keyword", where=Where(asker=asker, now=START + timedelta(days=99)), limit=10, terms=terms)
        found += len(await store.search(probe))

    await timed(20, ask)
    answer = await timed(runs, ask)
    await store.close()
    return {**answer, "hits": found, "resident_mib": resident()}


async def walk(folder: Path, number: int, runs: int) -> dict[str, float]:
    """Walks of 20 hops up from events of a bench folder."""
    store = await SqliteStore.open(folder)
    rng = random.Random(13)
    users = {record.id: record.scope.user for _, record in await store.tail(0, 10_000)}

    async def ask() -> None:
        name = f"e{rng.randrange(min(number, 5000) // 50) * 50 + 30:08d}"
        asker = Principal(user=users[name], roles=("self",))
        met = await store.walk([name], "up", 20, Where(asker=asker, now=START + timedelta(days=99)))
        if len(met) != 20:
            raise ValueError(f"{len(met)} links from {name}")

    await timed(20, ask)
    answer = await timed(runs, ask)
    await store.close()
    return answer


async def single(folder: Path, runs: int, callers: int) -> dict[str, float]:
    """Single durable writes by some callers at once."""
    store = await SqliteStore.open(folder)
    made = list(events(random.Random(17), runs, 10, 200))
    spent: list[float] = []

    async def caller(mine: list[Event]) -> None:
        for event in mine:
            began = time.perf_counter()
            await store.apply(Batch(put=(event,)))
            spent.append((time.perf_counter() - began) * 1000)

    began = time.perf_counter()
    await asyncio.gather(*(caller(made[at::callers]) for at in range(callers)))
    whole = time.perf_counter() - began
    await store.close()
    spent.sort()
    return {"writes_per_second": round(runs / whole), "p50_ms": round(spent[runs // 2], 2), "p95_ms": round(spent[int(runs * 0.95)], 2)}


def resident() -> int:
    """MiB that this process has in memory now (0 where the system does not say)."""
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="utf-8").splitlines() if status.exists() else []
    return next((int(line.split()[1]) >> 10 for line in lines if line.startswith("VmRSS")), 0)


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("ingest", "bare", "query", "walk", "single"))
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--users", type=int, default=100)
    parser.add_argument("--length", type=int, default=200)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--callers", type=int, default=16)
    parser.add_argument("--folder", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder: Path = args.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        if args.what == "bare":
            answer: dict[str, float] = {"events_per_second": round(bare(folder, args.events, args.users, args.length))}
        elif args.what == "ingest":
            answer = asyncio.run(ingest(folder, args.events, args.users, args.length))
        elif args.what == "query":
            answer = asyncio.run(query(folder, args.users, args.runs))
        elif args.what == "walk":
            answer = asyncio.run(walk(folder, args.events, args.runs))
        else:
            answer = asyncio.run(single(folder, args.runs, args.callers))
    sys.stdout.write(json.dumps({"what": args.what, **answer}) + "\n")


if __name__ == "__main__":
    main()
