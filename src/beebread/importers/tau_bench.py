"""tau-bench runs: a list of {task_id, trial, traj: [OpenAI messages], info}, each a session.

The session is `tau-<task>-<trial>`; a caller's session id takes the place of `tau`, so that two files of the same tasks stay apart. The
user's messages are spoken by the task's `user_id`. Content is verbatim, and times are paced (`Options.start`): the file has none. The
reward is a judgement after the run, no step of it, and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from beebread.errors import Invalid
from beebread.importers.openai_chat import Conversation, conversation
from beebread.importers.reading import Format, Input, Problem, Read
from beebread.importers.run import Run
from beebread.importers.shape import is_list, is_object, listing, mapping, name
from beebread.model import Actor


def _is_document(value: Any) -> bool:
    return is_list(value) and any(is_object(item) and {"task_id", "traj"} <= item.keys() for item in value[:20])


def _document(value: Any, given: Input) -> Iterator[Read]:
    for place, item in enumerate(listing(value, f"{given.name}"), 1):
        try:
            yield from _run(mapping(item, "a run"), given)
        except Invalid as error:
            yield Problem(given.name, 0, f"run {place}: {error}")


def _run(item: dict[str, Any], given: Input) -> Iterator[Read]:
    task, trial = name(item.get("task_id"), "task_id"), name(item.get("trial"), "trial")
    info = mapping(item.get("info") or {}, "info")
    human = name(mapping(info.get("task") or {}, "task").get("user_id"), "user_id")
    run = Run(given, "tau-bench", "-".join(part for part in (task, trial) if part), prefix="tau", actor=Actor("tau-bench"))
    yield from conversation(listing(item.get("traj"), "traj"), Conversation(run, human=human), given)


FORMAT = Format(name="tau-bench", title="tau-bench runs (JSON)", is_document=_is_document, document=_document)
