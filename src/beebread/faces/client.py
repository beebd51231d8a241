"""Client: every method of AsyncClient, blocking, over one background loop; nothing is said twice."""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from beebread.errors import Invalid
from beebread.faces.async_client import AsyncClient
from beebread.faces.bound import Bound

P = ParamSpec("P")
R = TypeVar("R")


_starting = threading.Lock()


def _loop() -> asyncio.AbstractEventLoop:
    """The loop that serves every blocking client of this process; two threads that come first at once get the same one."""
    with _starting:
        return _started()


@functools.cache
def _started() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="beebread-loop", daemon=True).start()
    return loop


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_started.cache_clear)  # a child has no such thread


def _runs_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def _blocking(method: Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]]) -> Callable[Concatenate[Client, P], R]:
    """`method` as a plain function: same parameters, same answer, same errors."""

    @functools.wraps(method)
    def call(self: Client, /, *args: P.args, **kwargs: P.kwargs) -> R:
        loop = _loop()
        if _runs_here(loop):
            raise Invalid("a function that this memory calls (tokens, redact) cannot ask it anything: the memory would wait for itself")
        return asyncio.run_coroutine_threadsafe(method(self.awaited, *args, **kwargs), loop).result()

    return call


class Client(Bound):
    """The memory for programs without an event loop; see `Bound` for what it is made with. Every call blocks until it is done."""

    @property
    def awaited(self) -> AsyncClient:
        """This client as an AsyncClient of the same memory and principal."""
        view = object.__new__(AsyncClient)
        view.__dict__.update(self.__dict__)
        return view

    flush = _blocking(AsyncClient.flush)
    settle = _blocking(AsyncClient.settle)
    reembed = _blocking(AsyncClient.reembed)
    import_ = _blocking(AsyncClient.import_)
    write = _blocking(AsyncClient.write)
    query = _blocking(AsyncClient.query)
    context = _blocking(AsyncClient.context)
    explain = _blocking(AsyncClient.explain)
    get = _blocking(AsyncClient.get)
    body = _blocking(AsyncClient.body)
    list = _blocking(AsyncClient.list)
    update = _blocking(AsyncClient.update)
    forget = _blocking(AsyncClient.forget)
    history = _blocking(AsyncClient.history)
    purge = _blocking(AsyncClient.purge)
    sessions = _blocking(AsyncClient.sessions)
    trace = _blocking(AsyncClient.trace)
    state_get = _blocking(AsyncClient.state_get)
    state_set = _blocking(AsyncClient.state_set)
    state_put = _blocking(AsyncClient.state_put)
    state_list = _blocking(AsyncClient.state_list)
    state_history = _blocking(AsyncClient.state_history)
    state_delete = _blocking(AsyncClient.state_delete)
    changes = _blocking(AsyncClient.changes)
    whoami = _blocking(AsyncClient.whoami)
    key_create = _blocking(AsyncClient.key_create)
    key_list = _blocking(AsyncClient.key_list)
    key_revoke = _blocking(AsyncClient.key_revoke)
    health = _blocking(AsyncClient.health)
    close = _blocking(AsyncClient.close)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
