"""What a value from outside must be so that every engine, format and program can carry it as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

MAX_DEPTH = 100
"""Levels of lists and objects. Deeper ones exist only to break parsers, and would break whoever reads them again."""


def _levels(value: object) -> Iterator[list[Any]]:
    """`value`, what is in it, what is in that, and so on."""
    level: list[Any] = [value]
    while level:
        yield level
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner.extend(cast("dict[Any, Any]", one).values())
            elif isinstance(one, (list, tuple)):
                inner.extend(cast("list[Any]", one))
        level = inner


def is_shallow(value: object) -> bool:
    """Whether `value`, which must not hold itself, is nested at most `MAX_DEPTH` levels deep."""
    return next(islice(_levels(value), MAX_DEPTH + 1, None), None) is None


def is_finite(value: object, *, integers: bool = False) -> bool:
    """Whether every number in `value` (only every one of the `integers`) is one that JSON can carry.

    NaN and infinity, for which a codec would write null, are none; nor is an integer beyond what a double holds.
    """
    return all(
        one.bit_length() < 1024 if isinstance(one, int) else integers or math.isfinite(one)
        for level in _levels(value)
        for one in level
        if isinstance(one, (int, float))
    )
