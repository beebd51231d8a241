"""From an HTTP request to an operation's own: names from the path, the query string and a JSON body, flat, each once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import UnionType
from typing import Any, get_args, get_type_hints
from urllib.parse import parse_qsl

import msgspec

from beebread.errors import Invalid, shown
from beebread.faces import binding
from beebread.faces.requests import made, times
from beebread.model import Query
from beebread.operations import Operation
from beebread.tasks.state import as_fields

SYNONYMS = {"agent_id": "agent", "user_id": "user", "session_id": "session", "task_id": "task", "only_kinds": "kinds"}
BINDING = tuple(name for name in binding.NAMES if name != "kinds")
"""What narrows who asks; kinds go by the name only_kinds, since a query has kinds of its own."""


class Shape:
    """What an operation's request is made of. The options of a `query` inside it stand flat beside its own names."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        self.request: type[msgspec.Struct] = operation.request
        self.types: dict[str, Any] = get_type_hints(self.request)
        self.asks = self.types.get("query") is Query
        self.flat: dict[str, Any] = {**(get_type_hints(Query) if self.asks else {}), **self.types}

    @property
    def names(self) -> list[str]:
        """Every name that a request may give."""
        own = [name for name in self.flat if not (self.asks and name == "text")]
        return [*own, *(name for name in (*BINDING, *SYNONYMS) if name not in self.flat)]

    def taken_apart(self, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """What of `given` is the request's own, and what narrows who asks. Invalid for a name that is neither."""
        own: dict[str, Any] = {}
        wish: dict[str, Any] = {}
        for name, value in given.items():
            plain = SYNONYMS.get(name, name)
            if name in self.flat or (self.request is Query and name == "query"):
                own[name] = value
            elif plain in binding.NAMES:
                wish[plain] = value
            elif name == "tz" and not self.asks and self.request is not Query:
                continue  # a zone changes nothing here
            else:
                raise Invalid(f"unknown name {shown(name)}; known are {', '.join(self.names)}")
        return own, wish

    def made(self, own: dict[str, Any]) -> Any:
        """The request. Invalid for a value of the wrong form."""
        if self.request is Query:
            return made(Query, times(_text(own)), "option of a query")
        if self.asks:
            options = {name: own.pop(name) for name in list(own) if name not in self.types}
            asked = own.pop("query", None)
            if isinstance(asked, dict):
                options = {**msgspec.convert(asked, dict[str, Any]), **options}
            elif asked is not None:
                options["text"] = asked
            return made(self.request, {**own, "query": made(Query, times(options), "option of a query")}, "name")
        if "fields" in own:
            own["fields"] = as_fields(own["fields"])
        return made(self.request, times(own), "name")


def _text(own: dict[str, Any]) -> dict[str, Any]:
    """`own` with its text under its own name; `query` is another one."""
    if "query" not in own:
        return own
    if "text" in own:
        raise Invalid("text and query are one thing: give one of them")
    return {"text": own.pop("query"), **own}


def typed(shape: Shape, pairs: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """The names of a query string, each value in the form that it has to have; a name given several times is a list."""
    grouped: dict[str, list[str]] = {}
    for name, value in pairs:
        grouped.setdefault(name, []).append(value)
    return {name: _typed(name, values, shape.flat.get(name, _OF_BINDING.get(name, str))) for name, values in grouped.items()}


_OF_BINDING: dict[str, Any] = {
    "groups": tuple[str, ...], "kinds": tuple[str, ...], "only_kinds": tuple[str, ...], "clearance": int, "private": bool,
    binding.NOBODY: bool,
}  # fmt: skip


def _typed(name: str, values: list[str], wanted: Any) -> Any:
    choices = get_args(wanted) if isinstance(wanted, UnionType) else (wanted,)
    if any(getattr(choice, "__origin__", None) is tuple for choice in choices):
        return values
    if len(values) > 1:
        raise Invalid(f"{shown(name)} is given {len(values)} times: give it once")
    if any(choice in (str, Any, datetime) for choice in choices):
        return values[0]
    if any(getattr(choice, "__origin__", None) is dict for choice in choices):
        return body_of(values[0].encode())
    try:
        return msgspec.convert(values[0], wanted, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(f"{name} of the wrong form: {error}") from None


def body_of(raw: bytes) -> dict[str, Any]:
    """The names of a JSON body; none of an empty one. Invalid for what is no JSON object."""
    if not raw.strip():
        return {}
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.ValidationError as error:
        raise Invalid(f"the body must be a JSON object: {error}") from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Invalid(f"the body is no JSON: {error}") from None


def bound(header: str) -> dict[str, Any]:
    """What narrows who asks, from the header Beebread-Bind: the names as in a query string, for programs that keep them apart."""
    if not header:
        return {}
    pairs = [(SYNONYMS.get(name, name), value) for name, value in parse_qsl(header, keep_blank_values=True, max_num_fields=200)]
    grouped: dict[str, list[str]] = {}
    for name, value in pairs:
        if name not in (*binding.NAMES, binding.NOBODY):
            raise Invalid(f"unknown name {shown(name)} in Beebread-Bind; known are {', '.join(binding.NAMES)}")
        grouped.setdefault(name, []).append(value)
    return {name: _typed(name, values, _OF_BINDING.get(name, str)) for name, values in grouped.items()}
