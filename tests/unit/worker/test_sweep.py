"""The hourly sweep: done by one process, and again soon by any when it failed."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from beebread.errors import Unavailable
from beebread.model import Batch, Event, Scope, Where
from beebread.policy import keeper_of
from beebread.service.rooms import blob_home
from beebread.settings import load
from beebread.testing.scene import EVERY_STATUS
from beebread.wiring import Plugs, open_plugs
from beebread.worker.loop import SWEEP


async def kept(plugs: Plugs, scope: Scope) -> int:
    where = Where(asker=keeper_of(scope), now=plugs.clock.now(), status=EVERY_STATUS)
    return len(await plugs.store.scan(where, 10))


@pytest.mark.requirement("S4")
def test_a_sweep_that_failed_is_due_at_once(tmp_path: Path) -> None:
    async def story() -> None:
        plugs = await open_plugs(load(home=str(tmp_path), embedder="none"))
        try:
            now, scope = plugs.clock.now(), Scope(user="u")
            gone = Event(
                id="a", scope=scope, kind="user_message", text="x", at=now, origin="human", forgotten_at=now - timedelta(days=400),
                body_ref=await plugs.blobs.put(blob_home(scope), b"a long body"),
            )  # fmt: skip
            await plugs.store.apply(Batch(put=(gone,)))
            before = await plugs.store.mark(SWEEP)
            (tmp_path / "blobs").rename(tmp_path / "away")
            (tmp_path / "blobs").write_text("not a folder")
            with pytest.raises((Unavailable, OSError)):
                await plugs.worker.sweep()
            assert (await plugs.store.mark(SWEEP), await kept(plugs, scope)) == (before, 1)
            (tmp_path / "blobs").unlink()
            (tmp_path / "away").rename(tmp_path / "blobs")
            assert (await plugs.worker.sweep(), await kept(plugs, scope)) == (1, 0)
            assert await plugs.worker.sweep() == 0
        finally:
            await plugs.close()

    asyncio.run(story())
