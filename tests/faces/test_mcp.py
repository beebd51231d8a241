"""The memory through the protocol's official client: over stdio and HTTP, in both eras, in both languages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
import mcp_types as types
import msgspec
from mcp.client.client import Client as McpClient
from mcp.shared.exceptions import MCPError

from beebread import Client
from tests.faces.mcp_clients import MODES, called, over_http, over_stdio, refused
from tests.served import served

Story = Callable[[McpClient], Awaitable[None]]
FOREIGN = "01a00000-0000-7000-8000-000000000000"


@asynccontextmanager
async def memory(folder: Path, way: str, mode: str, *options: str) -> AsyncGenerator[McpClient]:
    """A client of the memory in `folder`, for the user u1."""
    if way == "stdio":
        async with over_stdio(folder, "--user", "u1", "--tools", "full", *options, mode=mode) as client:
            yield client
    else:
        with served(folder, mcp={"full": True}) as url:
            with Client(folder) as admin:
                token = admin.key_create(user="u1").token
            await asyncio.sleep(1.1)  # a server learns of the first key within a second
            async with over_http(url, token, mode=mode) as client:
                yield client


@pytest.fixture(params=[(way, mode) for way in ("stdio", "http") for mode in MODES], ids="-".join)
def told(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Story], None]:
    """Runs a story with a client, over each transport and in each era."""

    def run(story: Story) -> None:
        async def whole() -> None:
            async with memory(tmp_path / "m", *request.param) as client:
                await story(client)

        asyncio.run(whole())

    return run


@pytest.mark.requirement("M1", "I3")
def test_what_is_written_is_found_corrected_listed_and_forgotten(told: Callable[[Story], None]) -> None:
    async def story(client: McpClient) -> None:
        assert client.instructions and "memory_query" in client.instructions and "长期记忆" in client.instructions
        written = await called(
            client,
            "memory_write",
            content="以后用飞书通知我，不要发邮件",
            type="preference",
            key="user.notify",
            tags=["通知"],
            confidence=0.9,
        )
        assert written.keys() == {"id", "status"} and written["status"] == "active"
        again = await called(
            client, "memory_write", content="以后用飞书通知我，不要发邮件", type="preference", key="user.notify", confidence=0.9
        )
        assert again == {"id": written["id"], "status": "active", "seen": True}
        await called(client, "memory_write", content="The crawler writes into PostgreSQL", task_id="t1", session_id="s1")
        # The very call that users' prompts already hold.
        found = await called(client, "memory_query", agent_id="helper", query="怎么通知我?", top_k=3)
        first = found["items"][0]
        assert (first["id"], first["type"], first["key"], first["tags"]) == (written["id"], "preference", "user.notify", ["通知"])
        assert (
            first["text"] == "以后用飞书通知我，不要发邮件"
            and first["score"] > 0
            and first["at"].endswith("Z")
            and first["confidence"] == 0.9
        )
        assert len((await called(client, "memory_query", query="PostgreSQL", limit=1))["items"]) == 1
        assert (await called(client, "memory_query", query="PostgreSQL", type="preference"))["items"] == []
        assert (await called(client, "memory_query", query="PostgreSQL", after="2100-01-01"))["items"] == []
        budgeted = await called(client, "memory_query", query="where does the crawler write?", budget=500)
        assert "PostgreSQL" in budgeted["text"]
        updated = await called(client, "memory_update", id=first["id"], content="以后用企业微信通知我", version=first["version"])
        assert updated == {"id": first["id"], "status": "updated", "version": 2, "text": "以后用企业微信通知我"}
        stale = await refused(client, "memory_update", id=first["id"], content="又改回飞书", version=1)
        assert stale["error"] == "Conflict" and stale["current"]["text"] == "以后用企业微信通知我"
        listed = await called(client, "memory_list", limit=1)
        assert [one["text"] for one in listed["items"]] == ["以后用企业微信通知我"]
        rest = await called(client, "memory_list", limit=1, cursor=listed["cursor"])
        assert [one["text"] for one in rest["items"]] == ["The crawler writes into PostgreSQL"] and rest["items"][0]["session_id"] == "s1"
        assert "cursor" not in rest
        assert len((await called(client, "memory_list", task_id="t1"))["items"]) == 1
        gone = await called(client, "memory_forget", id=first["id"], reason="不再需要")
        assert gone["status"] == "forgotten" and first["id"] in gone["ids"]
        for word in ("飞书", "企业微信"):
            left = await called(client, "memory_query", query=word)
            assert word not in str(left)
        (item,) = (await called(client, "memory_list"))["items"]
        assert (await called(client, "memory_forget", id=item["id"], erase=True))["status"] == "erased"
        assert (await called(client, "memory_query", query="PostgreSQL"))["items"] == []

    told(story)


@pytest.mark.requirement("M1", "W2")
def test_a_task_and_the_context_of_the_next_call(told: Callable[[Story], None]) -> None:
    async def story(client: McpClient) -> None:
        assert await called(client, "task_state", key="trip_42") == {"key": "trip_42", "version": 0}
        state = await called(client, "task_state", key="trip_42", set={"city": "成都", "nights": 3}, step="hotel")
        assert (state["version"], state["fields"], state["step"]) == (1, {"city": "成都", "nights": 3}, "hotel")
        later = await called(client, "task_state", key="trip_42", set={"nights": 4}, version=1)
        assert later["fields"] == {"city": "成都", "nights": 4} and later["step"] == "hotel"
        stale = await refused(client, "task_state", key="trip_42", set={"nights": 5}, version=1)
        assert stale["error"] == "Conflict" and stale["current"]["fields"]["nights"] == 4
        await called(client, "memory_write", content="客户要求周五前交付")
        pack = await called(client, "memory_context", query="客户什么时候要?", budget=800)
        assert "周五前交付" in str(pack["messages"]) and 0 < pack["tokens"] <= 800 and pack["sources"]

    told(story)


@pytest.mark.requirement("M1")
def test_resources_and_prompts(told: Callable[[Story], None]) -> None:
    async def story(client: McpClient) -> None:
        written = await called(client, "memory_write", content="王经理喜欢喝龙井茶", session_id="会 1")
        assert [str(one.uri) for one in (await client.list_resources()).resources] == ["memory://stats"]
        templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        assert templates == ["memory://item/{id}", "memory://session/{id}/trace"]
        stats = await _read(client, "memory://stats")
        assert stats["ok"] is True and stats["counts"]["memory"] == 1 and "home" not in stats
        item = await _read(client, f"memory://item/{written['id']}")
        assert (item["text"], item["id"]) == ("王经理喜欢喝龙井茶", written["id"])
        for unknown in (
            f"memory://item/{FOREIGN}",
            "memory://item/",
            "memory://session/nobody/trace",
            "memory://other",
            "file:///etc/passwd",
        ):
            with pytest.raises(MCPError, match="there is no resource"):
                await client.read_resource(unknown)
        prompts = {one.name: one for one in (await client.list_prompts()).prompts}
        assert list(prompts) == ["recall", "remember"] and all(one.arguments for one in prompts.values())
        recalled = await client.get_prompt("recall", {"topic": "王经理"})
        assert "龙井茶" in str(recalled.messages[0].content)
        assert "memory_write" in str((await client.get_prompt("remember", {"what": "周五交稿"})).messages[0].content)
        for name, arguments in (("recall", {}), ("recall", {"topic": "  "}), ("nothing", {})):
            with pytest.raises(MCPError, match="needs topic|no prompt"):
                await client.get_prompt(name, arguments)

    told(story)


async def _read(client: McpClient, uri: str) -> dict[str, Any]:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, types.TextResourceContents)
    return msgspec.json.decode(content.text)


@pytest.mark.requirement("M1", "M7")
def test_what_makes_no_sense_is_said_so_that_a_model_can_mend_it(told: Callable[[Story], None]) -> None:
    bad: list[tuple[str, dict[str, Any], str]] = [
        ("memory_write", {}, "needs content"),
        ("memory_write", {"content": "   "}, "text"),
        ("memory_write", {"content": "龘" * 300_000}, "at most 65536 bytes"),
        ("memory_write", {"content": 5}, "content must be a string"),
        ("memory_write", {"content": "x", "space": "galaxy"}, "space must be one of private, session, shared"),
        ("memory_write", {"content": "x", "confidence": 7}, "confidence must be from 0 to 1"),
        ("memory_write", {"content": "x", "confidence": True}, "confidence must be a number"),
        ("memory_write", {"content": "x", "tags": "one"}, "tags must be an array"),
        ("memory_write", {"content": "x", "tags": [1]}, "tags must be a list of texts"),
        ("memory_write", {"content": "x", "type": "不存在的类型"}, "kind"),
        ("memory_write", {"content": "x", "colour": "red"}, "no parameter 'colour'"),
        ("memory_query", {"query": ["x"]}, "query must be a string"),
        ("memory_query", {"query": "x", "limit": 0}, "limit must be from 1 to 100"),
        ("memory_query", {"query": "x", "limit": 5, "top_k": 5}, "limit is given twice"),
        ("memory_query", {"query": "x", "after": "neulich"}, "after"),
        ("memory_query", {"query": "x", "after": "2026-02-30"}, "no day of the calendar"),
        ("memory_query", {"query": "x", "budget": 1}, "budget"),
        ("memory_update", {"id": FOREIGN, "content": "x"}, "no "),
        ("memory_update", {"id": FOREIGN}, "nothing to change"),
        ("memory_forget", {"id": "../../etc/passwd"}, "no record"),
        ("memory_forget", {"id": "x" * 100_000}, "no record"),
        ("memory_forget", {"id": FOREIGN, "erase": "yes"}, "erase must be a boolean"),
        ("memory_list", {"cursor": "!!"}, "cursor"),
        ("task_state", {"key": "k", "set": [1]}, "set must be an object"),
    ]

    async def story(client: McpClient) -> None:
        for tool, arguments, why in bad:
            said = await refused(client, tool, **arguments)
            assert why in said["message"], (tool, arguments, said)
            assert len(said["message"]) < 2_000
        with pytest.raises(MCPError, match="there is no tool 'memory_dance'"):
            await client.call_tool("memory_dance", {})
        for text in ("\x00\ud83d", "龘" * 20_000, "\u202eevil", "'; DROP TABLE records; --"):
            written = await called(client, "memory_write", content=text.encode("utf-8", "replace").decode())
            assert written["status"] == "active"
        (whole,) = [one for one in (await called(client, "memory_list"))["items"] if "more" in one]
        assert len(whole["text"]) < 5_000 and len((await _read(client, whole["more"]))["text"]) == 20_000

    told(story)


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("mode", MODES)
def test_text_alone_for_clients_that_take_nothing_else(tmp_path: Path, mode: str) -> None:
    async def story() -> None:
        async with over_stdio(tmp_path / "m", "--user", "u1", "--text-only", mode=mode) as client:
            assert [one.name for one in (await client.list_tools()).tools][-1] == "memory_list"
            result = await client.call_tool("memory_write", {"content": "tea"})
            assert result.structured_content is None and '"status":"active"' in str(result.content)

    asyncio.run(story())
