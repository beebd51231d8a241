"""The command line under attack: text that wants to steer the terminal, arguments that are no text, files with names that are markup."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from beebread import Client
from beebread.faces.cli.root import beebread_command


@pytest.mark.requirement("M4")
@pytest.mark.parametrize(
    "command", [["query", "hello"], ["list"], ["list", "--type", "event"], ["trace", "s"], ["sessions"], ["context", "hello"]]
)
def test_remembered_text_cannot_steer_the_terminal(tmp_path: Path, command: list[str]) -> None:
    attack = "hello \x1b[2J\x1b]0;owned\x07 \x9b31m [red]markup[/bold] :bug: \u202egnp.exe"
    with Client(tmp_path / "m") as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", attack)
        me.record("tool_call", attack, tool={"name": "[red]x[/]\x1b[2J", "args": {"a": attack}}, tags=["[/]"])
        me.write(attack, id="[red]\x1b[2J")
        me.state_set("k", fields={"[/]\x1b": attack}, step="[/]\x1b[2J")
    common = ["--home", str(tmp_path / "m"), "--user", "u"]
    for words in (command, ["state", "list"], ["state", "history", "k"], ["history", "[red]\x1b[2J"], ["get", "[red]\x1b[2J"]):
        result = CliRunner().invoke(beebread_command, [*words, *common])
        assert result.exit_code == 0, result.output
        assert not set("\x1b\x07\x9b\u202e") & set(result.output)
    shown = CliRunner().invoke(beebread_command, [*command, *common]).output
    assert ":bug:" in shown or command == ["sessions"], "nothing is read as an emoji's name"


@pytest.mark.requirement("M4")
@pytest.mark.parametrize("junk", ["\udcff", "[" * 100_000, "\x1b[2J", "[/red]", "1e999", "9" * 5000, ""])
def test_the_command_line_takes_any_argument(tmp_path: Path, junk: str) -> None:
    for words in (
        ["query", junk], ["query", "x", "--tool", "t", "--args", junk], ["write", junk], ["write", "x", "--id", junk], ["get", junk],
        ["forget", junk], ["context", junk], ["trace", junk], ["state", "set", "k", f"a={junk}"], ["state", "set", junk, "a=1"],
        ["state", "get", junk], ["list", "--user", junk], ["list", "--tag", junk], ["list", "--cursor", junk], ["health", "--tz", junk],
    ):  # fmt: skip
        for more in ((), ("--json",)):
            result = CliRunner().invoke(beebread_command, [*words, "--home", str(tmp_path / "m"), *more])
            assert result.exit_code in (0, 1, 2, 3), (words, result.output, result.exception)
            assert "\x1b" not in result.output


@pytest.mark.requirement("M4")
def test_files_of_any_name_are_imported(tmp_path: Path) -> None:
    line = msgspec.json.encode({"kind": "user_message", "text": "hi", "at": "2026-01-01T00:00:00Z"})
    for name in ("[red]x[bold].jsonl", "a\x1b[2J.jsonl", "-x.jsonl", os.fsdecode(b"\xff.jsonl")):
        (tmp_path / name).write_bytes(line)
        result = CliRunner().invoke(beebread_command, ["import", "--home", str(tmp_path / "m"), "--", str(tmp_path / name)])
        assert result.exit_code == 0, (name, result.output, result.exception)
        assert "\x1b" not in result.output
