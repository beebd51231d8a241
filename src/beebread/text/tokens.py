"""Offline token counts that are never below those of two public tokenizers, and text cut to a number of tokens.

Both tokenizers (cl100k_base and o200k_base) cut a text into pieces by a pattern and merge the bytes of a piece, best pair first,
until no two neighbours join to a token. So in the end no two neighbours form a token together, and the largest number of parts
that a piece can be cut into under that rule bounds its count without the ranks of either vocabulary: the tokens they have in
common (tokens.z) are enough. A piece that is such a token counts one; most are.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Container
from functools import lru_cache
from importlib import resources
from itertools import accumulate, pairwise
from unicodedata import category

_NEWLINE = r"\r\n"
_SPACE = "\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_ASCII_SIGN = r"\0-\x08\x0e-\x1f!-/:-@\[-`{-\x7f"
# East Asian characters but for their numerals: counted one at a time, as no token takes in parts of two at a higher cost than whole ones.
_DENSE = (
    "\u2e80-\u2fff\u3001-\u3006\u3008-\u3020\u3030-\u3037\u303b-\u3098\u309b-\u3191\u3196-\u321f\u322a-\u3247\u3250\u3260-\u327f\u328a-\u32b0"
    "\u32c0-\ua4cf\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff0f\uff1a-\uffef\U00020000-\U0003ffff"
)
# Marks, and scripts full of them: letters to one of the tokenizers, signs to the other.
_MARK = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0700-\u109f\u135d-\u135f\u1700-\u1cff\u1dc0-\u1dff"
    "\u20d0-\u20ff\u2cef-\u2cf1\u2d7f\u2de0-\u2dff\u302a-\u302f\u3099\u309a\ua66f-\ua67d\ua69e\ua69f\ua6f0\ua6f1\ua800-\ua95f\ua980-\uabff\ufb1e"
    "\ufe00-\ufe0f\ufe20-\ufe2f\U000101fd-\U00011fff\U00016af0-\U00016fff\U0001bc9d\U0001bc9e\U0001cf00-\U0001cfff\U0001d165-\U0001d244"
    "\U0001da00-\U0001daaf\U0001e000-\U0001e94a\U000e0100-\U000e01ef"
)
_LETTER = rf"[^\W0-9_{_DENSE}{_MARK}]"  # and numerals of other scripts
_SIGN = rf"(?![{_SPACE}{_MARK}])[\W_]"
_LONE_SIGN = rf"[^\w\0-\x7f{_SPACE}{_DENSE}{_MARK}](?!{_SIGN})"  # of another script; it may belong to the word around it
_WORD = rf"(?:{_LETTER}+|[{_MARK}]+|{_LONE_SIGN})+"
_AFTER_SIGN = r"(?<=[^\w\0-\x7f])"
_NOT_AFTER_SIGN = r"(?<![^\w\0-\x7f])"
_CONTRACTION = r"'(?:[sStTmMdD]|[rRvV][eE]|[lL][lL])"
_LINE_END = (
    rf"[{_NEWLINE}]+(?:/(?:[{_NEWLINE}]|{_SIGN})*(?:{_WORD})?)?"  # a run of signs takes the line ends after it, and slashes after those
)
_PIECE = (
    r" ?[A-Za-z]++(?![^\0-\x7f]|')"  # most pieces; the words below would say the same
    r"|[A-Za-z0-9+/=_\-]{1024,}"  # a blob
    rf"|(?: (?:{_SIGN})+|(?:{_SIGN}){{2,}})(?:{_LINE_END})?"
    rf"|{_NOT_AFTER_SIGN}{_CONTRACTION}(?!{_LETTER}|[{_MARK}])"
    rf"|(?<![^\0-\x7f{_DENSE}])[0-9]{{1,3}}|[0-9]"  # a digit after a numeral of another script may belong to that
    rf"| ?高认"  # the one pair of Han whose second takes a byte of the first
    rf"| ?[{_DENSE}](?:{_AFTER_SIGN}{_LINE_END}|[{_MARK}\u0900-\u1fff\ud000-\ud7ff])?"
    rf"|(?:{_NOT_AFTER_SIGN}[{_ASCII_SIGN}]|[{_SPACE}](?<![{_NEWLINE}]))?{_WORD}(?:{_AFTER_SIGN}{_LINE_END}|{_CONTRACTION})?"
    rf"|{_SIGN}(?:{_LINE_END})?"
    rf"|[{_SPACE}]*[{_NEWLINE}]+|[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]+"
)
_APOSTROPHE = re.compile(_CONTRACTION)
_SLASHES = re.compile(rf"[{_NEWLINE}]/")
_SLASHES_BREAK = re.compile(rf"(?<=[{_NEWLINE}])(?![{_NEWLINE}])|(?<=/)(?![/{_NEWLINE}])|(?<=[{_ASCII_SIGN}])(?=[^\W\d_])")
# What belongs to the character before it: marks, joiners, variation selectors, skin tones, tags.
_ATTACHED = re.compile("[\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef]")
_FLAGS = "".join(map(chr, range(0x1F1E6, 0x1F200)))  # two make a flag

# Longest part, in bytes, whose joining with a neighbour is looked up; a longer one is taken to join with nothing.
_CLOSE = 4
_CLOSE_SIGNS = 12  # rules such as ---------- are many times longer than a word
_LONGEST_BOUNDED = 256  # bytes of the longest piece worth a closer look than one token a byte
_LONGEST_KEPT = 96
_LONGEST_WHOLE = 24  # characters of a piece that is cut off rather than in two
_MOST_KEPT = 1 << 16
_LONGEST_JOINED = 64


# One tokenizer cuts a contraction off, the other joins it to its word. After these words it is one token more in both.
_CONTRACTED = frozenset(
    "i you he she it we they that this what who where when how why there here let one don can won isn aren wasn weren hasn haven hadn "
    "doesn didn couldn wouldn shouldn mustn ain".split()
)


class _Counts(dict[str, int]):
    """Tokens of each piece seen; a new one is bounded once and kept while there is room."""

    def __init__(self, known: frozenset[str]) -> None:
        super().__init__()
        self._known = known

    def __missing__(self, piece: str) -> int:
        count = self._count(piece)
        if len(piece) <= _LONGEST_KEPT and len(self) < _MOST_KEPT:
            self[piece] = count
        return count

    def _count(self, piece: str) -> int:
        word, apostrophe, ending = piece.partition("'")
        if ending and word.lstrip(" ").lower() in _CONTRACTED:
            return self[word] + self[apostrophe + ending]
        as_bytes = piece if piece.isascii() else piece.encode(errors="replace").decode("latin-1")
        if len(as_bytes) > _LONGEST_BOUNDED:
            return len(as_bytes)
        breaks = _breaks(piece)
        return 1 if not breaks and as_bytes in self._known else _most_parts(as_bytes, breaks, self._known)


@lru_cache(maxsize=1)
def _tokenizing() -> tuple[re.Pattern[str], _Counts]:
    # Both take a moment to make, which a program that counts no tokens need not wait for.
    packed = resources.files("beebread.text").joinpath("tokens.z").read_bytes()
    return re.compile(_PIECE), _Counts(frozenset(zlib.decompress(packed).decode("latin-1").split("\xff")))


def estimate_tokens(text: str) -> int:
    """Tokens of `text`, counted without a model: at least as many as cl100k_base and o200k_base give.

    On ordinary Chinese, English, code and JSON a few per cent more (docs/decisions/0008-text.md says how many). What a chat
    API adds around a message is not counted.
    """
    piece, counts = _tokenizing()
    return sum(map(counts.__getitem__, piece.findall(text)))


def truncate_tokens(text: str, limit: int) -> str:
    """The longest beginning of `text`, cut between pieces of its tokenizing, whose `estimate_tokens` is at most `limit`.

    Never cut inside a character as a reader sees it (a letter with its accents, a joined emoji) of up to 64 code points; a
    single piece longer than the limit, such as a run of one letter, is cut inside. A limit of 0 or less gives "".
    """
    piece, counts = _tokenizing()
    ends = [0]
    total = 0
    for match in piece.finditer(text):
        count = counts[match[0]]
        total += count
        if total > limit:
            ends.append(_inside(text, match.start(), match.end(), limit - total + count))
            break
        ends.append(match.end())
    else:
        return text
    for end in reversed(ends):
        cut = text[: _whole(text, end)]
        if estimate_tokens(cut) <= limit:
            return cut
    return ""


def _inside(text: str, start: int, end: int, limit: int) -> int:
    """Where to cut a long piece; any beginning of n bytes has at most n tokens."""
    if end - start <= _LONGEST_WHOLE:
        return start
    sizes = accumulate(len(char.encode(errors="replace")) for char in text[start:end])
    return start + sum(1 for size in sizes if size <= limit)


def _whole(text: str, end: int) -> int:
    """The last place at or before `end` that is not inside what a reader takes for one character."""
    for whole in range(end, max(0, end - _LONGEST_JOINED), -1):
        if whole == len(text) or not _joined(text, whole):
            return whole
    return end if end > _LONGEST_JOINED else 0


def _joined(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at]
    if before == "\u200d" or _ATTACHED.match(after) or category(after)[0] == "M" or (before == "\r" and after == "\n"):
        return True
    if before not in _FLAGS or after not in _FLAGS:
        return False
    before_them = len(text[max(0, at - _LONGEST_JOINED) : at].rstrip(_FLAGS))
    return (min(at, _LONGEST_JOINED) - before_them) % 2 == 1


def _breaks(piece: str) -> frozenset[int]:
    """Byte positions where one of the tokenizers may begin a new piece: between neighbours there anything may stand."""
    found: set[int] = set()
    for match in _APOSTROPHE.finditer(piece):
        found.update(match.span())
    if _SLASHES.search(piece) is not None:
        found.update(match.start() for match in _SLASHES_BREAK.finditer(piece))
    if piece.isascii():
        found |= {at for at, (one, two) in enumerate(pairwise(piece), 1) if two.isupper() and one.islower()}
        return frozenset(found)
    found |= {at for at, (one, two) in enumerate(pairwise(piece), 1) if _may_break(piece, at, one, two)}
    starts = [0, *accumulate(len(char.encode(errors="replace")) for char in piece)]
    return frozenset(starts[at] for at in found)


def _may_break(piece: str, at: int, one: str, two: str) -> bool:
    if one.isalpha() and two.isalpha():
        return two.isupper() and not one.isupper()
    if one.isnumeric() or two.isnumeric():
        return True
    if two.isalpha():  # a single sign belongs to the letters after it, but for one that ends a run of signs
        return not one.isascii() if at == 1 else not piece[at - 2].isalpha()
    if at == 1 and one.isascii():  # a space or sign before a sign
        return one.isspace() and one != " "
    return one.isalpha() or category(one)[0] == "M" or category(two)[0] == "M"


def _most_parts(text: str, breaks: Container[int], known: Container[str]) -> int:
    """The largest number of parts of `text` of which no two neighbours, but at `breaks`, join to a known token.

    Parts longer than `close` are taken to join with nothing, which can only raise the number: a very long one counts as
    several of up to twice that length. Linear in the length.
    """
    close = _CLOSE if len(text) > _LONGEST_KEPT or any(map(str.isalnum, text)) else _CLOSE_SIGNS
    most = [0]  # of the text up to here
    long: list[int] = [0]  # the same, if the last part is longer than `close`
    short: list[list[int]] = [[]]  # the same, if the last part has 1, 2, ... bytes
    for end in range(1, len(text) + 1):
        wide = max(most[max(0, end - 2 * close - 1) : max(0, end - close)], default=-1) + 1
        counts: list[int] = []
        for start in range(end - 1, max(-1, end - 1 - close), -1):
            best = most[start] if start == 0 or start in breaks else long[start]
            for size, count in enumerate(short[start], 1):
                if count > best and text[start - size : end] not in known:
                    best = count
            counts.append(best + 1 if best or start == 0 else 0)
        long.append(wide)
        short.append(counts)
        most.append(max(wide, *counts))
    return most[-1]
