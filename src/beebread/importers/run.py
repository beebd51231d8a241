"""One session being read: gives each of its events scope, number, id and source, and their time where the file has none."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec

from beebread.clock import parse_time
from beebread.importers.reading import Input
from beebread.importers.shape import as_json
from beebread.model import ORIGIN_OF_KIND, Actor, Cause, Event, Scope, Source, content_id, digest


class Run:
    """The events of one session, in the order of the file.

    An event whose format has no unique id of its own gets one from (framework, session, place in the session, content), so that the
    same file read again gives the same ids. Invalid for content that no JSON can carry.
    """

    def __init__(
        self, given: Input, framework: str, session: str, *, prefix: str | None = None, actor: Actor | None = None, version: str = ""
    ) -> None:
        """`prefix` None: the file holds this session alone. Else it holds several, and a caller's session id stands for the prefix."""
        wanted = given.options.session
        if prefix is None:
            self.session = wanted or session
        else:
            self.session = "-".join(part for part in (wanted or prefix, session) if part)
        self._given, self._framework, self._version, self._native, self._count = given, framework, version, session, 0
        self.actor = given.options.actor if given.options.actor.id or actor is None else actor
        self.scope = msgspec.structs.replace(given.options.scope or Scope(), session=self.session)

    def number(self) -> int:
        """The next place in the session, from 1."""
        self._count += 1
        return self._count

    def event(self, kind: str, at: datetime, place: object, *, id: str = "", native_id: str = "", line: int = 0, **fields: Any) -> Event:
        """An event of this session at `place`, the part of the file that it is; `id` where the format's own is unique everywhere."""
        seq = fields.pop("seq", 0) or self.number()
        source = Source(
            framework=self._framework, version=self._version, native_id=native_id, native_session_id=self._native,
            file=self._given.name, line=line,
        )  # fmt: skip
        if kind != "user_message":
            fields.setdefault("actor", self.actor)
        fields.setdefault("origin", ORIGIN_OF_KIND.get(kind, ""))
        event = Event(id=id, dedup_key=id, scope=self.scope, kind=kind, at=at, seq=seq, source=source, **fields)
        as_json(event)  # what could not be kept is told now, with its place in the file
        if id:
            return event
        known = content_id(digest([self._framework, self.session, place, kind, event.speaker, event.text, event.parts, event.tool]))
        return msgspec.structs.replace(event, id=known, dedup_key=known)


def input_of(ids: list[str]) -> tuple[Cause, ...]:
    """The typed edges to what was read first."""
    return tuple(Cause(source, "input_of") for source in dict.fromkeys(ids))


class Pace:
    """Times for a run whose file has none: one second a message, from `start` or such that the last is at the file's own time."""

    def __init__(self, given: Input, messages: int) -> None:
        start = given.options.start
        self._start = parse_time(start, "start") if start else given.modified - timedelta(seconds=max(messages - 1, 0))

    def at(self, index: int) -> datetime:
        """The time of message `index`, counted from 0."""
        return self._start + timedelta(seconds=index)
