"""The only place that asks what time it is, and the one reading of a time given from outside."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from beebread.errors import Invalid

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
EARLIEST_YEAR, LATEST_YEAR = 1900, 2200


class Clock(Protocol):
    """Tells the present moment."""

    def now(self) -> datetime:
        """The present as an aware datetime in UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.fromtimestamp(time.time(), UTC)


class ManualClock:
    """A clock that stands still until it is told to move; for tests and replays."""

    def __init__(self, start: datetime) -> None:
        self._now = parse_time(start)

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> datetime:
        """Move on by `seconds` (may be negative) and return the new present."""
        self._now += timedelta(seconds=seconds)
        return self._now


def parse_time(value: datetime | str, name: str = "time") -> datetime:
    """An aware datetime from an aware datetime or an ISO 8601 string with an offset; the offset is kept.

    Raises Invalid for naive, unreadable or absurd (outside 1900 to 2200) times, since a guessed zone moves memories to another day.
    """
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            raise Invalid(
                f"{name} {value[:60]!r} is not a time: write it as ISO 8601 with an offset, such as 2026-11-30T09:00:00+08:00"
            ) from None
    if not isinstance(value, datetime):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not all typed
        raise Invalid(f"{name} must be a datetime or an ISO 8601 string, not {type(value).__name__}")
    offset = value.utcoffset()
    if offset is None:
        raise Invalid(f"{name} {value.isoformat()} has no time zone: add one, such as {value.isoformat()}+00:00")
    if not EARLIEST_YEAR <= value.year <= LATEST_YEAR:
        raise Invalid(
            f"{name} {value.isoformat()} is outside {EARLIEST_YEAR} to {LATEST_YEAR}: check its unit (seconds, milliseconds?) and year"
        )
    # A fixed offset, since a zone's rules may change under a stored record.
    return value if value.tzinfo is UTC else value.replace(tzinfo=timezone(offset) if offset else UTC)


def micros(value: datetime) -> int:
    """Microseconds since 1970-01-01 UTC of an aware datetime; the form in which times are ordered and indexed."""
    return (value - EPOCH) // MICROSECOND


def from_micros(value: int) -> datetime:
    """The UTC datetime of `micros`."""
    return EPOCH + value * MICROSECOND


def parse_zone(name: str) -> ZoneInfo:
    """The time zone called `name` (IANA, such as Asia/Shanghai); Invalid when there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid(f"time zone {name[:60]!r} is unknown: use an IANA name such as Asia/Shanghai or UTC") from None
