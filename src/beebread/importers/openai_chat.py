"""OpenAI chat messages: one conversation as a list or under `messages`, several of them, or one a line.

A message is a system_message, user_message, assistant_message (with its thought, where it has `reasoning_content`), a tool_call for each
of its calls, or a tool_result. The next turn of the assistant has as `input_of` causes what was said and returned since its last
one; a call's parent is the assistant's text of the same turn, or the message before where the turn has no text; a result's is its
call, which is found by `tool_call_id` among the calls still open (ids are reused even inside one conversation). No model call is made up.

The session is the conversation's own `session_id`, `conversation_id` or `id`, else the file's name with a digest of its beginning, which
stays when the conversation grows. Times are the messages' own `timestamp` or `created_at` where they have one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from beebread.errors import Invalid
from beebread.importers.content import flatten
from beebread.importers.files import stem
from beebread.importers.reading import Format, Input, Line, Problem, Read
from beebread.importers.run import Pace, Run, input_of
from beebread.importers.shape import arguments, first, is_list, is_object, listing, mapping, moment, name, string
from beebread.model import Actor, Cause, Event, ModelCall, Tool, digest

ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_LOOK = 20  # items looked at: one bad message does not hide what the others are
_SESSION = ("session_id", "conversation_id", "id")
_TIME = ("timestamp", "created_at", "create_time", "at", "ts")


class Conversation:
    """The messages of one conversation, one after another, as events of a run. `human` is the speaker of user messages without a name."""

    def __init__(self, run: Run, *, human: str = "", model: str = "") -> None:
        self._run, self._human = run, human
        self._model = ModelCall(name=model) if model else None
        self._inputs: list[str] = []
        self._open: dict[str, deque[tuple[str, str]]] = {}
        self._index = 0
        self._last = ""

    def message(self, value: object, at: datetime, line: int = 0) -> list[Event]:
        """The events of the next message. Invalid, before anything is changed but the count, for what is no message."""
        self._index += 1
        said = mapping(value, "a message")
        role = string(said.get("role"), "role")
        if role == "assistant":
            events = self._turn(said, at, line)
        elif role in ("tool", "function"):
            events = [self._result(said, at, line)]
        elif role in ROLES:
            events = [self._said(said, role, at, line)]
        else:
            raise Invalid(f"a message's role is {role[:40]!r}: use one of {', '.join(ROLES)}")
        self._last = events[-1].id
        return events

    def _said(self, said: dict[str, Any], role: str, at: datetime, line: int) -> Event:
        text, parts = flatten(said.get("content"))
        kind = "user_message" if role == "user" else "system_message"
        speaker = string(said.get("name"), "name of a message") or self._human if role == "user" else ""
        event = self._event(kind, at, "", said, line=line, text=text, parts=parts, speaker=speaker)
        if role == "user":
            self._inputs.append(event.id)
        return event

    def _result(self, said: dict[str, Any], at: datetime, line: int) -> Event:
        text, parts = flatten(said.get("content"))
        called = name(said.get("tool_call_id"), "tool_call_id") or _function_id(said)
        waiting = self._open.get(called)
        call, tool = waiting[0] if waiting else ("", "")
        tool = Tool(string(said.get("name"), "name of a message") or tool, called)
        causes = (Cause(call, "requested_by"),) if call else ()
        event = self._event("tool_result", at, "", said, line=line, text=text, parts=parts, tool=tool, parent=call, causes=causes)
        if waiting:
            waiting.popleft()
        self._inputs.append(event.id)
        return event

    def _turn(self, said: dict[str, Any], at: datetime, line: int) -> list[Event]:
        calls = [_call(item) for item in listing(said.get("tool_calls"), "tool_calls")]
        if said.get("function_call"):
            function = mapping(said["function_call"], "function_call")
            calls.append(Tool(string(function.get("name"), "name of a tool"), _function_id(function), arguments(function.get("arguments"))))
        thought = string(first(said, "reasoning_content", "reasoning"), "reasoning_content")
        text, parts = flatten(said.get("content"))
        text = text or string(said.get("refusal"), "refusal")
        events: list[Event] = []
        if thought:
            events.append(self._event("thought", at, "thought", said, line=line, text=thought, causes=input_of(self._inputs)))
        if text or parts or not (calls or thought):
            above = {"parent": events[0].id} if events else {"causes": input_of(self._inputs)}
            events.append(self._event("assistant_message", at, "", said, line=line, text=text, parts=parts, **above))
        above = {"parent": events[-1].id} if events else {"parent": self._last, "causes": input_of(self._inputs)}
        for place, tool in enumerate(calls):
            events.append(self._event("tool_call", at, place, said, line=line, tool=tool, **above))
            self._open.setdefault(tool.call_id, deque()).append((events[-1].id, tool.name))
        self._inputs.clear()
        return events

    def _event(self, kind: str, at: datetime, place: object, said: dict[str, Any], **fields: Any) -> Event:
        native = said.get("id")
        model = self._model if kind in ("assistant_message", "thought", "tool_call") and place in ("", "thought", 0) else None
        return self._run.event(kind, at, [self._index, place], native_id=native if isinstance(native, str) else "", model=model, **fields)


def _function_id(value: dict[str, Any]) -> str:
    return f"function-{string(value.get('name'), 'name of a function')}"


def _call(item: object) -> Tool:
    call = mapping(item, "a tool call")
    held = mapping(first(call, "function", "custom"), "the function of a tool call")
    called = name(call.get("id"), "id of a tool call")
    return Tool(string(held.get("name"), "name of a tool"), called, arguments(first(held, "arguments", "input")))


def conversation(messages: list[Any], talk: Conversation, given: Input, line: int = 0) -> Iterator[Read]:
    """The events of `messages`; one that cannot be read is a Problem, and the others come all the same."""
    pace = Pace(given, len(messages))
    for index, message in enumerate(messages):
        try:
            yield from talk.message(message, _time(message, given) or pace.at(index), line)
        except Invalid as error:
            yield Problem(given.name, line, f"message {index + 1}: {error}")


def _time(message: object, given: Input) -> datetime | None:
    stamp = first(message, *_TIME) if is_object(message) else None
    return None if stamp is None else moment(stamp, "time of a message", given.options.tz)


def _beginning(messages: list[Any]) -> str:
    """A digest of the messages up to the first of the user: the same however long the conversation has become since."""
    end = next((place for place, item in enumerate(messages) if is_object(item) and item.get("role") == "user"), 0)
    try:
        return digest(messages[: end + 1])[:12]
    except UnicodeEncodeError:
        return ""


def _one(value: object, given: Input, *, several: bool, line: int = 0) -> Iterator[Read]:
    holder: dict[str, Any] = {} if is_list(value) else mapping(value, "a conversation")
    messages = listing(value if is_list(value) else holder.get("messages"), "messages")
    own = name(first(holder, *_SESSION), "id of a conversation") or f"{stem(given.name)}-{_beginning(messages)}".rstrip("-")
    agent = string(holder.get("model"), "model") if isinstance(holder.get("model"), str) else ""
    run = Run(given, "openai", own, prefix="" if several else None, actor=Actor("assistant"))
    yield from conversation(messages, Conversation(run, model=agent), given, line)


def _is_message(value: object) -> bool:
    return is_object(value) and value.get("role") in ROLES


def _is_conversation(value: object) -> bool:
    if is_object(value):
        held = value.get("messages")
        return is_list(held) and (not held or any(map(_is_message, held[:_LOOK])))
    return is_list(value) and any(map(_is_message, value[:_LOOK]))


def _is_document(value: Any) -> bool:
    return _is_conversation(value) or (is_list(value) and any(map(_is_conversation, value[:_LOOK])))


def _document(value: Any, given: Input) -> Iterator[Read]:
    if not _is_document(value):
        raise Invalid(f"{given.name} holds no OpenAI messages: give a list of objects with a role, or an object with `messages`")
    if _is_conversation(value):
        yield from _one(value, given, several=False)
        return
    for place, item in enumerate(value, 1):
        try:
            yield from _one(item, given, several=True)
        except Invalid as error:
            yield Problem(given.name, 0, f"conversation {place}: {error}")


def _is_lines(values: list[dict[str, Any]]) -> bool:
    return any(map(_is_conversation, values)) or any(_is_message(value) and value.get("tool_calls") for value in values)


def _lines(lines: Iterator[Line | Problem], given: Input) -> Iterator[Read]:
    """A conversation a line, or a message a line, which are one conversation."""
    talk: Conversation | None = None
    for line in lines:
        if isinstance(line, Problem):
            yield line
            continue
        try:
            if "messages" in line.value:
                yield from _one(line.value, given, several=True, line=line.number)
                continue
            talk = talk or Conversation(Run(given, "openai", f"{stem(given.name)}-{_beginning([line.value])}", actor=Actor("assistant")))
            yield from talk.message(line.value, _time(line.value, given) or given.options.start or given.modified, line.number)
        except Invalid as error:
            yield Problem(given.name, line.number, str(error))


FORMAT = Format(
    name="openai", title="OpenAI chat messages (JSON, or JSON lines)",
    is_lines=_is_lines, lines=_lines, is_document=_is_document, document=_document,
)  # fmt: skip
