"""JSON lines of events: Beebread's own export, kept as it is, and a lenient form for everybody else's.

An own line is an Event, Memory or Session as JSON: it has `type` (event, memory, session) and `scope`. Sessions are left out, since they
are folded from their events. Every other line is read by these names, of which the first that is there counts:

    id                                            default: from session, line and content
    session | session_id | conversation_id        default: the file's name
    kind | type | role                            an event kind or synonym, or user, assistant, system, developer, tool
    text | content | message                      a string, a list of content parts, or JSON, which is kept as its text
    at | ts | timestamp | created_at              ISO 8601 with an offset, or a Unix time; ended_at likewise
    tool                                          a name, or {name, call_id, args}; or tool_name, call_id | tool_call_id, args | arguments
    parent | parent_id, causes, refers_to         ids; a cause is an id, {id, relation | rel}, or [id, relation]
    agent | actor                                 an id, or {id, name}
    model                                         a name, or the fields of a ModelCall
    speaker | name, run, status, error, origin, priority, tags, environment

A line without a time has `Options.start` plus a second a line, else the file's own time. A result without a parent belongs to the open call
of its session with the same call id. An event that would be among its own causes is a Problem, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import msgspec

from beebread.clock import parse_time
from beebread.errors import Invalid
from beebread.importers.causality import Causality
from beebread.importers.content import flatten
from beebread.importers.files import stem
from beebread.importers.reading import Format, Input, Line, Problem, Read
from beebread.importers.run import Run
from beebread.importers.shape import arguments, first, is_list, is_object, listing, mapping, moment, name, string
from beebread.model import (
    EVENT_KINDS,
    KIND_SYNONYMS,
    ORIGINS,
    PRIORITIES,
    RELATIONS,
    STATUSES,
    Actor,
    Cause,
    Event,
    Failure,
    Memory,
    ModelCall,
    Scope,
    Session,
    Tool,
)

_ROLES = {"user": "user_message", "human": "user_message", "assistant": "assistant_message", "ai": "assistant_message",
          "system": "system_message", "developer": "system_message", "tool": "tool_result"}  # fmt: skip
_KIND, _TEXT, _TIME = ("kind", "type", "role"), ("text", "content", "message"), ("at", "ts", "timestamp", "created_at")
_TIMES = ("at", "ended_at", "recorded_at", "forgotten_at", "expires_at", "closed_at", "valid_from", "valid_to", "last_used")


class _Lenient:
    """The lines of the lenient form, one after another, by session."""

    def __init__(self, given: Input) -> None:
        self._given, self._tz = given, given.options.tz
        self._runs: dict[str, Run] = {}
        self._open: dict[tuple[str, str], tuple[str, str]] = {}

    def event(self, line: Line) -> Event:
        value = line.value
        session = name(first(value, "session", "session_id", "conversation_id"), "session") or stem(self._given.name)
        kind = _kind(value)
        text, parts = flatten(first(value, *_TEXT))
        tool = _tool(value)
        run = self._runs.get(session) or self._runs.setdefault(session, Run(self._given, "jsonl", session))
        fields: dict[str, Any] = {"text": text, "parts": parts, **_optional(value, self._tz), **self._above(value, kind, tool, session)}
        event = run.event(kind, self._at(value, line.number), line.number, id=name(value.get("id"), "id"), line=line.number, **fields)
        if kind == "tool_call" and tool and tool.call_id:
            self._open[session, tool.call_id] = (event.id, tool.name)
        return event

    def _at(self, value: dict[str, Any], number: int) -> datetime:
        stamp = first(value, *_TIME)
        if stamp is not None:
            return moment(stamp, "at", self._tz)
        start = self._given.options.start
        return parse_time(start, "start") + timedelta(seconds=number - 1) if start else self._given.modified

    def _above(self, value: dict[str, Any], kind: str, tool: Tool | None, session: str) -> dict[str, Any]:
        parent = name(first(value, "parent", "parent_id"), "parent")
        causes = tuple(_cause(item) for item in listing(value.get("causes"), "causes"))
        if kind == "tool_result" and tool:
            call, called = self._open.pop((session, tool.call_id), ("", ""))
            tool = msgspec.structs.replace(tool, name=tool.name or called)
            if not parent and call:
                parent, causes = call, causes or (Cause(call, "requested_by"),)
        return {"parent": parent, "causes": causes, "tool": tool}


def _kind(value: dict[str, Any]) -> str:
    given = string(first(value, *_KIND), "kind")
    kind = KIND_SYNONYMS.get(given) or _ROLES.get(given) or given
    if kind not in EVENT_KINDS:
        wrong = f"kind {given[:60]!r} is unknown" if given else "the line has no kind, type or role"
        raise Invalid(f"{wrong}: use one of {', '.join(EVENT_KINDS)}")
    return kind


def _cause(item: object) -> Cause:
    if isinstance(item, str):
        return Cause(item)
    pair = item if is_list(item) else []
    held = {"id": pair[0], "relation": pair[1]} if len(pair) == 2 else mapping(item, "a cause")
    return Cause(name(held.get("id"), "id of a cause"), _among(first(held, "relation", "rel"), RELATIONS, "relation") or "caused_by")


def _among(value: object, known: tuple[str, ...], what: str) -> str:
    text = string(value, what)
    if text and text not in known:
        raise Invalid(f"{what} {text[:60]!r} is unknown: use one of {', '.join(known)}")
    return text


def _tool(value: dict[str, Any]) -> Tool | None:
    given = value.get("tool")
    held = given if is_object(given) else {"name": given}
    called = string(first(held, "name") or value.get("tool_name"), "name of a tool")
    call_id = name(first(held, "call_id", "id") or first(value, "call_id", "tool_call_id"), "call_id")
    args = arguments(first(held, "args", "arguments") or first(value, "args", "arguments"))
    return Tool(called, call_id, args) if called or call_id or args is not None else None


def _optional(value: dict[str, Any], tz: str) -> dict[str, Any]:
    """The fields that few lines have; what is absent keeps the default of an Event."""
    found: dict[str, Any] = {}
    if actor := first(value, "agent", "actor"):
        found["actor"] = Actor(actor) if isinstance(actor, str) else _convert(actor, Actor, "actor")
    if model := value.get("model"):
        found["model"] = ModelCall(name=model) if isinstance(model, str) else _convert(model, ModelCall, "model")
    if error := value.get("error"):
        found["error"] = Failure(message=error) if isinstance(error, str) else _convert(error, Failure, "error")
        found["status"] = "error"
    for key, known in (("status", STATUSES), ("origin", ORIGINS), ("priority", PRIORITIES)):
        if given := _among(value.get(key), known, key):
            found[key] = given
    for key in ("tags", "refers_to"):
        if value.get(key):
            found[key] = tuple(name(item, key) for item in listing(value[key], key))
    if value.get("environment"):
        found["environment"] = _convert(value["environment"], dict[str, str], "environment")
    if value.get("ended_at"):
        found["ended_at"] = moment(value["ended_at"], "ended_at", tz)
    return {**found, "speaker": string(first(value, "speaker", "name"), "speaker"), "run": name(value.get("run"), "run")}


def _convert(value: Any, kind: Any, what: str) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise Invalid(f"{what}: {error}") from None


def _own(value: dict[str, Any], given: Input) -> Event | Memory | None:
    """A record of an own export, in the scope that the options say; None for a session."""
    record: Event | Memory | Session = _convert(value, Event | Memory | Session, "the record")
    if isinstance(record, Session):
        return None
    if not record.id:
        raise Invalid("the record has no id: give it one")
    if isinstance(record, Event) and record.kind not in EVENT_KINDS:
        raise Invalid(f"kind {record.kind[:60]!r} is unknown: use one of {', '.join(EVENT_KINDS)}")
    times = {key: parse_time(time, key) for key in _TIMES if (time := getattr(record, key, None))}
    scope = _moved(record.scope, given.options.scope) if given.options.scope else record.scope
    if given.options.session:
        scope = msgspec.structs.replace(scope, session=given.options.session)
    if isinstance(record, Event) and given.options.scope:
        record = msgspec.structs.replace(record, body_ref="")  # the body that it names lies with its old owner
    return msgspec.structs.replace(record, scope=scope, **times)


def _moved(old: Scope, new: Scope) -> Scope:
    """Where a record goes: to the new owner, with its own session, its own task where the new scope names none, and no less secret.

    What was said in a closed session stays closed in it.
    """
    secrecy = max(old.sensitivity, new.sensitivity)
    closed = old.space == "session" and bool(old.session)
    return msgspec.structs.replace(
        new, space="session" if closed else new.space, session=old.session, task=new.task or old.task, sensitivity=secrecy
    )


def _is_own(value: dict[str, Any]) -> bool:
    return value.get("type") in ("event", "memory", "session") and "scope" in value


def _is_lines(values: list[dict[str, Any]]) -> bool:
    def known(value: dict[str, Any]) -> bool:
        kind = first(value, *_KIND)
        return _is_own(value) or (isinstance(kind, str) and (kind in EVENT_KINDS or kind in KIND_SYNONYMS or kind in _ROLES))

    return any(known(value) for value in values)


def _lines(lines: Iterator[Line | Problem], given: Input) -> Iterator[Read]:
    lenient, causality = _Lenient(given), Causality()
    for line in lines:
        if isinstance(line, Problem):
            yield line
            continue
        try:
            record = _own(line.value, given) if _is_own(line.value) else lenient.event(line)
            if isinstance(record, Event) and (circle := causality.circle(record)):
                raise Invalid(f"the event is among its own causes ({' <- '.join(circle[:6])}): take one of these causes out")
        except Invalid as error:
            yield Problem(given.name, line.number, str(error))
        else:
            if record:
                yield record


FORMAT = Format(name="jsonl", title="events as JSON lines (our own export, or a lenient form)", is_lines=_is_lines, lines=_lines)
