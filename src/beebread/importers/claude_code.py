"""Claude Code transcripts: a session's JSON lines, and those of its sub-agents beside it.

A line's `uuid` is its event's id, so a fork that copies it says nothing new. Blocks of one message.id are the outputs of one model_call
(made from the first of them, given when the call has ended, with its usage), whose `input_of` causes are the lines between it and
the call before: up along `parentUuid`, and all results that came in. tool_result -> its tool_call -> model_call -> what it read.
A sub-agent begins with an agent_start under the call that asked for it, and its prompt has the origin `agent`.

user_message is what a person typed. Meta lines, command output, notifications and the summary after a compaction are harness_message,
context added by hooks is memory_injected, `compact_boundary` is the compaction, and the harness's own notes have no event.
"""

from __future__ import annotations

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
from beebread.importers.shape import is_object, listing, mapping, moment, string
from beebread.model import Actor, Cause, Event, Failure, ModelCall, Tool, content_id, digest

FRAMEWORK = "claude-code"
_HARNESS = (
    "<command-name>", "<command-message>", "<local-command-", "<task-notification>", "<system-reminder>", "<bash-", "<user-memory-input>",
    "[Request interrupted",
)  # fmt: skip
_USAGE = {
    "in": "input_tokens", "out": "output_tokens",
    "cache_read": "cache_read_input_tokens", "cache_write": "cache_creation_input_tokens",
}  # fmt: skip


class _Call(Struct):
    """A model call whose outputs are still coming."""

    id: str
    message: str
    event: Event


class _Thread(Struct):
    """What one agent of the transcript has been given since its last model call, each with the event above it, and its open call."""

    actor: Actor | None = None
    call: _Call | None = None
    inputs: dict[str, str] = {}
    results: list[str] = []
    started: bool = False


class _Transcript:
    def __init__(self, given: Input) -> None:
        self._given = given
        self._runs: dict[str, Run] = {}
        self._threads: dict[str, _Thread] = {}
        self._above: dict[str, str] = {}  # lines without an event -> the event above them
        self._calls: dict[str, tuple[str, str, datetime]] = {}  # open tool calls: event, tool, time

    def read(self, line: Line) -> Iterator[Event]:
        """The events of one line, those of a call that it ends included."""
        value = line.value
        uuid = string(value.get("uuid"), "uuid")
        above = string(value.get("parentUuid") or value.get("logicalParentUuid"), "parentUuid")
        above = self._above.get(above, above)
        kind = string(value.get("type"), "type")
        events: list[Event] = []
        if uuid and kind in ("assistant", "user", "attachment", "system"):
            at = moment(value.get("timestamp"), "timestamp", "UTC")
            make = _Maker(self._run(value), uuid, at, value, line.number)
            thread = self._threads.setdefault(make.agent, _Thread())
            if make.agent and not thread.started:
                events.extend(self._start(make, thread))
            if kind == "assistant":
                events.extend(self._assistant(make, thread, above))
            else:
                given = self._user(make, above) if kind == "user" else _noted(make, above)
                self._take(thread, given, above)
                events.extend(given)
        if uuid and not any(event.source.native_id == uuid for event in events):
            self._above[uuid] = above
        yield from events

    def end(self) -> Iterator[Event]:
        """The model calls still open."""
        for thread in self._threads.values():
            yield from self._close(thread)

    def _run(self, value: dict[str, Any]) -> Run:
        session = string(value.get("sessionId"), "sessionId") or stem(self._given.name)
        if session not in self._runs:
            version = string(value.get("version"), "version")
            self._runs[session] = Run(self._given, FRAMEWORK, session, actor=Actor(FRAMEWORK, "Claude Code"), version=version)
        return self._runs[session]

    def _start(self, make: _Maker, thread: _Thread) -> Iterator[Event]:
        thread.started = True
        if make.agent_id:
            yield _agent_start(make, make.agent_id, make.at, "")

    def _take(self, thread: _Thread, given: list[Event], above: str) -> None:
        for event in given:
            if event.kind == "agent_start":
                continue
            thread.inputs[event.id] = "" if event.kind == "compaction" else above
            if event.kind == "tool_result" or event.id != event.source.native_id:  # results of parallel calls, second parts of a line
                thread.results.append(event.id)

    def _assistant(self, make: _Maker, thread: _Thread, above: str) -> Iterator[Event]:
        message = make.message()
        model, response = string(message.get("model"), "model"), string(message.get("id"), "id of a message") or make.uuid
        if model == "<synthetic>" or make.value.get("isApiErrorMessage"):
            text, parts = flatten(message.get("content"))
            failed = bool(make.value.get("isApiErrorMessage"))
            error = Failure("api_error", text[:1000]) if failed else None
            event = make.event("error" if failed else "harness_message", text=text, parts=parts, error=error,
                               status="error" if failed else "ok", causes=(Cause(above),) if above else ())  # fmt: skip
            thread.inputs[event.id] = above
            yield event
            return
        if thread.call is None or thread.call.message != response:
            yield from self._close(thread)
            thread.call = self._open(make, thread, above, response)
        call = thread.call
        spent = ModelCall(
            provider="anthropic", name=model, response_id=string(message.get("id"), "id of a message"),
            finish_reason=string(message.get("stop_reason"), "stop_reason"), usage=_usage(message.get("usage")),
        )  # fmt: skip
        call.event = msgspec.structs.replace(call.event, model=spent, ended_at=make.at)
        blocks = message.get("content")
        for block in [{"type": "text", "text": blocks}] if isinstance(blocks, str) else listing(blocks, "content"):
            yield from self._block(make, mapping(block, "a block"), call.id)

    def _open(self, make: _Maker, thread: _Thread, above: str, response: str) -> _Call:
        read: list[str] = []
        here = above
        while here in thread.inputs and here not in read:
            read.append(here)
            here = thread.inputs[here]
        read = [*reversed(read), *(result for result in thread.results if result not in read)]
        causes = input_of(read or ([above] if above else []))
        thread.inputs, thread.results = {}, []
        event = make.event("model_call", place="model_call", derived=True, causes=causes)
        return _Call(event.id, response, event)

    def _close(self, thread: _Thread) -> Iterator[Event]:
        if thread.call:
            yield thread.call.event
            thread.call = None

    def _block(self, make: _Maker, block: dict[str, Any], call: str) -> Iterator[Event]:
        kind = string(block.get("type"), "type of a block")
        if kind == "thinking":
            if thought := string(block.get("thinking"), "thinking"):
                yield make.event("thought", text=thought, parent=call)
        elif kind.endswith("tool_use"):
            tool = Tool(string(block.get("name"), "name of a tool"), string(block.get("id"), "id of a tool call"), block.get("input"))
            event = make.event("tool_call", tool=tool, parent=call)
            self._calls[tool.call_id] = (event.id, tool.name, make.at)
            yield event
        elif kind.endswith("tool_result"):
            yield self._result(make, block, call)
        elif kind != "redacted_thinking":
            text, parts = flatten([block])
            yield make.event("assistant_message", text=text, parts=parts, parent=call)

    def _result(self, make: _Maker, block: dict[str, Any], fallback: str) -> Event:
        called = string(block.get("tool_use_id"), "tool_use_id")
        call, name, _at = self._calls.pop(called, (fallback, "", make.at))
        text, parts = flatten(block.get("content"))
        failed = block.get("is_error") is True
        return make.event(
            "tool_result", text=text, parts=parts, tool=Tool(name, called), parent=call,
            causes=(Cause(call, "requested_by"),) if call else (),
            status="error" if failed else "ok", error=Failure("tool_error", text[:1000]) if failed else None,
        )  # fmt: skip

    def _user(self, make: _Maker, above: str) -> list[Event]:
        content = make.message().get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else listing(content, "content")
        results = [block for block in blocks if is_object(block) and block.get("type") == "tool_result"]
        said = [block for block in blocks if not (is_object(block) and block.get("type") == "tool_result")]
        asked = string(make.value.get("sourceToolAssistantUUID"), "sourceToolAssistantUUID")
        events: list[Event] = []
        for block in results:
            events.extend(self._launched(make, block))
            events.append(self._result(make, block, self._above.get(asked, asked)))
        if said:
            text, parts = flatten(content if isinstance(content, str) else said)
            events.append(_prompt(make, text, parts, above))
        return events

    def _launched(self, make: _Maker, block: dict[str, Any]) -> Iterator[Event]:
        """The beginning of the sub-agent that this result tells of, under the call that asked for it."""
        outcome = make.value.get("toolUseResult")
        agent = outcome.get("agentId") if is_object(outcome) else None
        known = self._calls.get(string(block.get("tool_use_id"), "tool_use_id"))
        if isinstance(agent, str) and agent and known:
            yield _agent_start(make, agent, known[2], known[0])


class _Maker:
    """Makes the events of one line: the first has the line's uuid, every other an id made from it."""

    def __init__(self, run: Run, uuid: str, at: datetime, value: dict[str, Any], line: int) -> None:
        self.run, self.uuid, self.at, self.value, self._line, self._made = run, uuid, at, value, line, 0
        self.agent_id = string(value.get("agentId"), "agentId")
        self.agent = self.agent_id or ("sidechain" if value.get("isSidechain") else "")

    def message(self) -> dict[str, Any]:
        return mapping(self.value.get("message"), "message")

    def event(self, kind: str, *, place: str = "", derived: bool = False, at: datetime | None = None, **fields: Any) -> Event:
        """An event of the line; a `derived` one is not the line's own."""
        if derived:
            native = ""
            known = content_id(digest([FRAMEWORK, place if place.startswith("agent:") else f"{self.uuid}:{place}"]))
        else:
            self._made += 1
            native = self.uuid
            known = native if self._made == 1 else content_id(digest([FRAMEWORK, native, self._made]))
        if self.agent:
            fields.setdefault("actor", Actor(self.agent, string(self.value.get("attributionAgent"), "attributionAgent")))
        run = self.agent_id or string(self.value.get("promptId"), "promptId")
        fields.update(run=run, root_session=self.run.session, line=self._line)
        return self.run.event(kind, at or self.at, "", id=known, native_id=native, **fields)


def _agent_start(make: _Maker, agent: str, at: datetime, call: str) -> Event:
    causes = (Cause(call, "delegated_by"),) if call else ()
    return make.event("agent_start", place=f"agent:{agent}", derived=True, at=at, parent=call, causes=causes, actor=Actor(agent))


def _prompt(make: _Maker, text: str, parts: tuple[dict[str, Any], ...], above: str) -> Event:
    """What stands in a user's place: typed by him, written by the agent that delegated, or put there by the harness."""
    value = make.value
    if value.get("isCompactSummary"):
        return make.event("harness_message", text=text, parts=parts, parent=above, tags=("compact_summary",))
    if value.get("isMeta") or value.get("rowSource") == "harness" or text.lstrip().startswith(_HARNESS):
        return make.event("harness_message", text=text, parts=parts)
    if not make.agent:
        return make.event("user_message", text=text, parts=parts)
    start = content_id(digest([FRAMEWORK, f"agent:{make.agent}"])) if make.agent_id and not above else ""
    causes = (Cause(start, "delegated_by"),) if start else ()
    return make.event("user_message", text=text, parts=parts, origin="agent", parent=start, causes=causes, actor=Actor())


def _noted(make: _Maker, above: str) -> list[Event]:
    """The event of an attachment or system line, where it has one."""
    value = make.value
    if value.get("type") == "attachment":
        held = mapping(value.get("attachment") or {}, "attachment")
        if held.get("type") == "hook_additional_context":
            content = held.get("content")
            text = content if isinstance(content, str) else "\n".join(string(item, "context") for item in listing(content, "context"))
            return [make.event("memory_injected", text=text)]
        if held.get("type") == "queued_command":
            text, parts = flatten(held.get("prompt"))
            typed = held.get("commandMode", "prompt") == "prompt" and not text.lstrip().startswith(_HARNESS)
            return [make.event("user_message" if typed and not make.agent else "harness_message", text=text, parts=parts)]
        return []
    content = value.get("content")
    text = content if isinstance(content, str) else ""
    subtype = value.get("subtype")
    if subtype == "compact_boundary":
        return [make.event("compaction", text=text, causes=(Cause(above, "continues"),) if above else ())]
    if subtype == "api_error":
        text = text or flatten(value.get("error"))[0]
        return [make.event("error", text=text, status="error", error=Failure("api_error", text[:1000]))]
    return [make.event("harness_message", text=text)] if subtype == "local_command" and text else []


def _usage(value: object) -> dict[str, int]:
    if not is_object(value):
        return {}
    details = value.get("output_tokens_details")
    thought = details.get("thinking_tokens") if is_object(details) else None
    found = {ours: value.get(theirs) for ours, theirs in _USAGE.items()} | {"reasoning": thought}
    return {key: count for key, count in found.items() if isinstance(count, int) and count}


def _is_lines(values: list[dict[str, Any]]) -> bool:
    return any({"uuid", "parentUuid", "sessionId"} <= value.keys() for value in values)


def _lines(lines: Iterator[Line | Problem], given: Input) -> Iterator[Read]:
    transcript = _Transcript(given)
    for line in lines:
        if isinstance(line, Problem):
            yield line
            continue
        try:
            yield from _new(transcript.read(line), given)
        except Invalid as error:
            yield Problem(given.name, line.number, str(error))
    yield from _new(transcript.end(), given)


def _new(events: Iterator[Event], given: Input) -> Iterator[Event]:
    """The events that this reading has not given yet; a sub-agent's beginning is told once more by whoever knows the call above it."""
    for event in events:
        key = f"{event.id} {event.parent}" if event.kind == "agent_start" and event.parent else event.id
        if key not in given.seen:
            given.seen.update((key, event.id))
            yield event


FORMAT = Format(name=FRAMEWORK, title="Claude Code transcripts, with sub-agents and forks (JSON lines)", is_lines=_is_lines, lines=_lines)
