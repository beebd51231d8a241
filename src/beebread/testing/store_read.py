"""What a Store answers: order, paging, counts, every filter, both clocks, the log's tail, and text that is not well formed."""

from __future__ import annotations

from typing import Any

from beebread.errors import Invalid
from beebread.model import (
    Actor,
    Batch,
    Cause,
    Event,
    Evidence,
    Memory,
    Session,
    Where,
    columns,
    encode_cursor,
    session_id,
    sort_key,
)
from beebread.policy import matches
from beebread.ports import Store
from beebread.testing.scene import (
    EVERY_STATUS,
    Check,
    Scene,
    changed,
    fail,
    holds,
    minutes,
    names,
    only,
    refused,
    same,
    unplaced,
)
from beebread.text import clean


async def scan_order(store: Store) -> None:
    """A scan is ordered by time, the producer's number and id, never by arrival; '-time' is its exact reverse."""
    scene = Scene(store)
    at = minutes(5)
    ordered = [
        scene.event("z", at=minutes(1)), scene.event("b", at=at, seq=-1), scene.event("A", at=at), scene.event("a", at=at),
        scene.event("é", at=at),
        scene.memory("中", at=at), scene.event("𝒳", at=at), scene.event("a0", at=at, seq=2), scene.memory("0", at=minutes(6)),
    ]  # fmt: skip
    for place in (3, 8, 0, 6, 5, 1, 7, 2, 4):
        await scene.put(ordered[place])
    same(await scene.all(), names(ordered), "time order")
    same(await scene.all(order="-time"), names(ordered)[::-1], "reverse time order")
    same(names(await store.scan(scene.where(), 3)), names(ordered)[:3], "the first three")
    same(names(await store.scan(scene.where(order="-time"), 3)), names(ordered)[:-4:-1], "the last three")
    same(await store.scan(scene.where(), 0), [], "a scan of none")


async def paging(store: Store) -> None:
    """Pages of any size, in both orders, give each record once, equal times and ids of two owners included."""
    scene = Scene(store)
    at = minutes(1)
    who = scene.who(groups=("g",))
    both = [scene.scope(), scene.scope(space="shared", group="g")]
    records = [scene.event(f"e.{number % 7}", scope=both[number // 7], at=at, seq=number % 7 % 3) for number in range(14)]
    await scene.put(*records, scene.event("late", at=minutes(2)))
    await scene.put(*(scene.event(f"bob-{number}", at=at, scope=scene.scope("bob")) for number in range(9)))
    for order in ("time", "-time"):
        where = scene.where(who, order=order)
        whole = [sort_key(record) for record in await store.scan(where, 100)]
        same(whole, sorted(whole, reverse=order == "-time"), f"order {order}")
        same(len(whole), 15, "records in a scan")
        for size in (1, 2, 3, 14, 15, 16):
            same([sort_key(record) for record in await scene.pages(where, size)], whole, f"order {order} in pages of {size}")


async def cursor_outlives_its_record(store: Store) -> None:
    """A page goes on where the last one ended though its last record is gone or was never there, and takes in what arrived since."""
    scene = Scene(store)
    await scene.put(*(scene.event(f"e{number}", at=minutes(number)) for number in range(4)))
    page = await store.scan(scene.where(), 2)
    after = encode_cursor(page[-1])
    await scene.replace(changed(page[-1], forgotten_at=minutes(9)))
    await scene.put(scene.event("e1.5", at=minutes(1.5)), scene.event("e0.5", at=minutes(0.5)))
    same(names(await store.scan(scene.where(), 9, after)), ["e1.5", "e2", "e3"], "the next page")
    nowhere = encode_cursor(scene.event("none", at=minutes(2.5)))
    same(names(await store.scan(scene.where(order="-time"), 9, nowhere)), ["e2", "e1.5", "e0.5", "e0"], "a page from between two records")


async def bad_cursors(store: Store) -> None:
    """A cursor that no list gave is Invalid."""
    scene = Scene(store)
    await scene.put(scene.event("e"))
    for cursor in ("x", "1.2", "a.b.c.d", "1.2.99.x", "1.2.-1.x", "%", "' OR 1=1"):
        await refused(store.scan(scene.where(), 9, cursor), Invalid, f"cursor {cursor!r}")


async def counts(store: Store) -> None:
    """Counts agree with what a scan shows, by every group, and groups of none are left out."""
    scene = Scene(store)
    await varied(scene)
    for where in (scene.where(), scene.where(types=()), scene.where(kinds=("fact",)), scene.where(scene.who("bob"), types=())):
        found = await store.scan(where, 1000)
        same(await store.count(where), {"": len(found)}, "the whole")
        for by in ("type", "kind", "session", "task", "layer", "actor", "origin"):
            wanted: dict[str, int] = {}
            for record in found:
                row = columns(record)
                group = {"session": row.scope.session, "task": row.scope.task}.get(by)
                group = getattr(row, by) if group is None else group
                wanted[group] = wanted.get(group, 0) + 1
            same(await store.count(where, by), wanted, f"by {by}")
    same(await store.count(scene.where(ids=("none",))), {"": 0}, "the whole of nothing")
    same(await store.count(scene.where(ids=("none",)), "kind"), {}, "the groups of nothing")
    for by in ("user", "id; --", "KIND"):
        await refused(store.count(scene.where(), by), Invalid, f"counting by {by!r}")


async def varied(scene: Scene) -> list[Event | Memory]:
    """Records of ann's that differ in everything that can be filtered by; all hold the word 'shared'. One more is bob's."""
    one = scene.scope(session="s-1", task="t-1")
    two = scene.scope(session="s-2", task="t%")
    ann, bot = Actor("ann", "Ann"), Actor("bot_1")
    records: list[Event | Memory] = [
        scene.event("e1", "shared one", scope=one, actor=ann, origin="human", speaker="Ann", tags=("x", "y"), environment={"os": "linux"}),
        scene.event("e2", "shared 二", scope=one, kind="thought", actor=bot, origin="model", tags=("x%",), causes=(Cause("e1"),
        Cause("far"))),
        scene.event("e3", "shared", scope=two, kind="tool_call", actor=bot, origin="model", recorded_at=minutes(600), parent="e2"),
        scene.event("e4", "shared", scope=two, refers_to=("e1",), superseded_by="e5", closed_at=minutes(300), speaker="Ann_"),
        scene.event("e5", "shared", expires_at=minutes(700), environment={"os": "linux", "repo": "x"}),
        scene.event("e6", "shared", forgotten_at=minutes(200), actor=ann),
        scene.memory("m1", "shared", scope=one, key="k.a", tags=("y",), entities=("tea", "cup"), confidence=0.5, actor=ann),
        scene.memory("m2", "shared", kind="preference", key="k%a", layer="short", entities=("te_",), evidence=Evidence(sources=("e1",),
        speaker="Ann")),
        scene.memory("m3", "shared", key="k.a", valid_from=minutes(-100), valid_to=minutes(100), closed_at=minutes(150),
        superseded_by="m4"),
        scene.memory("m4", "shared", key="k.a", valid_from=minutes(100), disputes=("m1",), confidence=0.25),
        scene.memory("m5", "shared", pending=True, scope=two),
        scene.memory("m6", "shared", valid_to=minutes(10_000), expires_at=minutes(2_000), environment={"os": ""}),
        scene.memory("m7", "shared", kind="summary", expires_at=minutes(24 * 60), confidence=0.0, layer="working"),
    ]  # fmt: skip
    await scene.put(*records[::2])
    await scene.put(*records[1::2], scene.event("e1", "shared", scope=scene.scope("bob", session="s-1", task="t-1"), tags=("x",)))
    return records


FILTERS: tuple[dict[str, Any], ...] = (
    {}, {"types": ("event",)}, {"types": ("memory",)}, {"types": ("event", "memory", "none")}, {"kinds": ("fact",)}, {"kinds": ("thought",
    "summary")},
    {"kinds": ("fac%",)}, {"without_kinds": ("fact", "thought")}, {"without_kinds": ("fact",), "kinds": ("fact", "summary")},
    {"without_kinds": ("%",)}, {"layers": ("short",)}, {"layers": ("long", "working")}, {"layers": ("",)}, {"keys": ("k.a",)},
    {"keys": ("k%a",)}, {"keys": ("k_a",)},
    {"tags": ("x",)}, {"tags": ("x%",)}, {"tags": ("X",)}, {"tags": ("y", "none")}, {"entities": ("tea",)}, {"entities": ("te_", "cup")},
    {"sessions": ("s-1",)}, {"sessions": ("s-_", "s-2")}, {"sessions": ("",)}, {"tasks": ("t%",)}, {"tasks": ("t-1", "t%")},
    {"actors": ("bot_1",)}, {"actors": ("bot-1", "ann")},
    {"origins": ("human",)}, {"origins": ("model", "tool")}, {"speakers": ("Ann",)}, {"speakers": ("Ann_", "ann")}, {"ids": ("e1", "m4",
    "none")}, {"ids": ("e_", "%")},
    {"after": minutes(3)}, {"before": minutes(3)}, {"after": minutes(3), "before": minutes(9)}, {"after": minutes(9), "before": minutes(3)},
    {"min_confidence": 0.5}, {"min_confidence": 0.51}, {"linked_to": ("e1",)}, {"linked_to": ("far", "e2")}, {"linked_to": ("e%",)},
    {"environment": {"os": "linux"}}, {"environment": {"os": "linux", "repo": "x"}}, {"environment": {"os": ""}},
    {"environment": {"o%": "linux"}},
    {"environment": {'os"': "linux", "$.os": "linux"}}, {"status": ("active",)}, {"status": ("disputed",)}, {"status": ("superseded",)},
    {"status": ("expired",)}, {"status": ("pending",)},
    {"status": ("forgotten",)}, {"status": EVERY_STATUS}, {"status": ()}, {"as_of": minutes(50)}, {"as_of": minutes(100)},
    {"as_of": minutes(-50)},
    {"as_of": minutes(-50), "status": EVERY_STATUS}, {"as_of": minutes(12), "status": ("superseded",)}, {"known_at": minutes(8)},
    {"known_at": minutes(140)}, {"known_at": minutes(150)},
    {"known_at": minutes(299), "status": ("superseded",)}, {"known_at": minutes(600)}, {"known_at": minutes(140), "as_of": minutes(120)},
    {"now": minutes(600)},
    {"now": minutes(700)}, {"now": minutes(699.9), "status": ("expired",)}, {"now": minutes(20_000)}, {"now": minutes(20_000),
    "as_of": minutes(500)},
    {"kinds": ("fact",), "keys": ("k.a",), "status": EVERY_STATUS, "min_confidence": 0.3}, {"sessions": ("s-1",), "tags": ("y",),
    "order": "-time"},
    {"types": ("event",), "actors": ("bot_1",), "sessions": ("s-2",), "tasks": ("t%",), "origins": ("model",), "kinds": ("tool_call",)},
)  # fmt: skip


async def filters(store: Store) -> None:
    """Every filter means what `policy.matches` says, the same in scan, get, count and search."""
    scene = Scene(store)
    records = await varied(scene)
    for given in FILTERS:
        where = scene.where(**given)
        wanted = sorted((record for record in records if matches(record, where)), key=sort_key, reverse=where.order == "-time")
        same(names(await store.scan(where, 1000)), names(wanted), f"scan by {given}")
        same([unplaced(record) for record in await store.scan(where, 1)], wanted[:1], f"the first by {given}")
        same(names(await store.get(names(records), where)), [record.id for record in records if record in wanted], f"get by {given}")
        same(await store.count(where), {"": len(wanted)}, f"count by {given}")
        unforgotten = sorted(record.id for record in wanted if record.forgotten_at is None)
        same(sorted(names(await scene.words("shared", **given))), unforgotten, f"search by {given}")


async def every_read_is_by_the_asker(store: Store) -> None:
    """A filter that names another's session, task, tag or id finds nothing of his."""
    scene = Scene(store)
    await varied(scene)
    stranger = scene.who("eve")
    for given in ({}, {"sessions": ("s-1",)}, {"tasks": ("t-1",)}, {"tags": ("x",)}, {"ids": ("e1",)}, {"linked_to": ("e1",)}):
        where = scene.where(stranger, **{"types": (), "status": EVERY_STATUS, **given})
        same(await store.scan(where, 10), [], f"a stranger's scan by {given}")
        same(await store.count(where, "session"), {}, f"a stranger's count by {given}")
        same(await store.get(["e1", "m1"], where), [], f"a stranger's get by {given}")


async def forgotten_at_once(store: Store) -> None:
    """What was forgotten is out of get, scan, count, walk and search with the batch that says so, and is back when that is undone."""
    scene = Scene(store)
    first = scene.event("e", "giraffe", tags=("zoo",))
    memory = scene.memory("m", "giraffe", tags=("zoo",), evidence=Evidence(sources=("e",)))
    await scene.put(first, memory, scene.event("after", causes=(Cause("e"),)), scene.event("far", causes=(Cause("after"),)))

    async def shown() -> tuple[list[str], ...]:
        links = await store.walk(["far", "m"], "up", 5, scene.where(), ("CAUSED_BY", "RESTS_ON"))
        return (
            await scene.got("e", "m"), [name for name in await scene.all() if name in "em"], sorted(names(await scene.words("giraffe"))),
            sorted(names(await scene.exact("#zoo"))), sorted({link.target for link in links} & {"e"}),
        )  # fmt: skip

    same(await shown(), (["e", "m"], ["e", "m"], ["e", "m"], ["e", "m"], ["e"]), "before")
    await scene.replace(changed(first, forgotten_at=minutes(9)), changed(memory, forgotten_at=minutes(9), version=2))
    holds(not any(await shown()), "something is shown of what was forgotten")
    same(await store.count(scene.where()), {"": 2}, "the count")
    same(await scene.words("giraffe", status=EVERY_STATUS), [], "search in any status")
    await scene.replace(first, changed(memory, version=3))
    same(await shown(), (["e", "m"], ["e", "m"], ["e", "m"], ["e", "m"], ["e"]), "back again")


async def tail_has_newest(store: Store) -> None:
    """The tail gives each changed record once, its newest version at its newest place, in log order, in pages without gaps."""
    scene = Scene(store)
    start = (await store.apply(Batch())).position
    event, memory = scene.event("e", "one"), scene.memory("m", "two")
    await scene.put(event, memory, scene.event("bob's", scope=scene.scope("bob", sensitivity=3, agent="x")))
    await scene.put(scene.event("e", speaker="Ann"))
    applied = await scene.replace(changed(memory, text="three", version=2, forgotten_at=minutes(9)))
    found = [(place, record) for place, record in await store.tail(start, 1000) if record.scope.tenant == scene.tenant]
    same([record.id for _, record in found], ["bob's", "e", "m"], "records of the tail, whoever owns them")
    same([getattr(record, "text", "") for _, record in found], ["", "one", "three"], "their newest versions")
    same([place for place, _ in found], [record.position for _, record in found], "positions in and beside the records")
    same(found[-1][0], applied.position, "the position that apply gave")
    paged: list[str] = []
    after = start
    while page := await store.tail(after, 1):
        same(len(page), 1, "a page of one")
        holds(page[0][0] > after, "the tail moves on")
        after = page[0][0]
        paged += [record.id for _, record in page if record.scope.tenant == scene.tenant]
    same(paged, ["bob's", "e", "m"], "the tail in pages of one")
    same(await store.tail(applied.position, 10), [], "nothing after the end")
    same(await store.position(), applied.position, "the place of the newest change")


async def sessions_are_folded(store: Store) -> None:
    """A session is counted from its events, one record for each compartment, so that nobody learns of what he may not see."""
    scene = Scene(store)
    open_, secret = scene.scope(session="s"), scene.scope(session="s", sensitivity=2)
    private, other = scene.scope(session="s", agent="bot"), scene.scope("bob", session="s")
    await scene.put(
        scene.event("a", scope=open_, at=minutes(5), ended_at=minutes(6)), scene.event("b", scope=open_, at=minutes(1), kind="thought",
        status="error"),
        scene.event("c", scope=secret, at=minutes(50)), scene.event("d", scope=private), scene.event("e", scope=other), scene.event("none"),
    )  # fmt: skip
    await scene.put(scene.event("a", scope=open_, speaker="Ann"), scene.event("f", scope=open_, at=minutes(3)))

    async def seen(**fields: Any) -> list[tuple[str, int]]:
        found = await store.scan(scene.where(scene.who(**{"user": "ann", **fields}), types=("session",)), 10)
        return sorted((record.id, record.events) for record in found if isinstance(record, Session))

    one, two, three = (session_id(scope) for scope in (open_, secret, private))
    same(await seen(), [(one, 3)], "what anyone of ann's sees")
    same(await seen(clearance=2), sorted([(one, 3), (two, 1)]), "with clearance")
    same(await seen(agent="bot"), sorted([(one, 3), (three, 1)]), "the private agent")
    same(await seen(user="bob"), [(session_id(other), 1)], "bob, whose session has the same name")
    same(await seen(kinds=("thought",)), [], "someone limited to other kinds")
    found = await scene.one(one)
    if not isinstance(found, Session):
        fail("the session record is no Session")
        return
    same((found.at, found.last_at, found.errors), (minutes(1), minutes(6), 1), "first and last moment, errors")
    same(found.kinds, {"user_message": 2, "thought": 1}, "events by kind")
    same(found.scope.session, "s", "the session's own id")
    await scene.replace(changed(found, title="A talk", forgotten_at=minutes(9)))
    same(await seen(), [], "a forgotten session")


async def ill_formed_text(store: Store) -> None:
    """NUL and lone surrogates are kept as they are or made storable, or are Invalid; never another error, never another record's harm."""
    scene = Scene(store)
    await scene.put(scene.event("good", "giraffe"), scene.event("a"), scene.event("b"))
    for bad in ("a\0b", "a\ud800b", "\udfff", "\0"):
        given = (
            scene.event(f"t{bad!r}", bad),
            scene.memory(f"v{bad!r}", "x", value={bad: [bad]}),
            scene.event(bad),
            scene.event(f"s{bad!r}", scope=scene.scope(session=bad)),
        )
        for record in given:
            try:
                await scene.put(record)
            except Invalid:
                same(await scene.got(record.id), [], f"a refused record of {bad!r}")
                continue
            found = only(await store.get([record.id], scene.where()), "what is found")
            holds(unplaced(found) == record or getattr(found, "text", None) == clean(bad), f"{bad!r} came back as {found!r}")
        for where in (
            scene.where(keys=(bad,)),
            scene.where(ids=(bad + "?",)),
            scene.where(sessions=(bad + "?",)),
            scene.where(scene.who(bad)),
        ):
            await quietly(store, where, bad)
    for text in ("", " ", "…!?", "\u202eright to left", "x" * 1_000_000, "𝒳" * 1000):
        name = f"long-{len(text)}-{text[:1]}"
        await scene.put(scene.event(name, text))
        same(getattr(await scene.one(name), "text", None), text, f"a text of {len(text)} characters")
    same(await scene.got("good", "a", "b"), ["good", "a", "b"], "the others")
    same(names(await scene.words("giraffe")), ["good"], "the others' words")


async def quietly(store: Store, where: Where, bad: str) -> None:
    """Reads by ill-formed text find nothing or are Invalid."""
    scene = Scene(store)
    asks = (
        lambda: store.scan(where, 10), lambda: store.count(where), lambda: store.get([bad + "?"], where), lambda: store.walk([bad + "?"],
        "up", 2, where),
        lambda: scene.words(bad, where.asker, keys=(bad,)), lambda: store.states.list(where, 10),
        lambda: store.mark(f"{bad}-{scene.tenant}"),
    )  # fmt: skip
    for ask in asks:
        try:
            found = await ask()
        except Invalid:
            continue
        holds(found in ([], {"": 0}, 0), f"a read by {bad!r} found {found!r}")


CHECKS: tuple[Check, ...] = (
    scan_order, paging, cursor_outlives_its_record, bad_cursors, counts, filters, every_read_is_by_the_asker, forgotten_at_once,
    tail_has_newest,
    sessions_are_folded, ill_formed_text,
)  # fmt: skip
