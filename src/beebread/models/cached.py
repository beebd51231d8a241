"""Any embedder with a memory for texts that it has just seen: the same question asked again, the same line kept twice."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

from beebread.models.clean import readable
from beebread.ports import Embedder, Vector

ENTRIES = 4_096  # vectors; of 384 numbers they take 6 MB
_ANY_LENGTH = 1 << 62

Embed = Callable[[Sequence[str]], Awaitable["list[Vector]"]]


class Cached:
    """The embedder `inner`, asked for each text once while it is among the last `entries`; what it raises is not kept."""

    def __init__(self, inner: Embedder, entries: int = ENTRIES) -> None:
        self.inner, self._entries = inner, entries
        self._known: OrderedDict[bytes, Vector] = OrderedDict()

    @property
    def space(self) -> str:
        """That of the embedder."""
        return self.inner.space

    @property
    def dimensions(self) -> int:
        """Those of the embedder."""
        return self.inner.dimensions

    @property
    def window(self) -> int:
        """That of the embedder."""
        return self.inner.window

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that are kept."""
        return await self._embed(b"document", self.inner.embed_documents, texts)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that ask."""
        return await self._embed(b"query", self.inner.embed_queries, texts)

    async def close(self) -> None:
        """Forget the vectors and close the embedder."""
        self._known.clear()
        await self.inner.close()

    async def _embed(self, kind: bytes, embed: Embed, texts: Sequence[str]) -> list[Vector]:
        keys = [_key(self.space, kind, text) for text in texts]
        found = {key: self._known[key] for key in keys if key in self._known}
        missing: dict[bytes, str] = {}
        for key, text in zip(keys, texts, strict=True):
            if key not in found:
                missing.setdefault(key, text)
        if missing:
            made = await embed(list(missing.values()))
            found.update(zip(missing, made, strict=True))
        for key in keys:
            self._known[key] = found[key]
            self._known.move_to_end(key)
        while len(self._known) > self._entries:
            self._known.popitem(last=False)
        return [found[key] for key in keys]


def _key(space: str, kind: bytes, text: str) -> bytes:
    digest = hashlib.blake2b(kind, digest_size=16, person=b"beebread")
    digest.update(space.encode() + b"\0")
    digest.update(readable(text, _ANY_LENGTH).encode())
    return digest.digest()
