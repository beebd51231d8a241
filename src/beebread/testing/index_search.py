"""The vector channels of an Index: the cosine with the nearest window, filtered before it is ranked, within the asker's sight."""

from __future__ import annotations

from array import array
from collections.abc import Coroutine
from typing import Any, Protocol

from beebread.errors import Invalid, ModelMismatch
from beebread.model import Alias, Event, Hit, Memory, owner, owners
from beebread.policy import matches, visible
from beebread.ports import Probe
from beebread.testing.index_scene import DIMENSIONS, NONE, SPACE, IndexedStore, Meanings, Vectors, cosine, keys, meaning, nearly
from beebread.testing.isolation import World, askers, told
from beebread.testing.isolation import keys as keys_of
from beebread.testing.scene import holds, names, only, refused, same
from beebread.testing.store_read import FILTERS, varied

CHANNELS = ("vector", "context")


class IndexCheck(Protocol):
    """A check of an index; it raises AssertionError."""

    __name__: str

    def __call__(self, store: IndexedStore, /) -> Coroutine[Any, Any, None]:
        """Run it."""
        ...


async def cosines(store: IndexedStore) -> None:
    """Scores are cosines, whatever the vectors' lengths, best first; what is at a right angle or beyond is no hit."""
    scene = await Meanings.begin(store)
    words = ("refund", "flight", "cat", "猫", "退款", "weather")
    records = [scene.event(f"e{number}", f"{one} {other}") for number, (one, other) in enumerate((a, b) for a in words for b in words)]
    await scene.put(*records)
    given = [(record, meaning(*record.text.split(), length=10.0 ** (number % 7 - 3))) for number, record in enumerate(records)]
    await scene.give(*((record, {"vector": (vector,)}) for record, vector in given))
    home = scene.owner()
    for word in words:
        for length in (1.0, 1e-30, 1e30):
            asked = meaning(word, length=length)
            wanted = [Hit(home, record.id, cosine(meaning(word), meaning(*record.text.split()))) for record in records]
            nearly(await scene.near(asked), [hit for hit in wanted if hit.score > 0], 1000, f"{word} of length {length}")
    axis = [array("f", [float(at == number) for at in range(DIMENSIONS)]) for number in range(3)]
    await scene.give((records[0], {"vector": (axis[0],)}), (records[1], {"vector": (array("f", [-x for x in axis[1]]),)}))
    same([hit for hit in await scene.near(axis[1]) if hit.id in ("e0", "e1")], [], "a right angle and the opposite")
    best = only(await scene.near(axis[0], limit=1), "hits at a limit of one")
    same((best.id, round(best.score, 4)), ("e0", 1.0), "the same vector")


async def nearest_window(store: IndexedStore) -> None:
    """A record of several windows is one hit, by the nearest of them."""
    scene = await Meanings.begin(store)
    long, short = scene.event("long", "cat and refund"), scene.event("short", "refund")
    await scene.put(long, short)
    windows = tuple(meaning(word) for word in ("cat", "weather", "refund", "flight"))
    await scene.give((long, {"vector": windows}), (short, {"vector": (meaning("refund", "flight"),)}))
    for word in ("cat", "weather", "refund", "flight"):
        best = (await scene.meant(word))[0]
        same((best.id, round(best.score, 2)), ("long", 1.0), f"the window about {word}")
        same(names(await scene.meant(word)).count("long"), 1, "hits of one record")


async def channels_apart(store: IndexedStore) -> None:
    """Each channel answers by its own vectors; a record may have those of one alone, or none."""
    scene = await Meanings.begin(store)
    records = [scene.event(name, name) for name in ("both", "text", "context", "neither")]
    await scene.put(*records)
    cat, dog = (meaning("cat"),), (meaning("dog"),)
    given: tuple[Vectors, ...] = ({"vector": cat, "context": dog}, {"vector": cat}, {"context": cat}, {})
    await scene.give(*zip(records, given, strict=True))
    same(names(await scene.meant("cat"))[:2], ["both", "text"], "the texts")
    same(names(await scene.meant("dog", channel="context"))[:1], ["both"], "the contexts")
    best = (await scene.meant("cat", channel="context"))[0]
    same((best.id, round(best.score, 2)), ("context", 1.0), "a record that has but a context")
    for channel in CHANNELS:
        holds("neither" not in names(await scene.meant("cat", channel=channel)), "a record without vectors")
    holds(set(CHANNELS) <= store.vectors.channels, f"channels {sorted(store.vectors.channels)}")


async def ties_and_limits(store: IndexedStore) -> None:
    """Equal vectors score equally, wherever they are held, and are ordered by id; `limit` keeps the first."""
    scene = await Meanings.begin(store)
    group = scene.scope(space="shared", group="g")
    fill = [scene.event(f"x{number}", f"word{number}") for number in range(40)]
    mine = [scene.event(name, "equal words") for name in ("c", "a", "é", "B", "d")]
    theirs = [scene.memory(name, "equal words", scope=group) for name in ("b", "a")]
    for record in (*fill[:9], *mine, *fill[9:], *theirs):
        await scene.learn(record)
    who = scene.who(groups=("g",))
    hits = await scene.meant("equal", "words", who=who)
    same(names(hits)[:7], ["B", "a", "a", "b", "c", "d", "é"], "ties")
    same([hit.owner for hit in hits[1:3]], sorted((scene.owner(), owner(group))), "ties of one id by owner")
    same(len({hit.score for hit in hits[:7]}), 1, "scores of equal vectors")
    for limit in (1, 3, 5, 6):
        same(await scene.meant("equal", "words", who=who, limit=limit), hits[:limit], f"the first {limit}")
    same([await scene.meant("equal", limit=limit) for limit in (0, -1)], [NONE, NONE], "none")


async def filter_before_rank(store: IndexedStore) -> None:
    """One record among many better ones of others, or that do not answer, is found at a limit of one."""
    scene = await Meanings.begin(store)
    many = [scene.event(f"b{number}", "refund", scope=scene.scope("bob")) for number in range(150)]
    many += [scene.event(f"s{number}", "refund", scope=scene.scope(sensitivity=3)) for number in range(150)]
    many += [scene.event(f"k{number}", "refund", kind="thought") for number in range(1300)]
    mine = scene.event("mine", "refund other words", scope=scene.scope(session="s"), tags=("t",))
    await scene.learn(*many, mine)
    fields: tuple[dict[str, Any], ...] = (
        {"kinds": ("user_message",)}, {"sessions": ("s",)}, {"tags": ("t",)}, {"ids": ("mine", "b1", "s1")}, {"after": mine.at},
    )  # fmt: skip
    for given in fields:
        for channel in CHANNELS:
            same(names(await scene.meant("refund", channel=channel, limit=1, **given)), ["mine"], f"the one record with {given}")
    same(len(await scene.meant("refund", limit=2000)), 1301, "all of ann's")


async def filters(store: IndexedStore) -> None:
    """Every filter means what `policy.matches` says, in both channels and at every limit."""
    scene = await Meanings.begin(store)
    records = await varied(scene)
    shared: Vectors = {channel: (meaning("shared", channel),) for channel in CHANNELS}
    await scene.give(*((record, shared) for record in records))
    for given in FILTERS:
        where = scene.where(**given)
        wanted = sorted(record.id for record in records if matches(record, where) and record.forgotten_at is None)
        for channel in CHANNELS:
            same(names(await scene.meant("shared", channel=channel, **given)), wanted, f"{channel} search by {given}")
        same(names(await scene.meant("shared", limit=1, **given)), wanted[:1], f"the first by {given}")


async def refused_questions(store: IndexedStore) -> None:
    """Another space is ModelMismatch and says what to do; another length, no vector and no channel are Invalid."""
    scene = await Meanings.begin(store)
    for space in (SPACE, "other", ""):
        same(await scene.meant("cat", space=space), [], "an empty index, whatever the space")
    await scene.learn(scene.event("e", "cat"))
    for space in ("words-2", "words-", "WORDS-1", ""):
        error = await refused(scene.meant("cat", space=space), ModelMismatch, f"space {space!r}")
        holds("reembed" in str(error), f"the error names no fix: {error}")
    for vector in (meaning("cat", dimensions=DIMENSIONS + 8), meaning("cat", dimensions=1)):
        await refused(scene.near(vector), Invalid, f"a vector of {len(vector)}")
    broken: tuple[list[float], ...] = ([0.0] * DIMENSIONS, [float("nan")] * DIMENSIONS, [float("inf"), *[1.0] * (DIMENSIONS - 1)], [])
    for numbers in broken:
        await refused(scene.near(array("f", numbers)), Invalid, f"a question of {numbers[:2]}")
    where = scene.where()
    for probe in (
        Probe(channel="vector", where=where, limit=1, space=SPACE),
        Probe(channel="keyword", where=where, limit=1, vector=meaning("cat"), space=SPACE),
        Probe(channel="", where=where, limit=1, vector=meaning("cat"), space=SPACE),
    ):
        await refused(store.vectors.search(probe), Invalid, f"{probe.channel!r} without what it needs")


async def follows_changes(store: IndexedStore) -> None:
    """Whatever was written just now is in the next answer: come, changed, gone, come again."""
    scene = await Meanings.begin(store)
    wanted: dict[str, float] = {}
    who = scene.owner()
    for step in range(60):
        record = scene.event(f"e{step}", f"cat word{step}")
        await scene.learn(record)
        wanted[record.id] = cosine(meaning("cat"), meaning(*record.text.split()))
        if step % 3 == 1:
            name = f"e{step - 1}"
            await scene.give((record, {"vector": (meaning("cat"),)}))
            await store.vectors.remove(who, [name])
            wanted[record.id] = 1.0
            del wanted[name]
        hits = [Hit(who, name, score) for name, score in wanted.items() if score > 0]
        nearly(await scene.meant("cat"), hits, 1000, f"step {step}")


async def names_are_records(store: IndexedStore) -> None:
    """Hits name records by their own ids, under their owners; an alias in the filter is no id."""
    scene = await Meanings.begin(store)
    await scene.learn(scene.event("e", "cat"), scene.event("o", "cat"))
    await scene.put(aliases=(Alias(scene.owner(), "other", "e"),))
    same(keys(await scene.meant("cat")), {(scene.owner(), "e"), (scene.owner(), "o")}, "hits")
    same(names(await scene.meant("cat", ids=("other", "o"))), ["o"], "ids")


async def every_asker_every_scope(store: IndexedStore) -> None:
    """Each asker finds exactly what `policy.visible` says, in both channels."""
    scene = await Meanings.begin(store)
    world = await World(scene).build()
    kept = [record for record in world.records if isinstance(record, (Event, Memory))]
    same_words = {"vector": (meaning("giraffe"),), "context": (meaning("giraffe", "before"),)}
    await scene.give(*((record, same_words) for record in kept))
    for who in askers(scene):
        shown = [record for record in kept if visible(who, record)]
        for channel in CHANNELS:
            hits = await scene.meant("giraffe", channel=channel, who=who, types=(), limit=10_000)
            told(sorted((hit.owner, hit.id) for hit in hits), keys_of(shown), f"{channel} search", who)
            holds(all(hit.owner in owners(who) for hit in hits), f"hits of {who} name an owner of the asker's")


CHECKS: tuple[IndexCheck, ...] = (
    cosines, nearest_window, channels_apart, ties_and_limits, filter_before_rank, filters, refused_questions, follows_changes,
    names_are_records, every_asker_every_scope,
)  # fmt: skip
