"""Which layers of the past a turn calls for: what was said, what tools did, or what lies behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from beebread.context.request import Layer, Request
from beebread.model import Event, Memory, Record
from beebread.text.cues import cues

Turn = Literal["small talk", "tools", "background", "plain"]

_WEIGHTS: dict[Turn, dict[Layer, float]] = {
    "small talk": {"dialogue": 1.0},
    "tools": {"tools": 1.0, "dialogue": 0.6, "background": 0.3},
    "background": {"dialogue": 1.0, "background": 0.9, "tools": 0.6},
    "plain": {"dialogue": 1.0, "tools": 0.6, "background": 0.3},
}
_MOST: dict[Turn, int] = {"small talk": 3}
_LAYER_OF: dict[str, Layer] = {
    "user_message": "dialogue", "assistant_message": "dialogue", "tool_call": "tools", "tool_result": "tools", "error": "tools",
    "preference": "dialogue", "instruction": "dialogue", "fact": "dialogue", "decision": "dialogue", "commitment": "dialogue",
    "profile": "dialogue", "procedure": "tools",
}  # fmt: skip


class Layers(Struct, frozen=True, kw_only=True):
    """What kind of turn it is, how much each layer counts in it (absent: not at all), and how many recalled records it gets."""

    turn: Turn
    weights: dict[Layer, float]
    most: int = 1_000


def layer_of(record: Record) -> Layer:
    """The layer that a record belongs to; whatever is neither said nor done by a tool is background."""
    known = _LAYER_OF.get(record.kind)
    return known or ("dialogue" if isinstance(record, Memory) and record.key else "background")


def _failed(tail: Sequence[Event]) -> bool:
    """Whether the last thing that happened went wrong: then even 'go on' is about tools."""
    last = next((event for event in reversed(tail) if layer_of(event) != "background"), None)
    return last is not None and last.status == "error" and layer_of(last) == "tools"


def layers(request: Request) -> Layers:
    """The layers that the turn calls for, by its words and by how the last step ended; `request.weights` stand in for the weights."""
    said = cues(request.text)
    if _failed(request.tail) or ("phatic" not in said and "tools" in said):
        turn: Turn = "tools"
    elif "phatic" in said:
        turn = "small talk"
    else:
        turn = "background" if "chain" in said else "plain"
    return Layers(turn=turn, weights=request.weights or _WEIGHTS[turn], most=_MOST.get(turn, 1_000))
