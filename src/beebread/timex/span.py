"""What a time word in a text means to a reader: a span of time."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from msgspec import Struct

Grain = Literal["second", "minute", "hour", "part_of_day", "day", "week", "month", "quarter", "season", "year", "decade", "open"]


class Span(Struct, frozen=True, kw_only=True):
    """A span of time that words of a text name: `start` <= t < `end`; None is open. Both are aware, with a fixed offset.

    `granularity` is the unit in which the words count ("half a year" is a 'quarter', a weekend a 'day', ten days a 'week'; 'open' when a
    side is). `certainty` is 1 for a date that can mean nothing else, about 0.8 for a count ("two weeks ago" is the whole week), 0.5 for a
    guess between readings ("3/4"), 0.3 for a vague word ("recently"). `words` is the part of the text, which begins at offset `at`.
    """

    start: datetime | None = None
    end: datetime | None = None
    granularity: Grain
    certainty: float = 1.0
    words: str = ""
    at: int = 0
