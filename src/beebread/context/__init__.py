"""Purpose: what a model is given for its next turn: recalled records and the session's tail as messages; and a run's trace as an outline.
May import: model, errors, clock, text, policy and ports.
Never does: input or output, recall, asking the time; everything is handed in.
Start reading at: request.py, then pack.py."""

from __future__ import annotations

from beebread.context.pack import pack
from beebread.context.request import Request, Shape
from beebread.context.told import as_item
from beebread.context.trace import Row, outline

__all__ = ["Request", "Row", "Shape", "as_item", "outline", "pack"]
