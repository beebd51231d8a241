"""One opened memory of this process, shared by every client bound from it: its plugs, its recorder, its background worker."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path

from msgspec import Struct

from beebread import importers, policy, wiring
from beebread.capture import MessageLedger, Recorder, Spill
from beebread.clock import Clock
from beebread.errors import Conflict, Forbidden, Invalid
from beebread.model import Actor, Event, Memory, Principal, Scope, new_id
from beebread.models import Embed
from beebread.ports import Redact
from beebread.service import Append, Service, Write
from beebread.settings import Settings, load
from beebread.worker import mismatch

Progress = Callable[[int, int], None]
CHUNK = 1000  # imported records a batch
LEDGERS = 256  # sessions whose re-sent history is remembered; ids made from content cover those that were let go


class Import(Struct, frozen=True, kw_only=True):
    """How to read what is imported, and what the files themselves do not say."""

    format: str = "auto"
    tz: str = ""
    session: str = ""
    start: datetime | None = None


class Imported(Struct, frozen=True, kw_only=True):
    """What an import did: records newly kept, seen before, refused because they were erased; and what could not be read, with the place."""

    created: int = 0
    seen: int = 0
    buried: int = 0
    problems: tuple[str, ...] = ()
    unfinished: tuple[str, ...] = ()  # half-written last lines: no fault, they are read the next time


class Home:
    """An opened memory. `service` holds its operations, `recorder` its capture."""

    def __init__(self, plugs: wiring.Plugs, on_pressure: Callable[[float], None] | None = None) -> None:
        self.settings: Settings = plugs.settings
        self.service: Service = plugs.service
        self._plugs = plugs
        self.recorder = Recorder(
            plugs.service.keep,
            settings=plugs.settings,
            clock=plugs.clock,
            redact=plugs.redact,
            spill=Spill(plugs.settings.folder / "spill"),
            on_pressure=on_pressure,
        )
        self.ledger = lru_cache(LEDGERS)(_ledger)
        self._stop = threading.Event()
        self._ending = threading.Lock()
        self._sweeper = threading.Thread(target=plugs.worker.run, args=(self._stop,), name="beebread-worker", daemon=True)
        self._sweeper.start()

    @classmethod
    def open(
        cls,
        home: str | Path | None,
        *,
        store: str | None = None,
        embedder: str | Embed | None = None,
        clock: Clock | None = None,
        redact: Redact | None = None,
        on_pressure: Callable[[float], None] | None = None,
        **settings: object,
    ) -> Home:
        """Open the folder (created on first use); Invalid for unknown settings or plugs, Unavailable where the data cannot be opened."""
        if isinstance(home, str) and "://" in home:
            web = home.startswith(("http://", "https://"))
            raise Invalid("this version has no client over HTTP: give a folder" if web else f"{home} is no folder: give it as store=")
        named = embedder if isinstance(embedder, str) else None
        function = None if isinstance(embedder, str) else embedder
        wanted = load(home=None if home is None else str(home), store=store, embedder=named, **settings)
        return cls(wiring.open_memory(wanted, clock=clock, redact=redact, embedder=function), on_pressure)

    async def settle(self, progress: Progress | None = None) -> None:
        """Return when what was kept has its vectors. Raises ModelMismatch when another model made those that are searched."""
        embedding = self._plugs.worker.embedding
        if embedding is None:
            return
        await embedding.catch_up(progress)
        if not (state := await embedding.waiting()).searched:
            raise mismatch(state)

    async def reembed(self, progress: Progress | None = None) -> bool:
        """Move the vectors to this memory's embedder; whether there was a change. Raises Invalid where there is none."""
        embedding = self._plugs.worker.embedding
        if embedding is None:
            raise Invalid(self._plugs.meaningless or "this memory has no embedder: set one, for instance embedder='builtin://'")
        return await embedding.move(progress)

    async def meaning(self) -> tuple[str, int, int]:
        """The space of vectors that is searched, or why there is none; how many changes of the log have none yet; and refused texts."""
        embedding = self._plugs.worker.embedding
        if embedding is None:
            return self._plugs.meaningless or "no search by meaning: it is switched off", 0, 0
        state = await embedding.waiting()
        return (state.space if state.searched else str(mismatch(state))), state.changes, state.refused

    async def import_(self, who: Principal, path: Path, ask: Import, progress: Progress | None) -> Imported:
        """Read the path in the named format ('auto' finds it) and keep what it holds, in batches; what is bad is told and set aside."""
        if not await asyncio.to_thread(_exists, path):
            raise Invalid(f"{str(path)[:200]} is not there: give a file or folder to import")

        def tell(at: importers.Progress) -> None:
            if progress is not None:
                progress(at.bytes_done, at.bytes_total)

        options = importers.Options(
            scope=policy.scope_for(who), session=ask.session, actor=Actor(who.agent), tz=ask.tz,
            start=ask.start, progress=tell,
        )  # fmt: skip
        done, problems, unfinished = {"created": 0, "seen": 0, "buried": 0}, list[str](), list[str]()
        reading = importers.read(path, format=ask.format, options=options)
        while chunk := await asyncio.to_thread(_take, reading):
            for one in chunk:
                if isinstance(one, importers.Problem):
                    (unfinished if one.unfinished else problems).append(str(one))
                if isinstance(one, Memory):
                    await self._import_memory(who, one, done, problems)
            events = [one for one in chunk if isinstance(one, Event)]
            appended = await self.service.append(who, Append(events=tuple(events)))
            done["created"] += len(appended.created)
            done["seen"] += len(appended.seen)
            done["buried"] += len(appended.buried)
            problems.extend(f"event {name}: {reason}" for name, reason in appended.rejected.items())
        return Imported(**done, problems=tuple(problems), unfinished=tuple(unfinished))

    async def _import_memory(self, who: Principal, memory: Memory, done: dict[str, int], problems: list[str]) -> None:
        ask = Write(
            text=memory.text, kind=memory.kind, id=memory.id or new_id(), key=memory.key, value=memory.value, tags=memory.tags,
            entities=memory.entities, evidence=memory.evidence, confidence=memory.confidence, importance=memory.importance,
            trust="import", at=memory.at, valid_from=memory.valid_from or memory.at, valid_to=memory.valid_to, space=memory.scope.space,
            sensitivity=memory.scope.sensitivity,
        )  # fmt: skip
        if memory.forgotten_at is not None:
            done["buried"] += 1
            return
        try:
            written = await self.service.write(who, ask)
        except (Invalid, Conflict, Forbidden) as error:
            problems.append(f"memory {memory.id}: {error}")
        else:
            done["buried" if written.status == "erased" else "seen" if written.seen else "created"] += 1

    def close(self) -> None:
        """Make what was recorded durable, stop the worker and let go of the folder; again does nothing."""
        with self._ending:
            if self._stop.is_set():
                return
            try:
                self.recorder.close()
            finally:
                self._stop.set()
                self._sweeper.join()
                wiring.in_thread(self._plugs.close())


def _ledger(scope: Scope) -> MessageLedger:
    return MessageLedger(scope.session)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # no name that a file could have
        return False


def _take(reading: Iterator[importers.Read]) -> list[importers.Read]:
    return list(islice(reading, CHUNK))
