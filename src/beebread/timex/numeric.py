"""The dates and times that are written in digits alone, in any language."""

from __future__ import annotations

from datetime import datetime

from beebread.timex import picks
from beebread.timex.calendars import floor, step, unit_at
from beebread.timex.marks import DAY, HOUR, LOOSE, MONTH, Fixed, Interval, Pick, Present, Rule

# What makes "3/4" a share or a score and not a date.
_SHARE = (
    r"(?! ?(?:of|stars?|cups?|people|players?|points?|votes?|hours?|done|complete|pages?|tests?|passed|failed|inch(?:es)?|score|scores|"
    r"teaspoons?|tbsp|tsp|miles?|majority|full|finished|would|recommend(?:ed)?|match(?:es)?|ths?|[分星票人个页颗次条项杯]|%|/|[0-9])\b)"
)
_NOT_RATED = (
    r"(?<!rated )(?<!score )(?<!scored )(?<!rating )(?<!gave it )(?<!version )(?<!page )(?<!chapter )(?<!part )(?<!step )"
    r"(?<!评分)(?<!得分)(?<!打分)"
)


def _xyy(now: Present, first: str, second: str, year: str) -> Fixed | None:
    """Month first, unless it can only be the day."""
    a, b = int(first), int(second)
    full = int(year) if len(year) == 4 else picks.short_year(int(year), now)
    return picks.date_of(full, b, a, 1.0) if a > 12 else picks.date_of(full, a, b, 1.0 if b > 12 or a == b else 0.5)


def _slash(first: str, second: str) -> Pick | None:
    a, b = int(first), int(second)
    if a > 12:
        a, b = b, a
    if not 1 <= a <= 12:
        return None
    pick = picks.month_day(a, b)
    sure = 0.9 if b > 12 else 0.5

    def make(start: datetime) -> tuple[Interval, ...]:
        return tuple(Interval(found.lo, found.hi, found.grain, sure) for found in pick.make(start))

    return Pick(DAY, "year", make)


def _year_month(year: str, month: str) -> Fixed | None:
    whole = picks.year(int(year))
    if whole is None or whole.interval.lo is None or not 1 <= int(month) <= 12:
        return None
    return Fixed(MONTH, unit_at("month", step("month", whole.interval.lo, int(month) - 1), sure=0.9))


def _years(first: str, last: str) -> Fixed | None:
    """The years from the first to the last, which may be written with its last two digits."""
    begin, end = picks.year(int(first)), picks.year(int(last) if len(last) == 4 else int(first[:2] + last))
    if begin is None or end is None or begin.interval.lo is None or end.interval.lo is None or begin.interval.lo >= end.interval.lo:
        return None
    return Fixed(LOOSE, Interval(begin.interval.lo, end.interval.hi, "year", 0.8))


def _stamp(now: Present, text: str) -> Fixed | None:
    """An ISO 8601 time; in the user's zone when it names none."""
    try:
        at = datetime.fromisoformat(text.upper().replace(" ", "T", 1).replace("/", "-"))
    except ValueError:
        return None
    if at.tzinfo is not None and 1900 < at.year < 2200:
        at = at.astimezone(now.zone)
    unit = "second" if text.count(":") > 1 else "minute"
    lo = floor(unit, at.replace(tzinfo=None))
    return Fixed(HOUR, Interval(lo, step(unit, lo, 1), unit))


def _clock(hour: str, minute: str, second: str | None) -> Pick:
    return picks.time_of_day(int(hour), int(minute), int(second) if second else None, "24" if hour[0] == "0" or int(hour) > 12 else None)


RULES: tuple[Rule, ...] = (
    Rule(
        r"((?:19|20)[0-9]{2}[-/][01][0-9][-/][0-3][0-9][t ][0-2][0-9]:[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,6})?)?(?: ?(?:z\b"
        r"|[+-][0-2][0-9]:?[0-5][0-9]))?)",
        lambda now, w: _stamp(now, *w),
    ),
    Rule(r"((?:19|20)[0-9]{2})-([0-9]{1,2})-([0-9]{1,2})(?![0-9-])", lambda _, w: picks.date_of(*map(int, w))),
    Rule(r"((?:19|20)[0-9]{2})/([0-9]{1,2})/([0-9]{1,2})(?![0-9/])", lambda _, w: picks.date_of(*map(int, w))),
    Rule(r"((?:19|20)[0-9]{2})\.([0-9]{1,2})\.([0-9]{1,2})(?![0-9.])", lambda _, w: picks.date_of(*map(int, w))),
    Rule(r"(?<!version )((?:19|20)[0-9]{2})([01][0-9])([0-3][0-9])", lambda _, w: picks.date_of(int(w[0]), int(w[1]), int(w[2]), 0.6)),
    Rule(r"(?<!version )([0-9]{1,2})[/.]([0-9]{1,2})[/.]((?:19|20)[0-9]{2})(?![0-9/.])", lambda now, w: _xyy(now, *w)),
    Rule(r"([0-9]{1,2})-([0-9]{1,2})-((?:19|20)[0-9]{2})(?![0-9-])", lambda now, w: _xyy(now, *w)),
    Rule(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{2})(?![0-9/])", lambda now, w: _xyy(now, *w)),
    Rule(r"((?:19|20)[0-9]{2})[-/](0[1-9]|1[0-2])(?![0-9/-])", lambda _, w: _year_month(*w)),
    Rule(r"((?:19|20)[0-9]{2}) ?[-~] ?((?:19|20)[0-9]{2})(?![0-9.,:/年-])", lambda _, w: _years(*w)),
    Rule(r"((?:19|20)[0-9]{2})[-/]([0-9]{2})(?![0-9.,:/年-])", lambda _, w: _years(*w), r"\b(?:in|during|from|since|of|years?) $"),
    Rule(
        rf"{_NOT_RATED}(?!1/[2348](?![0-9])|24/7|50/50|9/10|2/3|3/4 )([0-9]{{1,2}})/([0-9]{{1,2}})(?![0-9/.%]){_SHARE}",
        lambda _, w: _slash(*w),
    ),
    Rule(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?![0-9:]| ?[ap]\.?m\b)", lambda _, w: _clock(*w)),
)
