"""From settings to a working memory: URL -> plug -> Service; the only file that knows all rooms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from beebread.backends.files import FileBlobs
from beebread.backends.sqlite_store import SqliteStore
from beebread.clock import Clock, SystemClock
from beebread.errors import Invalid
from beebread.model import Rules
from beebread.ports import Blobs, Redact, Store
from beebread.retrieval import Options, Retriever
from beebread.service import Rooms, Service
from beebread.settings import Settings
from beebread.worker import Worker

T = TypeVar("T")
OpenStore = Callable[[str, Settings, Clock], Coroutine[Any, Any, Store]]
GROUP = "beebread.stores"  # entry points by which another package offers a store under its URL scheme


@dataclass(frozen=True, slots=True)
class Plugs:
    """One opened memory: its service, its store and blobs, and its worker."""

    settings: Settings
    service: Service
    store: Store
    blobs: Blobs
    worker: Worker
    clock: Clock
    redact: Redact | None


async def _sqlite(url: str, settings: Settings, clock: Clock) -> Store:
    path = unquote(urlsplit(url).path)
    # sqlite:///folder is relative, sqlite:////folder absolute, as everywhere.
    folder = Path(path[1:]) if path.strip("/") else settings.folder
    return await SqliteStore.open(folder, clock=clock, busy_ms=settings.busy_ms)


STORES: dict[str, OpenStore] = {"sqlite": _sqlite}


def _store(scheme: str) -> OpenStore:
    found = STORES.get(scheme)
    if found is not None:
        return found
    offered = entry_points(group=GROUP)
    if scheme in offered.names:
        return offered[scheme].load()
    known = sorted({*STORES, *offered.names})
    raise Invalid(f"there is no store for {scheme or 'a URL without a scheme'}://: use one of {', '.join(f'{name}://' for name in known)}")


async def open_plugs(settings: Settings, *, clock: Clock | None = None, redact: Redact | None = None) -> Plugs:
    """Open what `settings` name. Raises Invalid for an unknown plug, Unavailable where the data cannot be opened."""
    clock = clock or SystemClock()
    url = settings.store or "sqlite://"
    store = await _store(urlsplit(url).scheme)(url, settings, clock)
    blobs = FileBlobs(settings.folder / "blobs")
    rules = Rules(memory_kinds=settings.memory_kinds, purge_days=settings.purge_days, state_days=settings.state_days)
    rooms = Rooms(
        store=store, blobs=blobs, retriever=Retriever(store, (), Options(deadline_ms=settings.deadline_ms)), settings=settings, rules=rules,
        clock=clock, redact=redact, where=settings.store or str(settings.folder),
    )  # fmt: skip
    service = Service(rooms)
    return Plugs(settings, service, store, blobs, Worker(service, store, clock), clock, redact)


def open_memory(settings: Settings, *, clock: Clock | None = None, redact: Redact | None = None) -> Plugs:
    """`open_plugs` for callers that have no loop, or are inside one that must not be borrowed; takes some milliseconds."""
    return in_thread(open_plugs(settings, clock=clock, redact=redact))


def in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end in a thread and loop of its own; its error is raised here."""
    with ThreadPoolExecutor(1, "beebread-open") as pool:
        return pool.submit(asyncio.run, work).result()
