"""AsyncClient: the whole of Beebread as one object whose methods are awaited. `Client` is the same, blocking."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from beebread import service
from beebread.faces.bound import Bound, When, lists, made, moment, times
from beebread.faces.embedded import Imported, Progress
from beebread.model import Evidence, Memory, Pack, Recall, Record, State, Trace
from beebread.retrieval import Explanation
from beebread.tasks.state import as_fields


class AsyncClient(Bound):
    """The memory for programs with an event loop; see `Bound` for what it is made with."""

    async def flush(self, timeout: float | None = None) -> None:
        """Return when everything recorded so far is durable and found by time, key, keyword and graph; Unavailable if that cannot be."""
        await self._home.recorder.drain(timeout)

    async def settle(self, timeout: float | None = None) -> None:
        """Return when what is made from the recorded (vectors, memories) has caught up too."""
        await self.flush(timeout)

    async def import_(
        self, path: str | Path, format: str = "auto", *, progress: Progress | None = None, tz: str = "", **options: Any
    ) -> Imported:
        """Import transcripts, exports or runs from a file or folder; again changes nothing. `progress` gets bytes done and bytes in all."""
        await self.flush()
        return await self._home.import_(self._who, Path(path), format, progress, tz=tz or self._tz, **options)

    # ------------------------------------------------------------------ memories

    async def write(
        self,
        text: str,
        *,
        kind: str = "fact",
        key: str = "",
        value: Any = None,
        tags: Sequence[str] = (),
        entities: Sequence[str] = (),
        sources: Sequence[str] = (),
        quote: str = "",
        speaker: str = "",
        modality: str = "asserted",
        confidence: float = 1.0,
        importance: float = 0.5,
        valid_from: When = None,
        valid_to: When = None,
        expires_at: When = None,
        space: str = "private",
        group: str = "",
        sensitivity: int = 0,
        id: str = "",
    ) -> str:
        """Keep a memory and return its id; the current one of the same slot (`key`) is superseded in the same transaction."""
        evidence = Evidence(sources=tuple(sources), quote=quote, speaker=speaker, modality=modality)
        ask = service.Write(
            text=text, kind=kind, id=id, key=key, value=value, tags=tuple(tags), entities=tuple(entities), evidence=evidence,
            confidence=confidence, importance=importance, valid_from=moment(valid_from, "valid_from"),
            valid_to=moment(valid_to, "valid_to"), expires_at=moment(expires_at, "expires_at"), space=space, group=group,
            sensitivity=sensitivity, environment=self._environment,
        )  # fmt: skip
        return (await self._service.write(self._who, ask)).id

    async def query(self, text: str = "", **options: Any) -> Recall:
        """What fits `text` best among what may be seen, with reasons. Options are the fields of `Query` (limit, kinds, after, as_of, …).

        What this process recorded is made durable first, so that it is found.
        """
        query = self._query(text, options)
        await self.flush()
        return await self._service.query(self._who, query)

    async def context(self, text: str, *, budget: int = 4000, shape: service.Shape = "openai", system: str = "", **options: Any) -> Pack:
        """A `messages` array of at most `budget` tokens for the next model call, made from the right past. Options as for `query`."""
        ask = service.ContextRequest(query=self._query(text, options), budget=budget, shape=shape, system=system)
        await self.flush()
        return await self._service.context(self._who, ask, self._count)

    async def explain(self, text: str, *, expect: str, **options: Any) -> Explanation:
        """Why the record `expect` was found by this query, or why not."""
        ask = service.Explain(query=self._query(text, options), expect=expect)
        await self.flush()
        return await self._service.explain(self._who, ask)

    async def get(self, id: str) -> Record | None:
        """One record, or None: for an unknown, a forgotten and a foreign id alike."""
        await self.flush()
        return await self._service.get(self._who, service.Get(id=id))

    async def list(self, *, limit: int = 50, cursor: str = "", order: Literal["time", "-time"] = "-time", **options: Any) -> service.Page:
        """Memories (or events, with types=['event']), a page at a time, newest first. Options are the filters of `Query`."""
        ask = service.ListRequest(query=self._query("", options), limit=limit, cursor=cursor, order=order)
        await self.flush()
        return await self._service.list(self._who, ask)

    async def update(self, id: str, *, version: int | None = None, **changes: Any) -> Memory:
        """Change a memory's text, value, tags, confidence or importance; Conflict when `version` is not the present one."""
        return await self._service.update(self._who, made(service.Update, {"id": id, "version": version, **lists(changes)}, "change"))

    async def forget(self, id: str, *, reason: str = "") -> tuple[str, ...]:
        """Forget a record and what rests on it alone; returns the ids that are gone."""
        await self.flush()
        return (await self._service.forget(self._who, service.Forget(id=id, reason=reason))).ids

    async def history(self, id: str) -> tuple[Memory, ...]:
        """A memory's versions and those of its slot, newest first."""
        return (await self._service.history(self._who, service.Get(id=id))).items

    async def purge(self) -> int:
        """Remove for real all that was forgotten; how many records. For the administrator."""
        await self.flush()
        return (await self._service.purge(self._who, service.Purge())).records

    # ------------------------------------------------------------------ runs and states

    async def sessions(self, *, limit: int = 50, cursor: str = "", **options: Any) -> service.SessionPage:
        """Sessions with their counts, tokens and cost, latest begun first."""
        await self.flush()
        return await self._service.sessions(self._who, service.ListRequest(query=self._query("", options), limit=limit, cursor=cursor))

    async def trace(self, session: str = "", *, id: str = "", depth: int = 20, limit: int = 2000) -> Trace:
        """The causal graph of a session (default: the bound one), or the chain around one event."""
        await self.flush()
        ask = service.TraceRequest(session=session or ("" if id else self._who.session), id=id, depth=depth, limit=limit)
        return await self._service.trace(self._who, ask)

    async def state_get(self, key: str) -> State | None:
        """The state of a task, or None: for an unknown, an expired and a foreign one alike."""
        return await self._service.state_get(self._who, service.StateKey(key=key))

    async def state_set(self, key: str, *, fields: Mapping[str, Any] | None = None, version: int | None = None, **more: Any) -> State:
        """Set these fields, each atomically, and leave the others; with `version`, only while the whole state is at it (else Conflict).

        A field is a value, or {"value", "status": confirmed|tentative|missing, "source"}. `more`: step, memory_type, signature,
        expires_at, sensitivity.
        """
        given = {"key": key, "fields": as_fields(fields or {}), "version": version, **times(more)}
        return await self._service.state_set(self._who, made(service.StateWrite, given, "option of a state"))

    async def state_put(self, key: str, *, fields: Mapping[str, Any] | None = None, version: int | None = None, **more: Any) -> State:
        """Replace the whole state; otherwise as `state_set`."""
        given = {"key": key, "fields": as_fields(fields or {}), "version": version, "replace": True, **times(more)}
        return await self._service.state_set(self._who, made(service.StateWrite, given, "option of a state"))

    async def state_list(self, *, limit: int = 50, cursor: str = "", **options: Any) -> service.StatePage:
        """States by key, a page at a time."""
        return await self._service.state_list(self._who, service.ListRequest(query=self._query("", options), limit=limit, cursor=cursor))

    async def state_history(self, key: str) -> tuple[State, ...]:
        """Earlier and present versions of a state, newest first."""
        return (await self._service.state_history(self._who, service.StateKey(key=key))).items

    async def state_delete(self, key: str) -> None:
        """Remove a state for real, with its history."""
        await self._service.state_delete(self._who, service.StateKey(key=key))

    # ------------------------------------------------------------------ itself

    async def health(self) -> service.Health:
        """Whether the store answers, where the data lives, what is kept there, and what became of what this process recorded."""
        health = await self._service.health(self._who, service.Nothing())
        return msgspec.structs.replace(health, capture=self._home.recorder.counters())

    async def close(self) -> None:
        """Make everything recorded durable and let go of the folder; every client bound from this one is closed too."""
        await asyncio.to_thread(self._home.close)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
