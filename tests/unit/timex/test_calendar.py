"""Month ends, leap days, week starts, zones and summer time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from beebread.timex import find
from tests.unit.timex.tables import moment, only

# said at | expression | start | end
TABLE = """
2026-03-31 | a month ago | 2026-02-01 | 2026-03-01
2026-03-31 | 上个月的今天 | 2026-02-28 | 2026-03-01
2026-03-31 | last month | 2026-02-01 | 2026-03-01
2024-03-31 | 上个月底 | 2024-02-21 | 2024-03-01
2024-02-29 | a year ago | 2023-01-01 | 2024-01-01
2024-02-29 | 去年的今天 | 2023-02-28 | 2023-03-01
2024-02-29 | 去年今天 | 2023-02-28 | 2023-03-01
2024-03-01 | yesterday | 2024-02-29 | 2024-03-01
2023-03-01 | 昨天 | 2023-02-28 | 2023-03-01
2026-05-05 | February 29 | 2024-02-29 | 2024-03-01
2026-05-05 | 2月29日 | 2024-02-29 | 2024-03-01
2026-03-01 | 31号 | 2026-01-31 | 2026-02-01
2026-01-01 | yesterday | 2025-12-31 | 2026-01-01
2026-01-01 | last week | 2025-12-22 | 2025-12-29
2026-01-01 | 上个月 | 2025-12-01 | 2026-01-01
2026-01-01 | last quarter | 2025-10-01 | 2026-01-01
2026-01-01 | 上季度 | 2025-10-01 | 2026-01-01
2026-01-15 | last winter | 2024-12-01 | 2025-03-01
2026-01-15 | 冬天 | 2025-12-01 | 2026-03-01
2026-11-29 | last week | 2026-11-16 | 2026-11-23
2026-11-29 | this week | 2026-11-23 | 2026-11-30
2026-11-29 | 本周 | 2026-11-23 | 2026-11-30
2026-11-29 | 周末 | 2026-11-28 | 2026-11-30
2026-11-29 | last weekend | 2026-11-21 | 2026-11-23
2026-12-04 | Friday | 2026-11-27 | 2026-11-28
2026-12-04 | 周五 | 2026-11-27 | 2026-11-28
2026-12-04 | 周四 | 2026-12-03 | 2026-12-04
2026-12-04 | this Friday | 2026-12-04 | 2026-12-05
2026-12-04 | next Friday | 2026-12-11 | 2026-12-12
2026-12-06 | next Monday | 2026-12-07 | 2026-12-08
2026-12-06 | 下周一 | 2026-12-07 | 2026-12-08
2026-12-06 | 上周日 | 2026-11-29 | 2026-11-30
2026-03-10 | in May | 2025-05-01 | 2025-06-01
2026-03-10 | 5月 | 2025-05-01 | 2025-06-01
2026-05-10 | in May | 2026-05-01 | 2026-06-01
2026-03-10 | 11月到2月 | 2025-11-01 | 2026-03-01
2026-03-10 | from December to January | 2025-12-01 | 2026-02-01
2026-03-10 | Q4 | 2025-10-01 | 2026-01-01
2026-02-10 | 去年第四季度 | 2025-10-01 | 2026-01-01
2026-03-10 | 今年春节 | 2026-02-17 | 2026-02-18
2026-02-10 | 春节 | 2025-01-29 | 2025-01-30
2026-02-10 | 去年春节 | 2025-01-29 | 2025-01-30
2025-09-10 | 闰六月 | 2025-07-25 | 2025-08-23
2026-12-25 | Christmas | 2026-12-25 | 2026-12-26
2026-12-24 | Christmas | 2025-12-25 | 2025-12-26
2026-01-02 | 2020-W53 | 2020-12-28 | 2021-01-04
2026-01-02 | 2025-W01 | 2024-12-30 | 2025-01-06
2021-01-02 | last week | 2020-12-21 | 2020-12-28
"""


@pytest.mark.requirement("R3")
@pytest.mark.parametrize("line", TABLE.strip().splitlines())
def test_edges_of_the_calendar(line: str) -> None:
    said, expression, start, end = (cell.strip() for cell in line.split("|"))
    now = moment(f"{said} 10:00")
    assert now
    spans = find(expression, now)
    if start == end == "":
        assert spans == ()
    else:
        assert [(span.start, span.end) for span in spans] == [(moment(start), moment(end))], spans


def test_the_zone_says_which_day_it_is() -> None:
    at = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)
    zones = {"Asia/Shanghai": 29, "America/New_York": 28, "UTC": 29, "Pacific/Kiritimati": 29, "Pacific/Pago_Pago": 28}
    for name, day in zones.items():
        zone = ZoneInfo(name)
        span = only("yesterday", at.astimezone(zone))
        assert span.start == datetime(2026, 11, day, tzinfo=zone) and span.end == datetime(2026, 11, day + 1, tzinfo=zone)


def test_days_of_23_and_25_hours() -> None:
    zone = ZoneInfo("America/New_York")
    short = only("yesterday", datetime(2026, 3, 9, 10, 0, tzinfo=zone))
    long = only("昨天", datetime(2026, 11, 2, 10, 0, tzinfo=zone))
    assert short.start and short.end and long.start and long.end
    assert short.end - short.start == timedelta(hours=23)
    assert long.end - long.start == timedelta(hours=25)
    week = only("last week", datetime(2026, 11, 2, 10, 0, tzinfo=zone))
    assert week.start and week.end
    assert week.end - week.start == timedelta(days=7, hours=1)


def test_hours_ago_are_hours_that_passed() -> None:
    zone = ZoneInfo("America/New_York")
    now = datetime(2026, 11, 1, 3, 30, tzinfo=zone)  # the hour from 1 to 2 came twice this night
    span = only("3 hours ago", now)
    assert span.start and span.end
    assert span.start <= now.astimezone(UTC) - timedelta(hours=3) < span.end
    assert span.end - span.start == timedelta(hours=1)


def test_an_hour_that_the_clocks_skip_is_still_an_hour() -> None:
    zone = ZoneInfo("America/New_York")
    span = only("yesterday at 2am", datetime(2026, 3, 9, 10, 0, tzinfo=zone))
    assert span.start and span.end
    assert span.end - span.start == timedelta(hours=1)


def test_a_day_whose_midnight_the_clocks_skip() -> None:
    zone = ZoneInfo("America/Santiago")  # on 2026-09-06 clocks go from 0:00 to 1:00
    span = only("yesterday", datetime(2026, 9, 7, 10, 0, tzinfo=zone))
    assert span.start and span.end
    assert span.end - span.start == timedelta(hours=23)


def test_a_stamp_with_an_offset_is_that_instant() -> None:
    span = only("2026-11-30T15:30:00Z")
    assert span.start == datetime(2026, 11, 30, 15, 30, tzinfo=UTC)
    assert only("2026-11-30 15:30").start == moment("2026-11-30 15:30")


@pytest.mark.parametrize("year", range(1995, 2056))
def test_weeks_and_quarters_of_every_year_tile_it(year: int) -> None:
    now = datetime(year, 12, 31, 12, tzinfo=UTC)
    quarters = [only(f"Q{n} {year}", now) for n in (1, 2, 3, 4)]
    assert quarters[0].start == datetime(year, 1, 1, tzinfo=UTC) and quarters[3].end == datetime(year + 1, 1, 1, tzinfo=UTC)
    assert all(one.end == two.start for one, two in pairwise(quarters))
    first = only(f"{year}-W01", now).start
    assert first and first.isocalendar()[:2] == (year, 1) and first.isoweekday() == 1
