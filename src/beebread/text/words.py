"""Folded text taken apart into search terms and into precise things: codes, numbers, addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from operator import add
from typing import Any, NamedTuple

from snowballstemmer.english_stemmer import EnglishStemmer

from beebread.text.fold import fold

MAX_ENTITIES = 64
"""Precise things kept of one text, the first ones."""
LONGEST = 256
"""Characters of the longest code that is a term of its own; the parts of a longer one still are."""
_LONGEST_STEMMED = 40
_MAX_HUMPED = 1000

# Scripts written without spaces, and Hangul, whose particles stick to the word: one run of them is cut into characters and pairs.
DENSE = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_SIGNS = "\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
# Indic vowel signs and other marks that a word is not to be cut at.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0900-\u0963\u0966-\u0dff\ufdfa"
# Every repetition is possessive: no text makes the search go back, so its time is linear in the length.
_TOKEN = re.compile(
    rf"([{DENSE}]++)|("
    r"(?:c\+\+|[cf]\#)(?![a-z0-9+#])"
    r"|[0-9]{1,3}+(?:,[0-9]{3})++(?![0-9,])"
    r"|[a-z0-9]++(?:(?:[._/\\@:+\-]{1,2}+|'(?=(?:s|t|re|ve|ll|d|m)(?![a-z0-9])))[a-z0-9]++)*+(?:://[a-z0-9._~:/?#@!$&+,;=%\-]++)?+"
    r"|\#[0-9]++"
    rf"|(?:[^\W_a-z0-9{DENSE}]|[{_MARKS}])++"
    rf"|[\U0001f1e6-\U0001f1ff]{{2}}|[{_SIGNS}])"
)
_DENSE_SIGN = re.compile(f"[{DENSE}]")
_SPACED_LETTER = re.compile(rf"[^\W\d_{DENSE}]")
_PARTS = re.compile(r"[a-z0-9]+")
_STUCK = re.compile(r"([a-z]{2,})([0-9]+)|([0-9]+)([a-z]{2,})")
_OWNING = re.compile(r"'(?:s|re|ve|ll|d|m)(?![a-z0-9])")
# A code, not prose: joined by a sign that prose does not use, by a dot between letters, or holding a digit.
_CODE = re.compile(
    r"[_\\@]|::|/.*[./]|[a-z]{2}\.[a-z]|[a-z]\.[a-z]{2}"
    r"|[0-9].*[._/:+\-]|[._/:+\-].*[0-9]|(?=.{4})(?:[a-z]+[0-9]|[0-9]+[a-z]|[0-9]{4})"
)
_DIGITS_APART = re.compile(r"[0-9]+(?:[.\-/][0-9]+)+")
_TITLE = re.compile(r"[《「『“]([^《》「」『』“”\n]{2,32})[》」』”]")
_HUMP = re.compile(r"[A-Z](?:(?<=[a-z].)|[A-Z][a-z])")  # begins with what is rare, which is looked for fastest
_LETTERS = re.compile(r"[A-Za-z]{4,}")
_HUMPS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


class Parts(NamedTuple):
    """What one token of folded text gives: search terms, and the precise things among them."""

    terms: tuple[str, ...]
    precise: tuple[str, ...]


@lru_cache(maxsize=1 << 15)
def _stem(word: str) -> str:
    # A new stemmer for each miss: it keeps state while it works, and this is called from several threads.
    stemmer: Any = EnglishStemmer()
    return str(stemmer.stemWord(word))


def _part(part: str) -> tuple[str, ...]:
    if len(part) > _LONGEST_STEMMED:
        return (part[:LONGEST],)
    if part.isalpha():
        return (_stem(part),)
    stuck = _STUCK.fullmatch(part)
    if stuck is not None:
        return (part, *(_stem(piece) for piece in stuck.groups() if piece))
    return (part,)


def _precise(code: str) -> tuple[str, ...]:
    if _CODE.search(code) is None:
        return ()
    if _DIGITS_APART.fullmatch(code) is not None:
        digits = "".join(char for char in code if char.isdigit())
        if len(digits) >= 7:  # a telephone number or a date, whatever it is grouped by
            return (code, digits)
    return (code,)


def _take_apart(token: str) -> Parts:
    if not token.isascii():
        return Parts((token,), ())
    if token[0] == "#":
        return Parts((token[1:], token), (token,))
    if token in {"c++", "c#", "f#"}:
        return Parts((token,), (token,))
    token = token.rstrip(".,;:!?&-+~'")
    if "," in token and "://" not in token:
        token = token.replace(",", "")
    if "'" in token:
        token = _OWNING.sub("", token).replace("'", "")
    parts = _PARTS.findall(token)
    if len(token) > LONGEST:  # a blob, say base64: nothing in it is English
        return Parts(tuple(part[:LONGEST] for part in parts), ())
    terms = tuple(term for part in parts for term in _part(part))
    return Parts((token, *terms) if len(parts) > 1 else terms, _precise(token))


_take_apart_cached = lru_cache(maxsize=1 << 15)(_take_apart)


def is_dense(text: str) -> bool:
    """Whether most of what `text` says is in a script without spaces, such as Chinese; a sign of one says as much as three letters."""
    return 3 * len(_DENSE_SIGN.findall(text)) > len(_SPACED_LETTER.findall(text))


def take_apart(token: str) -> Parts:
    """The terms of a token that is not a dense run; the short ones, which come again and again, from a cache."""
    return _take_apart_cached(token) if len(token) <= 32 else _take_apart(token)


def tokens(folded: str) -> list[tuple[str, str]]:
    """The tokens of folded text in order, each as (run of a dense script, "") or ("", anything else)."""
    return _TOKEN.findall(folded)


@lru_cache(maxsize=1 << 12)
def _humps(word: str) -> tuple[str, ...]:
    pieces = _HUMPS.findall(word)
    if len(pieces) < 2 or (len(pieces[0]) == 1 and pieces[0].islower()):  # iPhone and eBay are words
        return ()
    return tuple(_stem(piece.lower()) for piece in pieces if len(piece) > 1)


def humps(text: str) -> list[str]:
    """The words inside names such as getUserName, of text that is not folded yet; of the first thousand such names."""
    if _HUMP.search(text) is None:
        return []
    names = (name for name in _LETTERS.findall(text) if _HUMP.search(name) is not None and len(name) <= LONGEST)
    return [word for name in islice(names, _MAX_HUMPED) for word in _humps(name)]


def pairs(run: str) -> Iterator[str]:
    """Every two neighbouring characters of a run."""
    return map(add, run, run[1:])


def titles(folded: str) -> list[str]:
    """Names in typographic quotation marks: 《三体》, “Solaris”; up to 32 characters."""
    return [title.strip() for title in _TITLE.findall(folded)]


def words(text: str) -> list[str]:
    """The search terms of a text in order, repeats kept, in folded form.

    English words are stemmed; words of other spaced scripts stay whole; a run of Han, Kana, Hangul, Thai and the like gives
    every character and every two neighbours; a code (ORD-2024_001, src/foo/bar.py, 3.11.7, a@b.cn, getUserName) gives itself
    and its parts; each emoji is a term. Punctuation gives none. Linear in the length.
    """
    folded = fold(text)
    found: list[str] = []
    for run, token in tokens(folded):
        if run:
            found.extend(run)
            found.extend(pairs(run))
        else:
            found.extend(take_apart(token).terms)
    found.extend(humps(text))
    return found


def precise(folded: str, parts: list[Parts]) -> list[str]:
    """The precise things of a folded text whose tokens were taken apart, each once, at most MAX_ENTITIES."""
    found = dict.fromkeys(thing for part in parts for thing in part.precise)
    found.update(dict.fromkeys(titles(folded)))
    return list(found)[:MAX_ENTITIES]


def entities(text: str) -> list[str]:
    """What a text names precisely and a reader would look up letter by letter, in folded form, each once.

    Ids, order numbers, codes, e-mail addresses, URLs, paths and file names, hashes, versions, numbers of four digits and more
    (also without their separators), #123, and titles in quotation marks. At most MAX_ENTITIES: titles last, else in order.
    """
    folded = fold(text)
    return precise(folded, [take_apart(token) for run, token in tokens(folded) if not run])
