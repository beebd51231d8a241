"""Our own memories coming back: text that a pack once injected is told from what somebody said, so that it is never learnt again."""

from __future__ import annotations

from typing import NamedTuple

from beebread.text.fence import find_fences, unfenced


class Said(NamedTuple):
    """A text taken apart: what its speaker said, and the remembered texts that were injected beside it."""

    words: str
    injected: tuple[str, ...]


def is_injected(text: str) -> bool:
    """Whether `text` carries remembered text inside a fence of ours."""
    return bool(find_fences(text))


def taken_apart(text: str) -> Said:
    """`text` without its fences, and what stood in them; a text without fences is returned as it is."""
    fences = find_fences(text)
    return Said(unfenced(text), tuple(fence.inside for fence in fences)) if fences else Said(text, ())


class Told(NamedTuple):
    """What an event with remembered text in it is to be recorded as, and whether a memory_injected event belongs beside it."""

    kind: str
    words: str
    origin: str = ""
    beside: bool = False


SPOKEN = ("user_message", "system_message", "harness_message")


def told_apart(kind: str, text: str) -> Told:
    """How a text of `kind` is recorded so that nothing remembered counts as said, and no copy of it is left for forgetting to miss.

    Every event loses what was injected. A message that was nothing else is memory_injected itself; any other event (a memory tool's
    result) has memory for its origin.
    """
    said = taken_apart(text)
    if not said.injected:
        return Told(kind, text)
    if kind not in SPOKEN:
        return Told(kind, said.words, "memory")
    return Told(kind, said.words, beside=True) if said.words else Told("memory_injected", "", "memory")
