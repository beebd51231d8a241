"""A model in this process: loaded at the first text, in the one thread that uses it, and again in a forked child."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from beebread.errors import BeebreadError, Unavailable
from beebread.models.answer import vectors
from beebread.models.clean import readable, within
from beebread.models.prefixes import Prefixes
from beebread.ports import Vector

M = TypeVar("M")
T = TypeVar("T")
SLICE = 1_500  # characters that are embedded before a question may step in: about a quarter of a second of E5
Encode = Callable[[list[str]], Any]


class Loaded(Generic[M]):
    """The model that `load` gives, and its thread."""

    def __init__(self, load: Callable[[], M]) -> None:
        self._load = load
        self._model: M | None = None
        self._pool = ThreadPoolExecutor(1, "beebread-model")
        self._process = os.getpid()
        self._closed = False

    async def run(self, work: Callable[[M], T]) -> T:
        """What `work` makes of the model, in the model's thread; Unavailable after `close`."""
        if self._closed:
            raise Unavailable("the embedder is closed; open the memory again")
        if self._process != os.getpid():  # a fork has neither the thread nor a model that may be used
            self._pool, self._model, self._process = ThreadPoolExecutor(1, "beebread-model"), None, os.getpid()
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._run, work)

    async def close(self) -> None:
        """Let go of the model and its thread, after what runs now."""
        self._closed = True
        if self._process == os.getpid():
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._model = None

    def _run(self, work: Callable[[M], T]) -> T:
        if self._model is None:
            self._model = self._load()
        return work(self._model)


class LocalEmbedder:
    """An embedder around any model that encodes texts in this process."""

    def __init__(self, load: Callable[[], Encode], space: str, prefixes: Prefixes, *, window: int, dimensions: int = 0) -> None:
        self._loaded, self._prefixes = Loaded(load), prefixes
        self.space = f"{space}/{prefixes.name}"
        self.dimensions, self.window = dimensions, window

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that are kept."""
        return await self._embed(self._prefixes.document, texts)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that ask."""
        return await self._embed(self._prefixes.query, texts)

    async def close(self) -> None:
        """Let go of the model."""
        await self._loaded.close()

    async def _embed(self, prefix: str, texts: Sequence[str]) -> list[Vector]:
        found: list[Vector] = []
        for part in slices([prefix + within(readable(text, self.window), self.window) for text in texts], SLICE):
            with foreign(f"the model of {self.space}"):
                rows = await self._loaded.run(lambda encode, part=part: encode(part))
            found += vectors(rows, len(part), self.dimensions, f"the model of {self.space}")
            self.dimensions = len(found[0])
        return found


@contextmanager
def foreign(what: str) -> Generator[None]:
    """Around what a library does to load or run `what`: what goes wrong there is told as Unavailable."""
    try:
        yield
    except ImportError as error:
        raise Unavailable(f"{what} needs a package that does not load ({error}): install it") from None
    except BeebreadError:
        raise
    except Exception as error:  # libraries raise errors of their own, of no common kind
        raise Unavailable(f"{what} fails: {str(error)[:200]}; check its name and files, or set another embedder") from error


def slices(texts: Sequence[str], most: int) -> Iterator[list[str]]:
    """`texts` in runs of about `most` characters."""
    run: list[str] = []
    size = 0
    for text in texts:
        run.append(text)
        size += len(text) + 20
        if size >= most:
            yield run
            run, size = [], 0
    if run:
        yield run
