"""A thread with an event loop of its own, for what belongs to one loop and is asked from many, such as connections."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from beebread.errors import Unavailable

T = TypeVar("T")


class OwnLoop:
    """Started by the first work, and again after `close` or in a forked child; `ending` is awaited in it after all else has ended.

    `what` names in a message whatever it is for.
    """

    def __init__(self, ending: Callable[[], Coroutine[Any, Any, None]], what: str = "the embedder") -> None:
        self._ending = ending
        self._what = what
        self._guard = threading.Lock()
        self._running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None
        self._process = os.getpid()

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """What `work` gives; cancelled with its caller. Raises Unavailable when the loop is closed meanwhile."""
        with self._guard:
            if self._running is None or self._process != os.getpid():  # a fork has no such thread
                self._running, self._process = _started(self._ending), os.getpid()
            future = asyncio.run_coroutine_threadsafe(work, self._running[0])
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if caller is not None and caller.cancelling():
                raise
            raise Unavailable(f"{self._what} is closed; open the memory again") from None

    async def close(self) -> None:
        """End what runs there, and the thread; again does nothing."""
        with self._guard:
            running, self._running = self._running, None
        if running is not None and self._process == os.getpid():
            loop, thread = running
            loop.call_soon_threadsafe(loop.stop)
            await asyncio.to_thread(thread.join)


def _started(ending: Callable[[], Coroutine[Any, Any, None]]) -> tuple[asyncio.AbstractEventLoop, threading.Thread]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=_serve, args=(loop, ending), name="beebread-models", daemon=True)
    thread.start()
    return loop, thread


def _serve(loop: asyncio.AbstractEventLoop, ending: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run until it is stopped, then let everything come to its end."""
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        loop.run_forever()
        runner.run(_end(ending))


async def _end(ending: Callable[[], Coroutine[Any, Any, None]]) -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await ending()
