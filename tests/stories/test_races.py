"""Two at once: what one forgot, the other's write that had begun before does not bring back."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from beebread import AsyncClient, Client, NotFound
from beebread.clock import ManualClock


class Moment(ManualClock):
    """A clock that lets something happen, to its end, when the time is asked for the `after`-th time from now."""

    def __init__(self) -> None:
        super().__init__(datetime(2026, 11, 30, 9, 0, tzinfo=UTC))
        self.left, self.happens = 0, lambda: None

    def when(self, after: int, happens: Callable[[], Coroutine[Any, Any, object]]) -> None:
        async def happening() -> None:
            with suppress(NotFound):  # it came too late
                await happens()

        def run() -> None:
            thread = threading.Thread(target=lambda: asyncio.run(happening()))
            thread.start()
            thread.join()

        self.left, self.happens = after, run

    def now(self) -> datetime:
        self.left -= 1
        if self.left == 0:
            self.happens()
        return super().now()


@pytest.mark.requirement("L4", "S4")
@pytest.mark.parametrize("after", range(1, 6))
def test_an_update_that_had_begun_does_not_bring_back_the_forgotten(tmp_path: Path, after: int) -> None:
    clock = Moment()
    with Client(tmp_path) as setting_up:
        other: AsyncClient = setting_up.bind(user="u").awaited
        with Client(tmp_path, clock=clock) as memory:
            me = memory.bind(user="u")
            me.write("门禁密码 2290", id="m")
            clock.when(after, lambda: other.forget("m"))
            with suppress(NotFound):
                me.update("m", text="门禁密码 2291")
            never, clock.left = clock.left > 0, 0
            if never:
                me.forget("m")
            assert me.get("m") is None and not len(me.query("门禁密码", history=True))


@pytest.mark.requirement("L4", "S4")
@pytest.mark.parametrize("after", range(1, 8))
def test_a_write_to_its_slot_does_not_bring_back_the_forgotten(tmp_path: Path, after: int) -> None:
    clock = Moment()
    with Client(tmp_path) as setting_up:
        other: AsyncClient = setting_up.bind(user="u").awaited
        with Client(tmp_path, clock=clock) as memory:
            me = memory.bind(user="u")
            me.write("lives at Elm Street 9", key="home", id="old")
            clock.when(after, lambda: other.forget("old"))
            new = me.write("lives at Oak Street 1", key="home")
            never, clock.left = clock.left > 0, 0
            if never:
                me.forget("old")
            assert me.get("old") is None
            assert [item.id for item in me.query("lives at", history=True)] == [new]


@pytest.mark.requirement("L4")
@pytest.mark.parametrize("after", range(1, 6))
def test_forgetting_takes_the_version_that_was_written_meanwhile(tmp_path: Path, after: int) -> None:
    clock = Moment()
    with Client(tmp_path) as setting_up:
        other: AsyncClient = setting_up.bind(user="u").awaited
        with Client(tmp_path, clock=clock) as memory:
            me = memory.bind(user="u")
            me.write("the pin is 1111", id="m")
            clock.when(after, lambda: other.update("m", text="the pin is 2222"))
            me.forget("m")
            clock.left = 0
            assert me.get("m") is None and not len(me.query("pin", history=True))
            assert memory.purge() in (1, 2)
            assert not me.list(types=["memory"], history=True).items


OPENED_AND_CLOSED = """
import sys
from beebread import Client
with Client(sys.argv[1], embedder="none") as memory:
    print(memory.bind(user="u").health().counts.get("event", 0))
"""


@pytest.mark.requirement("S4")
def test_a_folder_opened_twice_here_is_not_taken_for_closed_elsewhere(tmp_path: Path) -> None:
    """Another process that opens and closes the folder must not delete the log that is still written to here."""
    folder = tmp_path / "twice"
    with Client(folder) as first, Client(folder) as second:
        for number, client in enumerate((first, second, first)):
            client.bind(user="u", session="s").record("user_message", f"word{number}")
            client.flush()
            for _ in range(2):
                done = subprocess.run([sys.executable, "-c", OPENED_AND_CLOSED, str(folder)], capture_output=True, text=True, check=True)
                assert int(done.stdout) == number + 1
            assert first.bind(user="u").health().counts["event"] == second.bind(user="u").health().counts["event"] == number + 1
    with Client(folder) as again:
        assert again.bind(user="u").health().counts["event"] == 3
