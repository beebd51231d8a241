"""What a value from outside must be so that every engine, format and program can carry it as JSON."""

from __future__ import annotations

from typing import Any, cast

MAX_DEPTH = 100
"""Levels of lists and objects. Deeper ones exist only to break parsers, and would break whoever reads them again."""


def is_shallow(value: object) -> bool:
    """Whether `value`, which must not hold itself, is nested at most `MAX_DEPTH` levels deep."""
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner.extend(cast("dict[Any, Any]", one).values())
            elif isinstance(one, (list, tuple)):
                inner.extend(cast("list[Any]", one))
        if not inner:
            return True
        level = inner
    return False
