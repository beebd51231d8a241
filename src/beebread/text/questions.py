"""A turn that asks several things, or one thing after much that it only tells, divided into its questions."""

from __future__ import annotations

import re

from beebread.text.cues import asks
from beebread.text.fold import fold
from beebread.text.words import tokens

MOST = 3
_LEAST_WORDS = 3
_SHORT = 0.6  # a single question shorter than this share of its turn is asked by itself as well
_ENDS = re.compile(r"(?<=[?？!！。;；\n])|(?<=[a-z]{2}\.)\s")
_JOINS = re.compile(
    r"[，,]?\s*(?:另外|还有|此外|顺便问?一?下?|以及|再就是)[，,：: ]?|(?:[,;]\s*|\.\s+)(?:and also|and|also|besides)[, ]", re.IGNORECASE
)


def questions(text: str) -> list[str]:
    """The questions of `text`, at most the MOST last ones; none where it is one question and little else."""
    if "\n" in text.strip():
        return []  # a conversation or a document: what it asks lives from the rest
    pieces = [piece.strip() for sentence in _ENDS.split(text) for piece in _JOINS.split(sentence)]
    found = [piece for piece in pieces if asks(piece) and _words(piece) >= _LEAST_WORDS]
    if len(found) == 1 and len(found[0]) > _SHORT * len(text):
        return []
    return list(dict.fromkeys(found))[-MOST:]


def _words(text: str) -> float:
    return sum(len(run) / 2 if run else 1 for run, _ in tokens(fold(text)))
