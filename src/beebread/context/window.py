"""How much of the session stays in the messages, so chosen that their beginning changes seldom.

The choice is a replay: the turns are added one by one, and only when they pass `high` is room made, much at once: old tool results are
masked first, and where that is not enough whole old turns go, down to half of it. Until the next time that happens each pack begins
with the bytes of the one before. `high` therefore must not depend on what this turn recalls.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from beebread.context.meter import BLOCK, MESSAGE, Meter
from beebread.context.request import Shape
from beebread.context.shapes import render
from beebread.context.steps import Call, Step
from beebread.context.told import given_text
from beebread.context.wording import PLACEHOLDER, language_of
from beebread.model import Dropped

NEWEST_WHOLE = (3, 1)
"""Steps whose results stay whole when older ones are masked: at first, and where that is not enough."""
LOW = 0.5
"""The part of `high` down to which room is made when turns go."""
ENOUGH = 0.8
"""Masking alone will do when it comes down to this part of `high`."""
LONGEST = 3
"""One text takes at most one part in so many of `high`, and what was given at one place one part in GIVEN."""
GIVEN = 2
_SHORTEST_CUT = 64


class Window(Struct, frozen=True, kw_only=True):
    """The steps that stay, what did not stay whole, the ids of the events that are there word for word, and of records told there."""

    steps: tuple[Step, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    whole: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()


class _Cell(Struct):
    """A step with its cost as it is and with its results masked."""

    step: Step
    hidden: Step
    cost: int
    cost_hidden: int
    cut: tuple[Dropped, ...] = ()
    masked: bool = False

    @property
    def now(self) -> int:
        return self.cost_hidden if self.masked else self.cost


class _Fitter:
    """Makes cells: shortens what is too long for `high`, and knows what each costs in `shape`."""

    def __init__(self, shape: Shape, meter: Meter, high: int) -> None:
        self.shape: Shape = shape
        self.meter = meter
        self.longest = max(high // LONGEST, _SHORTEST_CUT)
        self.given = max(high // GIVEN, _SHORTEST_CUT)
        # An API that starts with the user, or parts results from words, may need a placeholder.
        self.placeholder = 0 if shape == "openai" else MESSAGE + BLOCK + meter.text(PLACEHOLDER)

    def cell(self, step: Step) -> _Cell:
        shown, cut = self._shortened(step)
        hidden = self._masked(shown, step)
        cost = self._cost(shown)
        return _Cell(shown, hidden, cost, cost if hidden is shown else self._cost(hidden), cut)

    def _cost(self, step: Step) -> int:
        cost = self.meter.messages(render(self.shape, (step,)))
        if step.role == "assistant" and self.placeholder:
            cost -= self.placeholder
            if self.shape == "gemini" and step.calls:
                cost += self.placeholder
        return cost

    def _shortened(self, step: Step) -> tuple[Step, tuple[Dropped, ...]]:
        cut: list[Dropped] = []
        if step.told:
            return self._shorter_given(step), ()
        text = self._cut(step.text, step.ids[0], cut)
        calls = tuple(self._shorter_call(call, cut) for call in step.calls)
        return (msgspec.structs.replace(step, text=text, calls=calls), tuple(cut)) if cut else (step, ())

    def _shorter_given(self, step: Step) -> Step:
        """Each record given here cut to its part, so that the fence around them stays whole."""
        if self.meter.text(step.text) <= self.given:
            return step
        most = max(fair_share([self.meter.text(entry.body) for entry in step.told], self.given), _SHORTEST_CUT)
        told = tuple(msgspec.structs.replace(entry, body=self._cut(entry.body, entry.id, [], most)) for entry in step.told)
        return msgspec.structs.replace(step, text=given_text(told, step.first))

    def _shorter_call(self, call: Call, cut: list[Dropped]) -> Call:
        output = self._cut(call.output, call.source or call.event, cut)
        written = msgspec.json.encode(call.args).decode()
        tokens = self.meter.text(written) if len(written) > self.longest else 0
        if tokens > self.longest:
            cut.append(Dropped(call.event, "cut", tokens, call.event))
            note = language_of(written).arguments.format(id=call.event, tokens=tokens)
            return msgspec.structs.replace(call, output=output, args={"note": note})
        return call if output is call.output else msgspec.structs.replace(call, output=output)

    def _cut(self, text: str, handle: str, cut: list[Dropped], most: int = 0) -> str:
        most = most or self.longest
        tokens = self.meter.text(text)
        if tokens <= most:
            return text
        cut.append(Dropped(handle, "cut", tokens, handle))
        note = language_of(text).cut.format(id=handle)
        return self.meter.beginning(text, max(most - self.meter.text(note), 8)) + note

    def _masked(self, shown: Step, whole: Step) -> Step:
        calls = tuple(self._hidden(call, full.output) for call, full in zip(shown.calls, whole.calls, strict=True))
        return shown if calls == shown.calls else msgspec.structs.replace(shown, calls=calls)

    def _hidden(self, call: Call, output: str) -> Call:
        if not call.source:
            return call
        note = language_of(output).masked.format(id=call.source, tokens=self.meter.text(output))
        return msgspec.structs.replace(call, output=note) if self.meter.text(note) < self.meter.text(call.output) else call


def fair_share(sizes: Sequence[int], room: int) -> int:
    """The most that each may take so that all fit into `room`: what the short ones leave goes to the longer."""
    left = len(sizes)
    for size in sorted(sizes):
        if size * left > room:
            return room // left
        room -= size
        left -= 1
    return max(sizes, default=0)


class _Replay:
    """The turns kept so far and what they cost."""

    def __init__(self, high: int) -> None:
        self.high, self.low = high, int(high * LOW)
        self.turns: deque[list[_Cell]] = deque()
        self.total = 0
        self.dropped: list[Dropped] = []

    def cells(self) -> Iterator[_Cell]:
        for turn in self.turns:
            yield from turn

    def add(self, cell: _Cell) -> None:
        self.turns[-1].append(cell)
        self.total += cell.cost
        if self.total > self.high:
            self._make_room()

    def _make_room(self) -> None:
        for newest in NEWEST_WHOLE:
            self._mask(newest)
            if self.total <= self.high * ENOUGH:
                return
        while self.total > self.low and len(self.turns) > 1:
            self._drop(self.turns.popleft())
        if self.total > self.high:
            self._shrink(self.turns[-1])

    def _mask(self, newest: int) -> None:
        with_results = [cell for cell in self.cells() if cell.hidden is not cell.step]
        for cell in with_results[: max(len(with_results) - newest, 0)]:
            if not cell.masked:
                self.total -= cell.cost - cell.cost_hidden
                cell.masked = True

    def _drop(self, cells: list[_Cell]) -> None:
        if cells:
            tokens = sum(cell.now for cell in cells)
            self.total -= tokens
            self.dropped.append(Dropped(cells[0].step.ids[0], "budget", tokens, cells[0].step.ids[0]))

    def _shrink(self, turn: list[_Cell]) -> None:
        """The present turn alone is too long: leave out its middle, keeping what the user asked, and mask even its last result."""
        head = next((place for place, cell in enumerate(turn) if cell.step.role != "user"), len(turn) - 1)
        while self.total > self.low and len(turn) > head + 1:
            self._drop([turn.pop(head)])
        if self.total > self.high:
            self._mask(0)
        while self.total > self.high and turn:
            self._drop([turn.pop()])


def window(turns: Sequence[Sequence[Step]], shape: Shape, meter: Meter, high: int) -> Window:
    """What of `turns` is in the messages of `shape`, at most `high` tokens, placeholders included."""
    fitter = _Fitter(shape, meter, high)
    replay = _Replay(max(high - fitter.placeholder, 0))
    for turn in turns:
        replay.turns.append([])
        for step in turn:
            replay.add(fitter.cell(step))
    dropped = list(replay.dropped)
    whole: set[str] = set()
    told: set[str] = set()
    steps: list[Step] = []
    for cell in replay.cells():
        hidden = [call.source for call, seen in zip(cell.step.calls, cell.hidden.calls, strict=True) if cell.masked and seen is not call]
        outputs = {call.source: meter.text(call.output) for call in cell.step.calls}
        cut = [drop for drop in cell.cut if drop.id not in hidden]
        dropped.extend((*cut, *(Dropped(name, "masked", outputs[name], name) for name in hidden)))
        told.update(entry.id for entry in cell.step.told)
        whole.update(set(cell.step.ids) - set(hidden) - {drop.id for drop in cut})
        steps.append(cell.hidden if cell.masked else cell.step)
    return Window(steps=tuple(steps), dropped=tuple(dropped), whole=frozenset(whole), told=frozenset(told))
