"""Random histories of records and their vectors: the same steps on an engine and on the reference engine, and what both find compared."""

from __future__ import annotations

from collections.abc import Sequence

from beebread.errors import BeebreadError
from beebread.model import Event, Memory, owner
from beebread.ports import Indexed, Probe
from beebread.testing.index_scene import SPACE, IndexedStore, Vectors, meaning, nearly
from beebread.testing.scene import changed
from beebread.testing.simulate import History

STEPS = 40
READS = 4
ALL = 1_000_000
WORDS = ("cat", "dog", "refund", "退款", "flight", "航班")


class IndexHistory(History):
    """One history of a store and its index, which holds nothing else."""

    def __init__(self, store: IndexedStore, seed: int) -> None:
        super().__init__(store, seed)
        self.engine = store.vectors
        self.model = self.oracle.vectors
        self.space = SPACE

    async def run(self, steps: int = STEPS) -> None:
        """Take `steps` steps, each followed by a few questions."""
        await self.engine.reset()
        for step in range(steps):
            self.where = f"{self.where.partition(',')[0]}, step {step}"
            for _ in range(self.dice.random.randrange(3)):
                await self.write_batch()
            await self.write_vectors()
            for _ in range(READS):
                await self.ask()
            await self.compare()

    def words(self) -> tuple[str, ...]:
        """One to three words."""
        return tuple(self.dice.random.choices(WORDS, k=self.dice.random.randint(1, 3)))

    def vectors(self) -> Vectors:
        """Vectors for both channels, for one or for none."""
        return {
            channel: tuple(meaning(*self.words()) for _ in range(self.dice.one((1, 1, 1, 2, 3))))
            for channel in ("vector", "context") if self.dice.chance(80)
        }  # fmt: skip

    async def write_vectors(self) -> None:
        """Add, remove or move some."""
        dice = self.dice
        kept = [record for record in self.oracle.data.records.values() if isinstance(record, (Event, Memory))]
        chosen = dice.random.sample(kept, min(len(kept), dice.random.randrange(12)))
        given = [changed(record, text=record.text + (" stale" if dice.chance(10) else "")) for record in chosen]
        space = self.space if dice.chance(80) else "words-2"
        indexed = [
            Indexed(owner=owner(record.scope), record=record, vectors=self.vectors(), space=space, read_with=self.before(record, kept))
            for record in given
        ]
        await self.both(self.engine.add(indexed), self.model.add(indexed), indexed)
        if kept and dice.chance(20):
            home = owner(dice.one(kept).scope)
            ids = None if dice.chance(20) else list(dice.some(dice.ids, 5))
            await self.both(self.engine.remove(home, ids), self.model.remove(home, ids), (home, ids))
        if dice.chance(5):
            self.space = dice.one((SPACE, "words-2"))
            await self.both(self.engine.adopt(self.space), self.model.adopt(self.space), self.space)

    def before(self, record: Event | Memory, kept: Sequence[Event | Memory]) -> Event | Memory | None:
        """What a context was read with: mostly a record of the same owner, sometimes what it does not say any more, or another's."""
        dice = self.dice
        if dice.chance(40):
            return None
        near = [one for one in kept if owner(one.scope) == owner(record.scope)] if dice.chance(90) else kept
        one = dice.one(tuple(near))
        return changed(one, text=one.text + (" stale" if dice.chance(10) else ""))

    async def ask(self) -> None:
        """One question."""
        dice = self.dice
        where, channel, vector = dice.where(), dice.one(("vector", "context")), meaning(*self.words())
        if dice.chance(20):
            where = changed(where, ids=(*dice.some(dice.ids, 6), "x"))
        probe = Probe(channel=channel, where=where, limit=dice.one((1, 2, 5, 100)), vector=vector, space=dice.one((self.space, SPACE)))
        whole = changed(probe, limit=ALL)
        found, wanted = await self.both(self.engine.search(probe), self.model.search(whole), probe)
        if not isinstance(wanted, BeebreadError):
            nearly(found, wanted, probe.limit, f"{self.where}: {channel} by {where}")

    async def compare(self) -> None:
        """What both hold."""
        self.agree(await self.engine.spaces(), await self.model.spaces(), "spaces")
        for space in (SPACE, "words-2"):
            torn, wanted = [
                sorted((owner(one.scope), one.id) for one in await index.torn(space, ALL)) for index in (self.engine, self.model)
            ]
            self.agree(torn, wanted, f"torn in {space!r}")
        for home in sorted({key[0] for key in self.oracle.data.records}):
            for space in ("", SPACE, "words-2"):
                ids = self.dice.ids
                found, wanted = await self.engine.missing(home, ids, space), await self.model.missing(home, ids, space)
                self.agree(found, wanted, f"missing of {home} in {space!r}")


async def index_history(store: IndexedStore, seed: int, steps: int = STEPS) -> None:
    """Run the history of one seed."""
    await IndexHistory(store, seed).run(steps)
