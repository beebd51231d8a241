"""Nobody reads what is not his, through the public client; the same ids of two users are two records."""

from __future__ import annotations

import pytest

from beebread import Client, Conflict, Forbidden, NotFound
from beebread.clock import ManualClock

SECRET = {"zh": "保险柜密码是 4471-9920", "en": "the safe's code is 4471-9920"}


def everything(client: Client) -> list[str]:
    """Ids that any way of reading gives for questions that would find the secret."""
    found = [item.id for text in ("保险柜密码", "safe code", "4471-9920", "") for item in client.query(text, history=True, chain=True)]
    found += [item.id for item in client.query("4471-9920", order="time")]
    found += [record.id for kind in ("event", "memory") for record in client.list(types=[kind]).items]
    found += [session.id for session in client.sessions().items]
    found += [event.id for event in client.trace("s1").events]
    found += [state.key for state in client.state_list().items]
    found += [citation.id for citation in client.context("保险柜密码 safe code 4471-9920", budget=2000).citations]
    return found


@pytest.mark.requirement("I1", "I3", "I4")
@pytest.mark.parametrize("other", ["eve", "*", "al", "alice2", "ALICE", "alice%", "_lice", "alice ", ""])
def test_another_user_finds_nothing_by_any_way(memory: Client, other: str) -> None:
    alice = memory.bind(user="alice", session="s1")
    secret = alice.record("user_message", SECRET["zh"], id="note")
    kept = alice.write(SECRET["en"], kind="fact", key="safe.code", id="safe")
    alice.state_set("safe_1", fields={"code": "4471-9920"})
    assert {secret, kept} <= set(everything(alice))
    stranger = memory.bind(user=other, session="s1") if other else memory
    assert everything(stranger) == []
    for name in ("note", "safe", "unknown"):
        assert stranger.get(name) is None
        assert stranger.history(name) == ()
        with pytest.raises(NotFound, match="there is no record"):
            stranger.forget(name)
        with pytest.raises(NotFound, match="there is no record"):
            stranger.update(name, text="mine now")
    assert stranger.state_get("safe_1") is None
    assert stranger.trace(id="note").events == ()
    assert alice.get("note") is not None and alice.get("safe") is not None


@pytest.mark.requirement("I1", "W3")
def test_the_same_ids_of_two_users_are_two_records(memory: Client) -> None:
    for user, text in (("alice", "爱丽丝住在成都"), ("bob", "bob lives in Leeds")):
        me = memory.bind(user=user, session="same")
        me.record("user_message", text, id="m1")
        me.write(text, id="home", key="home.city")
        me.state_set("trip_1", fields={"note": text})
    for user, text in (("alice", "爱丽丝住在成都"), ("bob", "bob lives in Leeds")):
        me = memory.bind(user=user, session="same")
        event, state = me.get("m1"), me.state_get("trip_1")
        assert event is not None and state is not None
        assert getattr(event, "text") == text and state.fields["note"].value == text
        assert [item.text for item in me.query("成都 Leeds", types=["memory"])] == [text]
        assert len(me.trace("same").events) == 1


@pytest.mark.requirement("I1", "I3")
def test_binding_narrows_and_never_widens(memory: Client) -> None:
    alice = memory.bind(user="alice")
    alice.write("alice's own", id="a")
    memory.bind(user="bob").write("bob's own", id="b")
    widened = alice.bind(user="bob")
    assert widened.get("b") is None and widened.get("a") is None
    with pytest.raises(Forbidden):
        widened.write("in bob's name")
    for again in (widened.bind(session="s9"), widened.bind(agent="helper"), widened.bind(user="alice"), widened.bind()):
        assert again.get("a") is None and again.get("b") is None
        with pytest.raises(Forbidden):
            again.write("in bob's name, a step later")
    assert alice.bind(tenant="other").get("a") is None
    assert alice.bind(session="s9").get("a") is not None


@pytest.mark.requirement("I1")
def test_sensitivity_needs_clearance(memory: Client) -> None:
    low, high = memory.bind(user="u"), memory.bind(user="u", clearance=3)
    low.write("体检结果异常", id="health", sensitivity=3)
    assert low.get("health") is None and not len(low.query("体检结果"))
    assert high.get("health") is not None and [item.id for item in high.query("体检结果")] == ["health"]
    assert high.bind(clearance=0).get("health") is None


@pytest.mark.requirement("I1", "I2")
def test_private_agent_task_mates_and_the_user_himself(memory: Client) -> None:
    coder = memory.bind(user="u", agent="coder", task="t1", private=True)
    coder.write("the coder's draft plan", id="draft")
    coder.write("代码审查笔记", id="note2")
    assert memory.bind(user="u", agent="writer").get("draft") is None
    assert memory.bind(user="u", agent="writer", task="t1").get("draft") is not None
    assert memory.bind(user="u").get("draft") is not None
    assert memory.bind(user="v", task="t1").get("draft") is None


@pytest.mark.requirement("I1")
def test_a_closed_session_shows_only_to_itself(memory: Client) -> None:
    inside = memory.bind(user="u", session="closed")
    inside.record("user_message", "off the record: 我在考虑离职", id="secret", space="session")
    inside.flush()
    assert inside.get("secret") is not None
    outside = memory.bind(user="u", session="open")
    assert outside.get("secret") is None and not len(outside.query("离职"))
    assert [session.scope.session for session in outside.sessions().items] == []


@pytest.mark.requirement("I2")
def test_shared_and_system_spaces(memory: Client) -> None:
    marketing = memory.bind(user="a", groups=["marketing"])
    marketing.write("Q3 social media grew 12 %", id="q3", space="shared", group="marketing")
    assert memory.bind(user="b", groups=["marketing"]).get("q3") is not None
    assert memory.bind(user="c", groups=["sales"]).get("q3") is None
    assert memory.bind(user="c").get("q3") is None
    with pytest.raises(Forbidden):
        memory.bind(user="c").write("not mine to say", space="shared", group="marketing")
    with pytest.raises(Forbidden):
        memory.bind(user="c", agent="x").write("nor this", space="system")
    memory.write("报销规则：每餐上限 80 元", id="rule", space="system")
    assert memory.bind(user="c").get("rule") is not None
    with pytest.raises(Forbidden):
        memory.bind(user="c", agent="x").forget("rule")


@pytest.mark.requirement("I1", "I3")
def test_kinds_of_an_asker(memory: Client, clock: ManualClock) -> None:
    me = memory.bind(user="u", session="s")
    me.write("prefers Feishu", kind="preference", id="p")
    me.write("city is Chengdu", kind="fact", id="f")
    narrow = me.bind(kinds=["preference"])
    assert narrow.get("p") is not None and narrow.get("f") is None
    assert {item.id for item in narrow.query("prefers city Chengdu Feishu")} == {"p"}
    assert narrow.bind(kinds=["fact"]).get("f") is None


@pytest.mark.requirement("L3")
def test_the_same_id_with_other_text_is_a_conflict(memory: Client) -> None:
    me = memory.bind(user="u")
    me.write("one", id="m")
    me.write("one", id="m")
    with pytest.raises(Conflict, match="m"):
        me.write("two", id="m")
    assert getattr(me.get("m"), "text") == "one"


@pytest.mark.requirement("I1", "I2")
def test_a_conflict_tells_nothing_of_what_is_hidden(memory: Client) -> None:
    memory.bind(user="u", agent="a", private=True).write("a's own words", id="m1")
    memory.bind(user="u", clearance=3).write("体检结果", id="m2", sensitivity=3)
    for me, name, shown in (
        (memory.bind(user="u", agent="b"), "m1", None),
        (memory.bind(user="u"), "m1", "a's own words"),
        (memory.bind(user="u"), "m2", None),
        (memory.bind(user="u", clearance=3), "m2", "体检结果"),
    ):
        with pytest.raises(Conflict) as error:
            me.write("other words", id=name)
        assert getattr(error.value.detail, "text", None) == shown, name
