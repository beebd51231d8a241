"""The mean vectors of English and Chinese text under E5, and how much of them a text gives up.

They were taken from some 150 short sentences a language on very varied subjects (tests/unit/models holds them, and the check that these
means are theirs), so that no collection, and no order of arrival, has a say in where a text's vector lies.
"""

from __future__ import annotations

import re
from array import array
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FILE = "e5_means.bin"  # rows of 384 little-endian floats, English then Chinese: passages, queries, tokens of passages
# More of the mean helps English and costs Chinese; a question's own mean helps Chinese and costs English. These two cost neither.
SHARE = 0.85  # of the mean that is taken away
QUERY_SHARE = 0.3  # of a question's mean that comes from questions

Floats = NDArray[np.float32]

_HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_LETTER = re.compile(r"[^\W\d_]")
_LETTERS_A_CHARACTER = 3  # one of Han says about as much as three Latin letters


@cache
def _means() -> Floats:
    rows = array("f", Path(__file__).with_name(FILE).read_bytes())
    return np.frombuffer(rows, np.float32).reshape(6, -1)


def chinese_share(text: str) -> float:
    """How much of `text` is Chinese rather than English, 0 to 1, by its script; half of a text in any other script."""
    han, latin = len(_HAN.findall(text)), len(_LATIN.findall(text))
    other = len(_LETTER.findall(text)) - han - latin
    chinese, english = _LETTERS_A_CHARACTER * han + other / 2, latin + other / 2
    return chinese / (chinese + english) if chinese or english else 0.5


def passage_mean(text: str) -> Floats:
    """What to take away from the vector of a kept text."""
    return np.multiply(_between(0, text), SHARE, dtype=np.float32)


def query_mean(text: str) -> Floats:
    """What to take away from the vector of a question."""
    mixed = (1 - QUERY_SHARE) * _between(0, text) + QUERY_SHARE * _between(2, text)
    return np.multiply(mixed, SHARE, dtype=np.float32)


def token_mean(text: str) -> Floats:
    """What to take away from the vector of each token of `text`."""
    return _between(4, text)


def _between(row: int, text: str) -> Floats:
    means, chinese = _means(), chinese_share(text)
    return np.multiply(means[row], 1 - chinese, dtype=np.float32) + np.multiply(means[row + 1], chinese, dtype=np.float32)
