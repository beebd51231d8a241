"""Random histories: the same steps on an engine and on the reference engine, and every kind of read compared after them."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any

from beebread.backends.reference import ReferenceStore
from beebread.errors import BeebreadError
from beebread.model import Applied, Hit, Link, Record, Session, State, Where, encode_cursor, new_id, owner, state_id
from beebread.ports import Probe, Store
from beebread.testing.scene import EVERY_STATUS, fail, holds, minutes, same, unplaced
from beebread.testing.store_search import rounded
from beebread.testing.strategies import MARKS, Dice
from beebread.text import exact_terms, query_terms

STEPS = 30
READS = 4


class History:
    """One history: `store` is what is tried, `oracle` what must come out."""

    def __init__(self, store: Store, seed: int) -> None:
        self.store = store
        self.oracle = ReferenceStore()
        self.dice = Dice(seed, prefix=f"history-{new_id()}-")
        self.where = f"history {seed}"
        self.start = 0

    async def run(self, steps: int = STEPS) -> None:
        """Take `steps` steps, each followed by a few reads, and compare everything at the end."""
        tail = await self.store.tail(0, 1_000_000)
        self.start = tail[-1][0] if tail else 0
        for step in range(steps):
            self.where = f"{self.where.partition(',')[0]}, step {step}"
            await (self.write_state() if self.dice.chance(20) else self.write_batch())
            for _ in range(READS):
                await self.read(self.dice.where())
        await self.read_all()

    async def both(self, left: Awaitable[Any], right: Awaitable[Any], what: object) -> tuple[Any, Any]:
        """The outcomes on the engine and on the reference; they must be refused or accepted alike."""
        found, wanted = await outcome(left), await outcome(right)
        if isinstance(found, BeebreadError) != isinstance(wanted, BeebreadError):
            fail(f"{self.where}: {what}: found {found!r}, wanted {wanted!r}")
        return found, wanted

    def agree(self, found: object, wanted: object, what: str) -> None:
        """Fail unless both are equal."""
        same(found, wanted, f"{self.where}: {what}")

    def alike(self, found: Sequence[Record], wanted: Sequence[Record], what: str) -> None:
        """Fail unless both are the same records, whatever their places in the log."""
        self.agree([unplaced(record) for record in found], [unplaced(record) for record in wanted], what)

    async def write_batch(self) -> None:
        """Apply one random batch."""
        batch = self.dice.batch(list(self.oracle.data.records.values()))
        found, wanted = await self.both(self.store.apply(batch), self.oracle.apply(batch), batch)
        if isinstance(found, Applied) and isinstance(wanted, Applied):
            done = (found.created, found.seen, found.buried)
            self.agree(done, (wanted.created, wanted.seen, wanted.buried), f"what {batch} did")

    async def write_state(self) -> None:
        """Write or delete one random state."""
        dice = self.dice
        state, expect = dice.state(), dice.one((None, None, None, 0, 1))
        if dice.chance(10):
            home, name = owner(state.scope), dice.one(("", state_id(state)))
            self.agree(
                *await self.both(self.store.states.delete(home, name), self.oracle.states.delete(home, name), "delete"), "states deleted"
            )
            return
        limit = dice.one((10_000, 10_000, 60))
        writes = (self.store.states.put, self.oracle.states.put) if dice.chance(30) else (self.store.states.set, self.oracle.states.set)
        found, wanted = await self.both(writes[0](state, expect, limit), writes[1](state, expect, limit), (state, expect))
        if isinstance(wanted, State):
            self.agree(found, wanted, "the state written")
            name = state_id(state)
            home = owner(state.scope)
            self.agree(
                await self.store.states.history(home, name, 5), await self.oracle.states.history(home, name, 5), f"the history of {name}"
            )

    async def read(self, where: Where) -> None:
        """One filter on every read."""
        store, oracle, dice = self.store, self.oracle, self.dice
        limit, by = dice.one((1, 2, 3, 100)), dice.one(("", "type", "kind", "session", "task", "layer", "actor", "origin"))
        page = await oracle.scan(where, limit)
        self.alike(await store.scan(where, limit), page, f"scan {limit} by {where}")
        if page:
            after = encode_cursor(page[-1])
            self.alike(await store.scan(where, 3, after), await oracle.scan(where, 3, after), f"scan after {after!r} by {where}")
        ids = dice.some((*dice.ids, "x", "x%", *(f"m{name}" for name in dice.ids)), 9)
        self.alike(await store.get(ids, where), await oracle.get(ids, where), f"get {ids} by {where}")
        self.agree(await store.count(where, by), await oracle.count(where, by), f"count by {by!r} by {where}")
        text = dice.text()
        terms = {"keyword": query_terms(text), "exact": exact_terms(text, [f"#{tag}" for tag in ("x", "x%", "y")] + ["@pet.kind"])}
        for channel, wanted in terms.items():
            probe = Probe(channel=channel, where=where, limit=100, terms=tuple(wanted))
            self.agree(scored(await store.search(probe)), scored(await oracle.search(probe)), f"{channel} {wanted} by {where}")
        start, direction, depth, families = (
            dice.some((*dice.ids, *(f"m{name}" for name in dice.ids)), 9),
            dice.one(("up", "down")),
            dice.one((1, 2, 9)),
            dice.families(),
        )
        walked = await store.walk(start, direction, depth, where, families)
        self.agree(
            ordered(walked),
            ordered(await oracle.walk(start, direction, depth, where, families)),
            f"walk {direction} {start} {families} {where}",
        )
        holds([link.depth for link in walked] == sorted(link.depth for link in walked), f"{self.where}: a walk is nearest first")
        self.agree(await store.states.list(where, limit), await oracle.states.list(where, limit), f"states by {where}")

    async def read_all(self) -> None:
        """What has no filter: the log, marks, the diary, the list for the sweep; and each owner's whole keep."""
        store, oracle = self.store, self.oracle
        for name in MARKS:
            self.agree(await store.mark(self.dice.prefix + name), await oracle.mark(self.dice.prefix + name), f"mark {name}")
        homes = {key[0] for key in oracle.data.records} | {line.owner for line in oracle.data.diary}
        for home in sorted(homes):
            found, wanted = [[line for _, line in await engine.audit(home, 0, 1000)] for engine in (store, oracle)]
            self.agree(found, wanted, f"the diary of {home}")
        mine = [
            (place, record) for place, record in await store.tail(self.start, 1_000_000) if record.scope.tenant.startswith(self.dice.prefix)
        ]
        log = [record for _, record in mine if not isinstance(record, Session)]
        theirs = [record for _, record in await oracle.tail(0, 1_000_000)]
        self.alike(log, [record for record in theirs if not isinstance(record, Session)], "the log")
        self.agree(len(mine), len(theirs), "the length of the log, sessions included")
        holds(all(place == record.position for place, record in mine), f"{self.where}: places in and beside records")
        gone = [record for record in await store.forgotten(minutes(4), 1_000_000) if record.scope.tenant.startswith(self.dice.prefix)]
        self.alike(by_key(gone), by_key(await oracle.forgotten(minutes(4), 1_000_000)), "the list for the sweep")
        for _ in range(READS):
            who = self.dice.principal()
            where = Where(asker=who, now=minutes(4), status=EVERY_STATUS)
            self.alike(await store.scan(where, 1000), await oracle.scan(where, 1000), f"all that {who} may see")


async def outcome(doing: Awaitable[Any]) -> Any:
    """What came of it, an error included."""
    try:
        return await doing
    except BeebreadError as error:
        return error


def by_key(records: Sequence[Record]) -> list[Record]:
    """Records in the order of their keys."""
    return sorted(records, key=lambda record: (owner(record.scope), record.id))


def scored(hits: Sequence[Hit]) -> list[tuple[str, float]]:
    """Hits with their owners, scores that differ by rounding alone being equal."""
    return rounded([Hit(hit.owner, f"{hit.owner} {hit.id}", hit.score) for hit in hits])


def ordered(links: Sequence[Link]) -> list[tuple[int, str, str, str, str, str]]:
    """Links in an order that does not depend on the engine."""
    return sorted((link.depth, link.owner, link.source, link.family, link.target, link.relation) for link in links)


async def history(store: Store, seed: int, steps: int = STEPS) -> None:
    """Run the history of one seed."""
    await History(store, seed).run(steps)
