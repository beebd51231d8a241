"""The command line: every command answers people and programs, with the exit codes that it promises."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

from beebread.faces.cli.root import beebread_command


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
        (["query", "--order", "time"], 2, "Missing argument"),
        (["context"], 2, "Missing argument"),
        (["state", "list"], 1, "no states"),
        (["state", "history", "nope"], 1, "no state under that key"),
        (["qurey", "x"], 2, "Did you mean query"),
        (["state", "gte", "x"], 2, "Did you mean get"),
        (["trace", "nope"], 1, "no session 'nope' for this user (see: beebread sessions)"),
        (["query", "x", "--after", "2026-13-40"], 2, "no day of the calendar"),
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
def test_the_demo_ends_with_the_right_answers_the_second_time_too(tmp_path: Path) -> None:
    home = str(tmp_path / "demo")
    for versions in ("version 1,", "version 3,"):
        result = CliRunner().invoke(beebread_command, ["demo", "--home", home])
        assert result.exit_code == 0, result.output
        assert "every answer is right" in result.output and versions in result.output
        assert "[system]" in result.output and "null" not in result.output and "+0000" not in result.output
    last = shlex.split(result.output.splitlines()[-1])
    assert last[0] == "beebread"
    asked = CliRunner().invoke(beebread_command, last[1:])
    assert asked.exit_code == 0 and "第 37 页" in asked.stdout, asked.output


def test_the_demo_fits_eighty_columns(tmp_path: Path) -> None:
    said = on_terminal(["demo", "--home", str(tmp_path / "demo")])
    assert "→ " in said and "every answer is right" in said
    story, _, pack = said.partition("4. The messages")
    assert [line for line in story.splitlines()[1:] if cell_len(line) > 80] == []
    assert [line for line in pack.partition("5. The state")[2].splitlines()[:-2] if cell_len(line) > 80] == []


def on_terminal(words: list[str], columns: int = 80) -> str:
    """What a person sees of the command, without the colours."""
    seen = {"FORCE_COLOR": "1", "COLUMNS": str(columns), "TERM": "xterm"}
    return re.sub(r"\x1b\[[0-9;]*m", "", CliRunner().invoke(beebread_command, words, env=seen, color=True).stdout)


@pytest.mark.requirement("M4")
def test_ids_stay_whole_and_only_texts_give_way(shell: Shell) -> None:
    mids = [shell.json("write", f"{number} 每天早上把价格表发到飞书群里 " * 9)["id"] for number in range(3)]
    ask = ["list", "--home", str(shell.home), "--user", "u"]
    narrow = on_terminal(ask)
    assert all(mid in narrow for mid in mids) and "…" in narrow
    assert all(cell_len(line) <= 80 for line in narrow.splitlines())
    wide = on_terminal(ask, 120).splitlines()
    assert len(wide) == 4 and all(mid in line for mid, line in zip(reversed(mids), wide[1:], strict=True))
    for columns in (20, 40, 60):  # too narrow for a record on one line: the rest goes beneath
        assert all(mid in on_terminal(ask, columns) for mid in mids)
    piped = shell.run("list").stdout.splitlines()
    assert len(piped) == 4 and "…" not in "".join(piped)
    assert all(line.startswith(mid) and line.count("价格表") == 9 for mid, line in zip(reversed(mids), piped[1:], strict=True))


@pytest.mark.requirement("M4")
def test_a_long_session_id_is_whole_on_a_narrow_terminal(shell: Shell, tmp_path: Path) -> None:
    session, run = "7c0e6f0e-94a1-4d5e-9a53-0f4f0b6f2b11", tmp_path / "run.jsonl"
    event = {"id": "e1", "session": session, "kind": "user_message", "at": "2026-10-31T20:00:00+00:00", "text": "订酒店 " * 40}
    run.write_text(json.dumps(event))
    shell.json("import", str(run))
    narrow = on_terminal(["sessions", "--home", str(shell.home), "--user", "u"]).splitlines()
    assert session in "".join(narrow) and all(cell_len(line) <= 80 for line in narrow)
    assert len(shell.run("sessions").stdout.splitlines()) == 2


@pytest.mark.requirement("M4", "C2")
def test_a_trace_has_the_id_first_and_shortens_the_text(shell: Shell) -> None:
    run = resources.files("beebread.faces.cli") / "demo_run.jsonl"
    shell.json("import", str(run))
    drawn = on_terminal(["trace", "crawl", "--home", str(shell.home), "--user", "u"]).splitlines()
    assert drawn[0] == "crawl" and len(drawn) == 17
    assert [line.split()[0] for line in drawn[1:]] == [f"crawl-{number:02}" for number in range(1, 17)]
    assert all(cell_len(line) <= 80 for line in drawn) and any(line.endswith("…") for line in drawn)
    assert [line.split()[1] for line in drawn[2:8]] == ["├─", "├─", "│", "├─", "│", "└─"]
    piped = shell.run("trace", "crawl").stdout
    assert "data/prices.csv。还没做的是断点续爬和去重。" in piped


@pytest.mark.requirement("S1")
def test_stored_text_cannot_steer_the_terminal(shell: Shell) -> None:
    shell.json("write", "red \x1b[31m alert \x1b[0m \x9b2J [bold]今天[/bold] \u202egnp")
    for words in (["list"], ["query", "alert"], ["context", "alert"]):
        for said in (shell.run(*words).stdout, shell.run(*words, "--json").stdout):
            assert "alert" in said and not set("\x1b\x9b") & set(said), words
        assert "[bold]今天[/bold]" in shell.run(*words).stdout and "\u202e" not in shell.run(*words).stdout


@pytest.mark.requirement("M4")
def test_a_forgotten_user_is_pointed_out_and_pipes_stay_clean(shell: Shell) -> None:
    note, home = "no --user given: this is the memory of no user in particular", ["--home", str(shell.home)]

    def err(*words: str) -> str:
        return CliRunner().invoke(beebread_command, [*words, *home]).stderr

    assert note in err("write", "x") and note in err("query", "x") and note in err("state", "list")
    assert err("write", "x").count(note) == 1
    assert err("query", "x", "--json") == "" and err("query", "x", "--user", "u") == "" and err("health") == ""
    assert f"memory in {shell.home}" in err("write", "x", "--user", "u") and f"memory in {shell.home}" in err("state", "set", "k", "a=1")


@pytest.mark.requirement("M4")
def test_words_need_no_quotes_and_a_filter_needs_no_words(shell: Shell) -> None:
    mid = shell.json("write", "成都天气潮湿", "--kind", "fact")["id"]
    assert [item["id"] for item in shell.json("query", "天气", "怎么样")["items"]] == [mid]
    assert "天气 怎么样" in json.dumps(shell.json("context", "天气", "怎么样")["messages"], ensure_ascii=False)
    assert [item["id"] for item in shell.json("query", "--kind", "fact")["items"]] == [mid]


@pytest.mark.requirement("M4")
def test_a_bare_day_begins_in_the_zone_asked_for(shell: Shell, tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    run.write_text(json.dumps({"id": "e1", "session": "s", "kind": "user_message", "at": "2026-10-31T20:00:00+00:00", "text": "下雨"}))
    shell.json("import", str(run))
    ask = ("list", "--type", "event", "--after", "2026-11-01")
    assert [one["id"] for one in shell.json(*ask, "--tz", "Asia/Shanghai")["items"]] == ["e1"]
    assert shell.json(*ask, exit_code=1)["items"] == []
    assert "2026-11-01 04:00 +0800" in shell.run("list", "--type", "event", "--tz", "Asia/Shanghai").stdout
    for name in ("--before", "--as-of", "--known-at", "--now"):
        assert shell.run("query", "下雨", name, "2026-12-31").exit_code == 0, name


@pytest.mark.requirement("M4")
def test_an_import_that_stops_says_what_it_kept(shell: Shell, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.json"
    good.write_text(json.dumps({"id": "e1", "session": "s", "kind": "user_message", "at": "2026-10-31T20:00:00+00:00", "text": "hi"}))
    bad.write_text("neither this nor that")
    result = shell.run("import", str(good), str(bad))
    assert result.exit_code == 2 and "1 event kept" in result.stderr and "bad.json" in result.stderr
    assert "no memories; 1 event: add --type event" in shell.run("list").stdout
    assert [one["id"] for one in shell.json("list", "--type", "event")["items"]] == ["e1"]


@pytest.mark.requirement("M4")
def test_health_is_a_table_for_people(shell: Shell) -> None:
    shell.json("write", "x")
    rows = dict(line.split(maxsplit=1) for line in shell.run("health").stdout.splitlines())
    assert rows["answers"] == "yes" and rows["folder"] == str(shell.home) and rows["for"] == "user u" and rows["memory"] == "1"


def test_help_is_short_whole_and_in_order(shell: Shell) -> None:
    root = CliRunner().invoke(beebread_command, ["--help"], env={"BEEBREAD_HOME": str(shell.home)}, terminal_width=80).output
    assert "..." not in root.partition("Commands:")[2] and str(shell.home) in root
    for name, command in leaves(beebread_command):
        for option in command.params:
            assert not isinstance(option, click.Option) or option.help, f"{name} {option.name}"
    query = CliRunner().invoke(beebread_command, ["query", "--help"]).output
    own, _, common = query.partition("Options of every command:")
    assert "--limit" in own and "--user U" not in own and "--user U" in common and common.rstrip().endswith("exit.")


def leaves(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from leaves(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def test_the_package_runs_as_a_module(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "beebread", "health", "--json", "--home", str(tmp_path / "m")]
    done = subprocess.run(command, capture_output=True, check=False, encoding="utf-8", timeout=60)
    assert done.returncode == 0 and json.loads(done.stdout)["ok"] is True and done.stderr == ""
