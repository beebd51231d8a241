"""Calendar arithmetic in wall time: units, steps of units, parts of an interval."""

from __future__ import annotations

from calendar import monthrange
from datetime import date, datetime, timedelta
from typing import Literal

from beebread.clock import EARLIEST_YEAR, LATEST_YEAR
from beebread.timex.marks import DAY, DECADE, HOUR, LOOSE, MONTH, TERM, WEEK, YEAR, Fixed, Interval, Present
from beebread.timex.span import Grain

Unit = Literal["second", "minute", "hour", "day", "week", "month", "quarter", "year", "decade"]
Edge = Literal["begin", "early", "middle", "late", "end"]

RANKS: dict[Unit, int] = {
    "second": HOUR, "minute": HOUR, "hour": HOUR, "day": DAY, "week": WEEK, "month": MONTH, "quarter": TERM, "year": YEAR, "decade": DECADE,
}  # fmt: skip
_MONTHS: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_CLOCK: dict[Unit, timedelta] = {"second": timedelta(seconds=1), "minute": timedelta(minutes=1), "hour": timedelta(hours=1)}
_DAYS: dict[Unit, int] = {"day": 1, "week": 7}
_HALVES: dict[Unit, tuple[Unit, int]] = {
    "decade": ("year", 10), "year": ("month", 12), "quarter": ("month", 3), "month": ("day", 30), "week": ("day", 7), "day": ("hour", 24),
    "hour": ("minute", 60), "minute": ("second", 60),
}  # fmt: skip
_FURTHEST = 200_000  # units: anything further lies outside the years a record can have, whatever the unit of days or more
_MOST = 400_000_000  # of units of the clock


class Beyond(ValueError):
    """The words lead outside the years that a record can have."""


def floor(unit: Unit, at: datetime) -> datetime:
    """When the `unit` that contains `at` began. Weeks begin on Monday."""
    match unit:
        case "second":
            return at.replace(microsecond=0)
        case "minute":
            return at.replace(second=0, microsecond=0)
        case "hour":
            return at.replace(minute=0, second=0, microsecond=0)
        case _:
            day = datetime(at.year, at.month, at.day)  # noqa: DTZ001 - wall time is naive on purpose: the zone joins at the end
    if unit == "week":
        return _within(day - timedelta(days=day.weekday()))
    if unit == "day":
        return day
    month = {"month": day.month, "quarter": (day.month - 1) // 3 * 3 + 1}.get(unit, 1)
    return day.replace(year=day.year // 10 * 10 if unit == "decade" else day.year, month=month, day=1)


def step(unit: Unit, at: datetime, n: int) -> datetime:
    """`at` moved by `n` units in wall time; a day that its month lacks becomes the month's last. Raises Beyond."""
    if n == 0:
        return _within(at)  # with its fold, which adding loses
    if unit in _CLOCK:
        if abs(n) > _MOST:
            raise Beyond(unit)
        return _within(at + n * _CLOCK[unit])
    if abs(n) > _FURTHEST:
        raise Beyond(unit)
    if unit in _DAYS:
        return _within(at + timedelta(days=n * _DAYS[unit]))
    month = at.year * 12 + at.month - 1 + n * _MONTHS[unit]
    year, month = month // 12, month % 12 + 1
    if not EARLIEST_YEAR <= year <= LATEST_YEAR:
        raise Beyond(year)
    return at.replace(year=year, month=month, day=min(at.day, monthrange(year, month)[1]))


def _within(at: datetime) -> datetime:
    if not EARLIEST_YEAR <= at.year <= LATEST_YEAR:
        raise Beyond(at.year)
    return at


def unit_at(unit: Unit, at: datetime, n: int = 0, sure: float = 1.0) -> Interval:
    """The whole `unit`, `n` units away from the one that contains `at`."""
    lo = step(unit, floor(unit, at), n)
    return Interval(lo, step(unit, lo, 1), unit, sure)


def fixed(unit: Unit, at: datetime, n: int = 0, sure: float = 1.0) -> Fixed:
    """The whole unit as a mark."""
    return Fixed(RANKS[unit], unit_at(unit, at, n, sure))


def days(lo: datetime, count: int, grain: Grain = "day", sure: float = 1.0) -> Interval:
    """`count` whole days from the one that starts at `lo`."""
    return Interval(lo, step("day", lo, count), grain, sure)


def day(year: int, month: int, number: int, grain: Grain = "day", count: int = 1) -> tuple[Interval, ...]:
    """The day of that date, or nothing when there is no such day. `count` days from it when it stands for more."""
    if not (EARLIEST_YEAR <= year <= LATEST_YEAR and 1 <= month <= 12 and 1 <= number <= monthrange(year, month)[1]):
        return ()
    return (days(at_day(date(year, month, number)), count, grain),)


def at_day(value: date) -> datetime:
    """When that day begins."""
    return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - wall time is naive on purpose: the zone joins at the end


def away(now: Present, fewest: float, most: float, unit: Unit, sign: int, sure: float) -> Fixed:
    """The units that lie `fewest` to `most` units from now, behind it (`sign` -1) or ahead (1). Hours and less are elapsed time."""
    if (fewest % 1 or most % 1) and unit in _HALVES:
        unit, parts = _HALVES[unit]
        fewest, most = round(fewest * parts), round(most * parts)
    near, far = (unit_at(unit, _moved(now, unit, sign * int(n))) for n in (fewest, most))
    lo, hi = (far.lo, near.hi) if sign < 0 else (near.lo, far.hi)
    return Fixed(RANKS[unit] if fewest == most else LOOSE, Interval(lo, hi, unit, sure))


def rolling(now: Present, count: float, unit: Unit, sign: int, sure: float) -> Fixed:
    """From `count` units ago until now, or from now on; days and more begin (or end) with a whole day."""
    if count % 1 and unit in _HALVES:
        unit, parts = _HALVES[unit]
        count = round(count * parts)
    other = _moved(now, unit, sign * int(count))
    if unit not in _CLOCK:
        other = floor("day", other) if sign < 0 else step("day", floor("day", other), 1)
    lo, hi = (other, now.wall) if sign < 0 else (now.wall, other)
    return Fixed(LOOSE, Interval(lo, hi, unit, sure))


def _moved(now: Present, unit: Unit, n: int) -> datetime:
    if unit not in _CLOCK:
        return step(unit, now.wall, n)
    if abs(n) > _MOST:
        raise Beyond(unit)
    step("hour", now.wall, n * _CLOCK[unit] // _CLOCK["hour"])
    return now.after(n * _CLOCK[unit])


def edge(whole: Interval, which: Edge) -> Interval:
    """The beginning, the early, middle or late part, or the end of a whole: thirds, and of a year its first or last month."""
    lo, hi = whole.lo, whole.hi
    if lo is None or hi is None:
        return whole
    place = {"begin": 0, "early": 0, "middle": 1, "late": 2, "end": 2}[which]
    match whole.grain:
        case "year" if which == "begin":
            cuts, grain = (lo, step("month", lo, 1)), "month"
        case "year" if which == "end":
            cuts, grain = (step("month", hi, -1), hi), "month"
        case "year" | "quarter" | "season":
            third = max(1, ((hi.year - lo.year) * 12 + hi.month - lo.month) // 3)
            cuts, grain = (step("month", lo, third * place), step("month", lo, third * (place + 1))), "month"
        case "decade":
            cuts, grain = (step("year", lo, (0, 3, 6)[place]), step("year", lo, (4, 7, 10)[place])), "year"
        case "month":
            cuts, grain = (step("day", lo, 10 * place), hi if place == 2 else step("day", lo, 10 * place + 10)), "week"
        case "week":
            cuts, grain = (step("day", lo, (0, 2, 4)[place]), step("day", lo, (2, 4, 7)[place])), "day"
        case "day" if hi - lo == timedelta(days=1):
            cuts, grain = (step("hour", lo, (0, 11, 17)[place]), step("hour", lo, (9, 14, 24)[place])), "part_of_day"
        case _:
            return whole
    return Interval(*cuts, grain, whole.sure * 0.9)


def nth(whole: Interval, n: int, unit: Unit | int) -> Interval | None:
    """The `n`-th `unit` of a whole, from its end when n < 0; a number as unit is a day of the week, Monday 0. None when it has none.

    Weeks of a month are counted in sevens from its first day, weeks of a year as ISO 8601 counts them.
    """
    lo, hi = whole.lo, whole.hi
    if lo is None or hi is None or n == 0 or abs(n) > 400:
        return None
    if isinstance(unit, int):
        first = step("day", lo, (unit - lo.weekday()) % 7) if n > 0 else step("day", hi, -((hi.weekday() - unit - 1) % 7 + 1))
        found = days(step("day", first, 7 * (n - 1 if n > 0 else n + 1)), 1, "day", whole.sure)
    elif unit == "week" and whole.grain == "year" and n > 0:
        found = days(step("week", floor("week", step("day", lo, 3)), n - 1), 7, "week", whole.sure)
    else:
        begin = step(unit, lo, n - 1) if n > 0 else step(unit, hi, n)
        found = Interval(begin, step(unit, begin, 1), unit, whole.sure)
    assert found.lo is not None
    inside = lo <= found.lo < hi or (unit == "week" and whole.grain == "year" and found.lo < hi)
    return found if inside else None
