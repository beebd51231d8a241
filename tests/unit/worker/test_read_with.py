"""A turn is read with the one before it: never with what is gone or what others may not see, and anew when that goes."""

from __future__ import annotations

import asyncio
import re
from array import array
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from beebread.backends.sqlite_store import SqliteStore
from beebread.clock import ManualClock
from beebread.errors import Unavailable
from beebread.model import Batch, Erase, Event, Principal, Scope, Where, owner
from beebread.ports import Probe, Vector
from beebread.worker import Embedding
from beebread.worker.embedding import SLICE
from tests.simulation.agreement import disagreements
from tests.unit.worker.test_embedding import START, Counting, World, run, several


@pytest.mark.requirement("I1", "S3")
def test_what_was_forgotten_is_taken_out_and_what_followed_it_is_read_without_it() -> None:
    async def story() -> None:
        world, embedder = World(), Counting()
        secret = await world.tell("the launch code is nine nine seven")
        await world.tell("嗯嗯")
        after = await world.tell("I wrote it down")
        further = await world.tell("and put it into the safe")
        await world.embedding(embedder).catch_up()
        assert "2026-03-04\nthe launch code is nine nine seven\nI wrote it down" in embedder.texts
        embedder.texts.clear()
        await world.change(msgspec.structs.replace(secret, forgotten_at=START + timedelta(days=1)))
        await world.embedding(embedder).catch_up()
        assert embedder.texts == ["I wrote it down", "2026-03-04\nI wrote it down"]
        assert await world.lacking(embedder.space, secret, after, further) == [secret.id]
        await world.store.apply(Batch(erase=(Erase(owner(secret.scope), secret.id, START + timedelta(days=2)),)))
        await world.embedding(embedder).catch_up()
        assert (await world.embedding(embedder).waiting()).changes == 0

    run(story())


@pytest.mark.requirement("I1", "S3")
@pytest.mark.parametrize("late", [False, True], ids=["before", "at once"])
@pytest.mark.parametrize("how", ["forgotten", "erased", "forgotten and erased", "corrected"])
def test_what_followed_is_read_without_what_is_gone_however_it_went(how: str, late: bool) -> None:
    """Also when the log says nothing of it any more, and when it went while the model was at work."""

    async def story() -> None:
        world, embedder = World(), Counting()
        first = await world.tell("今天下雨了，路上很堵")
        secret = await world.tell("保险箱的密码是 nine nine seven")
        after = await world.tell("I wrote it down")

        async def go() -> None:
            if "forgotten" in how:
                await world.change(msgspec.structs.replace(secret, forgotten_at=START + timedelta(days=1)))
            if "erased" in how:
                await world.store.apply(Batch(erase=(Erase(owner(secret.scope), secret.id, START + timedelta(days=2)),)))
            if how == "corrected":
                await world.change(msgspec.structs.replace(secret, text="the meeting is on friday"))

        class Slow(Counting):
            async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
                if late and not self.asked:
                    await go()
                return await super().embed_documents(texts)

        embedder = Slow()
        await world.embedding(embedder).catch_up()
        if not late:
            await go()
            assert [record.id for record in await world.store.vectors.torn(embedder.space, 10)] == [after.id]
        await world.embedding(embedder).catch_up()
        said = "the meeting is on friday" if how == "corrected" else first.text
        assert embedder.texts[-1] == f"2026-03-04\n{said}\nI wrote it down"
        assert await world.store.vectors.torn(embedder.space, 10) == []
        (vector,) = await Counting().embed_documents([f"2026-03-04\n{said}\nI wrote it down"])
        probe = Probe(channel="context", where=world.where(), limit=1, vector=vector, space=embedder.space)
        assert [hit.id for hit in await world.store.vectors.search(probe)] == [after.id]
        asked = embedder.asked
        await world.embedding(embedder).catch_up()
        assert embedder.asked == asked, "and that was all"

    run(story())


@pytest.mark.requirement("I1", "S3")
def test_what_is_torn_in_a_space_that_is_being_filled_is_read_anew_there() -> None:
    async def story() -> None:
        world, old, new = World(), Counting(), Counting("counting/2", 8, fails=3)
        events = await several(world, 3 * SLICE)
        await world.embedding(old).catch_up()
        with pytest.raises(Unavailable):
            await world.embedding(new).move()
        await world.change(*(msgspec.structs.replace(event, forgotten_at=START) for event in events[:8:2]))
        for space in ("counting/1", "counting/2"):
            assert len(await world.store.vectors.torn(space, 99)) == 4, space
        await world.embedding(old).catch_up()
        assert await world.store.vectors.torn("counting/1", 99) == [] != await world.store.vectors.torn("counting/2", 99)
        assert await world.embedding(new).move() is True
        assert await world.store.vectors.torn("counting/2", 99) == []
        assert len(await world.lacking("counting/2", *events)) == 4

    run(story())


@pytest.mark.requirement("I1")
def test_what_is_torn_and_not_wanted_any_more_is_taken_out() -> None:
    async def story() -> None:
        world, embedder = World(), Counting()
        secret, after = await world.tell("the launch code is nine nine seven"), await world.tell("I wrote it down")
        await world.embedding(embedder).catch_up()
        await world.change(msgspec.structs.replace(secret, forgotten_at=START))
        await asyncio.wait_for(world.embedding(embedder, "assistant_message").catch_up(), 5)
        assert await world.lacking(embedder.space, after) == [after.id]

    run(story())


@pytest.mark.requirement("I1", "S5")
@pytest.mark.parametrize(
    ("before", "after", "read"),
    [
        ({"sensitivity": 3}, {}, False),
        ({"sensitivity": 1}, {"sensitivity": 2}, True),
        ({"agent": "a"}, {}, False),
        ({}, {"agent": "a"}, False),
        ({"agent": "a", "task": "t"}, {"agent": "a", "task": "t"}, True),
        ({"agent": "a", "task": "x"}, {"agent": "a", "task": "t"}, False),
        ({"task": "x"}, {"task": "t"}, True),
        ({"space": "session"}, {}, False),
        ({"space": "session"}, {"space": "session"}, True),
        ({"space": "shared"}, {}, False),
    ],
)
def test_nothing_is_read_with_what_not_everybody_sees_who_sees_it(before: dict[str, Any], after: dict[str, Any], read: bool) -> None:
    """Else a question could find what was said next by the words of what the asker may not see."""

    async def story() -> None:
        world, embedder = World(), Counting()
        at = START + timedelta(minutes=1)
        secret = Event(id="e1", scope=Scope(user="u", session="s", **before), kind="user_message", text="保险箱的密码是七七九", at=at)
        told = Event(
            id="e2", scope=Scope(user="u", session="s", **after), kind="user_message", text="写下来了", at=at + timedelta(minutes=1)
        )
        await world.put(secret, told)
        await world.embedding(embedder).catch_up()
        assert any("密码" in text and "写下来了" in text for text in embedder.texts) is read
        assert "写下来了" in embedder.texts

    run(story())


class Naming(Counting):
    """A vector says which events' words are in the text: each of them is a direction of its own."""

    def __init__(self, events: int) -> None:
        super().__init__("naming/1", events + 1)

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        await asyncio.sleep(0)
        self.texts += texts
        said = [{int(name) for name in re.findall(r"word(\d+)", text)} for text in texts]
        return [array("f", [0.01, *(float(number in some) for number in range(self.dimensions - 1))]) for some in said]


@pytest.mark.requirement("I1", "S3")
@pytest.mark.parametrize("seed", range(4))
def test_two_processes_that_embed_while_things_go_leave_nothing_of_them(seed: int, tmp_path: Path) -> None:
    """At every moment no context is found by what is gone; in the end every turn is read with the one before it that is left."""
    count, dice = 40, Random(seed)
    events = [
        Event(
            id=f"e{at}",
            scope=Scope(user="u", session="s"),
            kind="user_message",
            text=f"今天说的是 word{at}",
            at=START + timedelta(minutes=at),
        )
        for at in range(count)
    ]
    order = dice.sample(range(count), count)
    clock = ManualClock(START + timedelta(days=1))

    async def story() -> None:
        stores = [await SqliteStore.open(tmp_path, clock=clock) for _ in range(2)]
        embeddings = [Embedding(store, store.vectors, Naming(count), clock) for store in stores]
        where = Where(asker=Principal(user="u", roles=("self",)), now=clock.now())
        left = dict.fromkeys(range(count))

        async def lookup(number: int, channel: str) -> list[str]:
            vector = array("f", [0.0] * (count + 1))
            vector[number + 1] = 1.0
            probe = Probe(channel=channel, where=where, limit=9, vector=vector, space="naming/1")
            return sorted(hit.id for hit in await dice.choice(stores).vectors.search(probe) if hit.score > 0.1)

        async def lose() -> None:
            for number in order[: count // 2]:
                store, event = dice.choice(stores), events[number]
                del left[number]
                if dice.random() < 0.5:
                    await store.apply(Batch(replace=(msgspec.structs.replace(event, forgotten_at=START),)))
                else:
                    await store.apply(Batch(erase=(Erase(owner(event.scope), event.id, clock.now()),)))
                assert [await lookup(number, channel) for channel in ("vector", "context")] == [[], []]
                await asyncio.sleep(dice.random() * 0.01)

        await stores[0].apply(Batch(put=tuple(events)))
        await asyncio.gather(lose(), *(embedding.catch_up() for embedding in embeddings))
        await asyncio.gather(*(embedding.catch_up() for embedding in embeddings))
        assert not [number for number in order[: count // 2] if await lookup(number, "context")]
        for number, after in zip(left, [*left][1:], strict=False):
            assert await lookup(number, "context") == sorted([f"e{number}", f"e{after}"]), number
        for store in stores:
            await store.close()

    run(story())
    assert not [line for line in disagreements(tmp_path) if "session" not in line], "a session counts what was erased"
