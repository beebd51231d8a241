"""The Chinese lunar calendar of 1989 to 2061: when each of its months begins."""

from __future__ import annotations

from datetime import date, timedelta

# One number a year: bits 15 to 4 say which of months 1 to 12 have 30 days, the lowest four which month is followed by a leap month,
# bit 16 whether that one has 30. Computed from new moons and solar terms at UTC+8; the tests compute them again.
_FIRST_YEAR = 1989
_NEW_YEAR = date(1989, 2, 6)
_YEARS = (
    0x09570, 0x04AF5, 0x04970, 0x064B0, 0x074A3, 0x0EA50, 0x06B58, 0x05AC0, 0x0AB60, 0x096D5, 0x092E0, 0x0C960, 0x0D954, 0x0D4A0, 0x0DA50,
    0x07552, 0x056A0, 0x0ABB7, 0x025D0, 0x092D0, 0x0CAB5, 0x0A950, 0x0B4A0, 0x0BAA4, 0x0AD50, 0x055D9, 0x04BA0, 0x0A5B0, 0x15176, 0x052B0,
    0x0A930, 0x07954, 0x06AA0, 0x0AD50, 0x05B52, 0x04B60, 0x0A6E6, 0x0A4E0, 0x0D260, 0x0EA65, 0x0D530, 0x05AA0, 0x076A3, 0x096D0, 0x04AFB,
    0x04AD0, 0x0A4D0, 0x1D0B6, 0x0D250, 0x0D520, 0x0DD45, 0x0B5A0, 0x056D0, 0x055B2, 0x049B0, 0x0A577, 0x0A4B0, 0x0AA50, 0x1B255, 0x06D20,
    0x0ADA0, 0x14B63, 0x09370, 0x049F8, 0x04970, 0x064B0, 0x168A6, 0x0EA50, 0x06B20, 0x1A6C4, 0x0AAE0, 0x092E0, 0x0D2E3,
)  # fmt: skip


def _months() -> dict[tuple[int, int, bool], tuple[date, int]]:
    at, found = _NEW_YEAR, dict[tuple[int, int, bool], tuple[date, int]]()
    for year, bits in enumerate(_YEARS, _FIRST_YEAR):
        for month in range(1, 13):
            length = 30 if bits >> (16 - month) & 1 else 29
            found[year, month, False] = at, length
            at += timedelta(days=length)
            if bits & 15 == month:
                length = 30 if bits >> 16 else 29
                found[year, month, True] = at, length
                at += timedelta(days=length)
    return found


_STARTS = _months()


def lunar_month(year: int, month: int, leap: bool = False) -> tuple[date, int] | None:
    """The first day of a lunar month and its number of days; None outside the table or when the year has no such month."""
    return _STARTS.get((year, month, leap))


def lunar_day(year: int, month: int, number: int, leap: bool = False) -> date | None:
    """The day of a lunar date; None when there is none."""
    found = lunar_month(year, month, leap)
    return found[0] + timedelta(days=number - 1) if found and 1 <= number <= found[1] else None
