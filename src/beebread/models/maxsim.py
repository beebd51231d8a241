"""A closer look by late interaction: how near each word of the question comes to any word of the text, on the embedder's own vectors.

MaxSim as in ColBERT (Khattab and Zaharia, 2020): for every token of the question the best cosine with a token of the text, then the mean.
Where the texts were looked at before, a question costs one run of the model and a few products.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from beebread.models.clean import readable

TEXTS = 64  # that one call looks at; the rest, which the caller ranked lower, score 0
TOKENS = 128  # of each text
CACHE_BYTES = 32 * 1024 * 1024  # of token vectors of recent texts, a byte a number: about 2,000 texts of 40 tokens
AT_ONCE = 4  # texts that are embedded together; what they gave is kept even if the caller's time ends after them

_CHARACTERS = TOKENS * 8
_SCALE = 127.0


class TokenEmbedder(Protocol):
    """An embedder that gives the vectors of tokens as well."""

    async def token_vectors(self, texts: Sequence[str], *, asks: bool, most: int) -> list[tuple[list[str], NDArray[np.float32]]]:
        """For each text its first `most` pieces and their vectors, of length one."""
        ...


class MaxSim:
    """The reranker. It may be cancelled at any time: what it embedded until then is kept, so that the next question goes further."""

    def __init__(self, embedder: TokenEmbedder, cache_bytes: int = CACHE_BYTES) -> None:
        self._embedder = embedder
        self._kept: OrderedDict[bytes, NDArray[np.int8]] = OrderedDict()
        self._most, self._bytes = cache_bytes, 0

    async def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the query, 0 to 1; texts after the first TEXTS score 0."""
        asked = (await self._embedder.token_vectors([query], asks=True, most=TOKENS))[0]
        words = [place for place, piece in enumerate(asked[0]) if _says(piece)]
        if not words:
            return [0.0] * len(texts)
        found = await self._vectors([readable(text, _CHARACTERS) for text in texts[:TEXTS]])
        question = asked[1][words]
        return [_score(question, tokens) for tokens in found] + [0.0] * (len(texts) - len(found))

    async def close(self) -> None:
        """Forget the vectors; the embedder is its owner's to close."""
        self._kept.clear()
        self._bytes = 0

    async def _vectors(self, texts: Sequence[str]) -> list[NDArray[np.int8]]:
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        found = {key: tokens for key in keys if (tokens := self._take(key)) is not None}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        waiting = list(missing.items())
        for start in range(0, len(waiting), AT_ONCE):
            run = waiting[start : start + AT_ONCE]
            made = await self._embedder.token_vectors([text for _, text in run], asks=False, most=TOKENS)
            for (key, _), (pieces, rows) in zip(run, made, strict=True):
                words = [place for place, piece in enumerate(pieces) if _says(piece)]
                found[key] = np.rint(rows[words] * _SCALE).astype(np.int8)
                self._keep(key, found[key])
        return [found[key] for key in keys]

    def _take(self, key: bytes) -> NDArray[np.int8] | None:
        tokens = self._kept.get(key)
        if tokens is not None:
            self._kept.move_to_end(key)
        return tokens

    def _keep(self, key: bytes, tokens: NDArray[np.int8]) -> None:
        if key in self._kept:
            return
        self._kept[key] = tokens
        self._bytes += tokens.nbytes
        while self._bytes > self._most:
            _, oldest = self._kept.popitem(last=False)
            self._bytes -= oldest.nbytes


def _says(piece: str) -> bool:
    """Whether a piece is more than a mark, a space or punctuation."""
    return any(character.isalnum() for character in piece)


def _score(question: NDArray[np.float32], tokens: NDArray[np.int8]) -> float:
    if not len(tokens):
        return 0.0
    best = (question @ tokens.T.astype(np.float32)).max(1) / _SCALE
    return float(np.clip(best.mean(), 0.0, 1.0))
