"""A function of the user's own as an embedder: from a list of texts to a list of vectors, at once or awaited."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Sequence

from beebread.errors import Unavailable
from beebread.models.answer import vectors
from beebread.models.clean import readable, within
from beebread.ports import Vector

Embed = Callable[[list[str]], Sequence[Sequence[float]] | Awaitable[Sequence[Sequence[float]]]]
WINDOW = 1_500


class FunctionEmbedder:
    """An embedder around `embed`, which gets the texts cleaned; kept texts and questions are the same to it.

    A function that is not a coroutine runs in a thread. Its name names the space; give `space` where that says too little, as it does when
    the model inside is changed. What gives vectors of another length than those that are kept is noticed, and told as ModelMismatch.
    """

    def __init__(self, embed: Embed, *, space: str = "", dimensions: int = 0, window: int = WINDOW) -> None:
        self._embed, self.window = embed, window
        name = getattr(embed, "__qualname__", type(embed).__name__)
        self.space = space or f"function/{getattr(embed, '__module__', '')}.{name}"
        self.dimensions = dimensions

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that are kept."""
        return await self._ask(texts)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that ask."""
        return await self._ask(texts)

    async def close(self) -> None:
        """Nothing to let go of: the function is its owner's."""

    async def _ask(self, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        cleaned = [within(readable(text, self.window), self.window) for text in texts]
        try:
            found = await self._call(cleaned)
        except Exception as error:
            raise Unavailable(f"the function of {self.space} failed ({type(error).__name__}: {str(error)[:200]}): see to it") from error
        made = vectors(found, len(cleaned), self.dimensions, f"the function of {self.space}")
        self.dimensions = len(made[0])
        return made

    async def _call(self, texts: list[str]) -> Sequence[Sequence[float]]:
        if inspect.iscoroutinefunction(self._embed):
            return await self._embed(texts)
        found = await asyncio.to_thread(self._threaded, texts)
        return await found if inspect.isawaitable(found) else found

    def _threaded(self, texts: list[str]) -> Sequence[Sequence[float]] | Awaitable[Sequence[Sequence[float]]]:
        try:
            return self._embed(texts)
        except StopIteration as error:  # no future takes it, so that whoever awaits one would wait for ever
            raise RuntimeError("StopIteration") from error
