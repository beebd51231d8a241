"""Orderings that are no calendar time: the first version, the third draft, the one before, last time."""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

from beebread.timex.numbers import EN_NUMBER, EN_ORDINAL, ZH_NUMBER, number
from beebread.timex.scan import close_up, fold

_LONGEST = 2_000  # characters that are read, the last ones: a question stands at the end

Kind = Literal["nth", "nth_last", "before"]


class Order(Struct, frozen=True, kw_only=True):
    """Which of several like things, put in the order of time, is meant.

    'nth': the `n`-th from the oldest (the first, originally: 1). 'nth_last': the `n`-th from the newest (the latest, last time: 1;
    倒数第二个: 2). 'before': the one `n` steps before the present one (the previous version: 1). `noun` is what is counted ("draft", 版;
    "" when the words do not say), `words` the part of the text, at offset `at`.
    """

    kind: Kind
    n: int = 1
    noun: str = ""
    words: str = ""
    at: int = 0

    @property
    def occasion(self) -> bool:
        """Whether occasions are counted (last time, 上次) and not things (the third draft, 第一版)."""
        return self.noun in {"", "time", "times", "次", "回", "趟", "遍"}

    @property
    def index(self) -> int:
        """Its place in a list from oldest to newest, as Python indexes it: 0 the first, -1 the latest, -2 the one before that."""
        match self.kind:
            case "nth":
                return self.n - 1
            case "nth_last":
                return -self.n
            case "before":
                return -1 - self.n


# What is made, said or done again and again: with these an ordinal orders by time, whatever stands before it.
_MADE = (
    r"(?:version|draft|revision|iteration|attempt|try|time|round|edition|release|prototype|proposal|plan|design|copy|message"
    r"|question|answer|"
    r"reply|response|suggestion|idea|meeting|session|conversation|call|chat|discussion|run|test|result|error|commit|build|one"
    r"|entry|note|report|"
    r"order|visit|trip|interview|appointment|email|edit|change|solution|approach|review|deploy(?:ment)?|incident|update|upload|photo|job|"
    r"conversation|purchase|payment|exam|lesson|date)s?"
)
# Nouns with which an ordinal is a name, a rank or a calendar word.
_NAMED = (
    r"(?!(?:name|floor|person|language|grade|class|aid|hand|half|world|lady|place|prize|base|degree|avenue|street|quarter|week"
    r"|weekend|day|month|"
    r"year|decade|century|night|hour|minute|second|morning|evening|afternoon|cousin|amendment|generation|party|gear|sight"
    r"|impression|resort|straw|"
    r"of|and|or|to|in|at|on|is|was|are|few|couple|two|three|four|five|six|seven|ten|line|page|chapter|row|column|step|item"
    r"|point|option|thing|"
    r"january|february|march|april|may|june|july|august|september|october|november|december|"
    r"monday|tuesday|wednesday|thursday|friday|saturday|sunday|spring|summer|autumn|fall|winter|christmas|easter)s?\b)"
)
# 'Our previous conversation' may be any one before this, which nobody counts.
_TALK = r"(?!(?:conversation|chat|discussion|talk|dialogue|exchange|call|session)s?(?![a-z]))"
_OWN = r"(?:the|my|our|your|his|her|their|its|'s)"
_BACKWARD = (
    rf"(?:(?P<back>second|third|fourth|2nd|3rd|4th)[- ](?:(?:to|from)(?:[- ]the)?[- ](?:last|end)|last)|(?P<back2>penultimate"
    rf"|next[- ]to[- ]last|last[- ]but[- ]one)|(?P<back3>{EN_ORDINAL}) from the end)"
)

_ZH_THING = r"(?:个?版本?|稿|草稿|次|回|遍|轮|个|份|篇|条|封|张|场|家|位|任|款|趟|顿|部|本|件|项|种|首|只|辆|单|笔|批|代|版)"
_ZH_TIME = r"(?![月周年季天日]|星期|礼拜|小时|季度|世纪|学期|财年)"

_ENGLISH = re.compile(
    rf"(?<![a-z0-9-])(?:"
    rf"{_OWN}? ?{_BACKWARD}(?: (?P<back_noun>{_MADE}))?"
    rf"|{_OWN} (?:(?P<steps_noun>{_MADE}) )before last(?! (?:week|month|year|night))"
    rf"|(?:(?P<ago>{EN_NUMBER}|an?) (?P<ago_noun>versions?|drafts?|revisions?|iterations?|releases?|commits?|attempts?|tries"
    rf"|sessions?|meetings?|messages?)"
    rf" (?:ago|back|earlier|before))"
    rf"|{_OWN} (?P<twice_noun>{_MADE}) before (?:the (?:previous|prior)(?: {_MADE})?|the one before(?: (?:that|this))?)"
    rf"|{_OWN} (?P<prior_noun>{_MADE}) (?:right |just |immediately )?before(?: (?:that|this|it|the (?:last|latest|current"
    rf"|present)(?: one)?))?(?! (?:[0-9]|last\b|the\b|my\b|we\b|i\b|yesterday|today))"
    rf"|(?:{_OWN} )?(?:previous|prior|preceding|earlier) {_TALK}(?P<previous_noun>{_MADE})"
    rf"|(?:{_OWN} )(?:previous|prior|preceding) {_TALK}{_NAMED}(?P<previous_any>[a-z]+)"
    rf"|(?:{_OWN} )?(?:very )?(?:last|latest|most recent|newest|final) (?:[a-z]+ ){{0,1}}?(?P<last_noun>{_MADE})"
    rf"|(?:{_OWN} )?(?:very )?(?:latest|most recent|newest) {_NAMED}(?P<last_any>[a-z]+)|{_OWN} last {_NAMED}(?P<last_own>[a-z]+)"
    rf"|most recently|(?:did|have|had|do) (?:i|we|you|he|she|they) (?P<last_adverb>last)(?= [a-z])"
    rf"|(?:{_OWN} )?(?:very )?(?P<nth>{EN_ORDINAL})(?:-ever)? (?:ever )?(?:[a-z]+ ){{0,1}}?(?P<nth_noun>{_MADE})(?! (?:of"
    rf"|in) (?:january|march|may))"
    rf"|{_OWN} (?:very )?(?P<nth_own>{EN_ORDINAL}) {_NAMED}(?P<nth_any>[a-z]+)"
    rf"|(?:{_OWN} )?(?P<original>original|initial|earliest|oldest)(?: (?P<original_noun>[a-z]+))?"
    rf"|(?P<originally>originally|initially|at first|to begin with|in the (?:very )?beginning|first of all(?! the))"
    rf"|(?:did|have|had|do) (?:i|we|you|he|she|they) (?P<first_adverb>first)(?= [a-z])"
    rf")(?![a-z0-9-])"
)
_CHINESE = re.compile(
    rf"倒数第(?P<back>{ZH_NUMBER})(?P<back_noun>{_ZH_THING})?{_ZH_TIME}"
    rf"|上上(?P<upup_time>次|回)|上上一?(?P<upup>{_ZH_THING}){_ZH_TIME}|再上一?(?P<again>{_ZH_THING}){_ZH_TIME}"
    rf"|上(?:一)?(?P<last_time>次|回|场|趟|顿)(?![元级])|(?:最近|最后|最新)的?(?:那)?一?(?P<latest_noun>{_ZH_THING}){_ZH_TIME}"
    rf"|最新的?|最晚的?"
    rf"|上一?(?P<up>个版本|版|稿|轮|个|份|篇|条|封|张|家|位|任|款|件|项|首|单|笔|批){_ZH_TIME}(?![本来班末])"
    rf"|前一?(?P<prior>个版本|版|稿|次|轮|个|份|篇|条|封|任){_ZH_TIME}(?!人)|(?:之前|前面)的?那(?:一)?(?P<that>{_ZH_THING}){_ZH_TIME}"
    rf"|(?<![每])第(?P<nth>{ZH_NUMBER})(?P<nth_noun>{_ZH_THING}){_ZH_TIME}"
    rf"|(?P<first>最早的?|最初的?|最开始|一开始|起初|首次|首个|初版|初稿|原版|首版|最先)"
)


def order(text: str) -> Order | None:
    """Which of several things in the order of time `text` asks for, by the first words that say so; None when none do.

    In English and Chinese, folded or not. Words of the calendar ("last week", 上个月) and names ("second floor") are no orders.
    """
    start = max(0, len(text) - _LONGEST)
    folded, places = close_up(fold(text[start:]))
    matches = [match for form in (_ENGLISH, _CHINESE) if (match := form.search(folded))]
    if not matches:
        return None
    match = min(matches, key=lambda each: each.start())
    found = {name: value for name, value in match.groupdict().items() if value}
    kind, n = _english(found) if match.re is _ENGLISH else _chinese(found)
    noun = next((value for name, value in found.items() if name in _NOUNS), "")
    if n < 1 or n > 10_000:
        return None
    at, end = match.span()
    at += len(match.group()) - len(match.group().lstrip())
    at, end = start + places[at], start + places[end - 1] + 1
    return Order(kind=kind, n=n, noun=_counted(noun), words=text[at:end], at=at)


_NOUNS = frozenset(
    "twice_noun back_noun steps_noun ago_noun prior_noun previous_noun previous_any last_noun last_any last_own nth_noun nth_any "
    "original_noun upup_time upup again last_time latest_noun up prior that".split()
)


def _counted(noun: str) -> str:
    """What is counted, without what only counts: "version" of "versions", 版本 of 个版本, nothing of "one" and 个."""
    noun = noun.removeprefix("个")
    if noun.isascii() and noun.endswith("s") and not noun.endswith("ss"):
        noun = noun[:-1]
    return "" if noun in {"one", "个"} else noun


def _english(found: dict[str, str]) -> tuple[Kind, int]:
    if word := found.get("back") or found.get("back3"):
        return "nth_last", number(word)
    if "back2" in found or "steps_noun" in found:
        return "nth_last", 2
    if "twice_noun" in found:
        return "before", 2
    if "ago" in found:
        return "before", number(found["ago"])
    if found.keys() & {"prior_noun", "previous_noun", "previous_any"}:
        return "before", 1
    if word := found.get("nth") or found.get("nth_own"):
        return "nth", number(word)
    if found.keys() & {"original", "originally", "first_adverb"}:
        return "nth", 1
    return "nth_last", 1


def _chinese(found: dict[str, str]) -> tuple[Kind, int]:
    if "back" in found:
        return "nth_last", number(found["back"])
    if "upup_time" in found:
        return "nth_last", 2
    if found.keys() & {"upup", "again"}:
        return "before", 2
    if found.keys() & {"up", "prior", "that"}:
        return "before", 1
    if "nth" in found:
        return "nth", number(found["nth"])
    return ("nth", 1) if "first" in found else ("nth_last", 1)
