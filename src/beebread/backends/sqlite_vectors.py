"""The index of vectors in the file of the SQLite engine, changed in the same transactions as the records that they belong to."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from beebread.backends import sqlite_vector_rows
from beebread.backends.sqlite_pool import Pool
from beebread.backends.sqlite_vector_rows import Row
from beebread.errors import Invalid, Unavailable
from beebread.model import Hit, Record
from beebread.ports import Indexed, Probe

if TYPE_CHECKING:
    from beebread.backends.sqlite_vector_search import VectorSearch

CHANNELS = frozenset({"vector", "context"})


class SqliteVectors:
    """See `ports.Index` for the meaning of each method; numpy is needed only where there are vectors to take in or to compare."""

    channels: frozenset[str] = CHANNELS

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    @cached_property
    def searching(self) -> VectorSearch:
        """What needs numpy. Raises Unavailable where that is not installed."""
        try:
            from beebread.backends.sqlite_vector_search import VectorSearch
        except ModuleNotFoundError as error:
            raise Unavailable(f"vectors need a package that is not installed ({error.name}): pip install beebread[local]") from error
        return VectorSearch()

    async def add(self, records: Sequence[Indexed]) -> None:
        """Take these in."""
        if not records:
            return
        rows = await asyncio.get_running_loop().run_in_executor(None, self._rows, records)
        await self._pool.write(lambda db: sqlite_vector_rows.add(db, rows))

    def _rows(self, records: Sequence[Indexed]) -> list[Row]:
        pack = self.searching.pack
        rows: list[Row] = []
        for indexed in records:
            name = indexed.record.id
            _check_space(indexed.space, name)
            if unknown := indexed.vectors.keys() - CHANNELS:
                raise Invalid(f"vectors have no channel {min(unknown)[:60]!r}: use one of {', '.join(sorted(CHANNELS))}", ids=(name,))
            texts, contexts = (pack(indexed.vectors.get(channel, ()), name, channel) for channel in ("vector", "context"))
            if texts[1] and contexts[1] and texts[1] != contexts[1]:
                raise Invalid(f"vectors of {texts[1]} and of {contexts[1]} numbers in one space", ids=(name,))
            rows.append(
                Row(indexed.owner, indexed.record, indexed.space, texts[1] or contexts[1], texts[0], contexts[0], indexed.read_with)
            )
        return rows

    async def remove(self, owner: str, ids: Sequence[str] | None) -> None:
        """Drop these ids, or all of the owner's."""
        await self._pool.write(lambda db: sqlite_vector_rows.remove(db, owner, ids))

    async def search(self, probe: Probe) -> list[Hit]:
        """Hits of one channel."""
        if probe.channel not in CHANNELS:
            raise Invalid(f"vectors have no channel {probe.channel[:60]!r}: use one of {', '.join(sorted(CHANNELS))}")
        return await self._pool.read(lambda db: self.searching.search(db, probe))

    async def missing(self, owner: str, ids: Sequence[str], space: str = "") -> list[str]:
        """Those of `ids` that are not in the index, or not in that space of it."""
        return await self._pool.read(lambda db: sqlite_vector_rows.missing(db, owner, ids, space))

    async def torn(self, space: str, limit: int) -> list[Record]:
        """Records whose contexts are torn in a space."""
        return await self._pool.read(lambda db: sqlite_vector_rows.torn(db, space, limit))

    async def spaces(self) -> tuple[str, ...]:
        """The spaces that it holds anything in, the one that is searched first."""
        return tuple(space.name for space in await self._pool.read(sqlite_vector_rows.spaces))

    async def adopt(self, space: str) -> None:
        """Search in `space` from now on; what other spaces hold is out of sight at once, and deleted before this returns."""
        _check_space(space)
        await self._pool.write(lambda db: sqlite_vector_rows.adopt(db, space))
        await self._clear()

    async def reset(self) -> None:
        """Empty the index."""
        await self._pool.write(sqlite_vector_rows.reset)
        await self._clear()

    async def _clear(self) -> None:
        while await self._pool.write(sqlite_vector_rows.clear):
            pass

    async def close(self) -> None:
        """Nothing of its own: the store closes the file."""


def _check_space(name: str, *ids: str) -> None:
    """Raise Invalid for a name that cannot be kept."""
    if not name or not name.isprintable():
        raise Invalid("vectors need the name of their space, in printable characters", ids=ids)
