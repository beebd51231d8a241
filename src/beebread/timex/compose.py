"""Puts time words together: neighbours become one date, affixes change it, two become a range. The same for every language."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, tzinfo
from itertools import pairwise

from msgspec import Struct

from beebread.timex import affixes, zones
from beebread.timex.affixes import CLOSERS, FROM_ON, GLUE, HABIT, OPENERS, RANGE, WHICH, WHICHES, Change, Which
from beebread.timex.calendars import Beyond, Unit, floor, step
from beebread.timex.marks import CYCLE_RANK, DAY, HOUR, WEEKDAY, Fixed, Interval, Pick, Present, Token

_BACK = 48  # characters before a word in which its affixes lie
_GAP = 24  # characters between two words of one date
_CYCLES = 14  # how far back or ahead a pick is sought: 29 February comes within 8 years, 31 within 2 months
_CLOCK = {"hour", "minute", "second"}
_NEAR = timedelta(hours=3)  # how far an hour may lie outside the part of the day it is said with (早上五点)


class Phrase(Struct, frozen=True):
    """Neighbouring words that say one time together, from coarse to fine, and what else changes it."""

    at: int
    end: int
    next: int
    marks: tuple[Fixed | Pick, ...]
    changes: tuple[Change, ...] = ()
    weak: bool = False
    zone: tzinfo | None = None


class Found(Struct, frozen=True):
    """An interval and the words that say it."""

    at: int
    end: int
    interval: Interval


class Reader:
    """Reads the tokens of one folded text from left to right."""

    def __init__(self, text: str, tokens: list[Token], now: Present) -> None:
        self._text, self._tokens, self._now = text, tokens, now
        self._done = 0  # where the words that are read end
        self._limit = len(text)  # where the next time word begins, which no suffix may reach into

    def read(self) -> Iterator[Found]:
        """Each time that the text names, in its order; none overlaps another."""
        i = 0
        while i < len(self._tokens):
            try:
                found, i = self._expression(i)
            except Beyond:
                found, i = None, i + 1
            if found is not None:
                self._done = found.end
                yield found

    def _expression(self, i: int) -> tuple[Found | None, int]:
        """The time that begins with token `i`, if any, and the token after it."""
        first = self._phrase(i)
        if HABIT.search(self._back(first.at)):
            self._done = first.end
            return None, first.next
        opener = OPENERS.search(self._back(first.at))
        way = (opener.lastgroup or "").removeprefix("zh_") if opener else ""
        second = self._second(first, way)
        if second is None:
            if first.weak and not first.changes and not self._closed(first.end):
                return None, first.next
            interval = self._resolve(first)
        else:
            interval = self._here(self._resolve_range(first, second), second.zone or first.zone)
        last = second or first
        way = way if interval and interval.sure > 0.3 else ""  # "up to lately" opens nothing
        if interval is None:
            self._done = last.end
            return None, last.next
        self._limit = self._tokens[last.next].at if last.next < len(self._tokens) else len(self._text)
        start = opener.start() + self._back_from(first.at) if opener else first.at
        return self._opened(Found(first.at, last.end, interval), start, way, second is not None), last.next

    def _closed(self, end: int) -> bool:
        """Whether words after a time make sure that it is one: 三点之前, not 两点之间."""
        closer = CLOSERS.match(self._text, end)
        return closer is not None and closer.group().lstrip("的") != "之间"

    def _opened(self, found: Found, start: int, way: str, ranged: bool) -> Found:
        """With "before", "since", 以来 and their like, which open one side."""
        at, end, whole = found.at, found.end, found.interval
        last = whole.lo if whole.grain in _CLOCK else whole.hi  # of an hour what counts is when it strikes
        closer = FROM_ON.match(self._text, end, self._limit) if way == "from" else None
        if closer:
            way, at, end = "since", start, closer.end()
        elif closer := CLOSERS.match(self._text, end, self._limit):
            kind = (closer.lastgroup or "").removeprefix("zh_")
            if ranged:
                end = closer.end() if kind == "in" else end
            elif kind != "since" or closer.group().lstrip("的") != "开始" or way in {"from", "since"}:
                end = closer.end()
                at = start if way in {"from", "until", "since"} else at
                way = kind if kind != "in" else ("" if way == "until" else way)
        if way == "until" and start < found.at and self._text[start] == "到" and end == found.end:
            return found  # 到 alone is a place reached as often as a time
        at = start if way in {"since", "before", "after", "until"} or ranged else at
        match way:
            case "since" if whole.lo is not None:
                whole = Interval(whole.lo, None, "open", whole.sure)
            case "before" if whole.lo is not None:
                whole = Interval(None, whole.lo, "open", whole.sure)
            case "after" if last is not None:
                whole = Interval(last, None, "open", whole.sure)
            case "until" if last is not None:
                whole = Interval(None, last, "open", whole.sure)
            case _:
                pass
        return Found(at, end, whole)

    # -------------------------------------------------------- words to phrases

    def _back_from(self, at: int) -> int:
        return max(self._done, at - _BACK)

    def _back(self, at: int) -> str:
        return self._text[self._back_from(at) : at]

    def _phrase(self, i: int) -> Phrase:
        """The longest run of words from token `i` that can be one date."""
        at, mark = self._marked(i)
        token = self._tokens[i]
        marks, weak, j = [mark], token.weak and mark is token.mark, i + 1
        end, zone = self._zoned(token)
        while j < len(self._tokens):
            start, more = self._marked(j)
            joined = sorted([*marks, more], key=lambda each: each.rank)
            if start < end or start - end > _GAP or not GLUE.fullmatch(self._text, end, start) or not _fits(joined):
                break
            end, named = self._zoned(self._tokens[j])
            marks, weak, zone, j = joined, False, zone or named, j + 1
        if marks[-1].rank == HOUR and zone is None and (named := zones.before(self._back(at))):
            at, zone = at - named[0], named[1]
        at, end, changes = self._changes(at, end)
        while j < len(self._tokens) and self._tokens[j].at < end:
            j += 1
        return Phrase(at, end, j, tuple(marks), changes, weak, zone)

    def _zoned(self, token: Token) -> tuple[int, tzinfo | None]:
        """Where a word ends with the time zone that stands after an hour, and the zone."""
        named = zones.after(self._text, token.end) if token.mark.rank == HOUR else None
        return named or (token.end, None)

    def _changes(self, at: int, end: int) -> tuple[int, int, tuple[Change, ...]]:
        """Where the affixes around at..end begin and end, and what they change."""
        changes: list[Change] = []
        while (change := affixes.before(self._back(at))) and len(changes) < 4:
            at -= change[0]
            changes.append(change[1])
        if change := affixes.after(self._text, end):
            end = change[0]
            changes.append(change[1])
        return at, end, tuple(changes)

    def _marked(self, i: int) -> tuple[int, Fixed | Pick]:
        """Token `i`, with "last", "this" or "next" before it where it is a pick."""
        token = self._tokens[i]
        floor_at = self._tokens[i - 1].end if i else 0
        if isinstance(token.mark, Pick):
            begin = max(floor_at, self._back_from(token.at))
            if match := WHICH.search(self._text[begin : token.at]):
                which: Which = WHICHES[(match.lastgroup or "").removeprefix("zh_")]
                interval = self._which(token.mark, which)
                if interval is not None:
                    return begin + match.start(), Fixed(token.mark.rank, interval)
        return token.at, token.mark

    def _second(self, first: Phrase, way: str) -> Phrase | None:
        """The phrase that ends the range which `first` begins."""
        j = first.next
        if j >= len(self._tokens):
            return None
        done, self._done = self._done, first.end
        second = self._phrase(j)
        self._done = done
        if second.at < first.end or second.at - first.end > _GAP:
            return None
        joint = RANGE.fullmatch(self._text, first.end, second.at)
        linked = way == "from" or "between " in self._text[first.at : first.end]
        if (
            joint is None
            or (joint.group(1) == "and" and not linked)
            or (joint.group().strip() in {"和", "与", "跟"} and not self._between(second.end))
        ):
            return None
        if first.weak and second.weak and way not in {"from", "since"}:
            return None
        return second

    def _between(self, end: int) -> bool:
        return self._text.startswith(("之间", "间", "期间"), end)

    # -------------------------------------------------------- phrases to times

    def _resolve(self, phrase: Phrase) -> Interval | None:
        found = self._past(
            phrase.marks, self._now.wall if phrase.zone is None else self._now.moment.astimezone(phrase.zone).replace(tzinfo=None)
        )
        return self._here(_changed(found, phrase.changes), phrase.zone)

    def _here(self, found: Interval | None, zone: tzinfo | None) -> Interval | None:
        """A time that is told in another zone, in the user's."""
        return zones.moved(found, zone, self._now.zone) if found and zone else found

    def _resolve_range(self, first: Phrase, second: Phrase) -> Interval | None:
        """From the first to the second; what only one of them says (a year, a part of the day) holds for both."""
        a, b = list(first.marks), list(second.marks)
        if b[0].rank > a[0].rank:
            shared = [mark for mark in a if mark.rank < _kind(b[0])]
            b = shared + b if _fits(shared + b) else b
        elif a[0].rank > b[0].rank:
            shared = [mark for mark in b if mark.rank < _kind(a[0])]
            a = shared + a if _fits(shared + a) else a
        if isinstance(b[0], Fixed):
            hi = _changed(self._past(tuple(b), self._now.wall), second.changes)
            lo = _changed(self._past(tuple(a), hi.lo if hi and hi.lo else self._now.wall, inclusive=True), first.changes)
        elif isinstance(a[0], Fixed) or CYCLE_RANK[b[0].cycle] > CYCLE_RANK[a[0].cycle]:
            lo = _changed(self._past(tuple(a), self._now.wall), first.changes)
            hi = _changed(self._ahead(tuple(b), lo.lo), second.changes) if lo and lo.lo else None
        else:
            hi = _changed(self._past(tuple(b), self._now.wall), second.changes)
            lo = _changed(self._past(tuple(a), hi.lo, inclusive=True), first.changes) if hi and hi.lo else None
        if not lo or not hi or lo.lo is None or hi.hi is None or lo.lo >= hi.hi:
            return None
        if hi.grain == "second" and hi.sure < 0.5:  # "until now"
            return Interval(lo.lo, hi.lo, lo.grain, lo.sure * 0.95)
        end = hi.lo if hi.grain in _CLOCK and hi.lo and lo.lo < hi.lo else hi.hi  # to 5 pm, not to 6
        return Interval(lo.lo, end, hi.grain, min(lo.sure, hi.sure) * 0.95)

    def _past(self, marks: tuple[Fixed | Pick, ...], at: datetime, inclusive: bool = False) -> Interval | None:
        """The last time at or before `at` that the marks name together; a fixed one as it is. A time of day alone may be any day's."""
        first, rest = marks[0], marks[1:]
        if isinstance(first, Fixed):
            return _narrowed(first.interval, rest)
        today = floor("day", at)
        for start in _cycles(first.cycle, at, -1):
            for whole in first.make(start):
                found = _narrowed(whole, rest)
                if found is None or found.lo is None or whole.hi is None:
                    continue
                begun = whole.hi <= today if first.lean == "done" and not inclusive else first.lean == "present" or found.lo <= at
                if begun:
                    return Interval(found.lo, found.hi, found.grain, found.sure * (0.5 if first.cycle == "day" else 0.8))
        return None

    def _ahead(self, marks: tuple[Pick | Fixed, ...], at: datetime) -> Interval | None:
        """The first time at or after `at`."""
        first, rest = marks[0], marks[1:]
        assert isinstance(first, Pick)
        for start in _cycles(first.cycle, at, 1):
            for whole in first.make(start):
                found = _narrowed(whole, rest)
                if found and found.lo and found.lo >= at:
                    return found
        return None

    def _which(self, pick: Pick, which: Which) -> Interval | None:
        """The last, this or the next of a pick's kind. Of weekdays the next is next week's."""
        now, today = self._now.wall, self._now.today
        if which == "next" and pick.cycle == "week":
            return next(iter(pick.make(step("week", floor("week", now), 1))), None)
        for start in _cycles(pick.cycle, now, {"last": -1, "this": 0, "coming": 1, "next": 1}[which]):
            for found in pick.make(start):
                if found.lo is None or found.hi is None:
                    continue
                if which == "this" or (found.hi <= (today if pick.cycle == "week" else now) if which == "last" else found.lo > now):
                    return Interval(found.lo, found.hi, found.grain, found.sure * 0.9)
        return None


def _fits(marks: list[Fixed | Pick]) -> bool:
    """Whether marks, sorted from coarse to fine, can say one date: each a pick from a cycle that the one before holds."""
    for outer, inner in pairwise(marks):
        pick = inner.same if isinstance(inner, Fixed) else inner
        if pick is None or not CYCLE_RANK[pick.cycle] <= outer.rank < inner.rank:
            return False
    return True


def _kind(mark: Fixed | Pick) -> int:
    """The rank, with weekdays taken for the days that they are."""
    return DAY if mark.rank == WEEKDAY else mark.rank


def _cycles(cycle: Unit, at: datetime, sign: int) -> Iterator[datetime]:
    """The starts of the cycle at `at` and of those before or after it; outside the years of records there are none."""
    start = floor(cycle, at)
    for k in range(_CYCLES if sign else 1):
        try:
            yield step(cycle, start, k * sign)
        except Beyond:
            return


def _narrowed(whole: Interval, marks: tuple[Fixed | Pick, ...]) -> Interval | None:
    """What the finer marks pick inside a whole, one inside the other."""
    for mark in marks:
        pick = mark.same if isinstance(mark, Fixed) else mark
        found = _inside(whole, pick) if pick else None
        if found is None:
            return None
        whole = Interval(found.lo, found.hi, found.grain, min(whole.sure, found.sure))
    return whole


def _inside(whole: Interval, pick: Pick) -> Interval | None:
    lo, hi = whole.lo, whole.hi
    if lo is None or hi is None:
        return None
    if whole.grain == pick.cycle:
        return next(iter(pick.make(lo)), None)
    options: list[Interval] = []
    start = floor(pick.cycle, lo)
    for _ in range(_CYCLES):
        options.extend(pick.make(start))
        start = step(pick.cycle, start, 1)
        if start >= hi:
            break
    if whole.grain == "part_of_day":
        near = min(options, key=lambda each: _off(each, lo, hi), default=None)
        return Interval(near.lo, near.hi, near.grain) if near and _off(near, lo, hi) <= _NEAR else None
    return next((each for each in options if each.lo is not None and lo <= each.lo < hi), None)


def _off(interval: Interval, lo: datetime, hi: datetime) -> timedelta:
    """How far the beginning of an interval lies outside lo..hi."""
    assert interval.lo is not None
    return max(lo - interval.lo, interval.lo - hi, timedelta(0))


def _changed(interval: Interval | None, changes: tuple[Change, ...]) -> Interval | None:
    for change in changes:
        if interval is None:
            return None
        interval = change(interval)
    return interval
