"""The nouns of importing: what to read and how (Options), what comes out (Read), and what a format is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from msgspec import Struct

from beebread.model import Actor, Event, Memory, Scope


class Progress(Struct, frozen=True):
    """How far a reading has come, in bytes on disk, over all files of it; `file` is the one being read."""

    file: str
    bytes_done: int
    bytes_total: int


class Options(Struct, frozen=True, kw_only=True):
    """How a file is read.

    `scope`: where the events go (tenant, user, agent, group, space, task, sensitivity); its session is not used. None keeps the scope
    that an export brings, and is the empty scope for every other format.
    `session`: replaces the session id of the file; for a file that holds several runs it is the prefix of each run's own id.
    `actor`: the agent whose run it was; default: what the format says.
    `start`: the time of a run's first message where the file has no times, one second a message. Default: such that the last message
    is at the file's modification time.
    `tz`: the IANA zone of times that carry no offset; without it they are refused.
    `progress`: called now and then with how far the reading is.
    """

    scope: Scope | None = None
    session: str = ""
    actor: Actor = Actor()
    start: datetime | None = None
    tz: str = ""
    progress: Callable[[Progress], None] | None = None


class Problem(Struct, frozen=True, omit_defaults=True):
    """A part of a file that could not be read, why, and what to do; the rest of the file is read all the same.

    `line` counts from 1; 0 stands for the file as a whole. `unfinished` marks a half-written last line: no error, it is read next time.
    """

    file: str
    line: int
    reason: str
    unfinished: bool = False

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}" if self.line else f"{self.file}: {self.reason}"


Read = Event | Memory | Problem


class Line(Struct, frozen=True):
    """One JSON object of a file of lines, and the number of its line."""

    number: int
    value: dict[str, Any]


class Input(Struct, frozen=True, kw_only=True):
    """The file that a format is given. `name` is what events and problems call it, `modified` when it was last written.

    `seen` holds the ids that this reading has already given, in whichever file: a forked transcript repeats those of its origin.
    """

    name: str
    modified: datetime
    options: Options
    seen: set[str]


class Format(Struct, frozen=True, kw_only=True):
    """A format: how it is recognised and read, as a file of JSON lines, as one JSON document, or both.

    `is_lines` is asked about the first objects of a file, `is_document` about the whole value. The readers yield what they find;
    a part that they cannot read is a Problem, a document that is nothing of theirs raises Invalid.
    """

    name: str
    title: str
    is_lines: Callable[[list[dict[str, Any]]], bool] | None = None
    lines: Callable[[Iterator[Line | Problem], Input], Iterator[Read]] | None = None
    is_document: Callable[[Any], bool] | None = None
    document: Callable[[Any, Input], Iterator[Read]] | None = None
