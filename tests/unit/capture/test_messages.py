"""One conversation in the shapes of several APIs gives the same steps."""

from __future__ import annotations

import json
from typing import Any

import pytest

from beebread.capture import Step, steps
from beebread.model import Tool

ARGS = {"city": "北京", "days": 3}
CALL = Step(kind="tool_call", tool=Tool("weather", "c1", ARGS))
RESULT = "多云转晴，5°C"

SHAPES: dict[str, list[dict[str, Any]]] = {
    "openai": [
        {"role": "system", "content": "你是助手"},
        {"role": "user", "content": "北京天气?", "name": "Betty"},
        {
            "role": "assistant",
            "content": None,
            "reasoning_content": "要查天气",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": json.dumps(ARGS)}}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": RESULT},
        {"role": "assistant", "content": "多穿点"},
    ],
    "anthropic": [
        {"role": "system", "content": "你是助手"},
        {"role": "user", "content": [{"type": "text", "text": "北京天气?"}], "name": "Betty"},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "要查天气"}, {"type": "tool_use", "id": "c1", "name": "weather", "input": ARGS}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": RESULT}]}]},
        {"role": "assistant", "content": [{"type": "text", "text": "多穿点"}]},
    ],
    "responses": [
        {"role": "developer", "content": "你是助手"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "北京天气?"}], "name": "Betty"},
        {"type": "reasoning", "id": "", "summary": [{"type": "summary_text", "text": "要查天气"}]},
        {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": json.dumps(ARGS)},
        {"type": "function_call_output", "call_id": "c1", "output": RESULT},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "多穿点"}]},
    ],
    "opentelemetry": [
        {"role": "system", "parts": [{"type": "text", "content": "你是助手"}]},
        {"role": "user", "parts": [{"type": "text", "content": "北京天气?"}], "name": "Betty"},
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "要查天气"},
                {"type": "tool_call", "id": "c1", "name": "weather", "arguments": ARGS},
            ],
        },
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": RESULT}]},
        {"role": "assistant", "parts": [{"type": "text", "content": "多穿点"}]},
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_says_the_same(shape: str) -> None:
    assert [step for message in SHAPES[shape] for step in steps(message)] == [
        Step(kind="system_message", text="你是助手"),
        Step(kind="user_message", text="北京天气?", speaker="Betty"),
        Step(kind="thought", text="要查天气"),
        CALL,
        Step(kind="tool_result", text=RESULT, tool=Tool("", "c1")),
        Step(kind="assistant_message", text="多穿点"),
    ]


def test_files_stay_parts_and_text_beside_them_is_text() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    (step,) = steps({"role": "user", "content": [{"type": "text", "text": "这是什么"}, image]})
    assert (step.text, step.parts) == ("这是什么", ({"type": "text", "content": "这是什么"}, image))
    (step,) = steps({"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "图"}, image]})
    assert (step.text, step.parts[1]) == ("图", image)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"role": "assistant", "content": ""}, []),
        ({"role": "user", "content": None}, []),
        ({"role": "user", "content": "  \n"}, []),
        ({"role": "assistant", "content": [{"type": "thinking", "thinking": ""}]}, []),
        (
            {"role": "assistant", "function_call": {"name": "f", "arguments": "{broken"}},
            [Step(kind="tool_call", tool=Tool("f", "", "{broken"))],
        ),
        ({"role": "function", "name": "f", "content": "x"}, [Step(kind="tool_result", text="x", tool=Tool("f"))]),
        ({"role": "tool", "tool_call_id": "c", "content": {"温度": 5}}, [Step(kind="tool_result", text='{"温度":5}', tool=Tool("", "c"))]),
        ({"role": "tool", "tool_call_id": "c", "content": None}, [Step(kind="tool_result", tool=Tool("", "c"))]),
        (
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "c", "content": "坏了", "is_error": True},
                    {"type": "text", "text": "再试"},
                ],
            },
            [Step(kind="tool_result", text="坏了", tool=Tool("", "c"), status="error"), Step(kind="user_message", text="再试")],
        ),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "不行"}]}, [Step(kind="assistant_message", text="不行")]),
        ({"role": "narrator", "content": "旁白"}, [Step(kind="harness_message", text="旁白")]),
        ({"role": "user", "content": {"type": "text", "text": "单块"}}, [Step(kind="user_message", text="单块")]),
        ({}, []),
    ],
)
def test_odd_messages(message: dict[str, Any], expected: list[Step]) -> None:
    assert steps(message) == expected


def test_text_around_a_call_keeps_its_order() -> None:
    content = [
        {"type": "text", "text": "先查"},
        {"type": "tool_use", "id": "c1", "name": "weather", "input": ARGS},
        {"type": "text", "text": "等等"},
    ]
    assert [step.kind for step in steps({"role": "assistant", "content": content})] == [
        "assistant_message",
        "tool_call",
        "assistant_message",
    ]
