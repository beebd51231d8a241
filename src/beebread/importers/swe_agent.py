"""SWE-agent trajectories: one {trajectory, history, info}, or an object of them by path, each a session named by its path.

First come the messages of `history` before the agent's first turn (the system prompt, demonstrations as harness_message, the task as
user_message), then of each step its thought, its action as a tool_call (the tool is the first word, the whole line its `command`) and
its observation as the result: thought -> call -> result, and the next thought is caused by the result before it. `info.exit_status`
is the agent_end, with the run's tokens and cost. `response` only repeats thought and action. A file that has only a `history` is read
as chat messages. Times are paced by the step, since the file has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from beebread.errors import Invalid
from beebread.importers.content import flatten
from beebread.importers.files import stem
from beebread.importers.openai_chat import Conversation, conversation
from beebread.importers.reading import Format, Input, Problem, Read
from beebread.importers.run import Pace, Run, input_of
from beebread.importers.shape import arguments, is_list, is_object, listing, mapping, string
from beebread.model import Actor, Cause, Event, Failure, ModelCall, Tool


def _is_run(value: object) -> bool:
    return is_object(value) and (is_list(value.get("trajectory")) or is_list(value.get("history")))


def _is_document(value: Any) -> bool:
    return _is_run(value) or (is_object(value) and bool(value) and any(_is_run(item) for item in value.values()))


def _document(value: Any, given: Input) -> Iterator[Read]:
    holder = mapping(value, given.name)
    if _is_run(holder):
        yield from _run(holder, Run(given, "swe-agent", stem(given.name), actor=Actor("swe-agent")), given)
        return
    for path, item in holder.items():
        try:
            yield from _run(mapping(item, "a run"), Run(given, "swe-agent", path, prefix="", actor=Actor("swe-agent")), given)
        except Invalid as error:
            yield Problem(given.name, 0, f"{path}: {error}")


def _run(item: dict[str, Any], run: Run, given: Input) -> Iterator[Read]:
    history, steps = listing(item.get("history"), "history"), listing(item.get("trajectory"), "trajectory")
    if not steps:
        yield from conversation([_chat(message) for message in history], Conversation(run), given)
        return
    before = history[: next((place for place, said in enumerate(history) if _acts(said)), len(history))]
    pace = Pace(given, len(before) + len(steps) + 1)
    inputs: list[str] = []
    for index, message in enumerate(before):
        event = _opening(mapping(message, "a message of history"), run, pace.at(index), index)
        if event.kind == "user_message":
            inputs.append(event.id)
        yield event
    for index, step in enumerate(steps):
        try:
            events = _step(mapping(step, "a step"), run, pace.at(len(before) + index), index, inputs)
        except Invalid as error:
            yield Problem(given.name, 0, f"{run.session}, step {index + 1}: {error}")
            continue
        inputs = [events[-1].id]
        yield from events
    yield from _end(mapping(item.get("info") or {}, "info"), run, pace.at(len(before) + len(steps)), inputs)


def _acts(message: object) -> bool:
    return is_object(message) and message.get("role") == "assistant" and not message.get("is_demo")


def _chat(message: object) -> object:
    """A message of a history as a chat message: a result names its call in a list of its own."""
    called = message.get("tool_call_ids") if is_object(message) else None
    return {**message, "tool_call_id": called[0]} if is_object(message) and is_list(called) and called else message


def _opening(said: dict[str, Any], run: Run, at: datetime, index: int) -> Event:
    role = string(said.get("role"), "role")
    kind = "harness_message" if said.get("is_demo") or role not in ("system", "user") else f"{role}_message"
    text, parts = flatten(said.get("content"))
    return run.event(kind, at, ["history", index], text=text, parts=parts)


def _step(step: dict[str, Any], run: Run, at: datetime, index: int, inputs: list[str]) -> list[Event]:
    thought, action = string(step.get("thought"), "thought"), string(step.get("action"), "action")
    observation, parts = flatten(step.get("observation"))
    events: list[Event] = []
    above: dict[str, Any] = {"causes": input_of(inputs), "parent": ""}
    if thought or not action:
        events.append(run.event("thought", at, ["step", index], text=thought, **above))
        above = {"parent": events[0].id}
    command = (action.split(maxsplit=1) or [""])[0]
    tool = Tool(command, str(index + 1), {"command": action})
    environment = _state(step.get("state"))
    call = run.event("tool_call", at, ["step", index], text=action, tool=tool, environment=environment, **above)
    asked = (Cause(call.id, "requested_by"),)
    result = run.event(
        "tool_result", at, ["step", index], text=observation, parts=parts, tool=Tool(command, tool.call_id), parent=call.id, causes=asked
    )
    return [*events, call, result]


def _state(value: object) -> dict[str, str]:
    state = arguments(value)
    return {key: item for key, item in state.items() if isinstance(item, str)} if is_object(state) else {}


def _end(info: dict[str, Any], run: Run, at: datetime, inputs: list[str]) -> Iterator[Event]:
    status = string(info.get("exit_status"), "exit_status")
    if not status:
        return
    stats = mapping(info.get("model_stats") or {}, "model_stats")
    counts = {"in": stats.get("tokens_sent"), "out": stats.get("tokens_received")}
    usage = {key: count for key, count in counts.items() if isinstance(count, int)}
    cost = stats.get("instance_cost")
    model = ModelCall(usage=usage, cost=float(cost) if isinstance(cost, (int, float)) else 0.0)
    error = None if "submitted" in status else Failure("exit", status)
    yield run.event(
        "agent_end", at, ["end"], text=status, model=model, status="error" if error else "ok", error=error,
        causes=tuple(Cause(last) for last in inputs),
    )  # fmt: skip


FORMAT = Format(name="swe-agent", title="SWE-agent trajectories (JSON)", is_document=_is_document, document=_document)
