"""A process that writes events into a folder and says a line for each acknowledged batch; started by the tests beside it."""

from __future__ import annotations

import asyncio
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from beebread.backends.sqlite_store import SqliteStore
from beebread.model import Batch, Cause, Event, Field, Principal, Scope, State, Where

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
SCOPE = Scope(user="ann", session="shared")
ASKER = Principal(user="ann", roles=("self",))


def made(name: str, number: int, before: str) -> Event:
    """The `number`th event of a writer, caused by the one before."""
    return Event(
        id=f"{name}-{number}", scope=SCOPE, kind="user_message", at=START + timedelta(seconds=number), seq=number,
        text=f"writer {name} 写入 第{number}次 refund 退款", causes=(Cause(before),) if before else (), tags=(name,),
    )  # fmt: skip


async def write(folder: Path, name: str, number: int, size: int) -> None:
    """Write `number` events in batches of `size` and count one state up; each acknowledged batch is told with its milliseconds."""
    store = await SqliteStore.open(folder)
    where = Where(asker=ASKER, now=START + timedelta(days=1), types=("event",), tags=(name,))
    for start in range(0, number, size):
        batch = [made(name, at, f"{name}-{at - 1}" if at else "") for at in range(start, min(start + size, number))]
        began = time.monotonic()
        await store.apply(Batch(put=tuple(batch)))
        spent = (time.monotonic() - began) * 1000
        await store.states.set(State(key="count", scope=SCOPE, fields={name: Field(start + size)}), None, 100_000)
        sys.stdout.write(f"{start + len(batch)} {spent:.1f}\n")
        sys.stdout.flush()
        if start // size % 10 == 0 and len(await store.scan(where, number + 1)) != start + len(batch):
            raise ValueError(f"{name} does not see its own {start + len(batch)} events")
    await store.close()


if __name__ == "__main__":
    asyncio.run(write(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
