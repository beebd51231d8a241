"""Beebread: the memory of AI agents. `Client("./memory")` opens one; see `Client.bind`, `record`, `query` and `context`."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from beebread.errors import BeebreadError, Conflict, Forbidden, Invalid, ModelMismatch, NotFound, Unavailable
    from beebread.faces.async_client import AsyncClient
    from beebread.faces.client import Client
    from beebread.model import Event, Item, Memory, Pack, Query, Recall, Session, State, Trace

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "BeebreadError",
    "Client",
    "Conflict",
    "Event",
    "Forbidden",
    "Invalid",
    "Item",
    "Memory",
    "ModelMismatch",
    "NotFound",
    "Pack",
    "Query",
    "Recall",
    "Session",
    "State",
    "Trace",
    "Unavailable",
    "__version__",
]

_ERRORS = ("BeebreadError", "Conflict", "Forbidden", "Invalid", "ModelMismatch", "NotFound", "Unavailable")
_HOMES = {"AsyncClient": "beebread.faces.async_client", "Client": "beebread.faces.client", **dict.fromkeys(_ERRORS, "beebread.errors")}


def __getattr__(name: str) -> Any:
    """Public names are loaded when first used, so that importing one costs no more than it needs."""
    if name not in __all__:
        raise AttributeError(f"module 'beebread' has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "beebread.model")), name)


def __dir__() -> list[str]:
    return __all__
