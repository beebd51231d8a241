"""Isolation, enumerated: every kind of asker against every kind of scope, on every read, held to `policy.visible`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from beebread.model import Cause, Event, Memory, Principal, Record, Scope, Session, State, Tool, owner, state_id
from beebread.policy import visible
from beebread.ports import Probe, Store
from beebread.testing.scene import EVERY_STATUS, STATE_BYTES, Check, Scene, fail, names, same

# Names that begin alike, hold a wildcard's sign or the signs that join owners, or differ in case, accent or spaces alone.
USERS = ("john", "john-doe", "joh", "%", "j_hn", "john*", "John", "jöhn", "john ", "u:john", "john%3A", "", "*")
TENANTS = ("", "-corp", "%", ":x", "_")
AGENTS = ("", "bot", "bot-2", "bo%")
GROUPS = ("team", "team-2", "te%")


def scopes(scene: Scene) -> list[Scope]:
    """Every kind of place to live in."""
    found = [scene.scope(user) for user in USERS]
    found += [scene.scope("john", tenant=scene.tenant + end) for end in TENANTS[1:]]
    found += [scene.scope("john", agent=agent) for agent in AGENTS[1:]]
    found += [scene.scope("john", agent="bot", task=task) for task in ("t", "t-2", "t%")]
    found += [scene.scope("john", sensitivity=level, agent=agent) for level in (1, 2, 3) for agent in ("", "bot")]
    found += [scene.scope("john", session=session) for session in ("s", "s-2")]
    found += [
        scene.scope("john", space="session", session=session, sensitivity=level) for session in ("s", "s-2", "s%") for level in (0, 2)
    ]
    found += [scene.scope("john", space="session", session="s", agent="bot")]
    found += [scene.scope("john", space="shared", group=group) for group in ("", *GROUPS)]
    found += [
        scene.scope("john", space="shared", group="team", agent="bot"),
        scene.scope("john", space="shared", group="team", sensitivity=3),
    ]
    found += [scene.scope("john-doe", space="shared", group="team", session="s"), scene.scope("john", group="team")]
    found += [scene.scope("john", space="system"), scene.scope("", space="system", sensitivity=2), scene.scope("john-doe", agent="bot")]
    found += [scene.scope("john-doe", task="t"), scene.scope("john-doe", agent="bot-2", task="t")]
    return found


def askers(scene: Scene) -> list[Principal]:
    """Every kind of someone who asks."""
    found = [scene.who("john", tenant=tenant) for tenant in ("", "%", scene.tenant[:-1], *(scene.tenant + end for end in TENANTS[1:]))]
    found += [scene.who("john", agent=agent) for agent in AGENTS[1:]]
    found += [scene.who("john", agent="bot-2", task=task) for task in ("t", "t-2", "t_", "%")]
    found += [scene.who("john", clearance=level) for level in (1, 2, 3)]
    found += [scene.who("john", session=session, clearance=level) for session in ("s", "s-2", "s%", "%", "s-") for level in (0, 2)]
    found += [scene.who("john", groups=groups) for groups in (("team",), ("team-2", "te%"), ("te_m",), ("%",), ("",), GROUPS)]
    found += [scene.who("john", roles=("self",)), scene.who("john", roles=("self", "admin"), clearance=3, groups=GROUPS, session="s")]
    found += [scene.who("john", roles=("admin",)), scene.who("john", roles=("support",)), scene.who("john", roles=())]
    found += [scene.who("john", kinds=kinds) for kinds in ((), ("fact",), ("user_message", "session"), ("task",), ("fac%",), ("",))]
    found += [
        scene.who("john", agent="bot", private=True, session="s", task="t"),
        scene.who("eve", groups=("team",), session="s", task="t"),
    ]
    found += [
        scene.who("john-doe", agent="bot", clearance=3, session="s", task="t"),
        scene.who("john", tenant=scene.tenant + "-corp", clearance=3),
    ]
    return [*found[::-1], *(scene.who(user) for user in USERS)]


class World:
    """One event, memory and state in each scope, their ids the same in every scope or in none, and all of it known to the judge."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.records: list[Record] = []
        self.states: list[State] = []

    async def build(self) -> World:
        """Write everything down, each scope in a batch of its own."""
        scene, store = self.scene, self.scene.store
        for number, scope in enumerate(scopes(scene)):
            call = Tool("lookup", "c", {"n": 1})
            batch: list[Event | Memory] = [
                scene.event(f"first-{number}", "giraffe 长颈鹿", scope=scope, tags=("zoo",)),
                scene.event(
                    f"then-{number}",
                    "giraffe",
                    scope=scope,
                    kind="tool_call",
                    tool=call,
                    causes=(Cause(f"first-{number}"), Cause("first-0")),
                ),
                scene.memory(f"fact-{number}", "giraffe 长颈鹿", scope=scope, tags=("zoo",), key="pet"),
                scene.event(f"same{scope.space}{scope.agent}{scope.task}{scope.sensitivity}{scope.session}", "giraffe", scope=scope),
            ]
            await scene.put(*batch)
            self.states.append(await store.states.put(scene.state(f"task_{number}", {"n": number}, scope=scope), 0, STATE_BYTES))
            shared = scene.state("task", {"n": number}, scope=scope)
            if all(state_id(shared) != state_id(state) for state in self.states):
                self.states.append(await store.states.put(shared, 0, STATE_BYTES))
        self.records = [record for _, record in await store.tail(0, 1_000_000) if record.scope.tenant.startswith(scene.tenant)]
        return self


def keys(records: Iterable[Record]) -> list[tuple[str, str]]:
    """Owner and id of each."""
    return sorted((owner(record.scope), record.id) for record in records)


def told(found: Sequence[object], wanted: Sequence[object], what: str, who: Principal) -> None:
    """Fail, saying what leaked and what was withheld."""
    if list(found) != list(wanted):
        left, right = set(map(repr, found)), set(map(repr, wanted))
        fail(f"{what} by {who}: leaked {sorted(left - right)[:5]}, withheld {sorted(right - left)[:5]}, of {len(wanted)}")


async def reads(world: World, who: Principal) -> None:
    """Hold scan, count, get and states of one asker to the rule."""
    scene, store = world.scene, world.scene.store
    shown = [record for record in world.records if visible(who, record)]
    where = scene.where(who, types=(), status=EVERY_STATUS)
    told(keys(await store.scan(where, 10_000)), keys(shown), "scan", who)
    told(list((await store.count(where)).items()), [("", len(shown))], "count", who)
    every = list(dict.fromkeys(names(world.records)))
    told(keys(await store.get(every, scene.where(who, types=()))), keys(shown), "get", who)
    kinds = sorted((await store.count(scene.where(who, types=()), "kind")).items())
    told(kinds, sorted(Counter(record.kind for record in shown).items()), "count by kind", who)
    wanted = sorted((state.key, state_id(state)) for state in world.states if visible(who, state))
    told([(state.key, state_id(state)) for state in await store.states.list(scene.where(who, types=()), 10_000)], wanted, "states", who)


async def finds(world: World, who: Principal) -> None:
    """Hold keyword and exact search and walk of one asker to the rule."""
    scene, store = world.scene, world.scene.store
    shown = [record for record in world.records if visible(who, record) and not isinstance(record, Session)]
    for channel, term, found in (
        ("keyword", "giraff", [record for record in shown if getattr(record, "text", "")]),
        ("exact", "@#zoo", [record for record in shown if "zoo" in getattr(record, "tags", ())]),
        ("exact", "@@pet", [record for record in shown if getattr(record, "key", "") == "pet"]),
    ):
        hits = await store.search(Probe(channel=channel, where=scene.where(who, types=()), limit=10_000, terms=(term,)))
        told(sorted((hit.owner, hit.id) for hit in hits), keys(found), f"{channel} search for {term}", who)
    passable = {(owner(record.scope), record.id): record for record in shown}
    starts = list(dict.fromkeys(names(world.records)))
    for direction in ("up", "down"):
        links = await store.walk(starts, direction, 3, scene.where(who, types=()))
        wanted = {
            (home, record.id, cause.id)
            for (home, _), record in passable.items() if isinstance(record, Event)
            for cause in record.causes if (home, cause.id) in passable
        }  # fmt: skip
        told(sorted((link.owner, link.source, link.target) for link in links), sorted(wanted), f"walk {direction}", who)


async def every_asker_every_scope(store: Store) -> None:
    """Each asker sees exactly what `policy.visible` says, on every read."""
    scene = Scene(store)
    world = await World(scene).build()
    people = askers(scene)
    seen = {name for who in people for name in names(record for record in world.records if visible(who, record))}
    same(sorted(set(names(world.records)) - seen)[:3], [], "records that no asker of this check sees, so that hiding them goes unnoticed")
    for who in people:
        await reads(world, who)
        await finds(world, who)


async def foreign_reads_as_unknown(store: Store) -> None:
    """For a stranger a full store answers exactly as an empty one, by any id that he might name."""
    scene, empty = Scene(store), Scene(store)
    world = await World(scene).build()
    ids = list(dict.fromkeys(names(world.records)))
    for user, end in (("eve", "x"), ("john", "%%"), ("john", "-corp2"), ("j%", "-cor"), ("", "x"), ("john\0", "x")):
        answers: list[list[object]] = []
        for asked in (scene, empty):
            where = asked.where(asked.who(user, tenant=asked.tenant + end, clearance=3, groups=GROUPS), types=(), status=EVERY_STATUS)
            answer: list[object] = [keys(await store.get(ids, where)), keys(await store.scan(where, 9)), await store.count(where, "kind")]
            answer.append(await store.walk(ids, "down", 5, where, ("NEXT", "CAUSED_BY", "REFERS_TO", "DATA_FROM", "RESTS_ON")))
            answer.append(await store.states.list(where, 9))
            for channel, term in (("keyword", "giraff"), ("exact", "@#zoo")):
                answer.append(await store.search(Probe(channel=channel, where=where, limit=9, terms=(term,))))
            answers.append(answer)
        same(answers[0], answers[1], f"what {user!r} of another tenant is told by a full and by an empty store")


CHECKS: tuple[Check, ...] = (every_asker_every_scope, foreign_reads_as_unknown)
ISOLATION_CHECKS: dict[str, Check] = {f"isolation.{check.__name__}": check for check in CHECKS}
