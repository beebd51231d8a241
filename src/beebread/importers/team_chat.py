"""Group chats of several people as {session_meta, conversation_list}, the form of EverMemOS.

The session is the chat's `group_id`. A person's message is a user_message whose `speaker` is his name, a participant in the role of
an assistant gives assistant_messages with him as actor; either has the tag `sender:<id>`. `refer_list` becomes `refers_to`. A time
without an offset is in the chat's `default_timezone`. What a message's `type` says is not text becomes a part with its address.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from msgspec import Struct

from beebread.errors import Invalid
from beebread.importers.content import flatten
from beebread.importers.files import stem
from beebread.importers.reading import Format, Input, Problem, Read
from beebread.importers.run import Run, input_of
from beebread.importers.shape import first, is_list, is_object, listing, mapping, moment, name, string
from beebread.model import Actor


class _Message(Struct):
    at: datetime
    native: str
    sender: str
    speaker: str
    text: str
    parts: tuple[dict[str, Any], ...]
    refers: list[str]


class _Chat:
    def __init__(self, value: dict[str, Any], given: Input) -> None:
        meta = mapping(value.get("session_meta") or {}, "session_meta")
        self._people = mapping(meta.get("user_details") or {}, "user_details")
        self._zone = string(meta.get("default_timezone"), "default_timezone") or given.options.tz
        own = name(first(meta, "group_id", "session_id"), "group_id") or stem(given.name)
        self._run, self._file = Run(given, "team-chat", own), given.name
        self._inputs: list[str] = []
        self._ids: dict[str, str] = {}
        self._count: dict[str, int] = {}

    def read(self, value: object) -> Iterator[Read]:
        """The event of the next message, and a Problem for what it refers to that the chat has not said before."""
        said = self._message(mapping(value, "a message"))
        # An id may come twice in one chat, so the count of its uses is part of the place.
        count = self._count[said.native] = self._count.get(said.native, 0) + 1
        refers = tuple(self._ids[target] for target in said.refers if target in self._ids)
        assistant = self._is_assistant(said.sender)
        event = self._run.event(
            "assistant_message" if assistant else "user_message", said.at, [said.native, count], native_id=said.native, text=said.text,
            parts=said.parts, speaker="" if assistant else said.speaker, tags=(f"sender:{said.sender}",) if said.sender else (),
            actor=Actor(said.sender, said.speaker) if assistant else Actor(), refers_to=refers,
            causes=input_of(self._inputs) if assistant else (),
        )  # fmt: skip
        self._inputs = [] if assistant else [*self._inputs, event.id]
        self._ids[said.native] = event.id
        yield event
        if lost := [target for target in said.refers if target not in self._ids]:
            reason = f"message {said.native} refers to {', '.join(lost)}, which is not before it in the file: that reference is left out"
            yield Problem(self._file, 0, reason)

    def _message(self, value: dict[str, Any]) -> _Message:
        sender = name(value.get("sender"), "sender")
        person = mapping(self._people.get(sender) or {}, f"user_details of {sender}")
        kind = string(value.get("type"), "type of a message") or "text"
        text, parts = flatten(value.get("content"))
        if kind != "text" and not parts:
            parts = ({"type": "uri", "modality": kind, "uri": text},)
            text = string(value.get("caption"), "caption")
        return _Message(
            at=moment(first(value, "create_time", "timestamp"), "create_time", self._zone),
            native=name(value.get("message_id"), "message_id"),
            sender=sender, speaker=string(first(person, "full_name") or value.get("sender_name"), "sender_name") or sender, text=text,
            parts=parts, refers=[_reference(item) for item in listing(value.get("refer_list"), "refer_list")],
        )  # fmt: skip

    def _is_assistant(self, sender: str) -> bool:
        person = self._people.get(sender)
        return is_object(person) and person.get("role") in ("assistant", "agent", "bot", "robot")


def _reference(item: object) -> str:
    return name(mapping(item, "a reference").get("message_id") if is_object(item) else item, "a reference")


def _is_document(value: Any) -> bool:
    return is_object(value) and is_list(value.get("conversation_list"))


def _document(value: Any, given: Input) -> Iterator[Read]:
    holder = mapping(value, given.name)
    chat = _Chat(holder, given)
    for place, item in enumerate(listing(holder.get("conversation_list"), "conversation_list"), 1):
        try:
            yield from chat.read(item)
        except Invalid as error:
            yield Problem(given.name, 0, f"message {place}: {error}")


FORMAT = Format(name="team-chat", title="group chats with several people (EverMemOS JSON)", is_document=_is_document, document=_document)
