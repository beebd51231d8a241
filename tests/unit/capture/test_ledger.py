"""Each model call re-sends the conversation; each step of it is recorded once all the same."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beebread.capture import Call, MessageLedger, New, steps
from beebread.text.fence import fence
from tests.unit.capture.conftest import Recording
from tests.unit.capture.shelf import HOME

Message = dict[str, Any]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def assistant(text: str = "", *calls: tuple[str, str, dict[str, Any]]) -> Message:
    tool_calls = [{"id": name, "type": "function", "function": {"name": tool, "arguments": json.dumps(args)}} for name, tool, args in calls]
    return {"role": "assistant", "content": text or None, **({"tool_calls": tool_calls} if calls else {})}


def result(call: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call, "content": text}


def said(new: tuple[New, ...]) -> list[tuple[str, str]]:
    return [(item.kind, item.text or (item.step.tool.name if item.step.tool else "")) for item in new]


def read(call: Call, relation: str = "input_of") -> list[str]:
    return [cause.id for cause in call.causes if cause.relation == relation]


SYSTEM = {"role": "system", "content": "你是助手"}


def test_only_what_is_new_is_told_and_the_call_says_what_it_read() -> None:
    ledger, history = MessageLedger("s"), [SYSTEM, user("北京和上海天气?")]
    first = ledger.call(history, "m1")
    assert said(first.new) == [("system_message", "你是助手"), ("user_message", "北京和上海天气?")]
    assert read(first) == [item.id for item in first.new]
    history.append(assistant("", ("c1", "weather", {"city": "北京"}), ("c2", "weather", {"city": "上海"})))
    out = ledger.output(history[-1], "m1")
    assert said(out) == [("tool_call", "weather"), ("tool_call", "weather")]
    assert {item.parent for item in out} == {"m1"}
    history += [result("c2", "18 度"), result("c1", "5 度")]
    second = ledger.call(history, "m2")
    assert said(second.new) == [("tool_result", "18 度"), ("tool_result", "5 度")]
    assert [item.causes[0].id for item in second.new] == [out[1].id, out[0].id]
    assert {item.causes[0].relation for item in second.new} == {"requested_by"}
    assert read(second) == [item.id for item in second.new]
    history.append(assistant("北京 5 度，上海 18 度"))
    assert said(ledger.output(history[-1], "m2")) == [("assistant_message", "北京 5 度，上海 18 度")]
    assert ledger.output(history[-1], "m2") == ()
    third = ledger.call([*history, user("谢谢")], "m3")
    assert said(third.new) == [("user_message", "谢谢")]
    assert ledger.event_of_call("c1") == out[0].id
    assert ledger.event_of_call("c9") == ""


def test_the_same_words_said_twice_are_two_messages() -> None:
    ledger = MessageLedger("s")
    history: list[Message] = []
    ids: list[str] = []
    for turn, answer in enumerate(["开始了", "好", "好", "做完了"]):
        history.append(user("好"))
        new = ledger.call(history, f"m{turn}").new
        assert said(new) == [("user_message", "好")]
        history.append(assistant(answer))
        ids += [item.id for item in (*new, *ledger.output(history[-1], f"m{turn}"))]
    assert len(set(ids)) == 8


@pytest.mark.parametrize("kept", [1, 2, 3])
def test_a_trimmed_history_brings_nothing_old_back(kept: int) -> None:
    ledger = MessageLedger("s")
    history: list[Message] = [SYSTEM]
    for turn in range(6):
        history.append(user(f"问题 {turn}" if turn % 2 else "继续"))
        sent = [SYSTEM, {"role": "system", "content": "之前的摘要"}, *history[1:][-kept:]] if turn > 3 else history
        new = ledger.call(sent, f"m{turn}").new
        expected = [("user_message", history[-1]["content"])]
        if turn == 0:
            expected.insert(0, ("system_message", "你是助手"))
        if turn == 4:
            expected.insert(0, ("system_message", "之前的摘要"))
        if kept == 1 and turn == 4:
            # '继续' alone, and nothing of what was before it: nobody could tell it from an old one.
            expected.pop()
        assert said(new) == expected
        history.append(assistant(f"回答 {turn}"))
        ledger.output(history[-1], f"m{turn}")


def test_a_retry_brings_nothing_and_is_linked_to_the_call_that_failed() -> None:
    ledger, history = MessageLedger("s"), [user("你好")]
    ledger.call(history, "m1")
    history.append(assistant("你好!"))
    ledger.output(history[-1], "m1")
    history.append(user("再说一次"))
    failed = ledger.call(history, "m2")
    retry = ledger.call(history, "m3")
    assert retry.new == ()
    assert read(retry) == read(failed) == [failed.new[0].id]
    assert read(retry, "retry_of") == ["m2"]
    again = ledger.call(history, "m4")
    assert (again.new, read(again, "retry_of"), read(again)) == ((), ["m3"], read(failed))
    more = ledger.call([*history, user("快")], "m5")
    assert said(more.new) == [("user_message", "快")]
    assert read(more) == [*read(failed), more.new[0].id]
    assert read(more, "retry_of") == []


def test_an_aborted_stream_is_partial_and_goes_on_from_there() -> None:
    ledger, history = MessageLedger("s"), [user("写一首诗")]
    ledger.call(history, "m1")
    (part,) = ledger.output(assistant("床前明月"), "m1", status="partial")
    assert (part.status, part.details().get("status")) == ("partial", "partial")
    nxt = ledger.call([*history, assistant("床前明月"), user("继续")], "m2")
    assert said(nxt.new) == [("user_message", "继续")]
    assert read(nxt, "retry_of") == []


def test_after_a_handoff_nothing_is_told_again() -> None:
    ledger = MessageLedger("s")
    history = [SYSTEM, user("帮我订票")]
    ledger.call(history, "m1", conversation="triage")
    history.append(assistant("", ("c1", "search", {"q": "票"}), ("c2", "handoff", {"to": "订票"})))
    ledger.output(history[-1], "m1", conversation="triage")
    history += [result("c1", "三个航班"), result("c2", "已转接")]
    taken = ledger.call([{"role": "system", "content": "你是订票员"}, *history[1:]], "m2", conversation="booking")
    assert said(taken.new) == [("system_message", "你是订票员"), ("tool_result", "三个航班"), ("tool_result", "已转接")]
    third = ledger.call([{"role": "system", "content": "你是退票员"}, *history[1:]], "m3", conversation="refund")
    assert said(third.new) == [("system_message", "你是退票员")]
    fourth = ledger.call([{"role": "system", "content": "你是退票员"}, *history[1:]], "m4", conversation="audit")
    assert fourth.new == ()
    assert read(fourth) == [item.id for item in taken.new[1:]]


def test_a_sub_agents_prompt_is_an_agents_and_not_a_humans() -> None:
    (prompt,) = MessageLedger("s").call([user("查一下天气")], "m1", conversation="sub", delegated=True).new
    assert (prompt.kind, prompt.origin) == ("user_message", "agent")


def test_tool_ids_used_again_are_new_results_of_the_new_call() -> None:
    ledger, history = MessageLedger("s"), list[Message]()
    ids: list[tuple[str, str]] = []
    for turn in range(3):
        history.append(user(f"第 {turn} 次"))
        ledger.call(history, f"a{turn}")
        history.append(assistant("", ("call_1", "f", {"n": turn % 2})))
        (call,) = ledger.output(history[-1], f"a{turn}")
        history.append(result("call_1", "一样的结果"))
        sent = history if turn < 2 else history[-2:]
        (answer,) = ledger.call(sent, f"b{turn}").new
        assert answer.causes[0].id == call.id
        history.append(assistant("好"))
        ledger.output(history[-1], f"b{turn}")
        ids.append((call.id, answer.id))
    assert len({name for pair in ids for name in pair}) == 6


def test_results_that_a_hook_recorded_are_not_told_again() -> None:
    ledger = MessageLedger("s")
    history = [user("x"), assistant("", ("c1", "f", {}))]
    ledger.call(history[:1], "m1")
    ledger.output(history[1], "m1")
    ledger.result_seen("c1", "hooked")
    nxt = ledger.call([*history, result("c1", "结果")], "m2")
    assert nxt.new == ()
    assert read(nxt) == ["hooked"]


def test_answers_that_nobody_told_are_told_when_they_come_back() -> None:
    ledger = MessageLedger("s")
    ledger.call([user("一")], "m1")
    nxt = ledger.call([user("一"), assistant("二"), user("三")], "m2")
    assert said(nxt.new) == [("assistant_message", "二"), ("user_message", "三")]
    assert read(nxt) == [nxt.new[1].id]


def test_messages_with_ids_of_their_own_are_told_once() -> None:
    ledger = MessageLedger("s")
    one = {"role": "user", "content": "一", "id": "n1"}
    assert len(ledger.call([one, one], "m1").new) == 1
    assert ledger.call([{**one, "content": "一（改写）"}], "m2").new == ()


def test_injected_memory_comes_back_as_memory_in_every_role() -> None:
    """ADK puts it before the user's words, others into system text or a developer message; nobody ever said it."""
    block = fence("用户住在杭州", "memory")
    for role in ("user", "system", "developer"):
        ledger = MessageLedger("s")
        history = [{"role": role, "content": f"{block}\n\n我该穿什么?"}]
        new = ledger.call(history, "m1").new
        kind = "user_message" if role == "user" else "system_message"
        assert said(new) == [("memory_injected", ""), (kind, "我该穿什么?")]
        assert new[0].origin == "memory"
        history += [assistant("毛衣"), {"role": role, "content": block}, user("谢谢")]
        ledger.output(history[1], "m1")
        assert said(ledger.call(history, "m2").new) == [("user_message", "谢谢")]


def test_a_thousand_turns_of_recalled_text_add_nothing() -> None:
    ledger, block = MessageLedger("s"), fence("预算五百", "memory")
    remembered = 0
    history: list[Message] = []
    for turn in range(1000):
        history = [*history[-6:], user(f"{block}\n问题 {turn}")]
        new = ledger.call(history, f"m{turn}").new
        remembered += sum(item.kind == "memory_injected" for item in new)
        assert [item.text for item in new if item.kind == "user_message"] == [f"问题 {turn}"]
        history.append(assistant(f"回答 {turn}"))
        ledger.output(history[-1], f"m{turn}")
    assert remembered == 1


def test_a_program_that_starts_again_gives_the_same_ids() -> None:
    history = [user("好"), assistant("", ("c", "f", {"a": 1})), result("c", "x"), assistant("好"), user("好")]
    first, second = MessageLedger("s"), MessageLedger("s")
    one = [item.id for item in first.call(history[:1], "m1").new]
    one += [item.id for item in first.output(history[1], "m1")]
    one += [item.id for item in first.call(history[:3], "m2").new]
    one += [item.id for item in first.output(history[3], "m2")]
    one += [item.id for item in first.call(history, "m3").new]
    assert [item.id for item in second.call(history, "m9").new] == one
    assert [item.id for item in MessageLedger("other").call(history, "m9").new] != one


@given(
    st.lists(st.sampled_from(["好", "继续", "ok", "不"]), min_size=1, max_size=12),
    st.lists(st.sampled_from(["好", "在做", "done"]), min_size=12, max_size=12),
)
def test_any_conversation_in_full_is_told_exactly_once(questions: list[str], answers: list[str]) -> None:
    ledger, history, told = MessageLedger("s"), list[Message](), list[str]()
    for turn, question in enumerate(questions):
        history.append(user(question))
        new = ledger.call(history, f"m{turn}").new
        assert said(new) == [("user_message", question)]
        assert ledger.call(history, f"r{turn}").new == ()
        history.append(assistant(answers[turn]))
        out = ledger.output(history[-1], f"r{turn}")
        told += [item.id for item in (*new, *out)]
    assert len(set(told)) == 2 * len(questions)


def test_real_runs_re_sent_call_by_call_are_recorded_once(data_dir: Path, recording: Recording) -> None:
    """tau-bench runs, as a model client sees them: the history grows with each call, and the log has each step once, in order."""
    with lzma.open(data_dir / "runs" / "tau_gpt4o_airline.json.xz") as file:
        runs = [run["traj"] for run in json.load(file)]
    for number, run in enumerate(runs):
        ledger, told = MessageLedger(f"run{number}"), list[New]()
        answers = [index for index, message in enumerate(run) if message["role"] == "assistant"]
        for index in answers:
            told += ledger.call(run[:index], f"call{index}").new
            told += ledger.output(run[index], f"call{index}")
        expected = [step for message in run[: answers[-1] + 1] for step in steps(message)]
        assert [item.step for item in told] == expected
        if number < 3:
            recorder = recording()
            for item in told:
                recorder.record(item.kind, item.text, scope=HOME, **item.details())
            recorder.flush()
            assert (recorder.counters()["sent"], recorder.counters()["rejected"]) == (len(expected), 0)
