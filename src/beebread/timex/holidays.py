"""The feasts of both cultures: the day, or days, of each in a given year."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, timedelta

from beebread.timex.calendars import at_day, day, days, nth, unit_at
from beebread.timex.lunar import lunar_day
from beebread.timex.marks import Interval

Feast = Callable[[int], Iterable[Interval]]


def on(month: int, number: int, count: int = 1) -> Feast:
    """The same date each year, for `count` days."""
    return lambda year: day(year, month, number, "day" if count == 1 else "week", count)


def the(n: int, weekday: int, month: int, later: int = 0) -> Feast:
    """The n-th weekday (Monday 0; from the end when n < 0) of a month, or `later` days after it."""

    def make(year: int) -> Iterable[Interval]:
        found = nth(unit_at("month", at_day(date(year, month, 1))), n, weekday)
        return (days(found.lo + timedelta(days=later), 1),) if found and found.lo else ()

    return make


def moon(month: int, number: int, later: int = 0, count: int = 1) -> Feast:
    """A date of the Chinese lunar year, moved by `later` days, for `count` days."""

    def make(year: int) -> Iterable[Interval]:
        found = lunar_day(year, month, number)
        return (days(at_day(found + timedelta(days=later)), count, "day" if count == 1 else "week"),) if found else ()

    return make


def easter(later: int = 0) -> Feast:
    """The Western Easter Sunday (the anonymous Gregorian computus), moved by `later` days."""

    def make(year: int) -> Iterable[Interval]:
        a, (b, c) = year % 19, divmod(year, 100)
        d, e = divmod(b, 4)
        g = (8 * b + 13) // 25
        h = (19 * a + b - d - g + 15) % 30
        i, k = divmod(c, 4)
        m = (32 + 2 * e + 2 * i - h - k) % 7
        n, p = divmod(h + m - 7 * ((a + 11 * h + 22 * m) // 451) + 114, 31)
        return (days(at_day(date(year, n, p + 1) + timedelta(days=later)), 1),)

    return make


def solar_term(month: int, constants: tuple[float, float]) -> Feast:
    """A solar term by the almanac rule [0.2422 y + C] - [leap days], C for the 20th and the 21st century."""

    def make(year: int) -> Iterable[Interval]:
        y = year % 100
        constant = constants[0] if year < 2000 else constants[1]
        return day(year, month, int(0.2422 * y + constant) - (y // 4 if month > 2 else (y - 1) // 4))

    return make


QINGMING = solar_term(4, (5.59, 4.81))
WINTER_SOLSTICE = solar_term(12, (22.60, 21.94))
SPRING_FESTIVAL = moon(1, 1)
CHRISTMAS = on(12, 25)
NEW_YEAR = on(1, 1)
VALENTINE = on(2, 14)
HALLOWEEN = on(10, 31)
THANKSGIVING = the(4, 3, 11)
MOTHERS_DAY = the(2, 6, 5)
FATHERS_DAY = the(3, 6, 6)
LANTERN = moon(1, 15)
DRAGON_BOAT = moon(5, 5)
QIXI = moon(7, 7)
MID_AUTUMN = moon(8, 15)
DOUBLE_NINTH = moon(9, 9)
