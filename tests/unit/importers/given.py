"""Small files written for a test, and what comes out of reading them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from beebread.importers import Options, Problem, read
from beebread.model import Event, Memory

WRITTEN = datetime(2026, 3, 4, 5, 6, 40, tzinfo=UTC)


def document(path: Path, value: Any) -> Path:
    """`value` as a JSON file last written at WRITTEN."""
    return dated(path, json.dumps(value, ensure_ascii=False, indent=1))


def lines(path: Path, values: Sequence[Any]) -> Path:
    """`values` as JSON lines last written at WRITTEN; a string is written as it is."""
    return dated(path, "".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)) + "\n" for value in values))


def dated(path: Path, content: str | bytes) -> Path:
    """A file last written at WRITTEN."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    os.utime(path, (WRITTEN.timestamp(), WRITTEN.timestamp()))
    return path


def records(path: Path, options: Options | None = None, format: str = "auto") -> list[Event | Memory]:
    """What a file says, which has no problem."""
    found = list(read(path, options, format))
    assert not (wrong := [str(item) for item in found if isinstance(item, Problem)]), wrong
    return [item for item in found if not isinstance(item, Problem)]


def events(path: Path, options: Options | None = None, format: str = "auto") -> list[Event]:
    """The events of a file that has no problem, in the order of their session."""
    found = [item for item in records(path, options, format) if isinstance(item, Event)]
    return sorted(found, key=lambda event: (event.scope.session, event.seq))


def problems(path: Path, options: Options | None = None) -> list[Problem]:
    """The problems alone."""
    return [item for item in read(path, options) if isinstance(item, Problem)]


def kept(path: Path, options: Options | None = None) -> list[Event]:
    """The events alone, problems or not."""
    return [item for item in read(path, options) if isinstance(item, Event)]


def causes(event: Event) -> list[tuple[str, str]]:
    """The causes of an event as (id, relation)."""
    return [(cause.id, cause.relation) for cause in event.causes]
