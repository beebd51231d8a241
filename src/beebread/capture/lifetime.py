"""What the end of a program, and a fork of it, mean for what records in it."""

from __future__ import annotations

import atexit
import contextlib
import os
import weakref
from typing import Protocol

from beebread.errors import BeebreadError

AT_EXIT = 5.0
"""Seconds that a program's end waits for what it recorded last."""


class Lasting(Protocol):
    """Something that has work to finish."""

    def close(self, timeout: float | None = None) -> None:
        """Finish it, within `timeout` seconds."""
        ...

    def after_fork(self) -> None:
        """Begin anew in a forked child: unfinished work stays the parent's."""
        ...


_alive: weakref.WeakSet[Lasting] = weakref.WeakSet()


def watch(lasting: Lasting) -> None:
    """Close `lasting` when the program ends, if nobody did before, and tell it when it finds itself in a forked child."""
    _alive.add(lasting)


def unwatch(lasting: Lasting) -> None:
    """It was closed."""
    _alive.discard(lasting)


def _at_exit() -> None:
    for lasting in list(_alive):
        with contextlib.suppress(BeebreadError):
            lasting.close(AT_EXIT)


def _after_fork() -> None:
    for lasting in list(_alive):
        lasting.after_fork()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
