"""The tools: a call's flat arguments into an operation of the service, its answer into compact JSON."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, date, datetime, time
from typing import Any, cast

import msgspec

from beebread.capture import storable
from beebread.clock import parse_zone
from beebread.errors import Conflict, Invalid, shown
from beebread.faces import binding
from beebread.faces.mcp import facts
from beebread.faces.requests import made, times
from beebread.model import Event, Item, Memory, Pack, Principal, Query, Record, State
from beebread.service import ContextRequest, Forget, Get, ListRequest, Service, StateKey, StateWrite, Update, Write
from beebread.tasks.state import as_fields

Json = dict[str, Any]
LONGEST_TEXT = 4_000  # characters of one text of an answer; the whole of it is a resource
SAME = 5  # memories that are looked at for one that says the same
_TYPES = ("event", "memory")
_SYNONYMS = {
    "top_k": "limit",
    "text": "content",
    "kind": "type",
    "user": "user_id",
    "agent": "agent_id",
    "session": "session_id",
    "task": "task_id",
}
_BINDS = {"user_id": "user", "agent_id": "agent", "session_id": "session", "task_id": "task"}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """Who calls: the principal that the connection stands for, and what the client said of the call beside its arguments."""

    who: Principal
    session: str = ""  # the client's own, where no argument names one
    environment: dict[str, str] = {}


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The memory that holds the slot which is to be written, and what it says."""

    id: str
    version: int
    text: str


Decide = Callable[[Kept, str], Awaitable[str]]
"""Asks which of two values of a slot is to stand: 'replace' or 'keep'."""


class Calls:
    """The tools of one memory."""

    def __init__(self, service: Service, *, full: bool = False) -> None:
        self._service = service
        self._tools = {tool["name"]: tool["inputSchema"] for tool in facts.tools(full=full)}
        self._run: dict[str, Callable[[Caller, Json], Awaitable[Json]]] = {
            "memory_query": self._query, "memory_update": self._update, "memory_forget": self._forget, "memory_list": self._list,
            "memory_context": self._context, "task_state": self._state,
        }  # fmt: skip

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    async def call(self, name: str, given: Mapping[str, Any], caller: Caller, decide: Decide) -> Json:
        """The answer of a tool; `decide` is asked where a write would replace another value.

        Raises a BeebreadError that says what to do.
        """
        arguments, bound = self._arguments(name, given, caller)
        if name == "memory_write":
            return await self._write(bound, arguments, decide)
        return await self._run[name](bound, arguments)

    def _arguments(self, name: str, given: Mapping[str, Any], caller: Caller) -> tuple[Json, Caller]:
        """A call's own arguments, checked by the tool's schema, and the caller as they narrow him."""
        schema = self._tools[name]
        known: Json = schema["properties"]
        arguments: Json = {}
        wish: dict[str, Any] = {}
        for key, value in given.items():
            plain = key if key in known and key != "top_k" else _SYNONYMS.get(key, key)
            if plain not in known and plain != "user_id":
                raise Invalid(f"{name} has no parameter {shown(key)}; it takes {', '.join(known)}")
            if value is None or (value == "" and plain != "content"):
                continue  # as clients send what was left out
            if plain in arguments or plain in wish:
                raise Invalid(f"{plain} is given twice")
            _check(plain, value, known.get(plain, {"type": "string"}))
            if plain in ("user_id", "agent_id") or (plain in _BINDS and name in ("memory_write", "memory_context")):
                wish[_BINDS[plain]] = value
            else:
                arguments[plain] = value
        for required in schema.get("required", ()):
            if required not in arguments:
                raise Invalid(f"{name} needs {required}")
        if caller.session and "session" not in wish:
            wish["session"] = caller.session
        who = caller.who
        if who.user and wish.get("user", who.user) == who.user:
            wish.pop("user", None)
        return arguments, msgspec.structs.replace(caller, who=binding.narrowed(who, wish) if wish else who)

    # ------------------------------------------------------------------ the tools

    async def _write(self, caller: Caller, given: Json, decide: Decide) -> Json:
        ask = made(Write, {
            "text": given["content"], "kind": given.get("type", "fact"), "key": given.get("key", ""), "tags": given.get("tags", []),
            "confidence": given.get("confidence", 1.0), "space": given.get("space", "private"), "trust": "model",
            "environment": caller.environment,
        }, "argument of memory_write")  # fmt: skip
        if (same := await self._same(caller.who, ask)) is not None:
            return {"id": same.id, "status": "active", "seen": True}
        held = await self._held(caller.who, ask) if ask.key else []
        if held and await decide(held[0], ask.text) == "keep":
            return {"id": held[0].id, "status": "kept"}
        written = await self._service.write(caller.who, ask)
        said = {one.id: one.text for one in held}
        replaced = [_compact(id=name, text=said.get(name, "")) for name in written.superseded]
        return _compact(id=written.id, status=written.status, replaced=replaced, seen=written.seen)

    async def _same(self, who: Principal, ask: Write) -> Memory | None:
        """The memory that says the same in the same words already."""
        query = Query(text=ask.text[:2_000], types=("memory",), kinds=(ask.kind,), limit=SAME, channels=("keyword",))
        found = [item.record for item in await self._service.query(who, query)]
        return next((one for one in found if isinstance(one, Memory) and _alike(one, ask)), None)

    async def _held(self, who: Principal, ask: Write) -> list[Kept]:
        """What holds the slot now, in the same space."""
        page = await self._service.list(who, ListRequest(query=Query(keys=(ask.key,)), limit=SAME))
        return [
            Kept(id=one.id, version=one.version, text=one.text[:LONGEST_TEXT])
            for one in page.items
            if isinstance(one, Memory) and one.scope.space == ask.space
        ]

    async def _query(self, caller: Caller, given: Json) -> Json:
        query = _filters(given, text=given["query"], limit=given.get("limit", 10))
        recall = await self._service.query(caller.who, query)
        text = ""
        if budget := given.get("budget", 0):
            pack = await self._service.context(caller.who, ContextRequest(query=query, budget=budget))
            text = _rebuilt(pack)
        items = [_item(item.record, item) for item in recall]
        return {"items": items, **_compact(text=text, why_empty=recall.report.empty)}

    async def _update(self, caller: Caller, given: Json) -> Json:
        renamed = {"text" if name == "content" else name: value for name, value in given.items()}
        if not renamed.keys() - {"id", "version"}:
            raise Invalid("nothing to change: give content, tags or confidence")
        memory = await self._service.update(caller.who, made(Update, renamed, "argument of memory_update"))
        return {"id": memory.id, "status": "updated", "version": memory.version, "text": memory.text[:LONGEST_TEXT]}

    async def _forget(self, caller: Caller, given: Json) -> Json:
        ask = made(Forget, given, "argument of memory_forget")
        forgotten = await self._service.forget(caller.who, ask)
        return {"id": ask.id, "status": "erased" if ask.erase else "forgotten", "ids": list(forgotten.ids)}

    async def _list(self, caller: Caller, given: Json) -> Json:
        query = _filters(given)
        if given.get("session_id") and not query.types:
            query = msgspec.structs.replace(query, types=_TYPES)
        asked = {"query": query, "limit": given.get("limit", 20), "cursor": given.get("cursor", "")}
        page = await self._service.list(caller.who, made(ListRequest, asked, "argument of memory_list"))
        return {"items": [_item(record) for record in page.items], **_compact(cursor=page.cursor)}

    async def _context(self, caller: Caller, given: Json) -> Json:
        ask = ContextRequest(query=Query(text=given["query"]), budget=given.get("budget", 4000))
        pack = await self._service.context(caller.who, ask)
        sources = dict.fromkeys(one.id for one in pack.citations)
        return {"messages": list(pack.messages), "tokens": pack.tokens, **_compact(sources=list(sources))}

    async def _state(self, caller: Caller, given: Json) -> Json:
        key, fields = given["key"], cast("Json", given.get("set", {}))
        if fields or given.get("step"):
            ask = {"key": key, "fields": as_fields(fields), "step": given.get("step", ""), "version": given.get("version")}
            return _state(key, await self._service.state_set(caller.who, made(StateWrite, ask, "argument of task_state")))
        return _state(key, await self._service.state_get(caller.who, StateKey(key=key)))

    # ------------------------------------------------------------------ resources and prompts

    async def item(self, caller: Caller, name: str) -> Json | None:
        """One record, whole; None for an unknown and a foreign one alike."""
        record = await self._service.get(caller.who, Get(id=name))
        return None if record is None else msgspec.to_builtins(record)

    async def recalled(self, caller: Caller, topic: str, budget: int = 2_000) -> str:
        """What is remembered about a subject, as text."""
        query = made(Query, {"text": topic}, "argument of the prompt")
        return _rebuilt(await self._service.context(caller.who, ContextRequest(query=query, budget=budget)))


def _check(name: str, value: object, schema: Json) -> None:
    """Raise Invalid for a value that the parameter does not take."""
    wanted = str(schema["type"])
    if not isinstance(value, _KINDS[wanted]) or (isinstance(value, bool) and wanted != "boolean"):
        raise Invalid(f"{name} must be {'an' if wanted[0] in 'aio' else 'a'} {wanted}, not {shown(value)}")
    if wanted == "array" and not all(isinstance(one, str) for one in cast("list[object]", value)):
        raise Invalid(f"{name} must be a list of texts")
    if "enum" in schema and value not in schema["enum"]:
        raise Invalid(f"{name} must be one of {', '.join(schema['enum'])}, not {shown(value)}")
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        raise Invalid(f"{name} must be from {schema['minimum']} to {schema['maximum']}, not {shown(value)}")


def _filters(given: Json, **more: Any) -> Query:
    """The filters that both reading tools have."""
    wish: Json = dict(more)
    if kind := given.get("type", ""):
        wish["types" if kind in _TYPES else "kinds"] = (kind,)
    for name, option in (("session_id", "sessions"), ("task_id", "tasks")):
        if name in given:
            wish[option] = (given[name],)
    if "tags" in given:
        wish["tags"] = tuple(given["tags"])
    for name in ("after", "before"):
        if name in given:
            wish[name] = _day(given[name])
    return made(Query, times(wish), "filter")


def _day(value: str) -> str:
    """A bare day as its start; anything else as it is."""
    if _DAY.fullmatch(value) is None:
        return value
    try:
        return datetime.combine(date.fromisoformat(value), time(), parse_zone("UTC")).isoformat()
    except ValueError:
        raise Invalid(f"{value} is no day of the calendar") from None


def _alike(memory: Memory, ask: Write) -> bool:
    mine = (memory.text, memory.key, memory.scope.space, memory.confidence)
    return mine == (ask.text, ask.key, ask.space, ask.confidence) and set(ask.tags) <= set(memory.tags)


def _item(record: Record, item: Item | None = None) -> Json:
    """A record as a model reads it: nothing that is empty or as usual."""
    text = item.text if item is not None else getattr(record, "text", "")
    memory = record if isinstance(record, Memory) else None
    speaker = record.speaker if isinstance(record, Event) else ""
    cut = len(text) > LONGEST_TEXT
    told = {"id": record.id, "type": record.kind, "text": text[:LONGEST_TEXT], "at": moment(record.at)}
    more = _compact(
        score=round(item.score, 4) if item is not None else None, session_id=record.scope.session, speaker=speaker,
        key=memory.key if memory else "", tags=list(memory.tags) if memory else [], version=memory.version if memory else None,
        confidence=memory.confidence if memory and memory.confidence < 1 else None,
        status=item.status if item is not None and item.status != "active" else "", more=f"memory://item/{record.id}" if cut else "",
    )  # fmt: skip
    return {**told, **more}


def _state(key: str, state: State | None) -> Json:
    if state is None:
        return {"key": key, "version": 0}
    unsure = {name: field.status for name, field in state.fields.items() if field.status != "confirmed"}
    updated = moment(state.updated_at) if state.updated_at else ""
    fields = {name: field.value for name, field in state.fields.items()}
    return {"key": state.key, "version": state.version, "fields": fields, **_compact(step=state.step, unsure=unsure, updated=updated)}


def _rebuilt(pack: Pack) -> str:
    """The messages of a pack as one text."""
    lines = [f"{message['role']}: {message['content']}" for message in pack.messages if message.get("content")]
    return "\n\n".join(([pack.system] if pack.system else []) + lines)


def _compact(**values: Any) -> Json:
    return {name: value for name, value in values.items() if value not in (None, "", [], {}, False)}


def moment(value: datetime) -> str:
    """A moment as an answer tells it."""
    return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def problem(error: Exception) -> Json:
    """What a model is told of an error that it can do something about; of a stale version also what stands there."""
    told: Json = {"error": type(error).__name__, "message": str(error)}
    detail = getattr(error, "detail", None)
    if isinstance(error, Conflict) and isinstance(detail, (Memory, State)):
        told["current"] = _item(detail) if isinstance(detail, Memory) else _state(detail.key, detail)
    return cast("Json", storable(told))
