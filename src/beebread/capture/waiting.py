"""Those who wait until what they recorded is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from concurrent.futures import Future


def answer(tickets: Iterable[Future[None]], failure: BaseException | None) -> None:
    """Tell those who wait for what was recorded that it is kept, or why not."""
    for ticket in tickets:
        if ticket.set_running_or_notify_cancel():
            ticket.set_result(None) if failure is None else ticket.set_exception(failure)


def running_loop() -> asyncio.AbstractEventLoop | None:
    """The loop that the caller runs on; None in a plain thread."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
