"""What the time words of a query ask for: spans that the answer lies in, a moment at which it held, which of several like things."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from msgspec import Struct

from beebread import timex
from beebread.text.cues import asks

BEFORE, AFTER = 4.0, 2.0  # how fast it fades away from a span: what happened is told of afterwards
_MOMENT = timedelta(seconds=1)
_NOW = timedelta(hours=1)
_LONGEST = 80  # characters of a query that is nothing but words for time


class Window(Struct, frozen=True, omit_defaults=True):
    """A span of time that the words of a query name: `after` <= at < `before`; `words` are those that named it.

    `certainty` is how sure it is that they mean this span, 0 to 1; where a span is vague, what lies beside it is nearly as good.
    """

    after: datetime | None = None
    before: datetime | None = None
    words: str = ""
    certainty: float = 1.0

    def outside(self, at: datetime, least: timedelta) -> float:
        """How far outside `at` lies, 0 (inside) to nearly 1: a half where it is a part of the span away, or of `least` if longer."""
        length = self.before - self.after if self.after is not None and self.before is not None else least
        if self.after is not None and at < self.after:
            distance = BEFORE * (self.after - at)
        elif self.before is not None and at >= self.before:
            distance = AFTER * (at - self.before)
        else:
            return 0.0
        return 1.0 - 0.5 ** (distance / max(length, least))


class Times(Struct, frozen=True):
    """The time words of one query; each part empty where they say nothing of it. `text` is the query without the words of its spans."""

    text: str = ""
    windows: tuple[Window, ...] = ()
    as_of: datetime | None = None
    order: timex.Order | None = None


def times(text: str, now: datetime) -> Times:
    """What the time words of `text` mean to somebody who asks at `now`, in his zone; nothing where he does not ask.

    Who only tells of his day names no span to look in. What lies ahead is none either: what is known of tomorrow was said before; nor is
    the present, unless it is as short as a day or a week.
    """
    if not asks(text) and not _only_times(text, now):
        return Times(text)
    found = timex.find(text, now)
    as_of = timex.as_of(text, now)
    if as_of is not None and now - as_of < _NOW:
        as_of = None
    # What held at a moment may have been said long before it.
    spans = [span for span in found if as_of is None and _is_past(span, now)]
    windows = tuple(Window(span.start, span.end, span.words, span.certainty) for span in spans)
    return Times(_without(text, [span for span in found if span.start is None or span.start <= now]), windows, as_of, timex.order(text))


def _is_past(span: timex.Span, now: datetime) -> bool:
    if span.start is not None and span.start >= now - _MOMENT:
        return False
    ongoing = span.end is None or span.end > now
    return not ongoing or span.granularity not in ("quarter", "season", "year", "decade")


def _without(text: str, spans: Sequence[timex.Span]) -> str:
    """`text` without the words of `spans`: what was said on a day seldom names the day. All of it where nothing else is left."""
    rest = _rest(text, spans)
    return rest if any(sign.isalnum() for sign in rest) else text


def _only_times(text: str, now: datetime) -> bool:
    """Whether it names a time and says nothing else: 昨天, last week."""
    found = timex.find(text, now) if len(text) <= _LONGEST else ()
    return bool(found) and not any(sign.isalnum() for sign in _rest(text, found))


def _rest(text: str, spans: Sequence[timex.Span]) -> str:
    kept, end = list[str](), 0
    for span in sorted(spans, key=lambda span: span.at):
        kept.append(text[end : span.at])
        end = span.at + len(span.words)
    return "".join([*kept, text[end:]])
