"""Small things that the tests of the embedded engine share."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from beebread.backends.sqlite_bodies import unpacked
from beebread.backends.sqlite_schema import FILE
from beebread.backends.sqlite_store import SqliteStore
from beebread.model import Event, Principal, Scope, Where
from beebread.ports import Probe
from beebread.text import query_terms

T = TypeVar("T")
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ANN = Principal(user="ann", roles=("self",))


def event(name: str, text: str = "", *, user: str = "ann", **fields: Any) -> Event:
    """An event of a user."""
    given: dict[str, Any] = {"scope": Scope(user=user), "kind": "user_message", "at": START, "text": text, **fields}
    return Event(id=name, **given)


def where(asker: Principal = ANN, **fields: Any) -> Where:
    """A filter asked a day later."""
    given: dict[str, Any] = {"asker": asker, "now": START + timedelta(days=1), "types": ("event", "memory"), **fields}
    return Where(**given)


def words(text: str, asker: Principal = ANN, limit: int = 100) -> Probe:
    """A keyword query."""
    return Probe(channel="keyword", where=where(asker), limit=limit, terms=tuple(query_terms(text)))


def in_store(folder: Path, work: Callable[[SqliteStore], Awaitable[T]], *, busy_ms: int = 30_000) -> T:
    """The outcome of `work` on the store in `folder`."""

    async def whole() -> T:
        store = await SqliteStore.open(folder, busy_ms=busy_ms)
        try:
            return await work(store)
        finally:
            await store.close()

    return asyncio.run(whole())


def bodies_with(folder: Path, text: str) -> list[bytes]:
    """The bodies that hold `text`, as they stand in the file: mostly deflated, so that looking for the text does not find them."""
    with closing(sqlite3.connect(folder / FILE)) as db:
        return [body for (body,) in db.execute("SELECT body FROM bodies") if text.encode() in unpacked(body)]


def remains(folder: Path, text: str, bodies: Sequence[bytes]) -> list[str]:
    """The files under `folder` that hold `text`, or a piece of these bodies: not of their first bytes, which are like other records'."""
    pieces = [body[at : at + 20] for body in bodies for at in range(60, len(body) - 20, 10)]
    told = [text.encode(), *(piece for piece in pieces if len(set(piece)) > 8)]  # a long text deflates to zeros where it repeats itself
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path.name for path in files for content in [path.read_bytes()] if any(piece in content for piece in told)]
