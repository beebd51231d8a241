"""A pack as a whole: the user's words, the budget, the order of what gives way, and what is reported."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

import msgspec
import pytest

from beebread.context import Request, pack
from beebread.errors import Invalid
from beebread.model import Field, State
from beebread.ports import TokenCount
from beebread.text.fence import find_fences
from beebread.text.tokens import estimate_tokens
from tests.unit.context.scenes import NOW, call, contents, event, fact, memory, packed, reasons, recalled, result
from tests.unit.context.validate import last_words, valid

TAIL = (
    event("user_message", "帮我查飞书的限流", 1),
    call(2),
    result(3, "每分钟 100 次", "call_2"),
    event("assistant_message", "飞书限流是每分钟 100 次。", 4),
)


@pytest.mark.requirement("P1")
@pytest.mark.parametrize("shape", ["openai", "anthropic", "gemini"])
@pytest.mark.parametrize("text", ["怎么通知我？", "How do you notify me?"])
def test_a_pack_is_the_session_then_memory_then_the_users_words(shape: str, text: str) -> None:
    """P1: valid messages in each shape; the tool call stands with its result, the request last and verbatim."""
    made = packed(text, shape=shape, tail=TAIL, items=(fact("m1", "用户喜欢飞书通知"),), system="You help.")
    valid(shape, list(made.messages))
    assert last_words(shape, list(made.messages)) == text
    shown = msgspec.json.encode(made.messages).decode()
    assert "每分钟 100 次" in shown
    assert "用户喜欢飞书通知" in shown
    assert shown.index("帮我查飞书的限流") < shown.index("用户喜欢飞书通知")
    assert made.system == ("" if shape == "openai" else "You help.")
    assert made.tokens <= made.budget
    assert made.shape == shape


def test_an_empty_past_is_said_to_be_empty_and_small_talk_is_left_alone() -> None:
    """N12: where nothing is remembered the model is told so; a greeting costs nothing."""
    assert contents(packed("你好")) == ["你好"]
    told, asked = contents(packed("我的订单号是多少？"))
    assert "没有与此有关的记忆" in told
    assert find_fences(told)[0].intact
    assert asked == "我的订单号是多少？"
    assert "nothing about this is known" in contents(packed("What is my order number?"))[0]


@pytest.mark.requirement("P2")
def test_a_budget_that_does_not_hold_the_callers_own_words_is_refused_with_the_least_that_does() -> None:
    """P2: nothing is cut from what the caller says himself, and no pack is over its budget."""
    text = "word " * 500
    with pytest.raises(Invalid, match=r"budget of 50 tokens does not hold the request: give at least \d+") as caught:
        packed(text, 50, tail=TAIL)
    assert isinstance(caught.value.detail, int)
    made = packed(text, caught.value.detail, tail=TAIL, instructions=(memory("i1", "Be brief.", "instruction"),))
    assert contents(made) == [text]
    assert made.tokens == made.budget
    with pytest.raises(Invalid, match="system text"):
        packed("hi", 50, system=text)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"budget": -1}, "not negative"),
        ({"budget": True}, "whole number"),
        ({"budget": 10.5}, "whole number"),
        ({"shape": "cohere"}, "openai, anthropic, gemini"),
        ({"weights": {"mood": 1.0}}, "dialogue, tools, background"),
        ({"text": " \n\0"}, "no request text"),
        ({"now": datetime(2026, 11, 30)}, "offset"),  # noqa: DTZ001 - a naive time is what is refused
    ],
)
def test_nonsense_is_refused_and_the_message_says_what_to_do(change: dict[str, Any], says: str) -> None:
    with pytest.raises(Invalid, match=says):
        pack(msgspec.structs.replace(Request(text="hi", budget=100, now=NOW), **change))


def test_what_no_api_takes_is_taken_out_of_the_callers_words() -> None:
    """Bad input: NUL and lone surrogates go, the rest stays as it is, right-to-left text too."""
    made = packed("a\0b \ud800 שלום 好")
    assert contents(made)[-1] == "ab \ufffd שלום 好"
    long = "a 字 " * 250_000
    assert contents(packed(long, 10_000_000))[-1] == long


@pytest.mark.requirement("P2")
def test_records_give_way_before_states_and_states_before_standing_instructions() -> None:
    """P2, E15: as the budget shrinks, instructions are the last thing of memory to go; each is whole or not there."""
    rule = memory("i1", "Never push to main without a review.\n以后一律用中文回复。", "instruction")
    state = State(key="deploy_7", scope=rule.scope, step="review", fields={"branch": Field("fix/倒计时", "confirmed", "e9")}, version=3)
    full = packed("继续", 3000, instructions=(rule,), states=(state,), items=(fact("m1", "CI runs on two machines"),), tail=TAIL)
    assert [citation.kind for citation in full.citations] == ["instruction", "state", "fact"]
    assert full.citations[1].sources == ("e9",)
    for budget in range(full.tokens, 20, -1):
        made = packed("继续", budget, instructions=(rule,), states=(state,), items=(fact("m1", "CI runs on two machines"),), tail=TAIL)
        told = "\n".join(contents(made))
        rule_alone = packed("继续", budget, instructions=(rule,))
        assert (rule.text in told) == bool(rule_alone.citations)
        without_records = packed("继续", budget, instructions=(rule,), states=(state,))
        assert ("fix/倒计时" in told) == ("fix/倒计时" in "".join(contents(without_records)))
        assert {citation.id for citation in made.citations} | set(reasons(made)) >= {"i1", "deploy_7", "m1"}


@pytest.mark.requirement("P2")
def test_what_the_session_has_or_got_before_is_not_given_twice() -> None:
    """P2: an event still in the messages, a memory of it, a repeat of the same words, and what was given before are left out."""
    items = (
        recalled(TAIL[0]),
        fact("m1", "飞书限流是每分钟 100 次", "tool_result-3"),
        fact("m2", "用户在杭州"),
        fact("m3", "用户在杭州"),
        fact("m4", "用户喜欢飞书"),
        fact("m5", "怎么通知我"),
    )
    made = packed("怎么通知我", tail=TAIL, items=items, given={"m4": items[4]})
    assert [citation.id for citation in made.citations] == ["m2"]
    dropped = reasons(made)
    assert {name: dropped[name] for name in ("user_message-1", "m1", "m3", "m5")} == dict.fromkeys(
        ("user_message-1", "m1", "m3", "m5"), "duplicate"
    )
    assert dropped["m4"] == "given"
    again = packed("怎么通知我", tail=TAIL, items=items, given={"m4": items[4]}, again=True)
    assert [citation.id for citation in again.citations] == ["m2", "m4"]


def test_the_request_just_recorded_is_not_said_twice() -> None:
    """The host records the user's message and then asks for context: the message is the request."""
    made = packed("继续", tail=(*TAIL, event("user_message", " 继续\n", 5)))
    assert contents(made).count("继续") == 1
    assert reasons(made)["user_message-5"] == "duplicate"
    answered = (*TAIL, event("user_message", "继续", 5), event("assistant_message", "好的，已继续。", 6))
    assert contents(packed("继续", tail=answered)).count("继续") == 2


@pytest.mark.requirement("P2")
@pytest.mark.parametrize("shape", ["openai", "anthropic", "gemini"])
def test_arguments_of_tool_calls_count(shape: str) -> None:
    """R29: 500 words of arguments are not free, and a turn that they make too long does not go in whole."""
    words = "word " * 500
    tail = (event("user_message", "写文件", 1), call(2, "write", {"content": words}), result(3, "ok", "call_2", "write"))
    made = packed("然后呢", 10_000, shape=shape, tail=tail)
    assert words.strip() in msgspec.json.encode(made.messages).decode()
    assert made.tokens >= estimate_tokens(words)
    small = packed("然后呢", 400, shape=shape, tail=tail)
    assert small.tokens <= 400
    assert reasons(small)["tool_call-2"] in {"cut", "budget"}
    valid(shape, list(small.messages))


COUNTERS: dict[str, TokenCount] = {
    "nothing": lambda text: 0,
    "much": lambda text: len(text) * 10,
    "more than the parts": lambda text: math.ceil(len(text) ** 1.5),
    "less than the parts": lambda text: len(text) // 9,
}


@pytest.mark.parametrize("counter", COUNTERS)
def test_any_token_counter_is_obeyed(counter: str) -> None:
    """A caller's own counter need not add up over parts: the whole is measured in the end."""
    items = tuple(fact(f"m{number}", f"fact number {number} about the build") for number in range(20))
    made = packed("what about the build?", 6000, items=items, tail=TAIL, count=COUNTERS[counter])
    assert made.tokens <= 6000
    valid("openai", list(made.messages))


def test_the_report_says_how_it_came_about() -> None:
    """R10: the kind of turn, the weights and what is in are reported, and every drop has a handle to read it by."""
    made = packed("why did the build fail?", 300, tail=TAIL, items=tuple(fact(f"m{n}", f"fact {n} " + "word " * 30) for n in range(20)))
    assert made.report.plan["turn"] == "tools"
    assert made.report.plan["weights"]["tools"] == 1.0
    assert all(drop.handle and drop.reason for drop in made.dropped)
    assert {citation.id for citation in made.citations} | set(reasons(made)) >= {f"m{n}" for n in range(20)}


@pytest.mark.requirement("P2")
def test_a_counter_that_sees_more_in_the_whole_takes_back_the_least_needed_first() -> None:
    """P2: where parts that fit do not fit together, records go first, then states, turns, and last the standing instructions."""
    rule = memory("i1", "以后一律用中文回复。", "instruction")
    state = State(key="deploy_7", scope=rule.scope, fields={"branch": Field("main")})
    asked = Request(
        text="继续", budget=0, now=NOW, instructions=(rule,), states=(state,), items=(fact("m1", "CI has two machines"),), tail=TAIL,
        count=lambda text: len(text) * (3 if "CI has two machines\n" in text or "main" in text or "中文回复。\n" in text else 1),
    )  # fmt: skip
    seen: list[frozenset[str]] = []
    for budget in range(1500, 10, -7):
        try:
            made = pack(msgspec.structs.replace(asked, budget=budget))
        except Invalid:
            break
        assert made.tokens <= budget
        valid("openai", list(made.messages))
        seen.append(frozenset(citation.kind for citation in made.citations))
    assert seen[0] == {"instruction", "state", "fact"}
    assert {"instruction", "state"} in seen or {"instruction"} in seen
    assert not seen[-1]
