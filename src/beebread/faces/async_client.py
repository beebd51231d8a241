"""AsyncClient: the whole of Beebread as one object whose methods are awaited. `Client` is the same, blocking."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from beebread import service
from beebread.capture import storable
from beebread.errors import Invalid, shown
from beebread.faces.bound import Bound
from beebread.faces.importing import Import, Imported, Progress
from beebread.faces.requests import When, made, name_of, times
from beebread.model import Memory, Pack, Principal, Recall, Record, State, Trace
from beebread.retrieval import Explanation
from beebread.tasks.state import as_fields


class AsyncClient(Bound):
    """The memory for programs with an event loop; see `Bound` for what it is made with."""

    async def flush(self, timeout: float | None = None) -> None:
        """Return when everything recorded so far is durable and found by time, key, keyword and graph; Unavailable if that cannot be."""
        await self._home.recorder.drain(timeout)

    async def settle(self, timeout: float | None = None, *, progress: Progress | None = None) -> None:
        """Return when what is made from the recorded (vectors, memories) has caught up too.

        `progress` gets the changes of the log done and in all. Raises TimeoutError after `timeout` seconds, Unavailable when the model is
        away, and ModelMismatch when another model made the vectors that are searched.
        """
        async with asyncio.timeout(timeout):
            await self.flush(timeout)
            await self._home.settle(progress)

    async def reembed(self, *, progress: Progress | None = None) -> bool:
        """Make the vectors of everything kept anew with this memory's embedder, then search by those; whether there was a change.

        Words, keys and time, and the old vectors for whoever uses their model, are found by all the while. One that was interrupted goes on
        where it was.
        """
        await self.flush()
        return await self._home.reembed(progress)

    async def import_(
        self,
        path: str | PathLike[str],
        format: str = "auto",
        *,
        progress: Progress | None = None,
        tz: str = "",
        session: str = "",
        start: When = None,
    ) -> Imported:
        """Import transcripts, exports or runs from a file or folder; again changes nothing. `progress` gets bytes done and bytes in all.

        `session` replaces the file's own session id, or stands before it where there are several; `start` and `tz` are for files without
        times, or with times that name no zone.
        """
        given = times({"format": format, "tz": tz or self._tz, "session": session, "start": start})
        ask = made(Import, given, "option of an import")
        if not isinstance(path, (str, PathLike)):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not all typed
            raise Invalid(f"the path of a file or folder is text or a Path, not {shown(path)}")
        await self.flush()
        return await self._home.import_(self._who, Path(path), ask, progress)

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
        given = times(
            {
                "text": text, "kind": kind, "id": id, "key": key, "value": value, "tags": tags, "entities": entities,
                "confidence": confidence, "importance": importance, "valid_from": valid_from, "valid_to": valid_to,
                "expires_at": expires_at, "space": space, "group": group, "sensitivity": sensitivity,
                "environment": self._environment,
                "evidence": {"sources": sources, "quote": _said(quote), "speaker": speaker, "modality": modality},
            }
        )  # fmt: skip
        return (await self._service.write(self._who, made(service.Write, given, "part of a memory"))).id

    async def query(self, text: str = "", **options: Any) -> Recall:
        """What fits `text` best among what may be seen, with reasons. Options are the fields of `Query` (limit, kinds, after, as_of, …).

        What this process recorded is made durable first, so that it is found.
        """
        query = self._query(text, options)
        await self.flush()
        return await self._service.query(self._who, query)

    async def context(self, text: str, *, budget: int = 4000, shape: service.Shape = "openai", system: str = "", **options: Any) -> Pack:
        """A `messages` array of at most `budget` tokens for the next model call, made from the right past. Options as for `query`."""
        ask = made(
            service.ContextRequest,
            {"query": self._query(text, options), "budget": budget, "shape": shape, "system": system},
            "option of a context",
        )
        await self.flush()
        return await self._service.context(self._who, ask, self._count)

    async def explain(self, text: str, *, expect: str, **options: Any) -> Explanation:
        """Why the record `expect` was found by this query, or why not."""
        ask = made(service.Explain, {"query": self._query(text, options), "expect": expect}, "option of an explanation")
        await self.flush()
        return await self._service.explain(self._who, ask)

    async def get(self, id: str) -> Record | None:
        """One record, or None: for an unknown, a forgotten and a foreign id alike."""
        await self.flush()
        return await self._service.get(self._who, _named(id))

    async def body(self, id: str, ref: str = "") -> bytes:
        """A large body of an event, kept apart from it: its whole text, or the one that a part names (`blob:ref`). NotFound without one."""
        await self.flush()
        return await self._service.body(self._who, service.Body(id=id, ref=ref.removeprefix("blob:")))

    async def list(self, *, limit: int = 50, cursor: str = "", order: Literal["time", "-time"] = "-time", **options: Any) -> service.Page:
        """Memories (or events, with types=['event']), a page at a time, newest first. Options are the filters of `Query`."""
        ask = self._page(options, limit, cursor, order=order)
        await self.flush()
        return await self._service.list(self._who, ask)

    async def update(self, id: str, *, version: int | None = None, **changes: Any) -> Memory:
        """Change a memory's text, value, tags, confidence or importance; Conflict when `version` is not the present one."""
        return await self._service.update(self._who, made(service.Update, {"id": id, "version": version, **changes}, "change"))

    async def forget(self, id: str, *, reason: str = "", erase: bool = False) -> tuple[str, ...]:
        """Forget a record and what rests on it alone; returns the ids that are gone. `erase` removes them for real at once."""
        await self.flush()
        ask = made(service.Forget, {"id": storable(name_of(id)), "reason": reason, "erase": erase}, "argument")
        return (await self._service.forget(self._who, ask)).ids

    async def history(self, id: str) -> tuple[Memory, ...]:
        """A memory's versions and those of its slot, newest first."""
        return (await self._service.history(self._who, _named(id))).items

    async def purge(self) -> int:
        """Remove for real all that was forgotten; how many records. For the administrator."""
        await self.flush()
        return (await self._service.purge(self._who, service.Purge())).records

    # ------------------------------------------------------------------ runs and states

    async def sessions(self, *, limit: int = 50, cursor: str = "", **options: Any) -> service.SessionPage:
        """Sessions with their counts, tokens and cost, latest begun first."""
        await self.flush()
        return await self._service.sessions(self._who, self._page(options, limit, cursor))

    async def trace(self, session: str = "", *, id: str = "", depth: int = 20, limit: int = 2000) -> Trace:
        """The causal graph of a session (default: the bound one), or the chain around one event."""
        await self.flush()
        whole = session or ("" if id else self._who.session)
        ask = made(service.TraceRequest, {"session": whole, "id": id, "depth": depth, "limit": limit}, "option of a trace")
        return await self._service.trace(self._who, ask)

    async def state_get(self, key: str) -> State | None:
        """The state of a task, or None: for an unknown, an expired and a foreign one alike."""
        return await self._service.state_get(self._who, _keyed(key))

    async def state_set(self, key: str, *, fields: Mapping[str, Any] | None = None, version: int | None = None, **more: Any) -> State:
        """Set these fields, each atomically, and leave the others; with `version`, only while the whole state is at it (else Conflict).

        A field is a value, or {"value", "status": confirmed|tentative|missing, "source"}. `more`: step, memory_type, signature,
        expires_at, sensitivity.
        """
        given = {"key": key, "fields": as_fields({} if fields is None else fields), "version": version, **times(more)}
        return await self._service.state_set(self._who, made(service.StateWrite, given, "option of a state"))

    async def state_put(self, key: str, *, fields: Mapping[str, Any] | None = None, version: int | None = None, **more: Any) -> State:
        """Replace the whole state; otherwise as `state_set`."""
        given = {"key": key, "fields": as_fields({} if fields is None else fields), "version": version, "replace": True, **times(more)}
        return await self._service.state_set(self._who, made(service.StateWrite, given, "option of a state"))

    async def state_list(self, *, limit: int = 50, cursor: str = "", **options: Any) -> service.StatePage:
        """States by key, a page at a time."""
        return await self._service.state_list(self._who, self._page(options, limit, cursor))

    async def state_history(self, key: str) -> tuple[State, ...]:
        """Earlier and present versions of a state, newest first."""
        return (await self._service.state_history(self._who, _keyed(key))).items

    async def state_delete(self, key: str) -> None:
        """Remove a state for real, with its history."""
        await self._service.state_delete(self._who, _keyed(key))

    # ------------------------------------------------------------------ itself

    async def changes(self, cursor: str = "", *, limit: int = 100) -> service.ChangePage:
        """What changed after `cursor`, in the order of the log, as far as it may be seen; '' begins with the first change there is."""
        await self.flush()
        return await self._service.changes(self._who, made(service.Changes, {"cursor": cursor, "limit": limit}, "option of changes"))

    async def whoami(self) -> Principal:
        """Who asks, as the credential and every `bind` make it."""
        return await self._service.whoami(self._who, service.Nothing())

    async def key_create(self, name: str = "", **options: Any) -> service.KeyMade:
        """Make a key for a server and give its token, which is shown this once. Options are the fields of `KeyCreate` (user, agent, …)."""
        return await self._service.key_create(self._who, made(service.KeyCreate, {"name": name, **times(options)}, "option of a key"))

    async def key_list(self) -> tuple[service.Key, ...]:
        """All keys, oldest first, revoked and expired ones too; of the tokens nothing but their ids."""
        return (await self._service.key_list(self._who, service.Nothing())).items

    async def key_revoke(self, id: str) -> service.Key:
        """End a key now; again changes nothing. NotFound for an unknown one."""
        return await self._service.key_revoke(self._who, service.KeyId(id=name_of(id)))

    async def health(self) -> service.Health:
        """Whether the store answers, where the data lives, what is kept there, and what became of what this process recorded."""
        health = await self._service.health(self._who, service.Nothing())
        recorder = self._home.recorder
        return msgspec.structs.replace(health, capture=recorder.counters(), trouble=recorder.trouble)

    async def close(self) -> None:
        """Make everything recorded durable and let go of the folder; every client bound from this one is closed too."""
        await asyncio.to_thread(self._home.close)

    def _page(self, options: Mapping[str, Any], limit: int, cursor: str, **more: str) -> service.ListRequest:
        return made(service.ListRequest, {"query": self._query("", options), "limit": limit, "cursor": cursor, **more}, "option of a list")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _said(quote: Any) -> Any:
    return storable(quote) if isinstance(quote, str) else quote


def _named(id: str) -> service.Get:
    return service.Get(id=name_of(id))


def _keyed(key: str) -> service.StateKey:
    return service.StateKey(key=name_of(key))
