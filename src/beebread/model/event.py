"""What happened: one step of an agent's run, and how a second sighting of it is merged."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from beebread.errors import Conflict
from beebread.model.ids import canonical, digest, tool_signature
from beebread.model.scope import Scope

EVENT_KINDS = (
    "user_message", "assistant_message", "thought", "model_call", "tool_call", "tool_result", "agent_start", "agent_end", "handoff",
    "retrieval", "memory_op", "memory_injected", "system_message", "harness_message", "compaction", "error",
)  # fmt: skip
KIND_SYNONYMS = {"tool_invocation": "tool_call", "internal_thought": "thought"}
ORIGINS = ("human", "model", "tool", "agent", "harness", "memory", "import")
STATUSES = ("ok", "error", "partial", "cancelled")
PRIORITIES = ("low", "normal", "high")
RELATIONS = ("input_of", "requested_by", "retry_of", "delegated_by", "continues", "supersedes", "data_from", "caused_by")
ORIGIN_OF_KIND = {
    "user_message": "human", "assistant_message": "model", "thought": "model", "model_call": "model", "tool_call": "model",
    "tool_result": "tool", "agent_start": "agent", "agent_end": "agent", "handoff": "agent", "retrieval": "memory", "memory_op": "memory",
    "memory_injected": "memory", "system_message": "harness", "harness_message": "harness", "compaction": "harness", "error": "harness",
}  # fmt: skip


class Actor(Struct, frozen=True, omit_defaults=True):
    """Who did it: an agent's id and name. It says, and restricts nothing."""

    id: str = ""
    name: str = ""


class Cause(Struct, frozen=True, omit_defaults=True):
    """One typed edge to an earlier event; it may dangle until the other end arrives."""

    id: str
    relation: str = "caused_by"


class Tool(Struct, frozen=True, omit_defaults=True):
    """The tool of a tool_call or tool_result. `call_id` is unique inside its session only."""

    name: str = ""
    call_id: str = ""
    args: Any = None
    attempt: int = 0


class ModelCall(Struct, frozen=True, omit_defaults=True):
    """The model of a model_call; `usage` counts tokens by name (in, out, cache_read, cache_write, reasoning), `cost` is in US dollars."""

    provider: str = ""
    name: str = ""
    response_id: str = ""
    finish_reason: str = ""
    params: dict[str, Any] = {}
    usage: dict[str, int] = {}
    cost: float = 0.0
    streamed: bool = False


class Failure(Struct, frozen=True, omit_defaults=True):
    """What went wrong in an event whose status is not ok."""

    type: str = ""
    message: str = ""


class Source(Struct, frozen=True, omit_defaults=True):
    """Where an event was seen: framework, its version, the hook, and the ids that the framework itself uses."""

    framework: str = ""
    version: str = ""
    hook: str = ""
    native_id: str = ""
    native_parent_id: str = ""
    native_session_id: str = ""
    trace_id: str = ""
    span_id: str = ""
    file: str = ""
    line: int = 0


class Event(Struct, frozen=True, omit_defaults=True, kw_only=True, tag="event", tag_field="type"):
    """One thing that happened in an agent's run; immutable but for empty fields that a second sighting fills.

    `at` and `ended_at` are the source's clock with its offset; `recorded_at` is ours. `seq` is the producer's order within a session;
    `position` the log's, set by the store. `parent` is structural (the enclosing step), `causes` are logical, `refers_to` are mentions.
    `parts` are content parts in the OpenTelemetry GenAI shape; `text` is what is searched. `body_ref` names a blob that holds the whole
    text where `text` is only its head.
    """

    id: str
    scope: Scope
    kind: str
    at: datetime
    origin: str = ""
    actor: Actor = Actor()
    speaker: str = ""
    run: str = ""
    root_session: str = ""
    ended_at: datetime | None = None
    recorded_at: datetime | None = None
    seq: int = 0
    position: int = 0
    parent: str = ""
    causes: tuple[Cause, ...] = ()
    refers_to: tuple[str, ...] = ()
    text: str = ""
    parts: tuple[dict[str, Any], ...] = ()
    tool: Tool | None = None
    model: ModelCall | None = None
    status: str = "ok"
    error: Failure | None = None
    source: Source = Source()
    priority: str = "normal"
    tags: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    dedup_key: str = ""
    redactions: dict[str, int] = {}
    body_ref: str = ""
    forgotten_at: datetime | None = None
    expires_at: datetime | None = None
    superseded_by: str = ""
    closed_at: datetime | None = None


def dedup_digest(event: Event, *, with_time: bool) -> str:
    """The key of (session, kind, canonical content, causes as given, and `at` where it was given): mission C7."""
    causes = sorted((cause.id, cause.relation) for cause in event.causes)
    content = [event.scope.session, event.kind, event.speaker, *_content(event), event.parent, causes]
    return digest([*content, event.at] if with_time else content)


def _content(event: Event) -> list[Any]:
    tool = event.tool or Tool()
    return [event.text, event.parts, tool.name, tool.call_id, tool.args, event.error]


def signature(event: Event) -> str:
    """The tool signature of a tool_call or of a tool_result that repeats its arguments, else ''."""
    tool = event.tool
    if (
        tool is None
        or not tool.name
        or event.kind not in ("tool_call", "tool_result")
        or (tool.args is None and event.kind == "tool_result")
    ):
        return ""
    return tool_signature(tool.name, tool.args)


# What the store, not the producer, decides; a second sighting never changes it.
_OURS = frozenset(
    {
        "id",
        "position",
        "recorded_at",
        "dedup_key",
        "forgotten_at",
        "superseded_by",
        "closed_at",
        "causes",
        "refers_to",
        "status",
        "seq",
        "at",
        "tool",
    }
)
_FILLABLE = tuple(name for name in Event.__struct_fields__ if name not in _OURS)
_CONTENT = ("kind", "text", "parts")


def _filled(old: Any, new: Any) -> Any:
    return new if not old and new else old


def _merge_tool(old: Tool | None, new: Tool | None) -> Tool | None:
    if old is None or new is None:
        return old or new
    for name in ("name", "call_id", "args"):
        left, right = getattr(old, name), getattr(new, name)
        if left and right and canonical(left) != canonical(right):
            raise ValueError(name)
    return Tool(*(_filled(getattr(old, name), getattr(new, name)) for name in Tool.__struct_fields__))


def _compartment(scope: Scope) -> tuple[str, str, str, int]:
    return scope.space, scope.session if scope.space == "session" else "", scope.agent, scope.sensitivity


def merge(old: Event, new: Event) -> Event:
    """`old` with its empty fields filled from a second sighting and the edges of both; `old` itself when nothing is new.

    Raises Conflict when both have content and it differs, since one id cannot name two things; and when one is kept closer than the
    other (space, agent, sensitivity), since filling would show its fields to readers of the other.
    """
    clash = f"event {old.id!r} is already kept with other content: record the change as a new event that supersedes it, or use another id"
    if _compartment(old.scope) != _compartment(new.scope):
        raise Conflict(clash, ids=(new.id,))
    for name in _CONTENT:
        left, right = getattr(old, name), getattr(new, name)
        if left and right and canonical(left) != canonical(right):
            raise Conflict(clash, ids=(new.id,))
    try:
        tool = _merge_tool(old.tool, new.tool)
    except ValueError:
        raise Conflict(clash, ids=(new.id,)) from None
    changed: dict[str, Any] = {name: _filled(getattr(old, name), getattr(new, name)) for name in _FILLABLE}
    changed["tool"] = tool
    changed["causes"] = tuple(dict.fromkeys((*old.causes, *new.causes)))
    changed["refers_to"] = tuple(dict.fromkeys((*old.refers_to, *new.refers_to)))
    merged = msgspec.structs.replace(old, **changed)
    return old if merged == old else merged
