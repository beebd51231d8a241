"""The event graph of a Store: links that resolve late, cycles that are refused, and walks that pass only where the asker may."""

from __future__ import annotations

from beebread.errors import Invalid
from beebread.model import Batch, Cause, Direction, Evidence, Family, Link
from beebread.ports import Store
from beebread.testing.scene import Check, Scene, changed, holds, minutes, names, refused, same

EVERY: tuple[Family, ...] = ("NEXT", "CAUSED_BY", "REFERS_TO", "DATA_FROM", "RESTS_ON")


def ends(links: list[Link]) -> list[tuple[str, str]]:
    """(later, earlier) of each link, sorted."""
    return sorted((link.source, link.target) for link in links)


async def chain(scene: Scene, length: int = 5) -> None:
    """Events e0 <- e1 <- … each caused by the one before, of which e0 was first."""
    await scene.put(*(scene.event(f"e{number}", causes=(Cause(f"e{number - 1}"),) if number else ()) for number in range(length)))


async def walks_both_ways(store: Store) -> None:
    """Up leads to causes, down to effects, nearest first, each link once at its least depth, no deeper than asked."""
    scene = Scene(store)
    await chain(scene)
    await scene.put(scene.event("short", causes=(Cause("e3"), Cause("e0"))), scene.event("lone"))
    up = await store.walk(["e4"], "up", 9, scene.where())
    same([(link.source, link.target, link.depth) for link in up], [(f"e{n}", f"e{n - 1}", 5 - n) for n in (4, 3, 2, 1)], "up from e4")
    down = await store.walk(["e2"], "down", 9, scene.where())
    same((down[0].source, down[0].target, down[0].depth), ("e3", "e2", 1), "the nearest link down")
    same(ends(down), [("e3", "e2"), ("e4", "e3"), ("short", "e3")], "down from e2")
    same(ends(await store.walk(["e4"], "up", 2, scene.where())), [("e3", "e2"), ("e4", "e3")], "two hops")
    same(await store.walk(["e4"], "up", 0, scene.where()), [], "no hop")
    both = await store.walk(["short"], "up", 9, scene.where())
    depths = {(link.source, link.target): link.depth for link in both}
    same(depths["short", "e0"], 1, "the depth of the short way")
    same(len(both), len(depths), "each link once")
    holds([link.depth for link in both] == sorted(link.depth for link in both), "links are nearest first")
    same(ends(await store.walk(["e4", "e1", "none"], "up", 1, scene.where())), [("e1", "e0"), ("e4", "e3")], "from two starts")
    same(await store.walk(["lone"], "up", 9, scene.where()), [], "from one without links")
    same(await store.walk([], "down", 9, scene.where()), [], "from none")
    same({link.owner for link in up}, {scene.owner()}, "the owner of links")


async def families(store: Store) -> None:
    """Each family is walked when asked for; none means causes and data; parent, cause and mention tell their relation."""
    scene = Scene(store)
    await scene.put(
        *(scene.event(name) for name in ("parent", "cause", "data", "mention")),
        scene.event("e", parent="parent", causes=(Cause("cause", "retry_of"), Cause("data", "data_from"), Cause("parent")),
        refers_to=("mention",)),
        scene.memory("m", evidence=Evidence(sources=("e", "mention"))),
    )  # fmt: skip

    async def found(start: str, direction: Direction, *wanted: Family) -> list[tuple[str, str, str, str]]:
        links = await store.walk([start], direction, 1, scene.where(), wanted)
        return sorted((link.source, link.family, link.target, link.relation) for link in links)

    causal = [("e", "CAUSED_BY", "cause", "retry_of"), ("e", "CAUSED_BY", "parent", "caused_by"), ("e", "CAUSED_BY", "parent", "parent")]
    data, mention = ("e", "DATA_FROM", "data", "data_from"), ("e", "REFERS_TO", "mention", "mention")
    rests = [("m", "RESTS_ON", "e", "evidence"), ("m", "RESTS_ON", "mention", "evidence")]
    same(await found("e", "up"), [*causal, data], "no families")
    same(await found("e", "up", "CAUSED_BY"), causal, "CAUSED_BY")
    same(await found("e", "up", "DATA_FROM"), [data], "DATA_FROM")
    same(await found("e", "up", "REFERS_TO"), [mention], "REFERS_TO")
    same(await found("e", "up", *EVERY), [*causal, data, mention], "every family")
    same(await found("m", "up", "RESTS_ON"), rests, "RESTS_ON")
    same(await found("mention", "down", *EVERY), [mention, rests[1]], "every family down")
    same(await found("m", "up"), [], "a memory has no causes")


async def next_orders_a_session(store: Store) -> None:
    """NEXT leads from each event of a session to the one before by time, number and id, whatever the arrival; never between sessions."""
    scene = Scene(store)
    at = minutes(5)
    s = scene.scope(session="s")
    ordered = [
        scene.event("z", at=minutes(1), scope=s), scene.event("y", at=at, seq=1, scope=s), scene.event("a", at=at, seq=2, scope=s),
        scene.event("b", at=at, seq=2, scope=s), scene.event("x", at=minutes(9), scope=s),
    ]  # fmt: skip
    for place in (4, 0, 3, 1, 2):
        await scene.put(ordered[place])
    await scene.put(
        scene.event("other", at=minutes(2), scope=scene.scope(session="s2")), scene.event("none-1", at=at), scene.event("none-2", at=at),
        scene.event("bob", at=minutes(2), scope=scene.scope("bob", session="s")), scene.memory("m", at=minutes(2), scope=s),
    )  # fmt: skip
    links = await store.walk(["x"], "up", 9, scene.where(), ("NEXT",))
    same([(link.source, link.target) for link in links], [("x", "b"), ("b", "a"), ("a", "y"), ("y", "z")], "the order of the session")
    same({(link.family, link.relation) for link in links}, {("NEXT", "")}, "the family of the order")
    same([link.source for link in await store.walk(["z"], "down", 2, scene.where(), ("NEXT",))], ["y", "a"], "down the session")
    for alone in ("other", "none-1", "none-2", "m"):
        same(await store.walk([alone], "up", 9, scene.where(), ("NEXT",)), [], f"the order before {alone}")
    await scene.replace(changed(ordered[2], forgotten_at=minutes(20)))
    links = await store.walk(["x"], "up", 9, scene.where(), ("NEXT",))
    same([(link.source, link.target) for link in links], [("x", "b"), ("b", "y"), ("y", "z")], "the order without a forgotten event")
    await scene.put(
        scene.event("late", at=minutes(6), scope=s), scene.event("secret", at=minutes(7), scope=scene.scope(session="s", sensitivity=2))
    )
    same([link.target for link in await store.walk(["x"], "up", 1, scene.where(), ("NEXT",))], ["late"], "the order as the asker sees it")
    trusted = scene.who(clearance=2)
    same([link.target for link in await store.walk(["x"], "up", 2, scene.where(trusted), ("NEXT",))], ["secret", "late"], "with clearance")


async def dangling_resolves_later(store: Store) -> None:
    """An edge may come before its other end; it is walked as soon as both are there, in either direction."""
    scene = Scene(store)
    await scene.put(scene.event("effect", causes=(Cause("cause"),), refers_to=("mention",)))
    same(await store.walk(["effect"], "up", 9, scene.where(), EVERY), [], "an end that is not there")
    same(await store.walk(["cause"], "down", 9, scene.where(), EVERY), [], "a start that is not there")
    await scene.put(scene.event("cause"), scene.memory("mention"))
    same(ends(await store.walk(["effect"], "up", 9, scene.where(), EVERY)), [("effect", "cause"), ("effect", "mention")], "up")
    same(ends(await store.walk(["cause"], "down", 9, scene.where())), [("effect", "cause")], "down")


async def foreign_never_resolves(store: Store) -> None:
    """An edge leads only inside its owner: another owner's record of that id is nothing to it, not even where the asker sees both."""
    scene = Scene(store)
    shared = scene.scope(space="shared", group="g")
    await scene.put(
        scene.event("theirs", scope=scene.scope("bob")), scene.event("group's", scope=shared),
        scene.event("e", causes=(Cause("theirs"), Cause("group's")), refers_to=("theirs",)),
        scene.event("theirs-2", scope=scene.scope("bob"), causes=(Cause("e"),)), scene.event("group's-2", scope=shared,
        causes=(Cause("e"),)),
    )  # fmt: skip
    member = scene.who(groups=("g",))
    for who in (scene.who(), member, scene.who(roles=("self",))):
        same(await store.walk(["e"], "up", 9, scene.where(who), EVERY), [], "up to another owner")
        same(await store.walk(["e"], "down", 9, scene.where(who), EVERY), [], "down to another owner")
    same(await store.walk(["theirs", "theirs-2"], "down", 9, scene.where(), EVERY), [], "from another owner's record")
    await scene.put(scene.event("theirs"))
    same(ends(await store.walk(["e"], "up", 1, scene.where())), [("e", "theirs")], "one's own of that id")


async def not_through_the_invisible(store: Store) -> None:
    """A walk stops at what the asker may not see and at what was forgotten; expired and superseded records it passes."""
    scene = Scene(store)
    hidden = {
        "secret": scene.scope(sensitivity=2), "another agent's": scene.scope(agent="bot"), "closed": scene.scope(space="session",
        session="s"),
    }  # fmt: skip
    for what, scope in hidden.items():
        await scene.put(
            scene.event(f"{what}-1"), scene.event(f"{what}-2", scope=scope, causes=(Cause(f"{what}-1"),)),
            scene.event(f"{what}-3", causes=(Cause(f"{what}-2"),)),
        )  # fmt: skip
        same(await store.walk([f"{what}-3"], "up", 9, scene.where()), [], f"up through {what}")
        same(await store.walk([f"{what}-1"], "down", 9, scene.where()), [], f"down through {what}")
        same(await store.walk([f"{what}-2"], "up", 9, scene.where()), [], f"from {what}")
    may = scene.who(clearance=2, agent="bot", session="s")
    for what in hidden:
        same(len(await store.walk([f"{what}-3"], "up", 9, scene.where(may))), 2, f"through {what} by one who may")
    await chain(scene)
    await scene.replace(changed(await scene.one("e2"), forgotten_at=minutes(20)))
    same(ends(await store.walk(["e4"], "up", 9, scene.where())), [("e4", "e3")], "up to what was forgotten")
    same(ends(await store.walk(["e0"], "down", 9, scene.where())), [("e1", "e0")], "down to what was forgotten")
    same(await store.walk(["e2"], "up", 9, scene.where()), [], "from what was forgotten")
    every = scene.where(status=("active", "forgotten"))
    same(ends(await store.walk(["e4"], "up", 9, every)), [("e4", "e3")], "to what was forgotten when any status is asked for")
    await scene.replace(changed(await scene.one("e2"), forgotten_at=None, expires_at=minutes(20), superseded_by="x"))
    same(ends(await store.walk(["e4"], "up", 9, scene.where())), [("e1", "e0"), ("e2", "e1"), ("e4", "e3")], "through an expired record")


async def where_judges_far_ends(store: Store) -> None:
    """A link is returned when the end it leads to answers `where`; the way there need not, nor the start."""
    scene = Scene(store)
    await chain(scene, 4)
    await scene.put(scene.event("tool", kind="tool_call", causes=(Cause("e3"),)), scene.event("last", causes=(Cause("tool"),)))
    up = await store.walk(["last"], "up", 9, scene.where(kinds=("tool_call",)))
    same([(link.target, link.depth) for link in up], [("tool", 1)], "the one tool call")
    far = await store.walk(["last"], "up", 9, scene.where(ids=("e0", "e2")))
    same([(link.target, link.depth) for link in far], [("e2", 3), ("e0", 5)], "far ends beyond ends that do not answer")
    down = await store.walk(["e0"], "down", 9, scene.where(kinds=("tool_call",)))
    same([(link.source, link.depth) for link in down], [("tool", 4)], "down to the tool call")
    limited = scene.who(kinds=("user_message",))
    same(ends(await store.walk(["last"], "up", 9, scene.where(limited))), [], "kinds that the asker may not see are no way through")


async def cycles_are_refused(store: Store) -> None:
    """Causes never go in a circle: in one batch, over several, through parents, data and edges that dangled; nothing of it is kept."""
    scene = Scene(store)
    await refused(scene.put(scene.event("self", causes=(Cause("self"),))), Invalid, "its own cause")
    await refused(scene.put(scene.event("self", parent="self")), Invalid, "its own parent")
    await refused(
        scene.put(scene.event("a", causes=(Cause("b"),)), scene.event("b", causes=(Cause("a"),))), Invalid, "a circle in one batch"
    )
    same(await scene.all(), [], "what was kept of circles")
    await chain(scene, 3)
    await scene.put(scene.event("e0-cause", causes=(Cause("late", "data_from"),)), scene.event("e0", causes=(Cause("e0-cause"),)))
    error = await refused(scene.put(scene.event("late", parent="e2")), Invalid, "a circle closed by an edge that dangled")
    same(error.ids, ("late",), "the id that a circle names")
    await refused(scene.put(scene.event("e0", causes=(Cause("e2"),))), Invalid, "a circle closed by a second sighting")
    await refused(scene.put(scene.event("by"), scene.event("e1", parent="e2")), Invalid, "a circle by a parent that came second")
    same(sorted(await scene.all()), ["e0", "e0-cause", "e1", "e2"], "what is kept")
    same(ends(await store.walk(["e0"], "up", 9, scene.where())), [("e0", "e0-cause")], "edges of refused batches")
    await scene.put(scene.event("late", refers_to=("e2", "late")), scene.event("e2", refers_to=("late",)))
    await scene.put(scene.event("late", scope=scene.scope("bob"), causes=(Cause("e2"),)))
    same(ends(await store.walk(["e2"], "up", 9, scene.where(), ("REFERS_TO",)))[0], ("e2", "late"), "mentions may go in a circle")


async def wide_and_deep(store: Store) -> None:
    """A ladder whose every step has two ways is walked in full, each link once; a long chain to the depth asked."""
    scene = Scene(store)
    steps = 40
    rungs = [
        scene.event(f"{side}{step}", causes=(Cause(f"l{step - 1}"), Cause(f"r{step - 1}")) if step else ())
        for step in range(steps) for side in "lr"
    ]  # fmt: skip
    await scene.put(*rungs)
    links = await store.walk([f"l{steps - 1}"], "up", 1000, scene.where())
    same(len(links), 2 + 4 * (steps - 2), "links of a ladder")
    same(len({(link.source, link.target) for link in links}), len(links), "each link once")
    await scene.put(*(scene.event(f"c{number}", causes=(Cause(f"c{number - 1}"),) if number else ()) for number in range(300)))
    same(len(await store.walk(["c299"], "up", 250, scene.where())), 250, "a long chain")


async def links_of_the_asker_alone(store: Store) -> None:
    """Nobody walks another's graph, whatever he asks by."""
    scene = Scene(store)
    await chain(scene, 3)
    strangers = [
        scene.who("bob"),
        scene.who("ann", tenant=scene.tenant + "x"),
        scene.who(""),
        scene.who("an%"),
        scene.who("ann", kinds=()),
    ]
    for who in strangers:
        same(await store.walk(["e2", "e1", "e0"], "up", 9, scene.where(who), EVERY), [], f"a walk by {who}")
    same(names(await store.get(["e2"], scene.where())), ["e2"], "ann's own")
    same((await store.apply(Batch())).created, (), "an empty batch")


CHECKS: tuple[Check, ...] = (
    walks_both_ways, families, next_orders_a_session, dangling_resolves_later, foreign_never_resolves, not_through_the_invisible,
    where_judges_far_ends, cycles_are_refused, wide_and_deep, links_of_the_asker_alone,
)  # fmt: skip
