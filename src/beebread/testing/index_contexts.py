"""What an Index does with contexts, whose words are partly another record's: they go with that record too, and are told of as torn."""

from __future__ import annotations

from typing import Any

from beebread.model import Alias, Batch, Erase, Event, Memory, owner
from beebread.ports import Indexed
from beebread.testing.index_scene import SPACE, IndexedStore, Meanings, Vectors, meaning
from beebread.testing.index_search import CHANNELS, IndexCheck
from beebread.testing.scene import EVERY_STATUS, changed, holds, minutes, names, same

WAYS = ("forgotten", "erased", "by alias", "corrected", "removed", "stays")
NOBODY: list[str] = []
EVERYTHING: dict[str, Any] = {"status": EVERY_STATUS, "types": ()}


async def _found(scene: Meanings, *words: str, space: str = SPACE) -> list[list[str]]:
    """What the two channels find that is rather near: by the text alone, and by the context."""
    hits = [await scene.meant(*words, channel=channel, space=space, **EVERYTHING) for channel in CHANNELS]
    return [sorted(hit.id for hit in found if hit.score > 0.5) for found in hits]


async def goes_with_what_it_was_read_with(store: IndexedStore) -> None:
    """Forgotten, erased, corrected or removed, a text is in nobody's context any more, at once, in every space; texts alone stay."""
    scene = await Meanings.begin(store)
    before = {way: scene.event(f"{way} 1", f"secret{at} 密码") for at, way in enumerate(WAYS)}
    after = {way: scene.event(f"{way} 2", "good 好的") for way in WAYS}
    await scene.learn(*before.values())
    await scene.put(*after.values(), aliases=(Alias(scene.owner(), "alias", "by alias 1"),))
    for space in (SPACE, "words-2"):
        for way in WAYS:
            await scene.read(after[way], before[way], space=space)
    followers = sorted(record.id for record in after.values())
    holds(set(followers) <= set((await _found(scene, "密码"))[1]), "contexts find what was said before")
    same(await scene.torn(), [], "torn before anything went")
    forgotten, corrected = changed(before["forgotten"], forgotten_at=minutes(9)), changed(before["corrected"], text="sunshine")
    await scene.replace(forgotten, corrected)
    await store.apply(Batch(erase=(Erase(scene.owner(), "erased 1", minutes(60)), Erase(scene.owner(), "alias", minutes(60)))))
    await scene.index.remove(scene.owner(), ["removed 1"])
    same(await _found(scene, "密码"), [["stays 1"], ["stays 1", "stays 2"]], "what is found by what is gone")
    same((await _found(scene, "good", "好的"))[0], followers, "their own texts")
    torn = [name for name in followers if name != "stays 2"]
    for space in (SPACE, "words-2"):
        same(await scene.torn(space), torn, f"torn in {space}")
        same(await scene.index.missing(scene.owner(), followers, space), [], f"missing in {space}")
    same(
        (await scene.torn("words-3"), await scene.torn(limit=0), len(await scene.torn(limit=2))),
        (NOBODY, NOBODY, 2),
        "another space, or a limit",
    )
    await scene.index.adopt("words-2")
    same(await _found(scene, "密码", space="words-2"), [[], ["stays 2"]], "in the other space")
    same((await scene.torn(), await scene.torn("words-2")), (NOBODY, torn), "when one space is left")


async def torn_until_it_is_added_again(store: IndexedStore) -> None:
    """Whatever it was read with the second time, and though it comes without a context; a torn record may go itself."""
    scene = await Meanings.begin(store)
    secret, other = scene.event("secret", "launch code"), scene.event("other", "weather")
    after = [scene.event(f"a{at}", f"word{at}") for at in range(6)]
    await scene.learn(secret, other)
    await scene.put(*after)
    for record in after:
        await scene.read(record, secret)
    await scene.replace(changed(secret, forgotten_at=minutes(9)))
    same(await scene.torn(), [record.id for record in after], "torn")
    await scene.read(after[0], other)
    await scene.know(after[1])
    await scene.give((after[2], {}))
    await scene.replace(changed(after[3], forgotten_at=minutes(9)))
    await store.apply(Batch(erase=(Erase(scene.owner(), "a4", minutes(60)),)))
    same(await scene.torn(), ["a5"], "still torn")
    holds("a0" in (await _found(scene, "weather", "word0"))[1], "the context read anew")
    await scene.replace(changed(other, text="sun"))
    same(await scene.torn(), ["a0", "a5"], "torn again by what it was read with the second time")
    await scene.index.remove(scene.owner(), ["a0", "a5"])
    same(await scene.torn(), [], "removed")
    await scene.index.reset()
    same(await scene.torn(), [], "after a reset")


async def read_with_what_is_gone(store: IndexedStore) -> None:
    """A context that comes too late, when what it was read with is gone or says something else, is not taken in; the text alone is."""
    scene = await Meanings.begin(store)
    ways = ("forgotten", "erased", "corrected", "unknown", "foreign")
    before = {way: scene.event(f"{way} 1", "launch code", scope=scene.scope("bob" if way == "foreign" else "ann")) for way in ways}
    after: dict[str, Event] = {way: scene.event(f"{way} 2", "good") for way in ways}
    await scene.put(*(record for way, record in before.items() if way != "unknown"), *after.values())
    await scene.replace(changed(before["forgotten"], forgotten_at=minutes(9)), changed(before["corrected"], text="sunshine"))
    await store.apply(Batch(erase=(Erase(scene.owner(), "erased 1", minutes(60)),)))
    for way in ways:
        await scene.read(after[way], before[way])
    followers = sorted(record.id for record in after.values())
    same(await _found(scene, "launch", "code"), [NOBODY, NOBODY], "what is found by what is gone")
    same(await _found(scene, "good"), [followers, []], "by their own texts")
    same(await scene.torn(), followers, "torn")
    await scene.put(before["unknown"])
    same((await _found(scene, "launch", "code"), await scene.torn()), ([NOBODY, NOBODY], followers), "kept when it is too late")


async def stays_with_what_it_was_read_with(store: IndexedStore) -> None:
    """What changes about the other record but for its words tears nothing; neither does a refused batch, nor another record's end."""
    scene = await Meanings.begin(store)
    before, other = scene.event("before", "cat"), scene.memory("other", "cat")
    after: list[Event | Memory] = [scene.event("e", "dog"), scene.memory("m", "dog")]
    await scene.learn(before, other, scene.event("before", "cat", scope=scene.scope("bob")))
    await scene.put(*after)
    for record in after:
        await scene.read(record, before)
    wanted = await _found(scene, "cat")
    holds({"e", "m"} <= set(wanted[1]), "contexts find what was said before")
    await scene.replace(changed(before, tags=("t",)))
    await store.apply(Batch(erase=(Erase(scene.owner("bob"), "before", minutes(60)),)))
    await scene.index.remove(scene.owner("bob"), ["before"])
    await scene.know(before)
    await scene.know(before, space="words-2")
    same((await _found(scene, "cat"), await scene.torn()), (wanted, NOBODY), "after what says nothing about its words")
    await store.apply(Batch(erase=(Erase(scene.owner(), "other", minutes(60)),)))
    same((await scene.torn(), (await _found(scene, "cat"))[1]), (NOBODY, ["before", "e", "m"]), "after another's end")
    third = scene.event("third", "sun")
    await scene.learn(third)
    await scene.read(after[0], third)
    await scene.replace(changed(before, forgotten_at=minutes(9)))
    same(await scene.torn(), ["m"], "torn, when the other was read anew before")


async def many_read_with_one(store: IndexedStore) -> None:
    """Several contexts, in one batch, may have been read with one record, or each with another version of it."""
    scene = await Meanings.begin(store)
    before = scene.event("before", "launch code")
    after = [scene.event(f"e{at}", "good") for at in range(5)]
    await scene.put(before, *after)
    vectors: Vectors = {"vector": (meaning("good"),), "context": (meaning("launch", "good"),)}
    versions = [before if at % 2 else changed(before, text="old launch code") for at in range(5)]
    given = [
        Indexed(owner=owner(record.scope), record=record, vectors=vectors, space=SPACE, read_with=version)
        for record, version in zip(after, versions, strict=True)
    ]
    await scene.index.add(given)
    same((await _found(scene, "launch"), await scene.torn()), ([NOBODY, ["e1", "e3"]], ["e0", "e2", "e4"]), "by the version that is kept")
    await scene.replace(changed(before, forgotten_at=minutes(9)))
    same((await _found(scene, "launch"), await scene.torn()), ([NOBODY, NOBODY], names(after)), "when it is forgotten")


CHECKS: tuple[IndexCheck, ...] = (
    goes_with_what_it_was_read_with, torn_until_it_is_added_again, read_with_what_is_gone, stays_with_what_it_was_read_with,
    many_read_with_one,
)  # fmt: skip
