"""The terminal that answers are shown on: remembered text can neither steer it nor reorder what a person reads."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

_KEPT = "\n\t"
# Control characters as their pictures, C1 ones and those that turn the direction of writing as the sign of what cannot be shown.
_SHOWN = {
    **{code: 0x2400 + code for code in range(0x20) if chr(code) not in _KEPT}, 0x7F: 0x2421,
    **dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
}  # fmt: skip


class _Terminal(Console):
    """A console whose own colours are the only control sequences that reach the screen."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(segment.text.translate(_SHOWN), segment.style)


def terminal(*, stderr: bool = False) -> Console:
    """A console for people on standard output, or standard error."""
    return _Terminal(stderr=stderr, highlight=False, soft_wrap=True, emoji=False)
