"""`beebread mcp` as clients start it: its first words, whatever is on the line, whoever leaves, and many at once."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from beebread import Client
from tests.faces.mcp_clients import COMMAND
from tests.faces.mcp_wire import HELLO, MODERN_META, Wire

TRACES = Path(__file__).parents[3] / "shared" / "data" / "traces" / "mcp_wire"


def listing(number: int, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/list", "params": params}


@pytest.mark.requirement("M1")
def test_the_first_words_need_nothing_but_the_standard_library() -> None:
    script = (
        "import sys; from beebread.faces.mcp import facts, first; "
        "print(sorted({name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names - {'beebread'}))"
    )
    loaded = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True, check=False, env={
        **os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")})  # fmt: skip
    assert loaded.stdout.strip() == "['__main__']", loaded


@pytest.mark.requirement("M1")
def test_what_is_asked_before_and_after_the_rest_is_loaded_is_answered_once(tmp_path: Path) -> None:
    with Wire(tmp_path / "m", "--user", "u1") as wire:
        wire.greet()
        for number in range(5):
            wire.send(listing(number))
        wire.send({"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "memory_write", "arguments": {"content": "茶"}}})
        for number in range(6, 9):
            wire.send(listing(number))
        answers = [wire.receive() for _ in range(9)]
        assert sorted(one["id"] for one in answers) == list(range(9)) and all("result" in one for one in answers)
        assert wire.end() == 0


@pytest.mark.requirement("M1")
def test_who_asks_and_closes_his_end_gets_his_answers(tmp_path: Path) -> None:
    writes = [{"name": "memory_write", "arguments": {"content": f"第 {number} 件事"}} for number in range(20)]
    asked = [HELLO, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    asked += [{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": one} for number, one in enumerate(writes)]
    lines = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in asked)
    command = [*COMMAND, "--home", str(tmp_path / "m"), "--user", "u1"]
    done = subprocess.run(command, input=lines.encode(), capture_output=True, check=True, timeout=60)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert answers[0]["id"] == "hello" and len(answers) == 21
    with Client(tmp_path / "m") as memory:
        assert len(memory.bind(user="u1").list(limit=100).items) == 20


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("early", [True, False], ids=["while it loads", "once it is loaded"])
def test_what_is_no_message_gets_an_error_and_the_next_one_its_answer(tmp_path: Path, early: bool) -> None:
    bad: list[tuple[bytes, int]] = [
        (b"hello\n", -32700), (b"{\n", -32700), (b"\xff\xfe{}\n", -32700), ("{\"a\": \"你".encode("gbk") + b"\n", -32700),
        (b"5\n", -32600), (b"[]\n", -32600), (b"{}\n", -32600), (b'{"jsonrpc":"1.0","id":3,"method":"ping"}\n', -32600),
        (b'{"jsonrpc":"2.0","id":3}\n', -32600), (b"[" * 100_000 + b"\n", -32700), (b'{"jsonrpc":"2.0","method":5}\n', -32600),
    ]  # fmt: skip
    with Wire(tmp_path / "m") as wire:
        wire.greet()
        if not early:
            wire.call("memory_list", {})
        for line, code in bad:
            wire.raw(line)
            answer = wire.receive()
            assert answer["error"]["code"] == code and answer["error"]["message"], (line[:40], answer)
        wire.raw(b"\n  \n\r\n")
        wire.send([listing(1), listing(2)])  # a batch, as one revision had it
        assert {wire.receive()["id"], wire.receive()["id"]} == {1, 2}
        for method, code in (("no/such", -32601), ("tools/call", -32602)):
            wire.send({"jsonrpc": "2.0", "id": 9, "method": method, "params": {}})
            assert wire.receive()["error"]["code"] == code
        assert wire.call("memory_list", {})["structuredContent"] == {"items": []}


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("coding", ["cp936", "cp1252", "ascii", "utf-16"])
def test_any_code_page_will_do(tmp_path: Path, coding: str) -> None:
    environment = {"PYTHONIOENCODING": coding, "PYTHONUTF8": "0", "LC_ALL": "C"}
    with Wire(tmp_path / "m", "--user", "用户", **environment) as wire:
        wire.greet()
        written = wire.call("memory_write", {"content": "café ☕ 记忆 🐝"})
        assert wire.call("memory_query", {"query": "记忆"})["structuredContent"]["items"][0]["id"] == written["structuredContent"]["id"]
        wire.send(listing(2))
        assert "记住" in wire.receive()["result"]["tools"][0]["description"]
        assert wire.end() == 0
        assert "memory in" in wire.errors()


@pytest.mark.requirement("M1")
def test_a_memory_that_cannot_be_opened_is_said_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    for options, code, why in (
        ([str(tmp_path / "file")], 4, "cannot be used"),
        ([str(tmp_path / "m"), "--clearance", "9"], 2, "options that make no sense"),
        ([str(tmp_path / "m"), "--colour", "red"], 2, "options that make no sense"),
    ):
        with Wire(*options) as wire:
            wire.greet()
            wire.send({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_list", "arguments": {}}})
            answer = wire.receive()
            assert answer["id"] == 1 and why in answer["error"]["message"], answer
            assert wire.process.wait(20) == code and wire.errors()


@pytest.mark.requirement("M1")
def test_whoever_leaves_leaves_nothing_behind(tmp_path: Path) -> None:
    with Wire(tmp_path / "m") as wire:
        assert wire.end() == 0, "before a word"
    with Wire(tmp_path / "m") as wire:
        wire.greet()
        assert wire.end() == 0, "after the first words"
    with Wire(tmp_path / "m") as wire:
        wire.greet().call("memory_write", {"content": "kept"})
        wire.process.kill()
    with Wire(tmp_path / "m") as wire:
        assert wire.greet().call("memory_list", {})["structuredContent"]["items"][0]["text"] == "kept"


@pytest.mark.requirement("M1")
def test_a_call_that_was_given_up_is_not_answered_and_the_next_one_is(tmp_path: Path) -> None:
    with Wire(tmp_path / "m") as wire:
        wire.greet().call("memory_list", {})
        for number in range(10, 30):
            wire.send(
                {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "memory_query", "arguments": {"query": "x"}}}
            )
            wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "nobody"}})
        wire.send(listing(99))
        while (answer := wire.receive())["id"] != 99:
            assert 10 <= answer["id"] < 30
        assert wire.end() == 0


@pytest.mark.requirement("M1")
def test_what_clients_say_of_a_call_is_kept_with_it(tmp_path: Path) -> None:
    turn = {"session_id": "codex-session", "turn_id": "turn-7", "model": "stub-model"}
    with Wire(tmp_path / "m", "--user", "u1") as wire:
        wire.greet()

        def written(text: str, **meta: Any) -> str:
            return wire.call("memory_write", {"content": text}, meta=meta)["structuredContent"]["id"]

        claude = written("from one", **{"claudecode/toolUseId": "toolu_1"})
        codex = written("from another", callId="call_m", **{"x-codex-turn-metadata": turn})
        strange = written("from a third", callId={"a": 1}, **{"x-codex-turn-metadata": "no"})
        mine = wire.call("memory_list", {"session_id": "codex-session"})["structuredContent"]["items"]
        assert [one["id"] for one in mine] == [codex]
    with Client(tmp_path / "m") as memory:
        me = memory.bind(user="u1")
        one, other = me.get(claude), me.get(codex)
        assert one is not None and getattr(one, "environment", {}) == {"client": "test", "tool_call": "toolu_1"}
        assert other is not None and other.scope.session == "codex-session"
        assert getattr(other, "environment", {}) == {"client": "test", "tool_call": "call_m", "turn": "turn-7", "model": "stub-model"}
        assert getattr(me.get(strange), "environment", None) == {"client": "test"}


@pytest.mark.requirement("M1")
@pytest.mark.skipif(not TRACES.is_dir(), reason="the recorded connections are not here")
@pytest.mark.parametrize("name", ["claude_code_2.1.332", "codex_0.171.0"])
def test_what_real_clients_sent_is_answered_as_they_expect(tmp_path: Path, name: str) -> None:
    lines = (TRACES / f"{name}.log").read_text(encoding="utf-8").splitlines()
    with Wire(tmp_path / "m") as wire:
        for line in lines:
            if not line.startswith("C> "):
                continue
            message = json.loads(line[3:])
            wire.send(message)
            if "id" not in message:
                continue
            answer = wire.receive()
            assert answer["id"] == message["id"] and answer["jsonrpc"] == "2.0"
            if message["method"] == "subscriptions/listen":  # asked for since the recorded server offered it: this one offers none
                assert answer["error"]["code"] == -32601
                continue
            result = answer["result"]
            assert answer_keys(lines, message["id"]) <= result.keys(), message["method"]
            if message["method"] == "tools/call":
                assert result["structuredContent"]["items"] == []


def answer_keys(lines: list[str], request: Any) -> set[str]:
    """What the recorded answer to a request had."""
    for line in lines:
        if line.startswith("S> ") and f'"id":{json.dumps(request)},"result"' in line:
            return json.loads(line[3:])["result"].keys() - {"_meta"}
    return set()


@pytest.mark.requirement("M1")
def test_seven_at_once_on_one_folder_lose_nothing(tmp_path: Path) -> None:
    """As desktop programs start them: each client its own, all on one memory."""
    failures: list[str] = []

    def work(number: int, wire: Wire) -> None:
        try:
            for turn in range(12):
                wire.call("memory_write", {"content": f"程序 {number} 的第 {turn} 条"}, 100 + turn)
                wire.call("task_state", {"key": "count", "set": {f"from{number}": turn}}, 200 + turn)
                wire.call("memory_query", {"query": f"程序 {number}"}, 300 + turn)
                _add_one(wire)
        except (AssertionError, KeyError, OSError) as error:
            failures.append(f"{number}: {error!r}")

    wires = [Wire(tmp_path / "m", "--user", "u1", "--tools", "full").greet() for _ in range(7)]
    threads = [threading.Thread(target=work, args=one) for one in enumerate(wires)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for wire in wires:
        with wire:
            assert wire.end() == 0
    assert not failures
    with Client(tmp_path / "m") as memory:
        me = memory.bind(user="u1")
        texts = [getattr(one, "text", "") for one in me.list(limit=200).items]
        assert sorted(texts) == sorted(f"程序 {number} 的第 {turn} 条" for number in range(7) for turn in range(12))
        state, total = me.state_get("count"), me.state_get("total")
        assert state is not None and {name: field.value for name, field in state.fields.items()} == {
            f"from{number}": 11 for number in range(7)
        }
        assert total is not None and total.fields["sum"].value == 7 * 12


def _add_one(wire: Wire) -> None:
    """Add one to what all add to, read first and refused when another was faster."""
    for _ in range(500):
        seen = wire.call("task_state", {"key": "total"}, 400)["structuredContent"]
        now = seen.get("fields", {}).get("sum", 0)
        result = wire.call("task_state", {"key": "total", "set": {"sum": now + 1}, "version": seen["version"]}, 401)
        if not result.get("isError"):
            return
        assert "Conflict" in result["content"][0]["text"], result
        time.sleep(0.002)
    raise AssertionError("never its turn")


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("words", [["--help"], ["-h"]])
def test_people_are_told_how_to_use_it(words: list[str]) -> None:
    told = subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=True, encoding="utf-8").stdout
    assert "claude mcp add beebread -- beebread mcp --user ann" in told and re.search(r"--tools \[usual\|full\]", told)


@pytest.mark.requirement("M1")
@pytest.mark.parametrize("modern", [True, False])
def test_a_server_is_of_the_era_that_its_client_opened(tmp_path: Path, modern: bool) -> None:
    with Wire(tmp_path / "m") as wire:
        envelope = {"_meta": MODERN_META}
        if modern:
            wire.send({"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": envelope})
            assert wire.receive()["result"]["supportedVersions"] == ["2026-07-28"]
            wire.call("memory_list", {}, 1, MODERN_META)
            wire.send({**HELLO, "id": 2})
            assert wire.receive()["error"]["data"]["supported"] == ["2026-07-28"]
        else:
            wire.greet().call("memory_list", {})
            wire.send({"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": envelope})
            assert wire.receive()["error"]["code"] == -32600
        unknown = {**MODERN_META, "io.modelcontextprotocol/protocolVersion": "2031-01-01"}
        with Wire(tmp_path / "m") as future:
            future.send({"jsonrpc": "2.0", "id": 0, "method": "server/discover", "params": {"_meta": unknown}})
            refused = future.receive()
            assert refused["error"]["code"] == -32022 and refused["error"]["data"]["supported"] == ["2026-07-28"]
