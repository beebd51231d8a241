"""How the tables of time expressions are written and compared."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from beebread.timex import Span, find

ZONE = ZoneInfo("Asia/Shanghai")
NOW = datetime(2026, 11, 30, 10, 0, tzinfo=ZONE)  # a Monday


def moment(text: str, zone: ZoneInfo = ZONE) -> datetime | None:
    """An instant as the tables write it: "2026-11-30", "2026-11-30 15:30", "now", or "" for an open side."""
    if text == "now":
        return NOW
    return datetime.fromisoformat(text).replace(tzinfo=zone) if text else None


def lines(name: str) -> list[str]:
    """The lines of a table beside this file."""
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("# ")]


def rows(name: str) -> list[tuple[str, str, str]]:
    """The lines "expression | start | end" of a table beside this file."""
    found = [tuple(cell.strip() for cell in line.split("|")) for line in lines(name)]
    assert all(len(row) == 3 for row in found)
    return [(row[0], row[1], row[2]) for row in found]


def only(text: str, now: datetime = NOW) -> Span:
    """The one span of a text."""
    spans = find(text, now)
    assert len(spans) == 1, f"{text!r}: {spans}"
    return spans[0]


def check(expression: str, start: str, end: str, carrier: str = "{}") -> None:
    """The expression, alone or in a sentence, is that one span."""
    span = only(carrier.format(expression))
    assert (span.start, span.end) == (moment(start), moment(end)), f"{expression}: {span}"
    assert span.words in expression
