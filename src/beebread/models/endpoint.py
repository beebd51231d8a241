"""Embedders behind HTTP: `openai://MODEL` for any server with OpenAI's /embeddings, `ollama://MODEL` for Ollama's /api/embed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from beebread.errors import Invalid, Unavailable, shown
from beebread.models.address import model_name, parameters, seconds, whole
from beebread.models.answer import vectors
from beebread.models.clean import readable, within
from beebread.models.http_asking import Asking, Server
from beebread.models.prefixes import PARAMETERS, prefixes
from beebread.ports import Vector
from beebread.settings import Settings, variable

WINDOW = 1_500  # fits into the 512 tokens of the smallest common models
BATCH = 64  # texts in one request
TIMEOUT = 30.0
KNOWN = ("base_url", "api_key_env", "dimensions", "window", "batch", "timeout", "revision", *PARAMETERS)


class Api(Struct, frozen=True):
    """What one kind of server wants to be asked, and where the rows are in what it answers."""

    name: str
    base_url: str
    path: str
    key_variable: str
    model_hint: str
    rows: Callable[[Any], Any]


def _openai_rows(answer: Any) -> Any:
    data = answer["data"]
    found = {int(item["index"]): item["embedding"] for item in data}
    return [found[place] for place in range(len(data))]


OPENAI = Api(
    "openai", "https://api.openai.com/v1", "/embeddings", "OPENAI_API_KEY",
    "check base_url, which often ends in /v1, and the model's name", _openai_rows,
)  # fmt: skip
OLLAMA = Api(
    "ollama", "http://127.0.0.1:11434", "/api/embed", "", "fetch it with: ollama pull MODEL", lambda answer: answer["embeddings"]
)  # fmt: skip


class Endpoint:
    """The embedder: texts go out in batches, one request after another, and every answer is checked."""

    def __init__(self, api: Api, url: str) -> None:
        given = parameters(url, KNOWN)
        self._api, self._model = api, model_name(url)
        self._wanted = whole(given, "dimensions", 0, 100_000)
        self._batch = whole(given, "batch", BATCH, 2_048)
        self.window = whole(given, "window", WINDOW, 1_000_000)
        self._prefixes = prefixes(self._model, given)
        self._asking = Asking(self._server(given))
        revision = f"@{given['revision']}" if given.get("revision") else ""
        self.space = f"{api.name}/{self._model}{revision}/{self._wanted or 'full'}/{self._prefixes.name}"
        self.dimensions = self._wanted  # 0 until the first answer where the URL does not say it

    async def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that are kept."""
        return await self._embed(self._prefixes.document, texts)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts that ask."""
        return await self._embed(self._prefixes.query, texts)

    async def close(self) -> None:
        """Close the connections."""
        await self._asking.close()

    def _server(self, given: Mapping[str, str]) -> Server:
        base = given.get("base_url", self._api.base_url).rstrip("/")
        try:
            parts = urlsplit(base)
            sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        except ValueError:
            sound = False
        if not sound:
            raise Invalid(f"the embedder's base_url is {shown(base)}: use an address such as {self._api.base_url}")
        named = given.get("api_key_env", self._api.key_variable)
        return Server(
            url=base + self._api.path,
            timeout=seconds(given, "timeout", TIMEOUT, 600.0),
            key=variable(named) if named else "",
            key_hint=f"check the variable {named}" if named else "name the variable that holds the key: api_key_env=NAME",
            model_hint=self._api.model_hint.replace("MODEL", self._model),
        )

    async def _embed(self, prefix: str, texts: Sequence[str]) -> list[Vector]:
        found: list[Vector] = []
        for start in range(0, len(texts), self._batch):
            # An empty text is refused by some servers.
            part = [prefix + (within(readable(text, self.window), self.window) or "-") for text in texts[start : start + self._batch]]
            found += await self._ask(part)
            self.dimensions = len(found[0])
        return found

    async def _ask(self, texts: list[str]) -> list[Vector]:
        body: dict[str, Any] = {"model": self._model, "input": texts}
        if self._wanted:
            body["dimensions"] = self._wanted
        answer = await self._asking.post(body)
        source = f"the model {self._model} at {urlsplit(self._asking.server.url).hostname}"
        try:
            rows = self._api.rows(answer)
        except (KeyError, TypeError, ValueError, IndexError):
            raise Unavailable(f"{source} gave an answer without embeddings; check that it is a model of embeddings") from None
        return vectors(rows, len(texts), self.dimensions, source)


def open_openai(url: str, _settings: Settings) -> Endpoint:
    """`openai://MODEL?base_url=…&api_key_env=…`; parameters as in KNOWN, the key only by the name of its variable."""
    return Endpoint(OPENAI, url)


def open_ollama(url: str, _settings: Settings) -> Endpoint:
    """`ollama://MODEL`, on this machine unless base_url says otherwise."""
    return Endpoint(OLLAMA, url)
