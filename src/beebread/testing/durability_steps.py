"""The steps that a process takes on a durable engine until it is killed, and what must be there after any number of them.

Run as `python -m beebread.testing.durability_steps MODE FACTORY FOLDER TENANT …`; each acknowledged step is one line of output.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path

from beebread.errors import Conflict
from beebread.model import AuditLine, Batch, Cause, Erase, Event, Expect, Field, Mark, Memory, Principal, Scope, State, Where, owner
from beebread.ports import Store
from beebread.testing.scene import STATE_BYTES, minutes

EVENTS = 5
LAG = 3  # a step erases the last event of the step so many before it
WORD = "giraffe"
Factory = Callable[[Path], Awaitable[Store]]


def factory(spec: str) -> Factory:
    """What `module:name` (or `module:class.method`) names: from a folder to an open store."""
    module, _, path = spec.partition(":")
    found: object = import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    return found  # pyright: ignore[reportReturnType] # what the caller named


def scope(tenant: str, user: str = "ann") -> Scope:
    """Where the steps of one run live."""
    return Scope(tenant=tenant, user=user, session="s")


def where(tenant: str, user: str = "ann") -> Where:
    """All that there is of one run."""
    return Where(asker=Principal(tenant=tenant, user=user), now=minutes(0))


def events(tenant: str, step: int) -> list[Event]:
    """The events of one step, each caused by the one before it and found by a word of its own."""
    return [
        Event(
            id=f"e{step}-{number}", scope=scope(tenant), kind="user_message", at=minutes(step + number / 10), tags=(f"step{step}",),
            text=f"{WORD} step{step}x{number} 第{step}步", causes=(Cause(f"e{step}-{number - 1}"),) if number else (),
        )
        for number in range(EVENTS)
    ]  # fmt: skip


def step_batch(tenant: str, step: int) -> Batch:
    """Everything that a batch can do at once, so that half of one would be seen."""
    home = owner(scope(tenant))
    counter = Memory(id="counter", scope=scope(tenant), kind="fact", at=minutes(step), text=f"zebra{step}", version=step)
    return Batch(
        put=(*events(tenant, step), *((counter,) if step == 1 else ())),
        replace=(counter,) if step > 1 else (),
        erase=(Erase(home, f"e{step - LAG}-{EVENTS - 1}", minutes(0)),) if step > LAG else (),
        expect=(Expect(home, "counter", step - 1),),
        marks=(Mark(f"{tenant}-steps", step, step - 1),),
        audit=(AuditLine(at=minutes(step), operation=f"step-{step}", owner=home),),
    )


def state(tenant: str, name: str, value: object, user: str = "ann") -> State:
    """One field of the one state of a run."""
    return State(key="task", scope=scope(tenant, user), fields={name: Field(value)}, updated_at=minutes(1))


def say(line: object) -> None:
    """Acknowledge, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def go_on(store: Store, tenant: str, told: Callable[[object], None] = say) -> None:
    """Take steps until killed."""
    step = await store.mark(f"{tenant}-steps")
    while True:
        step += 1
        await store.apply(step_batch(tenant, step))
        await store.states.set(state(tenant, f"step{step % 7}", step), None, STATE_BYTES)
        told(step)


async def count_up(store: Store, tenant: str, name: str, times: str) -> None:
    """Write, count a shared mark up as one of many, and set a field of one's own."""
    lease = f"{tenant}-count"
    say("ready")
    sys.stdin.readline()
    for number in range(int(times)):
        event = Event(id=f"{name}-{number}", scope=scope(tenant), kind="user_message", at=minutes(number), text=f"{WORD} {name}x{number}")
        while True:
            there = await store.mark(lease)
            try:
                await store.apply(Batch(put=(event,), marks=(Mark(lease, there + 1, there),)))
                break
            except Conflict:
                continue
        await store.states.set(state(tenant, f"{name}-{number}", number), None, STATE_BYTES)
        say(event.id)


async def echo(store: Store, tenant: str) -> None:
    """Tell of each id on a line whether it is seen, then write one of the same number."""
    say("ready")
    while line := await asyncio.to_thread(sys.stdin.readline):
        name = line.strip()
        found = await store.get([name], where(tenant))
        await store.apply(
            Batch(put=(Event(id=f"answer-{name}", scope=scope(tenant), kind="user_message", at=minutes(1), text=f"{WORD} answer"),))
        )
        say("seen" if found else "missing")


MODES: dict[str, Callable[..., Awaitable[None]]] = {"go_on": go_on, "count_up": count_up, "echo": echo}


async def main(mode: str, spec: str, folder: str, *rest: str) -> None:
    """Open the store and do what `mode` says."""
    store = await factory(spec)(Path(folder))
    try:
        await MODES[mode](store, *rest)
    finally:
        await store.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
