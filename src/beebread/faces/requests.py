"""Requests made of what a caller gave, checked: unknown names, wrong forms, times, and what no engine can keep."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeVar

import msgspec

from beebread.capture import storable
from beebread.clock import parse_time
from beebread.errors import Invalid, shown

When = datetime | str | None
SAID = ("text", "system", "args", "value")
"""What in a request is content; all else names something."""
TIMES = ("at", "after", "before", "as_of", "known_at", "now", "valid_from", "valid_to", "expires_at", "start")
T = TypeVar("T", bound=msgspec.Struct)


def moment(value: When, name: str) -> datetime | None:
    """A time as given, read and checked; `name` is what a message calls it."""
    return None if value is None else parse_time(value, name)


def name_of(value: object) -> str:
    """`value` as the name of something, which need not be a name that anything has; Invalid for what is no text."""
    if not isinstance(value, str):
        raise Invalid(f"an id or key is text, not {shown(value)}")
    return value


def times(options: Mapping[str, Any]) -> dict[str, Any]:
    """`options` with every time in them read and checked."""
    return {name: moment(value, name) if name in TIMES else value for name, value in options.items()}


def made(kind: type[T], given: dict[str, Any], what: str) -> T:
    """A request of `kind`; Invalid for a name that it does not have, a value of the wrong form, or one that no engine can keep.

    What is said may hold any character, and is made storable.
    """
    unknown = sorted(set(given) - set(kind.__struct_fields__))
    if unknown:
        raise Invalid(f"unknown {what}: {', '.join(unknown)}; known are {', '.join(kind.__struct_fields__)}")
    try:
        request = msgspec.convert({name: storable(value) if name in SAID else value for name, value in given.items()}, kind)
    except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as error:
        raise Invalid(f"{what} of the wrong form: {error}") from None
    try:
        msgspec.json.encode(request)
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"{what} that is no JSON: {error}") from None
    return request
