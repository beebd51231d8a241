"""What a time word means before it meets its neighbours: an interval already fixed, or a pick from each day, week, month or year."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Literal

from msgspec import Struct

from beebread.timex.span import Grain

# From coarse to fine. Words combine only when each is finer than the one before: a year, its month, its day, its hour.
LOOSE, DECADE, YEAR, TERM, MONTH, WEEK, DAY, WEEKDAY, PART, HOUR = range(-1, 9)

Cycle = Literal["day", "week", "month", "quarter", "year"]
CYCLE_RANK: dict[Cycle, int] = {"day": DAY, "week": WEEK, "month": MONTH, "quarter": TERM, "year": YEAR}


class Interval(Struct, frozen=True):
    """A span in the wall time of the user's zone (naive): `lo` <= t < `hi`; None is open."""

    lo: datetime | None
    hi: datetime | None
    grain: Grain
    sure: float = 1.0


class Fixed(Struct, frozen=True):
    """A word that needs nothing else ("last week"). `same` is what it picks inside a coarser one (去年的今天). LOOSE never combines."""

    rank: int
    interval: Interval
    same: Pick | None = None


class Pick(Struct, frozen=True):
    """A word that names one thing in each `cycle` ("Friday", "May"). `make` gives it for the cycle that starts at a day: best first.

    `lean` is which one is meant when nothing else says so: the last that has begun, the last that is done, or the present cycle's.
    """

    rank: int
    cycle: Cycle
    make: Callable[[datetime], Iterable[Interval]]
    lean: Literal["begun", "done", "present"] = "begun"


class Present(Struct, frozen=True):
    """The present in the user's zone: `wall` is naive and keeps its fold."""

    wall: datetime
    zone: tzinfo

    @property
    def today(self) -> datetime:
        """The wall time at which today began."""
        return self.wall.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)

    @property
    def moment(self) -> datetime:
        """The instant, aware."""
        return self.wall.replace(tzinfo=self.zone).astimezone(UTC)

    def after(self, elapsed: timedelta) -> datetime:
        """The wall time when so much time will have passed, whatever the clocks do in between."""
        return (self.moment + elapsed).astimezone(self.zone).replace(tzinfo=None)


class Token(Struct, frozen=True):
    """A time word at `at`..`end` of a text. A `weak` one ("may", "2023", "at 5") needs a neighbour to be one at all."""

    at: int
    end: int
    mark: Fixed | Pick
    weak: bool


Build = Callable[[Present, list[str]], Fixed | Pick | None]


class Rule(Struct, frozen=True):
    """A form of words, and what it means by its groups ("" where one has no part); None when it says no time.

    `weak`: what must stand right before it for it to stand alone; (?!) is nothing, so that it needs a neighbour.
    """

    pattern: str
    build: Build
    weak: str | None = None
