"""The Chinese lunar table against the sky, and feasts against known dates."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta

import pytest

from beebread.timex.lunar import lunar_day, lunar_month
from tests.unit.timex.tables import only

KNOWN = """
春节 2000-02-05 2008-02-07 2015-02-19 2020-01-25 2023-01-22 2024-02-10 2025-01-29 2026-02-17 2033-01-31
除夕 2020-01-24 2023-01-21 2024-02-09 2025-01-28 2026-02-16
元宵节 2023-02-05 2024-02-24 2025-02-12 2026-03-03
清明节 1999-04-05 2008-04-04 2020-04-04 2023-04-05 2024-04-04 2025-04-04 2026-04-05 2027-04-05 2028-04-04
端午节 2020-06-25 2023-06-22 2024-06-10 2025-05-31 2026-06-19
七夕 2020-08-25 2023-08-22 2024-08-10 2025-08-29 2026-08-19
中秋节 2020-10-01 2023-09-29 2024-09-17 2025-10-06 2026-09-25
重阳节 2020-10-25 2023-10-23 2024-10-11 2025-10-29 2026-10-18
冬至 2020-12-21 2022-12-22 2023-12-22 2024-12-21 2025-12-21
Easter 2000-04-23 2008-03-23 2011-04-24 2019-04-21 2024-03-31 2025-04-20 2026-04-05 2038-04-25
Good Friday 2024-03-29 2025-04-18 2026-04-03
Thanksgiving 2019-11-28 2023-11-23 2024-11-28 2025-11-27 2026-11-26
Black Friday 2023-11-24 2024-11-29 2026-11-27
Labor Day 2024-09-02 2025-09-01 2026-09-07
Memorial Day 2024-05-27 2025-05-26 2026-05-25
Mother's Day 2024-05-12 2025-05-11 2026-05-10
父亲节 2024-06-16 2025-06-15 2026-06-21
MLK Day 2024-01-15 2025-01-20
Christmas 2025-12-25
Halloween 2024-10-31
双十一 2024-11-11
"""


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("line", KNOWN.strip().splitlines())
def test_feasts(line: str) -> None:
    cells = line.split(" ")
    days = [date.fromisoformat(cell) for cell in cells if cell[:1] in "12"]
    name = " ".join(cells[: len(cells) - len(days)])
    for day in days:
        text = f"{day.year}年{name}" if name > "一" else f"{name} {day.year}"
        span = only(text, datetime(2026, 11, 30, 10, tzinfo=UTC))
        assert span.start and span.start.date() == day, f"{text}: {span}"


def new_moon(k: int) -> float:
    """The Julian day (dynamical time) of new moon `k` after that of 6 January 2000: Meeus, Astronomical Algorithms, chapter 49."""
    t = k / 1236.85
    e = 1 - 0.002516 * t - 0.0000074 * t * t
    m, p, f, o = (
        math.radians(angle)
        for angle in (
            2.5534 + 29.10535670 * k - 0.0000014 * t * t,
            201.5643 + 385.81693528 * k + 0.0107582 * t * t,
            160.7108 + 390.67050284 * k - 0.0016118 * t * t,
            124.7746 - 1.56375588 * k,
        )
    )
    terms = (
        (-0.40720, p), (0.17241 * e, m), (0.01608, 2 * p), (0.01039, 2 * f), (0.00739 * e, p - m), (-0.00514 * e, p + m),
        (0.00208 * e * e, 2 * m), (-0.00111, p - 2 * f), (-0.00057, p + 2 * f), (0.00056 * e, 2 * p + m), (-0.00042, 3 * p),
        (0.00042 * e, m + 2 * f), (0.00038 * e, m - 2 * f), (-0.00024 * e, 2 * p - m), (-0.00017, o), (-0.00007, p + 2 * m),
    )  # fmt: skip
    planets = (
        (299.77, 0.107408, 325),
        (251.88, 0.016321, 165),
        (251.83, 26.651886, 164),
        (349.42, 36.412478, 126),
        (84.66, 18.206239, 110),
    )
    day = 2451550.09766 + 29.530588861 * k + 0.00015437 * t * t
    return day + sum(a * math.sin(x) for a, x in terms) + sum(a * 1e-6 * math.sin(math.radians(x + y * k)) for x, y, a in planets)


def sun(day: float) -> float:
    """The sun's apparent longitude in degrees: Meeus, chapter 25."""
    t = (day - 2451545) / 36525
    m = math.radians(357.52911 + 35999.05029 * t - 0.0001537 * t * t)
    centre = (1.914602 - 0.004817 * t) * math.sin(m) + (0.019993 - 0.000101 * t) * math.sin(2 * m) + 0.000289 * math.sin(3 * m)
    nutation = 0.00569 + 0.00478 * math.sin(math.radians(125.04 - 1934.136 * t))
    return (280.46646 + 36000.76983 * t + 0.0003032 * t * t + centre - nutation) % 360


def beijing(day: float) -> datetime:
    """UTC+8 of a Julian day of dynamical time."""
    return datetime(2000, 1, 1, 12, tzinfo=UTC) + timedelta(days=day - 2451545, hours=8, seconds=-70)


def test_lunar_months_begin_with_the_new_moon() -> None:
    moons = {beijing(new_moon(k)).date() for k in range(-140, 780)}
    for year in range(1990, 2061):
        for month in range(1, 13):
            for leap in (False, True):
                if found := lunar_month(year, month, leap):
                    assert found[0] in moons and found[0] + timedelta(days=found[1]) in moons, (year, month, leap)


def test_the_sun_reaches_each_sign_in_its_month() -> None:
    """Month 1 holds the day on which the sun reaches 330 degrees, month 2 that of 0 and so on; a leap month holds none."""
    for year in range(1990, 2061):
        for month in range(1, 13):
            for leap in (False, True):
                found = lunar_month(year, month, leap)
                if found is None:
                    continue
                start = (found[0] - date(2000, 1, 1)).days + 2451544.5 - 8 / 24 + 70 / 86400
                first, last = sun(start), sun(start + found[1])
                signs = {int(first // 30), int(last // 30)} - {int(first // 30)}
                if leap:
                    assert not signs, (year, month)
                elif year not in {2033, 2034, 2052, 2053}:  # where months with two signs and with none stand side by side
                    assert signs == {(month + 10) % 12}, (year, month, first, last)


def test_lunar_dates_that_do_not_exist() -> None:
    assert lunar_day(2026, 13, 1) is None and lunar_day(2026, 1, 31) is None and lunar_day(1900, 1, 1) is None
    assert lunar_day(2025, 6, 1, leap=True) == date(2025, 7, 25) and lunar_day(2026, 6, 1, leap=True) is None
