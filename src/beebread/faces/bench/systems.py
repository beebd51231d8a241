"""Systems that can be asked: what they have to do, and Beebread itself, with all its channels or without one of them."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from typing import Protocol

from beebread.faces.bench.datasets import Case, Message, Question, asked_at, said_at
from beebread.faces.bench.measures import DEPTH, TIMED, Answer, Shown
from beebread.faces.client import Client
from beebread.model import Recall

OWN = "beebread"
_KINDS = {"tool_call": "tool_call", "tool_result": "tool_result", "thought": "thought"}


class System(Protocol):
    """Something that remembers what owners said and answers their questions. It is never told a question's type or set."""

    def add(self, case: Case, messages: Sequence[Message], first: int) -> None:
        """Take in messages of the owner `case.case`, the earliest being its number `first`; all is searchable when this returns."""
        ...

    def ask(self, case: Case, question: Question) -> dict[str, Answer]:
        """The answers to the question, at most DEPTH items each, by the name of the line that they are counted under.

        Their times are those of asking for TIMED items, which is done apart.
        """
        ...

    def close(self) -> None:
        """Let go of everything kept."""
        ...


class Beebread:
    """The product, through the calls that users make: record, flush, settle, query.

    With `ablate`, every question is also asked without each of the channels that its plan has, as lines of their own.
    """

    def __init__(self, ablate: bool = False) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="beebread-bench-", ignore_cleanup_errors=True)
        self._client = Client(self._folder.name)
        self._ablate = ablate

    def add(self, case: Case, messages: Sequence[Message], first: int) -> None:
        """As in System."""
        sessions: dict[str, Client] = {}
        for number, message in enumerate(messages, first):
            if message.session not in sessions:
                sessions[message.session] = self._client.bind(user=case.case, session=message.session)
            kind = _KINDS.get(message.kind, "assistant_message" if message.role == "assistant" else "user_message")
            sessions[message.session].record(
                kind, message.text, at=said_at(case, number), id=str(message.id), speaker=message.speaker,
                causes=[message.parent] if message.parent else [], seq=number,
            )  # fmt: skip
        self._client.flush()
        self._client.settle()

    def ask(self, case: Case, question: Question) -> dict[str, Answer]:
        """As in System."""
        whole, plan = self._query(case, question, ())
        answers = {OWN: whole}
        for channel in plan if self._ablate else ():
            rest = tuple(name for name in plan if name != channel)
            # No channel at all is nothing found; the empty tuple would ask for all of them.
            answers[without(channel)] = self._query(case, question, rest)[0] if rest else Answer((), 0.0, 0.0)
        return answers

    def _query(self, case: Case, question: Question, channels: tuple[str, ...]) -> tuple[Answer, tuple[str, ...]]:
        mine, now = self._client.bind(user=case.case), asked_at(case, question)
        began = time.perf_counter()
        timed = mine.query(question.text, limit=TIMED, now=now, channels=channels)
        ms = (time.perf_counter() - began) * 1000
        recall = mine.query(question.text, limit=DEPTH, now=now, channels=channels)
        return _answer(recall, ms, timed.report.timings.get("embed", 0.0)), tuple(recall.report.plan.get("channels", ()))

    def close(self) -> None:
        """As in System."""
        self._client.close()
        self._folder.cleanup()


def without(channel: str) -> str:
    """The name of the line of Beebread with one channel switched off."""
    return f"{OWN} -{channel}"


def _answer(recall: Recall, ms: float, embed_ms: float) -> Answer:
    items = tuple(Shown((item.id, *(name for name in item.sources if name != item.id)), item.text) for item in recall)
    return Answer(items, recall.items[0].score if recall.items else 0.0, ms, embed_ms, tuple(recall.report.failed))
