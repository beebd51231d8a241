"""One table, several faces: the blocking client, the awaited one and the service say the same."""

from __future__ import annotations

import asyncio
import inspect
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from beebread import AsyncClient, Client
from beebread.operations import OPERATIONS
from beebread.service import Service

AWAITED = {name for name, value in vars(AsyncClient).items() if inspect.iscoroutinefunction(value) and not name.startswith("_")}


@pytest.mark.requirement("M3")
def test_both_clients_have_the_same_methods_and_parameters() -> None:
    blocking = {name for name in vars(Client) if not name.startswith("_")} - {"awaited"}
    assert blocking == AWAITED
    for name in AWAITED:
        assert inspect.signature(getattr(Client, name)) == inspect.signature(getattr(AsyncClient, name)), name
        assert getattr(Client, name).__doc__, name


def test_every_operation_is_a_method_of_the_service_and_of_the_clients() -> None:
    for name, operation in OPERATIONS.items():
        assert inspect.iscoroutinefunction(getattr(Service, name)), name
        assert hasattr(AsyncClient, name) or name == "append", name
        assert operation.path.startswith("/v1/")
        hints = list(inspect.signature(getattr(Service, name)).parameters)
        assert hints[1] == "who", f"{name} must be asked by somebody"


@pytest.mark.requirement("M3")
def test_awaited_and_blocking_see_the_same_memory(tmp_path: Path) -> None:
    async def story() -> list[str]:
        async with AsyncClient(tmp_path) as memory:
            me = memory.bind(user="u", session="s")
            me.record("user_message", "订单号是 ORD-7781", id="e1")
            await me.write("prefers mornings", id="m1")
            await me.state_set("k_1", fields={"a": 1})
            found = await asyncio.gather(*(me.query("ORD-7781") for _ in range(20)))
            assert len({tuple(item.id for item in one) for one in found}) == 1
            return [item.id for item in found[0]]

    ids = asyncio.run(story())
    with Client(tmp_path) as memory:
        me = memory.bind(user="u", session="s")
        assert [item.id for item in me.query("ORD-7781")] == ids == ["e1"]
        assert me.get("m1") is not None and me.state_get("k_1") is not None


@pytest.mark.requirement("C3", "C4")
def test_many_threads_record_and_ask_at_once(tmp_path: Path) -> None:
    with Client(tmp_path) as memory:

        def run(number: int) -> None:
            me = memory.bind(user=f"user{number % 3}", session=f"s{number}")
            for step in range(20):
                name = me.record("user_message", f"线程 {number} 说第 {step} 句", id=f"t{number}-{step}")
                if step % 5 == 0:
                    assert me.get(name) is not None
                    assert name in [item.id for item in me.query(f"线程 {number} 第 {step} 句", sessions=[f"s{number}"], limit=30)]

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(run, range(8)))
        memory.flush()
        counts = [memory.bind(user=f"user{number}").health().counts.get("event", 0) for number in range(3)]
        assert counts == [60, 60, 40]
