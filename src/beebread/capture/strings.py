"""Every string inside an event: changed one by one (masked, made storable), whatever JSON it sits in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec

from beebread.errors import Invalid
from beebread.model import Event
from beebread.text import clean

Change = Callable[[str, str], str]
"""From (name it stands under, string) to the string to keep; the name of a list's items is the list's."""
_encode = msgspec.json.Encoder().encode


def mapped(value: Any, change: Change, name: str = "") -> Any:
    """`value` (any JSON) with each of its strings changed; keys, numbers and the shape stay."""
    if isinstance(value, str):
        return change(name, value)
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        return {key: mapped(item, change, key) for key, item in items.items()}
    if isinstance(value, (list, tuple)):
        return [mapped(item, change, name) for item in cast("list[Any]", value)]
    return value


def plain(value: Any, name: str) -> Any:
    """A copy of `value` as JSON has it, so that the host may go on changing its own; what JSON does not know becomes its `str`.

    Raises Invalid for what is nested too deeply or has keys that are not text or numbers.
    """
    try:
        copied = msgspec.to_builtins(value, str_keys=True, enc_hook=str)
    except (RecursionError, TypeError, ValueError) as error:
        raise Invalid(f"{name} cannot be kept as JSON: {error}") from None
    if not is_shallow(copied):
        raise Invalid(f"{name} is nested more than {MAX_DEPTH} levels deep: flatten it")
    return copied


def cleaned(event: Event) -> Event:
    """`event` as every engine can store it: no NUL, no lone surrogate in any string. Raises Invalid where it cannot be JSON at all."""
    try:
        if b"\\u0000" not in _encode(event):
            return event
    except UnicodeEncodeError:
        pass
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"event {event.id!r} cannot be kept as JSON: {error}", ids=(event.id,)) from None
    built = msgspec.to_builtins(event, builtin_types=(type(event.at),))
    return msgspec.convert(_clean(built), Event, builtin_types=(type(event.at),))


def _clean(value: Any) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        return {clean(key): _clean(item) for key, item in items.items()}
    if isinstance(value, (list, tuple)):
        return [_clean(item) for item in cast("list[Any]", value)]
    return clean(value) if isinstance(value, str) else value
