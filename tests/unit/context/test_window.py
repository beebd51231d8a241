"""What of the session stays, and that the beginning of the messages stays the same from turn to turn."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from beebread.model import Event, Pack, digest
from beebread.text.fence import find_fences
from tests.unit.context.scenes import call, contents, event, fact, memory, packed, reasons, result
from tests.unit.context.validate import valid

SHAPES = ("openai", "anthropic", "gemini")


def turn(number: int, words: int = 12, rows: int = 20) -> list[Event]:
    """One turn of a bilingual session: a question, a tool call with its result, an answer."""
    at = number * 10
    return [
        event("user_message", f"问题 {number}: " + "how is the crawl? " * (words // 4), at),
        call(at + 1),
        result(at + 2, f"page {number} " + "row " * rows, f"call_{at + 1}"),
        event("assistant_message", f"第 {number} 页抓好了。", at + 3),
    ]


def cheap(text: str) -> int:
    """What stays does not depend on how tokens are counted; this counts fast."""
    return len(text) // 3 + 1


def before_memory(made: Pack) -> list[dict[str, Any]]:
    """The messages before the one that holds the memory block."""
    for place, message in enumerate(made.messages):
        if find_fences(msgspec.json.encode(message).decode()):
            return list(made.messages[:place])
    return list(made.messages[:-1])


def kept_prefix(shape: str, budget: int, turns: int, rows: int) -> tuple[int, int]:
    """How many packs of a run begin with all that the one before began with; and how many turns the last one holds."""
    tail: list[Event] = []
    kept = 0
    earlier: list[dict[str, Any]] = []
    made = packed("问题", budget)
    for number in range(turns):
        items = tuple(fact(f"m{number}-{at}", f"memory {at} written in turn {number}, 第 {number} 轮") for at in range(number % 7))
        made = packed(
            f"问题 {number}", budget, shape=shape, tail=tuple(tail), items=items, system="You are a crawler.",
            instructions=(memory("i1", "用中文回答", "instruction"),), count=cheap,
        )  # fmt: skip
        valid(shape, list(made.messages))
        prefix = before_memory(made)
        assert made.prefix_hash == digest(["You are a crawler.", prefix])
        kept += prefix[: len(earlier)] == earlier
        earlier = prefix
        steps = turn(number, rows=rows)
        tail += steps if number % 3 == 0 else [steps[0], steps[-1]]
    return kept, sum(message["role"] == "user" for message in made.messages)


@pytest.mark.requirement("P1")
@pytest.mark.parametrize("shape", SHAPES)
def test_the_prefix_stays_over_200_turns(shape: str) -> None:
    """N10: while memories are written and recalled in every turn, at least 99 % of turns begin with the bytes of the turn before."""
    kept, _ = kept_prefix(shape, 20_000, 200, 8)
    assert kept >= 198


def test_a_session_far_beyond_the_budget_moves_its_beginning_seldom() -> None:
    """N10: turns go in large steps: 200 turns through a window of some 40 break the prefix a few times, not 160 times."""
    kept, held = kept_prefix("openai", 4_000, 200, 20)
    assert kept >= 185
    assert held >= 10


@pytest.mark.requirement("P2")
def test_old_results_are_masked_before_turns_go() -> None:
    """P2, F14: the newest results stay whole, older ones become a handle, no turn is gone."""
    tail = [step for number in range(6) for step in turn(number, rows=90)]
    made = packed("然后呢", 1500, tail=tuple(tail), weights={"dialogue": 1.0})
    dropped = reasons(made)
    assert dropped["tool_result-2"] == "masked"
    assert "tool_result-52" not in dropped
    assert "budget" not in dropped.values()
    masked = next(text for text in contents(made) if "tool_result-2," in text)
    assert masked.startswith("[tool result kept as tool_result-2, ")
    assert masked.endswith(" tokens; ask memory for it]")
    valid("openai", list(made.messages))


def test_a_mask_speaks_the_language_of_what_it_masks() -> None:
    tail = [step for number in range(6) for step in turn(number)]
    chinese = [msgspec.structs.replace(step, text="第一页的结果 " * 40) if step.kind == "tool_result" else step for step in tail]
    made = packed("next?", 3000, tail=tuple(chinese), count=len)
    assert any("[工具结果存为 tool_result-2，" in text for text in contents(made))


@pytest.mark.requirement("P2")
@pytest.mark.parametrize("shape", SHAPES)
def test_a_single_long_turn_keeps_its_question_and_its_newest_steps(shape: str) -> None:
    """P2: an agent that works for a hundred calls on one request still sees the request and what it did last."""
    tail = [event("user_message", "把整个站点抓下来", 0)]
    for number in range(1, 100):
        tail += [call(number * 2, args={"page": number}), result(number * 2 + 1, f"page {number} " + "row " * 40, f"call_{number * 2}")]
    made = packed("继续", 2000, shape=shape, tail=tuple(tail))
    shown = msgspec.json.encode(made.messages).decode()
    valid(shape, list(made.messages))
    assert "把整个站点抓下来" in shown
    assert "page 99 row" in shown
    assert "page 1 row" not in shown
    assert reasons(made)["tool_call-2"] == "budget"


@pytest.mark.parametrize("shape", SHAPES)
def test_one_huge_message_or_result_is_cut_with_a_handle(shape: str) -> None:
    """R29: what is longer than the window by itself is cut, not given whole and not lost."""
    tail = (
        event("user_message", "看看日志 " + "line " * 20_000, 1),
        call(2, args={"q": "x" * 50_000}),
        result(3, "row " * 20_000, "call_2"),
        event("assistant_message", "看完了", 4),
    )
    made = packed("说说看", 2000, shape=shape, tail=tail)
    shown = msgspec.json.encode(made.messages).decode()
    valid(shape, list(made.messages))
    assert made.tokens <= 2000
    assert "看看日志 line" in shown
    assert "全文存为 user_message-1" in shown
    assert "arguments kept as tool_call-2" in shown
    assert {name for name, reason in reasons(made).items() if reason in {"cut", "masked"}} == {
        "user_message-1",
        "tool_call-2",
        "tool_result-3",
    }


@pytest.mark.parametrize("shape", SHAPES)
def test_a_session_that_begins_in_the_middle_is_still_valid(shape: str) -> None:
    tail = (call(1), result(2, "half", "call_1"), event("assistant_message", "先说到这里", 3))
    made = packed("继续", shape=shape, tail=tail)
    valid(shape, list(made.messages))
    assert "先说到这里" in msgspec.json.encode(made.messages).decode()
