"""What a Store forgets for real: erased records and owners, their tombstones, and the list for the sweep."""

from __future__ import annotations

from beebread.errors import NotFound
from beebread.model import Alias, AuditLine, Batch, Cause, Erase, Evidence, Record, new_id, state_id
from beebread.ports import Store
from beebread.testing.scene import EVERY_STATUS, STATE_BYTES, Check, Scene, changed, holds, minutes, names, only, refused, same, unplaced


async def erased_is_gone(store: Store) -> None:
    """An erased record is in no answer of any kind, whatever the status asked for; its neighbours stay."""
    scene = Scene(store)
    home = scene.owner()
    before = await store.apply(Batch())
    gone = scene.event("gone", "giraffe 长颈鹿 ORD-2024-001", tags=("zoo",), causes=(Cause("first"),))
    await scene.put(
        scene.event("first", "elephant"), gone, scene.event("last", "zebra", causes=(Cause("gone"),)),
        scene.memory("m", "rests", evidence=Evidence(sources=("gone",))), aliases=(Alias(home, "other", "gone"),),
    )  # fmt: skip
    await store.apply(Batch(erase=(Erase(home, "gone", minutes(60)),)))
    same(await scene.got("gone", "other", "first", status=EVERY_STATUS), ["first"], "get")
    same(sorted(await scene.all(status=EVERY_STATUS)), ["first", "last", "m"], "scan")
    same(await store.count(scene.where(status=EVERY_STATUS)), {"": 3}, "count")
    same(names(await scene.words("giraffe", status=EVERY_STATUS)), [], "search by its word")
    same(names(await scene.words("长颈鹿", status=EVERY_STATUS)), [], "search by its Chinese word")
    same(names(await scene.exact("#zoo", text="ORD-2024-001", status=EVERY_STATUS)), [], "exact")
    same(await store.walk(["last"], "up", 9, scene.where()), [], "walk up into it")
    same(await store.walk(["first"], "down", 9, scene.where()), [], "walk down through it")
    same(await store.walk(["gone", "other"], "up", 9, scene.where()), [], "walk from it")
    same(await store.walk(["m"], "up", 9, scene.where(), ("RESTS_ON",)), [], "walk to it from what rests on it")
    tail = [record.id for _, record in await store.tail(before.position, 10_000) if record.scope.tenant == scene.tenant]
    holds("gone" not in tail, "tail still has an erased record")
    await refused(scene.replace(gone), NotFound, "replacing what was erased")
    await scene.put(scene.event("gone", "walrus", at=minutes(90)), scene.event("by"))
    same(await scene.got("other", status=EVERY_STATUS), [], "an old alias of an id that is used anew")
    same(names(await scene.words("giraffe")), [], "old words of an id that is used anew")
    same(await store.walk(["gone"], "up", 9, scene.where()), [], "old links of an id that is used anew")
    same([link.source for link in await store.walk(["gone"], "down", 1, scene.where())], ["last"], "a link to it resolves anew")


async def erase_by_alias(store: Store) -> None:
    """Erasing by an alias erases its record; what was never there is no error."""
    scene = Scene(store)
    home = scene.owner()
    await scene.put(scene.event("e", "giraffe"), scene.event("other"), aliases=(Alias(home, "alias", "e"),))
    await store.apply(Batch(erase=(Erase(home, "alias", minutes(60)), Erase(home, "never", minutes(60)))))
    same(await scene.all(status=EVERY_STATUS), ["other"], "what is left")
    same((await scene.put(scene.event("never"))).buried, ("never",), "what was erased before it arrived")


async def erase_keeps_to_its_owner(store: Store) -> None:
    """Erasing says nothing to the same id, nor to an owner whose name begins alike."""
    scene = Scene(store)
    users = ("john", "john-doe", "john%", "j_hn", "joh*", "JOHN")
    for user in users:
        await scene.put(scene.event("e", "giraffe", scope=scene.scope(user)), scene.event(f"of {user}", scope=scene.scope(user)))
        await store.states.put(scene.state("k", {"a": 1}, scope=scene.scope(user)), None, STATE_BYTES)
    await store.apply(Batch(erase=(Erase(scene.owner("john"), "e", minutes(60)),)))
    for user in users[1:]:
        same(await scene.got("e", who=scene.who(user)), ["e"], f"{user}'s record of the same id")
    await store.apply(Batch(erase=(Erase(scene.owner("john"), "", minutes(60)),)))
    for user in users[1:]:
        same(await scene.all(scene.who(user)), ["e", f"of {user}"], f"what {user} keeps")
        same(len(await store.states.list(scene.where(scene.who(user)), 10)), 1, f"{user}'s state")
        same(names(await scene.words("giraffe", scene.who(user))), ["e"], f"what {user} finds")
    await store.apply(Batch(erase=(Erase(scene.owner("j_hn"), "", minutes(60)), Erase(scene.owner("john%"), "", minutes(60)))))
    same(await scene.all(scene.who("john-doe")), ["e", "of john-doe"], "after owners were erased whose names are wildcards")


async def owner_erased(store: Store) -> None:
    """Erasing an owner leaves nothing of his: records, sessions, states and their history, terms, links, aliases; the diary stays."""
    scene = Scene(store)
    home = scene.owner()
    scope = scene.scope(session="s")
    await scene.put(
        scene.event("a", "giraffe", scope=scope, tags=("zoo",)), scene.event("b", scope=scope, causes=(Cause("a"),)), scene.memory("m",
        "giraffe"),
        aliases=(Alias(home, "alias", "a"),), audit=(AuditLine(at=minutes(1), operation="put", owner=home, ids=("a",)),),
    )  # fmt: skip
    state = scene.state("task_1", {"step": "giraffe"})
    await store.states.put(state, None, STATE_BYTES)
    before = (await store.apply(Batch())).position
    applied = await store.apply(Batch(erase=(Erase(home, "", minutes(60)),)))
    holds(applied.position >= before, "the log went back")
    anything = scene.where(types=(), status=EVERY_STATUS)
    same(await store.scan(anything, 100), [], "scan")
    same(await store.get(["a", "b", "m", "alias"], anything), [], "get")
    same(await store.count(anything), {"": 0}, "count")
    same(await scene.words("giraffe", types=(), status=EVERY_STATUS), [], "keyword")
    same(await scene.exact("#zoo", types=(), status=EVERY_STATUS), [], "exact")
    same(await store.walk(["a", "b", "m"], "down", 9, anything, ("NEXT", "CAUSED_BY", "RESTS_ON")), [], "walk")
    same(await store.states.list(scene.where(status=EVERY_STATUS), 10), [], "states")
    same(await store.states.history(home, state_id(state), 10), [], "the history of states")
    same(len(await store.audit(home, 0, 10)), 1, "the diary")
    same((await scene.put(scene.event("a", "giraffe", scope=scope))).buried, ("a",), "a replay of what was erased")
    same((await scene.put(scene.event("alias", "gir"))).buried, ("alias",), "a replay of what was folded into it")
    same((await scene.put(scene.event("unsent", at=minutes(59)))).buried, ("unsent",), "what was on its way when the owner was erased")
    await scene.put(scene.event("c", "zebra", scope=scope, at=minutes(61)))
    session = only(await store.scan(scene.where(types=("session",)), 10), "what is found")
    same(getattr(session, "events", 0), 1, "a session begun anew")
    same((await store.states.put(state, 0, STATE_BYTES)).version, 1, "a state begun anew")


async def log_never_goes_back(store: Store) -> None:
    """Positions only grow, also when the newest record was erased, so that no cursor misses what comes after."""
    scene = Scene(store)
    first = await scene.put(scene.event("a"))
    await store.apply(Batch(erase=(Erase(scene.owner(), "a", minutes(0)),)))
    second = await scene.put(scene.event("b"))
    holds(second.position > first.position, f"position {second.position} after {first.position}")
    same([record.id for _, record in await store.tail(first.position, 10) if record.scope.tenant == scene.tenant], ["b"], "tail")


async def tombstones(store: Store) -> None:
    """What was erased and happened before is refused silently by id, dedup key and alias; what happens later is admitted."""
    scene = Scene(store)
    home = scene.owner()
    old = scene.event("e", "giraffe", dedup_key="native-1")
    memory = scene.memory("m", "giraffe")
    await scene.put(old, memory, aliases=(Alias(home, "alias", "e"),))
    await store.apply(Batch(erase=(Erase(home, "e", minutes(60)), Erase(home, "m", minutes(60)))))
    again = await scene.put(old, memory, scene.event("by"))
    same((again.created, again.seen, again.buried), (("by",), (), ("e", "m")), "a replay")
    renamed = await scene.put(changed(old, id="f"), scene.event("alias", "gir"), changed(old, dedup_key=""))
    same(renamed.buried, ("f", "alias", "e"), "a replay by dedup key, by alias and by id")
    same(await scene.all(status=EVERY_STATUS), ["by"], "what there is after replays")
    same(names(await scene.words("giraffe")), [], "words of replays")
    edge = await scene.put(changed(old, at=minutes(60)), changed(memory, at=minutes(61)))
    same(edge.created, ("e", "m"), "events of that moment and after")
    other = await scene.put(changed(old, scope=scene.scope("bob")), changed(old, scope=scene.scope(space="shared")))
    same(other.created, ("e", "e"), "the same event of other owners")
    await store.apply(Batch(erase=(Erase(home, "e", minutes(30)),)))
    same((await scene.put(changed(old, at=minutes(45)))).buried, ("e",), "the later of two tombstones stands")


async def erasing_keeps_a_batch_whole(store: Store) -> None:
    """An erasure in a batch that is refused does not happen, and leaves no tombstone."""
    scene = Scene(store)
    home = scene.owner()
    event = scene.event("e", "giraffe")
    await scene.put(event)
    await store.states.put(scene.state("k", {"a": 1}), None, STATE_BYTES)
    for name in ("e", ""):
        batch = Batch(erase=(Erase(home, name, minutes(60)),), aliases=(Alias(home, "x", "missing"),))
        await refused(store.apply(batch), NotFound, "an alias of nothing")
    same(await scene.got("e"), ["e"], "the record")
    same(names(await scene.words("giraffe")), ["e"], "its words")
    same(len(await store.states.list(scene.where(), 10)), 1, "the state")
    same((await scene.put(event, scene.event("f"))).buried, (), "tombstones")


async def sweep_list(store: Store) -> None:
    """The sweep is told of what was forgotten before a moment, oldest first, of every owner and compartment, and of nothing else."""
    scene = Scene(store)
    bob = scene.scope("bob", sensitivity=3, agent="x")
    gone = scene.memory("forgotten", forgotten_at=minutes(20), scope=bob)
    await scene.put(
        scene.event("kept"), scene.event("expired", expires_at=minutes(10)), gone, scene.memory("later", forgotten_at=minutes(40)),
        scene.event("first", forgotten_at=minutes(5), expires_at=minutes(50)),
    )  # fmt: skip

    async def due(before: float, limit: int = 100_000) -> list[Record]:
        return [unplaced(record) for record in await store.forgotten(minutes(before), limit) if record.scope.tenant == scene.tenant]

    same(await due(5), [], "before anything")
    same(names(await due(20)), ["first"], "before the moment of forgetting")
    same((await due(20.01))[1:], [gone], "just after, whole")
    same(names(await due(1000)), ["first", "forgotten", "later"], "all, oldest first")
    same(len(await store.forgotten(minutes(1000), 2)), 2, "at most `limit` are told")
    await store.apply(Batch(erase=(Erase(scene.owner(), "first", minutes(60)), Erase(scene.owner("bob"), "", minutes(60)))))
    same(names(await due(1000)), ["later"], "after the sweep")


async def diary(store: Store) -> None:
    """Lines of the diary come back in order by owner or all together, numbered on, after a line number, as they were written."""
    scene = Scene(store)
    ann, bob = scene.owner(), scene.owner("bob")
    start = 0
    while page := await store.audit("", start, 10_000):
        start = page[-1][0]
    lines = [
        AuditLine(
            at=minutes(number), operation=f"op-{number}", owner=owner, tenant=scene.tenant, user="ann", agent="g", session="s",
            ids=(new_id(), "é"),
            before="1", after="2", reason="because 因为", sealed=bytes(range(256)),
        )
        for number, owner in enumerate([ann, bob, ann, "", ann])
    ]  # fmt: skip
    await store.apply(Batch(audit=tuple(lines[:2])))
    await store.apply(Batch(audit=tuple(lines[2:])))
    mine = await store.audit(ann, 0, 10)
    same([line for _, line in mine], [lines[0], lines[2], lines[4]], "ann's lines")
    same([line for _, line in await store.audit(bob, 0, 10)], [lines[1]], "bob's lines")
    every = await store.audit("", start, 10)
    same([line for _, line in every], lines, "all lines")
    numbers = [number for number, _ in every]
    holds(numbers == sorted(set(numbers)), f"line numbers grow: {numbers}")
    same(await store.audit(ann, mine[0][0], 1), mine[1:2], "one line after a number")
    same(await store.audit(ann[:-1], 0, 10), [], "an owner whose name begins alike")


CHECKS: tuple[Check, ...] = (
    erased_is_gone, erase_by_alias, erase_keeps_to_its_owner, owner_erased, log_never_goes_back, tombstones, erasing_keeps_a_batch_whole,
    sweep_list, diary,
)  # fmt: skip
