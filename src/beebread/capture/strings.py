"""Every string inside an event: changed one by one (masked, made storable), whatever JSON it sits in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec

from beebread.errors import Invalid
from beebread.model import MAX_DEPTH, Event, is_finite, is_shallow
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
    if not (is_shallow(copied) and is_finite(copied, integers=True)):
        raise Invalid(f"{name} is nested more than {MAX_DEPTH} levels deep, or has a number of hundreds of digits: write that as text")
    return copied


def as_json(value: Any) -> str:
    """The JSON of plain `value`, made storable."""
    try:
        return _encode(value).decode()
    except UnicodeEncodeError:
        return _encode(storable(value)).decode()


def cleaned(event: Event) -> Event:
    """`event` as every engine can store it: no NUL, no lone surrogate in any string.

    Raises Invalid where it cannot be JSON at all, and where its id, owner or session could not be kept as they are: with other ones it
    would be another event, or somebody else's.
    """
    try:
        if not is_shallow([event.parts, event.tool and event.tool.args, event.model and event.model.params]):
            raise Invalid(f"event {event.id!r} is nested more than {MAX_DEPTH} levels deep: flatten it", ids=(event.id,))
        if b"\\u0000" not in _encode(event):
            return event
    except UnicodeEncodeError:
        pass
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"event {event.id!r} cannot be kept as JSON: {error}", ids=(event.id,)) from None
    built = msgspec.to_builtins(event, builtin_types=(type(event.at),))
    done = msgspec.convert(storable(built), Event, builtin_types=(type(event.at),))
    if (done.id, done.scope) != (event.id, event.scope):
        raise Invalid(f"the id or the scope of event {event.id!r} has a NUL or half a character: write it as valid text", ids=(event.id,))
    return done


def storable(value: Any) -> Any:
    """`value` (any JSON) with each of its strings, keys too, as every engine can store it."""
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value)
        return {clean(key) if isinstance(key, str) else key: storable(item) for key, item in items.items()}
    if isinstance(value, (list, tuple)):
        return [storable(item) for item in cast("list[Any]", value)]
    return clean(value) if isinstance(value, str) else value
