"""The ledger: every model call re-sends the conversation, and this tells what of it is new."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from beebread.capture.draft import Details
from beebread.capture.injected import taken_apart, told_apart
from beebread.capture.messages import Step, steps
from beebread.capture.strings import mapped
from beebread.model import ORIGIN_OF_KIND, Cause, content_id, digest, new_id
from beebread.text.fence import unfenced

TAIL = 64
"""How far back the end of a conversation is compared with what was known of it."""
_MODEL = ("assistant_message", "tool_call", "thought")


class New(Struct, frozen=True, kw_only=True):
    """A step that was not known, ready to be recorded: `recorder.record(new.kind, new.text, scope=…, **new.details())`."""

    id: str
    kind: str
    step: Step
    origin: str
    parent: str = ""
    causes: tuple[Cause, ...] = ()
    status: str = "ok"

    @property
    def text(self) -> str:
        """What is said."""
        return self.step.text

    def details(self) -> Details:
        """Everything beside kind and text, as `record` takes it."""
        told = Details(id=self.id, origin=self.origin, parts=self.step.parts, status=self.status, speaker=self.step.speaker)
        if self.step.tool is not None:
            told["tool"] = self.step.tool
        if self.parent:
            told["parent"] = self.parent
        if self.causes:
            told["causes"] = self.causes
        return told


class Call(Struct, frozen=True):
    """What a model call brings: the steps that are new, and the causes of the call itself."""

    new: tuple[New, ...]
    causes: tuple[Cause, ...]


class _Conversation:
    """What one agent's calls have carried so far."""

    def __init__(self) -> None:
        self.order: list[str] = []  # keys up to the last output, its own at the end
        self.output: list[str] = []  # ids of the last output
        self.since: Counter[str] = Counter()  # keys taken since the last output
        self.inputs: tuple[str, ...] = ()  # ids that no answered call has read yet
        self.call = ""  # a call that was not answered yet


class MessageLedger:
    """The ledger of one session, for all agents in it.

    A step's id is made from the session, what it says and how often that was said before it: a program that starts again and sends the
    same conversation gives the same ids. Tool results are known by their call id, in every agent of the session.
    """

    def __init__(self, session: str) -> None:
        self._session = session or new_id()
        self._lock = threading.Lock()
        self._seen: Counter[str] = Counter()
        self._latest: dict[str, str] = {}  # key -> id of what was said last under it
        self._native: set[str] = set()
        self._calls: dict[str, str] = {}  # call id -> event id of the newest call
        self._tools: dict[str, str] = {}  # call id -> tool name of the newest call
        self._open: set[str] = set()  # call ids whose newest call has no result yet
        self._conversations: dict[str, _Conversation] = {}

    def call(self, messages: Iterable[Mapping[str, Any]], call: str, *, conversation: str = "", delegated: bool = False) -> Call:
        """What is new in the `messages` of the model call whose event id is `call`.

        `conversation` tells agents of the session apart. `delegated`: what looks like a user is another agent (a sub-agent's prompt).
        A call that repeats an unanswered one brings nothing new and is its retry, with the same causes.
        """
        said = [step for message in messages for step in _told(message)]
        with self._lock:
            place = self._conversations.setdefault(conversation, _Conversation())
            keys = [_key(step) for step in said]
            start = self._after_output(place, keys)
            fresh = self._surplus(said, keys) if start is None else self._following(place, said, keys, start)
            new = [self._taken(said[index], keys[index], delegated=delegated) for index in fresh]
            for index in fresh:
                place.since[keys[index]] += 1
            if any(item.kind in _MODEL for item in new):  # an answer that nobody told us of
                place.call, place.inputs = "", ()
            read = tuple(item.id for item in new if item.kind not in _MODEL)
            retried = place.call if place.call != call and not read else ""
            inputs = (*place.inputs, *read) or self._standing(place, said, keys)
            place.call, place.inputs = call, inputs
            causes = [*(Cause(name, "input_of") for name in dict.fromkeys(inputs)), *([Cause(retried, "retry_of")] if retried else ())]
            return Call(tuple(new), tuple(causes))

    def output(
        self, message: Mapping[str, Any] | Sequence[Mapping[str, Any]], call: str, *, conversation: str = "", status: str = "ok"
    ) -> tuple[New, ...]:
        """The steps of what the model answered to `call`; nothing when the same answer was told before. `status` partial: it broke off."""
        said = [step for part in ([message] if isinstance(message, Mapping) else message) for step in steps(part)]
        with self._lock:
            place = self._conversations.setdefault(conversation, _Conversation())
            keys = [_key(step) for step in said]
            ids = [self._latest.get(key, "") for key in keys]
            if not place.call and ids and ids == place.output:
                return ()
            new = tuple(replace(self._taken(step, key), parent=call, status=status) for step, key in zip(said, keys, strict=True))
            known = [key for step, key in zip(said, keys, strict=True) if step.kind != "thought"]
            place.order = [*place.order, *place.since.elements(), *known][-TAIL:]
            place.output = [item.id for item in new]
            place.since.clear()
            place.call, place.inputs = "", ()
            return new

    def result_seen(self, call_id: str, event: str) -> None:
        """Tell that the result of a tool call was recorded as `event` by other means, such as a hook on the tool itself."""
        with self._lock:
            key = _result_key(call_id)
            self._seen[key] += 1
            self._latest[key] = event
            self._open.discard(call_id)

    def event_of_call(self, call_id: str) -> str:
        """The event id of the newest tool call with that call id, '' for none: what its result, and what runs inside it, belongs to."""
        return self._calls.get(call_id, "")

    def _after_output(self, place: _Conversation, keys: list[str]) -> int | None:
        """Where what follows the last output begins, if that output can be told among the `keys` of what a call carries.

        It can when everything that was ever said under its key is here, or when what came before it stands before it here too: 'OK' alone
        may be an older OK of a history that was trimmed.
        """
        last = place.order[-1] if place.order and place.output else ""
        best, match = -1, 0
        for index, key in enumerate(keys):
            if key == last and (length := _matching(keys[: index + 1], place.order)) >= match:
                best, match = index, length
        if best < 0 or (match < 2 and keys.count(last) != self._seen[last]):
            return None
        return best + 1

    def _following(self, place: _Conversation, said: list[Step], keys: list[str], start: int) -> list[int]:
        since, awaited = place.since.copy(), self._awaited(said)
        fresh: list[int] = []
        for index, (step, key) in enumerate(zip(said, keys, strict=True)):
            if self._told_once(step, key):
                continue
            if index < start:
                if index in awaited or (step.kind == "system_message" and not self._seen[key]):
                    fresh.append(index)
            elif index in awaited or step.kind != "tool_result" or not (step.tool and step.tool.call_id and self._seen[key]):
                if since[key] > 0:
                    since[key] -= 1
                else:
                    fresh.append(index)
        return _once(fresh, said, keys)

    def _surplus(self, said: list[Step], keys: list[str]) -> list[int]:
        """Whatever occurs here more often than it was seen, the last occurrences of it."""
        extra = Counter(keys)
        extra.subtract({key: self._seen[key] for key in extra})
        awaited = self._awaited(said)
        fresh: list[int] = []
        for index in range(len(said) - 1, -1, -1):
            key, step = keys[index], said[index]
            if self._told_once(step, key):
                continue
            if extra[key] > 0 or index in awaited:
                extra[key] -= 1
                fresh.append(index)
        return _once(fresh[::-1], said, keys)

    def _awaited(self, said: list[Step]) -> set[int]:
        """Where the results stand that open calls wait for: the last under each call id, since call ids are used again."""
        last = {step.tool.call_id: index for index, step in enumerate(said) if step.kind == "tool_result" and step.tool is not None}
        return {index for call, index in last.items() if call in self._open}

    def _told_once(self, step: Step, key: str) -> bool:
        """Whether a step of the kind that is told once in a session was told: injected memory, a message with an id of its own."""
        return (step.kind == "memory_injected" and self._seen[key] > 0) or bool(step.native_id and step.native_id in self._native)

    def _taken(self, step: Step, key: str, *, delegated: bool = False) -> New:
        self._seen[key] += 1
        event = content_id(digest(["message", self._session, key, self._seen[key]]))
        self._latest[key] = event
        if step.native_id:
            self._native.add(step.native_id)
        origin = "agent" if delegated and step.kind == "user_message" else ORIGIN_OF_KIND[step.kind]
        causes: tuple[Cause, ...] = ()
        if step.kind == "memory_injected":
            step = replace(step, text="")  # known again by its key; its words are kept nowhere but in the memories themselves
        if step.tool is not None and (call := step.tool.call_id):
            if step.kind == "tool_call":
                self._calls[call] = event
                self._tools[call] = step.tool.name
                self._open.add(call)
            elif step.kind == "tool_result":
                self._open.discard(call)
                # Several chat APIs name the tool of a result by its call alone.
                step = replace(step, tool=replace(step.tool, name=step.tool.name or self._tools.get(call, "")))
                causes = (Cause(self._calls[call], "requested_by"),) if call in self._calls else ()
        return New(id=event, kind=step.kind, step=step, origin=origin, causes=causes, status=step.status)

    def _standing(self, place: _Conversation, said: list[Step], keys: list[str]) -> tuple[str, ...]:
        """What a call reads that brings nothing new: the known steps after the last answer in it, else the last output itself."""
        ends = max((index for index, step in enumerate(said) if step.kind in _MODEL), default=-1)
        known = [self._latest[key] for key in keys[ends + 1 :] if key in self._latest]
        return tuple(known) or tuple(place.output)


def _told(message: Mapping[str, Any]) -> list[Step]:
    """The steps of an input message; remembered text that was injected into it becomes a step of its own that keeps its digest alone."""
    found: list[Step] = []
    for step in steps(message):
        apart = told_apart(step.kind, step.text)
        mark = Step(kind="memory_injected", parts=({"type": "memory", "digest": digest(taken_apart(step.text).injected)},))
        if apart.kind != step.kind:
            found.append(mark)
            continue
        if apart.beside:
            found.append(mark)
        parts = tuple(mapped(step.parts, lambda _, text: unfenced(text))) if apart.words != step.text else step.parts
        found.append(replace(step, text=apart.words, parts=parts))
    return found


def _result_key(call_id: str) -> str:
    return digest(["tool_result", call_id])


def _key(step: Step) -> str:
    """What a step is known by: results by their call, all else by what is said, white space aside."""
    if step.kind == "tool_result" and step.tool is not None and step.tool.call_id:
        return _result_key(step.tool.call_id)
    tool = [step.tool.name, step.tool.args, step.tool.call_id] if step.tool is not None else None
    return digest([step.kind, " ".join(step.text.split()), step.parts, tool])


def _matching(keys: list[str], order: list[str]) -> int:
    """How many keys at the ends of both lists are the same, one by one."""
    length = 0
    for left, right in zip(reversed(keys), reversed(order), strict=False):
        if left != right:
            break
        length += 1
    return length


def _once(fresh: list[int], said: list[Step], keys: list[str]) -> list[int]:
    """`fresh` without second mentions, inside one call, of what is told once."""
    told: set[str] = set()
    kept: list[int] = []
    for index in fresh:
        name = said[index].native_id or (keys[index] if said[index].kind == "memory_injected" else "")
        if name and name in told:
            continue
        told.add(name)
        kept.append(index)
    return kept
