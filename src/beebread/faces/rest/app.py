"""The application: a route for each operation of the table, behind one edge; `make_app` puts it together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Protocol

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

from beebread.errors import BeebreadError, Invalid, NotFound
from beebread.faces import binding
from beebread.faces.embedded import Home
from beebread.faces.rest import feed, openapi
from beebread.faces.rest.access import Access
from beebread.faces.rest.answered import Refused, etag, failed, json, problem, refused
from beebread.faces.rest.asked import Shape, body_of, bound, typed
from beebread.faces.rest.edge import SLASH, Edge
from beebread.faces.rest.events import Events, idempotent
from beebread.faces.rest.kept import SMALL, Kept
from beebread.faces.rest.options import ServerOptions
from beebread.faces.rest.received import whole
from beebread.model import Principal
from beebread.operations import OPERATIONS
from beebread.service import Changes


class Mounted(Protocol):
    """An application that has something running while requests are answered."""

    def run(self) -> AbstractAsyncContextManager[Any]:
        """What runs meanwhile."""
        ...

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As of any application of ASGI."""
        ...


Endpoint = Callable[[Request], Awaitable[Response]]
GUARDED = ("update", "state_set")  # what If-Match guards
MADE = ("write", "key_create")  # answered with 201


def make_app(home: Home, options: ServerOptions | None = None, mount: Mapping[str, Mounted] | None = None) -> Starlette:
    """The memory of `home` over HTTP. `mount` are other applications by their paths, such as '/mcp', behind the same edge."""
    options = options or ServerOptions()
    access = Access(home.service, options)
    operations = Operations(home, options, access)
    routes: list[BaseRoute] = [
        Route(operation.path, operations.endpoint(name), methods=[operation.verb], name=name) for name, operation in OPERATIONS.items()
    ]
    routes += [
        Route(operation.bare, operations.endpoint(name), methods=[operation.verb])
        for name, operation in OPERATIONS.items()
        if operation.bare
    ]
    routes += [
        Route("/v1/states/{key}", operations.endpoint("state_set", replace=True), methods=["PUT"], name="state_put"),
        Route("/openapi.json", _openapi),
        Route("/docs", _docs),
        Route("/healthz", _alive),
        Route("/readyz", operations.ready),
        *(Route(path, app) for path, app in (mount or {}).items()),
    ]
    app = Starlette(
        routes=routes,
        middleware=[
            Middleware(Edge, access=access, options=options),
            Middleware(Kept, access=access, service=home.service),
            Middleware(GZipMiddleware, minimum_size=SMALL),
        ],
        exception_handlers={
            HTTPException: _unrouted,
            Refused: _refused,
            BeebreadError: _failed,
            ClientDisconnect: _gone,
            Exception: _fault,
        },
        lifespan=_running(tuple((mount or {}).values())),
    )
    app.state.stopping = asyncio.Event()
    return app


def _running(mounted: Sequence[Mounted]) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            for app in mounted:
                await stack.enter_async_context(app.run())
            yield

    return lifespan


class Operations:
    """The operations of one memory as endpoints."""

    def __init__(self, home: Home, options: ServerOptions, access: Access) -> None:
        self._home, self._options, self._access = home, options, access
        self._events = Events(home, options)

    def endpoint(self, name: str, *, replace: bool = False) -> Endpoint:
        """The endpoint of an operation; `replace` for a state that is put whole."""
        shape = Shape(OPERATIONS[name])
        call = getattr(self._home.service, name)

        async def answer(request: Request) -> Response:
            token, who = await self._access.credential(request.headers)
            self._access.count(token)
            who = binding.narrowed(who, bound(request.headers.get("beebread-bind", "")))
            given = typed(shape, request.query_params.multi_items())
            if name == "append":
                own, wish = shape.taken_apart(given)
                if own:
                    raise Invalid(f"{next(iter(own))} belongs into the body")
                return json(await self._events.take(request, binding.narrowed(who, wish)))
            if request.method not in ("GET", "DELETE"):
                given.update(body_of(await whole(request, self._options)))
            path = {part: value.replace(SLASH, "/") for part, value in request.path_params.items()}
            own, wish = shape.taken_apart({**given, **path})
            who = binding.narrowed(who, wish)
            guarded = _guarded(request, name, own)
            if replace:
                own["replace"] = True
            if name == "write" and "id" not in own and (key := request.headers.get("idempotency-key")):
                own["id"] = idempotent(key)
            ask = shape.made(own)
            if isinstance(ask, Changes) and "text/event-stream" in request.headers.get("accept", ""):
                return self._feed(request, who, ask)
            try:
                return _answered(request, name, await call(who, ask))
            except BeebreadError as error:
                return failed(error, precondition=guarded)

        return answer

    def _feed(self, request: Request, who: Principal, ask: Changes) -> Response:
        if last := request.headers.get("last-event-id", ""):
            ask = msgspec.structs.replace(ask, cursor=last)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(
            feed.feed(self._home.service, who, ask, request.app.state.stopping), headers=headers, media_type="text/event-stream"
        )

    async def ready(self, _: Request) -> Response:
        """Whether the store answers."""
        await self._home.service.has_keys()
        return PlainTextResponse("ready\n")


def _guarded(request: Request, name: str, own: dict[str, Any]) -> bool:
    """Whether the request presumes a version; it stands among its own names then."""
    given = request.headers.get("if-match", "")
    if not given or name not in GUARDED or given == "*":
        return False
    version = given.removeprefix("W/").strip('"')
    if not (version.isascii() and version.isdigit()) or len(version) > 18:
        raise Refused(400, 'If-Match must be the ETag that was given, such as "3"')
    own["version"] = int(version)
    return True


def _answered(request: Request, name: str, answer: Any) -> Response:
    if answer is None:
        what, value = next(iter(request.path_params.items()))
        return failed(NotFound(f"there is no record {value!r}", ids=(value,)) if what == "id" else NotFound(f"there is no state {value!r}"))
    if isinstance(answer, bytes):
        return Response(answer, media_type="application/octet-stream")
    tag = etag(answer)
    headers = {"ETag": tag, "Cache-Control": "no-cache"} if tag else {"Cache-Control": "no-store"}
    if tag and request.method == "GET" and tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if name in MADE:
        return json(answer, 201, {**headers, "Location": f"{request.url.path}/{answer.id if name == 'write' else answer.key.id}"})
    return json(answer, 200, headers)


async def _openapi(_: Request) -> Response:
    return Response(openapi.text(), media_type="application/json")


async def _docs(_: Request) -> Response:
    return HTMLResponse(openapi.page())


async def _alive(_: Request) -> Response:
    return PlainTextResponse("alive\n")


async def _unrouted(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    said = {404: "there is no such path: see /openapi.json", 405: "this path does not take that method: see /openapi.json"}
    return problem(error.status_code, said.get(error.status_code, error.detail), error.headers)


async def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return refused(error)


async def _failed(_: Request, error: Exception) -> Response:
    assert isinstance(error, BeebreadError)
    return failed(error)


async def _gone(_: Request, __: Exception) -> Response:
    return problem(408, "the client went away")


async def _fault(_: Request, __: Exception) -> Response:
    return problem(500, "a fault of this server, which its log tells of; nothing acknowledged is lost")
