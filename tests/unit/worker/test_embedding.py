"""An embedder's way along the log: each record once, from where it was, beside others, and never with what is gone."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Coroutine, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec
import pytest

from beebread.backends.reference import ReferenceStore
from beebread.clock import ManualClock
from beebread.errors import ModelMismatch, Unavailable
from beebread.model import Batch, Event, Memory, Principal, Record, Scope, Where, owner
from beebread.models import Cached
from beebread.ports import Vector
from beebread.worker import Embedding, mismatch
from beebread.worker.embedding import SLICE

T = TypeVar("T")
START = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)


class Counting:
    """Counts what it is asked for; is away at the `fails`-th asking and the next, and lets others go first in the middle of each."""

    def __init__(self, space: str = "counting/1", dimensions: int = 16, fails: int = 0) -> None:
        self.space, self.dimensions, self.made, self.window = space, dimensions, dimensions, 1_500
        self.texts: list[str] = []
        self.asked, self._fails = 0, fails

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.asked += 1
        await asyncio.sleep(0)
        if self._fails and self.asked in {self._fails, self._fails + 1}:
            raise Unavailable("the model is away: start it")
        self.texts += texts
        return [array("f", [1.0 + sum(map(ord, text[at :: self.made])) for at in range(self.made)]) for text in texts]

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return await self.embed_documents(texts)

    async def close(self) -> None:
        """Nothing to let go of."""


class World:
    """One store, and what happens in it."""

    def __init__(self) -> None:
        self.store = ReferenceStore()
        self.clock = ManualClock(START + timedelta(days=1))
        self.told = 0

    def embedding(self, embedder: Counting, *kinds: str) -> Embedding:
        return Embedding(self.store, self.store.vectors, embedder, self.clock, kinds)

    async def put(self, *records: Record) -> None:
        await self.store.apply(Batch(put=records))

    async def change(self, *records: Record) -> None:
        await self.store.apply(Batch(replace=records))

    async def tell(self, text: str, *, kind: str = "user_message", session: str = "s", user: str = "u") -> Event:
        self.told += 1
        event = Event(
            id=f"e{self.told}", scope=Scope(user=user, session=session), kind=kind, text=text, at=START + timedelta(minutes=self.told)
        )
        await self.put(event)
        return event

    def where(self, user: str = "u", **fields: Any) -> Where:
        return Where(asker=Principal(user=user, roles=("self",), **fields), now=self.clock.now())

    async def lacking(self, space: str, *records: Record) -> list[str]:
        return await self.store.vectors.missing(owner(records[0].scope), [record.id for record in records], space)


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


async def several(world: World, number: int) -> list[Event]:
    return [await world.tell(f"the garden gate number {at} is painted green") for at in range(number)]


@pytest.mark.requirement("S3")
def test_each_text_is_embedded_once_and_a_second_look_does_nothing() -> None:
    async def story() -> None:
        world, embedder = World(), Counting()
        embedding = world.embedding(embedder)
        events = await several(world, 3)
        assert (await embedding.waiting()).changes == await world.store.position() > 0
        await embedding.catch_up()
        assert embedder.texts == [
            "the garden gate number 0 is painted green", "2026-03-04\nthe garden gate number 0 is painted green",
            "the garden gate number 1 is painted green",
            "2026-03-04\nthe garden gate number 0 is painted green\nthe garden gate number 1 is painted green",
            "the garden gate number 2 is painted green",
            "2026-03-04\nthe garden gate number 1 is painted green\nthe garden gate number 2 is painted green",
        ]  # fmt: skip
        there = await embedding.waiting()
        assert (there.changes, there.spaces, there.searched) == (0, ("counting/1",), True)
        assert await world.lacking("counting/1", *events) == []
        await embedding.catch_up()
        assert await embedding.move() is False
        assert embedder.asked == 1

    run(story())


@pytest.mark.requirement("S5")
def test_the_turn_before_is_of_the_same_session_near_and_worth_it() -> None:
    async def story() -> None:
        world, embedder = World(), Counting()
        await world.tell("下周去成都出差")
        await world.tell("elsewhere it rains", session="t")
        await world.tell("somebody else's secret", user="v")
        await world.tell("好的")
        await world.tell("42")
        await world.tell("reminder: nothing to do", kind="harness_message")
        await world.tell("订了高铁票")
        for _ in range(5):
            await world.tell("嗯嗯")
        await world.tell("酒店也订好了")
        await world.embedding(embedder).catch_up()
        assert "2026-03-04\n下周去成都出差\n订了高铁票" in embedder.texts
        assert "2026-03-04\n酒店也订好了" in embedder.texts, "what is far away is not read with it"
        assert "2026-03-04\nelsewhere it rains" in embedder.texts and "2026-03-04\nsomebody else's secret" in embedder.texts

    run(story())


@pytest.mark.requirement("S3")
def test_a_way_that_was_broken_off_goes_on_after_the_last_mark() -> None:
    async def story() -> None:
        world, embedder = World(), Counting(fails=3)
        events = await several(world, 4 * SLICE)
        whole = await world.store.position()
        with pytest.raises(Unavailable, match="start it"):
            await world.embedding(embedder).catch_up()
        left = (await world.embedding(embedder).waiting()).changes
        assert 0 < left < whole and len(await world.lacking("counting/1", *events)) == 4 * SLICE - len(embedder.texts) // 2
        steps: list[tuple[int, int]] = []
        await world.embedding(embedder).catch_up(lambda done, total: steps.append((done, total)))
        assert len(embedder.texts) == len(set(embedder.texts)) == 2 * 4 * SLICE, "nothing twice, nothing left out"
        assert await world.lacking("counting/1", *events) == []
        assert [total for _, total in steps] == [left] * len(steps) and [done for done, _ in steps] == sorted({done for done, _ in steps})
        assert steps[-1] == (left, left)

    run(story())


@pytest.mark.requirement("S3")
def test_progress_counts_what_comes_meanwhile() -> None:
    async def story() -> None:
        world, embedder = World(), Counting()
        await several(world, SLICE + 4)
        first, late = await world.store.position(), list[Event]()
        steps: list[tuple[int, int]] = []

        class Slow(Counting):
            async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
                if not late:
                    late.append(await world.tell("and a late word about the harbour"))
                return await super().embed_documents(texts)

        embedder = Slow()
        await world.embedding(embedder).catch_up(lambda done, total: steps.append((done, total)))
        end = await world.store.position()
        assert end > first and steps[-1] == (end, end)
        assert await world.lacking("counting/1", *late) == []

    run(story())


@pytest.mark.requirement("S3")
def test_two_workers_at_once_come_to_the_same_end() -> None:
    async def story() -> None:
        world, one, two = World(), Counting(), Counting()
        events = await several(world, 3 * SLICE)
        steps: list[tuple[int, int]] = []
        await asyncio.gather(
            world.embedding(one).catch_up(lambda done, total: steps.append((done, total))),
            world.embedding(two).catch_up(lambda done, total: steps.append((done, total))),
        )
        assert await world.lacking("counting/1", *events) == []
        assert (await world.embedding(one).waiting()).changes == 0
        assert len({*one.texts, *two.texts}) == 2 * 3 * SLICE and one.asked and two.asked
        assert all(done <= total for done, total in steps)

    run(story())


@pytest.mark.requirement("S3")
def test_one_process_does_nothing_twice_whoever_asks() -> None:
    async def story() -> None:
        world, embedder = World(), Counting()
        await several(world, 3 * SLICE)
        embedding = world.embedding(embedder)
        await asyncio.gather(*(embedding.catch_up() for _ in range(3)))
        assert len(embedder.texts) == 2 * 3 * SLICE

    run(story())


@pytest.mark.requirement("S5")
def test_what_no_longer_says_enough_or_is_no_longer_wanted_is_taken_out() -> None:
    async def story() -> None:
        world, embedder = World(), Counting()
        scope = Scope(user="u")
        shrunk = Memory(id="m1", scope=scope, kind="fact", text="the door code is four seven one one", at=START)
        tagged = Memory(id="m2", scope=scope, kind="fact", text="the gate is green", at=START)
        await world.put(shrunk, tagged)
        await world.embedding(embedder).catch_up()
        assert await world.lacking(embedder.space, shrunk, tagged) == []
        await world.change(
            msgspec.structs.replace(shrunk, text="4711", version=2), msgspec.structs.replace(tagged, tags=("garden",), version=2)
        )
        await world.embedding(embedder).catch_up()
        assert await world.lacking(embedder.space, shrunk, tagged) == ["m1"]
        await world.change(msgspec.structs.replace(tagged, tags=("garden", "gate"), version=3))
        await world.embedding(embedder, "user_message").catch_up()
        assert await world.lacking(embedder.space, shrunk, tagged) == ["m1", "m2"]

    run(story())


@pytest.mark.requirement("S3")
def test_the_new_model_waits_until_it_is_told_to_move() -> None:
    async def story() -> None:
        world, old, new = World(), Counting(), Counting("counting/2", 8)
        events = await several(world, 2 * SLICE + 3)
        await world.embedding(old).catch_up()
        await world.embedding(new).catch_up()
        there = await world.embedding(new).waiting()
        assert not new.texts and not there.searched and there.changes == await world.store.position()
        refused = mismatch(there)
        assert isinstance(refused, ModelMismatch)
        assert all(word in str(refused) for word in ("counting/1", "counting/2", "`beebread reembed`"))
        steps: list[tuple[int, int]] = []
        assert await world.embedding(new).move(lambda done, total: steps.append((done, total))) is True
        assert steps[-1] == (there.changes, there.changes)
        assert await world.store.vectors.spaces() == ("counting/2",)
        assert await world.lacking("counting/2", *events) == [] and len(await world.lacking("counting/1", *events)) == len(events)
        assert await world.embedding(new).move() is False
        await world.tell("one more word about the gate")
        await world.embedding(old).catch_up()
        assert (await world.store.vectors.spaces()) == ("counting/2",), "the old model adds nothing any more"

    run(story())


@pytest.mark.requirement("S3")
def test_a_move_that_was_broken_off_serves_the_old_space_and_goes_on() -> None:
    async def story() -> None:
        world, old, new = World(), Counting(), Counting("counting/2", 8, fails=3)
        events = await several(world, 4 * SLICE)
        await world.embedding(old).catch_up()
        with pytest.raises(Unavailable):
            await world.embedding(new).move()
        assert await world.store.vectors.spaces() == ("counting/1", "counting/2")
        late = await world.tell("said between two tries")
        await world.embedding(old).catch_up()
        assert await world.lacking("counting/1", *events, late) == []
        done = len(new.texts)
        assert await world.embedding(new).move() is True
        assert len(new.texts) == len(set(new.texts)) > done
        assert await world.lacking("counting/2", *events, late) == []

    run(story())


@pytest.mark.requirement("S3")
def test_moving_there_and_back_leaves_nothing_out() -> None:
    async def story() -> None:
        world = World()
        events = await several(world, SLICE + 5)
        for space in ("counting/1", "counting/2", "counting/1", "counting/3", "counting/2", "counting/1"):
            embedder = Counting(space, 8)
            before = await world.embedding(embedder).waiting()
            assert before.changes == await world.store.position(), "nothing is held in it any more"
            await world.embedding(embedder).move()
            events.append(await world.tell(f"now it is searched in {space} everywhere"))
            await world.embedding(embedder).catch_up()
            assert await world.lacking(space, *events) == [] and await world.store.vectors.spaces() == (space,)

    run(story())


@pytest.mark.requirement("S3")
def test_a_model_that_is_left_in_the_middle_of_its_way_stops_there() -> None:
    """Another process moves the memory while this one still follows the log with the model before."""

    async def story() -> None:
        world, new = World(), Counting("counting/2", 8)
        await several(world, 4 * SLICE)

        class Overtaken(Counting):
            async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
                if self.asked == 2:
                    await world.embedding(new).move()
                return await super().embed_documents(texts)

        old = Overtaken()
        await world.embedding(old).catch_up()
        assert old.asked == 3 and (await world.store.vectors.spaces())[0] == "counting/2"
        again = Counting()
        await world.embedding(again).move()
        assert len(again.texts) == 2 * 4 * SLICE, "and what it had done until then counts for nothing when it comes back"

    run(story())


def test_a_memory_of_texts_in_front_changes_nothing() -> None:
    async def story() -> None:
        world, embedder = World(), Counting()
        await several(world, 3)
        await world.tell("the garden gate number 0 is painted green", session="t")
        embedding = Embedding(world.store, world.store.vectors, Cached(embedder), world.clock)
        await embedding.catch_up()
        assert len(embedder.texts) == 6 and (await embedding.waiting()).changes == 0

    run(story())
