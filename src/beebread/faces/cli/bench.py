"""`beebread bench speed`: what recording, ingesting, asking and walking cost here, beside plain yardsticks of the same run."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import track
from rich.table import Table

from beebread import policy
from beebread.backends.sqlite_yardstick import bare_speed, plain_speed
from beebread.clock import from_micros
from beebread.faces.bench import meaning_speed
from beebread.faces.cli.tree import Branch
from beebread.faces.client import Client
from beebread.model import Batch, Cause, Event, Principal, Query, Scope
from beebread.ports import Probe
from beebread.settings import load
from beebread.text import query_terms
from beebread.wiring import Plugs, open_plugs

START = 1_772_000_000_000_000  # microseconds; any fixed moment, so that runs are alike
TURN = ("user_message", "thought", "tool_call", "tool_result", "assistant_message")
SESSION = 20  # linked steps of one session
EACH = 143  # events of a user, in the mean
ONE_OWNER = 5_000
BATCH = 256  # events of one durable append, as the recorder sends them
ENGLISH = [
    before + after
    for before in "re de con pro in ex per sub ad trans inter out over".split()
    for after in "port duct fer act form mit ject press tend vert spect scribe tract cess pose sume gress quire solve".split()
]
WHAT = {"bare": "the very rows, packed beforehand", "plain": "a plain schema, a row for each posting"}
SIGNS = [chr(0x4E00 + at) for at in random.Random(1).sample(range(6000), 2500)]
CHINESE = ["".join(random.Random(at).choices(SIGNS, k=2)) for at in range(20_000)]


def _zipf(rnd: random.Random, words: list[str]) -> str:
    return words[min(len(words) - 1, int(len(words) ** rnd.random()) - 1)]


def _sentence(rnd: random.Random, size: int) -> str:
    """About `size` characters, half of them Chinese, words by Zipf's law, with codes and numbers as agents see them."""
    if rnd.random() < 0.5:
        said = "".join(_zipf(rnd, CHINESE) for _ in range(max(1, size // 2 - 20)))
        return f"{said[:40]}，{said[40:]} iPhone 15 Pro 订单A{rnd.randrange(10**6)}。"
    said = " ".join(_zipf(rnd, ENGLISH) for _ in range(max(1, size // 8)))
    return f"{said} order ORD-{rnd.randrange(10**6)} src/foo/bar{rnd.randrange(100)}.py"


class Users:
    """Users of uneven size: log-uniform from 1 to 1,000, as users of a service are; the larger ones come, and ask, more often."""

    def __init__(self, count: int, seed: int) -> None:
        self.rnd = random.Random(seed)
        self._names = [f"user-{number}" for number in range(count)]
        self._upto = list(accumulate(1000 ** self.rnd.random() for _ in self._names))

    def one(self) -> str:
        """A user, by size."""
        return self.rnd.choices(self._names, cum_weights=self._upto)[0]


def events(count: int, owners: int, seed: int = 1, size: int = 200) -> Iterator[Event]:
    """`count` events of `owners` users, in sessions of linked steps."""
    users, made = Users(owners, seed), 0
    while made < count:
        user = users.one()
        scope, before = Scope(user=user, session=f"{user}-s{made}"), ""
        for step in range(min(SESSION, count - made)):
            name = f"e{made}"
            yield Event(
                id=name, scope=scope, kind=TURN[step % len(TURN)], at=from_micros(START + made * 1000), recorded_at=from_micros(START),
                origin="import", text=_sentence(users.rnd, size), causes=(Cause(before),) if before else (), dedup_key=f"id:{name}",
                seq=step,
            )  # fmt: skip
            before = name
            made += 1


def _timed(work: Callable[[], object], times: int) -> list[float]:
    took: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return took


def record_cost(size: int, times: int = 3000) -> dict[str, float]:
    """Median microseconds of record(), of json.dumps and a hash of the same event, and their ratio."""
    text = _sentence(random.Random(size), size)
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


async def _measure(folder: Path, count: int, owners: int, say: Callable[[str], None]) -> dict[str, float]:
    plugs = await open_plugs(load(home=str(folder), embedder=meaning_speed.INSTANT))
    try:
        figures = await _ingest(plugs, count, owners, say)
        figures.update(await _ask(plugs, count, owners))
        say("making vectors, and asking through every channel")
        figures.update(await meaning_speed.vectors(plugs))
        users = Users(owners, 1)
        users.rnd.seed(8)
        asked = [(Principal(user=users.one()), _sentence(users.rnd, 32)) for _ in range(meaning_speed.QUERIES)]
        figures.update(await meaning_speed.fused(plugs, asked, Query(now=from_micros(START + count * 1000)), ""))
        return figures
    finally:
        await plugs.close()


def _one_owner(count: int, name: str, say: Callable[[str], None]) -> dict[str, float]:
    say(f"one owner of {count:,} events")
    rnd, now = random.Random(9), Query(now=from_micros(START + count * 1000))
    asked = [_sentence(rnd, 32) for _ in range(meaning_speed.QUERIES)]
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(meaning_speed.one_owner(Path(folder), list(events(count, 1)), asked, now, name))


async def _ingest(plugs: Plugs, count: int, owners: int, say: Callable[[str], None]) -> dict[str, float]:
    say(f"ingesting {count:,} events of {owners:,} users, {BATCH} a batch, durable")
    batch: list[Event] = []
    spent = 0.0
    for made, event in enumerate(track(events(count, owners), total=count, console=Console(stderr=True), transient=True), 1):
        batch.append(event)
        if len(batch) < BATCH and made < count:
            continue
        began = time.perf_counter()
        await plugs.store.apply(Batch(put=tuple(batch)))
        spent += time.perf_counter() - began
        batch = []
    return {"events": count, "ingest_per_s": count / spent}


def yardsticks(folder: Path, say: Callable[[str], None]) -> dict[str, float]:
    """Records a second of bare `executemany` for the same memory, packed as ours is and as a plain schema."""
    speeds: dict[str, float] = {}
    for name, yardstick in (("bare", bare_speed), ("plain", plain_speed)):
        say(f"writing the same with bare executemany: {WHAT[name]}")
        speeds[name] = yardstick(folder, folder / f"{name}.db", BATCH)
        (folder / f"{name}.db").unlink()
    return speeds


async def _ask(plugs: Plugs, count: int, owners: int) -> dict[str, float]:
    users = Users(owners, 1)
    users.rnd.seed(7)
    keyword: list[float] = []
    walks: list[float] = []
    now = from_micros(START + count * 1000)
    for _ in range(300):
        who, question = Principal(user=users.one()), _sentence(users.rnd, 32)
        where = policy.where_for(who, Query(types=("event",)), now)
        probe = Probe(channel="keyword", where=where, limit=20, terms=tuple(query_terms(question)))
        began = time.perf_counter()
        await plugs.store.search(probe)
        keyword.append(time.perf_counter() - began)
        newest = await plugs.store.scan(msgspec.structs.replace(where, order="-time"), 1)
        if newest:
            began = time.perf_counter()
            await plugs.store.walk([newest[0].id], "up", 20, where)
            walks.append(time.perf_counter() - began)
    (ask50, ask95), (walk50, walk95) = meaning_speed.quantiles(keyword), meaning_speed.quantiles(walks)
    return {"keyword_p50_ms": ask50 * 1e3, "keyword_p95_ms": ask95 * 1e3, "walk_p50_ms": walk50 * 1e3, "walk_p95_ms": walk95 * 1e3}


def _resident() -> float:
    """Most memory this process has had resident, in MiB; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


@click.group("bench", cls=Branch)
def bench() -> None:
    """Measure this machine. Each figure stands beside a plain yardstick of the same run."""


@bench.command("speed")
@click.option("--events", "count", default=100_000, show_default=True, help="Events to ingest; 1000000 takes some minutes.")
@click.option("--owners", default=0, help="Users that they belong to (default: one for 143 events; 7,000 for 1000000).")
@click.option("--space", default=0, help="Also ask one owner, or shared space, of so many events.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def speed(count: int, owners: int, space: int, as_json: bool) -> None:
    """Time recording, ingesting, asking and walking. Also the memory and the disk that they take.

    Where the model's own time is left out, vectors of the same length are made from words.
    """
    err = Console(stderr=True)
    figures: dict[str, float] = {}
    for size in (200, 2000):
        figures.update({f"{name}_{size}": value for name, value in record_cost(size).items()})
    with tempfile.TemporaryDirectory() as folder:
        figures.update(asyncio.run(_measure(Path(folder), count, owners or max(1, count // EACH), err.print)))
        figures["disk_mib"] = sum(file.stat().st_size for file in Path(folder).rglob("beebread.db*")) / 2**20
        figures["disk_bytes_an_event"] = figures["disk_mib"] * 2**20 / count
        figures["text_bytes_an_event"] = statistics.fmean(len(event.text.encode()) for event in events(1000, 10))
        figures["resident_mib"] = _resident()  # before the yardsticks take theirs
        for name, speed in yardsticks(Path(folder), err.print).items():
            figures.update({f"{name}_per_s": speed, f"ingest_to_{name}": figures["ingest_per_s"] / speed})
    figures.update(_one_owner(min(ONE_OWNER, count), f"_{min(ONE_OWNER, count)}", err.print))
    if space:
        figures.update(_one_owner(space, f"_{space}", err.print))
    figures.update(meaning_speed.embedding())
    with tempfile.TemporaryDirectory() as folder:
        with Client(folder) as memory:
            for event in events(min(200, count), 1):
                memory.bind(user="user-0", session=event.scope.session).record(event.kind, event.text, at=event.at)
            memory.settle()
        figures.update(meaning_speed.cold(Path(folder), err.print))
    if as_json:
        click.echo(msgspec.json.encode(figures).decode())
        return
    table = Table("figure", "value", box=None)
    for name, value in figures.items():
        table.add_row(name, f"{value:,.2f}")
    Console().print(table)
