"""What a Store does with a batch: sightings, changes, guards, aliases; all of it or nothing."""

from __future__ import annotations

from datetime import timedelta, timezone

from beebread.errors import Conflict, Invalid, NotFound
from beebread.model import Alias, AuditLine, Batch, Cause, Evidence, Expect, Failure, Mark, ModelCall, Source, Tool, new_id
from beebread.ports import Store
from beebread.testing.scene import EVERY_STATUS, Check, Scene, changed, holds, minutes, names, only, refused, same, unplaced

EAST = timezone(timedelta(hours=8))


async def what_is_put_is_got(store: Store) -> None:
    """Every field of an event and a memory comes back as it was given, times with their offset."""
    scene = Scene(store)
    event = scene.event(
        "e/1:%_*.",
        "退款 refund please",
        kind="tool_call",
        origin="model",
        at=minutes(1).astimezone(EAST),
        seq=7,
        run="r",
        parent="gone",
        speaker="Ann",
        causes=(Cause("dangling", "data_from"),),
        refers_to=("elsewhere",),
        parts=({"type": "text", "n": [1, {"二": None}]},),
        tool=Tool("refund", "c1", {"order": 12345, "理由": "坏了"}, 2),
        model=ModelCall(name="m", usage={"in": 3}, cost=0.25),
        status="error",
        error=Failure("E", "failed"),
        source=Source(framework="f", native_id="n"),
        priority="high",
        tags=("a", "b"),
        environment={"os": "linux"},
        dedup_key="d",
        redactions={"email": 1},
        body_ref="b",
        ended_at=minutes(2),
        recorded_at=minutes(3),
        expires_at=minutes(90_000),
    )
    memory = scene.memory(
        "m-1",
        "likes tea",
        layer="short",
        key="drink.favourite",
        value={"hot": True, "cups": [1, 2.5, "三"]},
        tags=("t",),
        entities=("tea",),
        evidence=Evidence(sources=("e/1:%_*.",), quote="tea!", speaker="Ann", modality="hedged"),
        confidence=0.5,
        importance=0.25,
        trust="model",
        version=3,
        valid_from=minutes(-10),
        disputes=("m-9",),
        uses=4,
        last_used=minutes(5),
        environment={"repo": "x"},
    )
    applied = await scene.put(event, memory)
    same(applied.created, (event.id, memory.id), "ids newly kept")
    for given in (event, memory):
        found = await scene.one(given.id)
        same(unplaced(found), given, f"{given.id} as it came back")
        same(found.at.utcoffset(), given.at.utcoffset(), f"the offset of the time of {given.id}")
        holds(0 < found.position <= applied.position, f"the position of {given.id} is set by the store")


async def get_keeps_order_and_leaves_out(store: Store) -> None:
    """It answers in the order asked, each record once, without the unknown; an id differs from every other by any character."""
    scene = Scene(store)
    ids = ["a", "A", "a%", "a_", "ab", "a*", "a.b", "a-b", "a:b", "a/b", "á", "甲", " a"]
    await scene.put(*(scene.event(name) for name in ids))
    asked = ["甲", "a_", "none", "ab", "a", "A", "a", "%", "*", "", "_"]
    same(await scene.got(*asked), ["甲", "a_", "ab", "a", "A"], "get in the order asked")
    same(await scene.got(), [], "get of no ids")
    same(sorted(await scene.all()), sorted(ids), "every id is a record of its own")


async def second_sighting_merges(store: Store) -> None:
    """An event seen again has its empty fields filled and the edges of both; what it has is kept."""
    scene = Scene(store)
    await scene.put(scene.event("cause-1"), scene.event("cause-2"))
    first = scene.event("e", "你好", causes=(Cause("cause-1"),), tags=("kept",), refers_to=("r1",))
    again = changed(
        first, causes=(Cause("cause-2", "retry_of"),), speaker="Ann", tags=("late",), refers_to=("r2",), at=minutes(500), text=""
    )
    await scene.put(first)
    before = await scene.one("e")
    applied = await scene.put(again)
    same((applied.created, applied.seen), ((), ("e",)), "a second sighting")
    found = await scene.one("e")
    wanted = changed(first, causes=(Cause("cause-1"), Cause("cause-2", "retry_of")), speaker="Ann", refers_to=("r1", "r2"))
    same(unplaced(found), wanted, "the merged event")
    holds(found.position > before.position, "a merge is a change of the log")
    links = await store.walk(["e"], "up", 1, scene.where())
    same(sorted(link.target for link in links), ["cause-1", "cause-2"], "the edges of both sightings")


async def merged_text_is_found(store: Store) -> None:
    """Text that a second sighting brings is found by its words and keys."""
    scene = Scene(store)
    await scene.put(scene.event("e"))
    await scene.put(scene.event("e", "giraffe 长颈鹿", tags=("zoo",)))
    same(names(await scene.words("giraffe")), ["e"], "the text that came second")
    same(names(await scene.words("长颈鹿")), ["e"], "the Chinese text that came second")
    same(names(await scene.exact("#zoo")), ["e"], "the tag that came second")


async def same_again_changes_nothing(store: Store) -> None:
    """The same event or memory put again is seen, moves nothing in the log, and counts once."""
    scene = Scene(store)
    event = scene.event("e", "hello", scope=scene.scope(session="s"))
    memory = scene.memory("m", "fact")
    first = await scene.put(event, memory)
    again = await scene.put(event, changed(memory, at=minutes(400)), event)
    same(again.created, (), "nothing is created by a repeat")
    same(again.seen, ("e", "m", "e"), "a repeat is seen")
    same(again.position, first.position, "a repeat does not move the log")
    same(await store.count(scene.where(types=())), {"": 3}, "event, memory and session are counted once")
    same(await store.count(scene.where(types=("session",))), {"": 1}, "one session")


async def twice_in_one_batch(store: Store) -> None:
    """The second sighting in one batch is merged into the first."""
    scene = Scene(store)
    applied = await scene.put(scene.event("e", "x"), scene.event("e", speaker="Ann"))
    same((applied.created, applied.seen), (("e",), ("e",)), "two sightings in one batch")
    same(getattr(await scene.one("e"), "speaker", ""), "Ann", "the merged field")


async def other_content_conflicts(store: Store) -> None:
    """The same id with other content is Conflict, names the id, and nothing of its batch happens."""
    scene = Scene(store)
    event, memory = scene.event("e", "one"), scene.memory("m", "two")
    await scene.put(event, memory)
    call = scene.event("c", kind="tool_call", tool=Tool("t", "1", {"x": 1}))
    await scene.put(call)
    position = (await store.apply(Batch())).position
    others = [
        changed(event, text="other"), changed(event, kind="thought"), changed(memory, text="other"), changed(memory, key="k"),
        changed(memory, kind="preference"), changed(memory, value=1), scene.memory("e", "one"), scene.event("m", "two"),
        changed(call, tool=Tool("t", "1", {"x": 2})),
    ]  # fmt: skip
    for number, other in enumerate(others):
        error = await refused(scene.put(scene.event(f"new-{number}", "giraffe"), other), Conflict, f"other content, case {number}")
        same(error.ids, (other.id,), "the ids that a Conflict names")
    same(await scene.all(), ["e", "m", "c"], "what is kept after refused batches")
    same((unplaced(await scene.one("e")), unplaced(await scene.one("m"))), (event, memory), "the records that were there")
    same(await scene.words("giraffe"), [], "terms of refused batches")
    same((await store.apply(Batch())).position, position, "the log after refused batches")


async def nothing_of_a_refused_batch(store: Store) -> None:
    """A batch that is refused at its end leaves no record, change, alias, mark, session, line or erasure behind."""
    scene = Scene(store)
    kept, home, lease = scene.memory("kept", "walrus"), scene.owner(), f"lease-{new_id()}"
    await scene.put(kept)
    position = (await store.apply(Batch())).position
    batch = Batch(
        put=(scene.event("new", "giraffe", scope=scene.scope(session="s")),), replace=(changed(kept, text="zebra", version=2),),
        aliases=(Alias(home, "other-name", "kept"), Alias(home, "x", "missing")), marks=(Mark(lease, 5),),
        audit=(AuditLine(at=minutes(1), operation="put", owner=home),),
    )  # fmt: skip
    await refused(store.apply(batch), NotFound, "an alias of nothing")
    same(await scene.all(types=()), ["kept"], "records")
    same(unplaced(await scene.one("kept")), kept, "the record to be changed")
    same(await scene.got("other-name"), [], "aliases")
    same(await store.mark(lease), 0, "marks")
    same(await store.audit(home, 0, 10), [], "lines of the diary")
    same(names(await scene.words("giraffe zebra")), [], "terms of what was not written")
    same(names(await scene.words("walrus")), ["kept"], "terms of what is still there")
    same((await store.apply(Batch())).position, position, "the log")


async def one_id_two_owners(store: Store) -> None:
    """The same id under two owners is two records, and neither says anything of the other."""
    scene = Scene(store)
    ann, bob = scene.event("e", "ann's giraffe"), scene.event("e", "bob's zebra", scope=scene.scope("bob"))
    same((await scene.put(ann)).created, ("e",), "ann's")
    same((await scene.put(bob)).created, ("e",), "bob's")
    same(unplaced(await scene.one("e")), ann, "what ann reads")
    same(unplaced(await scene.one("e", scene.who("bob"))), bob, "what bob reads")
    group = scene.event("e", "ours", scope=scene.scope(space="shared", group="g"))
    await scene.put(group)
    member = scene.who(groups=("g",))
    found = await store.get(["e"], scene.where(member))
    same([unplaced(record) for record in found], [ann, group], "one id in two of the asker's owners, his own first")
    same(await scene.all(member), ["e", "e"], "both in a scan")


async def replace_changes(store: Store) -> None:
    """A replacement takes the place of what was there, its words and keys included; what is not there is NotFound."""
    scene = Scene(store)
    old = scene.memory("m", "giraffe", key="pet.kind", tags=("old",))
    await scene.put(old)
    before = await scene.one("m")
    new = changed(old, text="zebra", version=2, key="pet.name", tags=("new",), evidence=Evidence(sources=("e",)))
    await scene.put(scene.event("e"))
    await scene.replace(new)
    found = await scene.one("m")
    same(unplaced(found), new, "the new version")
    holds(found.position > before.position, "its position moves on")
    same(names(await scene.words("giraffe")), [], "old words")
    same(names(await scene.words("zebra")), ["m"], "new words")
    same(names(await scene.exact("#old", "@pet.kind")), [], "old keys")
    same(names(await scene.exact("#new", "@pet.name")), ["m"], "new keys")
    same(len(await store.walk(["m"], "up", 1, scene.where(), ("RESTS_ON",))), 1, "new links")
    for missing in (scene.memory("none"), scene.event("none"), changed(new, scope=scene.scope("bob"))):
        error = await refused(scene.replace(missing), NotFound, "a replacement of nothing")
        same(error.ids, (missing.id,), "the id that NotFound names")
    same(await scene.all(scene.who("bob")), [], "nothing came to be under another owner")
    await refused(scene.replace(scene.event("m", "zebra")), Conflict, "a memory replaced by an event")


async def expect_guards(store: Store) -> None:
    """A batch applies only while each expected version stands; 0 means that there is no such memory."""
    scene = Scene(store)
    home = scene.owner()
    memory = scene.memory("m", "one")
    await scene.put(memory, expect=(Expect(home, "m", 0),))
    second = changed(memory, text="two", version=2)
    await store.apply(Batch(replace=(second,), expect=(Expect(home, "m", 1),)))
    stale = Batch(replace=(changed(memory, text="three", version=2),), put=(scene.event("by"),), expect=(Expect(home, "m", 1),))
    error = await refused(store.apply(stale), Conflict, "a stale version")
    same(error.ids, ("m",), "the id that a stale version names")
    await refused(store.apply(Batch(expect=(Expect(home, "m", 0),))), Conflict, "0 for a memory that is there")
    await refused(store.apply(Batch(expect=(Expect(home, "none", 1),))), Conflict, "a version of what is not there")
    await store.apply(Batch(expect=(Expect(scene.owner("bob"), "m", 0), Expect(home, "none", 0))))
    same(unplaced(await scene.one("m")), second, "after the refused batch")
    same(await scene.all(), ["m"], "nothing else of the refused batch")


async def marks_guard(store: Store) -> None:
    """A mark is 0 until set, is set only from what is expected, and guards its whole batch: a lease is taken once."""
    scene = Scene(store)
    name, other = f"cursor-{new_id()}", f"lease%_{new_id()}"
    same(await store.mark(name), 0, "a mark that was never set")
    await store.apply(Batch(marks=(Mark(name, 7), Mark(other, 1, 0))))
    same((await store.mark(name), await store.mark(other)), (7, 1), "marks as set")
    await refused(scene.put(scene.event("e"), marks=(Mark(other, 2, 0),)), Conflict, "a lease taken twice")
    await refused(scene.put(scene.event("e"), marks=(Mark(name, 8), Mark(other, 2, 3))), Conflict, "a lease taken from another")
    same(await scene.all(), [], "nothing is written without the lease")
    same((await store.mark(name), await store.mark(other)), (7, 1), "marks after refused batches")
    await store.apply(Batch(marks=(Mark(name, -(2**62), None), Mark(other, 0, 1))))
    same((await store.mark(name), await store.mark(other)), (-(2**62), 0), "marks set from any value and given back")
    await store.apply(Batch(marks=(Mark(other, 5, 0), Mark(other, 6, 5))))
    same(await store.mark(other), 6, "two steps of one mark in a batch")


async def alias_names(store: Store) -> None:
    """An alias is another name of one record of one owner: get and walk know it; a sighting of it is already kept."""
    scene = Scene(store)
    home = scene.owner()
    await scene.put(scene.event("whole", "giraffe"), scene.event("child", causes=(Cause("part"),)), aliases=(Alias(home, "part", "whole"),))
    same(await scene.got("part", "whole", "child"), ["whole", "child"], "get by alias, each record once")
    same(await scene.got("part", who=scene.who("bob")), [], "another owner's alias")
    links = await store.walk(["child"], "up", 1, scene.where())
    same([(link.source, link.target) for link in links], [("child", "whole")], "a link to an alias leads to its record")
    links = await store.walk(["part"], "down", 1, scene.where())
    same([(link.source, link.target) for link in links], [("child", "whole")], "a walk from an alias starts at its record")
    again = await scene.put(scene.event("part", "gir"))
    same((again.created, again.seen), ((), ("part",)), "a sighting of what was folded")
    same(getattr(await scene.one("whole"), "text", ""), "giraffe", "the record of a folded sighting")
    same(sorted(await scene.all()), ["child", "whole"], "no record of its own for an alias")
    await store.apply(Batch(aliases=(Alias(home, "part", "whole"), Alias(home, "piece", "part"))))
    same(await scene.got("piece"), ["whole"], "an alias given by an alias")
    await refused(store.apply(Batch(aliases=(Alias(home, "part", "child"),))), Conflict, "an alias of two records")
    await refused(store.apply(Batch(aliases=(Alias(home, "child", "whole"),))), Conflict, "a record's own id as another's alias")
    error = await refused(store.apply(Batch(aliases=(Alias(home, "y", "none"),))), NotFound, "an alias of nothing")
    same(error.ids, ("none",), "the id that NotFound names")
    await scene.put(scene.event("whole", scope=scene.scope("bob")), scene.event("part", scope=scene.scope("bob")))
    same(sorted(await scene.all(scene.who("bob"))), ["part", "whole"], "an alias of one owner is nothing to another")


async def nameless_is_invalid(store: Store) -> None:
    """A record or alias without a name, and a Session put by hand, are Invalid."""
    scene = Scene(store)
    await scene.put(scene.event("e", scope=scene.scope(session="s")))
    await refused(scene.put(scene.event("")), Invalid, "an event without an id")
    await refused(scene.put(scene.memory("")), Invalid, "a memory without an id")
    await refused(store.apply(Batch(aliases=(Alias(scene.owner(), "", "e"),))), Invalid, "an alias without a name")
    session = only(await store.scan(scene.where(types=("session",)), 10), "what is found")
    await refused(scene.put(changed(session, id="mine")), Invalid, "a Session put by hand")


async def forgotten_stays_forgotten(store: Store) -> None:
    """A forgotten record that is seen again stays forgotten."""
    scene = Scene(store)
    event, memory = scene.event("e", "giraffe"), scene.memory("m", "giraffe")
    await scene.put(event, memory)
    gone = minutes(60)
    await scene.replace(changed(event, forgotten_at=gone), changed(memory, forgotten_at=gone, version=2))
    applied = await scene.put(event, memory)
    same(applied.seen, ("e", "m"), "what is seen again")
    same(await scene.all(), [], "what is shown")
    same(await scene.words("giraffe"), [], "what is found")
    same(await scene.all(status=EVERY_STATUS), ["e", "m"], "what is there")


CHECKS: tuple[Check, ...] = (
    what_is_put_is_got, get_keeps_order_and_leaves_out, second_sighting_merges, merged_text_is_found, same_again_changes_nothing,
    twice_in_one_batch, other_content_conflicts, nothing_of_a_refused_batch, one_id_two_owners, replace_changes, expect_guards, marks_guard,
    alias_names, nameless_is_invalid, forgotten_stays_forgotten,
)  # fmt: skip
