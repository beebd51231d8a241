"""A model that refuses some texts for good: they alone have no vectors, the log goes on, and one that is away is waited for."""

from __future__ import annotations

import asyncio
import logging
from array import array
from collections.abc import Sequence

import msgspec
import pytest

from beebread.errors import ModelMismatch, Unavailable
from beebread.models import Cached
from beebread.ports import Probe, Vector
from beebread.worker import Embedding
from beebread.worker.embedding import SLICE
from tests.unit.worker.test_embedding import Counting, World, run, several

BAD = ("poison", "毒药")
ZEROS, NAN = [0.0] * 16, [float("nan")] * 16


class Picky(Counting):
    """Refuses texts with one of the bad words in them: with an error for the whole asking, or a vector that is none."""

    def __init__(self, answer: Sequence[float] | None = None, bad: Sequence[str] = BAD) -> None:
        super().__init__()
        self.answer, self.bad = answer, bad
        self.away_at = 0  # from this asking on; 0 for never

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        refused = [any(word in text for word in self.bad) for text in texts]
        if 0 < self.away_at <= self.asked + 1 or (self.answer is None and any(refused)):
            self.asked += 1
            raise Unavailable("no vectors: look at the model")
        made = await super().embed_documents(texts)
        return [array("f", self.answer) if bad and self.answer else vector for bad, vector in zip(refused, made, strict=True)]


async def found(world: World, text: str, channel: str = "vector") -> list[str]:
    (vector,) = await Counting().embed_documents([text])
    where = world.where()
    hits = await world.store.vectors.search(Probe(channel=channel, where=where, limit=100, vector=vector, space="counting/1"))
    return [hit.id for hit in hits if hit.score > 0.999]


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("cached", [False, True], ids=["plain", "cached"])
@pytest.mark.parametrize("answer", [None, ZEROS, NAN], ids=["raises", "zeros", "nan"])
def test_a_refused_text_stops_nothing(answer: Sequence[float] | None, cached: bool, caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        world, picky = World(), Picky(answer)
        before = await several(world, SLICE // 2)
        bad = [await world.tell(f"the {word} is in the well") for word in BAD]
        after = await several(world, 2 * SLICE)
        embedder = Cached(picky) if cached else picky
        embedding = Embedding(world.store, world.store.vectors, embedder, world.clock)
        await embedding.catch_up()
        there = await embedding.waiting()
        assert there.changes == 0
        assert there.refused == 3, "the two, and what is read with the second"
        assert await world.lacking("counting/1", *before, *bad, *after) == []
        assert before[3].id in await found(world, before[3].text) and after[-1].id in await found(world, after[-1].text)
        assert after[0].id in await found(world, after[0].text), "the text alone of what is read with it"
        assert after[0].id not in await found(world, f"2026-03-04\n{bad[1].text}\n{after[0].text}", "context")
        assert not [event for event in bad if event.id in await found(world, event.text)]
        assert caplog.text.count("refuses some texts") == 1
        assert not any(word in caplog.text for word in (*BAD, "well"))
        asked = picky.asked
        await embedding.catch_up()
        assert picky.asked == asked and (await embedding.waiting()).refused == 3

    with caplog.at_level(logging.WARNING, "beebread.worker"):
        run(story())


@pytest.mark.requirement("S3")
def test_a_refused_text_that_stands_alone_stops_nothing_either() -> None:
    """There is no other text by which to tell a model that is away from one that refuses this one."""

    async def story() -> None:
        world, picky = World(), Picky()
        embedding = world.embedding(picky)
        for word in BAD:
            event = await world.tell(f"{word} {word}", session=word)
            await embedding.catch_up()
            assert (await embedding.waiting()).changes == 0 and await world.lacking("counting/1", event) == []
        assert (await embedding.waiting()).refused == 2
        event = await world.tell("poison once more", session="t")
        await embedding.catch_up()
        changed = msgspec.structs.replace(event, text="clean water 净水")
        await world.change(changed)
        await embedding.catch_up()
        assert await found(world, changed.text) == [event.id], "what says something else is asked for again"

    run(story())


@pytest.mark.requirement("S3")
def test_a_model_that_goes_away_in_the_middle_loses_nothing() -> None:
    """Away at any asking, also while texts are tried one by one: whatever it would have embedded is embedded when it is back."""

    async def story() -> None:
        for moment in range(1, 40):
            world, picky = World(), Picky()
            events = await several(world, 5)
            bad = await world.tell("poison in the well")
            picky.away_at = moment
            embedding = world.embedding(picky)
            try:
                await embedding.catch_up()
            except Unavailable as error:
                assert "look at the model" in str(error)
                assert (await embedding.waiting()).refused == 0 and (await embedding.waiting()).changes > 0
                picky.away_at = 0
                await embedding.catch_up()
            else:
                assert moment > 12
            assert (await embedding.waiting()).changes == 0 and (await embedding.waiting()).refused == 1
            for event in events:
                assert event.id in await found(world, event.text), (moment, event.id)
            assert await world.lacking("counting/1", bad) == []

    run(story())


@pytest.mark.requirement("S3")
def test_a_model_that_refuses_everything_is_away() -> None:
    async def story() -> None:
        world = World()
        events = await several(world, 3)
        for picky in (Picky(bad=("",)), Picky(ZEROS, bad=("",)), Picky(NAN, bad=("",))):
            for _ in range(2):
                with pytest.raises(Unavailable):
                    await world.embedding(picky).catch_up()
            assert picky.asked <= 4, "a model that is away is not asked for every text"
            assert (await world.embedding(picky).waiting()).refused == 0
        assert len(await world.lacking("counting/1", *events)) == 3
        await world.embedding(Counting()).catch_up()
        assert await world.lacking("counting/1", *events) == []

    run(story())


@pytest.mark.requirement("S3")
def test_two_processes_count_what_is_refused_once() -> None:
    async def story() -> None:
        world = World()
        await several(world, SLICE)
        await world.tell("poison in the well", session="t")
        await several(world, SLICE)
        one, two = world.embedding(Picky()), world.embedding(Picky())
        await asyncio.gather(one.catch_up(), two.catch_up())
        assert (await one.waiting()).refused == (await two.waiting()).refused == 1
        await world.embedding(Counting("counting/2", 8)).move()
        assert (await world.embedding(Counting("counting/2", 8)).waiting()).refused == 0, "the next model takes it"

    run(story())


@pytest.mark.requirement("S3")
def test_a_model_that_gives_vectors_of_another_length_by_its_old_name_is_told_of_and_begins_anew() -> None:
    async def story() -> None:
        for unknown in (False, True):
            world, other = World(), Counting("counting/1", 8)
            events = await several(world, SLICE + 2)
            await world.embedding(Counting()).catch_up()
            if unknown:
                other.dimensions, other.made = 0, 8
            assert await world.embedding(Counting()).move() is False
            late = await world.tell("and one more about the harbour")
            for _ in range(2):
                with pytest.raises(ModelMismatch, match="beebread reembed"):
                    await world.embedding(other).catch_up()
            assert await world.lacking("counting/1", *events) == [], "what is there stays"
            assert await world.embedding(other).move() is True
            assert await world.lacking("counting/1", *events, late) == []
            (vector,) = await other.embed_documents([late.text])
            probe = Probe(channel="vector", where=world.where(), limit=1, vector=vector, space="counting/1")
            assert [hit.id for hit in await world.store.vectors.search(probe)] == [late.id]
            assert await world.embedding(other).move() is False

    run(story())


@pytest.mark.requirement("S3")
def test_a_move_that_was_begun_with_vectors_of_another_length_keeps_the_old_space_meanwhile() -> None:
    async def story() -> None:
        world = World()
        events = await several(world, 3 * SLICE)
        await world.embedding(Counting()).catch_up()
        with pytest.raises(Unavailable):
            await world.embedding(Counting("counting/2", 8, fails=2)).move()
        seen: list[tuple[str, ...]] = []

        class Watching(Counting):
            async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
                seen.append(await world.store.vectors.spaces())
                return await super().embed_documents(texts)

        assert await world.embedding(Watching("counting/2", 12)).move() is True
        assert {spaces[0] for spaces in seen[: 3 * SLICE // SLICE]} == {"counting/1"}
        assert await world.lacking("counting/2", *events) == [] and await world.store.vectors.spaces() == ("counting/2",)

    run(story())
