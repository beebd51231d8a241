"""What a pack is made from: the caller's words, the session's recent events, and what was recalled for this turn."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from msgspec import Struct

from beebread.errors import Invalid
from beebread.model import Event, Item, Memory, State
from beebread.ports import TokenCount
from beebread.text import clean
from beebread.text.tokens import estimate_tokens

Shape = Literal["openai", "anthropic", "gemini"]
Layer = Literal["dialogue", "tools", "background"]

SHAPES: tuple[Shape, ...] = get_args(Shape)
LAYERS: tuple[Layer, ...] = get_args(Layer)


class Request(Struct, frozen=True, kw_only=True):
    """One turn to make context for. Only `text`, `budget` and `now` have no default.

    `text` is what the user says now, `system` the caller's own system text: both go in unchanged, whatever the budget. `budget` is in
    tokens as `count` counts them. `tail` is the session in time order; let it begin at a place that stays the same from turn to turn (the
    session's start, or one that moves by hundreds of events), since a start that moves with every turn moves the prefix with it. `items`
    are best first. `instructions` are standing instructions; those that the user himself asserted are given to the model as such, others
    as data. `given` are records that this session already got, by id: each stands again where the tail's memory_injected event that refers
    to it stood (so that what the model was told stays in its sight, and the prefix the same), and is not told a second time unless `again`
    or that place was dropped. `now` carries the user's time zone, in which
    dates are written. `weights` (0 leaves a layer out) stand in for those that the turn itself calls for.
    """

    text: str
    budget: int
    now: datetime
    shape: Shape = "openai"
    tail: tuple[Event, ...] = ()
    items: tuple[Item, ...] = ()
    states: tuple[State, ...] = ()
    instructions: tuple[Memory, ...] = ()
    system: str = ""
    given: dict[str, Item] = {}
    again: bool = False
    weights: dict[Layer, float] = {}
    count: TokenCount = estimate_tokens


def checked(request: Request) -> tuple[str, str]:
    """The text and system text of `request` as they go in (without NUL and lone surrogates, which no API takes); Invalid for nonsense."""
    if isinstance(request.budget, bool) or not isinstance(request.budget, int):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise Invalid(f"budget must be a whole number of tokens, not {request.budget!r}")
    if request.budget < 0:
        raise Invalid(f"budget is {request.budget}: give a number of tokens that is not negative")
    if request.shape not in SHAPES:
        raise Invalid(f"shape {str(request.shape)[:60]!r} is unknown: use one of {', '.join(SHAPES)}")
    if unknown := sorted(set(request.weights) - set(LAYERS)):
        raise Invalid(f"layer {str(unknown[0])[:60]!r} is unknown: weigh some of {', '.join(LAYERS)}")
    if request.now.tzinfo is None:
        raise Invalid("now must carry an offset: give an aware datetime")
    text = clean(request.text)
    if not text.strip():
        raise Invalid("there is no request text to answer: say what the user asks")
    return text, clean(request.system)
