"""From a text to the spans of time that it names."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from beebread.clock import EARLIEST_YEAR, LATEST_YEAR
from beebread.errors import Invalid
from beebread.timex.compose import Reader
from beebread.timex.marks import Interval, Present
from beebread.timex.scan import close_up, fold, scan
from beebread.timex.span import Span

EDGE = 2_000  # characters that are read at the beginning and at the end of a longer text


def find(text: str, now: datetime) -> tuple[Span, ...]:
    """The spans of time that the words of `text` name, in its order, none overlapping another.

    `now` is aware and in the user's zone: days, weeks and years are that zone's, Monday begins a week. What could be past or future is
    past ("in May", 周五), since texts ask about memories. English and Chinese in any mixture, folded or not. Of a long text only the first
    and the last 2,000 characters are read. Words for no date on the calendar (2月30日) give nothing. Raises Invalid when `now` is naive.
    """
    if now.tzinfo is None or now.utcoffset() is None:
        raise Invalid("now must be an aware datetime in the user's time zone: days begin where the user is")
    if not EARLIEST_YEAR <= now.year < LATEST_YEAR:
        return ()
    present = Present(now.replace(tzinfo=None), now.tzinfo)
    found: list[Span] = []
    for at, piece in _pieces(text):
        folded, places = close_up(fold(piece))
        for each in Reader(folded, scan(folded, present), present).read():
            if at == 0 or each.at > 0:  # a piece that begins inside a word may begin with half a date
                begin, end = places[each.at], places[each.end - 1] + 1
                found.append(_span(each.interval, piece[begin:end], at + begin, present))
    return tuple(found)


def _pieces(text: str) -> list[tuple[int, str]]:
    if len(text) <= 2 * EDGE:
        return [(0, text)]
    return [(0, text[:EDGE]), (len(text) - EDGE, text[-EDGE:])]


def _span(whole: Interval, words: str, at: int, now: Present) -> Span:
    start, end = _instant(whole.lo, now), _instant(whole.hi, now)
    if start and whole.lo and whole.hi and whole.hi - whole.lo <= timedelta(hours=1):
        end = start + max(whole.hi - whole.lo, timedelta(seconds=1))  # an hour passes also where summer time skips or repeats one
    grain = "open" if start is None or end is None else whole.grain
    return Span(start=start, end=end, granularity=grain, certainty=round(min(1.0, whole.sure), 2), words=words, at=at)


def _instant(wall: datetime | None, now: Present) -> datetime | None:
    """An instant from wall time, with the offset that held then: times in one zone compare by the wall, which repeats an hour in autumn."""
    if wall is None:
        return None
    offset = wall.replace(tzinfo=now.zone).utcoffset() or timedelta(0)
    return wall.replace(tzinfo=timezone(offset) if offset else UTC, fold=0)
