"""The engines that every contract is run on: adding one here holds it to all of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple

from beebread.backends.files import FileBlobs
from beebread.backends.reference import ReferenceStore
from beebread.backends.reference_states import ReferenceBlobs
from beebread.backends.sqlite_store import SqliteStore
from beebread.ports import Blobs, Store


class Engine(NamedTuple):
    """How to open one engine in a folder."""

    name: str
    store: Callable[[Path], Awaitable[Store]]
    blobs: Callable[[Path], Blobs]

    def run(self, folder: Path, check: Callable[[Store], Awaitable[Any]]) -> Any:
        """Open a store, run `check` on it, close it."""

        async def whole() -> Any:
            store = await self.store(folder)
            try:
                return await check(store)
            finally:
                await store.close()

        return asyncio.run(whole())


async def reference_store(folder: Path) -> Store:
    return ReferenceStore()


def reference_blobs(folder: Path) -> Blobs:
    return ReferenceBlobs()


async def sqlite_store(folder: Path) -> Store:
    return await SqliteStore.open(folder)


ENGINES = (Engine("reference", reference_store, reference_blobs), Engine("sqlite", sqlite_store, FileBlobs))
