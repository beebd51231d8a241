"""The words around a time word that change what it means: before, since, last, the end of, the first Monday of, 三天前, 期间."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Literal

from beebread.timex import chinese, english
from beebread.timex.calendars import Edge, edge, floor, nth, step, unit_at
from beebread.timex.marks import Interval
from beebread.timex.numbers import EN_COUNT, EN_ORDINAL, ZH_COUNT, ZH_NUMBER, count, number

Which = Literal["last", "this", "coming", "next"]
Change = Callable[[Interval], Interval | None]

_DAY_NAMES = "|".join(english.WEEKDAYS)
_ZH_UNIT = r"(?:天|日|晚|周|个?星期|个?礼拜|个月|个?季度|年)"
_ZH_DAY = r"(?:周|星期|礼拜)[一二三四五六日天]"

# Which of its kind a pick is: stands right before it.
WHICH = re.compile(
    r"(?<![a-z])(?:(?:this )?(?P<last>last|past|previous)|(?:this |the )?(?P<coming>coming|upcoming)|(?P<this>this)|"
    r"(?:the )?(?P<next>next|following)) $"
    r"|(?P<zh_last>上一?个|上次)的?$|(?P<zh_this>这一?个|本)的?$|(?P<zh_next>下一?个|下次)的?$"
)
WHICHES: dict[str, Which] = {"last": "last", "this": "this", "coming": "coming", "next": "next"}
# Habits name no time.
HABIT = re.compile(r"(?<![a-z])(?:every|each)(?: other| single| second)? $|每一?个?[到逢]?(?:隔?[天周月年]的?)?(?:个?(?:星期|礼拜)的?)?$")

_BEFORE = re.compile(
    rf"(?<![a-z])(?:"
    rf"(?:at |in |on )?(?:the )?(?:very )?(?P<edge>beginning|start|middle|end|close|(?:early|late|latter|first"
    rf"|last) part) of (?:the )?"
    rf"|(?:in |during )?(?:the )?(?P<half>first|second|1st|2nd|latter|other) half of (?:the )?"
    rf"|(?:in |during )?(?:the )?(?P<share_way>first|opening|last|final|closing) (?P<share>{EN_COUNT})"
    rf" (?P<share_unit>{english.UNIT}) (?:of|in) (?:the )?"
    rf"|(?:in |on )?(?:the )?(?P<near>early|late|mid)(?:-|(?: in| on)? )(?:the )?"
    rf"|(?:in |on |during |for )?(?:the )?(?P<nth>{EN_ORDINAL}|last|final) (?P<nth_of>day|week|weekend|month|quarter"
    rf"|{_DAY_NAMES}) (?:of|in) (?:the )?"
    rf"|(?:in |during )?(?:the )?(?P<around>week|weekend|month|year) (?:of|containing|with) (?:the )?"
    rf"|(?:the )?(?P<shift>{EN_COUNT}|(?<=the )) ?(?P<shift_unit>{english.UNIT}) (?P<shift_way>before|after|prior to|following"
    rf"|from) (?:the )?)$"
)
_AFTER = re.compile(
    rf"的?(?:之|以)?(?P<shift_way>前|后)的?(?:第)?(?P<shift>{ZH_COUNT})(?P<shift_unit>{_ZH_UNIT})"
    rf"|的?第(?P<nth>{ZH_NUMBER})个?(?P<nth_of>{_ZH_DAY}|周末|周|星期|礼拜|天|个?月|季度)"
    rf"|的?最后(?P<share>{ZH_COUNT})(?P<share_unit>{_ZH_UNIT})(?<!最后一天)"
    rf"|的?最后(?P<last>一?)个?(?P<last_of>{_ZH_DAY}|周末|周|星期|礼拜|天|月|季度)"
    rf"|(?:所在的?|的?那)一?(?P<around>周|个?星期|个?礼拜|个月|月)"
    rf"|(?P<fringe>前后)"
)
OPENERS = re.compile(
    r"(?<![a-z])(?:(?P<since>(?:ever )?since|starting(?: from| in| on)?|beginning(?: in| on| from)?)|(?P<before>before|prior to"
    r"|earlier than|ahead of|leading up to)"
    r"|(?P<after>after|later than|following)|(?P<until>until|till|up to|up until|up till|through|by|no later than)"
    r"|(?P<from>from|between)) (?:(?:in|on|at) )?(?:the )?$"
    r"|(?P<zh_since>自从|自打|自)$|(?P<zh_until>截至|截止到?|直到|一直到|到了?)$|(?P<zh_from>从|由)$|(?P<zh_before>早于)$"
    r"|(?P<zh_after>晚于)$"
)
CLOSERS = re.compile(
    r"(?: (?P<since>onwards?|and (?:later|after|onwards?)|or later)|(?P<before> (?:and|or) (?:before|earlier)))(?![a-z])"
    r"|的?(?P<zh_until>为止|止)|的?(?P<zh_since>以来|至今|到现在|到今天|起(?![来床码初诉飞])|开始)"
    r"|的?(?P<zh_before>之前|以前|前夕|前(?![端台面续来提后途言往景锋期缀任男女夫妻辈者几一两三]))"
    r"|的?(?P<zh_after>之后|以后|后(?![端台面续来期果悔勤门者缀备卫天年辈]))"
    r"|(?P<zh_in>期间|之间|之内|以内|那天|当天|那一天|这天|左右)"
)
FROM_ON = re.compile(r" on(?:wards?)?(?![a-z0-9])(?! (?:the|a|my|our|your) )")

_EDGES: dict[str, Edge] = {
    "beginning": "begin", "start": "begin", "middle": "middle", "end": "end", "close": "end", "early": "early",
    "late": "late", "mid": "middle",
    "early part": "early", "late part": "late", "latter part": "late", "first part": "early", "last part": "late",
}  # fmt: skip
_HALVES: dict[str, tuple[english.Unit, int]] = {
    "decade": ("year", 5), "year": ("month", 6), "quarter": ("day", 45), "month": ("day", 15), "day": ("hour", 12),
}  # fmt: skip
_RANKS = ("day", "week", "month", "quarter", "year", "decade")


def before(text: str) -> tuple[int, Change] | None:
    """The words at the end of `text` that change the time word after them: how many characters, and the change."""
    match = _BEFORE.search(text)
    if match is None:
        return None
    length, found = len(text) - match.start(), match.groupdict()
    if name := found["edge"] or found["near"]:
        which = _EDGES[name]
        return length, lambda whole: edge(whole, which)
    if found["half"]:
        return length, _half(found["half"] in {"first", "1st"})
    if found["share"]:
        name, times = english.unit(found["share_unit"])
        n = int(count(found["share"])[1] * times)
        return length, _share(n if found["share_way"] in {"first", "opening"} else -n, name)
    if found["nth"]:
        n = -1 if found["nth"] in {"last", "final"} else number(found["nth"])
        return length, _nth(n, found["nth_of"])
    if found["around"]:
        unit = found["around"]
        return length, lambda whole: _around(whole, unit)
    if found["shift_unit"]:
        few, most, _ = count(found["shift"] or "one")
        name, times = english.unit(found["shift_unit"])
        sign = -1 if found["shift_way"] in {"before", "prior to"} else 1
        return length, lambda whole: _shifted(whole, sign * int(few * times), sign * int(most * times), name)
    return None


def after(text: str, at: int) -> tuple[int, Change] | None:
    """The words at `at` that change the time word before them: where they end, and the change."""
    match = _AFTER.match(text, at)
    if match is None:
        return None
    end, found = match.end(), match.groupdict()
    if found["shift"]:
        name, times = chinese.unit(found["shift_unit"])
        n = int(count(found["shift"])[1] * times) * (-1 if found["shift_way"] == "前" else 1)
        within = match.group().lstrip("的")[0] in "前后"
        return end, lambda whole: _share(-n, name)(whole) if within and _longer(whole, name) else _beside(whole, n, name)
    if found["share"]:
        name, times = chinese.unit(found["share_unit"])
        return end, _share(-int(count(found["share"])[1] * times), name)
    if found["nth"] or found["last_of"]:
        return end, _nth(number(found["nth"]) if found["nth"] else -1, found["nth_of"] or found["last_of"])
    if found["around"]:
        name = chinese.unit(found["around"])[0]
        return end, lambda whole: _around(whole, name)
    return end, _fringe


def _nth(n: int, word: str) -> Change:
    if word in english.WEEKDAYS:
        return lambda whole: nth(whole, n, english.WEEKDAYS.index(word))
    if word[0] in "周星礼" and word[-1] in "一二三四五六日天":
        return lambda whole: nth(whole, n, "一二三四五六日天".index(word[-1]) % 7 if word[-1] != "天" else 6)
    if word in {"weekend", "周末"}:
        return lambda whole: _weekend(nth(whole, n, 5))
    unit = english.unit(word)[0] if word.isascii() else chinese.unit(word)[0]
    return lambda whole: nth(whole, n, unit)


def _half(first: bool) -> Change:
    """Half of a year, a quarter, a month: whole months or days."""

    def change(whole: Interval) -> Interval | None:
        if whole.lo is None or whole.hi is None or whole.grain not in _HALVES:
            return None
        unit, n = _HALVES[whole.grain]
        middle = step(unit, whole.lo, n)
        return Interval(whole.lo, middle, unit, whole.sure) if first else Interval(middle, whole.hi, unit, whole.sure)

    return change


def _share(n: int, unit: english.Unit) -> Change:
    """The first `n` units of something longer, or the last ones when n < 0."""

    def change(whole: Interval) -> Interval | None:
        if whole.lo is None or whole.hi is None or n == 0:
            return None
        lo, hi = (whole.lo, step(unit, whole.lo, n)) if n > 0 else (step(unit, whole.hi, n), whole.hi)
        return Interval(lo, hi, unit, whole.sure * 0.9) if whole.lo <= lo < hi <= whole.hi else None

    return change


def _longer(whole: Interval, unit: english.Unit) -> bool:
    """Whether a span of the calendar holds several of a unit (三月前十天, 去年前三个月)."""
    return whole.grain in _RANKS and unit in _RANKS and _RANKS.index(whole.grain) > _RANKS.index(unit)


def _weekend(saturday: Interval | None) -> Interval | None:
    return Interval(saturday.lo, step("day", saturday.lo, 2), "day", saturday.sure) if saturday and saturday.lo else None


def _around(whole: Interval, word: str) -> Interval | None:
    """The week, month or year in which something begins."""
    if whole.lo is None:
        return None
    if word == "weekend":
        return _weekend(nth(unit_at("week", whole.lo), 1, 5))
    return unit_at(english.unit(word)[0], whole.lo, sure=whole.sure)


def _shifted(whole: Interval, near: int, far: int, unit: english.Unit) -> Interval | None:
    """The units so many before the beginning of something, or after its end ("two days before Christmas" is one day)."""
    if whole.lo is None or whole.hi is None:
        return None
    origin = whole.lo if near < 0 else whole.hi - timedelta(microseconds=1)
    if unit in {"second", "minute", "hour"}:
        origin = whole.lo
    first, last = sorted((near, far))
    return Interval(step(unit, floor(unit, origin), first), step(unit, floor(unit, origin), last + 1), unit, whole.sure * 0.9)


def _beside(whole: Interval, n: int, unit: english.Unit) -> Interval | None:
    """The `n` units right before or after something (春节前三天)."""
    if whole.lo is None or whole.hi is None:
        return None
    lo, hi = (step(unit, whole.lo, n), whole.lo) if n < 0 else (whole.hi, step(unit, whole.hi, n))
    return Interval(lo, hi, unit, whole.sure * 0.8) if lo < hi else None


def _fringe(whole: Interval) -> Interval | None:
    """Something with as much again on both sides, a week at most and a day at least."""
    if whole.lo is None or whole.hi is None:
        return None
    width = min(max(whole.hi - whole.lo, timedelta(minutes=30)), timedelta(days=7))
    return Interval(whole.lo - width, whole.hi + width, whole.grain, whole.sure * 0.6)


# "between" two: what may stand there.
RANGE = re.compile(
    r" {0,2}(?:(to|until|till|through|thru|up to|and)(?: (?:the|on|in|at|around|about))?|"
    r"(-|~|到了?|至|和|与|跟|一直到|、|或)) {0,2}"
)
GLUE = re.compile(
    r"(?:'s)? {0,2}(?:[,，、(（] ?)?(?:的|在|从|那|这|里|里的|当中的|份的|那天|时的)?(?:(?:on|at|in|of|the|during|around|about|for|by|from"
    r"|between) ?){0,3} ?"
)
