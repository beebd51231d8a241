"""Follows the log and gives each record that is worth it its vectors: outside any lock, resumable, by any number of processes."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress

import msgspec
from msgspec import Struct

from beebread import policy
from beebread.clock import Clock
from beebread.errors import Conflict, Invalid, ModelMismatch
from beebread.model import Batch, Event, Mark, Memory, Principal, Record, Scope, Where, encode_cursor, owner
from beebread.ports import Embedder, Index, Indexed, Probe, Store, Vector
from beebread.worker.passages import Passages, dense, passages
from beebread.worker.refusals import embedded

SLICE = 16  # records between two marks: what a killed process has to do again, at most
NEAR = 4  # events that are looked at for the turn before, or after
Progress = Callable[[int, int], None]
_log = logging.getLogger("beebread.worker")


class Waiting(Struct, frozen=True):
    """How far the vectors are: the embedder's space, those that are kept (the one that is searched first), changes of the log that wait.

    refused: how many records lack vectors for good, all or some, since the model refused their texts; one that changed and was refused
    again counts again.
    """

    space: str
    spaces: tuple[str, ...]
    changes: int
    refused: int = 0

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
        self._refused = f"refused {embedder.space}"
        self._told = False
        self._lock = threading.Lock()

    async def waiting(self) -> Waiting:
        """How far the vectors are."""
        at, end, spaces = await self._store.mark(self._mark), await self._store.position(), await self._index.spaces()
        dropped = bool(spaces) and self._embedder.space not in spaces  # by a move to another: its mark counts for nothing
        refused = 0 if dropped else await self._store.mark(self._refused)
        return Waiting(self._embedder.space, spaces, max(0, end - (0 if dropped else at)), refused)

    async def catch_up(self, progress: Progress | None = None, *, stop: threading.Event | None = None) -> None:
        """Embed all that waits, unless another space is searched: then it waits for `move`. Raises Unavailable when the model is away."""
        await self._follow(progress, stop, searched=True)

    async def move(self, progress: Progress | None = None) -> bool:
        """Give everything kept its vectors in the embedder's space, then search there and drop the others; whether there was a change.

        The old space is searched until then. A move that was interrupted goes on where it was. A model that goes by its old name and
        gives vectors of another length begins anew.
        """
        space, there = self._embedder.space, await self.waiting()
        anew = there.searched and not await self._fits(there)
        if anew or (there.spaces and space not in there.spaces):
            await self._begin_anew(space)  # before anything is dropped: who is killed in between has only more to do
        if anew:
            await self._index.reset()
        try:
            await self._follow(progress, None)
        except ModelMismatch:
            if there.searched:
                raise
            await self._begin_anew(space)
            await self._index.adopt(there.spaces[0])  # drops what was begun with vectors of another length
            await self._follow(progress, None)
        if there.spaces in {(), (space,)}:
            return anew
        await self._index.adopt(space)
        await self._begin_anew(*(other for other in there.spaces if other != space))
        await self._follow(None, None)
        return True

    async def _fits(self, there: Waiting) -> bool:
        """Whether what is searched in the embedder's space has the length of its vectors."""
        if not there.spaces:
            return True
        if not (length := self._embedder.dimensions):
            length = len((await self._embedder.embed_documents(["How long is a vector?"]))[0])
        where = Where(asker=Principal(), now=self._clock.now())
        asked = Vector("f", [1.0] * length)
        try:
            await self._index.search(Probe(channel="vector", where=where, limit=1, vector=asked, space=there.space))
        except Invalid:
            return False
        return True

    async def _begin_anew(self, *spaces: str) -> None:
        """Forget how far the log was followed in spaces that hold nothing any more."""
        marks = [Mark(name, 0) for space in spaces for name in (_mark(space), f"refused {space}")]
        await self._store.apply(Batch(marks=tuple(marks)))

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
                    if not await self._mend():
                        return
                    continue
                refused = await self._embed([record for _, record in changes])
                marks = [Mark(self._mark, changes[-1][0], expect=at)]
                if refused:
                    marks.append(Mark(self._refused, refused + await self._store.mark(self._refused)))
                with suppress(Conflict):  # another process was faster, and did the same
                    await self._store.apply(Batch(marks=tuple(marks)))
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

    async def _mend(self) -> bool:
        """Read anew what was read with something that is gone; whether there was any."""
        torn = await self._index.torn(self._embedder.space, SLICE)
        await self._embed(torn)
        await self._remove([record for record in torn if not dense(record, self._kinds)])
        return bool(torn)

    async def _embed(self, records: Sequence[Record]) -> int:
        """Embed what is worth it, and take out what may have been in the index and is no longer; how many were refused a vector."""
        found = [await self._passages(record) for record in records if dense(record, self._kinds)]
        texts = list(dict.fromkeys(text for one in found for some in one.texts.values() for text in some))
        vectors = await embedded(self._embedder, texts)
        await self._index.add(
            [
                Indexed(
                    owner=owner(one.record.scope), record=one.record, space=self._embedder.space, read_with=one.read_with,
                    vectors={channel: tuple(vectors[text] for text in some if text in vectors) for channel, some in one.texts.items()},
                )
                for one in found
            ]
        )  # fmt: skip
        kept = {id(one.record) for one in found}
        await self._remove([one for one in records if id(one) not in kept and (isinstance(one, Memory) or _forgotten(one))])
        refused = sum(any(text not in vectors for some in one.texts.values() for text in some) for one in found)
        if refused and not self._told:
            self._told = True
            _log.warning("the model refuses some texts: %d records lack vectors and are found by words; health counts all of them", refused)
        return refused

    async def _remove(self, records: Sequence[Record]) -> None:
        gone: dict[str, list[str]] = {}
        for record in records:
            gone.setdefault(owner(record.scope), []).append(record.id)
        for home, names in gone.items():
            await self._index.remove(home, names)

    async def _passages(self, record: Record) -> Passages:
        return passages(record, await self._before(record), self._embedder.window)

    async def _before(self, record: Record) -> Record | None:
        """The turn of its session before an event, if it is near, worth embedding, and shown to whoever is shown the event."""
        if not isinstance(record, Event) or not record.scope.session:
            return None
        where = Where(
            asker=policy.keeper_of(record.scope), now=self._clock.now(), types=("event",), sessions=(record.scope.session,), order="-time"
        )
        near = await self._store.scan(where, NEAR, encode_cursor(record))
        return next((one for one in near if dense(one, self._kinds) and _shown_with(one.scope, record.scope)), None)


def _forgotten(record: Record) -> bool:
    return isinstance(record, Event) and record.forgotten_at is not None


def _shown_with(before: Scope, scope: Scope) -> bool:
    """Whether whoever sees what is in `scope` sees what is in `before`: else a search could tell by the one of the other."""
    alike = msgspec.structs.replace(before, sensitivity=scope.sensitivity, task=scope.task) == scope
    return alike and before.sensitivity <= scope.sensitivity and (not scope.agent or before.task == scope.task)


def _mark(space: str) -> str:
    """The name of the cursor that says how far the log was followed in a space."""
    return f"embedded {space}"


def mismatch(waiting: Waiting) -> ModelMismatch:
    """What a memory says whose vectors another model made."""
    return ModelMismatch(
        f"the vectors were made by {waiting.spaces[0]}, and the embedder is {waiting.space}: "
        "`beebread reembed` moves them over, or set the embedder that made them"
    )
