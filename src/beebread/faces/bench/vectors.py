"""The product's own embedder for peers: every text embedded once in a run, whichever peers ask for it, and the time of each question."""

from __future__ import annotations

import asyncio
import tempfile
import time
from array import array
from collections.abc import Sequence

from beebread.errors import Unavailable
from beebread.models.opening import open_embedder
from beebread.ports import Embedder
from beebread.settings import load

BATCH = 64


class Vectors:
    """Vectors of texts, as documents and as questions."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._runner = asyncio.Runner()
        self._documents: dict[str, array[float]] = {}
        self._queries: dict[str, tuple[array[float], float]] = {}

    @property
    def space(self) -> str:
        """What the vectors are comparable within."""
        return self._embedder.space

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return self._embedder.dimensions

    def documents(self, texts: Sequence[str]) -> list[array[float]]:
        """The vectors of texts that are kept."""
        new = [text for text in dict.fromkeys(texts) if text not in self._documents]
        for at in range(0, len(new), BATCH):
            batch = new[at : at + BATCH]
            self._documents.update(zip(batch, self._runner.run(self._embedder.embed_documents(batch)), strict=True))
        return [self._documents[text] for text in texts]

    def query(self, text: str) -> tuple[array[float], float]:
        """The vector of a question, and the milliseconds that it took when it was made."""
        if text not in self._queries:
            began = time.perf_counter()
            (vector,) = self._runner.run(self._embedder.embed_queries([text]))
            self._queries[text] = (vector, (time.perf_counter() - began) * 1000)
        return self._queries[text]

    def close(self) -> None:
        """Let go of the embedder."""
        self._runner.run(self._embedder.close())
        self._runner.close()


def open_vectors() -> Vectors:
    """Those of the embedder that the product itself takes here. Raises Unavailable when there is none, and Invalid for a wrong setting."""
    with tempfile.TemporaryDirectory() as folder:  # a new memory, as the measured one is
        settings = load(home=folder)
    opened = open_embedder(settings.embedder, settings)
    if opened.embedder is None:
        raise Unavailable(f"this peer works on an embedder's vectors, and there is no embedder: {opened.reason or 'the setting says none'}")
    return Vectors(opened.embedder)
