"""What the server says of itself keeps to what every client takes, and is the same from the first words and from the SDK."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from beebread import Client, __version__
from beebread.faces.mcp import facts
from beebread.faces.mcp.first import First, Lines, Output
from beebread.model import MEMORY_KINDS
from tests.faces.mcp_wire import MODERN_META

FORBIDDEN = ("anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "additionalProperties", "const", "patternProperties", "if")
KNOWN = {"type", "description", "properties", "required", "items", "enum", "default", "minimum", "maximum"}


def schemas(tool: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside a tool's, with its path."""
    waiting: list[tuple[str, dict[str, Any]]] = [(f"{tool['name']}.{side}", tool[side]) for side in ("inputSchema", "outputSchema")]
    while waiting:
        path, schema = waiting.pop()
        yield path, schema
        waiting += [(f"{path}.{name}", one) for name, one in schema.get("properties", {}).items()]
        if "items" in schema:
            waiting.append((f"{path}[]", schema["items"]))


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("tool", facts.tools(full=True), ids=lambda tool: tool["name"])
def test_schemas_are_in_the_subset_that_every_client_takes(tool: dict[str, Any]) -> None:
    for path, schema in schemas(tool):
        assert not [word for word in FORBIDDEN if word in schema], path
        assert schema.keys() <= KNOWN, path
        assert isinstance(schema["type"], str), f"{path}: a type is one word, never a list"
        assert schema["type"] != "array" or schema["items"]["type"], path
        assert all(isinstance(value, str) for value in schema.get("enum", ())), path
        assert schema.get("description") or schema["type"] == "object" or path.endswith("[]"), path
    for side in ("inputSchema", "outputSchema"):
        assert tool[side]["type"] == "object" and set(tool[side].get("required", ())) <= tool[side]["properties"].keys()
    assert "agent_id" in tool["inputSchema"]["properties"]
    assert re.fullmatch(r"[a-z_]{1,40}", tool["name"]) and tool["title"] and 40 < len(tool["description"]) < 400
    hints = tool["annotations"]
    assert hints["openWorldHint"] is False and not (hints["readOnlyHint"] and hints["destructiveHint"])


@pytest.mark.requirement("M1")
def test_the_tools_are_those_of_the_interface_in_their_order() -> None:
    takes = {tool["name"]: (list(tool["inputSchema"]["properties"]), tool["inputSchema"].get("required", [])) for tool in facts.TOOLS}
    assert takes == {
        "memory_write": (["content", "type", "key", "tags", "task_id", "session_id", "confidence", "space", "agent_id"], ["content"]),
        "memory_query": (["query", "limit", "type", "tags", "after", "before", "session_id", "budget", "top_k", "agent_id"], ["query"]),
        "memory_update": (["id", "content", "tags", "confidence", "version", "agent_id"], ["id"]),
        "memory_forget": (["id", "reason", "erase", "agent_id"], ["id"]),
        "memory_list": (["session_id", "task_id", "type", "cursor", "limit", "agent_id"], []),
    }
    assert [tool["name"] for tool in facts.MORE_TOOLS] == ["memory_context", "task_state"]
    assert facts.TYPES.split(", ") == list(MEMORY_KINDS)


def lines_of(requests: Sequence[dict[str, Any]], out: Output) -> Lines:
    return Lines(io.BytesIO(b"".join(json.dumps(one).encode() + b"\n" for one in requests)), out)


def first_words(requests: Sequence[dict[str, Any]]) -> dict[Any, Any]:
    """What is answered before anything is loaded, by the requests' ids."""
    said = io.BytesIO()
    out = Output(said)
    first, lines = First(out, full=True, structured=True), lines_of(requests, out)
    while (found := lines.next())[0]:
        assert first.answers(*found), found
    return results(said)


def sdk_words(folder: Path, requests: Sequence[dict[str, Any]]) -> dict[Any, Any]:
    """What the SDK answers to the same."""
    from beebread.faces.mcp.server import make_server
    from beebread.faces.mcp.stdio import Stdio

    said = io.BytesIO()
    out = Output(said)
    client = Client(folder)
    service, who = client.operations
    server = Stdio(client, make_server(service, lambda _: who, full=True))
    server.serve(lines_of(requests, out), out)
    server.close()
    return results(said)


def results(said: io.BytesIO) -> dict[Any, Any]:
    return {one["id"]: one["result"] for one in map(json.loads, said.getvalue().splitlines())}


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("revision", [*facts.HANDSHAKE, *facts.MODERN, "2023-01-01", "2031-01-01"])
def test_the_first_words_are_what_the_sdk_says(tmp_path: Path, revision: str) -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    modern = revision in facts.MODERN
    meta = {"_meta": MODERN_META} if modern else {}
    hello = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    requests = [{"jsonrpc": "2.0", "id": 0, "method": "server/discover" if modern else "initialize", "params": meta if modern else hello}]
    requests += [] if modern else [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    methods = ["tools/list", "resources/list", "resources/templates/list", "prompts/list", *([] if modern else ["ping"])]
    requests += [{"jsonrpc": "2.0", "id": number, "method": method, "params": meta} for number, method in enumerate(methods, 1)]
    mine, theirs = first_words(requests), sdk_words(tmp_path / "m", requests)
    assert mine == theirs and len(mine) == len(methods) + 1
    if not modern:
        assert mine[0]["protocolVersion"] == (revision if revision in facts.HANDSHAKE else "2025-11-25")
        assert mine[0]["serverInfo"]["version"] == __version__


@pytest.mark.requirement("M1")
def test_older_clients_are_told_only_what_their_revision_knows() -> None:
    (tool, *_) = facts.told(facts.tools(full=False), "2024-11-05")
    assert tool.keys() == {"name", "description", "inputSchema"}
    (tool, *_) = facts.told(facts.tools(full=False), "2025-03-26")
    assert tool.keys() == {"name", "description", "inputSchema", "annotations"}
    (tool, *_) = facts.told(facts.tools(full=False), "2025-06-18")
    assert tool.keys() == {"name", "title", "description", "inputSchema", "outputSchema", "annotations"}
