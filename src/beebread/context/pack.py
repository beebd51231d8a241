"""Recall and the session's tail made into a `messages` array within a token budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from beebread.context.block import Block
from beebread.context.entries import item_entries
from beebread.context.layers import Layers, layers
from beebread.context.meter import REPLY, Meter
from beebread.context.request import Request, Shape, checked
from beebread.context.shapes import render
from beebread.context.steps import Step, Tail, read_tail
from beebread.context.told import is_pinned, pinned_entry, state_entry
from beebread.context.window import Window, window
from beebread.context.wording import language_of
from beebread.errors import Invalid
from beebread.model import Dropped, Pack, Report, digest
from beebread.text.fence import fence

TAIL_SHARE = 0.6
"""The part of the budget (system text aside) that the session's own turns may take."""
STATE_SHARE = 0.5
"""The part of what pinned instructions leave that task states may take, and at least `STATE_LEAST` tokens of it."""
STATE_LEAST = 200


class _Draft:
    """A pack in the making: the window of the session, the memory block, and the user's words."""

    def __init__(self, request: Request, text: str, system: str, meter: Meter) -> None:
        self.request, self.system, self.meter = request, system, meter
        self.last = Step(role="user", ids=(), text=text)
        self.block = Block(language_of(text), meter)
        self.window = Window()
        self.steps: list[Step] = []
        self.absence = ""

    def messages(self) -> list[dict[str, Any]]:
        told = self.block.text() or self.absence
        memory = [Step(role="user", ids=(), text=told)] if told else []
        messages = render(self.request.shape, (*self.steps, *memory, self.last))
        if self.system and self.request.shape == "openai":
            return [{"role": "system", "content": self.system}, *messages]
        return messages

    def tokens(self, messages: Sequence[dict[str, Any]]) -> int:
        apart = 0 if self.request.shape == "openai" else self.meter.system(self.system)
        return REPLY + apart + self.meter.messages(messages)

    def lighter(self) -> Dropped | None:
        """Leave out the least needed thing that is still in; what it was, when the block does not tell that itself."""
        if self.absence:
            self.absence = ""
        elif self.block.remove_last("items") or self.block.remove_last("states"):
            return None
        elif self.steps:
            name = self.steps.pop(0).ids[0]
            return Dropped(name, "budget", handle=name)
        else:
            self.block.remove_last("pinned")
        return None


def _high(budget: int, room: int) -> int:
    """What the session's turns may take: a share of the budget, halved until it fits, so that small changes of `room` change nothing."""
    high = int(budget * TAIL_SHARE)
    while high > max(room, 0):
        high //= 2
    return high


def _fill(draft: _Draft, plan: Layers, tail: Tail, room: int, fixed: int) -> list[Dropped]:
    """Put in what fits into `room`, nearest first; the records that were not wanted and why."""
    request, block = draft.request, draft.block
    block.fill("pinned", [pinned_entry(memory) for memory in request.instructions if is_pinned(memory)], room, cut=False)
    states = [state_entry(state, request.now, block.language) for state in request.states]
    rest = room - block.cost
    block.fill("states", states, max(int(rest * STATE_SHARE), min(rest, STATE_LEAST)))
    high = _high(request.budget - fixed, room - block.cost)
    draft.window = window(tail.turns, request.shape, draft.meter, high)
    draft.steps = list(draft.window.steps)
    left = room - block.cost - draft.meter.messages(render(request.shape, draft.steps))
    block.first = tail.next_mark
    entries, unwanted = item_entries(request, plan, tail, draft.window, block.language)
    block.fill("items", entries, left)
    untold = not (request.items or request.states or request.instructions or draft.window.dropped or draft.window.told)
    if untold and plan.turn != "small talk":
        draft.absence = fence("", note=block.language.nothing)
    return unwanted


def _prefix(shape: Shape, messages: Sequence[dict[str, Any]], *, memory: bool) -> Sequence[dict[str, Any]]:
    """The messages that the next turn's pack will begin with too: all but those that hold the memory block and the request."""
    return messages[:-2] if shape == "openai" and memory else messages[:-1]


def pack(request: Request) -> Pack:
    """The messages for the next model call: valid for the chat API of `request.shape` and never over `request.budget`.

    First come system text and the session's own turns, then, in the role of the user, one fenced block of memory (standing instructions,
    task states, recalled records), then the user's words as they are. What memory adds gives way to the budget: records first, then
    states and old turns, standing instructions last. What the caller himself says, request and system text, is never cut: Invalid, with
    the least number of tokens needed, when the budget does not hold it. Messages with tool calls need the caller's `tools` beside them.
    Tokens are counted on the safe side: every text, name, id and argument, and what providers add around messages and parts.
    """
    text, system = checked(request)
    meter = Meter(request.count)
    draft = _Draft(request, text, system, meter)
    least = draft.tokens(draft.messages())
    if least > request.budget:
        what = "the request and the system text" if system else "the request"
        raise Invalid(f"a budget of {request.budget} tokens does not hold {what}: give at least {least}", detail=least)
    plan = layers(request)
    tail = read_tail(request, text)
    unwanted = _fill(draft, plan, tail, request.budget - least, REPLY + meter.system(system))
    over: list[Dropped] = []
    messages = draft.messages()
    while (tokens := draft.tokens(messages)) > request.budget:
        if dropped := draft.lighter():
            over.append(dropped)
        messages = draft.messages()
    prefix = _prefix(request.shape, messages, memory=bool(draft.block or draft.absence))
    return Pack(
        messages=tuple(messages),
        tokens=tokens,
        budget=request.budget,
        shape=request.shape,
        system="" if request.shape == "openai" else system,
        citations=(*(citation for step in draft.steps for citation in step.citations), *draft.block.citations()),
        dropped=(*tail.dropped, *draft.window.dropped, *over, *unwanted, *draft.block.dropped),
        prefix=len(prefix),
        prefix_hash=digest([system, prefix]),
        report=Report(plan={"turn": plan.turn, "weights": dict(plan.weights), "steps": len(draft.steps), "least": least}),
    )
