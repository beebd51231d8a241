"""The server at /mcp: who asks is found out by the same keys, and nobody reads what is not his."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
from mcp.shared.exceptions import MCPError

from beebread import Client
from beebread.faces.rest import ServerOptions
from tests.faces.mcp_clients import MODES, called, over_http, refused
from tests.faces.mcp_wire import HELLO, MODERN_META
from tests.faces.test_serve import running
from tests.served import served

ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def two(tmp_path: Path) -> Generator[tuple[str, dict[str, str]]]:
    """A server with a key for each of two users, and one for everybody's memory."""
    with served(tmp_path / "m", ServerOptions(rate=500), mcp={"full": True}) as url:
        with Client(tmp_path / "m") as admin:
            tokens = {name: admin.key_create(user=name).token for name in ("ann", "bob")}
            tokens["all"] = admin.key_create(roles=("admin", "self"), clearance=3).token
        time.sleep(1.1)
        yield url, tokens


@pytest.mark.requirement("M1", "I1", "I3")
@pytest.mark.parametrize("mode", MODES)
def test_nobody_reads_or_changes_what_is_not_his(two: tuple[str, dict[str, str]], mode: str) -> None:
    url, tokens = two

    async def story() -> None:
        async with over_http(url, tokens["ann"], mode=mode) as ann, over_http(url, tokens["bob"], mode=mode) as bob:
            mine = (await called(ann, "memory_write", content="安的秘密是蜂蜜", key="secret", session_id="s1"))["id"]
            state = await called(ann, "task_state", key="plan", set={"secret": "蜂蜜"})
            for query in ({"query": "秘密"}, {"query": "蜂蜜", "session_id": "s1"}, {"query": "蜂蜜", "user_id": "ann"}):
                assert (await called(bob, "memory_query", **query))["items"] == []
            assert (await called(bob, "memory_list", session_id="s1"))["items"] == []
            assert await called(bob, "task_state", key="plan") == {"key": "plan", "version": 0} and state["version"] == 1
            for tool, arguments in (("memory_update", {"content": "x"}), ("memory_forget", {"erase": True})):
                foreign = await refused(bob, tool, id=mine, **arguments)
                unknown = await refused(bob, tool, id="01a00000-0000-7000-8000-000000000000", **arguments)
                assert foreign["message"].replace(mine, "ID") == unknown["message"].replace("01a00000-0000-7000-8000-000000000000", "ID")
            for uri in (f"memory://item/{mine}", "memory://session/s1/trace"):
                with pytest.raises(MCPError, match="there is no resource"):
                    await bob.read_resource(uri)
            assert "蜂蜜" not in str(await bob.get_prompt("recall", {"topic": "安的秘密"}))
            assert (await called(ann, "memory_query", query="秘密"))["items"][0]["id"] == mine
        async with over_http(url, tokens["all"], mode=mode) as admin:
            assert (await called(admin, "memory_query", query="秘密", user_id="ann"))["items"][0]["id"] == mine
            assert (await called(admin, "memory_query", query="秘密", user_id="bob"))["items"] == []

    asyncio.run(story())


@pytest.mark.requirement("M1", "I3")
def test_keys_that_are_missing_wrong_or_revoked_open_nothing(two: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    url, tokens = two
    for headers in ({}, {"Authorization": "Bearer bb_x_y"}, {"Authorization": "Basic YTpi"}, {"Authorization": f"Bearer {tokens['ann']}x"}):
        answer = httpx.post(f"{url}/mcp", json=HELLO, headers={**ACCEPT, **headers})
        assert answer.status_code == 401 and answer.headers["www-authenticate"].startswith("Bearer"), headers
    greeted = httpx.post(f"{url}/mcp", json=HELLO, headers={**ACCEPT, "Authorization": f"Bearer {tokens['ann']}"})
    assert greeted.status_code == 200
    session = {"Mcp-Session-Id": greeted.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}
    ask: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_list", "arguments": {}}}
    stolen = httpx.post(f"{url}/mcp", json=ask, headers={**ACCEPT, **session})
    assert stolen.status_code == 401, "a session's name is no key"
    with Client(tmp_path / "m") as admin:
        (key,) = [one for one in admin.key_list() if one.principal.user == "ann"]
        admin.key_revoke(key.id)
    time.sleep(1.1)
    assert httpx.post(f"{url}/mcp", json=ask, headers={**ACCEPT, **session, "Authorization": f"Bearer {tokens['ann']}"}).status_code == 401


@pytest.mark.requirement("M1")
def test_strangers_and_nonsense_are_refused_and_the_server_goes_on(tmp_path: Path) -> None:
    modern = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": MODERN_META}}
    right = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}
    with served(tmp_path / "m", ServerOptions(body=50_000), mcp={}) as url:

        def post(content: Any, **given: str) -> httpx.Response:
            headers = {"Content-Type": "application/json", **ACCEPT, **{name.replace("_", "-"): value for name, value in given.items()}}
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            return httpx.post(f"{url}/mcp", content=body, headers=headers)

        assert post(modern, Origin="https://evil.example").status_code == 403
        assert post(modern, Host="evil.example").status_code == 403
        assert post(b"{", **right).status_code == 400
        assert post(b"x" * 60_000, **right).status_code == 413
        assert post(modern, MCP_Protocol_Version="2031-01-01", Mcp_Method="tools/list").status_code == 400
        assert post(modern, MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/call").status_code == 400, "headers that say another thing"
        assert httpx.get(f"{url}/mcp", headers={"Accept": "application/json"}).status_code in (400, 405, 406)
        assert httpx.put(f"{url}/mcp").status_code == 405
        for session in ("nobody", "x" * 5_000):
            assert post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, Mcp_Session_Id=session).status_code in (400, 404)
        listed = post(modern, **right)
        assert listed.status_code == 200 and len(listed.json()["result"]["tools"]) == 5


@pytest.mark.requirement("M1")
def test_the_command_serves_both_doors_on_one_memory(tmp_path: Path) -> None:
    with running(tmp_path / "m") as (_, url):

        async def story() -> None:
            async with over_http(url) as client:
                written = await called(client, "memory_write", content="两扇门，一个记忆")
                found = httpx.get(f"{url}/v1/memories/{written['id']}").json()
                assert found["text"] == "两扇门，一个记忆" and found["trust"] == "model"
                httpx.post(f"{url}/v1/memories", json={"text": "through the other door", "key": "k"})
                (item,) = (await called(client, "memory_query", query="other door", limit=1))["items"]
                assert (item["text"], item["key"]) == ("through the other door", "k")

        asyncio.run(story())
