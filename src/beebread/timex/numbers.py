"""Numbers and counts as people write them, in digits, English words and Chinese characters."""

from __future__ import annotations

import re

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth"
).split()
_WORDS = (
    {word: n for n, word in enumerate(_ONES)}
    | _TENS
    | {f"{ten}{gap}{one}": n + m for ten, n in _TENS.items() for m, one in enumerate(_ONES[:10]) if m for gap in "- "}
    | {word: n for n, word in enumerate(_ORDINALS)}
    | {f"twenty{gap}{one}": 20 + m for m, one in enumerate(_ORDINALS[:10]) if m for gap in "- "}
    | {"thirtieth": 30, "thirty-first": 31, "thirty first": 31, "a": 1, "an": 1}
)
_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2, "仨": 3}
_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10000}

EN_NUMBER = (
    rf"(?:[0-9]{{1,7}}|(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES[1:10])}))?|{'|'.join(sorted(_ONES[1:], key=len, reverse=True))})"
)
EN_ORDINAL = (
    rf"(?:[0-9]{{1,3}}(?:st|nd|rd|th)|twenty[- ](?:{'|'.join(_ORDINALS[1:10])})|thirty[- ]first|thirtieth|"
    rf"{'|'.join(sorted(_ORDINALS[1:], key=len, reverse=True))})"
)
EN_COUNT = (
    rf"(?:half an?|a couple(?: of)?|couple of|an?|a few|few|several|some|many|{EN_NUMBER}(?:\.[0-9])?(?: and a half)?"
    rf"(?: ?(?:-|–|to|or) ?{EN_NUMBER})?)"
)
ZH_NUMBER = r"(?:[0-9]{1,7}|[零〇一二两俩仨三四五六七八九十百廿卅千万]{1,9})"
ZH_COUNT = rf"(?:半|好?几十|好?几|数十|数|好多|多|若干|{ZH_NUMBER}(?:\.[0-9])?(?:[到至~-]{ZH_NUMBER})?[多来几]?)"

_VAGUE: dict[str, tuple[float, float, float]] = {
    "a couple": (2, 3, 0.6), "some": (2, 6, 0.5), "few": (2, 6, 0.5), "several": (3, 7, 0.5), "many": (3, 20, 0.4),
    "几": (2, 6, 0.5), "好几": (3, 9, 0.5), "数": (2, 6, 0.5), "几十": (20, 90, 0.4), "好几十": (20, 90, 0.4), "数十": (20, 90, 0.4),
    "好多": (3, 20, 0.4), "多": (3, 20, 0.4), "若干": (2, 9, 0.4), "半": (0.5, 0.5, 0.8), "half a": (0.5, 0.5, 0.8),
}  # fmt: skip
_ALIASES = {"a couple of": "a couple", "couple of": "a couple", "a few": "few", "half an": "half a", "": "few"}
_RANGE = re.compile(r" ?(?:-|–|~|到|至|\bto\b|\bor\b) ?")
_PAIR = re.compile(r"([一二两三四五六七八])([二三四五六七八九])")


def number(text: str) -> int:
    """The number that `text` writes: digits, English ("twenty-three", "third", "5th") or Chinese (二十三, 廿三); else ValueError."""
    if text in _WORDS:
        return _WORDS[text]
    if digits := re.match(r"[0-9]+", text):
        return int(digits.group())
    text = text.replace("廿", "二十").replace("卅", "三十")
    if not text or any(c not in _DIGITS and c not in _SCALES for c in text):
        raise ValueError(text)
    if all(c in _DIGITS for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total, digit = 0, None
    for c in text:
        if c in _SCALES:
            total = (
                (total + digit if digit else max(total, 1)) * 10000 if c == "万" else total + (1 if digit is None else digit) * _SCALES[c]
            )
            digit = None
        else:
            digit = _DIGITS[c]
    return total + (digit or 0)


def count(text: str) -> tuple[float, float, float]:
    """How many `text` says: at least, at most, how sure. "two" is (2, 2, 0.8), "a few" (2, 6, 0.5), 两三 (2, 3, 0.7)."""
    text = _ALIASES.get(text, text)
    if text in _VAGUE:
        return _VAGUE[text]
    if len(ends := _RANGE.split(text)) == 2:
        few, many = sorted(map(number, ends))
        return few, many, 0.7
    if pair := _PAIR.fullmatch(text):
        few, many = (_DIGITS[c] for c in pair.groups())
        return (few, many, 0.7) if few < many else (few, few, 0.8)
    if text[-1] in "多来几" and len(text) > 1:
        n = number(text[:-1])
        return n, n + (9 if n % 10 == 0 else 0), 0.6
    half = 0.5 if text.endswith(" and a half") else 0.0
    text = text.removesuffix(" and a half")
    whole, _, tenth = text.partition(".")
    n = number(whole) + int(tenth or 0) / 10 + half
    return n, n, 0.8
