"""Which layers a turn gets, and in what order records of different layers stand."""

from __future__ import annotations

import pytest

from beebread.context import Request
from beebread.context.layers import layer_of, layers
from beebread.model import Failure
from tests.unit.context.scenes import NOW, call, contents, event, fact, memory, packed, reasons, recalled, result


@pytest.mark.requirement("P2")
@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("你好", "small talk"),
        ("Thanks a lot!", "small talk"),
        ("上次的命令报错是什么", "tools"),
        ("rerun the failing tests", "tools"),
        ("当初为什么选了方案 B", "background"),
        ("why did we pick plan B", "background"),
        ("我喜欢什么颜色", "plain"),
        ("where do I live", "plain"),
    ],
)
def test_the_words_of_a_turn_say_what_it_is_about(text: str, turn: str) -> None:
    """P2: layers depend on the turn, in Chinese and English."""
    assert layers(Request(text=text, budget=100, now=NOW)).turn == turn


@pytest.mark.requirement("P2")
def test_after_a_failed_call_even_go_on_is_about_tools() -> None:
    """P2: what is nearest in the graph counts too: the last step failed."""
    failed = result(2, "", "call_1", status="error", error=Failure("Timeout", "timed out"))
    tail = (event("user_message", "爬取首页", 0), call(1), failed)
    assert layers(Request(text="好的", budget=100, now=NOW, tail=tail)).turn == "tools"
    assert layers(Request(text="好的", budget=100, now=NOW, tail=tail[:2])).turn == "small talk"


def test_records_know_their_layer() -> None:
    assert layer_of(memory("m", "x", "preference")) == "dialogue"
    assert layer_of(memory("m", "x", "procedure")) == "tools"
    assert layer_of(memory("m", "x", "episode")) == "background"
    assert layer_of(memory("m", "x", "own_kind", key="a.b")) == "dialogue"
    assert layer_of(memory("m", "x", "own_kind")) == "background"
    assert layer_of(call(1)) == "tools"
    assert layer_of(event("thought", "hm")) == "background"


ITEMS = (
    fact("said", "用户住在杭州"),
    recalled(event("tool_result", "GET /a -> 500", 2, id="did")),
    recalled(event("thought", "也许是缓存", 3, id="thought")),
)


@pytest.mark.requirement("P2")
def test_the_order_of_records_follows_the_turn() -> None:
    """P2: the same recall, other turns: tools first where tools are asked about, nothing but words in small talk."""
    assert [citation.id for citation in packed("接口返回了什么", items=ITEMS).citations] == ["did", "said", "thought"]
    assert [citation.id for citation in packed("我住哪", items=ITEMS).citations] == ["said", "did", "thought"]
    assert [citation.id for citation in packed("怎么会这样", items=ITEMS).citations][:1] == ["said"]
    small = packed("谢谢", items=ITEMS)
    assert [citation.id for citation in small.citations] == ["said"]
    assert reasons(small) == {"did": "layer", "thought": "layer"}
    assert [citation.id for citation in packed("谢谢", items=ITEMS, weights={"background": 1.0}).citations] == ["thought"]


def test_small_talk_gets_at_most_three_records() -> None:
    made = packed("hi", items=tuple(fact(f"m{number}", f"fact {number}") for number in range(9)))
    assert len(made.citations) == 3


@pytest.mark.requirement("P2")
def test_what_led_to_a_record_comes_after_it_while_there_is_room() -> None:
    """P2: nearest in the graph: a hit's causal chain follows the hits that are near."""
    chain = (event("user_message", "把缓存关掉", 1, id="cause"),)
    made = packed("where is the cache", items=(fact("m1", "the cache is off", chain=chain), fact("m2", "the cache is in redis")))
    assert [citation.id for citation in made.citations] == ["m1", "m2", "cause"]


@pytest.mark.requirement("P2")
def test_thoughts_of_the_session_are_shown_only_to_a_turn_about_what_lies_behind() -> None:
    """P2: thoughts are no part of the dialogue; asked why, the model gets them as data."""
    tail = (
        event("user_message", "选一个方案", 1),
        event("thought", "B 更便宜，A 要两周", 2),
        event("assistant_message", "选 B。", 3),
    )
    asked = packed("为什么选了它", tail=tail)
    assert [citation.id for citation in asked.citations] == ["thought-2"]
    assert "B 更便宜" in contents(asked)[-2]
    other = packed("下一个问题", tail=tail)
    assert "B 更便宜" not in "".join(contents(other))
    assert reasons(other)["thought-2"] == "layer"


@pytest.mark.requirement("P2")
def test_masked_results_come_back_to_a_turn_about_tools() -> None:
    """P2, F14: an old result is masked in the dialogue; asked about results, the model gets it in the block if it fits."""
    tail: list[object] = []
    for number in range(6):
        tail += [event("user_message", f"查第 {number} 页", 10 * number), call(10 * number + 1)]
        tail += [result(10 * number + 2, f"page {number}: " + "row " * 90, f"call_{10 * number + 1}")]
        tail += [event("assistant_message", f"第 {number} 页查好了", 10 * number + 3)]
    plain = packed("我住哪", 900, tail=tuple(tail))
    masked = [name for name, reason in reasons(plain).items() if reason == "masked"]
    assert masked
    assert not plain.citations
    tools = packed("工具返回的结果里有什么", 1100, tail=tuple(tail))
    assert {citation.id for citation in tools.citations} & {name for name, reason in reasons(tools).items() if reason in {"masked", "cut"}}
