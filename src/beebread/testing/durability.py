"""What a durable engine keeps when its process is killed in the middle of a write, and what several processes see of one another."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

from beebread.model import Batch, Event, Mark, Memory, Session, State, new_id, owner, state_id
from beebread.ports import Probe, Store
from beebread.testing.durability_steps import EVENTS, LAG, WORD, events, factory, go_on, scope, where
from beebread.testing.scene import changed, fail, holds, minutes, names, only, same
from beebread.testing.store_search import ranked, rounded
from beebread.text import query_terms

DurableCheck = Callable[[str, Path], Coroutine[Any, Any, None]]
ROUNDS = 4
PROCESSES = 4
WRITES = 15
PATIENCE = 120.0  # seconds for a process to say something


@asynccontextmanager
async def process(mode: str, spec: str, folder: Path, *rest: str) -> AsyncGenerator[Process]:
    """A process of its own that takes steps; killed at the end, whatever happened."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "beebread.testing.durability_steps", mode, spec, str(folder), *rest, stdin=PIPE, stdout=PIPE, stderr=PIPE
    )
    try:
        yield child
    finally:
        if child.returncode is None:
            child.kill()
        await child.communicate()


async def heard(child: Process) -> str:
    """The next line that a process says."""
    if child.stdout is None or child.stderr is None:
        raise AssertionError("a process without output")
    line = await asyncio.wait_for(child.stdout.readline(), PATIENCE)
    if not line:
        fail(f"the process ended: {(await child.stderr.read()).decode(errors='replace')[-2000:]}")
    return line.decode().strip()


async def finished(child: Process) -> None:
    """Let a process come to its end."""
    if child.stdin is not None:
        child.stdin.close()
    _, said = await asyncio.wait_for(child.communicate(), PATIENCE)
    same(child.returncode, 0, f"how the process ended: {said.decode(errors='replace')[-2000:]}")


async def tell(child: Process, line: str) -> None:
    """Say a line to a process."""
    if child.stdin is None:
        raise AssertionError("a process without input")
    child.stdin.write(f"{line}\n".encode())
    await child.stdin.drain()


async def killed_while_writing(spec: str, folder: Path, rounds: int = ROUNDS, seed: int = 1) -> None:
    """Killed in the middle of writes, again and again: what was acknowledged is there, each batch is whole or absent, indexes agree."""
    dice, tenant, last = Random(seed), f"durable-{new_id()}", 0
    for number in range(rounds):
        async with process("go_on", spec, folder, tenant) as child:
            last = int(await heard(child))
            await asyncio.sleep(dice.uniform(0, 0.1))
            child.kill()
            last = max([last, *await rest_of(child)])
        store = await factory(spec)(folder)
        try:
            await intact(store, tenant, last, f"after kill {number}")
        finally:
            await store.close()


async def rest_of(child: Process) -> list[int]:
    """The steps that a killed process still acknowledged; a line that it did not end is none."""
    said, _ = await child.communicate()
    return [int(line) for line in said.decode().split("\n")[:-1]]


async def intact(store: Store, tenant: str, acknowledged: int, when: str) -> None:
    """Fail unless exactly the whole steps up to some one, at least the last acknowledged, are there, in every index."""
    ask, home = where(tenant), owner(scope(tenant))
    steps = await store.mark(f"{tenant}-steps")
    holds(steps >= acknowledged, f"{when}: step {acknowledged} was acknowledged, and {steps} are there")
    kept = [event for step in range(1, steps + 1) for event in events(tenant, step)]
    kept = [event for event in kept if not (event.id.endswith(f"-{EVENTS - 1}") and int(event.id[1:].partition("-")[0]) <= steps - LAG)]
    found = await store.scan(changed(ask, types=("event",)), 1_000_000)
    same(names(found), names(kept), f"{when}: the events of {steps} steps")
    same(len(await store.get(names(kept), ask)), len(kept), f"{when}: events by id")
    counter = only(await store.get(["counter"], ask), f"{when}: the counter")
    same((getattr(counter, "version", 0), getattr(counter, "text", "")), (steps, f"zebra{steps}"), f"{when}: the counter")
    session = only(await store.scan(changed(ask, types=("session",)), 9), f"{when}: sessions")
    same(session.events if isinstance(session, Session) else 0, EVENTS * steps, f"{when}: events of the session")
    lines = [line.operation for _, line in await store.audit(home, 0, 1_000_000)]
    same(lines, [f"step-{step}" for step in range(1, steps + 1)], f"{when}: the diary")
    places = [place for place, record in await store.tail(0, 1_000_000) if record.scope.tenant == tenant]
    same(len(places), len(kept) + 2, f"{when}: the log")
    await indexes_agree(store, tenant, [*kept, *([counter] if isinstance(counter, Memory) else [])], steps, when)
    states = await store.states.list(changed(ask, types=()), 9)
    value = max((int(str(field.value)) for state in states for field in state.fields.values()), default=0)
    holds(acknowledged <= value <= steps, f"{when}: the state knows {value} of {steps} steps, {acknowledged} of them acknowledged")
    versions = await store.states.history(home, state_name(states), 1_000_000) if states else []
    same([state.version for state in versions], list(range(len(versions), 0, -1)), f"{when}: the history of the state")


def state_name(states: list[State]) -> str:
    """The id of the one state."""
    return state_id(only(states, "states"))


async def indexes_agree(store: Store, tenant: str, kept: list[Event | Memory], steps: int, when: str) -> None:
    """Fail unless words, tags and links lead to what is there, all of it and nothing else."""
    ask = where(tenant)

    async def hits(channel: str, *terms: str) -> list[str]:
        return sorted(names(await store.search(Probe(channel=channel, where=ask, limit=1_000_000, terms=terms))))

    present = {record.id for record in kept}
    for step in {1, steps // 2, steps - LAG, steps - 1, steps, steps + 1} - {0}:
        wanted = sorted(event.id for event in events(tenant, step) if event.id in present)
        same(await hits("exact", f"@#step{step}"), wanted, f"{when}: by the tag of step {step}")
        for number in range(EVENTS):
            name = f"e{step}-{number}"
            same(await hits("keyword", f"step{step}x{number}"), [name] if name in present else [], f"{when}: by the word of {name}")
        links = await store.walk([f"e{step}-0"], "down", 99, ask)
        same(len(links), max(len(wanted) - 1, 0), f"{when}: links of step {step}")
    same(await hits("keyword", f"zebra{steps - 1}"), [], f"{when}: by the counter's old text")
    scores = await store.search(Probe(channel="keyword", where=ask, limit=1_000_000, terms=(*query_terms(WORD), f"zebra{steps}")))
    same(rounded(scores), ranked(kept, ask.asker, [*query_terms(WORD), f"zebra{steps}"], kept), f"{when}: scores, and so the statistics")


async def processes_at_once(spec: str, folder: Path, processes: int = PROCESSES, writes: int = WRITES) -> None:
    """Several processes write at once: nothing is lost or doubled, and what one takes by a lease no other takes."""
    tenant = f"durable-{new_id()}"

    async def work(name: str) -> list[str]:
        async with process("count_up", spec, folder, tenant, name, str(writes)) as child:
            same(await heard(child), "ready", "a process that begins")
            await tell(child, "go")
            said = [await heard(child) for _ in range(writes)]
            await finished(child)
            return said

    store = await factory(spec)(folder)
    try:
        said = await asyncio.gather(*(work(f"p{number}") for number in range(processes)))
        wanted = sorted(name for lines in said for name in lines)
        ask = where(tenant)
        same(sorted(names(await store.scan(changed(ask, types=("event",)), 1_000_000))), wanted, "what all processes wrote")
        hits = await store.search(Probe(channel="keyword", where=ask, limit=1_000_000, terms=tuple(query_terms(WORD))))
        same(sorted(names(hits)), wanted, "what is found of it")
        same(await store.mark(f"{tenant}-count"), processes * writes, "the mark that all counted up")
        session = only(await store.scan(changed(ask, types=("session",)), 9), "sessions")
        same(session.events if isinstance(session, Session) else 0, processes * writes, "events of the session that all wrote into")
        state = only(await store.states.list(changed(ask, types=()), 9), "states")
        same((state.version, sorted(state.fields)), (processes * writes, wanted), "the state whose fields all set")
    finally:
        await store.close()


async def processes_see_each_other(spec: str, folder: Path, times: int = 5) -> None:
    """What one process was acknowledged, another that is already open sees with its next read, both ways."""
    tenant = f"durable-{new_id()}"
    store = await factory(spec)(folder)
    try:
        async with process("echo", spec, folder, tenant) as child:
            same(await heard(child), "ready", "a process that begins")
            for number in range(times):
                name = f"question-{number}"
                await store.apply(Batch(put=(Event(id=name, scope=scope(tenant), kind="user_message", at=minutes(1), text=WORD),)))
                await tell(child, name)
                same(await heard(child), "seen", f"write {number} of this process, in the other")
                same(names(await store.get([f"answer-{name}"], where(tenant))), [f"answer-{name}"], f"write {number} of the other process")
                hits = await store.search(Probe(channel="keyword", where=where(tenant), limit=99, terms=tuple(query_terms("answer"))))
                same(len(hits), number + 1, "what is found of the other's writes")
            await finished(child)
    finally:
        await store.close()


async def cancelled_while_writing(spec: str, folder: Path, rounds: int = ROUNDS) -> None:
    """A caller who stops waiting leaves a batch whole or absent, and a store that serves on."""
    tenant = f"durable-{new_id()}"
    told: list[object] = [0]
    store = await factory(spec)(folder)
    try:
        for number in range(rounds):
            ended = await cancelled(store, tenant, told)
            holds(isinstance(ended, asyncio.CancelledError), f"a cancelled writer ended with {ended!r}")
            # Writes are one after another: after this one nothing of the cancelled one is still to come.
            await store.apply(Batch(marks=(Mark(f"{tenant}-barrier", number),)))
            await intact(store, tenant, int(str(told[-1])), f"after cancelling {number}")
    finally:
        await store.close()


async def cancelled(store: Store, tenant: str, told: list[object]) -> BaseException | None:
    """How a writer ended that was cancelled after a few steps, each of which is `told`."""
    enough = asyncio.Event()

    def hear(step: object) -> None:
        told.append(step)
        if len(told) % 4 == 0:
            enough.set()

    writing, hearing = asyncio.create_task(go_on(store, tenant, hear)), asyncio.create_task(enough.wait())
    await asyncio.wait({writing, hearing}, return_when=asyncio.FIRST_COMPLETED)
    writing.cancel()
    hearing.cancel()
    (ended,) = await asyncio.gather(writing, return_exceptions=True)
    return ended


async def reopened_is_same(spec: str, folder: Path) -> None:
    """What was acknowledged is there when the store is closed and opened again."""
    tenant = f"durable-{new_id()}"
    async with process("go_on", spec, folder, tenant) as child:
        await heard(child)
    for _ in range(2):
        store = await factory(spec)(folder)
        try:
            await intact(store, tenant, 1, "opened again")
        finally:
            await store.close()


DURABILITY_CHECKS: dict[str, DurableCheck] = {
    f"durability.{check.__name__}": check
    for check in (reopened_is_same, killed_while_writing, cancelled_while_writing, processes_at_once, processes_see_each_other)
}
