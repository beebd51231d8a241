"""Follows the log and gives each record that is worth it its vectors: outside any lock, resumable, by any number of processes."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Literal

from msgspec import Struct

from beebread import policy
from beebread.clock import Clock
from beebread.errors import Conflict, ModelMismatch
from beebread.model import Batch, Event, Mark, Memory, Record, Where, encode_cursor, owner
from beebread.ports import Embedder, Index, Indexed, Store
from beebread.worker.passages import Passages, dense, passages

SLICE = 16  # records between two marks: what a killed process has to do again, at most
NEAR = 4  # events that are looked at for the turn before, or after
Progress = Callable[[int, int], None]


class Waiting(Struct, frozen=True):
    """How far the vectors are: the embedder's space, those that are kept (the one that is searched first), changes of the log that wait."""

    space: str
    spaces: tuple[str, ...]
    changes: int

    @property
    def searched(self) -> bool:
        """Whether the embedder's space is the one that is searched."""
        return not self.spaces or self.spaces[0] == self.space


class Embedding:
    """One embedder's way along the log of one store into one index. `kinds` empty means the kinds that are told in words."""

    def __init__(self, store: Store, index: Index, embedder: Embedder, clock: Clock, kinds: Sequence[str] = ()) -> None:
        self._store = store
        self._index = index
        self._embedder = embedder
        self._clock = clock
        self._kinds = tuple(kinds)
        self._mark = _mark(embedder.space)
        self._lock = threading.Lock()

    async def waiting(self) -> Waiting:
        """How far the vectors are."""
        at, end, spaces = await self._store.mark(self._mark), await self._store.position(), await self._index.spaces()
        dropped = bool(spaces) and self._embedder.space not in spaces  # by a move to another: its mark counts for nothing
        return Waiting(self._embedder.space, spaces, max(0, end - (0 if dropped else at)))

    async def catch_up(self, progress: Progress | None = None, *, stop: threading.Event | None = None) -> None:
        """Embed all that waits, unless another space is searched: then it waits for `move`. Raises Unavailable when the model is away."""
        await self._follow(progress, stop, searched=True)

    async def move(self, progress: Progress | None = None) -> bool:
        """Give everything kept its vectors in the embedder's space, then search there and drop the others; whether there was a change.

        The old space is searched until then. A move that was interrupted goes on where it was.
        """
        there = await self.waiting()
        if there.spaces and self._embedder.space not in there.spaces:
            await self._begin_anew(self._embedder.space)
        await self._follow(progress, None)
        if there.spaces in {(), (self._embedder.space,)}:
            return False
        await self._index.adopt(self._embedder.space)
        await self._begin_anew(*(space for space in there.spaces if space != self._embedder.space))
        await self._follow(None, None)
        return True

    async def _begin_anew(self, *spaces: str) -> None:
        """Forget how far the log was followed in spaces that hold nothing any more."""
        await self._store.apply(Batch(marks=tuple(Mark(_mark(space), 0) for space in spaces)))

    async def _follow(self, progress: Progress | None, stop: threading.Event | None, *, searched: bool = False) -> None:
        """Embed what waits; with `searched` only as long as no other space is the one that is searched."""
        done = 0
        async with self._turn():
            while not (stop is not None and stop.is_set()):
                if searched and not (await self.waiting()).searched:
                    return
                at = await self._store.mark(self._mark)
                changes = await self._store.tail(at, SLICE)
                if not changes:
                    return
                await self._embed([record for _, record in changes])
                with suppress(Conflict):  # another process was faster, and did the same
                    await self._store.apply(Batch(marks=(Mark(self._mark, changes[-1][0], expect=at),)))
                done += changes[-1][0] - at
                if progress is not None:
                    progress(done, done + await self._store.position() - changes[-1][0])

    @asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        """One thread of this process at a time, so that nothing is embedded twice here."""
        while not self._lock.acquire(blocking=False):  # noqa: ASYNC110 - the thread that holds it has a loop of its own
            await asyncio.sleep(0.02)
        try:
            yield
        finally:
            self._lock.release()

    async def _embed(self, records: Sequence[Record]) -> None:
        """Embed what is worth it of these, and take out what may have been in the index and is no longer."""
        worth = [record for record in (*records, *await self._read_with(records)) if dense(record, self._kinds)]
        found = [await self._passages(record) for record in worth]
        texts = list(dict.fromkeys(text for one in found for some in one.texts.values() for text in some))
        vectors = dict(zip(texts, await self._embedder.embed_documents(texts), strict=True)) if texts else {}
        await self._index.add(
            [
                Indexed(
                    owner=owner(one.record.scope), record=one.record, space=self._embedder.space,
                    vectors={channel: tuple(vectors[text] for text in some) for channel, some in one.texts.items()},
                )
                for one in found
            ]
        )  # fmt: skip
        gone: dict[str, list[str]] = {}
        kept = {id(one.record) for one in found}
        for record in records:
            if id(record) not in kept and isinstance(record, (Event, Memory)) and (record.forgotten_at or isinstance(record, Memory)):
                gone.setdefault(owner(record.scope), []).append(record.id)
        for home, names in gone.items():
            await self._index.remove(home, names)

    async def _read_with(self, records: Sequence[Record]) -> list[Record]:
        """What was said right after events that are forgotten: it was read with them, and is to be read without."""
        after: list[Record] = []
        for record in records:
            if isinstance(record, Event) and record.forgotten_at is not None:
                after += await self._beside(record, "time")
        return list({(owner(one.scope), one.id): one for one in after}.values())

    async def _passages(self, record: Record) -> Passages:
        return passages(record, await self._before(record), self._embedder.window)

    async def _before(self, record: Record) -> Record | None:
        """The turn of its session before an event, if what it says is worth embedding."""
        return next(iter(await self._beside(record, "-time")), None)

    async def _beside(self, record: Record, order: Literal["time", "-time"]) -> list[Record]:
        """The next event of its session that is worth embedding, after an event or before it; none where none is near."""
        if not isinstance(record, Event) or not record.scope.session:
            return []
        where = Where(
            asker=policy.keeper_of(record.scope), now=self._clock.now(), types=("event",), sessions=(record.scope.session,), order=order
        )
        near = await self._store.scan(where, NEAR, encode_cursor(record))
        return [one for one in near if dense(one, self._kinds)][:1]


def _mark(space: str) -> str:
    """The name of the cursor that says how far the log was followed in a space."""
    return f"embedded {space}"


def mismatch(waiting: Waiting) -> ModelMismatch:
    """What a memory says whose vectors another model made."""
    return ModelMismatch(
        f"the vectors were made by {waiting.spaces[0]}, and the embedder is {waiting.space}: "
        "`beebread reembed` moves them over, or set the embedder that made them"
    )
