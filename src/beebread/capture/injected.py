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
    """What a message with remembered text in it is to be recorded as, and the remembered text to be recorded beside it."""

    kind: str
    words: str
    origin: str
    remembered: str


SPOKEN = ("user_message", "system_message", "harness_message")


def told_apart(kind: str, text: str) -> Told:
    """How a text of `kind` is recorded so that nothing remembered counts as said.

    A message loses what was injected; one that was nothing else is memory_injected itself. Any other event (a memory tool's result)
    keeps its text, and has memory for its origin.
    """
    said = taken_apart(text)
    remembered = "\n\n".join(said.injected)
    if not remembered:
        return Told(kind, text, "", "")
    if kind not in SPOKEN:
        return Told(kind, text, "memory", "")
    return Told(kind, said.words, "", remembered) if said.words else Told("memory_injected", remembered, "memory", "")
