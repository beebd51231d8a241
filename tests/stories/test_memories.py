"""Memories through the public client: written, found, superseded, changed, forgotten, purged for real."""

from __future__ import annotations

from pathlib import Path

import pytest

from beebread import Client, Conflict, Event, Forbidden, Invalid, Memory, NotFound
from beebread.clock import ManualClock
from tests.unit.backends.kept import bodies_with, remains

SENTINELS = ("紫晶蜂鸟密码七号", "zanzibar-quokka-protocol")


def as_memory(record: object) -> Memory:
    assert isinstance(record, Memory)
    return record


@pytest.mark.requirement("R1", "R4")
def test_a_memory_is_found_by_words_key_tag_and_entity(memory: Client) -> None:
    me = memory.bind(user="u")
    mid = me.write("以后用飞书通知我", kind="preference", key="notification.channel", value="feishu", tags=["通知"], entities=["飞书"])
    me.write("the flat is on the third floor", kind="fact")
    assert [item.id for item in me.query("怎么通知我？")] == [mid]
    assert [item.id for item in me.query("", keys=["notification.channel"])] == [mid]
    assert [item.id for item in me.query("飞书", tags=["通知"])] == [mid]
    assert [item.id for item in me.query("飞书", entities=["飞书"])] == [mid]
    assert not len(me.query("飞书", tags=["其他"]))
    assert [item.id for item in me.query("飞书", kinds=["user_preference"])] in ([], [mid])


@pytest.mark.requirement("L3")
def test_the_newer_of_one_slot_closes_the_older(memory: Client, clock: ManualClock) -> None:
    me = memory.bind(user="u")
    old = me.write("lives in Oslo", key="home.city")
    clock.advance(3600)
    new = me.write("lives in Rome", key="home.city")
    assert [item.id for item in me.query("lives in which city")] == [new]
    found = {item.id: item.status for item in me.query("lives in which city", history=True)}
    assert found == {new: "active", old: "superseded"}
    assert as_memory(me.get(old)).superseded_by == new
    assert [item.id for item in me.query("lives in", as_of="2026-11-30T09:30:00+00:00")] == [old]
    assert [memory.id for memory in me.history(new)] == [new, old]


@pytest.mark.requirement("L3")
def test_late_evidence_of_an_earlier_time_hides_nothing_newer(memory: Client) -> None:
    me = memory.bind(user="u")
    new = me.write("住在罗马", key="home.city", valid_from="2026-05-01T00:00:00+00:00")
    old = me.write("住在奥斯陆", key="home.city", valid_from="2025-01-01T00:00:00+00:00")
    assert [item.id for item in me.query("住在哪里")] == [new]
    assert [item.id for item in me.query("住在哪里", as_of="2025-06-01T00:00:00+00:00")] == [old]


@pytest.mark.requirement("G5")
def test_a_changed_memory_keeps_its_earlier_version(memory: Client) -> None:
    me = memory.bind(user="u")
    mid = me.write("budget is 4000 euros", tags=["trip"])
    changed = me.update(mid, text="budget is 5000 euros", version=1)
    assert changed.version == 2 and changed.tags == ("trip",)
    assert [item.text for item in me.query("budget euros")] == ["budget is 5000 euros"]
    assert [memory.text for memory in me.history(mid)] == ["budget is 5000 euros", "budget is 4000 euros"]
    with pytest.raises(Conflict, match="version 2"):
        me.update(mid, text="budget is 1 euro", version=1)
    with pytest.raises(Invalid, match="unknown change"):
        me.update(mid, colour="red")


def test_an_event_in_the_way_of_an_earlier_version_is_named(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    me.write("一", id="m")
    me.record("user_message", "in the way", id="m@1")
    me.flush()
    with pytest.raises(Conflict, match="names another record"):
        me.update("m", text="二")
    assert as_memory(me.get("m")).text == "一"


@pytest.mark.requirement("S4", "L4")
@pytest.mark.parametrize("text", SENTINELS)
def test_what_is_forgotten_is_in_no_answer_and_after_the_purge_in_no_byte(tmp_path: Path, clock: ManualClock, text: str) -> None:
    with Client(tmp_path / "m", clock=clock) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", f"记住 {text}", id="said")
        me.flush()
        mid = me.write(f"the code is {text}", sources=["said"], key="code", entities=[text], quote=text)
        big = me.record("tool_result", f"{text} " * 20_000, id="big")
        me.flush()
        bodies = bodies_with(tmp_path / "m", text)
        assert bodies
        me.update(mid, text=f"the code is still {text}")
        gone = {*me.forget("said", reason="asked to"), *me.forget(big)}
        assert {"said", "big", mid, f"{mid}@1"} == gone
        for ask in (text, "code", "记住"):
            assert not [item for item in me.query(ask, history=True, chain=True) if text in item.text]
            assert text not in str(me.context(f"about {ask[:4]}", budget=2000).messages)
        assert not me.list(types=["event", "memory"], history=True).items
        assert me.get("said") is None and me.get(mid) is None and me.history(mid) == ()
        assert [event for event in me.trace("s").events if event.id in gone] == []
        assert me.sessions().items[0].title == ""
        with pytest.raises(NotFound):
            me.forget("said")
        with pytest.raises(Forbidden):
            me.bind(agent="a").purge()
        assert memory.purge() == 4
        assert memory.purge() == 0
        me.record("user_message", f"记住 {text}", id="said", at="2026-11-30T08:00:00+00:00")
        me.flush()
        assert me.get("said") is None, "a replay of what was erased must not bring it back"
    assert not remains(tmp_path / "m", text, bodies)


@pytest.mark.requirement("L4")
def test_a_memory_with_other_evidence_outlives_one_source(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    for name in ("e1", "e2"):
        me.record("user_message", f"喝茶不喝咖啡 {name}", id=name)
    me.flush()
    mid = me.write("prefers tea", sources=["e1", "e2"], quote="喝茶不喝咖啡 e1")
    assert me.forget("e1") == ("e1",)
    left = as_memory(me.get(mid))
    assert left.evidence.sources == ("e2",) and left.evidence.quote == ""
    assert set(me.forget("e2")) == {"e2", mid}


@pytest.mark.requirement("S4", "L4")
@pytest.mark.parametrize("way", ["call", "message"])
def test_what_a_recorded_pack_told_goes_with_the_memory(tmp_path: Path, clock: ManualClock, way: str) -> None:
    with Client(tmp_path / "m", clock=clock) as memory:
        me = memory.bind(user="u", session="s")
        mid = me.write(f"the vault code is {SENTINELS[1]}", key="vault")
        pack = me.context("what is the vault code?", budget=2000)
        assert SENTINELS[1] in str(pack.messages)
        if way == "call":
            me.record_call(pack.messages, {"role": "assistant", "content": "I have told you."})
        else:
            me.record("user_message", "\n".join(str(message["content"]) for message in pack.messages))
        me.flush()
        assert len(me.list(types=["event"], kinds=["memory_injected"]).items) == 2
        bodies = bodies_with(tmp_path / "m", SENTINELS[1])
        assert bodies
        me.forget(mid)
        memory.purge()
        assert not len(me.query(SENTINELS[1], kinds=["memory_injected"], history=True))
    assert not remains(tmp_path / "m", SENTINELS[1], bodies)


@pytest.mark.requirement("L3")
def test_the_same_write_again_changes_nothing(memory: Client, clock: ManualClock) -> None:
    me = memory.bind(user="u")
    for text, name in (("住在奥斯陆", "a"), ("住在罗马", "b"), ("住在奥斯陆", "a")):
        assert me.write(text, key="home.city", id=name) == name
        clock.advance(10)
    assert [record.id for record in me.list(keys=["home.city"]).items] == ["b"]
    with pytest.raises(Conflict):
        me.write("lives in Bergen", key="home.city", id="a")
    me.forget("b")
    me.write("住在罗马", key="home.city", id="b")
    assert me.get("b") is None, "what was forgotten does not come back because it is said again under its id"
    with pytest.raises(Invalid, match="earlier version"):
        me.write("x", id="a@1")


@pytest.mark.requirement("L3", "S1")
def test_a_slot_above_the_writers_clearance_has_one_holder_too(memory: Client) -> None:
    me, cleared = memory.bind(user="u"), memory.bind(user="u", clearance=2)
    for text in ("salary is 100", "salary is 200"):
        last = me.write(text, key="salary", sensitivity=2)
    assert [item.id for item in cleared.query("salary")] == [last]


@pytest.mark.requirement("L4", "S1")
def test_forgetting_reaches_what_the_asker_may_not_see_and_does_not_name_it(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    me.record("user_message", "我的取件码是 8841", id="said")
    me.flush()
    private, cleared = memory.bind(user="u", agent="a", private=True, session="s"), memory.bind(user="u", clearance=3)
    alone = private.write("取件码 8841", sources=["said"])
    secret = cleared.write("the code is 8841", sources=["said"], sensitivity=2)
    group = memory.bind(user="u", groups=["g"]).write("8841", sources=["said"], space="shared", group="g")
    assert memory.bind(user="u", agent="b").forget("said") == ("said",)
    assert private.get(alone) is None and cleared.get(secret) is None
    assert memory.bind(user="u", groups=["g"]).get(group) is not None, "the same id of another owner is another record"


@pytest.mark.requirement("S4")
def test_a_body_that_two_events_share_goes_with_the_last(memory: Client, tmp_path: Path) -> None:
    me = memory.bind(user="u", session="s")
    body = "同一份很长的网页 the same long page " * 4000
    for name in ("first", "second"):
        me.record("tool_result", body, id=name)
    me.flush()
    me.forget("first")
    assert memory.purge() == 1
    kept = me.get("second")
    assert isinstance(kept, Event) and kept.text == body
    me.forget("second")
    assert memory.purge() == 1
    assert not [file for file in ((tmp_path / "memory") / "blobs").rglob("*") if file.is_file()]


@pytest.mark.requirement("S4")
def test_the_worker_purges_when_the_contract_says(tmp_path: Path, clock: ManualClock) -> None:
    with Client(tmp_path, clock=clock, purge_days=7) as memory:
        memory.bind(user="u").write("gone soon", id="m")
        memory.bind(user="u").forget("m")
    clock.advance(6 * 86400)
    with Client(tmp_path, clock=clock, purge_days=7) as memory:
        assert memory.purge() == 1


@pytest.mark.requirement("L2")
def test_an_expired_memory_is_hidden_and_kept_as_history(memory: Client, clock: ManualClock) -> None:
    me = memory.bind(user="u")
    mid = me.write("the promo code is SPRING", expires_at="2026-12-01T00:00:00+00:00")
    assert [item.id for item in me.query("promo code")] == [mid]
    clock.advance(3 * 86400)
    assert not len(me.query("promo code"))
    assert [item.status for item in me.query("promo code", history=True)] == ["expired"]


@pytest.mark.requirement("R10")
def test_an_empty_answer_is_explained(memory: Client) -> None:
    me = memory.bind(user="u")
    mid = me.write("会议改到周三下午", tags=["meeting"])
    nothing = me.query("火星上的天气")
    assert not len(nothing) and nothing.report.empty
    found = me.explain("会议改到什么时候", expect=mid)
    assert found.found and found.rank == 1 and found.matched
    shut = me.explain("会议改到什么时候", expect=mid, tags=["other"])
    assert not shut.found and "tags" in shut.verdict
    foreign = memory.bind(user="eve").explain("会议改到什么时候", expect=mid)
    unknown = memory.bind(user="eve").explain("会议改到什么时候", expect="no-such")
    assert foreign.verdict == unknown.verdict and not foreign.found


def test_lists_are_paged_without_gaps(memory: Client, clock: ManualClock) -> None:
    me = memory.bind(user="u")
    ids: list[str] = []
    for number in range(25):
        clock.advance(1 if number % 3 else 0)
        ids.append(me.write(f"memory number {number}"))
    got: list[str] = []
    cursor = ""
    while True:
        page = me.list(limit=7, cursor=cursor)
        got += [record.id for record in page.items]
        cursor = page.cursor
        if not cursor:
            break
    assert sorted(got) == sorted(ids) and len(got) == len(set(got))
    with pytest.raises(Invalid, match="cursor"):
        me.list(cursor="nonsense")
