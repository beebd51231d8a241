"""What the recorder remembers of a session: its order, its last event, its open tool calls, and where each chain of causes stands."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from beebread.model import Cause, Event, Tool

OPEN_CALLS = 1000
"""Tool calls of a session that may wait for their results at once; an older one is paired by its caller or not at all."""


REMEMBERED = 10_000
"""Ids of a session's own giving that are known again."""
_LEAVES = ("tool_call", "harness_message")
_NO_TOOL = Tool()
_NEVER = datetime(1, 1, 1, tzinfo=UTC)


class Chain:
    """Where one line of steps stands: the events that the next step follows from.

    The rule, when nobody says what caused an event: a result comes from its call; calls made one after another are siblings with the
    same causes; results that come one after another all feed what comes next; anything else follows from what came before it. What a
    human says begins anew, for nothing here made him say it. Nothing follows from the harness's own notes.
    """

    __slots__ = ("_kind", "front")

    def __init__(self, front: Iterable[str] = ()) -> None:
        self.front: tuple[str, ...] = tuple(front)
        self._kind = ""

    def causes(self, kind: str, event: str) -> tuple[Cause, ...]:
        """The causes of `event`, of `kind`, that follows here."""
        if kind == "user_message":
            return ()
        relation = "input_of" if kind == "model_call" else "caused_by"
        return tuple([Cause(front, relation) for front in self.front if front != event])

    def advance(self, kind: str, event: str) -> None:
        """Let `event` be what the next one follows from."""
        if kind in _LEAVES:
            return
        self.front = (*self.front, event)[-OPEN_CALLS:] if kind == self._kind == "tool_result" else (event,)
        self._kind = kind


class Track:
    """One session, as far as recording goes. Only used under the recorder's lock."""

    __slots__ = ("_calls", "_chains", "_last", "_last_at", "_last_id", "_named", "_seen", "seq")

    def __init__(self) -> None:
        self.seq = 0
        self._last: tuple[Any, ...] = ()
        self._last_id = ""
        self._last_at = _NEVER
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._chains: dict[str, Chain] = {}
        self._calls: OrderedDict[str, str] = OrderedDict()  # event id -> tool name, of calls that wait
        self._named: OrderedDict[str, str] = OrderedDict()  # call id -> event id, answered ones too: a result may be seen twice

    def sighted(self, event: str) -> bool:
        """Whether an event with an id of its own was recorded here before, as far back as is remembered."""
        if event in self._seen:
            return True
        self._seen[event] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
        return False

    def repeated(self, event: Event, within: timedelta) -> str:
        """The id of the session's last event, when `event` says the same soon after it; else ''."""
        content = (event.kind, event.text, event.parts, event.tool, event.error, event.speaker, event.parent, event.actor, event.scope)
        again = self._last == content and timedelta(0) <= event.at - self._last_at <= within
        self._last, self._last_at = content, event.at
        return self._last_id if again else ""

    def follow(self, event: Event, identity: str, chain: Chain | None, *, by_rule: bool) -> tuple[Cause, ...]:
        """The causes of `event`, given or `by_rule`, now that it is recorded as `identity`; what comes next follows from it.

        A result names its call in any case.
        """
        kind, causes = event.kind, event.causes
        self._last_id = identity
        if kind == "tool_call":
            self._called(identity, event.tool or _NO_TOOL)
        call = self._answered(event.tool or _NO_TOOL) if kind == "tool_result" else ""
        if call and call != identity:
            if not any(cause.relation == "requested_by" for cause in causes):
                causes = (*causes, Cause(call, "requested_by"))
        elif chain is not None and by_rule:
            causes = chain.causes(kind, identity)
        if chain is not None:
            chain.advance(kind, identity)
        return causes

    def chain(self, actor: str) -> Chain:
        """The chain of one agent of the session."""
        chain = self._chains.get(actor)
        if chain is None:
            if len(self._chains) >= OPEN_CALLS:
                self._chains.pop(next(iter(self._chains)))
            chain = self._chains[actor] = Chain()
        return chain

    def _called(self, event: str, tool: Tool) -> None:
        """Remember a tool call that waits for its result."""
        self._calls[event] = tool.name
        if tool.call_id:
            self._named[tool.call_id] = event
            self._named.move_to_end(tool.call_id)
        for kept in (self._calls, self._named):
            if len(kept) > OPEN_CALLS:
                kept.popitem(last=False)

    def _answered(self, tool: Tool) -> str:
        """The event id of the call that a result of `tool` answers, '' for none.

        By call id the newest one, since ids are used again; by name the oldest that waits; with neither, the newest that waits.
        """
        if tool.call_id:
            found = self._named.get(tool.call_id, "")
        elif tool.name:
            found = next((event for event, name in self._calls.items() if name == tool.name), "")
        else:
            found = next(reversed(self._calls), "")
        self._calls.pop(found, None)
        return found
