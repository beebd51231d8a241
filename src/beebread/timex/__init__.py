"""Purpose: the time that words name, in Chinese and English: spans, orderings, and moments at which something held.
May import: beebread.model, beebread.errors, beebread.clock.
Never does: input or output, asking the time, knowing what is searched.
Start reading at: parse.py, then compose.py and the tables english.py and chinese.py."""

from __future__ import annotations

from beebread.timex.asof import as_of
from beebread.timex.order import Order, order
from beebread.timex.parse import find
from beebread.timex.span import Grain, Span

__all__ = ["Grain", "Order", "Span", "as_of", "find", "order"]
