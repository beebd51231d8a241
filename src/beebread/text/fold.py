"""Text made storable (clean) and text made comparable (fold)."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from unicodedata import normalize

_UNSTORABLE = re.compile("[\ud800-\udfff\0]")
_ENCODING = "utf-16-le"

# What folding has to look at closely: everything but ASCII, common Han and Chinese punctuation. A run is cut at 512 characters
# because Unicode normalising takes time in the square of a run of combining marks.
_UNCOMMON = re.compile("[^\0-\x7f\u3001-\u3011\u3400-\u4dbf\u4e00-\u9fff\u201c\u201d]{1,512}")
# NFKC turns this one sign into eighteen letters; left as it is, folding grows a text at most eightfold and hardly ever at all.
_LONG = "\ufdfa"
# Letters that NFD cannot take apart, digits of other scripts, typographic apostrophes.
_LETTERS = dict(zip("øłđħıæœð", ("o", "l", "d", "h", "i", "ae", "oe", "d"), strict=True))
_DIGITS = dict(zip("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹‘’ʼ", "01234567890123456789'''", strict=True))
# Written, but not part of a word: accents on Latin and Greek letters, vowel points of Hebrew and Arabic.
_ACCENTED = re.compile("[\u00c0-\u024f\u0300-\u036f\u0370-\u03ff\u1e00-\u1fff]")
_ACCENTS = re.compile("[\u0300-\u036f](?<=[a-zα-ωøłđħıæœð].)[\u0300-\u036f]*")
# Soft hyphen, joiners, direction marks, variation selectors, skin tones, tatweel and points.
_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7\u0640\u064b-\u0652\u0670\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff\U000e0000-\U000e01ef]+"
)


def traditional() -> dict[str, str]:
    """Traditional characters and the simplified ones that stand for them in search."""
    lines = resources.files("beebread.text").joinpath("traditional.txt").read_text(encoding="utf-8").splitlines()
    pairs = "".join(line for line in lines if not line.startswith("#"))
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


_SAME = traditional() | _LETTERS | _DIGITS
_FOLDED = re.compile(f"[{''.join(_SAME)}]+")
_SAME_TABLE = str.maketrans(_SAME)


def clean(text: str) -> str:
    """`text` as every engine and codec can store it; any str is accepted, and cleaning twice changes nothing more.

    NUL is dropped (PostgreSQL refuses it, C strings end at it). Two surrogates that form a pair become the character they
    stand for; a lone surrogate, which no UTF-8 can hold, becomes U+FFFD. Nothing else is changed.
    """
    if text.isascii():
        return text.replace("\0", "")
    if _UNSTORABLE.search(text) is None:
        return text
    return text.replace("\0", "").encode(_ENCODING, "surrogatepass").decode(_ENCODING, "replace")


def fold(text: str) -> str:
    """The form in which two spellings of one thing are equal: the form of terms, never shown to a reader.

    Letter case, full and half width, compatibility forms (NFKC), traditional and simplified Chinese (character by character),
    accents of Latin and Greek letters (José, jose), vowel points, digits of Arabic script and invisible characters are
    evened out. Linear in time and size; folding twice changes nothing more.
    """
    if text.isascii():
        return text.replace("\0", "").lower()
    folded = _ACCENTS.sub("", _UNCOMMON.sub(_fold_match, clean(text)).lower())
    return _FOLDED.sub(_simplify_match, folded)


def _compatible(run: str) -> str:
    return normalize("NFKC", run) if _LONG not in run else _LONG.join(normalize("NFKC", part) for part in run.split(_LONG))


@lru_cache(maxsize=1 << 12)
def _fold_run(run: str) -> str:
    folded = _compatible(_UNSEEN.sub("", _compatible(run)).casefold())
    return folded if _ACCENTED.search(folded) is None else normalize("NFC", _ACCENTS.sub("", normalize("NFD", folded)))


def _fold_match(match: re.Match[str]) -> str:
    run = match[0]
    return _fold_run(run) if len(run) <= 32 else _fold_run.__wrapped__(run)


def _simplify_match(match: re.Match[str]) -> str:
    run = match[0]
    return _SAME[run] if len(run) == 1 else run.translate(_SAME_TABLE)
