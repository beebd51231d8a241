"""Made-up events, questions and vectors to measure speed with: of users of uneven size, half Chinese, the same in every run."""

from __future__ import annotations

import math
import random
import zlib
from array import array
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from itertools import accumulate
from operator import add

from beebread.clock import from_micros
from beebread.model import Cause, Event, Scope
from beebread.ports import Vector

START = 1_772_000_000_000_000  # microseconds; any fixed moment, so that runs are alike
TURN = ("user_message", "thought", "tool_call", "tool_result", "assistant_message")
SESSION = 20  # linked steps of one session
ENGLISH = [
    before + after
    for before in "re de con pro in ex per sub ad trans inter out over".split()
    for after in "port duct fer act form mit ject press tend vert spect scribe tract cess pose sume gress quire solve".split()
]
SIGNS = [chr(0x4E00 + at) for at in random.Random(1).sample(range(6000), 2500)]


def after(count: int) -> datetime:
    """The moment after `count` events."""
    return from_micros(START + count * 1000)


@cache
def _chinese() -> list[str]:
    """Words of two signs; made when they are first asked for, because it takes longer than all else that a command imports."""
    return ["".join(random.Random(at).choices(SIGNS, k=2)) for at in range(20_000)]


def _zipf(rnd: random.Random, words: list[str]) -> str:
    return words[min(len(words) - 1, int(len(words) ** rnd.random()) - 1)]


def sentence(rnd: random.Random, size: int) -> str:
    """About `size` characters, half of them Chinese, words by Zipf's law, with codes and numbers as agents see them."""
    if rnd.random() < 0.5:
        said = "".join(_zipf(rnd, _chinese()) for _ in range(max(1, size // 2 - 20)))
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


def events(count: int, owners: int, seed: int = 1, size: int = 200, space: str = "private") -> Iterator[Event]:
    """`count` events of `owners` users, in sessions of linked steps; with `space` 'shared' all are the whole tenant's."""
    users, made = Users(owners, seed), 0
    while made < count:
        user = users.one()
        scope, before = Scope(user=user, session=f"{user}-s{made}", space=space), ""
        for step in range(min(SESSION, count - made)):
            name = f"e{made}"
            yield Event(
                id=name, scope=scope, kind=TURN[step % len(TURN)], at=from_micros(START + made * 1000), recorded_at=from_micros(START),
                origin="import", text=sentence(users.rnd, size), causes=(Cause(before),) if before else (), dedup_key=f"id:{name}",
                seq=step,
            )  # fmt: skip
            before = name
            made += 1


DIMENSIONS = 384  # as the built-in model has
CLUSTERS, POINTS = 256, 4_096


@cache
def _gaussian(seed: int, count: int, length: float, dimensions: int) -> list[list[float]]:
    rnd = random.Random(seed)
    return [[rnd.gauss(0.0, length / math.sqrt(dimensions)) for _ in range(dimensions)] for _ in range(count)]


def vector(text: str, dimensions: int = DIMENSIONS) -> Vector:
    """A vector for `text`, of length one, near one of CLUSTERS directions: what texts of a few hundred subjects look like."""
    number = zlib.crc32(text.encode())
    centre = _gaussian(1, CLUSTERS, 1.0, dimensions)[number % CLUSTERS]
    point = list(map(add, centre, _gaussian(2, POINTS, 0.8, dimensions)[number // CLUSTERS % POINTS]))
    length = math.hypot(*point)
    return array("f", [value / length for value in point])


class Instant:
    """An embedder that gives made-up vectors at once: what is measured with it is everything but the model."""

    space = "made-up"
    dimensions = DIMENSIONS
    window = 1_500

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that are kept."""
        return [vector(text) for text in texts]

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that ask."""
        return [vector(text) for text in texts]

    async def close(self) -> None:
        """Nothing to let go of."""
