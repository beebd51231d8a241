"""Which session, step and adapter the present thread or task is in, so that a line of capture need not say."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec
from msgspec import Struct

from beebread.capture.track import Chain
from beebread.model import Actor


class Here(Struct, frozen=True, kw_only=True):
    """Defaults for what is recorded here; empty ones say nothing. `chain` is where the causes of this step stand."""

    session: str = ""
    task: str = ""
    run: str = ""
    root_session: str = ""
    actor: Actor = Actor()
    parent: str = ""
    chain: Chain | None = None
    adapter: str = ""


NOWHERE = Here()
here: ContextVar[Here] = ContextVar("beebread_here", default=NOWHERE)


@contextmanager
def session(
    session: str, *, task: str = "", run: str = "", agent: str | Actor = "", root_session: str = "", parent: str = ""
) -> Generator[None]:
    """Record what happens inside as part of this session; what is given on a record itself goes before it.

    A session inside another one (a sub-agent's) keeps the other as its root; `parent` is the step that began it.
    """
    outer = here.get()
    actor = agent if isinstance(agent, Actor) else Actor(agent) if agent else outer.actor
    inner = Here(
        session=session, task=task or outer.task, run=run or outer.run, actor=actor, parent=parent or outer.parent,
        root_session=root_session or outer.root_session or (outer.session if outer.session != session else ""),
        chain=Chain([parent] if parent else ()), adapter=outer.adapter,
    )  # fmt: skip
    token = here.set(inner)
    try:
        yield
    finally:
        here.reset(token)


@contextmanager
def step(parent: str, *, causes: tuple[str, ...] = ()) -> Generator[None]:
    """Record what happens inside as parts of the event `parent` (a model_call's outputs, a tool_call's sub-agent), a chain of its own.

    Its first event is caused by `causes`, or by `parent` when none are given. Branches that run at once each take a step of their own.
    """
    token = here.set(msgspec.structs.replace(here.get(), parent=parent, chain=Chain(causes or (parent,))))
    try:
        yield
    finally:
        here.reset(token)


@contextmanager
def capturing(adapter: str) -> Generator[bool]:
    """Claim what happens inside for `adapter`; False when an outer adapter already captures it, and this one is to stay silent."""
    outer = here.get()
    if outer.adapter and outer.adapter != adapter:
        yield False
        return
    token = here.set(msgspec.structs.replace(outer, adapter=adapter))
    try:
        yield True
    finally:
        here.reset(token)
