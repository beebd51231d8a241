"""The terminal that answers are shown on: remembered text can neither steer it nor reorder what a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, tzinfo

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

_KEPT = "\n\t"
# Control characters as their pictures, C1 ones and those that turn the direction of writing as the sign of what cannot be shown.
_SHOWN = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in _KEPT}, 0x7F: 0x2421,
    **dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
}  # fmt: skip
_GAP = "  "
_INDENT = "    "
_NARROW = 24  # cells; a text with less room than this goes on the next line


class Terminal(Console):
    """A console whose own colours are the only control sequences that reach the screen.

    Where a person looks, texts are cut to the width and ids never are; in a pipe or a file nothing is cut, and a record is one line.
    Times are shown in `zone`, or as they were recorded.
    """

    def __init__(self, *, stderr: bool = False, zone: tzinfo | None = None) -> None:
        super().__init__(stderr=stderr, highlight=False, soft_wrap=True, emoji=False)
        self.zone = zone

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(segment.text.translate(_SHOWN), segment.style)

    def moment(self, value: datetime | None) -> str:
        """A time for people, to the minute."""
        if value is None:
            return ""
        return (value.astimezone(self.zone) if self.zone else value).strftime("%Y-%m-%d %H:%M %z")

    def cut(self, text: str, room: int) -> str:
        """`text` as one line; on a terminal at most `room` cells of it, with an ellipsis."""
        line = one_line(text)
        if not self.is_terminal or cell_len(line) <= room:
            return line
        return set_cell_size(line, max(0, room - 1)).rstrip() + "…"

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], *, text: str) -> None:
        """A record a line; where a terminal is too narrow the column `text` gives way, and what still has no room goes beneath."""
        at = columns.index(text)
        grid = [[one_line(cell) for cell in row] for row in (columns, *rows)]
        widths = [max(map(cell_len, column)) for column in zip(*grid, strict=True)]
        lines = _lines(widths, at, self.width) if self.is_terminal else [("", list(range(len(widths))))]
        for indent, places in lines:
            if self.is_terminal and at in places:
                rest = self.width - len(indent) - sum(widths[place] + len(_GAP) for place in places if place != at)
                widths[at] = min(widths[at], rest)
        for number, row in enumerate(grid):
            for indent, places in lines:
                cells = [set_cell_size(self.cut(row[place], widths[place]), widths[place]) for place in places]
                if line := _GAP.join(cells).rstrip():
                    self.print(Text(indent + line, "" if number else "bold"))


def _lines(widths: Sequence[int], at: int, width: int) -> list[tuple[str, list[int]]]:
    """Which columns stand on which line of a record, with the line's indent; the one at `at` makes do with little."""
    lines: list[tuple[str, list[int]]] = [("", [])]
    room = width
    for place, wanted in enumerate(widths):
        need = min(_NARROW, wanted) if place == at else wanted
        if lines[-1][1] and need > room:
            lines.append((_INDENT, []))
            room = width - len(_INDENT)
        lines[-1][1].append(place)
        room -= need + len(_GAP)
    return lines


def one_line(text: str) -> str:
    """`text` with its lines and runs of blanks folded, and nothing in it that would steer a terminal."""
    return " ".join(text.split()).translate(_SHOWN)
