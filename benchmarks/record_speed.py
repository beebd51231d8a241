"""How long record() takes, against json.dumps and a hash of the same event: the bar is three times that, at 200 and 2,000 characters."""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable
from hashlib import blake2b

import msgspec

from beebread.capture.recorder import Recorder
from beebread.model import Event, Scope
from beebread.settings import Settings

BAR = 3.0
ENGLISH = "The nightly job failed at step 3 because the price feed (id 20391) returned 503; retry after 90 s and tell the owner. "
CHINESE = "夜间任务在第三步失败，原因是价格接口（编号 20391）返回 503；请在九十秒后重试，并告知负责人。"


class Kept(msgspec.Struct, frozen=True):
    """What a store says that keeps everything."""

    created: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    buried: tuple[str, ...] = ()
    rejected: dict[str, str] = {}


async def keep(events: tuple[Event, ...], aliases: dict[str, str]) -> Kept:
    """Take events as a store would, at once."""
    return Kept(created=tuple(event.id for event in events if event.id not in aliases))


def median_us(work: Callable[[int], object], rounds: int) -> float:
    """The median time of one call of `work`, in microseconds."""
    times: list[int] = []
    for turn in range(rounds):
        begun = time.perf_counter_ns()
        work(turn)
        times.append(time.perf_counter_ns() - begun)
    return statistics.median(times) / 1000


def measure(sample: str, size: int, rounds: int) -> tuple[float, float]:
    """Median microseconds of record(), and of json.dumps with a hash of the same event."""
    scope = Scope(tenant="acme", user="u1", session="s1", task="t1")
    texts = [f"{turn:06d} {sample * (size // len(sample) + 1)}"[:size] for turn in range(512)]
    seen: list[Event] = []

    async def look(events: tuple[Event, ...], aliases: dict[str, str]) -> Kept:
        seen.extend(events[:1])
        return await keep(events, aliases)

    with_look = Recorder(look)
    with_look.record("assistant_message", texts[0], scope=scope)
    with_look.close()
    same = {name: value for name, value in msgspec.to_builtins(seen[0]).items() if value}

    def plain(turn: int) -> object:
        same["text"] = texts[turn % 512]
        return blake2b(json.dumps(same).encode(), digest_size=16).hexdigest()

    recorder = Recorder(keep, settings=Settings(buffer_events=10 * rounds))
    plain_us = median_us(plain, rounds)
    record_us = median_us(lambda turn: recorder.record("assistant_message", texts[turn % 512], scope=scope), rounds)
    recorder.flush()
    counted = recorder.counters()
    recorder.close()
    if counted["sent"] != rounds or counted["dropped"]:
        raise SystemExit(f"events went missing: {counted}")
    return record_us, plain_us


def main() -> None:
    """Print both medians and their ratio for each language and size; exit 1 when one is over the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20_000)
    rounds = parser.parse_args().rounds
    over = False
    gc.freeze()
    print(f"{'text':>8} {'chars':>6} {'record us':>10} {'json+hash us':>13} {'ratio':>6}")
    for name, sample in (("english", ENGLISH), ("chinese", CHINESE)):
        for size in (200, 2000):
            record_us, plain_us = measure(sample, size, rounds)
            over = over or record_us > BAR * plain_us
            print(f"{name:>8} {size:>6} {record_us:>10.1f} {plain_us:>13.1f} {record_us / plain_us:>6.2f}")
    raise SystemExit(1 if over else 0)


if __name__ == "__main__":
    main()
