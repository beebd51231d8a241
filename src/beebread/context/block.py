"""The memory block: what the model is told from memory, fenced as data, each thing with a mark that can be cited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from beebread.context.meter import BLOCK, MESSAGE, Meter
from beebread.context.told import Entry, cited, line
from beebread.context.wording import Words
from beebread.model import Citation, Dropped
from beebread.text.fence import fence

Section = Literal["pinned", "states", "items"]
SECTIONS: tuple[Section, ...] = ("pinned", "states", "items")
LETTERS: dict[Section, str] = {"pinned": "i", "states": "s", "items": ""}
"""Marks are [i1] for instructions, [s1] for states, and [1] for records, whose numbers go on from turn to turn."""

_MARK = "[999] "
_SHORTEST_CUT = 24
_SHARE = 3
"""Where not all fit, a long entry is cut to one part in so many of its section's room, but not below `_FAIR` tokens."""
_FAIR = 120


class _Told(Struct, frozen=True):
    entry: Entry
    tokens: int
    cut: bool


class Block:
    """Takes entries while they fit, and writes them. Costs are summed by line; the packer checks the whole at the end."""

    def __init__(self, language: Words, meter: Meter) -> None:
        self.language = language
        self.first = 1  # the number of the first record
        self.dropped: list[Dropped] = []
        self.cost = 0
        self._meter = meter
        self._told: dict[Section, list[_Told]] = {name: [] for name in SECTIONS}
        self._around = meter.text(fence("", note=language.scope_pinned)) + MESSAGE + BLOCK + 2
        self._titles = {name: meter.text(title) + 2 for name, title in self._named(language)}

    @staticmethod
    def _named(language: Words) -> tuple[tuple[Section, str], ...]:
        return (("pinned", language.pinned), ("states", language.states), ("items", language.items))

    def __bool__(self) -> bool:
        return any(self._told.values())

    def fill(self, section: Section, entries: Sequence[Entry], room: int, *, cut: bool = True) -> None:
        """Take those of `entries`, in order, that fit into `room` tokens; with `cut`, a long one gives its beginning and its handle."""
        end = self.cost + room
        costs = [self._cost(entry) for entry in entries]
        after = sum(costs)
        for entry, whole in zip(entries, costs, strict=True):
            after -= whole
            opening = (0 if self else self._around) + (0 if self._told[section] else self._titles[section])
            left = end - self.cost - opening
            fair = min(left, max(room // _SHARE, _FAIR, left - after))
            told = _Told(entry, whole, cut=False) if whole <= (fair if cut else left) else None
            if told is None and cut:
                told = self._beginning(entry, fair)
            if told is None:
                self.dropped.append(Dropped(entry.id, "budget", whole, entry.id))
                continue
            if told.cut:
                self.dropped.append(Dropped(entry.id, "cut", whole, entry.id))
            self._told[section].append(told)
            self.cost += opening + told.tokens

    def _cost(self, entry: Entry) -> int:
        return self._meter.text(_MARK + line(entry, self.language)) + 2

    def _beginning(self, entry: Entry, room: int) -> _Told | None:
        note = self.language.cut.format(id=entry.id)
        size = room - self._cost(msgspec.structs.replace(entry, body=note))
        while size >= _SHORTEST_CUT:
            short = msgspec.structs.replace(entry, body=self._meter.beginning(entry.body, size) + note)
            cost = self._cost(short)
            if cost <= room:
                return _Told(short, cost, cut=True)
            size -= max(cost - room, 1)
        return None

    def remove_last(self, section: Section) -> bool:
        """Take back the last entry of `section`; whether there was one."""
        if not self._told[section]:
            return False
        told = self._told[section].pop()
        self.dropped = [drop for drop in self.dropped if drop.id != told.entry.id]
        self.dropped.append(Dropped(told.entry.id, "budget", told.tokens, told.entry.id))
        return True

    def text(self) -> str:
        """The block as the model reads it, '' when it is empty."""
        if not self:
            return ""
        lines: list[str] = []
        marks = iter(self.citations())
        for name, title in self._named(self.language):
            if self._told[name]:
                lines.append(title)
            lines.extend(f"{next(marks).mark} {line(told.entry, self.language)}" for told in self._told[name])
        note = self.language.scope_pinned if self._told["pinned"] else self.language.scope
        return fence("\n".join(lines), note=note)

    def citations(self) -> tuple[Citation, ...]:
        """What each mark of the block points to."""
        return tuple(
            citation
            for name in SECTIONS
            for citation in cited(
                (told.entry for told in self._told[name]), first=self.first if name == "items" else 1, letter=LETTERS[name]
            )
        )
