"""Every operation through every face: Python, opened here and on a server; HTTP as any program sends it; the command line; MCP.

Each face gets a copy of one prepared memory and is asked the same things in the same order. What Python answers here is the measure.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import httpx
import mcp_types as types
import msgspec
import pytest
from click.testing import CliRunner
from msgspec import Struct

from beebread import BeebreadError, Client
from beebread.faces.cli.root import beebread_command
from beebread.operations import OPERATIONS
from tests.faces.mcp_clients import over_stdio
from tests.served import served

DAY = datetime(2026, 3, 2, 9, tzinfo=UTC)
LONG = "日志 line\n" * 40_000
CSV = "\n".join(f"row {number}" for number in range(200))
Json = Any
Told = Callable[[Json], Json]


def same(answer: Json) -> Json:
    return answer


def items(answer: Json) -> Json:
    return {"items": answer}


class Asked(Struct, frozen=True):
    """One question as each face takes it, and how the face tells the answer that Python gives."""

    operation: str
    python: Callable[[Client], Any]
    verb: str
    path: str
    given: Mapping[str, Any] = {}
    answer: Told = same
    shell: tuple[str, ...] = ()
    printed: Told = same
    tool: str = ""
    arguments: Mapping[str, Any] = {}
    told: Told = same


def found(answer: Json) -> Json:
    """The items of an answer as an agent is told of them."""
    return {"items": [{"id": one["id"], "type": one["kind"], "text": one["text"], "at": one["at"]} for one in answer["items"]]}


def of_state(answer: Json) -> Json:
    return {
        "key": answer["key"], "version": answer["version"], "fields": {name: one["value"] for name, one in answer["fields"].items()},
        "step": answer.get("step", ""),
    }  # fmt: skip


ASKED: list[Asked] = [
    Asked("whoami", lambda me: me.whoami(), "GET", "/v1/whoami"),
    Asked(
        "write", lambda me: {"id": me.write("prefers 飞书 for notices", kind="preference", key="notify", id="m1")},
        "POST", "/v1/memories", {"text": "prefers 飞书 for notices", "kind": "preference", "key": "notify", "id": "m1"},
        lambda answer: {**answer, "seen": False, "status": "active", "superseded": []},
        ("write", "prefers 飞书 for notices", "--kind", "preference", "--key", "notify", "--id", "m1"),
        tool="memory_write", arguments={"content": "prefers 飞书 for notices", "type": "preference", "key": "notify"},
        told=lambda answer: {**answer, "status": "active"},
    ),
    Asked(
        "query", lambda me: me.query("怎么通知我 notices", limit=5), "POST", "/v1/query", {"text": "怎么通知我 notices", "limit": 5},
        shell=("query", "怎么通知我 notices", "--limit", "5"),
        tool="memory_query", arguments={"query": "怎么通知我 notices", "limit": 5}, told=found,
    ),
    Asked(
        "query", lambda me: me.query("端口 8043", types=("event",), chain=True), "POST", "/v1/query",
        {"text": "端口 8043", "types": ["event"], "chain": True}, shell=("query", "端口 8043", "--type", "event", "--chain"),
        tool="memory_query", arguments={"query": "端口 8043", "type": "event"}, told=found,
    ),
    Asked(
        "query", lambda me: me.query(tool="read_file", args={"path": "a.csv"}), "POST", "/v1/query",
        {"tool": "read_file", "args": {"path": "a.csv"}}, shell=("query", "--tool", "read_file", "--args", '{"path": "a.csv"}'),
    ),
    Asked(
        "context", lambda me: me.context("端口是多少? notices", budget=900), "POST", "/v1/context",
        {"query": "端口是多少? notices", "budget": 900}, shell=("context", "端口是多少? notices", "--budget", "900"),
        tool="memory_context", arguments={"query": "端口是多少? notices", "budget": 900},
        told=lambda answer: {"messages": answer["messages"], "tokens": answer["tokens"]},
    ),
    Asked("get", lambda me: me.get("e2"), "GET", "/v1/memories/e2", shell=("get", "e2")),
    Asked("get", lambda me: me.get("nothing"), "GET", "/v1/memories/nothing", shell=("get", "nothing")),
    Asked("body", lambda me: me.body("e5").decode(), "GET", "/v1/memories/e5/body"),
    Asked(
        "list", lambda me: me.list(types=("event", "memory"), limit=3), "GET", "/v1/memories", {"types": ["event", "memory"], "limit": 3},
        shell=("list", "--type", "event", "--type", "memory", "--limit", "3"),
    ),
    Asked(
        "list", lambda me: me.list(kinds=("preference",)), "GET", "/v1/memories", {"kinds": "preference"},
        shell=("list", "--kind", "preference"), tool="memory_list", arguments={"type": "preference"}, told=found,
    ),
    Asked(
        "update", lambda me: me.update("m1", text="prefers e-mail", version=1), "PATCH", "/v1/memories/m1",
        {"text": "prefers e-mail", "version": 1}, shell=("update", "m1", "--text", "prefers e-mail", "--version", "1"),
        tool="memory_update", arguments={"id": "m1", "content": "prefers e-mail", "version": 1},
        told=lambda answer: {"id": answer["id"], "version": answer["version"], "text": answer["text"], "status": "updated"},
    ),
    Asked(
        "update", lambda me: me.update("m1", text="other", version=1), "PATCH", "/v1/memories/m1", {"text": "other", "version": 1},
        shell=("update", "m1", "--text", "other", "--version", "1"),
        tool="memory_update", arguments={"id": "m1", "content": "other", "version": 1},
    ),
    Asked("history", lambda me: me.history("m1"), "GET", "/v1/memories/m1/history", answer=items, shell=("history", "m1")),
    Asked("sessions", lambda me: me.sessions(), "GET", "/v1/sessions", shell=("sessions",)),
    Asked("trace", lambda me: me.trace("s1"), "GET", "/v1/sessions/s1/trace", shell=("trace", "s1")),
    Asked("trace", lambda me: me.trace(id="e4"), "GET", "/v1/trace", {"id": "e4"}),
    Asked("explain", lambda me: me.explain("端口", expect="e1"), "POST", "/v1/explain", {"query": "端口", "expect": "e1"}),
    Asked(
        "state_set", lambda me: me.state_set("trip_42", fields={"city": "成都", "nights": 3}, step="hotel"), "PATCH", "/v1/states/trip_42",
        {"fields": {"city": "成都", "nights": 3}, "step": "hotel"},
        shell=("state", "set", "trip_42", "city=成都", "nights=3", "--step", "hotel"),
        tool="task_state", arguments={"key": "trip_42", "set": {"city": "成都", "nights": 3}, "step": "hotel"}, told=of_state,
    ),
    Asked(
        "state_set", lambda me: me.state_set("trip_42", fields={"nights": 4}, version=9), "PATCH", "/v1/states/trip_42",
        {"fields": {"nights": 4}, "version": 9}, shell=("state", "set", "trip_42", "nights=4", "--version", "9"),
        tool="task_state", arguments={"key": "trip_42", "set": {"nights": 4}, "version": 9},
    ),
    Asked(
        "state_get", lambda me: me.state_get("trip_42"), "GET", "/v1/states/trip_42", shell=("state", "get", "trip_42"),
        tool="task_state", arguments={"key": "trip_42"}, told=of_state,
    ),
    Asked("state_list", lambda me: me.state_list(), "GET", "/v1/states", shell=("state", "list")),
    Asked(
        "state_history", lambda me: me.state_history("trip_42"), "GET", "/v1/states/trip_42/history",
        answer=lambda answer: {"items": answer, "cursor": ""}, shell=("state", "history", "trip_42"),
    ),
    Asked(
        "state_delete", lambda me: me.state_delete("trip_42"), "DELETE", "/v1/states/trip_42", answer=lambda _: {},
        shell=("state", "delete", "trip_42"), printed=lambda _: {"deleted": "trip_42"},
    ),
    Asked("state_get", lambda me: me.state_get("trip_42"), "GET", "/v1/states/trip_42", shell=("state", "get", "trip_42")),
    Asked(
        "forget", lambda me: me.forget("m1", reason="asked"), "DELETE", "/v1/memories/m1", {"reason": "asked"},
        answer=lambda answer: {"ids": answer}, shell=("forget", "m1", "--reason", "asked"), printed=lambda answer: {"forgotten": answer},
        tool="memory_forget", arguments={"id": "m1", "reason": "asked"},
        told=lambda answer: {"id": "m1", "status": "forgotten", "ids": answer},
    ),
    Asked(
        "forget", lambda me: me.forget("nothing"), "DELETE", "/v1/memories/nothing", shell=("forget", "nothing"),
        tool="memory_forget", arguments={"id": "nothing"},
    ),
    Asked("get", lambda me: me.get("m1"), "GET", "/v1/memories/m1", shell=("get", "m1")),
    Asked("query", lambda me: me.query("x", kinds=("nonsense",)), "POST", "/v1/query", {"text": "x", "kinds": ["nonsense"]},
          shell=("query", "x", "--kind", "nonsense"), tool="memory_query", arguments={"query": "x", "type": "nonsense"}),
    Asked("purge", lambda me: me.purge(), "POST", "/v1/purge", answer=lambda answer: {"records": answer}, shell=("purge", "--yes"),
          printed=lambda answer: {"records": answer}),
    Asked(
        "key_create", lambda me: me.key_create("ci", user="u"), "POST", "/v1/keys", {"name": "ci", "user": "u"},
        shell=("key", "create", "ci", "--user", "u"),
    ),
    Asked("key_list", lambda me: me.key_list(), "GET", "/v1/keys", answer=items, shell=("key", "list")),
    Asked("key_revoke", lambda me: me.key_revoke("key_none"), "DELETE", "/v1/keys/key_none", shell=("key", "revoke", "key_none")),
    Asked("settle", lambda me: me.settle(timeout=5), "POST", "/v1/settle", {"timeout": 5}, lambda _: {"waiting": 0, "refused": 0}),
    Asked("changes", lambda me: me.changes(limit=4), "GET", "/v1/changes", {"limit": 4}),
    Asked("health", lambda me: me.health(), "GET", "/v1/health", shell=("health",)),
]  # fmt: skip


def prepared(folder: Path) -> None:
    """A run and its large result."""
    with Client(folder) as memory:
        me = memory.bind(user="u", session="s1", agent="helper")
        me.record("user_message", "用 8043 端口 for the server, 订单 ORD-7781", id="e1", at=DAY)
        me.record("thought", "read the file first", id="e2", at=DAY, causes=["e1"])
        call = me.record("tool_call", tool={"name": "read_file", "args": {"path": "a.csv"}}, id="e3", at=DAY, causes=["e2"])
        me.record("tool_result", CSV, id="e4", at=DAY, causes=[call])
        me.record("assistant_message", LONG, id="e5", at=DAY)
        me.write("已确认端口 8043 is free", kind="conclusion", id="m0")


_UNLIKE = frozenset(("timings", "home", "store", "capture"))
_MADE = re.compile(
    r"20\d\d-\d\d-\d\d[ T]\d\d:\d\d[\d:.]*(?:Z|\+00:00)?"  # a moment
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]+|\b[0-9a-f]{12,64}\b|\b[0-9]{16}\b|\bbb_\w+_[\w-]+"  # an id, a hash, microseconds, a token
)


def plain(answer: Any) -> Json:
    """An answer without what differs from run to run: moments of the run, generated ids, how long it took."""
    if isinstance(answer, BeebreadError):
        return {"error": type(answer).__name__, "message": str(answer)}
    return _steady(json.loads(msgspec.json.encode(answer)))


def _steady(value: Json) -> Json:
    if isinstance(value, dict):
        return {name: _steady(one) for name, one in cast("dict[str, Json]", value).items() if name not in _UNLIKE}
    if isinstance(value, list):
        return [_steady(one) for one in cast("list[Json]", value)]
    return _MADE.sub(lambda made: made[0] if made[0].startswith("2026-03-02") else "*", value) if isinstance(value, str) else value


def by_python(home: Path | str) -> list[Json]:
    with Client(home) as memory:
        answers: list[Json] = []
        for one in ASKED:
            client = memory if OPERATIONS[one.operation].role else memory.bind(user="u", session="s2")
            try:
                answers.append(plain(one.python(client)))
            except BeebreadError as error:
                answers.append(plain(error))
        return answers


def by_http(url: str) -> list[Json]:
    answers: list[Json] = []
    with httpx.Client(base_url=url) as http:
        for one in ASKED:
            who = {} if OPERATIONS[one.operation].role else {"user": "u", "session": "s2"}
            given: dict[str, Any] = (
                {"params": {**who, **one.given}} if one.verb in ("GET", "DELETE") else {"params": who, "json": one.given}
            )
            response = http.request(one.verb, one.path, **given)
            form = response.headers["content-type"]
            answers.append(_steady(response.json()) if form in ("application/json", "application/problem+json") else response.text)
    return answers


def by_shell(home: Path) -> list[Json]:
    answers: list[Json] = []
    for one in ASKED:
        who = () if OPERATIONS[one.operation].role else ("--user", "u", "--session", "s2")
        result = CliRunner().invoke(beebread_command, [*one.shell, "--json", "--home", str(home), *who]) if one.shell else None
        answers.append(None if result is None else _steady(json.loads(result.stdout)))
    return answers


def by_tools(home: Path) -> list[Json]:
    return asyncio.run(_by_tools(home))


async def _by_tools(home: Path) -> list[Json]:
    """What the tools answer, the id of the first memory that one of them wrote told as m1: an agent names nothing itself."""
    answers: list[Json] = []
    written = ""
    async with over_stdio(home, "--tools", "full", "--user", "u", "--session", "s2") as client:
        for one in ASKED:
            if not one.tool:
                answers.append(None)
                continue
            given = {name: written if value == "m1" else value for name, value in one.arguments.items()}
            (content,) = (await client.call_tool(one.tool, given)).content
            assert isinstance(content, types.TextContent)
            told = json.loads(content.text)
            written = written or told["id"]
            answers.append(_steady(json.loads(content.text.replace(written, "m1"))))
    return answers


def is_error(answer: Json) -> bool:
    return isinstance(answer, dict) and "error" in answer


def within(answer: Json, whole: Json) -> bool:
    """Whether all that `answer` says is said in `whole`, which may say more of it."""
    if isinstance(answer, dict) and isinstance(whole, dict):
        more = cast("dict[str, Json]", whole)
        return all(name in more and within(value, more[name]) for name, value in cast("dict[str, Json]", answer).items())
    if isinstance(answer, list) and isinstance(whole, list):
        some, others = cast("list[Json]", answer), cast("list[Json]", whole)
        return len(some) == len(others) and all(map(within, some, others))
    return bool(answer == whole)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A prepared memory."""
    prepared(tmp_path / "prepared")
    return Path(shutil.copytree(tmp_path / "prepared", tmp_path / "copy"))


@pytest.fixture
def expected(copy: Path) -> list[Json]:
    """What Python answers here, of another copy."""
    return by_python(Path(shutil.copytree(copy.with_name("prepared"), copy.with_name("here"))))


def test_no_operation_is_left_out(expected: list[Json]) -> None:
    """`append` is how the memory was prepared; its answers over HTTP have tests of their own."""
    assert {one.operation for one in ASKED} == OPERATIONS.keys() - {"append"}
    refused = [one.operation for one, answer in zip(ASKED, expected, strict=True) if is_error(answer)]
    assert refused == ["update", "state_set", "forget", "query", "key_revoke"], "what goes wrong on purpose, and nothing else"


@pytest.mark.requirement("M3")
def test_python_on_a_server_answers_as_python_here(copy: Path, expected: list[Json]) -> None:
    with served(copy) as url:
        for one, answer, measure in zip(ASKED, by_python(url), expected, strict=True):
            assert answer == measure, one.operation


@pytest.mark.requirement("M2")
def test_http_answers_as_python(copy: Path, expected: list[Json]) -> None:
    with served(copy) as url:
        for one, answer, measure in zip(ASKED, by_http(url), expected, strict=True):
            if is_error(measure):
                assert answer["type"] == f"urn:beebread:{_dashed(measure['error'])}" and answer["detail"] == measure["message"], one
            elif measure is None and one.answer is same:
                assert answer["type"] == "urn:beebread:not-found", one
            else:
                assert answer == one.answer(measure), one.operation


def _dashed(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()


@pytest.mark.requirement("M4")
def test_the_command_line_answers_as_python(copy: Path, expected: list[Json]) -> None:
    for one, answer, measure in zip(ASKED, by_shell(copy), expected, strict=True):
        if is_error(measure) and one.shell:
            assert within(measure, answer), one
        elif one.shell:
            assert answer == one.printed(measure), one.operation


@pytest.mark.requirement("M1")
def test_tools_answer_as_python(copy: Path, expected: list[Json]) -> None:
    for one, answer, measure in zip(ASKED, by_tools(copy), expected, strict=True):
        if one.tool:
            assert within(measure if is_error(measure) else one.told(measure), answer), (one.operation, answer)
