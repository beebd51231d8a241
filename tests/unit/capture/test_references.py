"""Mentions and data flow are found without a model, in Chinese and English, and what is found everywhere is not taken for them."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import pytest

from beebread.capture import Values, refers
from beebread.capture.references import WINDOW
from beebread.model import Cause, Event, Tool
from tests.unit.capture.shelf import HOME, NOON

COUNT = iter(range(10**9))


def event(kind: str, text: str = "", *, id: str = "", args: Any = None, call: str = "", causes: tuple[Cause, ...] = ()) -> Event:
    number = next(COUNT)
    tool = Tool("t", call, args) if kind.startswith("tool") else None
    return Event(
        id=id or f"e{number}", scope=HOME, kind=kind, text=text, tool=tool, at=NOON + timedelta(seconds=number), seq=number, causes=causes
    )


def sources(found: Event) -> list[str]:
    return [cause.id for cause in found.causes if cause.relation == "data_from"]


@pytest.mark.requirement("S1", "C2")
@pytest.mark.parametrize(
    ("result", "args"),
    [
        ('{"order_id": "ORD-20391", "total": 25}', {"id": "ORD-20391"}),
        ('{"orders": [{"id": 73920}, {"id": 73921}]}', {"order": {"ids": [73921]}}),
        ('{"orders": [{"id": 73920}, {"id": 73921}]}', {"id": "73921"}),
        ('{"city": "杭州", "天气": "多云转晴", "temperature": 5}', {"天气": "多云转晴"}),
        ("今天杭州多云转晴，气温 5°C。", {"weather": "多云转晴"}),
        ('{"path": "src/app/main.py"}', {"file": "src/app/main.py"}),
        ("wrote report to /tmp/out/report.csv", {"command": "wc -l /tmp/out/report.csv"}),
        ('{"email": "mia.li@example.com"}', {"to": ["Mia.Li@example.com"]}),
        ('{"price": 1299.5}', {"amount": 1299.50}),
        ("total: 1,299 USD", {"note": "the customer pays 1299 in two parts"}),
        ('{"url": "https://example.com/a/b?c=1"}', {"url": "https://example.com/a/b?c=1"}),
        ('{"summary": "refund approved by Anna"}', {"text": "refund approved by Anna"}),
    ],
)
def test_an_arguments_value_comes_from_the_result_that_had_it(result: str, args: Any) -> None:
    earlier = [
        event("tool_result", "nothing of it", id="other"),
        event("tool_result", result, id="source"),
        event("tool_result", "done", id="later"),
    ]
    assert sources(refers(event("tool_call", args=args), earlier)) == ["source"]


@pytest.mark.parametrize(
    ("result", "args"),
    [
        ('{"ok": true, "count": 3, "status": "success", "x": null}', {"ok": True, "count": 3, "status": "success", "x": None}),
        ('{"n": 12, "year": 2026, "limit": 100}', {"n": 12, "year": 2026, "limit": 100}),
        ('{"flag": "no", "answer": "the"}', {"flag": "no", "word": "the"}),
        ("完成", {"status": "完成"}),
        ('{"id": "ORD-20391"}', {"id": "ORD-2039"}),
        ('{"id": 73921}', {"id": 739210}),
        ("", {}),
        ("ORD-1", None),
    ],
)
def test_trivial_and_other_values_are_no_data_flow(result: str, args: Any) -> None:
    assert sources(refers(event("tool_call", args=args), [event("tool_result", result)])) == []


def test_the_nearest_earlier_result_wins_and_given_edges_stay() -> None:
    earlier = [event("tool_result", '{"id": "ORD-20391"}', id=name) for name in ("far", "near")]
    late = event("tool_result", '{"id": "ORD-20391"}', id="late")
    call = event("tool_call", args={"id": "ORD-20391"}, causes=(Cause("q", "caused_by"),))
    found = refers(call, [*earlier, Event(id="late", scope=HOME, kind="tool_result", text=late.text, at=call.at + timedelta(hours=1))])
    assert found.causes == (Cause("q", "caused_by"), Cause("near", "data_from"))
    assert refers(found, earlier) == found


def test_a_result_that_echoes_its_arguments_is_not_their_source() -> None:
    """The order id came from the search; the look-up that was asked with it only says it again."""
    search = event("tool_result", '{"orders": ["ORD-20391"]}', id="search")
    ask = event("tool_call", args={"id": "ORD-20391"}, call="c1", id="ask")
    echo = event("tool_result", '{"id": "ORD-20391", "sum": 4450}', call="c1", id="echo", causes=(Cause("ask", "requested_by"),))
    by_call_id = event("tool_result", '{"id": "ORD-20391", "sum": 4450}', call="c1", id="echo2")
    for answer in (echo, by_call_id):
        values = Values([search, ask, answer])
        assert sources(values.linked(event("tool_call", args={"id": "ORD-20391"}))) == ["search"]
        assert sources(values.linked(event("tool_call", args={"amount": 4450}))) == [answer.id]


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(
    ("result", "message"),
    [
        ('{"temperature": 22, "unit": "C"}', "今天 22 度，不用穿外套"),
        ("气温 5°C，多云转晴", "因为只有5°C，多穿一点"),
        ('{"revenue": 4450}', "The revenue was 4,450 last quarter."),
        ('{"growth": "15%"}', "增长了 15%，比去年好"),
        ('{"order": "ORD-20391"}', "那个 ord-20391 怎么样了?"),
        ("error in src/app/main.py line 3", "please fix src/app/main.py"),
        ('{"title": "第三季度社交媒体分析报告"}', "把“第三季度社交媒体分析”发给我"),
        ('{"headline": "Quarterly social media review"}', 'send me "social media review" again'),
        ('{"sky": "多云转晴"}', "北京今天多云转晴。"),
        ('{"note": "fragile, handle with care"}', "It says: fragile, handle with care."),
    ],
)
def test_a_message_refers_to_the_result_that_it_quotes_or_names(result: str, message: str) -> None:
    earlier = [
        event("tool_result", "别的结果 nothing", id="other"),
        event("tool_result", result, id="source"),
        event("user_message", "好", id="u"),
    ]
    for kind in ("user_message", "assistant_message", "thought"):
        assert refers(event(kind, message), earlier).refers_to == ("source",)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ('{"n": 22}', "我有 22 个想法"[:4]),
        ('{"n": 22}', "22 of them"),
        ('{"year": 2026}', "in 2026 we shall see"),
        ('{"status": "available"}', "is it available?"),
        ("好的", "好的，谢谢"),
        ("ok", 'she said "ok"'),
        ("完全不同的内容", "今天天气怎么样"),
        ("", ""),
    ],
)
def test_what_is_met_everywhere_is_no_mention(result: str, message: str) -> None:
    assert refers(event("user_message", message), [event("tool_result", result)]).refers_to == ()


def test_a_quotation_of_a_message_refers_to_it_when_no_result_has_it() -> None:
    earlier = [event("assistant_message", "我建议先做用户访谈再写方案", id="plan"), event("user_message", "好", id="u")]
    assert refers(event("user_message", "你说的「先做用户访谈」具体怎么做?"), earlier).refers_to == ("plan",)


def test_several_results_are_named_nearest_first_and_no_more_than_eight() -> None:
    earlier = [event("tool_result", f'{{"id": "ORD-{n}"}}', id=f"r{n}") for n in range(1000, 1012)]
    message = event("user_message", " ".join(f"ORD-{n}" for n in range(1000, 1012)))
    assert refers(message, earlier).refers_to == tuple(f"r{n}" for n in range(1011, 1003, -1))


def test_the_window_forgets() -> None:
    values = Values([event("tool_result", '{"id": "ORD-20391", "say": "多云转晴"}', id="old")])
    assert sources(values.linked(event("tool_call", args={"id": "ORD-20391"}))) == ["old"]
    for number in range(WINDOW):
        values.add(event("tool_result", f'{{"id": "X-{number}0000"}}'))
    assert sources(values.linked(event("tool_call", args={"id": "ORD-20391"}))) == []
    assert values.linked(event("user_message", "多云转晴 ORD-20391")).refers_to == ()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 50_000,
        '{"a":' * 3000,
        '{"broken": ',
        "9" * 300_000,
        "“" * 100_000,
        "a.b/c_" * 50_000,
        '["' + '","'.join(map(str, range(50_000))) + '"]',
    ],
)
def test_awkward_results_cost_little(text: str) -> None:
    values = Values()
    begun = time.perf_counter()
    for kind in ("tool_result", "user_message", "tool_call", "assistant_message"):
        values.linked(event(kind, text, args={"q": text}))
    assert time.perf_counter() - begun < 3


def test_seed_scene_weather_to_clothes() -> None:
    """The chain of the clothes scene: the figure in the answer leads to the result, the argument to the weather."""
    values = Values()
    values.linked(event("user_message", "明天去北京穿什么?"))
    values.linked(event("tool_call", args={"city": "北京"}, call="w", id="weather_call"))
    values.linked(event("tool_result", '{"city": "北京", "temp": "3°C", "sky": "小雨转多云"}', call="w", id="weather"))
    clothes = values.linked(event("tool_call", args={"temp": "3°C", "sky": "小雨转多云"}, call="k", id="clothes_call"))
    assert sources(clothes) == ["weather"]
    values.linked(event("tool_result", "建议：羽绒服、雨伞", call="k", id="clothes"))
    answer = values.linked(event("assistant_message", "北京明天 3°C，小雨转多云，建议穿羽绒服。"))
    assert answer.refers_to[0] == "weather"
