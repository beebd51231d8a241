"""POST /v1/events: one event, a list of them, or a stream of JSON lines; durable when it is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from starlette.requests import Request

from beebread import policy, service
from beebread.errors import BeebreadError, Invalid, shown
from beebread.faces import binding
from beebread.faces.embedded import Home
from beebread.faces.requests import made
from beebread.faces.rest.answered import Refused
from beebread.faces.rest.asked import BINDING, SYNONYMS, body_of
from beebread.faces.rest.options import ServerOptions
from beebread.faces.rest.received import lines, whole
from beebread.model import Actor, Event, Principal, Scope

BATCH = 256
LINES = ("application/x-ndjson", "application/jsonl")


class _Named(msgspec.Struct):
    id: str = ""


class Events:
    """Takes events in for whoever asks."""

    def __init__(self, home: Home, options: ServerOptions) -> None:
        self._home, self._options = home, options

    async def take(self, request: Request, who: Principal) -> service.Appended:
        """Keep what the request brings. In a list and a stream a bad one is set aside with its reason, under its id or number."""
        key = request.headers.get("idempotency-key", "")
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() in LINES:
            return await self._stream(request, who, key)
        given = body_of(await whole(request, self._options))
        alone = "events" not in given
        listed = [given] if alone else given.pop("events")
        aliases: Any = {} if alone else given.pop("aliases", {})
        try:
            listed, aliases = msgspec.convert((listed, aliases), tuple[list[Any], dict[str, str]])
        except msgspec.ValidationError as error:
            raise Invalid(f"events is a list of events, and aliases names ids by ids: {error}") from None
        if not alone:
            if unknown := sorted(name for name in given if SYNONYMS.get(name, name) not in binding.NAMES):
                raise Invalid(f"unknown name {shown(unknown[0])}; known are events, aliases, {', '.join(BINDING)}")
            who = binding.narrowed(who, _wish(given))
        return await self._keep(who, list(enumerate(listed)), key, aliases, alone=alone)

    async def _stream(self, request: Request, who: Principal, key: str) -> service.Appended:
        done = service.Appended()
        batch: list[tuple[int, Any]] = []
        number = 0
        async for line in lines(request, self._options):
            try:
                batch.append((number, msgspec.json.decode(line)))
            except (msgspec.DecodeError, RecursionError) as error:
                batch.append((number, Invalid(f"this line is no JSON: {error}")))
            number += 1
            if len(batch) == BATCH:
                done, batch = _joined(done, await self._keep(who, batch, key, {})), []
        return _joined(done, await self._keep(who, batch, key, {}))

    async def _keep(
        self, who: Principal, listed: Sequence[tuple[int, Any]], key: str, aliases: dict[str, str], *, alone: bool = False
    ) -> service.Appended:
        by_whom: dict[Principal, list[Event]] = {}
        rejected: dict[str, str] = {}
        for number, given in listed:
            try:
                whose, events = self._made(who, given, _name(key, number) if key else "")
                by_whom.setdefault(whose, []).extend(events)
            except BeebreadError as error:
                if alone:
                    raise
                rejected[_id(given) or f"#{number}"] = str(error)
        kept = service.Appended()
        for whose, events in by_whom.items():
            ask = service.Append(events=tuple(events), aliases=aliases)
            kept = _joined(kept, await self._home.service.append(whose, ask))
        if alone and kept.rejected:
            raise Invalid("; ".join(kept.rejected.values()), ids=tuple(kept.rejected))
        return msgspec.structs.replace(kept, rejected={**rejected, **kept.rejected})

    def _made(self, who: Principal, given: Any, name: str) -> tuple[Principal, list[Event]]:
        """The events that one object stands for, a whole one with its scope or what `record` takes; and under whom they are kept."""
        if isinstance(given, BeebreadError):
            raise given
        try:
            fields = msgspec.convert(given, dict[str, Any])
            event = msgspec.convert({"type": "event", **fields}, Event) if "scope" in fields else None
        except msgspec.ValidationError as error:
            raise Invalid(f"an event of the wrong form: {error}") from None
        if event is not None:
            whose = who if event.scope.space in ("shared", "system") else binding.narrowed(who, _place(event.scope))
            policy.may_write(whose, event.scope)
            return whose, [event]
        who = binding.narrowed(who, _wish(fields))
        fields = {part: value for part, value in fields.items() if SYNONYMS.get(part, part) not in binding.NAMES}
        kind = fields.pop("kind", None)
        said = fields.pop("content", fields.pop("text", ""))
        scope = policy.scope_for(who, space=fields.pop("space", ""), sensitivity=fields.pop("sensitivity", 0))
        made(Scope, msgspec.structs.asdict(scope), "part of a scope")
        policy.may_write(who, scope)
        if name:
            fields.setdefault("id", name)
        fields.setdefault("actor", Actor(who.agent))
        draft: Callable[..., list[Event]] = self._home.recorder.draft
        return who, draft(kind, said, scope=scope, **fields)


def _wish(given: Mapping[str, Any]) -> dict[str, Any]:
    """What of `given` narrows who asks."""
    return {SYNONYMS.get(name, name): value for name, value in given.items() if SYNONYMS.get(name, name) in binding.NAMES}


def _place(scope: Scope) -> dict[str, Any]:
    """Who writes there."""
    named = {"tenant": scope.tenant, "user": scope.user, "agent": scope.agent, "session": scope.session, "task": scope.task}
    return {**named, "groups": [scope.group] if scope.group else [], "private": bool(scope.agent)}


def _name(key: str, number: int) -> str:
    return idempotent(f"{key}\n{number}")


def idempotent(key: str) -> str:
    """The id of what a request with this Idempotency-Key makes: the same request again is a second sighting of it."""
    if len(key) > 255:
        raise Refused(400, "an Idempotency-Key has at most 255 characters")
    return f"idem-{blake2b(key.encode(errors='surrogatepass'), digest_size=16).hexdigest()}"


def _id(given: Any) -> str:
    try:
        return msgspec.convert(given, _Named).id
    except msgspec.ValidationError:
        return ""


def _joined(one: service.Appended, more: service.Appended) -> service.Appended:
    return service.Appended(
        created=one.created + more.created,
        seen=one.seen + more.seen,
        buried=one.buried + more.buried,
        rejected={**one.rejected, **more.rejected},
    )
