"""Puts the questions of data sets to systems, each when it was asked, and judges what comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from beebread.faces.bench.datasets import Case, Question
from beebread.faces.bench.measures import Asked, ids, judge, ranks
from beebread.faces.bench.systems import OWN, System

KEPT = 20  # ids of items that a raw result keeps


def measure(cases: Sequence[Case], make: Callable[[], System], step: Callable[[], None]) -> dict[str, list[Asked]]:
    """Every question of `cases` put to a fresh system of each world, by the name of the line; `step` is called after each.

    A line that did not answer a question of its own, since the channel it leaves out was not in the plan, has the answer of the whole.
    """
    found: list[dict[str, Asked]] = []
    system: System | None = None
    world = ""
    try:
        for case in cases:
            if system is None or case.world != world:
                if system:
                    system.close()
                system, world = make(), case.world
            found += _case(system, case, step)
    finally:
        if system:
            system.close()
    lines = dict.fromkeys(name for answers in found for name in answers)
    return {name: [answers.get(name) or _renamed(answers[OWN], name) for answers in found] for name in lines}


def _renamed(one: Asked, name: str) -> Asked:
    return msgspec.structs.replace(one, system=name)


def _case(system: System, case: Case, step: Callable[[], None]) -> list[dict[str, Asked]]:
    found: list[dict[str, Asked]] = []
    sessions = {str(message.id): message.session for message in case.messages}
    told = 0
    for question in sorted(case.questions, key=lambda question: question.upto):
        if question.upto > told:
            system.add(case, case.messages[told : question.upto], told)
            told = question.upto
        found.append(_asked(system, case, question, sessions))
        step()
    return found


def _asked(system: System, case: Case, question: Question, sessions: Mapping[str, str]) -> dict[str, Asked]:
    gold, outdated = ids(question.gold), ids(question.outdated)
    return {
        name: Asked(
            dataset=case.dataset, system=name, case=case.case, lang=case.lang, question=question.id, type=question.type,
            abstain=question.abstain, gold=ranks(answer.items, gold), outdated=ranks(answer.items, outdated),
            items=tuple(item.ids[0] for item in answer.items[:KEPT]), failed=answer.failed, measure=judge(question, answer, sessions),
        )
        for name, answer in system.ask(case, question).items()
    }  # fmt: skip
