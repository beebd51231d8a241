"""The time words of English: forms of words and what they mean."""

from __future__ import annotations

from beebread.timex import english_feasts, picks
from beebread.timex.calendars import Unit, away, days, fixed, floor, rolling, step, unit_at
from beebread.timex.holidays import CHRISTMAS
from beebread.timex.marks import DAY, LOOSE, WEEK, Fixed, Interval, Pick, Present, Rule
from beebread.timex.numbers import EN_COUNT, EN_NUMBER, EN_ORDINAL, count, number

MONTHS = "january february march april may june july august september october november december".split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH_NUMBERS = {name[:n]: i for i, name in enumerate(MONTHS, 1) for n in (3, len(name))} | {"sept": 9}
_DAY_NUMBERS = {name[:n]: i for i, name in enumerate(WEEKDAYS) for n in (3, len(name))} | {"tues": 1, "weds": 2, "thur": 3, "thurs": 3}

UNIT = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|weekends?|weeks?|wks?|fortnights?|months?|quarters?|years?"
    r"|yrs?|decades?)"
)
_UNITS: dict[str, tuple[Unit, int]] = {
    "sec": ("second", 1), "min": ("minute", 1), "hou": ("hour", 1), "hrs": ("hour", 1), "hr": ("hour", 1),
    "day": ("day", 1), "nig": ("day", 1),
    "wee": ("week", 1), "wks": ("week", 1), "wk": ("week", 1), "for": ("week", 2), "mon": ("month", 1), "qua": ("quarter", 1),
    "yea": ("year", 1), "yrs": ("year", 1), "yr": ("year", 1), "dec": ("decade", 1),
}  # fmt: skip
_SIGNS = {"last": -1, "past": -1, "previous": -1, "preceding": -1, "recent": -1, "next": 1, "coming": 1, "following": 1, "upcoming": 1}


def unit(word: str) -> tuple[Unit, int]:
    """The unit that a word names, and how many of it."""
    return _UNITS[word[:3]]


def _ago(now: Present, many: str | None, word: str, half: str | None, _: str) -> Fixed:
    few, most, sure = count(many or "")
    name, times = unit(word)
    more = 0.5 if half else 0
    return away(now, (few + more) * times, (most + more) * times, name, -1, sure if few >= 1 or word[:3] != "sec" else 0.4)


def _ahead(now: Present, many: str, word: str, sure: float = 0.9) -> Fixed:
    few, most, counted = count(many)
    name, times = unit(word)
    return away(now, few * times, most * times, name, 1, counted * sure)


def _window(now: Present, way: str | None, many: str | None, word: str) -> Fixed:
    _, most, sure = count(many or "one")
    name, times = unit(word)
    return rolling(now, most * times, name, _SIGNS.get(way or "last", -1), sure)


def _whole(now: Present, way: str, word: str) -> Fixed:
    return fixed(unit(word)[0], now.wall, _SIGNS.get(way, 0))


def _so_far(now: Present, way: str, word: str) -> Fixed:
    """Earlier this week: from its beginning to today's; earlier today: to now."""
    whole = unit_at("day" if word == "today" else unit(word)[0], now.wall)
    at = floor("second", now.wall) if word == "today" else now.today
    if way == "earlier":
        return Fixed(LOOSE, Interval(whole.lo, at if whole.lo != at else now.wall, whole.grain, 0.8))
    at = at if word == "today" else step("day", at, 1)
    return Fixed(LOOSE, Interval(min(at, now.wall), whole.hi, whole.grain, 0.8))


def _between(now: Present, far: int, near: int, sure: float) -> Fixed:
    """The days from `far` to `near` days ago, or until now when `near` is 0."""
    return Fixed(LOOSE, Interval(step("day", now.today, -far), step("day", now.today, -near) if near else now.wall, "day", sure))


def _long_ago(now: Present) -> Fixed:
    return Fixed(LOOSE, Interval(None, step("year", now.today, -1), "open", 0.2))


def _month_day(month: str, first: str, last: str | None = None) -> Pick:
    return picks.month_day(_MONTH_NUMBERS[month], number(first), number(last) if last else None)


def _day_month(first: str, last: str | None, month: str) -> Pick:
    return _month_day(month, first, last)


def _clock(hour: str, minute: str | None, half: str) -> Pick:
    return picks.time_of_day(number(hour), int(minute) if minute else None, half="am" if half[0] == "a" else "pm")


def _clock_words(how: str, hour: str) -> Pick:
    minute = {"half past": 30, "quarter past": 15, "quarter to": 45}[how]
    h = number(hour) - (how == "quarter to")
    return picks.time_of_day(h or 12, minute)


def _weekdays_ago(now: Present, many: str, name: str) -> Fixed:
    """So many Fridays, or weekends, ago: the first is the last one that is over."""
    weekend = name == "weekend"
    back = (now.today.weekday() - _DAY_NUMBERS["saturday" if weekend else name] - 1) % 7 + 1
    first = step("day", now.today, -back - (7 if weekend and back < 2 else 0) - 7 * (int(count(many)[0]) - 1))
    return Fixed(DAY, days(first, 2 if weekend else 1, sure=0.8))


def _terms_ago(now: Present, many: str, name: str) -> Fixed | None:
    """So many summers, or Christmases, ago: the first is the last one that is over."""
    pick = picks.yearly(CHRISTMAS) if name == "christmas" else picks.season({"fall": "autumn"}.get(name, name))
    past = [
        found
        for back in range(int(count(many)[0]) + 1)
        for found in pick.make(step("year", floor("year", now.wall), -back))
        if found.hi is not None and found.hi <= now.today
    ]
    n = int(count(many)[0])
    return Fixed(pick.rank, past[n - 1]) if 0 < n <= len(past) else None


def _time_last(now: Present, what: str, word: str) -> Fixed:
    """This day, or roughly this time, a unit ago."""
    at = step(unit(word)[0], now.today, -1)
    around = {"year": 15, "month": 3, "week": 1}.get(unit(word)[0], 0)
    if what == "time" and around:
        return Fixed(LOOSE, Interval(step("day", at, -around), step("day", at, around + 1), "day", 0.5))
    return Fixed(DAY, unit_at("day", at))


def _to_the_day(now: Present, many: str, word: str) -> Fixed | None:
    """The very day so many units ago."""
    units = count(many)[0]
    return Fixed(DAY, unit_at("day", step(unit(word)[0], now.today, -int(units)))) if units == int(units) else None


def _year(text: str, now: Present) -> int:
    return int(text) if len(text) == 4 else picks.short_year(int(text), now)


def _short_decade(tens: int) -> int:
    return tens + (1900 if tens > 20 else 2000)


def _to_date(now: Present, word: str) -> Fixed:
    return Fixed(LOOSE, Interval(floor(unit(word)[0], now.wall), now.wall, unit(word)[0], 0.9))


_MONTH = rf"({'|'.join(MONTHS)}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?"
_SURE_MONTH = "(january|february|april|june|july|august|september|october|november|december)"
_DATE = rf"((?:{EN_ORDINAL})|[0-3]?[0-9])"
_NO_CLOCK = r"(?![0-9]|:[0-9]| ?[ap]\.?m\b| ?%|\.[0-9]|,[0-9]{3}\b)"
_WITH = (
    r"(?:\b(?:in|since|before|after|until|till|during|from|between|by|last|next|this|early|late|mid|of|on|around|about|through"
    r"|and|to|the)"
    r" |\b(?:mid|early|late)-)$"
)
_IN_YEAR = (
    r"(?:\b(?:in|since|before|after|until|till|during|from|between|around|circa|early|late|mid|year|by|through|than|prior to) |\bmid-)$"
)
_PLAIN = r"(?:\b(?:in|since|before|after|until|till|during|from|between|by|last|early|late|mid|through) |\b(?:mid|early|late)-)$"
_ON_DAY = r"\b(?:on|since|before|after|until|till|by|last|next|from) $"
_IN_SEASON = r"\b(?:in|since|before|after|until|during|from|last|next|this|early|late|by)(?: the)? $|\bmid-$"
_NEVER = r"(?!)"
_THINGS = (
    r"(?! ?(?:st|street|avenue|ave|floor|grade|page|chapter|time|attempt|try|version|draft|place|row|line|step|one|round|item|question|"
    r"century|birthday|anniversary|edition|person|point|option|rule|amendment|week|day|month|quarter|half|year|percentile|generation)\b)"
)

RELATIVE: tuple[Rule, ...] = (
    Rule(r"(?:the )?day before yesterday", lambda now, _: picks.day_away(now, -2)),
    Rule(r"(?:the )?day after tomorrow", lambda now, _: picks.day_away(now, 2)),
    Rule(r"(?:the )?night before last", lambda now, _: picks.part_away(now, -2, "evening")),
    Rule(r"(?:the )?(week|month|quarter|year)(?:s)? before last", lambda now, w: fixed(unit(w[0])[0], now.wall, -2)),
    Rule(r"(?:the )?(week|month|quarter|year) after next", lambda now, w: fixed(unit(w[0])[0], now.wall, 2)),
    Rule(
        r"(?:the )?weekend before last",
        lambda now, _: Fixed(
            DAY, Interval(step("day", floor("week", now.today), -9), step("day", floor("week", now.today), -7), "day", 0.8)
        ),
    ),
    Rule(r"(?:at |on )?(?:this|the same) (time|day|date) last (year|month|week)", lambda now, w: _time_last(now, *w)),
    Rule(
        rf"({EN_COUNT}) ?((?:day|week|month|year)s?) ago (?:today|to the day)",
        lambda now, w: _to_the_day(now, *w),
    ),
    Rule(
        rf"({EN_COUNT}) ?(weekends|mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays) ago",
        lambda now, w: _weekdays_ago(now, w[0], w[1][:-1]),
    ),
    Rule(rf"(?:the )?({'|'.join(WEEKDAYS)}) before last", lambda now, w: _weekdays_ago(now, "two", w[0])),
    Rule(rf"({EN_COUNT}) ?(spring|summer|autumn|fall|winter|christmas)(?:s|es)? ago", lambda now, w: _terms_ago(now, *w)),
    Rule(r"(?:the )?()(spring|summer|autumn|fall|winter|christmas) before last", lambda now, w: _terms_ago(now, "two", w[1])),
    Rule(
        rf"(?<!how )(?<!how many )(?:({EN_COUNT}) ?)?(?:full |whole |short )?({UNIT})( and a half)? "
        r"(ago|back(?! (?:and|pain|in|from|to|of)\b))(?: now)?",
        lambda now, w: _ago(now, *w),
    ),
    Rule(r"(?:quite )?(?:a long time|long|ages) ago|a long while (?:ago|back)", lambda now, _: _long_ago(now)),
    Rule(r"(?:quite )?a while (?:ago|back)|some ?time (?:ago|back)", lambda now, _: _between(now, 180, 7, 0.3)),
    Rule(r"(?:the )?other (?:day|night|evening|morning)", lambda now, _: _between(now, 10, 0, 0.4)),
    Rule(r"(?:the )?other week", lambda now, _: _between(now, 28, 7, 0.4)),
    Rule(r"not (?:so |too |very )?long ago|recently|lately|of late", lambda now, _: _between(now, 30, 0, 0.3)),
    Rule(r"(?:these|the last few|the past few) days", lambda now, _: _between(now, 7, 0, 0.4)),
    Rule(
        r"just now|a (?:moment|second|sec|little while|few moments) ago|moments ago|earlier on",
        lambda now, _: Fixed(LOOSE, Interval(step("minute", now.wall, -60), now.wall, "minute", 0.5)),
    ),
    Rule(
        rf"(?:in|over|within|during|for|throughout)? ?(?:the |these |my |our )?(last|past|previous|preceding|next|coming"
        rf"|following|upcoming)"
        rf" ({EN_COUNT}) ({UNIT})(?! (?:of|in) (?:the )?(?:{'|'.join(MONTHS)}|(?:19|20)[0-9]{{2}}|last|this|next|year|month|quarter)\b)",
        lambda now, w: _window(now, *w),
    ),
    Rule(
        r"(?:(?:in|over|within|during|for|throughout) the (past|last)|(?:the )?(?:this )?(?:past|last(?= hour)))() (hour|day"
        r"|week|fortnight|month|year|decade)",
        lambda now, w: _window(now, *w),
    ),
    Rule(
        r"(?:the )?(?:last|first|second|third|fourth|fifth) (?:mon|tues|wednes|thurs|fri|satur|sun|)(?:days?|weeks?|weekend"
        r"|month|quarter)"
        rf"(?= (?:of|in) (?:the )?(?:{'|'.join(MONTHS)}|(?:last|this|next) (?:month|year)|month|year|quarter|(?:19|20)[0-9]{{2}}))",
        lambda _, __: None,
    ),
    Rule(rf"within ()(?:the )?({EN_COUNT}) ({UNIT})", lambda now, w: _window(now, *w)),
    Rule(
        rf"in ({EN_COUNT}) ({UNIT})(?:'s? time)?(?<! a second)(?<! a minute)(?<! a sec)(?! (?:of|ago|before|after|or less|total))",
        lambda now, w: _ahead(now, w[0], w[1], 0.6),  # "in two days" may be how long it took
    ),
    Rule(rf"({EN_COUNT}) ({UNIT}) (?:from (?:now|today)|hence)", lambda now, w: _ahead(now, w[0], w[1])),
    Rule(
        r"(?:over |in |during )?(?:the )?(last|previous|preceding|this|current|next|coming|following|upcoming)"
        r" (week|month|quarter|year|decade|fortnight)(?! (?:before|after)\b)",
        lambda now, w: _whole(now, *w),
    ),
    Rule(
        r"(?:the|our) (day|week|month|quarter|year|decade)(?! (?:of|before|after|with|containing)\b)",
        lambda now, w: fixed(unit(w[0])[0], now.wall),
        _NEVER,
    ),
    Rule(r"(earlier|later)(?: on)? (?:in )?(?:this )?(today|week|month|quarter|year)", lambda now, w: _so_far(now, *w)),
    Rule(r"(year|month|week|quarter)[- ]to[- ]date", lambda now, w: _to_date(now, *w)),
    Rule(r"ytd", lambda now, _: _to_date(now, "year")),
    Rule(r"(?:late |early |earlier )?last (?:night|evening)", lambda now, _: picks.part_away(now, -1, "evening")),
    Rule(r"tonight|this evening|later tonight", lambda now, _: picks.part_away(now, 0, "evening")),
    Rule(r"this (morning|afternoon)", lambda now, w: picks.part_away(now, 0, w[0])),
    Rule(r"today", lambda now, _: picks.day_away(now, 0)),
    Rule(r"yesterday", lambda now, _: picks.day_away(now, -1)),
    Rule(r"(?:tomorrow|tmrw)", lambda now, _: picks.day_away(now, 1)),
    Rule(r"(?:right )?now(?! that\b)", lambda now, _: picks.instant(now)),
)

DATES: tuple[Rule, ...] = (
    Rule(
        r"(?:iso |calendar )?week ([0-9]{1,2})(?![0-9.:]| of (?!(?:19|20)[0-9]{2}|(?:last|this|next) year))",
        lambda _, w: picks.week_of_year(int(w[0])),
        r"\b(?:in|during|since|by|until) $",
    ),
    Rule(r"((?:19|20)[0-9]{2})-?w([0-5][0-9])", lambda _, w: _week(int(w[0]), int(w[1]))),
    Rule(
        rf"{_MONTH} (?:the )?{_DATE}{_NO_CLOCK}(?: ?(?:-|–|to|and|through"
        rf"|until) ?(?:the )?{_DATE}{_NO_CLOCK}(?! (?:{'|'.join(MONTHS)})))?",
        lambda _, w: _month_day(*w),
    ),
    Rule(
        rf"(?:the )?{_DATE}(?: ?(?:-|–|to|and|through) ?(?:the )?{_DATE})? ?(?:of )?{_MONTH}(?![a-z]| be\b)",
        lambda _, w: _day_month(*w),
    ),
    Rule(
        rf"([0-3]?[0-9])([-/]){_MONTH}[-/]'?((?:19|20)?[0-9]{{2}})(?![0-9/-])",
        lambda now, w: picks.date_of(_year(w[3], now), _MONTH_NUMBERS[w[2]], int(w[0])),
    ),
    Rule(
        rf"((?:19|20)[0-9]{{2}})([-/ ]){_MONTH}[-/ ]([0-3]?[0-9])(?![0-9/:-])",
        lambda _, w: picks.date_of(int(w[0]), _MONTH_NUMBERS[w[2]], int(w[3])),
    ),
    Rule(_SURE_MONTH, lambda _, w: picks.month(_MONTH_NUMBERS[w[0]])),
    Rule(r"(jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?", lambda _, w: picks.month(_MONTH_NUMBERS[w[0]]), _WITH),
    # "this may help" is no month.
    Rule(
        r"(?<=this )(may|march)(?=$|[^a-z0-9 ]| (?:we|i|you|he|she|they|it|and|or|the|at|in|with)\b)",
        lambda _, w: picks.month(_MONTH_NUMBERS[w[0]]),
    ),
    Rule(r"(may|march)(?! (?:be|have|not|or may)\b)(?<!this may)(?<!this march)", lambda _, w: picks.month(_MONTH_NUMBERS[w[0]]), _PLAIN),
    Rule(
        r"((?:19|20)[0-9]{2})(?![0-9%年月日号]|[.,:/-][0-9]|[到至~-](?:19|20)[0-9]{2}年| ?(?:users|people|tokens|dollars|usd"
        r"|items|files|lines|words|times|steps|ms|mb|kb|px)\b)",
        lambda _, w: picks.year(int(w[0])),
        _IN_YEAR,
    ),
    Rule(r"'([0-9]{2})(?!s)", lambda now, w: picks.year(picks.short_year(int(w[0]), now)), _NEVER),
    Rule(r"(?:the )?((?:19|20)[0-9]0)'?s", lambda _, w: picks.decade(int(w[0]))),
    Rule(r"the '?([0-9]0)'?s", lambda _, w: picks.decade(_short_decade(int(w[0])))),
    Rule(r"'?([0-9]0)'?s", lambda _, w: picks.decade(_short_decade(int(w[0]))), r"(?:^|\bthe )(?:early|late|mid)[- ]$"),
    Rule(
        r"(?:the )?(twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)",
        lambda _, w: picks.decade(1900 + {"tw": 20, "th": 30, "fo": 40, "fi": 50, "si": 60, "se": 70, "ei": 80, "ni": 90}[w[0][:2]]),
        r"\b(?:in|early|late|mid|from|of|during|since|until|before|after)(?: the)?[ -]$",
    ),
    Rule(r"q([1-4])(?:(?: of| in|[/-])? ?(?='?[0-9]{2}))?", lambda _, w: picks.quarter(int(w[0]))),
    Rule(r"((?:19|20)[0-9]{2})[ -]?(q|h)([1-4])", lambda _, w: _term_of(int(w[0]), w[1], int(w[2]))),
    Rule(r"(?:the )?(first|second|third|fourth|1st|2nd|3rd|4th) quarter", lambda _, w: picks.quarter(number(w[0]))),
    Rule(r"(?:the )?(first|second|1st|2nd) half(?: of (?:the|this) year)", lambda _, w: picks.half_year(number(w[0]))),
    Rule(
        r"(?:the )?(first|second|1st|2nd) half(?= of (?:(?:last|this|next) year|(?:19|20)[0-9]{2}))",
        lambda _, w: picks.half_year(number(w[0])),
    ),
    Rule(r"h([12])", lambda _, w: picks.half_year(int(w[0])), r"\b(?:in|since|of|during|this|last) $"),
    Rule(r"(spring|summer|winter) (?:break|vacation|holidays?)", lambda _, w: picks.season(w[0])),
    Rule(
        r"(spring|summer|autumn|fall|winter)(?:time)?(?! (?:boot|framework|mvc|cloud|security|asleep|down|apart|off))",
        lambda _, w: picks.season({"fall": "autumn"}.get(w[0], w[0])),
        _IN_SEASON,
    ),
    Rule(rf"({'|'.join(WEEKDAYS)})", lambda _, w: picks.weekday(_DAY_NUMBERS[w[0]])),
    Rule(r"(mon|tues?|weds?|thu|thurs?|fri|sat|sun)\.?", lambda _, w: picks.weekday(_DAY_NUMBERS[w[0]]), _ON_DAY),
    Rule(r"(?:the )?weekend", lambda _, __: picks.weekend()),
    Rule(
        rf"the ([0-9]{{1,2}}(?:st|nd|rd|th)){_THINGS}",
        lambda _, w: picks.day_of_month(number(w[0])),
        r"\b(?:on|since|by|before|until|after|from|between|and|to) $",
    ),
    Rule(rf"({EN_ORDINAL})(?= of (?:last|this|next|the) )", lambda _, w: picks.day_of_month(number(w[0])), _NEVER),
)

TIMES: tuple[Rule, ...] = (
    Rule(r"([0-9]{1,2})(?: ?[:.]([0-9]{2}))? ?(a|p)\.?m\.?", lambda _, w: _clock(*w)),
    Rule(
        r"([0-9]{1,2})()(?= ?(?:-|–|to|and) ?[0-9]{1,2}(?::[0-9]{2})? ?(a|p)\.?m\b)", lambda _, w: picks.time_of_day(number(w[0])), _NEVER
    ),
    Rule(rf"(half past|quarter past|quarter to) ({EN_NUMBER})", lambda _, w: _clock_words(*w)),
    Rule(rf"({EN_NUMBER}) o'?clock", lambda _, w: picks.time_of_day(number(w[0]))),
    Rule(r"at ([0-9]{1,2})(?! ?o'?clock| ?[ap]\.?m\b|[0-9]|[.:%/,-][0-9]| ?%)", lambda _, w: picks.time_of_day(number(w[0])), _NEVER),
    Rule(r"early morning", lambda _, __: picks.part("early_morning"), _NEVER),
    Rule(r"early afternoon", lambda _, __: picks.part("early_afternoon"), _NEVER),
    Rule(r"late afternoon", lambda _, __: picks.part("late_afternoon"), _NEVER),
    Rule(r"late (?:evening|night)", lambda _, __: picks.part("late"), _NEVER),
    Rule(r"(?:(?:mid|late)[- ])?(morning|afternoon)", lambda _, w: picks.part(w[0]), _NEVER),
    Rule(r"(?:early )?evening|night", lambda _, __: picks.part("evening"), _NEVER),
    Rule(r"lunch ?time|lunch", lambda _, __: picks.part("noon"), _NEVER),
    Rule(r"(?:noon|midday)", lambda _, __: picks.time_of_day(12, half="24")),
    Rule(r"midnight", lambda _, __: picks.time_of_day(0, half="24")),
    Rule(r"dawn|daybreak", lambda _, __: picks.part("dawn"), _NEVER),
)


def _week(year: int, number: int) -> Fixed | None:
    found = tuple(picks.week_of_year(number).make(whole.interval.lo)) if (whole := picks.year(year)) and whole.interval.lo else ()
    return Fixed(WEEK, found[0]) if found else None


def _term_of(year: int, kind: str, number: int) -> Fixed | None:
    whole = picks.year(year)
    if whole is None or whole.interval.lo is None or (kind == "h" and number > 2):
        return None
    pick = picks.quarter(number) if kind == "q" else picks.half_year(number)
    (found,) = pick.make(whole.interval.lo)
    return Fixed(pick.rank, found)


RULES: tuple[Rule, ...] = (*RELATIVE, *english_feasts.RULES, *DATES, *TIMES)
