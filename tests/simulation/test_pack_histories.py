"""Packing random histories at random budgets in each shape: always valid, never over budget, the user's words as they are."""

from __future__ import annotations

import msgspec
import pytest

from beebread.context import Request, pack
from beebread.errors import Invalid
from tests.unit.context.histories import request
from tests.unit.context.validate import last_words, texts, valid


def _refused(asked: Request) -> int:
    """The least budget that would hold the user's own words when this one does not, else 0."""
    try:
        pack(asked)
    except Invalid as error:
        return error.detail if isinstance(error.detail, int) else -1
    return 0


def _check(seed: int) -> bool:
    asked = request(seed)
    if least := _refused(asked):
        assert least > asked.budget
        enough = pack(msgspec.structs.replace(asked, budget=least))
        assert enough.tokens <= least
        assert last_words(asked.shape, list(enough.messages)) == asked.text
        return False
    made = pack(asked)
    messages = list(made.messages)
    valid(asked.shape, messages)
    assert made.tokens <= asked.budget
    told = [*texts(messages), made.system]
    # Counted again by other means: the words alone, and three tokens around each message.
    assert sum(max(asked.count(text), 0) for text in told if text) + 3 * len(messages) <= made.tokens
    assert last_words(asked.shape, messages) == asked.text
    assert asked.system in (made.system, messages[0].get("content"))
    alone = pack(msgspec.structs.replace(asked, tail=(), items=(), states=()))
    pinned = {citation.id for citation in alone.citations if citation.kind == "instruction" and citation.id.startswith("i")}
    trusted = [memory for memory in asked.instructions if memory.id in pinned and memory.trust == "human"]
    whole = "\n".join(told)
    assert all(memory.text in whole for memory in trusted), "a standing instruction that fits is missing"
    marks = [citation.mark for citation in made.citations]
    assert len(set(marks)) == len(marks)
    assert all(mark in whole for mark in marks)
    return True


def _run(first: int, last: int) -> None:
    packed = 0
    for seed in range(first, last):
        try:
            packed += _check(seed)
        except Exception as error:
            raise AssertionError(f"history {seed}: {error}") from error
    assert packed > (last - first) // 2


@pytest.mark.requirement("P1", "P2")
def test_random_histories_are_valid_and_within_budget() -> None:
    """P1, P2: the first 1,500 of 10,000 histories; `make soak` runs the others."""
    _run(0, 1_500)


@pytest.mark.soak
@pytest.mark.requirement("P1", "P2")
def test_ten_thousand_random_histories() -> None:
    """P1, P2: 0 invalid and 0 over budget in 10,000 histories."""
    _run(1_500, 10_000)
