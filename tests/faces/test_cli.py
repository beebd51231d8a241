"""The command line: every command answers people and programs, with the exit codes that it promises."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from beebread.faces.cli.main import beebread_command


class Shell:
    def __init__(self, home: Path) -> None:
        self.home = home

    def run(self, *words: str) -> Result:
        return CliRunner().invoke(beebread_command, [*words, "--home", str(self.home), "--user", "u"])

    def json(self, *words: str, exit_code: int = 0) -> Any:
        result = self.run(*words, "--json")
        assert result.exit_code == exit_code, result.output
        return json.loads(result.stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "m")


@pytest.mark.requirement("M4")
def test_a_memory_from_first_write_to_purge(shell: Shell) -> None:
    mid = shell.json("write", "以后用飞书通知我", "--kind", "preference", "--key", "notification.channel")["id"]
    assert [item["id"] for item in shell.json("query", "怎么通知我")["items"]] == [mid]
    assert shell.json("get", mid)["text"] == "以后用飞书通知我"
    assert [item["id"] for item in shell.json("list")["items"]] == [mid]
    assert shell.json("update", mid, "--text", "用飞书或短信通知我", "--version", "1")["version"] == 2
    assert len(shell.json("history", mid)) == 2
    pack = shell.json("context", "怎么通知我?", "--budget", "800")
    assert pack["tokens"] <= 800 and "飞书" in json.dumps(pack["messages"], ensure_ascii=False)
    assert mid in shell.json("forget", mid, "--reason", "test")["forgotten"]
    assert shell.json("query", "怎么通知我", exit_code=1)["items"] == []
    assert "--yes" in shell.run("purge", "--json").output
    assert shell.json("purge", "--yes")["records"] == 2
    assert shell.json("health")["ok"] is True


@pytest.mark.requirement("M4", "W3")
def test_states_from_the_command_line(shell: Shell) -> None:
    first = shell.json("state", "set", "trip_42", "city=成都", "nights=3", "--step", "hotel")
    assert first["fields"]["nights"]["value"] == 3 and first["step"] == "hotel"
    assert shell.json("state", "get", "trip_42")["fields"]["city"]["value"] == "成都"
    refused = shell.json("state", "set", "trip_42", "nights=4", "--version", "7", exit_code=3)
    assert refused["error"] == "Conflict"
    assert [state["key"] for state in shell.json("state", "list")["items"]] == ["trip_42"]
    assert len(shell.json("state", "history", "trip_42")) == 1
    shell.json("state", "delete", "trip_42")
    assert shell.json("state", "get", "trip_42", exit_code=1) is None


@pytest.mark.requirement("M4", "C1")
def test_import_sessions_and_trace(shell: Shell, tmp_path: Path) -> None:
    chat = tmp_path / "chat.json"
    chat.write_text(
        json.dumps(
            [
                {"role": "user", "content": "成都天气怎么样？"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "成都"}'}}],
                },
                {"role": "tool", "tool_call_id": "c1", "content": "小雨，18 度"},
                {"role": "assistant", "content": "成都小雨，18 度。"},
            ]
        )
    )
    assert shell.json("import", str(chat))["created"] >= 4
    again = shell.json("import", str(chat))
    assert again["created"] == 0 and again["seen"] >= 4
    session = shell.json("sessions")["items"][0]
    assert session["title"] == "成都天气怎么样？"
    trace = shell.json("trace", session["scope"]["session"])
    assert len(trace["events"]) >= 4 and trace["links"]
    drawn = shell.run("trace", session["scope"]["session"])
    assert "tool_call" in drawn.stdout and "成都" in drawn.stdout
    earlier = shell.json("query", "", "--tool", "weather", "--args", '{"city":"成都"}')
    assert "18 度" in earlier["items"][0]["text"]


@pytest.mark.requirement("M4", "S1")
def test_options_of_nought_and_clearance_reach_the_memory(shell: Shell) -> None:
    doubted = shell.json("write", "the door code may be 4711", "--confidence", "0")["id"]
    assert shell.json("get", doubted)["confidence"] == 0
    assert shell.run("query", "door", "--limit", "0").exit_code == 2
    secret = shell.json("write", "保险箱密码 9034", "--sensitivity", "2")["id"]
    assert shell.json("get", secret, exit_code=1) is None
    assert shell.json("get", secret, "--clearance", "2")["id"] == secret
    other = shell.json("write", "用顺丰寄件", "--space", "shared", "--shared-with", "ops", "--group", "ops", "--tenant", "t")["id"]
    assert shell.json("get", other, exit_code=1) is None
    assert shell.json("get", other, "--group", "ops", "--tenant", "t")["id"] == other


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["get", "nope"], 1, "nothing"),
        (["forget", "nope"], 1, "no record"),
        (["query", "anything at all"], 1, ""),
        (["nonsense"], 2, "No such command"),
        (["query"], 2, "Missing argument"),
        (["query", "x", "--after", "yesterday"], 2, "ISO 8601"),
        (["query", "x", "--tool", "t", "--args", "{"], 2, "JSON"),
        (["state", "set", "k", "novalue"], 2, "name=value"),
        (["import", "/no/such/file"], 2, "does not exist"),
        (["write", "x", "--space", "everywhere"], 2, "space"),
        (["write", "x", "--space", "system", "--agent", "a"], 3, "may not"),
    ],
)
@pytest.mark.requirement("M4")
def test_exit_codes_and_messages(shell: Shell, words: list[str], code: int, says: str) -> None:
    result = shell.run(*words)
    assert result.exit_code == code, result.output
    assert says.lower() in result.output.lower()
    assert "Traceback" not in result.output


def test_a_folder_that_cannot_be_opened_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "beebread.db").write_bytes(b"not ours" * 1000)
    result = Shell(tmp_path / "m").run("list")
    assert result.exit_code == 4 and "beebread.db" in result.output


def test_the_demo_says_what_is_wrong_with_its_folder(tmp_path: Path) -> None:
    (tmp_path / "m").write_text("a file")
    command = [sys.executable, "-c", "from beebread.faces.cli import main; main()", "demo", "--home", str(tmp_path / "m")]
    done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", timeout=60)
    assert done.returncode in (2, 4) and "Traceback" not in done.stderr and str(tmp_path / "m") in done.stderr


@pytest.mark.requirement("M4")
def test_help_teaches_every_command() -> None:
    root = CliRunner().invoke(beebread_command, ["--help"])
    assert root.exit_code == 0 and "beebread demo" in root.output
    for name, command in beebread_command.commands.items():
        shown = CliRunner().invoke(beebread_command, [name, "--help"])
        assert shown.exit_code == 0 and len((command.help or "").split()) >= 4, name


@pytest.mark.requirement("P1", "R1", "W3")
def test_the_demo_ends_with_the_right_answers(tmp_path: Path) -> None:
    result = CliRunner().invoke(beebread_command, ["demo", "--home", str(tmp_path / "demo")])
    assert result.exit_code == 0, result.output
    assert "every answer is right" in result.output
