"""Two values of one slot: the user is asked where his client can ask him, else the newer one stands."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
import mcp_types as types
from mcp.client.client import Client as McpClient

from beebread import Client
from tests.faces.mcp_clients import MODES, called, over_http, over_stdio
from tests.faces.mcp_wire import MODERN_META, Wire
from tests.served import served

Json = dict[str, Any]
KEY = "user.notify.channel"


class Asked:
    """A user who is asked, and what he is shown."""

    def __init__(self, action: str, choice: str = "replace") -> None:
        self.shown: list[str] = []
        self._answer = types.ElicitResult.model_validate({"action": action, "content": {"choice": choice} if action == "accept" else None})

    async def __call__(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        assert isinstance(params, types.ElicitRequestFormParams)
        assert params.requested_schema["properties"]["choice"]["enum"] == ["replace", "keep"]
        self.shown.append(params.message)
        return self._answer


async def two_values(client: McpClient) -> tuple[dict[str, Any], dict[str, Any]]:
    first = await called(client, "memory_write", content="用邮件通知", type="preference", key=KEY)
    return first, await called(client, "memory_write", content="用飞书通知", type="preference", key=KEY)


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("way", ["stdio", "http"])
@pytest.mark.parametrize("mode", MODES)
def test_the_user_chooses_where_he_can_be_asked(tmp_path: Path, way: str, mode: str) -> None:
    async def with_user(user: Asked, folder: Path, story: Callable[[McpClient], Awaitable[None]]) -> None:
        if way == "stdio":
            async with over_stdio(folder, "--user", "u1", mode=mode, ask=user) as client:
                await story(client)
        else:
            with served(folder, mcp={}) as url:
                async with over_http(url, mode=mode, ask=user) as client:
                    await story(client)

    for number, (user, replaced) in enumerate(
        ((Asked("accept"), True), (Asked("accept", "keep"), False), (Asked("decline"), False), (Asked("cancel"), False))
    ):

        async def story(client: McpClient, user: Asked = user, replaced: bool = replaced) -> None:
            first, second = await two_values(client)
            assert user.shown == ["The memory holds: “用邮件通知”. Shall this replace it: “用飞书通知”?"]
            if replaced:
                assert second == {"id": second["id"], "status": "active", "replaced": [{"id": first["id"], "text": "用邮件通知"}]}
            else:
                assert second == {"id": first["id"], "status": "kept"}
            (found,) = (await called(client, "memory_query", query="怎么通知", type="preference"))["items"]
            assert found["text"] == ("用飞书通知" if replaced else "用邮件通知")

        asyncio.run(with_user(user, tmp_path / str(number), story))


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("mode", MODES)
def test_who_cannot_be_asked_has_the_newer_value_and_is_told_of_both(tmp_path: Path, mode: str) -> None:
    async def story() -> None:
        async with over_stdio(tmp_path / "m", "--user", "u1", mode=mode) as client:
            first, second = await two_values(client)
            assert second["replaced"] == [{"id": first["id"], "text": "用邮件通知"}] and second["id"] != first["id"]
        user = Asked("decline")
        async with over_stdio(tmp_path / "n", "--user", "u1", "--no-ask", mode=mode, ask=user) as client:
            _, second = await two_values(client)
            assert second["replaced"] and not user.shown

    asyncio.run(story())


@pytest.mark.requirement("M1")
def test_an_answer_to_another_question_replaces_nothing(tmp_path: Path) -> None:
    """Between the question and its answer the slot got another value: the user is asked about that one."""
    capable: Json = {**MODERN_META, "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}}}
    write: Json = {"name": "memory_write", "arguments": {"content": "用飞书通知", "key": KEY}}

    def call(wire: Wire, number: int, **more: Any) -> dict[str, Any]:
        wire.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {**write, "_meta": capable, **more}})
        return wire.receive()["result"]

    with Client(tmp_path / "m") as memory, Wire(tmp_path / "m", "--user", "u1") as wire:
        me = memory.bind(user="u1")
        me.write("用邮件通知", key=KEY)
        asked = call(wire, 1)
        ((name, question),) = asked["inputRequests"].items()
        assert asked["resultType"] == "input_required" and "用邮件通知" in question["params"]["message"]
        me.write("用短信通知", key=KEY)
        accepted = {"inputResponses": {name: {"action": "accept", "content": {"choice": "replace"}}}}
        again = call(wire, 2, **accepted)
        assert again["resultType"] == "input_required" and "用短信通知" in str(again["inputRequests"])
        forged: tuple[Json, ...] = ({"x": {"action": "accept"}}, {})
        assert [call(wire, 3, inputResponses=one)["resultType"] for one in forged] == ["input_required"] * 2
        ((name, _),) = again["inputRequests"].items()
        done = call(wire, 4, inputResponses={name: {"action": "accept", "content": {"choice": "replace"}}})
        assert done["structuredContent"]["replaced"][0]["text"] == "用短信通知"
