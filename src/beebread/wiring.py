"""From settings to a working memory: URL -> plug -> Service; the only file that knows all rooms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlsplit

from beebread.backends.files import FileBlobs
from beebread.backends.sqlite_store import SqliteStore
from beebread.clock import Clock, SystemClock
from beebread.errors import Invalid
from beebread.model import Rules
from beebread.models import Cached, Embed, Opened, open_embedder, open_reranker
from beebread.ports import Blobs, Embedder, KeepsVectors, Redact, Store
from beebread.retrieval import Options, Retriever
from beebread.service import Rooms, Service
from beebread.settings import Settings
from beebread.worker import Embedding, Progress, Worker, mismatch

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
    embedder: Embedder | None = None
    meaningless: str = ""  # why nothing is searched by meaning; '' where it is, or is not wanted

    async def close(self) -> None:
        """Let go of everything."""
        if self.embedder is not None:
            await self.embedder.close()
        await self.store.close()


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


async def open_plugs(
    settings: Settings, *, clock: Clock | None = None, redact: Redact | None = None, embedder: Embed | None = None
) -> Plugs:
    """Open what `settings` name; `embedder` is a function from texts to vectors, instead of the one they name.

    Raises Invalid for an unknown plug, Unavailable where the data cannot be opened.
    """
    clock = clock or SystemClock()
    opened = open_embedder(embedder or settings.embedder, settings)
    url = settings.store or "sqlite://"
    store = await _store(urlsplit(url).scheme)(url, settings, clock)
    blobs = FileBlobs(settings.folder / "blobs")
    rules = Rules(memory_kinds=settings.memory_kinds, purge_days=settings.purge_days, state_days=settings.state_days)
    found, why = _meaning(store, opened)
    vectors = store.vectors if found is not None and isinstance(store, KeepsVectors) else None
    retriever = Retriever(
        store,
        (vectors,) if vectors is not None else (),
        Options(deadline_ms=settings.deadline_ms),
        embedder=found,
        reranker=open_reranker(found) if settings.closer else None,
    )
    embedding = None if found is None or vectors is None else Embedding(store, vectors, found, clock, settings.embed_kinds)
    rooms = Rooms(
        store=store, blobs=blobs, retriever=retriever, settings=settings, rules=rules,
        clock=clock, redact=redact, where=settings.store or str(settings.folder), settle=partial(settle, embedding),
        meaning=partial(meaning, embedding, why),
    )  # fmt: skip
    service = Service(rooms)
    return Plugs(settings, service, store, blobs, Worker(service, store, clock, embedding), clock, redact, found, why)


async def settle(embedding: Embedding | None, timeout: float | None, progress: Progress | None = None) -> tuple[int, int]:
    """Embed what waits for at most `timeout` seconds; the changes that wait then, and the records that lack vectors for good.

    Raises Unavailable when the model is away, ModelMismatch when another model made the vectors that are searched.
    """
    if embedding is None:
        return 0, 0
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout):
            await embedding.catch_up(progress)
    if not (state := await embedding.waiting()).searched:
        raise mismatch(state)
    return state.changes, state.refused


async def meaning(embedding: Embedding | None, why: str) -> tuple[str, int, int]:
    """The space of vectors that is searched, or why there is none; how many changes of the log have none yet; and refused texts."""
    if embedding is None:
        return why or "no search by meaning: it is switched off", 0, 0
    state = await embedding.waiting()
    return (state.space if state.searched else str(mismatch(state))), state.changes, state.refused


def _meaning(store: Store, opened: Opened) -> tuple[Embedder | None, str]:
    """The embedder, where the store can keep its vectors, else why nothing is searched by meaning."""
    if opened.embedder is None:
        return None, opened.reason
    if not isinstance(store, KeepsVectors):
        return None, "no search by meaning: this store keeps no vectors"
    return Cached(opened.embedder), ""


def open_memory(settings: Settings, *, clock: Clock | None = None, redact: Redact | None = None, embedder: Embed | None = None) -> Plugs:
    """`open_plugs` for callers that have no loop, or are inside one that must not be borrowed; takes some milliseconds."""
    return in_thread(open_plugs(settings, clock=clock, redact=redact, embedder=embedder))


def in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end in a thread and loop of its own; its error is raised here."""
    with ThreadPoolExecutor(1, "beebread-open") as pool:
        return pool.submit(asyncio.run, work).result()
