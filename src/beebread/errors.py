"""The few errors of Beebread, and the one table from an error to HTTP status, MCP error code and exit code."""

from __future__ import annotations

from typing import NamedTuple


class BeebreadError(Exception):
    """Root of every error raised on purpose; its message says what happened and what to do about it.

    `ids` names the records concerned, where there are any, so that a caller can set them aside and go on.
    """

    def __init__(self, message: str, *, ids: tuple[str, ...] = (), detail: object = None) -> None:
        super().__init__(message)
        self.ids = ids
        self.detail = detail


class NotFound(BeebreadError):
    """The thing named does not exist for this caller; a foreign thing reads exactly the same."""


class Forbidden(BeebreadError):
    """The caller may not do this; raised only where saying so tells nothing about other people's data."""


class Invalid(BeebreadError):
    """The input cannot be accepted as it is."""


class Conflict(BeebreadError):
    """A stale version, or the same id with other content; `detail` carries both sides where they are the caller's own."""


class Unavailable(BeebreadError):
    """The store cannot serve now (locked, full, read-only, corrupt, gone); nothing acknowledged is lost."""


class ModelMismatch(BeebreadError):
    """Vectors in the folder were made by another embedding model than the one configured."""


def shown(value: object) -> str:
    """`value` in a message: short, and never failing, whatever a caller gave (text without end, lists that hold themselves)."""
    if isinstance(value, str):
        return repr(value[:60])
    if value is None or isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < 1 << 64):
        return repr(value)
    return f"a {type(value).__name__}"


class Codes(NamedTuple):
    """How one kind of error is told through each face."""

    http: int
    mcp: int
    exit: int


CODES: dict[type[BeebreadError], Codes] = {
    NotFound: Codes(404, -32602, 1),
    Forbidden: Codes(403, -32600, 3),
    Invalid: Codes(422, -32602, 2),
    Conflict: Codes(409, -32600, 3),
    Unavailable: Codes(503, -32603, 4),
    ModelMismatch: Codes(409, -32600, 3),
    BeebreadError: Codes(500, -32603, 4),
}


def codes(error: BeebreadError) -> Codes:
    """The codes of `error`, by its nearest class in the table."""
    return next(CODES[kind] for kind in type(error).__mro__ if kind in CODES)
