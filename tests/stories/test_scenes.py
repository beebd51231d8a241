"""The scenes of the mission that stand today, end to end through the public client."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from beebread import Client, Event
from beebread.clock import ManualClock
from beebread.faces.cli import demo

RUN = Path(demo.__file__).with_name("demo_run.jsonl")


@pytest.mark.requirement("scene-1")
@pytest.mark.parametrize(
    ("ask", "needed"),
    [
        ("继续爬虫任务", ("crawler/prices.py", "429", "断点续爬")),
        ("继续爬虫任务：代码写在哪个文件，价格的选择器是什么", ("crawler/prices.py", "span.price")),
        ("continue the crawler: which page was rate limited (429) and where is prices.csv", ("data/prices.csv", "429")),
    ],
)
def test_a_long_task_is_continued_weeks_later(memory: Client, clock: ManualClock, ask: str, needed: tuple[str, ...]) -> None:
    """Code, structure of the site and blockers come back in the pack of a new session."""
    memory.bind(user="lin").import_(RUN)
    clock.advance(timedelta(days=14).total_seconds())
    pack = memory.bind(user="lin", session="later").context(ask, budget=3000)
    text = "\n".join(str(message["content"]) for message in pack.messages)
    assert pack.tokens <= 3000
    assert not [part for part in needed if part not in text], text


@pytest.mark.requirement("scene-3", "S1")
def test_the_step_that_broke_is_seen_with_what_led_to_it(memory: Client) -> None:
    me = memory.bind(user="lin")
    me.import_(RUN)
    events = [event for event in me.trace("deploy").events if isinstance(event, Event)]
    broken = [event for event in events if event.status == "error"]
    assert [event.id for event in broken] == ["deploy-03"]
    assert "8043" in broken[0].text
    around = {event.id for event in me.trace(id=broken[0].id).events}
    assert {"deploy-01", "deploy-02", "deploy-03"} <= around


@pytest.mark.requirement("scene-7", "T2")
def test_a_confirmed_order_number_is_not_asked_for_again(tmp_path: Path) -> None:
    """Device A confirms it; device B, another process's client of the same folder, is given it unasked."""
    with Client(tmp_path) as phone:
        me = phone.bind(user="lin", session="phone", agent="shop")
        me.record("user_message", "订单号是 ORD-20261021-0088,帮我改地址")
        me.state_set("order_ORD-20261021-0088", fields={"order": "ORD-20261021-0088", "address": None}, step="等新地址")
    with Client(tmp_path) as laptop:
        me = laptop.bind(user="lin", session="laptop", agent="support")
        pack = me.context("我的订单地址改好了吗?", budget=1500)
        text = "\n".join(str(message["content"]) for message in pack.messages)
        assert "ORD-20261021-0088" in text
        assert "confirmed" in text
        state = me.state_get("order_ORD-20261021-0088")
        assert state is not None
        assert (state.fields["order"].status, state.fields["address"].status, state.step) == ("confirmed", "missing", "等新地址")


@pytest.mark.requirement("scene-8", "R11")
def test_a_tool_already_called_is_not_called_again(memory: Client) -> None:
    me = memory.bind(user="lin", session="s1")
    args = {"city": "成都", "date": "2026-12-01"}
    call = me.record("tool_call", tool={"name": "weather", "args": args, "call_id": "c1"}, at=datetime(2026, 11, 29, 8, 0, tzinfo=UTC))
    result = me.record(
        "tool_result",
        "小雨,9 到 13 度",
        tool={"name": "weather", "call_id": "c1"},
        causes=[call],
        at=datetime(2026, 11, 29, 8, 1, tzinfo=UTC),
    )
    found = memory.bind(user="lin", session="s2").query(tool="weather", args={"date": "2026-12-01", "city": "成都"})
    assert [item.id for item in found] == [result]
    assert not list(memory.bind(user="lin", session="s2").query(tool="weather", args={"city": "上海", "date": "2026-12-01"}))


@pytest.mark.requirement("T1")
def test_one_memory_from_writing_to_expiry(memory: Client, clock: ManualClock) -> None:
    me = memory.bind(user="lin")
    until = clock.now() + timedelta(hours=1)
    mid = me.write("the guest code is 7731", kind="fact", expires_at=until)
    assert [item.id for item in me.query("guest code")] == [mid]
    me.update(mid, text="the guest code is 9950", version=1)
    assert [item.text for item in me.query("guest code")] == ["the guest code is 9950"]
    clock.advance(3601)
    assert not list(me.query("guest code"))
    kept = me.write("the guest room is on floor 3")
    me.forget(kept)
    assert me.get(kept) is None
    assert not list(me.query("guest room"))


@pytest.mark.requirement("T4", "I4")
@pytest.mark.parametrize("forged", ["ann", "unknown", "../ann", "ann\x00", "%", "' OR 1=1 --"])
def test_a_forged_id_reads_as_an_unknown_one(memory: Client, forged: str) -> None:
    """For the id of a record as for the id of a user."""
    ann = memory.bind(user="ann_real", session="s")
    ann.write("ann keeps her key under the blue pot", id="ann")
    ann.state_set("ann", fields={"key": "blue pot"})
    eve = memory.bind(user="eve", session="s")
    assert eve.get(forged) is None
    assert eve.state_get(forged) is None
    assert eve.history(forged) == ()
    assert eve.trace(id=forged).events == ()
    assert not list(eve.query("blue pot", linked_to=[forged]))
