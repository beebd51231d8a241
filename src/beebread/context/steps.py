"""The session's recent events as steps of a conversation: what was said, and each tool call with its result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

from beebread.context.media import Media, media, said
from beebread.context.pairing import pair
from beebread.context.request import Request
from beebread.context.told import Entry, cited, given_entries, given_text, is_pinned
from beebread.context.wording import language_of
from beebread.model import Citation, Dropped, Event, Tool, canonical, digest
from beebread.text.fence import unfenced

_ID = re.compile(r"[A-Za-z0-9_-]{1,40}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_ASIDE = frozenset({"thought", "error", "handoff"})


class Call(Struct, frozen=True, kw_only=True):
    """One tool call and what came back. `source` is the id of the result's event, '' where none came and `output` says so."""

    event: str
    id: str
    name: str
    args: dict[str, Any]
    output: str
    failed: bool = False
    source: str = ""


class Step(Struct, frozen=True, kw_only=True):
    """What one side said at once: a user's message, or an assistant's with the calls it made and their results.

    Memory that was given here before stands in the role of the user: `told`, numbered from `first`.
    """

    role: Literal["user", "assistant"]
    ids: tuple[str, ...]
    text: str = ""
    media: tuple[Media, ...] = ()
    calls: tuple[Call, ...] = ()
    told: tuple[Entry, ...] = ()
    first: int = 1

    @property
    def citations(self) -> tuple[Citation, ...]:
        """What the marks of memory given here point to."""
        return cited(self.told, first=self.first, kind="given")


class Tail(Struct, frozen=True, kw_only=True):
    """A session's events as turns (a user's message and the steps up to the next one), those set aside, and those left out and why.

    `told` are ids of records that were given in these turns; the next one gets the number `next_mark`.
    """

    turns: tuple[tuple[Step, ...], ...]
    aside: tuple[Event, ...]
    dropped: tuple[Dropped, ...]
    told: frozenset[str]
    next_mark: int


def _spoken(event: Event) -> str:
    """What the event says to a model, its speaker named where it is not simply the user, its error told."""
    language = language_of(event.text)
    text = said(event)
    if event.error and event.error.message not in text:
        text = "\n".join(part for part in (text, ": ".join(part for part in (event.error.type, event.error.message) if part)) if part)
    if event.body_ref:
        text += language.cut.format(id=event.id)
    if event.speaker and event.speaker != event.scope.user:
        text = f"{event.speaker}{language.colon}{text}"
    return text


def _decoded(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _arguments(args: Any) -> dict[str, Any]:
    """Arguments as the JSON object that every API wants."""
    told: Any = _decoded(args) if isinstance(args, str) else args
    if not isinstance(told, dict):
        told = {"input": args} if args not in (None, "") else {}
    # Once through JSON: what it cannot say (NaN) is said as it will be sent.
    return cast("dict[str, Any]", msgspec.json.decode(canonical(cast("object", told))))


def _name(tool: Tool) -> str:
    """The tool's name where every API takes it, else one like it with a digest that keeps different names apart."""
    if _NAME.fullmatch(tool.name):
        return tool.name
    return f"t_{_NOT_IN_NAME.sub('_', tool.name)[:40]}_{digest(tool.name)[:8]}"


def _call(event: Event, result: Event | None, taken: set[str]) -> Call:
    tool = event.tool or Tool()
    name = tool.call_id
    if name in taken or not _ID.fullmatch(name):
        name = f"call_{digest(event.id)[:24]}"
    taken.add(name)
    language = language_of(event.text or str(tool.args))
    output = language.cancelled if result is None else _output(result)
    failed = result is None or result.status in {"error", "cancelled"}
    return Call(event=event.id, id=name, name=_name(tool), args=_arguments(tool.args), output=output, failed=failed,
                source=result.id if result else "")  # fmt: skip


def _output(result: Event) -> str:
    language = language_of(result.text)
    text, captions = _spoken(result), media(result, language)[1]
    return "\n".join(part for part in (text, captions) if part.strip()) or language.silent


def _user(event: Event) -> Step | None:
    text = unfenced(_spoken(event)).strip()
    images, captions = media(event, language_of(event.text))
    lines = [line for line in captions.split("\n") if line and line.strip("[]") not in text]
    text = "\n".join(part for part in (text, *lines) if part.strip())
    return Step(role="user", ids=(event.id,), text=text, media=images) if text or images else None


def _assistant(event: Event) -> Step | None:
    text = "\n".join(part for part in (_spoken(event), media(event, language_of(event.text))[1]) if part.strip())
    return Step(role="assistant", ids=(event.id,), text=text) if text else None


class _Reader:
    """Reads events in order and keeps the turns made so far."""

    def __init__(self, request: Request, events: Sequence[Event]) -> None:
        self.request = request
        self.paired = pair(events)
        self.turns: list[list[Step]] = []
        self.dropped: list[Dropped] = [Dropped(event.id, reason, handle=event.id) for event, reason in self.paired.left]
        self.aside: list[Event] = []
        self.told: set[str] = set()
        self.next_mark = 1
        self._pinned = {memory.id for memory in request.instructions if is_pinned(memory)}
        self._taken: set[str] = set()
        self._given: list[Step] = []  # memory that waits for the message it was given for
        self._open = False  # the last step may take one more call: no result came since

    def read(self, event: Event) -> None:
        """Take the next event."""
        if event.kind == "tool_call":
            self._add_call(event)
        elif event.kind == "tool_result":
            self._open = False
        elif event.kind in {"user_message", "assistant_message"} and event.origin not in {"harness", "memory"}:
            self._add_words(event)
        elif event.kind == "memory_injected" and event.refers_to:
            self._add_given(event)
        elif event.kind in _ASIDE and event.origin != "memory" and said(event):
            self.aside.append(event)
        elif event.text:
            injected = event.kind == "memory_injected" or event.origin == "memory"
            self.dropped.append(Dropped(event.id, "injected" if injected else "layer", handle=event.id))

    def _turn(self, *, new: bool = False) -> list[Step]:
        """The present turn, or a new one, with the memory that waited."""
        if new or not self.turns:
            self.turns.append([])
        self.turns[-1].extend(self._given)
        self._given.clear()
        return self.turns[-1]

    def _add_words(self, event: Event) -> None:
        step = _user(event) if event.kind == "user_message" else _assistant(event)
        if step is None:
            if event.text:
                self.dropped.append(Dropped(event.id, "injected", handle=event.id))
            return
        self._turn(new=step.role == "user").append(step)
        self._open = step.role == "assistant"

    def _add_call(self, event: Event) -> None:
        result = self.paired.results.get(event.id)
        if not (event.tool and event.tool.name):
            self._add_nameless(event, result)
            return
        call = _call(event, result, self._taken)
        ids = (event.id, result.id) if result else (event.id,)
        steps = self._turn()
        if self._open and steps and steps[-1].role == "assistant":
            last = steps[-1]
            steps[-1] = msgspec.structs.replace(last, calls=(*last.calls, call), ids=(*last.ids, *ids))
        else:
            steps.append(Step(role="assistant", ids=ids, calls=(call,)))
        self._open = True

    def _add_nameless(self, event: Event, result: Event | None) -> None:
        """A call that says no tool's name is told in words: a model must not be shown a tool that does not exist."""
        lines = [_spoken(event), f"→ {_output(result)}" if result else ""]
        text = "\n".join(line for line in lines if line.strip())
        if text:
            ids = (event.id, result.id) if result else (event.id,)
            self._turn().append(Step(role="assistant", ids=ids, text=text))
        self._open = False

    def _add_given(self, event: Event) -> None:
        """What was given is shown again just before the message that it was given for, whichever of the two was recorded first."""
        items = [self.request.given[name] for name in event.refers_to if name in self.request.given and name not in self._pinned]
        if not items:
            return
        step = Step(role="user", ids=(event.id,), told=given_entries(items, self.request.now), first=self.next_mark)
        step = msgspec.structs.replace(step, text=given_text(step.told, step.first))
        self.next_mark += len(items)
        self.told.update(item.id for item in items)
        turn = self.turns[-1] if self.turns else []
        if turn and turn[-1].role == "user" and not self._given:
            turn.insert(-1, step)
        else:
            self._given.append(step)

    def end(self) -> None:
        """No more events: memory that still waits ends the session."""
        if self._given:
            self._turn()


def read_tail(request: Request, text: str) -> Tail:
    """The turns of the request's tail. A last message that is `text` itself is left out: it comes as the request."""
    ended = [event for event in request.tail if event.kind in {"user_message", "assistant_message", "tool_call", "tool_result"}][-1:]
    repeated = {event.id for event in ended if event.kind == "user_message" and unfenced(said(event)).strip() == text.strip()}
    events: dict[str, Event] = {event.id: event for event in request.tail if event.id not in repeated and event.forgotten_at is None}
    reader = _Reader(request, list(events.values()))
    for event in events.values():
        reader.read(event)
    reader.end()
    reader.dropped.extend(Dropped(name, "duplicate", handle=name) for name in repeated)
    return Tail(
        turns=tuple(tuple(turn) for turn in reader.turns), aside=tuple(reader.aside), dropped=tuple(reader.dropped),
        told=frozenset(reader.told), next_mark=reader.next_mark,
    )  # fmt: skip
