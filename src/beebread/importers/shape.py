"""Reading JSON whose shape is somebody else's: each look-up says what is wrong in words, and times are never guessed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypeGuard

import msgspec

from beebread.clock import from_micros, parse_time, parse_zone
from beebread.errors import Invalid

_LATEST = 253_402_300_799_000_000  # microseconds; the end of the year 9999


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether `value` is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether `value` is a JSON list."""
    return isinstance(value, list)


def mapping(value: object, what: str) -> dict[str, Any]:
    """`value` as a JSON object, else Invalid."""
    if not is_object(value):
        raise Invalid(f"{what} is {_short(value)}, not an object")
    return value


def listing(value: object, what: str) -> list[Any]:
    """`value` as a list, where null is an empty one; else Invalid."""
    if value is None:
        return []
    if not is_list(value):
        raise Invalid(f"{what} is {_short(value)}, not a list")
    return value


def string(value: object, what: str) -> str:
    """`value` as text, where null is empty; else Invalid."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise Invalid(f"{what} is {_short(value)}, not a string")
    return value


def name(value: object, what: str) -> str:
    """`value` as an id: text, or a whole number as its digits."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else string(value, what)


def first(value: dict[str, Any], *names: str) -> Any:
    """What stands under the first of `names` that `value` has, else None."""
    return next((value[name] for name in names if value.get(name) is not None), None)


def arguments(value: object) -> Any:
    """The arguments of a tool call: the object that a JSON string of them says, else the value as it is."""
    if not isinstance(value, str):
        return value
    try:
        parsed = msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return value
    return parsed if is_object(parsed) else value


def as_json(value: object) -> bytes:
    """The JSON of `value`, compact and in its own order; Invalid for what JSON cannot carry."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        raise Invalid("the text holds half a character (a lone surrogate such as \\ud800): write it as valid Unicode") from None
    except RecursionError:
        raise Invalid("the content is nested too deeply: flatten it") from None


def moment(value: object, what: str, zone: str = "") -> datetime:
    """An aware time from ISO 8601, keeping its offset, or from a Unix time in s, ms, µs or ns.

    A time without an offset is in `zone`; without a zone it is refused, as are absurd times: Invalid.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _unix(value, what)
    text = string(value, what).strip()
    if zone and text:
        try:
            naive = datetime.fromisoformat(text)
        except ValueError:
            return parse_time(text, what)
        if naive.tzinfo is None:
            return parse_time(naive.replace(tzinfo=parse_zone(zone)), what)
    try:
        return parse_time(text, what)
    except Invalid as error:
        hint = "" if "time zone" not in str(error) else ", or give the zone of the file's times (tz)"
        raise Invalid(f"{error}{hint}") from None


def _unix(value: float, what: str) -> datetime:
    micros = _micros(value) if abs(value) < 1e19 else -1  # neither infinite nor, comparing false, NaN
    if not 0 <= micros <= _LATEST:
        raise Invalid(f"{what} {value} is not a Unix time: check its unit and sign")
    return parse_time(from_micros(micros), what)


def _micros(value: float) -> int:
    # 1e11 seconds is the year 5138: a bigger number counts milliseconds, and so on.
    size = abs(value)
    if size < 1e11:
        return round(value * 1_000_000)
    if size < 1e14:
        return round(value * 1_000)
    return round(value) if size < 1e17 else round(value / 1_000)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
