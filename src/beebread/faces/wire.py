"""Operations over the wire: each request of the table as HTTP, each answer and problem back as what the service gives and raises."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

import msgspec

from beebread import errors
from beebread.errors import BeebreadError, Forbidden, Invalid, NotFound, Unavailable
from beebread.faces.binding import NOBODY
from beebread.model import Event, Memory, Principal, Session, State
from beebread.models.own_loop import OwnLoop
from beebread.operations import OPERATIONS, Operation

try:
    import httpx
except ModuleNotFoundError:
    raise Unavailable("a memory over HTTP needs httpx: pip install 'beebread[http]'") from None

TRIES, FIRST_WAIT = 4, 0.1
READS = frozenset(("query", "explain", "append"))
"""What may be asked twice though it is no GET: it changes nothing, or is kept once by its ids."""
_KINDS = {name.lower(): kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, BeebreadError)}
_BY_STATUS: dict[int, type[BeebreadError]] = {401: Forbidden, 403: Forbidden, 404: NotFound, 409: errors.Conflict, 412: errors.Conflict}


class Problem(msgspec.Struct):
    """A problem document, as far as it says which error it was."""

    type: str = ""
    detail: str = ""
    ids: tuple[str, ...] = ()
    current: Any = None


class Wire:
    """One server and the connections to it, shared by all threads and loops of this process. The token is told to nobody else."""

    def __init__(self, url: str, token: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Invalid(f"{url[:200]!r} is no address of a server: give http://host:port or https://host")
        if parts.username or parts.password:
            raise Invalid("an address holds no password: give the token as token=, or in BEEBREAD_TOKEN")
        self.url = url.rstrip("/")
        self._token, self._timeout = token, timeout
        self._loop = OwnLoop(self._end, f"the memory at {self.url}")
        self._client: httpx.AsyncClient | None = None

    def __repr__(self) -> str:
        return f"Wire({self.url!r})"

    async def call(self, name: str, who: Principal, ask: msgspec.Struct) -> Any:
        """The answer to an operation. Raises what the service raises, and Unavailable when the server cannot be reached or understood."""
        operation = OPERATIONS[name]
        nothing = name in ("get", "state_get")
        try:
            asks = asked(operation, ask)
        except NotFound:
            if nothing:
                return None
            raise
        status, data = await self._loop.run(self._sent(name, asks, {"Beebread-Bind": urlencode(_wish(who))}))
        if status == 404 and nothing:
            return None
        if status >= 300:
            raise error_of(status, data)
        if operation.answer is bytes:
            return data
        try:
            return msgspec.json.decode(data, type=operation.answer)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Unavailable(
                f"{self.url} does not answer as a memory does ({error}): is it the address of one, and of this version?"
            ) from None

    async def _sent(self, name: str, asks: Asks, headers: Mapping[str, str]) -> tuple[int, bytes]:
        """The status and body of the answer, asked again where that can do no harm."""
        safe = asks.method == "GET" or name in READS
        for attempt in range(TRIES):
            if attempt:
                await asyncio.sleep(FIRST_WAIT * 3 ** (attempt - 1))
            last = attempt == TRIES - 1
            try:
                response = await self._open().request(
                    asks.method, self.url + asks.path, params=tuple(asks.params), content=asks.body, headers=headers
                )
            except (httpx.ConnectError, httpx.ConnectTimeout) as error:  # nothing was asked yet
                if last:
                    raise Unavailable(f"{self.url} cannot be reached ({_said(error)}): is a server running there?") from None
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                if last or not safe:
                    raise Unavailable(f"{self.url} did not answer ({_said(error)}): what was asked may or may not have been done") from None
            else:
                if response.status_code != 503 or last or not (safe or "retry-after" in response.headers):
                    return response.status_code, response.content
        raise AssertionError

    def _open(self) -> httpx.AsyncClient:
        if self._client is None:
            headers = {"Accept": "application/json", **({"Authorization": f"Bearer {self._token}"} if self._token else {})}
            self._client = httpx.AsyncClient(headers=headers, timeout=self._timeout, follow_redirects=False, trust_env=False)
        return self._client

    async def _end(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            await client.aclose()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._loop.close()


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__


class Asks(NamedTuple):
    """A request as HTTP has it."""

    method: str
    path: str
    params: list[tuple[str, str]]
    body: bytes | None


def asked(operation: Operation, ask: msgspec.Struct) -> Asks:
    """An operation's request. The options of a query inside it stand flat in a query string."""
    given: dict[str, Any] = {name: value for name, value in msgspec.to_builtins(ask).items() if value is not None}
    path = operation.path
    for part in [part[1:-1] for part in path.split("/") if part.startswith("{")]:
        value = str(given.pop(part, ""))
        if not value and operation.bare:
            path = operation.bare
        elif not value:
            raise NotFound(f"there is no {part} ''") if operation.verb in ("GET", "DELETE") else Invalid(f"{part} must not be empty")
        path = path.replace(f"{{{part}}}", quote(value, safe="", errors="surrogatepass").replace(".", "%2E"))
    method = "PUT" if given.pop("replace", False) else operation.verb
    if method not in ("GET", "DELETE"):
        return Asks(method, path, [], msgspec.json.encode(given))
    flat: dict[str, Any] = {**msgspec.convert(given.pop("query", {}), dict[str, Any]), **given}
    return Asks(method, path, [pair for name, value in flat.items() for pair in _pairs(name, value)], None)


def _wish(who: Principal) -> list[tuple[str, str]]:
    """What narrows the credential to `who`."""
    wish: dict[str, Any] = {
        "tenant": who.tenant, "user": who.user, "agent": who.agent, "session": who.session, "task": who.task, "groups": who.groups,
        "private": who.private, NOBODY: not who.roles,
    }  # fmt: skip
    given = {name: value for name, value in wish.items() if value}
    if who.kinds is not None:
        given["only_kinds"] = who.kinds or ("",)  # an empty list cannot be told; no kind has no name
    return [pair for name, value in {**given, "clearance": who.clearance}.items() for pair in _pairs(name, value)]


def _pairs(name: str, value: object) -> list[tuple[str, str]]:
    if isinstance(value, (list, tuple)):
        return [(name, one if isinstance(one, str) else msgspec.json.encode(one).decode()) for one in msgspec.convert(value, list[Any])]
    if isinstance(value, dict):
        return [(name, msgspec.json.encode(value).decode())] if value else []
    return [(name, str(value).lower() if isinstance(value, bool) else str(value))]


def error_of(status: int, data: bytes) -> BeebreadError:
    """The error that a problem was made of."""
    try:
        told = msgspec.json.decode(data, type=Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        told = Problem()
    name = told.type.removeprefix("urn:beebread:").replace("-", "")
    kind = _KINDS.get(name) or _BY_STATUS.get(status) or (Invalid if 400 <= status < 500 and status != 429 else Unavailable)
    if kind is BeebreadError:
        kind = Unavailable
    return kind(told.detail or f"the server answered {status}", ids=told.ids, detail=_detail(told.current))


def _detail(current: Any) -> object:
    if not isinstance(current, dict):
        return current
    for kind in (State, Event | Memory | Session):
        try:
            return msgspec.convert(current, kind)
        except msgspec.ValidationError:
            continue
    return msgspec.convert(current, dict[str, Any])
