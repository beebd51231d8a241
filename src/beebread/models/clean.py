"""What every embedder does to a text first: what no model can read is dropped, what is too long is cut or divided into windows."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import NamedTuple

from beebread.text import clean

WINDOWS = 8  # of one text: seven from its head and the last

_DENSE = "\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U0001b000-\U0001b16f\U00020000-\U0003ffff"
_DENSE_CHARACTER = re.compile(f"[{_DENSE}]")
# Control characters and halves of characters: no model learnt them, some tokenizers end at them.
_UNREADABLE = re.compile("[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufffd]+")
_LINES = re.compile(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_BORDER = re.compile(r"\n|[.!?…]+[\"')\]”’]*\s|[。！？；…]+[”’」』）)]*")  # where a sentence or a line ends
_GAP = re.compile(r"\s")


def readable(text: str, most: int) -> str:
    """`text` without what no model can read, in one line with single spaces, its first `most` characters."""
    return " ".join(_UNREADABLE.sub("", clean(text)).split())[:most].rstrip()


def weight(text: str) -> int:
    """The length of `text` in characters of English; one of Chinese, Japanese or Korean says as much as two."""
    return len(text) if text.isascii() else len(text) + len(_DENSE_CHARACTER.findall(text))


def within(text: str, size: int) -> str:
    """The head of `text` that weighs at most `size`."""
    if len(text) * 2 <= size or weight(text) <= size:
        return text
    return text[: _Ruler.of(text[:size]).fits(0, size)]


def windows(text: str, size: int, most: int = WINDOWS) -> list[str]:
    """`text` divided into overlapping windows of at most `size` (as `Embedder.window` counts), cut where a sentence or line ends.

    At most `most` of them: of a longer text all but one from its head, and its end. A text that says nothing has none.
    """
    lines = [line for part in _LINES.split(_UNREADABLE.sub("", clean(text))) if (line := " ".join(part.split()))]
    text = "\n".join(lines)
    found: list[str] = []
    ruler = _Ruler.of(text[: most * size])
    start = 0
    while start < len(text) and len(found) < most:
        if len(found) == most - 1 and weight(text[start : start + size + 1]) > size:
            found.append(_tail(text, size))
            break
        end = ruler.fits(start, size)
        if end < len(text):
            end = _cut(ruler.text, start, end)
        found.append(text[start:end])
        start = end if end >= len(text) else _restart(ruler, start, end, size)
    return [" ".join(window.split()) for window in found]


class _Ruler(NamedTuple):
    """A text with how much of it weighs how much."""

    text: str
    sums: list[int]

    @classmethod
    def of(cls, text: str) -> _Ruler:
        heavy = [0] * len(text)
        for match in _DENSE_CHARACTER.finditer(text):
            heavy[match.start()] = 1
        return cls(text, list(accumulate((1 + extra for extra in heavy), initial=0)))

    def fits(self, start: int, size: int) -> int:
        """The furthest end of a piece from `start` that weighs at most `size`; at least one character."""
        low, high = start + 1, min(len(self.text), start + size)
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.sums[middle] - self.sums[start] <= size else (low, middle - 1)
        return low

    def back(self, end: int, size: int) -> int:
        """The start of the piece before `end` that weighs at most `size`."""
        start = end
        while start and self.sums[end] - self.sums[start - 1] <= size:
            start -= 1
        return start


def _cut(text: str, start: int, end: int) -> int:
    """The last good place to end a window in its second half: after a sentence, else between words, else at `end` itself."""
    half = (start + end) // 2
    for pattern in (_BORDER, _GAP):
        places = [match.end() for match in pattern.finditer(text, half, end)]
        if places:
            return places[-1]
    return end


def _first(text: str, start: int, end: int) -> int:
    """The first good place to begin a window between `start` and `end`, which is neither."""
    for pattern in (_BORDER, _GAP):
        found = pattern.search(text, start, end)
        if found and found.end() < end:
            return found.end()
    return start


def _restart(ruler: _Ruler, start: int, end: int, size: int) -> int:
    """Where the window after one from `start` to `end` begins: an eighth of a window earlier, so that nothing is torn apart in both."""
    return max(start + 1, _first(ruler.text, ruler.back(end, size // 8), end))


def _tail(text: str, size: int) -> str:
    ruler = _Ruler.of(text[-size:])
    start = ruler.back(len(ruler.text), size)
    return ruler.text[_first(ruler.text, start, (start + len(ruler.text)) // 2) :]
