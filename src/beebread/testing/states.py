"""The States contract: versions that guard, fields set alone, history, lists, compartments, and the limit."""

from __future__ import annotations

import asyncio
from typing import Any

from beebread.errors import Conflict, Invalid
from beebread.model import Actor, AuditLine, Field, State, canonical, owner, state_id
from beebread.ports import Store
from beebread.testing.scene import EVERY_STATUS, STATE_BYTES, Check, Scene, changed, holds, minutes, only, refused, same


def values(state: State) -> dict[str, Any]:
    """The fields' values by name."""
    return {name: field.value for name, field in state.fields.items()}


async def listed(scene: Scene, **fields: Any) -> list[State]:
    """The states that ann's default view shows."""
    return await scene.store.states.list(scene.where(**fields), 1000)


async def put_and_list(store: Store) -> None:
    """Every part of a state comes back as it was given, its version 1 and made when it was written."""
    scene = Scene(store)
    given = State(
        key="order_status_12345", scope=scene.scope(session="s", task="t"), memory_type="task", step="查询", signature="rules-1",
        actor=Actor("a", "A"),
        fields={"订单": Field({"id": [1, "二", None, 2.5, True]}, "tentative", "e1"), "empty": Field(None, "missing")},
        updated_at=minutes(1), expires_at=minutes(90_000),
    )  # fmt: skip
    wanted = changed(given, version=1, created_at=minutes(1))
    same(await store.states.put(given, None, STATE_BYTES), wanted, "what put gives back")
    same(await listed(scene), [wanted], "what a list gives")
    same(await store.states.history(scene.owner(), state_id(given), 10), [wanted], "its history")


async def put_replaces(store: Store) -> None:
    """A put replaces every field, one version higher; when and in which session it was made stays."""
    scene = Scene(store)
    first = await store.states.put(scene.state("k", {"a": 1, "b": 2}, step="one", scope=scene.scope(session="s1")), None, STATE_BYTES)
    second = await store.states.put(scene.state("k", {"c": 3}, scope=scene.scope(session="s2")), None, STATE_BYTES)
    same((values(second), second.step, second.version), ({"c": 3}, "", 2), "the new state")
    same((second.created_at, second.scope.session), (first.created_at, "s1"), "its origin")
    same(await listed(scene), [second], "the list")


async def set_keeps_others(store: Store) -> None:
    """Setting one field leaves the others, the step and the expiry where nothing new is given."""
    scene = Scene(store)
    await store.states.set(
        scene.state("k", {"a": 1, "b": {"deep": 1}}, step="one", signature="r", expires_at=minutes(90_000)), None, STATE_BYTES
    )
    second = await store.states.set(scene.state("k", {"b": {"other": 2}, "c": 3}, scope=scene.scope(task="t")), None, STATE_BYTES)
    same(values(second), {"a": 1, "b": {"other": 2}, "c": 3}, "fields, each set as a whole")
    same((second.step, second.signature, second.expires_at), ("one", "r", minutes(90_000)), "what was not given")
    same((second.version, second.scope.task), (2, "t"), "version and task")
    third = await store.states.set(scene.state("k", {}, step="two"), None, STATE_BYTES)
    same((third.step, values(third)), ("two", values(second)), "the step alone")
    same(await listed(scene), [third], "the list")


async def expect_guards(store: Store) -> None:
    """A write that names a version applies to that version alone; 0 means none yet; Conflict carries the state as it is."""
    scene = Scene(store)
    put, set_ = store.states.put, store.states.set
    for write, key in ((put, "p"), (set_, "s")):
        await refused(write(scene.state(key, {"a": 1}), 1, STATE_BYTES), Conflict, "a version of what is not there")
        await write(scene.state(key, {"a": 1}), 0, STATE_BYTES)
        error = await refused(write(scene.state(key, {"a": 2}), 0, STATE_BYTES), Conflict, "0 for a state that is there")
        await write(scene.state(key, {"a": 2}), 1, STATE_BYTES)
        error = await refused(write(scene.state(key, {"a": 3}), 1, STATE_BYTES), Conflict, "a stale version")
        holds(
            isinstance(error.detail, State) and error.detail.version == 2 and values(error.detail) == {"a": 2},
            "Conflict.detail is the state",
        )
        await refused(write(scene.state(key, {"a": 3}), 3, STATE_BYTES), Conflict, "a version that is yet to come")
    same(
        [(state.key, state.version, values(state)) for state in await listed(scene)],
        [("p", 2, {"a": 2}), ("s", 2, {"a": 2})],
        "what is kept",
    )


async def no_lost_update(store: Store) -> None:
    """Fields set at once by many are all there, each write a version of its own."""
    scene = Scene(store)
    done = await asyncio.gather(*(store.states.set(scene.state("k", {f"f{number}": number}), None, STATE_BYTES) for number in range(20)))
    state = only(await listed(scene), "what is found")
    same(values(state), {f"f{number}": number for number in range(20)}, "fields set at once")
    same(sorted(each.version for each in done), list(range(1, 21)), "a version for each write")
    guarded = await asyncio.gather(
        *(store.states.set(scene.state("g", {"who": number}), 0, STATE_BYTES) for number in range(8)), return_exceptions=True
    )
    same(sum(isinstance(each, State) for each in guarded), 1, "writers that expect none yet: the one that wins")
    holds(all(isinstance(each, (State, Conflict)) for each in guarded), f"the others get Conflict: {guarded}")


async def limit_is_kept(store: Store) -> None:
    """Fields over the limit, alone or with those that are there, are Invalid, and nothing changes."""
    scene = Scene(store)
    room = STATE_BYTES - len(canonical({"a": Field("")}))
    await store.states.put(scene.state("k", {"a": "x" * room}), None, STATE_BYTES)
    await refused(store.states.put(scene.state("k", {"a": "x" * (room + 1)}), None, STATE_BYTES), Invalid, "one byte over the limit")
    await refused(
        store.states.put(scene.state("new", {"a": "字" * (room // 3 + 1)}), None, STATE_BYTES),
        Invalid,
        "bytes, not characters, over the limit",
    )
    await refused(store.states.set(scene.state("k", {"b": 1}), None, STATE_BYTES), Invalid, "one field that makes the whole too large")
    await refused(store.states.set(scene.state("small", {"b": "x" * 100}), None, 50), Invalid, "another limit")
    state = only(await listed(scene), "what is found")
    same((state.key, state.version, len(str(values(state)["a"]))), ("k", 1, room), "what is kept")
    same(len(await store.states.history(scene.owner(), state_id(state), 10)), 1, "the history after refused writes")


async def history_newest_first(store: Store) -> None:
    """The history has every version, newest first, of that state alone."""
    scene = Scene(store)
    for number in range(4):
        await store.states.set(scene.state("k", {"n": number}), None, STATE_BYTES)
        await store.states.set(scene.state("other", {"n": -number}), None, STATE_BYTES)
        await store.states.set(scene.state("k", {"n": 10 + number}, scope=scene.scope("bob")), None, STATE_BYTES)
    state = only(await listed(scene, keys=("k",)), "what is found")
    found = await store.states.history(scene.owner(), state_id(state), 100)
    same([(each.version, values(each)["n"]) for each in found], [(4, 3), (3, 2), (2, 1), (1, 0)], "versions and values")
    same([each.version for each in await store.states.history(scene.owner(), state_id(state), 2)], [4, 3], "the newest two")
    same(await store.states.history(scene.owner("bob"), state_id(state), 10), [], "another owner's history by this state's id")
    same(await store.states.history(scene.owner(), "state-none", 10), [], "the history of nothing")


async def list_pages(store: Store) -> None:
    """A list is ordered by key, then id, and its pages of any size give each state once, over all of the asker's owners."""
    scene = Scene(store)
    who = scene.who(groups=("g", "h"), agent="bot")
    scopes = [scene.scope(), scene.scope(agent="bot"), *(scene.scope(space="shared", group=group) for group in ("g", "h", ""))]
    for key in ("b", "a%", "a", "é", "A", "a\tb"):
        for scope in scopes:
            await store.states.put(scene.state(key, {"n": 1}, scope=scope), None, STATE_BYTES)
    await store.states.put(scene.state("a", {"n": 2}, scope=scene.scope("bob")), None, STATE_BYTES)
    whole = await store.states.list(scene.where(who), 1000)
    places = [(state.key, state_id(state)) for state in whole]
    same(len(places), 30, "states of the asker's owners")
    same(places, sorted(places), "their order")
    for size in (1, 4, 29, 30, 31):
        paged: list[State] = []
        after = ""
        while page := await store.states.list(scene.where(who), size, after):
            holds(len(page) <= size, f"a page of {size} has {len(page)}")
            holds(len(paged) < 1000, "paging does not come to an end")
            paged += page
            after = f"{page[-1].key}\0{state_id(page[-1])}"
        same([(state.key, state_id(state)) for state in paged], places, f"pages of {size}")
    await refused(store.states.list(scene.where(who), 5, "no-mark"), Invalid, "a cursor that no list gave")
    same(await store.states.list(scene.where(who), 0), [], "a list of none")


async def filters(store: Store) -> None:
    """A list answers `policy.state_matches`: keys, types, sessions, tasks, actors, and the time of the last update."""
    scene = Scene(store)
    one, two = scene.scope(session="s1", task="t1"), scene.scope(session="s2", task="t%")
    await store.states.put(scene.state("refund_1", {}, scope=one, actor=Actor("ann"), updated_at=minutes(10)), None, STATE_BYTES)
    await store.states.put(scene.state("refund_2", {}, scope=two, memory_type="saga", updated_at=minutes(20)), None, STATE_BYTES)
    await store.states.put(scene.state("refund%2", {}, scope=two, actor=Actor("bot_1"), updated_at=minutes(30)), None, STATE_BYTES)
    asks: list[tuple[dict[str, Any], list[str]]] = [
        ({"keys": ("refund_2",)}, ["refund_2"]), ({"keys": ("refund%2", "none")}, ["refund%2"]), ({"kinds": ("saga",)}, ["refund_2"]),
        ({"sessions": ("s1",)}, ["refund_1"]), ({"tasks": ("t%",)}, ["refund%2", "refund_2"]), ({"tasks": ("t_",)}, []),
        ({"actors": ("bot_1", "ann")}, ["refund%2", "refund_1"]), ({"after": minutes(20)}, ["refund%2", "refund_2"]),
        ({"before": minutes(20)}, ["refund_1"]),
        ({"after": minutes(11), "before": minutes(29), "kinds": ("task",)}, []), ({"types": ("event",), "tags": ("x",)}, ["refund%2",
        "refund_1", "refund_2"]),
    ]  # fmt: skip
    for given, wanted in asks:
        same([state.key for state in await listed(scene, **given)], wanted, f"states by {given}")


async def hidden_states(store: Store) -> None:
    """Expired and forgotten states are hidden unless asked for; a new write brings a forgotten one back."""
    scene = Scene(store)
    await store.states.put(scene.state("expires", {"a": 1}, expires_at=minutes(100)), None, STATE_BYTES)
    await store.states.put(scene.state("lives", {"a": 1}), None, STATE_BYTES)
    await store.states.put(scene.state("gone", {"a": 1}), None, STATE_BYTES)
    await store.states.put(scene.state("gone", {"a": 1}, forgotten_at=minutes(50)), 1, STATE_BYTES)
    same([state.key for state in await listed(scene)], ["lives"], "what is shown")
    same([state.key for state in await listed(scene, now=minutes(99.9))], ["expires", "lives"], "before it expires")
    same([state.key for state in await listed(scene, now=minutes(100))], ["lives"], "at the moment it expires")
    same([state.key for state in await listed(scene, status=("expired", "forgotten"))], ["expires", "gone"], "when asked for")
    same([state.key for state in await listed(scene, keys=("gone", "expires"))], [], "by key")
    anew = await store.states.set(scene.state("expires", {"b": 2}, updated_at=minutes(101), expires_at=minutes(200)), 0, STATE_BYTES)
    same((list(anew.fields), anew.version, anew.created_at), (["b"], 2, minutes(101)), "one that expired is begun anew")
    await store.states.set(scene.state("gone", {"b": 2}), None, STATE_BYTES)
    same([state.key for state in await listed(scene)], ["gone", "lives"], "after a new write")


async def apart(store: Store) -> None:
    """One key in two users', agents', sessions' or clearances' hands is two states: no write or conflict of one tells of the other."""
    scene = Scene(store)
    scopes = [
        scene.scope(), scene.scope("bob"), scene.scope(agent="bot"), scene.scope(sensitivity=2), scene.scope(space="session", session="s1"),
        scene.scope(space="session", session="s2"), scene.scope(space="shared", group="g"), scene.scope(space="shared"),
        scene.scope("ann%"),
        scene.scope(tenant=scene.tenant + "2"),
    ]  # fmt: skip
    for number, scope in enumerate(scopes):
        same(
            (await store.states.put(scene.state("k", {"n": number}, scope=scope), 0, STATE_BYTES)).version,
            1,
            f"the first write into {scope}",
        )
    for number, scope in enumerate(scopes):
        state = scene.state("k", {"m": number}, scope=scope)
        same(values(await store.states.set(state, 1, STATE_BYTES)), {"n": number, "m": number}, f"the second write into {scope}")
        same(len(await store.states.history(owner(scope), state_id(state), 9)), 2, f"the history in {scope}")
    bot = scene.who(agent="bot", session="s2", clearance=2)
    for who, wanted in ((scene.who("bob"), [1, 7]), (bot, [0, 2, 3, 5, 7])):
        shown = [values(state)["n"] for state in await store.states.list(scene.where(who), 99)]
        same(sorted(shown, key=str), wanted, f"what {who} sees")


async def delete_for_real(store: Store) -> None:
    """Delete removes one state or all of an owner's, with the history, and tells how many."""
    scene = Scene(store)
    for key, scope in (
        ("a", scene.scope()),
        ("a", scene.scope(agent="bot")),
        ("b", scene.scope()),
        ("a%", scene.scope()),
        ("a", scene.scope("bob")),
    ):
        await store.states.set(scene.state(key, {"n": 1}, scope=scope), None, STATE_BYTES)
        await store.states.set(scene.state(key, {"n": 2}, scope=scope), None, STATE_BYTES)
    home, one, bobs = scene.owner(), state_id(scene.state("a")), state_id(scene.state("a", scope=scene.scope("bob")))
    for strange in ("%", "a", "state-%", one[:-1], bobs):
        same(await store.states.delete(home, strange), 0, f"by {strange!r}, which is no state of ann's")
    same(await store.states.delete(home, one), 1, "one state")
    same([state.key for state in await listed(scene, status=EVERY_STATUS)], ["a%", "b"], "what is left for all of ann's agents")
    same(await store.states.history(home, one, 9), [], "the history of what was deleted")
    same(await store.states.delete(home, one), 0, "what was deleted")
    same((await store.states.put(scene.state("a", {"n": 3}), 0, STATE_BYTES)).version, 1, "a state begun anew")
    same(await store.states.delete(home), 4, "all of an owner's")
    same(await store.states.list(scene.where(scene.who(agent="bot"), status=EVERY_STATUS), 9), [], "what is left of all")
    same(len(await store.states.list(scene.where(scene.who("bob")), 9)), 1, "another owner's")
    same(await store.states.delete(home), 0, "nothing to delete")


async def diary_of_states(store: Store) -> None:
    """A write or deletion and its lines of the diary are one: kept together, refused together."""
    scene = Scene(store)
    home = scene.owner()
    lines = [AuditLine(at=minutes(number), operation=f"state-{number}", owner=home) for number in range(5)]
    await store.states.put(scene.state("k", {"a": 1}), None, STATE_BYTES, lines[:2])
    await store.states.set(scene.state("k", {"b": 1}), 1, STATE_BYTES, audit=lines[2:3])
    for write in (store.states.put, store.states.set):
        await refused(write(scene.state("k", {"a": 2}), 1, STATE_BYTES, lines[4:]), Conflict, "a stale version")
        await refused(write(scene.state("k", {"c": "x" * 100}), None, 50, lines[4:]), Invalid, "a state over the limit")
    await store.states.delete(home, state_id(scene.state("k")), lines[3:4])
    same([line for _, line in await store.audit(home, 0, 10)], lines[:4], "the diary")


async def ill_formed(store: Store) -> None:
    """A state without a key is Invalid; ill-formed text is kept or Invalid, never another error."""
    scene = Scene(store)
    await refused(store.states.put(scene.state("", {"a": 1}), None, STATE_BYTES), Invalid, "a state without a key")
    for bad in ("a\0b", "a\ud800b"):
        for state in (scene.state(bad, {"a": 1}), scene.state(f"v{bad!r}", {"a": bad}), scene.state(f"n{bad!r}", {bad: 1})):
            for write in (store.states.put, store.states.set):
                try:
                    await write(state, None, STATE_BYTES)
                except Invalid:
                    continue
                found = only(await listed(scene, keys=(state.key,)), "what is found")
                same(values(found), values(state), f"a state with {bad!r}")


CHECKS: tuple[Check, ...] = (
    put_and_list, put_replaces, set_keeps_others, expect_guards, no_lost_update, limit_is_kept, history_newest_first, list_pages, filters,
    hidden_states, apart, delete_for_real, diary_of_states, ill_formed,
)  # fmt: skip
