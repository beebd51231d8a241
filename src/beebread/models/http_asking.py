"""Asking a model server over HTTP: with a time limit, a few tries, and messages that say what to do, never what the key is."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Mapping
from typing import Any

import httpx
from msgspec import Struct

from beebread.errors import Unavailable
from beebread.models.own_loop import OwnLoop

ANSWER_BYTES = 128 * 1024 * 1024
TRIES = 4
FIRST_WAIT, LONGEST_WAIT = 0.25, 20.0  # seconds; a server that asks for more is not waited for
PASSING = {408, 425, 429, 500, 502, 503, 504}  # statuses that may be gone at the next try


class Server(Struct, frozen=True, kw_only=True):
    """Where to ask, and what to tell whoever has to mend it."""

    url: str
    timeout: float  # seconds for each try, whole answer included
    key: str = ""
    key_hint: str = ""  # which variable holds the key
    model_hint: str = ""  # what to do where the model is not known


class Asking:
    """A server and the connections to it, in a loop of their own: whoever asks, from whichever loop, shares them and may close them."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._loop = OwnLoop(self._closed)
        self._client: httpx.AsyncClient | None = None
        self._process = os.getpid()

    async def post(self, body: Mapping[str, Any]) -> Any:
        """The decoded answer to `body`; Unavailable when there is none after TRIES tries."""
        return await self._loop.run(self._post(body))

    async def close(self) -> None:
        """Close the connections; what is still asked is Unavailable."""
        await self._loop.close()

    async def _post(self, body: Mapping[str, Any]) -> Any:
        fault = ""
        wait = 0.0
        for attempt in range(TRIES):
            if attempt:
                await asyncio.sleep(wait)
            wait = min(LONGEST_WAIT, FIRST_WAIT * 4**attempt) * random.uniform(0.5, 1.0)
            try:
                async with asyncio.timeout(self.server.timeout):
                    status, headers, data = await self._once(body)
            except (TimeoutError, httpx.TimeoutException):
                fault = f"gave no answer within {self.server.timeout:g} s"
                continue
            except httpx.HTTPError as error:
                fault = f"cannot be reached ({type(error).__name__}: {str(error)[:120]})"
                continue
            if status == 200:
                return self._decoded(data)
            if status not in PASSING:
                raise self._refused(status, data)
            fault = f"answered with status {status}"
            asked = _retry_after(headers)
            if asked > LONGEST_WAIT:
                fault += f" and wants to be left alone for {asked:g} s"
                break
            wait = max(wait, asked)
        raise self._unavailable(f"{fault}; check that it runs and has room, or set another embedder")

    async def _once(self, body: Mapping[str, Any]) -> tuple[int, httpx.Headers, bytes]:
        headers = {"authorization": f"Bearer {self.server.key}"} if self.server.key else {}
        if self._client is None or self._process != os.getpid():  # a fork must not use its parent's connections
            self._client, self._process = httpx.AsyncClient(timeout=self.server.timeout), os.getpid()
        async with self._client.stream("POST", self.server.url, json=body, headers=headers) as response:
            data = bytearray()
            async for part in response.aiter_bytes():
                data += part
                if len(data) > ANSWER_BYTES:
                    raise self._unavailable("answers without end; check that it is a server of embeddings")
            return response.status_code, response.headers, bytes(data)

    async def _closed(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    def _decoded(self, data: bytes) -> Any:
        try:
            return json.loads(data)  # which reads NaN as well, so that the message can say so
        except (ValueError, RecursionError):
            raise self._unavailable("gave an answer that is no JSON; check that the address is that of a server of embeddings") from None

    def _refused(self, status: int, data: bytes) -> Unavailable:
        server = self.server
        if status in {401, 403}:
            return self._unavailable(f"refused the key (status {status}); {server.key_hint}")
        if status == 404:
            return self._unavailable(f"does not know the address or the model (status 404); {server.model_hint}")
        told = data[:300].decode(errors="replace")
        if server.key:
            told = told.replace(server.key, "…")
        return self._unavailable(f"refused the texts (status {status}): {told}")

    def _unavailable(self, what: str) -> Unavailable:
        return Unavailable(f"the embedding server {httpx.URL(self.server.url).copy_with(userinfo=b'')} {what}")


def _retry_after(headers: httpx.Headers) -> float:
    """The seconds that the server wants to be left alone; 0 where it does not say, or says a date."""
    text = headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0.0
