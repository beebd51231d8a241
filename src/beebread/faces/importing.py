"""Importing files into a memory, wherever that is: read here, kept there in batches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path

from msgspec import Struct

from beebread import importers, policy
from beebread.errors import Conflict, Forbidden, Invalid
from beebread.model import Actor, Event, Memory, Principal, new_id
from beebread.service import Append, Service, Write

Progress = Callable[[int, int], None]
CHUNK = 1000  # imported records a batch


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


async def import_(service: Service, who: Principal, path: Path, ask: Import, progress: Progress | None) -> Imported:
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
                await _import_memory(service, who, one, done, problems)
        events = [one for one in chunk if isinstance(one, Event)]
        appended = await service.append(who, Append(events=tuple(events)))
        done["created"] += len(appended.created)
        done["seen"] += len(appended.seen)
        done["buried"] += len(appended.buried)
        problems.extend(f"event {name}: {reason}" for name, reason in appended.rejected.items())
    return Imported(**done, problems=tuple(problems), unfinished=tuple(unfinished))


async def _import_memory(service: Service, who: Principal, memory: Memory, done: dict[str, int], problems: list[str]) -> None:
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
        written = await service.write(who, ask)
    except (Invalid, Conflict, Forbidden) as error:
        problems.append(f"memory {memory.id}: {error}")
    else:
        done["buried" if written.status == "erased" else "seen" if written.seen else "created"] += 1


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # no name that a file could have
        return False


def _take(reading: Iterator[importers.Read]) -> list[importers.Read]:
    return list(islice(reading, CHUNK))
