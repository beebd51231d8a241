"""How many tokens a message costs: what is in it, and what a provider adds around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from beebread.errors import Invalid, shown
from beebread.model import canonical
from beebread.ports import TokenCount
from beebread.text.tokens import truncate_tokens

MESSAGE = 4
"""Around each message, its role included; providers say 3 or 4."""
BLOCK = 3
"""Around each part, call and result inside a message."""
REPLY = 3
"""Opens the model's reply; once."""
IMAGE = 1600
"""One image at the greatest size that a provider scales it to; a guess on the safe side, since sizes are not known."""

_STRUCTURED = frozenset({"input", "args"})
_IMAGES = frozenset({"image_url", "source", "fileData", "inlineData"})
_UNSENT = frozenset({"role", "type"})


class Meter:
    """Counts by one token counter, each different text once."""

    def __init__(self, count: TokenCount) -> None:
        self._count = count
        self._known: dict[str, int] = {}

    def text(self, text: str) -> int:
        """Tokens of a bare text."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = max(self._counted(text), 0)
        return known

    def _counted(self, text: str) -> int:
        count = self._count(text)
        if not isinstance(count, int):  # pyright: ignore[reportUnnecessaryIsInstance]  # the counter is the caller's own
            raise Invalid(f"tokens must give a whole number for each text, not {shown(count)}")
        return count

    def beginning(self, text: str, limit: int) -> str:
        """The beginning of `text` in at most `limit` tokens, cut between words or characters."""
        size = limit
        while size > 0:
            short = truncate_tokens(text, size)
            tokens = self.text(short)
            if tokens <= limit:
                return short
            # This counter sees more tokens than the estimate does: ask for as much less.
            size = min(size - 1, size * limit // tokens)
        return ""

    def system(self, text: str) -> int:
        """Tokens of the system text, wherever the shape puts it; 0 for none."""
        return MESSAGE + self.text(text) if text else 0

    def _inside(self, value: Any) -> int:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return sum(self._inside(part) for part in cast("list[Any]", value))
        if not isinstance(value, dict):
            return 1 if value is not None else 0
        total = BLOCK
        for name, part in cast("dict[str, Any]", value).items():
            if name in _IMAGES:
                total += IMAGE
            elif name in _STRUCTURED:
                total += self.text(canonical(part).decode())
            elif name not in _UNSENT:
                total += self._inside(part)
        return total

    def messages(self, messages: Iterable[dict[str, Any]]) -> int:
        """Tokens of messages in any shape: every text, name, id and argument, and what stands around them."""
        return sum(MESSAGE - BLOCK + self._inside(message) for message in messages)
