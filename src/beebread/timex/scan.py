"""Finds the single time words of a text: one pass over it with every rule of every language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from beebread.timex import chinese, english, numeric
from beebread.timex.calendars import Beyond
from beebread.timex.marks import Present, Rule, Token

_BEFORE = 20  # characters before a weak word that may support it

# Every form has the length of what it stands for, so that offsets hold: full-width signs, capitals, traditional characters of time words.
_TRADITIONAL = "週禮點後個時號鐘鍾現剛這兩幾過從間節國慶聖誕勞動陽開裡裏淩內將數萬當來為農曆閏臘歲親兒婦師復雙陣頭條場輪張篇項們紀會還"
_SIMPLIFIED = "周礼点后个时号钟钟现刚这两几过从间节国庆圣诞劳动阳开里里凌内将数万当来为农历闰腊岁亲儿妇师复双阵头条场轮张篇项们纪会还"
_FORMS = (
    {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F)}
    | {c + shift: c + 32 for c in range(ord("A"), ord("Z") + 1) for shift in (0, 0xFEE0)}
    | str.maketrans("’‘〜–—", "''~--")
    | dict.fromkeys(map(ord, "\t\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"), " ")
    | str.maketrans(_TRADITIONAL, _SIMPLIFIED)
)


def fold(text: str) -> str:
    """`text` in small letters, half-width signs and simplified characters, as far as time words need, each character in its place."""
    return text.translate(_FORMS)


_HAN = "[\u3007\u3400-\u9fff]"
_SPACED = re.compile(rf"(?<=[0-9]) +(?={_HAN})|(?<={_HAN}) +(?=[0-9])")


def close_up(text: str) -> tuple[str, Sequence[int]]:
    """A folded text without the spaces between digits and Chinese (2025 年 8 月), and where each character of it, and its end, stood."""
    kept, places, at = list[str](), list[int](), 0
    for gap in _SPACED.finditer(text):
        kept.append(text[at : gap.start()])
        places.extend(range(at, gap.start()))
        at = gap.end()
    if not kept:
        return text, range(len(text) + 1)
    return "".join([*kept, text[at:]]), [*places, *range(at, len(text) + 1)]


_BOUNDS = (
    (numeric.RULES, r"(?<![a-z0-9_./:-])(?:", r")(?![a-z0-9_])"),
    (english.RULES, r"(?<![a-z0-9_.])(?:", r")(?![a-z0-9_])"),
    (chinese.RULES, r"(?<![0-9.])(?:", r")"),
)
_RULES: tuple[tuple[Rule, str], ...] = tuple((rule, f"{left}{rule.pattern}{right}") for rules, left, right in _BOUNDS for rule in rules)
_HANZI = "".join(sorted({c for rule in chinese.RULES for c in rule.pattern if c > "\u2fff"}))
# Where a time word may begin, and by what: the first letters of a word, a digit, a character that some rule has.
_HEAD = re.compile(rf"(?<![a-z0-9_.])['a-z][a-z]{{0,2}}|[0-9]|[{_HANZI}]")


@lru_cache(maxsize=4096)
def _candidates(head: str) -> tuple[int, ...]:
    """The rules that a word with this head can obey: those that spell it. (No rule makes any of its first three letters optional.)"""
    if head.isdigit():
        return tuple(i for i, (rule, _) in enumerate(_RULES) if head in rule.pattern or "[0-9" in rule.pattern or "[0-" in rule.pattern)
    return tuple(i for i, (rule, _) in enumerate(_RULES) if head in rule.pattern)


@cache
def _compiled(i: int) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    rule, pattern = _RULES[i]
    return re.compile(pattern), re.compile(rule.weak) if rule.weak else None


def scan(text: str, now: Present) -> list[Token]:
    """The time words of a folded text, in its order; a word that leads outside the years of records is none."""
    found: list[Token] = []
    at = 0
    while head := _HEAD.search(text, at):
        at = head.start()
        match, token = _match(text, at, head.group(), now)
        if token is not None:
            found.append(token)
        at = match.end() if match else at + 1
    return found


def _match(text: str, at: int, head: str, now: Present) -> tuple[re.Match[str] | None, Token | None]:
    """The first rule that the word at `at` obeys, and what it makes of it."""
    for i in _candidates(head):
        pattern, support = _compiled(i)
        match = pattern.match(text, at)
        if match is not None:
            try:
                mark = _RULES[i][0].build(now, [word or "" for word in match.groups()])
            except Beyond:
                mark = None
            if mark is None:
                return match, None
            weak = support is not None and support.search(text[max(0, at - _BEFORE) : at]) is None
            return match, Token(at, match.end(), mark, weak)
    return None, None
