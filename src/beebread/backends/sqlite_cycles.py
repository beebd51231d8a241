"""The refusal of cycles among causes, looked for only where a batch can have closed one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from beebread.backends.sqlite_rows import LETTERS
from beebread.backends.sqlite_where import marks
from beebread.errors import Invalid
from beebread.model import CAUSAL

_CAUSAL = tuple(LETTERS[family] for family in CAUSAL)
Edges = Mapping[str, Sequence[str]]
"""From each record that a batch changed, within one owner, to what it says it came from."""


def led_to(db: sqlite3.Connection, n: int, ids: Sequence[str]) -> set[str]:
    """Which of `ids` something already kept came from."""
    rows = db.execute(
        f"SELECT DISTINCT leads FROM links WHERE owner = ? AND leads IN ({marks(ids)}) AND family IN ({marks(_CAUSAL)})",
        (n, *ids, *_CAUSAL),
    )
    return {name for (name,) in rows}


def refuse_cycles(db: sqlite3.Connection, n: int, edges: Edges, suspects: Iterable[str]) -> None:
    """Raise Invalid when a record is among its own causes.

    A cycle that a batch closes either runs through its own edges alone, or through a record that something older came from: a suspect.
    """
    culprit = _cycle(edges) or next((name for name in suspects if _own_cause(db, n, name)), None)
    if culprit is not None:
        raise Invalid(f"event {culprit!r} would be its own cause: an effect cannot come before its cause", ids=(culprit,))


def _cycle(edges: Edges) -> str | None:
    """A record on a cycle of `edges`, by depth-first search without recursion."""
    finished: set[str] = set()
    for root in edges:
        trail = {root: list(edges[root])} if root not in finished else {}
        while trail:
            here, ahead = next(reversed(trail.items()))
            if not ahead:
                finished.add(here)
                del trail[here]
                continue
            there = ahead.pop()
            if there in trail:
                return there
            if there in edges and there not in finished:
                trail[there] = list(edges[there])
    return None


def _own_cause(db: sqlite3.Connection, n: int, name: str) -> bool:
    step = f"l.owner = ? AND l.family IN ({marks(_CAUSAL)})"
    row = db.execute(
        f"WITH RECURSIVE up (id) AS (SELECT l.leads FROM links l WHERE l.source = ? AND {step} "
        f"UNION SELECT l.leads FROM up CROSS JOIN links l ON l.source = up.id AND {step}) SELECT 1 FROM up WHERE id = ? LIMIT 1",
        (name, n, *_CAUSAL, n, *_CAUSAL, name),
    ).fetchone()
    return row is not None
