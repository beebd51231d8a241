"""Answers: an operation's answer as JSON with its ETag, an error as a problem (RFC 9457)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.responses import Response

from beebread.errors import BeebreadError, codes
from beebread.model import Memory, State

_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_encode = msgspec.json.Encoder(enc_hook=str).encode


class Refused(Exception):
    """A request that HTTP itself refuses: its status, what to do about it, and the headers that say so."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None, *, kind: str = "") -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.kind = status, detail, headers or {}, kind


TITLES = {
    400: "Bad request", 401: "Unauthorized", 403: "Forbidden", 404: "Not found", 405: "Method not allowed", 408: "Request timeout",
    409: "Conflict", 412: "Precondition failed", 413: "Content too large", 414: "URI too long", 415: "Unsupported media type",
    422: "Invalid", 429: "Too many requests", 431: "Request header fields too large", 500: "Fault", 503: "Unavailable",
}  # fmt: skip


def json(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """`value` as JSON."""
    return Response(_encode(value), status, headers, "application/json")


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None, *, kind: str = "", **more: Any) -> Response:
    """A problem document; `kind` is the last part of its type."""
    title = TITLES.get(status, "Error")
    told = {"type": f"urn:beebread:{kind or title.lower().replace(' ', '-')}", "title": title, "status": status, "detail": detail, **more}
    return Response(_encode(told), status, headers, "application/problem+json")


def failed(error: BeebreadError, *, precondition: bool = False) -> Response:
    """The problem that `error` is; a conflict with what the request presumed (If-Match) is 412."""
    name = type(error).__name__
    status = codes(error).http
    if precondition and name == "Conflict":
        status = 412
    more: dict[str, Any] = {"ids": error.ids} if error.ids else {}
    if error.detail is not None:
        more["current"] = error.detail
    headers = {"Retry-After": "1"} if status == 503 else None
    return problem(status, str(error), headers, kind=_WORDS.sub("-", name).lower(), **more)


def refused(error: Refused) -> Response:
    """The problem that `error` is."""
    return problem(error.status, error.detail, error.headers, kind=error.kind)


def etag(value: object) -> str:
    """The version of a state or memory, as HTTP writes it; '' for what has none."""
    return f'"{value.version}"' if isinstance(value, (State, Memory)) else ""
