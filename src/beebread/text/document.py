"""What the keyword and exact channels know of a text: a document's terms, and a query's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from beebread.text.fold import fold
from beebread.text.stopwords import CHINESE, ENGLISH
from beebread.text.words import Parts, entities, humps, pairs, precise, take_apart, tokens

ANALYSIS = 1
"""Counts up whenever `document` gives other terms for the same text: what was indexed by earlier rules is then indexed anew."""
MAX_QUERY_TERMS = 128
"""Keyword terms asked for one query; of a longer one the first and the last, where a question stands."""
_ENTITY = "="
_KEY = "@"


class Document(msgspec.Struct, frozen=True):
    """The terms of one text with how often each occurs, and its length in words, as BM25 takes them."""

    terms: dict[str, int]
    length: int


def document(text: str, keys: Iterable[str] = ()) -> Document:
    """The index entry of a text.

    `terms` holds the words of the text, its entities behind "=" and the caller's `keys` behind "@": signs that no word begins
    with, so `query_terms` and `exact_terms` each find only their own. `length` counts words (a dense run of n characters as
    n/2, Chinese words being two long on average), so that texts in both languages weigh alike; the parts of a code, entities
    and keys are not counted. A text of punctuation alone has no terms and length 0.
    """
    folded = fold(text)
    found: list[str] = []
    codes: list[Parts] = []
    length = 0
    for run, token in tokens(folded):
        if run:
            length += (len(run) + 1) // 2
            found += run
            found += pairs(run)
        else:
            length += 1
            parts = take_apart(token)
            found += parts.terms
            if parts.precise:
                codes.append(parts)
    found += humps(text)
    terms: dict[str, int] = Counter(found)
    for term in _exact(precise(folded, codes), keys):
        terms[term] = 1
    return Document(terms, length)


def query_terms(text: str) -> list[str]:
    """The keyword terms of a query, each once, to look up among those of `document`.

    Chinese asks by pairs of characters, and by a single one only where it stands alone among stop words (我的猫: 猫), so that
    common characters do not drown a long question. Stop words are left out when anything else is left; a query of nothing
    but stop words asks for them. A query of punctuation alone gives no terms: it finds nothing and is no error.
    """
    folded = fold(text)
    wanted: list[str] = []
    stops: list[str] = []
    for run, token in tokens(folded):
        if run:
            _ask(run, wanted, stops)
        elif token in ENGLISH:
            stops += take_apart(token).terms
        else:
            wanted += take_apart(token).terms
    wanted += humps(text)
    terms = list(dict.fromkeys(wanted or stops))
    if len(terms) <= MAX_QUERY_TERMS:
        return terms
    return terms[: MAX_QUERY_TERMS // 2] + terms[-MAX_QUERY_TERMS // 2 :]


def exact_terms(text: str, keys: Iterable[str] = ()) -> list[str]:
    """The terms by which `document` lists the entities that `text` names, and the given `keys`; each once."""
    return list(dict.fromkeys(_exact(entities(text), keys)))


def _exact(things: Iterable[str], keys: Iterable[str]) -> list[str]:
    return [_ENTITY + thing for thing in things] + [_KEY + fold(key) for key in keys]


def _ask(run: str, wanted: list[str], stops: list[str]) -> None:
    """Sorts the pairs and lone characters of a run into those worth asking for and stop words."""
    if len(run) == 1:
        (stops if run in CHINESE else wanted).append(run)
        return
    stopped = [char in CHINESE for char in run]
    for pair, first, second in zip(pairs(run), stopped, stopped[1:], strict=False):
        (stops if first and second else wanted).append(pair)
    around = [True, *stopped, True]
    wanted += [char for char, before, stop, after in zip(run, around, stopped, around[2:], strict=False) if before and after and not stop]
