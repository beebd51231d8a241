"""What an Index takes in, keeps and lets go: only what its records still say, space by space, and nothing of what was forgotten."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from beebread.errors import BeebreadError, Invalid, ModelMismatch, NotFound
from beebread.model import Alias, Batch, Erase, Event, Memory, owner
from beebread.ports import Indexed, Vector
from beebread.testing.index_scene import DIMENSIONS, NONE, SPACE, IndexedStore, Meanings, Vectors, meaning
from beebread.testing.index_search import CHANNELS, IndexCheck
from beebread.testing.scene import EVERY_STATUS, changed, holds, minutes, names, refused, same


async def adding(store: IndexedStore) -> None:
    """What is added takes the place of all that was known of the record in that space; again is the same as once."""
    scene = await Meanings.begin(store)
    event, other = scene.event("e", "cat"), scene.event("o", "weather")
    await scene.learn(event, other)
    before = [await scene.meant("cat", channel=channel) for channel in CHANNELS]
    for _ in range(3):
        await scene.know(event, other)
    await scene.give((event, {"vector": (meaning("dog"),)}), (event, scene.said(event)))
    same([await scene.meant("cat", channel=channel) for channel in CHANNELS], before, "added again")
    await scene.give((event, {"vector": (meaning("refund"), meaning("flight"))}))
    await scene.give((event, {"vector": (meaning("flight"),)}))
    same(round((await scene.meant("flight"))[0].score, 2), 1.0, "the new vector")
    holds("e" not in {hit.id for hit in await scene.meant("refund") if hit.score > 0.9}, "a window that is no more")
    holds("e" not in names(await scene.meant("cat", "before", channel="context")), "a channel that is no more")
    await scene.index.add([])


async def left_out(store: IndexedStore) -> None:
    """What is not kept, was forgotten, or no longer says what was embedded is left out, silently; the rest of the batch is taken in."""
    scene = await Meanings.begin(store)
    kept, changing = scene.event("kept", "cat"), scene.memory("changing", "cat")
    gone, unknown = scene.event("gone", "cat", forgotten_at=minutes(1)), scene.event("unknown", "cat")
    foreign = scene.event("kept", "cat", scope=scene.scope("bob"))
    erased = scene.event("erased", "cat")
    await scene.put(kept, changing, gone, erased)
    await scene.replace(changed(changing, text="dog", version=2))
    await store.apply(Batch(erase=(Erase(scene.owner(), "erased", minutes(99)),)))
    await scene.know(changing, gone, unknown, foreign, erased, kept)
    same(names(await scene.meant("cat", status=EVERY_STATUS)), ["kept"], "what is found")
    same(await scene.index.missing(scene.owner(), ["kept", "changing", "gone", "unknown"]), ["changing", "gone", "unknown"], "missing")
    same(await scene.index.missing(scene.owner("bob"), ["kept"]), ["kept"], "another owner's")
    await scene.put(unknown, foreign)
    same(names(await scene.meant("cat")), ["kept"], "what is kept later")
    same(await scene.meant("cat", who=scene.who("bob")), [], "what another keeps later")
    await scene.give((changed(changing, text="dog"), {"vector": (meaning("cat"),)}))
    same(sorted(names(await scene.meant("cat"))), ["changing", "kept"], "with what it says now")


async def goes_with_its_record(store: IndexedStore) -> None:
    """Erased, forgotten or made to say something else, a record's vectors are gone at once, from every space, and stay away."""
    scene = await Meanings.begin(store)
    home = scene.owner()
    records = {name: scene.memory(name, "cat") for name in ("erased", "by alias", "forgotten", "changed", "stays")}
    await scene.learn(*records.values())
    await scene.know(*records.values(), space="words-2")
    await scene.put(scene.event("x"), aliases=(Alias(home, "alias", "by alias"),))
    await store.apply(Batch(erase=(Erase(home, "erased", minutes(60)), Erase(home, "alias", minutes(60)))))
    await scene.replace(changed(records["forgotten"], forgotten_at=minutes(9)), changed(records["changed"], text="dog"))
    everything: dict[str, Any] = {"status": EVERY_STATUS, "types": ()}
    for channel in CHANNELS:
        same(names(await scene.meant("cat", channel=channel, **everything)), ["stays"], f"what the {channel} channel finds")
    for space in ("", SPACE, "words-2"):
        same(await scene.index.missing(home, list(records), space), [name for name in records if name != "stays"], f"gone from {space!r}")
    await scene.replace(changed(records["forgotten"], forgotten_at=None), changed(records["changed"], text="cat"))
    await scene.put(changed(records["erased"], at=minutes(90)))
    same(names(await scene.meant("cat")), ["stays"], "brought back without vectors")
    await scene.know(changed(records["erased"], at=minutes(90)), records["forgotten"])
    same(names(await scene.meant("cat")), ["erased", "forgotten", "stays"], "embedded anew")
    await scene.index.adopt("words-2")
    same(names(await scene.meant("cat", space="words-2")), ["stays"], "the other space")


async def stays_with_its_record(store: IndexedStore) -> None:
    """What changes about a record but for its words leaves its vectors alone; so does a batch that is refused."""
    scene = await Meanings.begin(store)
    home = scene.owner()
    memory, event = scene.memory("m", "cat"), scene.event("e", "cat", scope=scene.scope(session="s"))
    await scene.learn(memory, event)
    await scene.replace(changed(memory, confidence=0.5, tags=("t",), valid_to=minutes(10_000), version=2), changed(event, tags=("t",)))
    await scene.put(scene.event("later", scope=scene.scope(session="s")), event)
    same(sorted(names(await scene.meant("cat", tags=("t",)))), ["e", "m"], "after changes that are not of words")
    for erase in (Erase(home, "e", minutes(60)), Erase(home, "", minutes(60))):
        batch = Batch(replace=(changed(memory, text="dog"),), erase=(erase,), aliases=(Alias(home, "x", "missing"),))
        await refused(store.apply(batch), NotFound, "an alias of nothing")
    same(sorted(names(await scene.meant("cat"))), ["e", "m"], "after batches that were refused")
    holds((await scene.meant("cat"))[0].score > 0.99, "their vectors")


async def owners_apart(store: IndexedStore) -> None:
    """Erasing or removing says nothing to the same id of another owner, nor to owners whose names begin alike."""
    scene = await Meanings.begin(store)
    users = ("john", "john-doe", "john%", "j_hn", "joh*", "JOHN")
    for user in users:
        await scene.learn(*(scene.event(name, "cat", scope=scene.scope(user)) for name in ("e", "f", "g")))

    async def found(user: str) -> list[str]:
        return names(await scene.meant("cat", who=scene.who(user)))

    await scene.index.remove(scene.owner("john"), ["e", "none"])
    await store.apply(Batch(erase=(Erase(scene.owner("john"), "f", minutes(60)),)))
    same([await found(user) for user in users], [["g"], *[["e", "f", "g"]] * 5], "after some ids of one owner")
    await scene.index.remove(scene.owner("john"), None)
    await store.apply(Batch(erase=(Erase(scene.owner("j_hn"), "", minutes(60)),)))
    await scene.index.remove(scene.owner("john%"), None)
    whole = ["e", "f", "g"]
    same([await found(user) for user in users], [[], whole, [], [], whole, whole], "after all of three owners")
    await scene.index.remove(scene.owner("nobody"), None)
    await scene.index.remove(scene.owner("nobody"), ["e"])
    await scene.index.remove(scene.owner("john-doe"), [])
    same(await found("john-doe"), whole, "after nothing was named")
    scope = scene.scope("j_hn")
    await scene.learn(scene.event("new", "cat", scope=scope, at=minutes(90)))
    await scene.know(scene.event("g", "cat", scope=scene.scope("john")))
    same([await found("j_hn"), await found("john")], [["new"], ["g"]], "what comes after that")


async def missing(store: IndexedStore) -> None:
    """Those that are not in the index, in the order in which they were asked, each once; a record taken in without vectors is in it."""
    scene = await Meanings.begin(store)
    home = scene.owner()
    records = [scene.event(name, "cat") for name in ("a", "b", "c", "d")]
    await scene.put(*records)
    same(await scene.index.missing(home, ["d", "a", "x", "a"]), ["d", "a", "x"], "of an empty index")
    await scene.give((records[0], scene.said(records[0])), (records[1], {}))
    await scene.give((records[2], scene.said(records[2])), space="words-2")
    same(await scene.index.missing(home, ["d", "c", "b", "a", "x"]), ["d", "x"], "of every space")
    same(await scene.index.missing(home, ["d", "c", "b", "a"], SPACE), ["d", "c"], "of one space")
    same(await scene.index.missing(home, ["d", "c", "b", "a"], "words-2"), ["d", "b", "a"], "of the other")
    same(await scene.index.missing(home, ["a"], "words"), ["a"], "of none that there is")
    same(await scene.index.missing(scene.owner("bob"), ["a"]), ["a"], "of another owner")
    same(await scene.index.missing(home, []), [], "of nothing")


async def spaces(store: IndexedStore) -> None:
    """The first space is searched while others grow beside it, until one is adopted: then that alone is there, at once."""
    scene = await Meanings.begin(store)
    same(await scene.index.spaces(), (), "at first")
    records = [scene.event(f"e{number}", "cat") for number in range(5)]
    await scene.put(*records)
    await scene.know(*records)
    for space in ("a-space", "z-space"):
        await scene.give(*((record, {"vector": (meaning("dog", dimensions=8),)}) for record in records[:3]), space=space)
    same(await scene.index.spaces(), (SPACE, "a-space", "z-space"), "the spaces")
    same(len(await scene.meant("cat")), 5, "the first one's hits")
    await refused(scene.near(meaning("dog", dimensions=8), space="z-space"), ModelMismatch, "a space that is not searched")
    await scene.index.adopt("z-space")
    same(await scene.index.spaces(), ("z-space",), "after one was adopted")
    same(len(await scene.near(meaning("dog", dimensions=8), space="z-space")), 3, "its hits")
    await refused(scene.meant("cat"), ModelMismatch, "the space before")
    same(await scene.index.missing(scene.owner(), ["e1"], SPACE), ["e1"], "what the space before held")
    await scene.know(*records)
    same(await scene.index.spaces(), ("z-space", SPACE), "a space that comes back")
    same(len(await scene.near(meaning("dog", dimensions=8), space="z-space")), 3, "the adopted one is searched still")
    await scene.index.adopt(SPACE)
    await scene.index.adopt(SPACE)
    same(sorted(names(await scene.meant("cat"))), sorted(names(records)), "adopted back and again")
    await scene.index.remove(scene.owner(), None)
    same(await scene.index.spaces(), (), "spaces that hold nothing")
    await scene.give((records[0], {"vector": (meaning("dog", dimensions=8),)}), space="new")
    same(len(await scene.near(meaning("dog", dimensions=8), space="new")), 1, "nothing else was held, so it is searched")


async def adopted_before_it_is_filled(store: IndexedStore) -> None:
    """Adopting a space that holds nothing empties the index; once it holds something it is the one that is searched."""
    scene = await Meanings.begin(store)
    record, other = scene.event("e", "cat"), scene.event("o", "cat")
    await scene.learn(record, other)
    await scene.index.adopt("words-2")
    same((await scene.index.spaces(), await scene.meant("cat", space="words-2")), ((), NONE), "nothing is held")
    await scene.know(record)
    await scene.know(other, space="words-2")
    same(await scene.index.spaces(), ("words-2", SPACE), "the adopted one first")
    same(names(await scene.meant("cat", space="words-2")), ["o"], "its hits")


async def refused_vectors(store: IndexedStore) -> None:
    """What is no vector is Invalid, of another length than the space's ModelMismatch; both name the record, and its batch is left out."""
    scene = await Meanings.begin(store)
    good, bad = scene.event("good", "cat"), scene.event("bad", "cat")
    await scene.put(good, bad, scene.event("first", "cat"))
    await scene.give((good, scene.said(good)))

    def parts(*numbers: Sequence[float]) -> tuple[Vector, ...]:
        return tuple(array("f", part) for part in numbers)

    ones, nan, inf = [1.0] * DIMENSIONS, float("nan"), float("inf")
    broken: tuple[Vectors, ...] = (
        {"vector": parts([0.0] * DIMENSIONS)}, {"vector": parts([nan, *ones[1:]])}, {"context": parts([*ones[1:], -inf])},
        {"vector": parts(ones, [nan] * DIMENSIONS)}, {"vector": parts([])}, {"keyword": parts(ones)},
    )  # fmt: skip
    replaced = {"vector": (meaning("dog"),)}
    for vectors in broken:
        error = await refused(scene.give((good, replaced), (bad, vectors)), Invalid, f"vectors {vectors}")
        same(error.ids, ("bad",), "whom the error names")
    longer: tuple[Vectors, ...] = ({"vector": parts(ones[1:])}, {"context": parts([*ones, 1.0])})
    for vectors in longer:
        error = await refused(scene.give((good, replaced), (bad, vectors)), ModelMismatch, f"vectors {vectors}")
        same((error.ids, "reembed" in str(error)), (("bad",), True), "whom the error names, and whether it says what to do")
    mixed: tuple[Vectors, ...] = ({"vector": parts(ones, ones[1:])}, {"vector": parts(ones), "context": parts(ones[1:])})
    for vectors in mixed:
        error = await refused(scene.give((good, replaced), (bad, vectors)), BeebreadError, f"vectors {vectors}")
        same(error.ids, ("bad",), "whom the error names")
    for space in ("", "\n", "a\ud800"):
        await refused(scene.give((good, replaced), space=space), Invalid, f"space {space!r}")
        await refused(scene.index.adopt(space), Invalid, f"adopting {space!r}")
    same([(hit.id, round(hit.score, 2)) for hit in await scene.meant("cat")], [("good", 1.0)], "what is found after refusals")
    same(await scene.index.missing(scene.owner(), ["good", "bad"]), ["bad"], "missing after refusals")
    same(await scene.index.spaces(), (SPACE,), "spaces after refusals")


async def reset(store: IndexedStore) -> None:
    """An index that was reset holds nothing and takes any space; the records are as they were."""
    scene = await Meanings.begin(store)
    records = [scene.event(f"e{number}", "cat") for number in range(3)]
    await scene.learn(*records)
    await scene.know(*records, space="words-2")
    await scene.index.reset()
    same((await scene.index.spaces(), await scene.meant("cat")), ((), NONE), "after a reset")
    same(await scene.index.missing(scene.owner(), ["e0"]), ["e0"], "missing")
    await scene.index.reset()
    same(await scene.all(), ["e0", "e1", "e2"], "the records")
    await scene.give((records[0], {"vector": (meaning("cat", dimensions=8),)}), space="words-2")
    same(names(await scene.near(meaning("cat", dimensions=8), space="words-2")), ["e0"], "a space begun anew, of another length")


async def sessions_and_owners(store: IndexedStore) -> None:
    """An owner that was erased leaves nothing; what is written after it is found by its own vectors alone."""
    scene = await Meanings.begin(store)
    home, scope = scene.owner(), scene.scope(session="s")
    records: list[Event | Memory] = [scene.event("a", "cat", scope=scope), scene.memory("m", "cat")]
    await scene.learn(*records)
    same(len(await scene.meant("cat")), 2, "before")
    await store.apply(Batch(erase=(Erase(home, "", minutes(60)),)))
    same((await scene.meant("cat", status=EVERY_STATUS, types=()), await scene.index.spaces()), (NONE, ()), "after")
    await store.vectors.add([Indexed(owner=home, record=record, vectors=scene.said(record), space=SPACE) for record in records])
    same(await scene.index.missing(home, ["a", "m"]), ["a", "m"], "added after it was erased")
    later = scene.event("a", "dog", at=minutes(90))
    await scene.put(later)
    same(await scene.meant("cat"), [], "an id that is used anew")
    await scene.know(later)
    same([hit.owner for hit in await scene.meant("dog")], [owner(later.scope)], "embedded anew")


CHECKS: tuple[IndexCheck, ...] = (
    adding, left_out, goes_with_its_record, stays_with_its_record, owners_apart, missing, spaces, adopted_before_it_is_filled,
    refused_vectors, reset, sessions_and_owners,
)  # fmt: skip
