"""The names of time zones beside a time of day: 3pm UTC, 9:00 EST, UTC+8, 北京时间."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from beebread.timex.marks import Interval

# Letters that name one offset only; CST, IST and their like name several and are left alone.
_OFFSETS: dict[str, float] = {
    "utc": 0, "gmt": 0, "bst": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3, "sgt": 8, "hkt": 8, "jst": 9, "kst": 9,
    "aest": 10, "aedt": 11, "est": -5, "edt": -4, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
}  # fmt: skip
_PLACES: dict[str, str] = {
    "et": "America/New_York", "eastern": "America/New_York", "new york": "America/New_York", "pt": "America/Los_Angeles",
    "pacific": "America/Los_Angeles", "london": "Europe/London", "berlin": "Europe/Berlin", "paris": "Europe/Paris", "tokyo": "Asia/Tokyo",
    "beijing": "Asia/Shanghai", "china": "Asia/Shanghai", "singapore": "Asia/Singapore", "sydney": "Australia/Sydney",
    "北京": "Asia/Shanghai", "东京": "Asia/Tokyo", "纽约": "America/New_York", "美东": "America/New_York", "美西": "America/Los_Angeles",
    "太平洋": "America/Los_Angeles", "伦敦": "Europe/London", "柏林": "Europe/Berlin", "巴黎": "Europe/Paris", "新加坡": "Asia/Singapore",
    "悉尼": "Australia/Sydney",
}  # fmt: skip
_LETTERS = "|".join(sorted(_OFFSETS, key=len, reverse=True))
_CITIES = "|".join(name for name in _PLACES if name.isascii() and len(name) > 2)
_HAN = "|".join(name for name in _PLACES if not name.isascii())

_AFTER = re.compile(
    # A dash with a space behind it, or before a time with a zone of its own, is that of a span: 9:00 UTC - 10:00 UTC.
    rf" ?(?P<open>\()?(?:(?:utc|gmt) ?(?P<sign>\+|-(?! )) ?(?P<hours>[01]?[0-9])"
    rf"(?::?(?P<minutes>[0-5][0-9]))?(?!:?[0-9]| ?(?:utc|gmt|[ap]m))"
    rf"|(?P<letters>{_LETTERS}|(?:et(?! al)|pt))"
    rf"|(?P<place>{_CITIES}) time)(?![a-z0-9])(?(open)\))(?:时间)?"
)
_BEFORE = re.compile(rf"(?P<place>{_HAN})时间的?[:,， ]?$|(?P<letters>utc|gmt) ?时间的?[:,， ]?$")


def after(text: str, at: int) -> tuple[int, tzinfo] | None:
    """The zone named at `at`, right after a time of day: where its name ends, and the zone."""
    match = _AFTER.match(text, at)
    return (match.end(), zone) if match and (zone := _zone(match)) else None


def before(text: str) -> tuple[int, tzinfo] | None:
    """The zone named at the end of `text`, right before a date or a time: how many characters, and the zone."""
    match = _BEFORE.search(text)
    return (len(text) - match.start(), zone) if match and (zone := _zone(match)) else None


def _zone(match: re.Match[str]) -> tzinfo | None:
    found = match.groupdict()
    if found.get("hours"):
        offset = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"] or 0))
        return timezone(-offset if found["sign"] == "-" else offset)
    name = found["letters"] or found["place"]
    return _place(_PLACES[name]) if name in _PLACES else timezone(timedelta(hours=_OFFSETS[name]))


@cache
def _place(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:  # a machine without the tables of zones: the time is read as the user's own
        return None


def moved(whole: Interval, there: tzinfo, here: tzinfo) -> Interval:
    """An interval in the wall time of one zone, in that of another."""
    return Interval(_moved(whole.lo, there, here), _moved(whole.hi, there, here), whole.grain, whole.sure)


def _moved(wall: datetime | None, there: tzinfo, here: tzinfo) -> datetime | None:
    return wall.replace(tzinfo=there).astimezone(here).replace(tzinfo=None) if wall is not None else None
