"""What of a record is embedded: its text alone, and the same as it stands in its conversation; and what says too little to be embedded."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from beebread.model import Memory, Record, Session, search_text
from beebread.models import readable, windows
from beebread.retrieval import ECHOES
from beebread.text.cues import cues

# What tells of the run and not of the world: found by time, key, graph and words, and too alike for a vector to tell apart.
UNTOLD = frozenset({*ECHOES, "agent_start", "agent_end", "model_call", "handoff", "harness_message", "system_message"})
SIZE = 800  # characters of English in a window, about 200 tokens: in a longer one a single sentence is lost
BEFORE = 200  # characters of the turn before that a text is read with
LEAST = 2  # letters, or one of Chinese for two
SPOKEN = 0.3  # the least share of letters that speech has; dumps of data have less
_LETTERS = re.compile(r"[^\W\d_]")
_LONG_RUN = re.compile(r"[!-~]{80,}")  # keys, encoded bytes


class Passages(NamedTuple):
    """The texts of one record by channel, each a window of what it says; and the record whose words are in those of its context."""

    record: Record
    texts: Mapping[str, Sequence[str]]
    read_with: Record | None = None


def dense(record: Record, kinds: Sequence[str] = ()) -> bool:
    """Whether a record says enough to be embedded: its kind is told in words (or is one of `kinds`, if any are given), and so is its text.

    Greetings and thanks, bare numbers, hashes and dumps of data are not: words, keys and time find them as well as a vector would.
    """
    if isinstance(record, Session) or record.forgotten_at is not None:
        return False
    if record.kind in UNTOLD if not kinds else record.kind not in kinds:
        return False
    text = search_text(record)
    told = _LONG_RUN.sub("", text)
    letters = len(_LETTERS.findall(told[:4_000]))
    if letters < LEAST or letters < SPOKEN * len(told[:4_000].strip()):
        return False
    return isinstance(record, Memory) or "phatic" not in cues(text)


def passages(record: Record, before: Record | None, window: int) -> Passages:
    """The texts of `record`, in windows of `window` characters (as `Embedder.window` counts), and as they stand after `before`."""
    own = windows(search_text(record), min(window, SIZE))
    said = _said(before, BEFORE)
    heading = f"{record.at:%Y-%m-%d}\n{said}" if said else f"{record.at:%Y-%m-%d}"
    return Passages(record, {"vector": own, "context": [f"{heading}\n{part}" for part in own]}, before if said else None)


def _said(record: Record | None, most: int) -> str:
    """The head of what was said before."""
    text = readable(search_text(record), 4_000) if record is not None else ""
    return text[:most]
