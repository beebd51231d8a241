"""What single time words pick, in whatever language they are written: months, days, weekdays, parts of the day, hours, seasons."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Literal

from beebread.clock import EARLIEST_YEAR, LATEST_YEAR
from beebread.timex.calendars import Edge, at_day, day, days, edge, floor, nth, step, unit_at
from beebread.timex.lunar import lunar_day, lunar_month
from beebread.timex.marks import DAY, DECADE, HOUR, LOOSE, MONTH, PART, TERM, WEEK, WEEKDAY, YEAR, Fixed, Interval, Pick, Present

Half = Literal["am", "pm", "24"]

# The parts of a day by the hours at which they begin and end.
PARTS: dict[str, tuple[int, int]] = {
    "night_hours": (0, 6), "dawn": (5, 8), "early_morning": (5, 9), "morning": (6, 12), "noon": (11, 14), "afternoon": (12, 18),
    "early_afternoon": (12, 15), "late_afternoon": (15, 18), "dusk": (17, 20), "evening": (18, 24), "late": (21, 24), "midnight": (0, 1),
}  # fmt: skip
SEASONS: dict[str, int] = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}  # the month in which each begins


def year(number: int) -> Fixed | None:
    """That year; None outside the years that records have."""
    return Fixed(YEAR, unit_at("year", datetime(number, 1, 1))) if EARLIEST_YEAR <= number < LATEST_YEAR else None  # noqa: DTZ001 - wall time


def short_year(number: int, now: Present) -> int:
    """The year of two digits: the past one, unless it comes within ten years."""
    full = now.wall.year // 100 * 100 + number
    return full if full <= now.wall.year + 10 else full - 100


def date_of(year: int, month: int, number: int, sure: float = 1.0) -> Fixed | None:
    """A whole date; None when there is no such day."""
    found = day(year, month, number)
    return Fixed(DAY, Interval(found[0].lo, found[0].hi, "day", sure)) if found else None


def decade(first: int) -> Fixed | None:
    """The ten years from `first`."""
    if not EARLIEST_YEAR <= first < LATEST_YEAR - 10:
        return None
    return Fixed(DECADE, unit_at("decade", datetime(first, 1, 1), sure=0.9))  # noqa: DTZ001 - wall time


def month(number: int) -> Pick:
    """The month of a year; 13 picks nothing."""

    def make(start: datetime) -> Iterable[Interval]:
        return (unit_at("month", start.replace(month=number)),) if 1 <= number <= 12 else ()

    return Pick(MONTH, "year", make)


def months(first: int, last: int) -> Pick:
    """The months from the first to the last."""

    def make(start: datetime) -> Iterable[Interval]:
        if 1 <= first < last <= 12:
            yield Interval(start.replace(month=first), step("month", start.replace(month=last), 1), "month")

    return Pick(MONTH, "year", make)


def month_day(number: int, first: int, last: int | None = None) -> Pick:
    """The day of a month of a year, or the days from `first` to `last`; 30 February picks nothing."""

    def make(start: datetime) -> Iterable[Interval]:
        if last is None:
            return day(start.year, number, first)
        begin, end = day(start.year, number, first), day(start.year, number, last)
        return (Interval(begin[0].lo, end[0].hi, "day"),) if begin and end and first <= last else ()

    return Pick(DAY, "year", make)


def day_of_month(number: int) -> Pick:
    """The day of a month; 31 picks nothing from a shorter one."""
    return Pick(DAY, "month", lambda start: day(start.year, start.month, number))


def weekday(number: int) -> Pick:
    """The day of a week, Monday 0. Alone it is the last one before today: of today one says "today"."""
    return Pick(WEEKDAY, "week", lambda start: (days(step("day", start, number), 1),), "done")


def weekend() -> Pick:
    """Saturday and Sunday."""
    return Pick(DAY, "week", lambda start: (days(step("day", start, 5), 2),))


def part(name: str) -> Pick:
    """A part of a day, by its name in PARTS."""
    first, last = PARTS[name]
    return Pick(PART, "day", lambda start: (Interval(step("hour", start, first), step("hour", start, last), "part_of_day"),))


def time_of_day(hour: int, minute: int | None = None, second: int | None = None, half: Half | None = None) -> Pick:
    """An hour, minute or second of a day; 25:70 picks nothing.

    Without `half` an hour of 12 or less may be before or after noon: alone it is the one people are awake in, after a part of the day
    the nearest one ("晚上八点", "凌晨三点").
    """
    sound = hour <= 24 and (minute or 0) < 60 and (second or 0) < 60 and (half in {None, "24"} or 1 <= hour <= 12)
    width = timedelta(hours=1) if minute is None else timedelta(minutes=1) if second is None else timedelta(seconds=1)
    grain = "hour" if minute is None else "minute" if second is None else "second"
    match half:
        case "am" | "pm":
            hours = (hour % 12 + (12 if half == "pm" else 0),)
        case None if 1 <= hour <= 12:
            hours = (hour, hour % 12, hour + 12) if hour > 6 else (hour + 12, hour, hour + 24)
        case _:
            hours = (hour,)

    def make(start: datetime) -> Iterable[Interval]:
        if sound:
            for each in hours:
                lo = start + timedelta(hours=each, minutes=minute or 0, seconds=second or 0)
                yield Interval(lo, lo + width, grain, 0.7 if half is None and hour <= 12 else 1.0)

    return Pick(HOUR, "day", make)


def quarter(number: int) -> Pick:
    """The first to fourth quarter of a year."""
    return Pick(TERM, "year", lambda start: (unit_at("quarter", start, number - 1),))


def half_year(number: int) -> Pick:
    """The first or second half of a year."""

    def make(start: datetime) -> Iterable[Interval]:
        lo = step("month", start, 6 * (number - 1))
        return (Interval(lo, step("month", lo, 6), "quarter"),)

    return Pick(TERM, "year", make)


def half_month(number: int) -> Pick:
    """The first fifteen days of a month, or the rest."""

    def make(start: datetime) -> Iterable[Interval]:
        middle = step("day", start, 15)
        return (Interval(start, middle, "week") if number == 1 else Interval(middle, step("month", start, 1), "week"),)

    return Pick(WEEK, "month", make)


def season(name: str) -> Pick:
    """Three months from March, June, September or December; a year's winter is the one that begins in it."""

    def make(start: datetime) -> Iterable[Interval]:
        lo = start.replace(month=SEASONS[name])
        return (Interval(lo, step("month", lo, 3), "season", 0.9),)

    return Pick(TERM, "year", make)


def week_of_year(number: int) -> Pick:
    """The week of a year as ISO 8601 counts."""

    def make(start: datetime) -> Iterable[Interval]:
        found = nth(unit_at("year", start), number, "week") if 1 <= number <= 53 else None
        return (found,) if found else ()

    return Pick(WEEK, "year", make)


def edge_of(cycle: Literal["month", "quarter", "year"], which: Edge) -> Pick:
    """The beginning, middle or end of each month, quarter or year; alone the present one's (年底, 月初)."""
    rank = WEEK if cycle == "month" else MONTH
    return Pick(rank, cycle, lambda start: (edge(unit_at(cycle, start), which),), "present")


def yearly(make: Callable[[int], Iterable[Interval]]) -> Pick:
    """A feast: what it is in each year."""
    return Pick(DAY, "year", lambda start: make(start.year))


def moon_month(number: int, leap: bool = False) -> Pick:
    """A month of the Chinese lunar year."""

    def make(start: datetime) -> Iterable[Interval]:
        found = lunar_month(start.year, number, leap)
        return (days(at_day(found[0]), found[1], "month"),) if found else ()

    return Pick(MONTH, "year", make)


def moon_day(month: int, number: int, leap: bool = False) -> Pick:
    """A date of the Chinese lunar year."""

    def make(year: int) -> Iterable[Interval]:
        found = lunar_day(year, month, number, leap)
        return (days(at_day(found), 1),) if found else ()

    return yearly(make)


def same_day(now: Present) -> Pick:
    """Today's date in another year, else in each month ("去年的今天", "上个月的今天"); of a shorter month its last day."""
    month, number = now.wall.month, now.wall.day

    def make(start: datetime) -> Iterable[Interval]:
        for other in (month, *range(1, 13)):
            yield from day(start.year, other, min(number, monthrange(start.year, other)[1]))

    return Pick(DAY, "year", make)


def day_away(now: Present, n: int) -> Fixed:
    """The day `n` days from today."""
    return Fixed(DAY, unit_at("day", now.today, n), same_day(now) if n == 0 else None)


def part_away(now: Present, n: int, name: str) -> Fixed:
    """The part of the day `n` days from today."""
    (found,) = part(name).make(step("day", now.today, n))
    return Fixed(PART, found)


def instant(now: Present) -> Fixed:
    """This second."""
    return Fixed(LOOSE, Interval(floor("second", now.wall), step("second", floor("second", now.wall), 1), "second", 0.4))
