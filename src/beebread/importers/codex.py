"""Codex rollouts: JSON lines of {timestamp, type, payload}.

Events come of `response_item` alone, since `event_msg` repeats it; `session_meta`, `turn_context` and `token_usage_record` say the session,
the turn, the model and its usage, and `compacted` is the compaction. Reasoning, messages and calls with one `sampled_through_sequence`
(in older files: with nothing between them) are the outputs of one model_call, whose `input_of` causes are the items since the one before.
function_call_output -> its call -> model_call -> what it read. What the harness writes in a user's or developer's name is
harness_message, memory_injected (context added by hooks) or system_message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from beebread.errors import Invalid
from beebread.importers.content import flatten
from beebread.importers.files import stem
from beebread.importers.reading import Format, Input, Line, Problem, Read
from beebread.importers.run import Run, input_of
from beebread.importers.shape import arguments, first, is_object, listing, mapping, moment, name, string
from beebread.model import Actor, Cause, Event, Failure, ModelCall, Tool

_TYPES = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_HARNESS = (
    "<environment_context>", "<user_instructions>", "<user_shell_command>", "<turn_aborted>", "<skill>", "<permissions", "# AGENTS.md",
)  # fmt: skip
_USAGE = {
    "in": "input_tokens", "out": "output_tokens", "reasoning": "reasoning_output_tokens",
    "cache_read": "cached_input_tokens", "cache_write": "cache_write_input_tokens",
}  # fmt: skip
_EXIT = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)$", re.MULTILINE)


class _Call(Struct):
    """A model call whose outputs are still coming; `group` is what they have in common."""

    group: object
    event: Event


class _Rollout:
    def __init__(self, given: Input) -> None:
        self._given = given
        self._run: Run | None = None
        self._session = self._version = self._provider = self._model = self._turn = ""
        self._call: _Call | None = None
        self._inputs: list[str] = []
        self._fed = self._items = 0
        self._open: dict[str, tuple[str, str]] = {}

    def read(self, line: Line) -> Iterator[Event]:
        """The events of one line, with the model call that it ends."""
        kind, payload = line.value.get("type"), mapping(line.value.get("payload") or {}, "payload")
        if kind == "session_meta" and not self._session:
            self._session = string(first(payload, "id", "session_id"), "id of the session")
            self._version = string(payload.get("cli_version"), "cli_version")
            self._provider = string(payload.get("model_provider"), "model_provider")
        elif kind == "turn_context":
            self._turn = string(payload.get("turn_id"), "turn_id")
            self._model = string(payload.get("model"), "model")
        elif kind == "token_usage_record":
            self._spent(payload)
        elif kind == "compacted":
            text = string(payload.get("message"), "message")
            yield self._fed_in(self._event("compaction", self._at(line), line, ["compacted", line.number], text=text))
        elif kind == "response_item":
            yield from self._item(payload, self._at(line), line)

    def end(self) -> Iterator[Event]:
        """The model call still open."""
        if self._call:
            yield self._call.event
            self._call = None

    def _at(self, line: Line) -> datetime:
        return moment(line.value.get("timestamp"), "timestamp", "UTC")

    def _event(self, kind: str, at: datetime, line: Line, place: object, **fields: Any) -> Event:
        if self._run is None:
            session = self._session or stem(self._given.name)
            self._run = Run(self._given, "codex", session, actor=Actor("codex", "Codex"), version=self._version)
        return self._run.event(kind, at, place, line=line.number, run=self._turn, **fields)

    def _fed_in(self, event: Event) -> Event:
        if event.kind != "system_message":
            self._inputs.append(event.id)
        self._fed += 1
        return event

    def _item(self, item: dict[str, Any], at: datetime, line: Line) -> Iterator[Event]:
        self._items += 1
        kind = string(item.get("type"), "type of an item")
        native = string(item.get("id"), "id of an item")
        called = name(item.get("call_id"), "call_id")
        place: object = [kind, native or called or self._items]
        about = mapping(item.get("internal_chat_message_metadata_passthrough") or {}, "metadata")
        self._turn = string(about.get("turn_id"), "turn_id") or self._turn
        if kind.endswith("_output"):
            yield self._fed_in(self._result(item, at, line, place, called))
            return
        if kind == "message" and item.get("role") != "assistant":
            text, parts = flatten(item.get("content"))
            said = _said(string(item.get("role"), "role"), text, about)
            yield self._fed_in(self._event(said, at, line, place, native_id=native, text=text, parts=parts))
            return
        output = _output(kind, item)
        if output is None:
            return
        yield from self._begin(at, line, place)
        call = self._call
        assert call
        call.event = msgspec.structs.replace(call.event, ended_at=at)
        event = self._event(output.pop("kind"), at, line, place, native_id=native, parent=call.event.id, **output)
        if event.tool:
            self._open[event.tool.call_id] = (event.id, event.tool.name)
        yield event

    def _begin(self, at: datetime, line: Line, place: object) -> Iterator[Event]:
        """Open the model call that the output at `place` belongs to, unless it is open."""
        sampled = mapping(line.value.get("metadata") or {}, "metadata").get("sampled_through_sequence")
        group = sampled if isinstance(sampled, int) else ("fed", self._fed)
        if self._call and self._call.group == group:
            return
        yield from self.end()
        model = ModelCall(provider=self._provider, name=self._model)
        event = self._event("model_call", at, line, ["model_call", place], causes=input_of(self._inputs), model=model)
        self._call = _Call(group, event)
        self._inputs = []

    def _spent(self, payload: dict[str, Any]) -> None:
        usage = mapping(payload.get("usage") or {}, "usage")
        counts = {ours: usage[theirs] for ours, theirs in _USAGE.items() if isinstance(usage.get(theirs), int) and usage[theirs]}
        if self._call and self._call.event.model and not self._call.event.model.usage:
            response = string(payload.get("response_id"), "response_id")
            model = msgspec.structs.replace(self._call.event.model, usage=counts, response_id=response)
            self._call.event = msgspec.structs.replace(self._call.event, model=model)

    def _result(self, item: dict[str, Any], at: datetime, line: Line, place: object, called: str) -> Event:
        output = item.get("output")
        held = output if is_object(output) else {"content": output}
        text, parts = flatten(held.get("content", output))
        call, tool = self._open.pop(called, ("", ""))
        code = _EXIT.search(text.partition("\nOutput:")[0])
        failed = held.get("success") is False or (code is not None and code[1] != "0")
        return self._event(
            "tool_result", at, line, place, native_id=string(item.get("id"), "id of an item"), text=text, parts=parts,
            tool=Tool(tool, called), parent=call, causes=(Cause(call, "requested_by"),) if call else (), status="error" if failed else "ok",
            error=Failure("tool_error", text[:1000]) if failed else None,
        )  # fmt: skip


def _output(kind: str, item: dict[str, Any]) -> dict[str, Any] | None:
    """The event that an output item is, as kind and content; None for one that says nothing that can be read."""
    if kind == "message":
        text, parts = flatten(item.get("content"))
        return {"kind": "assistant_message", "text": text, "parts": parts}
    if kind == "reasoning":
        text = flatten(listing(item.get("content"), "content") or listing(item.get("summary"), "summary"))[0]
        return {"kind": "thought", "text": text} if text else None
    if not kind.endswith("_call"):
        return None
    called = name(first(item, "call_id", "id"), "call_id")
    tool = string(item.get("name"), "name of a tool") or kind.removesuffix("_call")
    return {"kind": "tool_call", "tool": Tool(tool, called, arguments(first(item, "arguments", "input", "action")))}


def _said(role: str, text: str, about: dict[str, Any]) -> str:
    """The kind of a message that is not the model's."""
    if "hooks.additional_context" in listing(about.get("content_item_kinds"), "content_item_kinds"):
        return "memory_injected"
    if role != "user":
        return "system_message"
    about_items = listing(about.get("content_item_metadata"), "content_item_metadata")
    origins = [item.get("provenance") for item in about_items if is_object(item)]
    harness = bool(origins) and all(is_object(origin) and origin.get("type") == "harness" for origin in origins)
    return "harness_message" if harness or text.lstrip().startswith(_HARNESS) else "user_message"


def _is_lines(values: list[dict[str, Any]]) -> bool:
    return any(value.get("type") in _TYPES and isinstance(value.get("payload"), dict) for value in values)


def _lines(lines: Iterator[Line | Problem], given: Input) -> Iterator[Read]:
    rollout = _Rollout(given)
    for line in lines:
        if isinstance(line, Problem):
            yield line
            continue
        try:
            yield from rollout.read(line)
        except Invalid as error:
            yield Problem(given.name, line.number, str(error))
    yield from rollout.end()


FORMAT = Format(name="codex", title="Codex rollouts (JSON lines)", is_lines=_is_lines, lines=_lines)
