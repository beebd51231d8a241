"""Vectors of texts from a model that may be away, or may refuse one text for good: then the others do not wait for that one."""

from __future__ import annotations

from collections.abc import Sequence

from beebread.errors import Unavailable
from beebread.model import new_id
from beebread.models import vectors
from beebread.ports import Embedder, Vector

TRIES = 3  # of a text by itself, before the model is taken to refuse it


async def embedded(embedder: Embedder, texts: Sequence[str]) -> dict[str, Vector]:
    """The vectors of `texts` but for those that the model refuses. Raises Unavailable when it gives no vectors to anything."""
    if not texts:
        return {}
    try:
        return dict(zip(texts, await _asked(embedder, texts), strict=True))
    except Unavailable as failed:
        await _serves(embedder, failed)
    found: dict[str, Vector] = {}
    for text in texts:
        for _ in range(TRIES):
            try:
                (found[text],) = await _asked(embedder, [text])
                break
            except Unavailable as failed:
                await _serves(embedder, failed)
    return found


async def _asked(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """Checked here too, for an embedder of another package may let through what no index takes."""
    return vectors(await embedder.embed_documents(texts), len(texts), embedder.dimensions, f"the embedder of {embedder.space}")


async def _serves(embedder: Embedder, failed: Unavailable) -> None:
    """Raise `failed` unless the model gives a vector to a plain text, a new one each time: what remembers texts must not answer for it."""
    try:
        await _asked(embedder, [f"The train {new_id()} leaves at noon."])
    except Unavailable:
        raise failed from None
