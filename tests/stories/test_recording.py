"""Recording through the public client: once, in order, with causes, without waiting."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from beebread import Client, Event, Unavailable
from beebread.clock import ManualClock

USER = {"role": "user", "content": "成都明天下雨吗？"}
ASKS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "成都"}'}}],
}
TELLS = {"role": "tool", "tool_call_id": "c1", "content": "小雨，18 度"}
ANSWER = {"role": "assistant", "content": "明天成都小雨，18 度。"}


def events(me: Client, session: str = "s") -> list[Event]:
    return [event for event in me.trace(session).events if isinstance(event, Event)]


@pytest.mark.requirement("C2", "C3")
def test_a_home_made_agent_in_one_line_a_call(memory: Client) -> None:
    me = memory.bind(user="u", agent="helper", session="s")
    first = me.record_call([USER], ASKS, model="gpt-5")
    second = me.record_call([USER, ASKS, TELLS], ANSWER, model="gpt-5")
    me.record_call([USER, ASKS, TELLS, ANSWER, {"role": "user", "content": "谢谢"}], {"role": "assistant", "content": "不客气"})
    kept = events(me)
    kinds = [event.kind for event in kept]
    assert kinds.count("user_message") == 2 and kinds.count("model_call") == 3
    assert kinds.count("tool_call") == kinds.count("tool_result") == 1
    by_id = {event.id: event for event in kept}
    result = next(event for event in kept if event.kind == "tool_result")
    assert any(by_id[cause.id].kind == "tool_call" for cause in result.causes)
    assert {by_id[cause.id].text for cause in by_id[second].causes} >= {"小雨，18 度"}
    assert [event.parent for event in kept if event.kind == "tool_call"] == [first]
    chain = me.query("小雨 18 度", kinds=["assistant_message"], chain=True)
    assert "成都明天下雨吗？" in [event.text for event in chain.items[0].chain if isinstance(event, Event)]


@pytest.mark.requirement("C7")
def test_what_is_seen_twice_is_kept_once_and_what_is_said_twice_twice(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    assert me.record("user_message", "继续", id="a") == me.record("user_message", "继续", id="a") == "a"
    first = me.record("tool_result", "42", causes=["a"])
    assert me.record("tool_result", "42", causes=["a"]) == first
    me.record("user_message", "继续", id="b")
    moment = "2026-11-30T08:00:00+08:00"
    assert me.record("user_message", "同一时刻", at=moment) == me.record("user_message", "同一时刻", at=moment)
    me.flush()
    assert sorted(event.text for event in events(me)) == sorted(["继续", "继续", "42", "同一时刻"])
    kept = me.get(me.record("user_message", "同一时刻", at=moment))
    assert isinstance(kept, Event) and kept.at.isoformat() == moment


@pytest.mark.requirement("P4", "C7")
def test_remembered_text_that_comes_back_is_not_learnt_again(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    me.write("对花生过敏", kind="fact", id="allergy")
    for turn in range(5):
        pack = me.context(f"第 {turn} 次：花生酱可以吃吗？", budget=1500)
        me.record_call(pack.messages, {"role": "assistant", "content": f"不可以 {turn}"})
    me.flush()
    spoken = [event for event in events(me) if event.kind == "user_message"]
    assert [event.text for event in spoken] == [f"第 {turn} 次：花生酱可以吃吗？" for turn in range(5)]
    found = me.query("花生 过敏", types=["event"], kinds=["user_message", "assistant_message", "tool_result"])
    assert not [item for item in found if "对花生过敏" in item.text]


@pytest.mark.requirement("C1")
def test_a_session_is_a_record_with_its_counts(memory: Client) -> None:
    me = memory.bind(user="u", agent="a", session="s")
    me.record("user_message", "帮我订酒店")
    usage = {"in": 120, "out": 30}
    me.record("model_call", model={"name": "m1", "usage": usage, "cost": 0.25}, status="error", error="timeout")
    me.record("model_call", model={"name": "m1", "usage": usage, "cost": 0.25})
    session = me.sessions().items[0]
    assert (session.events, session.errors, session.tokens_in, session.tokens_out, session.cost) == (3, 1, 240, 60, 0.5)
    assert (session.title, session.model, session.actor.id) == ("帮我订酒店", "m1", "a")
    assert me.sessions(after="2027-01-01T00:00:00Z").items == ()


@pytest.mark.requirement("S1")
def test_edges_are_filled_without_a_model(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    me.record("tool_call", id="c1", tool={"name": "find_order", "args": {"user": "lin"}})
    me.record("tool_result", '{"order": "ORD-77812", "total": 840}', id="r1", causes=["c1"], tool={"name": "find_order"})
    me.record("tool_call", id="c2", causes=["x"], tool={"name": "refund", "args": {"order_id": "ORD-77812"}})
    me.record("user_message", "那个 ORD-77812 的订单退了吗？", id="u1")
    me.flush()
    kept = {event.id: event for event in events(me)}
    assert ("r1", "data_from") in [(cause.id, cause.relation) for cause in kept["c2"].causes]
    assert "r1" in kept["u1"].refers_to or "c2" in kept["u1"].refers_to
    assert any(link.family == "DATA_FROM" for link in me.trace("s").links)


@pytest.mark.requirement("C4", "C6", "S7")
def test_a_store_that_is_away_costs_nothing_and_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    memory = Client(folder, busy_ms=100)
    me = memory.bind(user="u", session="s")
    me.record("user_message", "before")
    me.flush()
    with sqlite3.connect(folder / "beebread.db", isolation_level=None) as blocker:
        blocker.execute("BEGIN IMMEDIATE")
        for number in range(50):
            me.record("user_message", f"while away {number}", id=f"away{number}")
        with pytest.raises(Unavailable):
            me.flush(2)
        blocker.execute("ROLLBACK")
    blocker.close()
    memory.close()
    with Client(folder) as again:
        kept = again.bind(user="u", session="s")
        kept.flush()
        assert len(events(kept)) == 51


@pytest.mark.requirement("P2", "P4")
def test_a_pack_gives_nothing_twice_and_keeps_its_prefix(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    me.write("部署用 8043 端口", kind="fact", id="port")
    me.write("每次回答用三点", kind="instruction", id="style")
    first = me.context("部署用哪个端口？", budget=2000)
    assert "8043" in str(first.messages) and "三点" in str(first.messages)
    me.record("user_message", "部署用哪个端口？")
    me.record("assistant_message", "8043。")
    second = me.context("那部署到哪个端口来着？", budget=2000)
    text = str(second.messages)
    assert text.count("部署用 8043 端口") == 1
    me.record("user_message", "那部署到哪个端口来着？")
    me.record("assistant_message", "还是 8043。")
    third = me.context("好，谢谢。还有别的吗？", budget=2000)
    before = len(second.messages) - 2  # all but the memory block and the request
    assert before > 0 and third.messages[:before] == second.messages[:before]
    me.forget("port")
    assert "部署用 8043 端口" not in str(me.context("端口？", budget=2000).messages)


@pytest.mark.requirement("C4", "C6")
def test_a_program_that_just_ends_loses_nothing_and_does_end(tmp_path: Path) -> None:
    script = f"""
from beebread import Client
me = Client({str(tmp_path)!r}).bind(user="u", session="s")
me.record("user_message", "最后一句")
me.query("x")
me.record("user_message", "the very last")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    with Client(tmp_path) as again:
        kept = again.bind(user="u", session="s")
        kept.flush()
        assert [event.text for event in events(kept)] == ["最后一句", "the very last"]


@pytest.mark.requirement("C1")
def test_a_session_of_several_tasks_is_listed_once_and_whole(memory: Client, clock: ManualClock) -> None:
    for session in ("s1", "s2", "s3"):
        for task in ("t1", "t2"):
            clock.advance(60)
            memory.bind(user="u", session=session, task=task).record("user_message", f"{session} 做 {task}")
    listed: list[tuple[str, int]] = []
    cursor = ""
    while True:
        page = memory.bind(user="u").sessions(limit=1, cursor=cursor)
        listed += [(session.scope.session, session.events) for session in page.items]
        if not (cursor := page.cursor):
            break
    assert listed == [("s3", 2), ("s2", 2), ("s1", 2)]


@pytest.mark.requirement("S4")
@pytest.mark.parametrize("apart", [True, False])
def test_a_correction_is_a_new_event_that_supersedes_the_old(memory: Client, clock: ManualClock, apart: bool) -> None:
    me = memory.bind(user="u", session="s")
    old = me.record("user_message", "会议在周三下午")
    if apart:
        me.flush()
    clock.advance(60)
    new = me.record("user_message", "会议在周四下午", causes=[(old, "supersedes")])
    assert [item.id for item in me.query("会议在什么时候")] == [new]
    assert {item.id: item.status for item in me.query("会议在什么时候", history=True)} == {new: "active", old: "superseded"}
    me.record("user_message", "会议在周三下午", id=old)
    me.flush()
    assert [item.id for item in me.query("会议在什么时候")] == [new], "a second sighting of the old does not bring it back"
    eve = memory.bind(user="eve", session="s")
    eve.record("user_message", "会议取消", causes=[(new, "supersedes")])
    assert [item.id for item in me.query("会议在什么时候")] == [new], "nobody corrects what is not his"
