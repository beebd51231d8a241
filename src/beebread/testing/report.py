"""Runs the suites on one open engine and says how far it can be trusted: none, base, partial or full."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Literal

from msgspec import Struct

from beebread.ports import Blobs, KeepsVectors, Store
from beebread.testing.blobs import BLOB_CHECKS
from beebread.testing.index import INDEX_CHECKS
from beebread.testing.index_history import index_history
from beebread.testing.isolation import ISOLATION_CHECKS
from beebread.testing.simulate import history
from beebread.testing.store import STATES_CHECKS, STORE_CHECKS

Level = Literal["none", "base", "partial", "full"]
# Without its base an engine may lose what it was given or show it to others. What is partial serves without graph, search or states.
BASE = ("write", "read", "isolation")
PARTIAL = ("erase",)
Run = Callable[[], Coroutine[Any, Any, object]]


class Outcome(Struct, frozen=True):
    """How one check went; `message` says what rule was broken, '' that none was."""

    name: str
    message: str
    seconds: float

    @property
    def suite(self) -> str:
        """The suite that the check belongs to."""
        return self.name.partition(".")[0]


class Certificate(Struct, frozen=True):
    """What the suites found out."""

    outcomes: tuple[Outcome, ...]

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """Checks that found a rule broken."""
        return tuple(outcome for outcome in self.outcomes if outcome.message)

    @property
    def level(self) -> Level:
        """full: every rule is kept. partial: those of keeping, reading, isolation and erasing are. base: those but erasing. Else none."""
        broken = {outcome.suite for outcome in self.failed}
        if not broken:
            return "full"
        if broken.isdisjoint((*BASE, *PARTIAL)):
            return "partial"
        return "base" if broken.isdisjoint(BASE) else "none"


def checks(store: Store, blobs: Blobs | None = None, histories: int = 8) -> Iterator[tuple[str, Run]]:
    """Every check by name, ready to be run on this store and these blobs."""
    for name, check in {**STORE_CHECKS, **STATES_CHECKS, **ISOLATION_CHECKS}.items():
        yield name, lambda check=check: check(store)
    for seed in range(histories):
        yield f"history.{seed}", lambda seed=seed: history(store, seed)
    if isinstance(store, KeepsVectors):
        for name, found in INDEX_CHECKS.items():
            yield name, lambda found=found: found(store)
        for seed in range(histories):
            yield f"index.history.{seed}", lambda seed=seed: index_history(store, seed)
    if blobs is not None:
        for name, kept in BLOB_CHECKS.items():
            yield f"blobs.{name}", lambda kept=kept: kept(blobs)


async def outcome_of(name: str, run: Run) -> Outcome:
    """Run one check; whatever it raises is its outcome."""
    begun = time.perf_counter()
    (raised,) = await asyncio.gather(run(), return_exceptions=True)
    if isinstance(raised, BaseException) and not isinstance(raised, Exception):
        raise raised
    message = f"{type(raised).__name__}: {raised}" if isinstance(raised, Exception) else ""
    return Outcome(name, message, time.perf_counter() - begun)


async def certify(
    store: Store, blobs: Blobs | None = None, histories: int = 8, done: Callable[[Outcome], None] | None = None
) -> Certificate:
    """Run every suite on an open store, and on `blobs` where given; each check keeps to a tenant of its own and leaves it behind.

    Those of an index of vectors, where the store has one, empty it first.
    `histories` random histories are compared with the reference engine. `done` hears of each check as it ends.
    """
    outcomes: list[Outcome] = []
    for name, run in checks(store, blobs, histories):
        outcomes.append(await outcome_of(name, run))
        if done is not None:
            done(outcomes[-1])
    return Certificate(tuple(outcomes))


async def caught_by(opened: Callable[[], Store], first: tuple[str, ...] = ()) -> str:
    """The first check that finds something wrong with a fresh store; '' when none does. `first` names suites to begin with."""
    named = {**STORE_CHECKS, **STATES_CHECKS, **ISOLATION_CHECKS}
    for name in sorted(named, key=lambda name: not name.startswith(first) if first else 0):
        if (await outcome_of(name, lambda name=name: named[name](opened()))).message:
            return name
    return ""
