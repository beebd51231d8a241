"""The fence around remembered text: what marks it as data for a model, and what tells us later that these words are our own."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

TAG = "beebread-memory"

_LETTERS = str.maketrans({"<": "＜", ">": "＞", '"': "'", "\n": " ", "\r": " "})
# Quotes may come back escaped: harnesses put a fence inside JSON.
_OPEN = re.compile(rf'<{TAG} hash=\\?"([0-9a-f]{{16}})\\?"[^<>]{{0,1000}}>')
_CLOSE = f"</{TAG}>"


def _disguised(letter: str) -> str:
    """A pattern for one letter of the tag in half or full width, with invisible characters after it."""
    wide = chr(ord(letter) + 0xFEE0)
    signs = "-‐‑‒–—－" if letter == "-" else f"{letter}{letter.upper()}{wide}{wide.upper()}"
    return f"[{re.escape(signs)}][\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*"


# Remembered text may try to close its fence, or open another, in any spelling that a model would still read as the tag.
_FORGED = re.compile(f"[<＜‹〈﹤](?=[\\s/／⁄\\\\\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*{''.join(map(_disguised, TAG))})")


class Fence(NamedTuple):
    """One fenced stretch of a text: where it stands, tags included, what is inside, and whether that is unchanged since it was fenced."""

    start: int
    end: int
    inside: str
    intact: bool


def _hash(text: str) -> str:
    # White space is left out of account: frameworks re-wrap and trim what they carry.
    return blake2b(" ".join(text.split()).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def fence(text: str, note: str = "") -> str:
    """`text` as data between two tags with its hash; `note` says to the model what it is.

    Whatever looks like one of these tags inside `text` is escaped, so that no content can end its fence.
    """
    inside = _FORGED.sub("&lt;", text)
    said = f' note="{note.translate(_LETTERS)}"' if note else ""
    return f'<{TAG} hash="{_hash(inside)}"{said}>\n{inside}\n{_CLOSE}'


def find_fences(text: str) -> list[Fence]:
    """The fenced stretches of `text`, in order. One that was cut off before its end reaches to the end of the text."""
    found: list[Fence] = []
    at = 0
    while opening := _OPEN.search(text, at):
        closing = text.find(_CLOSE, opening.end())
        at = closing + len(_CLOSE) if closing >= 0 else len(text)
        inside = text[opening.end() : closing if closing >= 0 else at].strip("\n")
        found.append(Fence(opening.start(), at, inside, closing >= 0 and _hash(inside) == opening[1]))
    return found


def unfenced(text: str) -> str:
    """`text` without its fenced stretches; unchanged when there are none."""
    fences = find_fences(text)
    if not fences:
        return text
    starts = [0, *(found.end for found in fences)]
    ends = [*(found.start for found in fences), len(text)]
    kept = (text[start:end].strip() for start, end in zip(starts, ends, strict=True))
    return "\n".join(part for part in kept if part)
