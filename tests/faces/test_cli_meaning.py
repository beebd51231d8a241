"""The command line on vectors: settle, reembed, what import and query do about them, and what health says."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from beebread import Client
from beebread.backends.sqlite_schema import FILE
from beebread.faces.cli import meaning
from beebread.faces.cli.root import beebread_command
from tests.stories.embedders import soon
from tests.unit.models.servers import Reply, serving

HASHED, OTHER = "hashing://?dimensions=64", "hashing://?dimensions=32"


class Shell:
    """The command, with an embedder."""

    def __init__(self, home: Path, embedder: str = HASHED) -> None:
        self.home, self.embedder = home, embedder

    def run(self, *words: str, user: str = "u") -> Result:
        given = {"BEEBREAD_EMBEDDER": self.embedder}
        return CliRunner().invoke(beebread_command, [*words, "--home", str(self.home), "--user", user], env=given)

    def json(self, *words: str, exit_code: int = 0) -> Any:
        result = self.run(*words, "--json")
        assert result.exit_code == exit_code, result.output
        return json.loads(result.stdout)

    def channels(self, text: str) -> set[str]:
        return set(self.json("query", text)["items"][0]["channels"])


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path / "m")


def transcript(folder: Path, lines: int) -> Path:
    file = folder / "run.jsonl"
    event = {"session": "s", "kind": "user_message"}
    said = [
        {**event, "id": f"e{at}", "at": f"2026-10-01T{at // 60 % 24:02}:{at % 60:02}:00+00:00", "text": f"the garden gate {at} 花园"}
        for at in range(lines)
    ]
    file.write_text("".join(json.dumps(one) + "\n" for one in said))
    return file


def followed(folder: Path, space: str) -> int:
    """How far the log was followed in that space, by the file itself."""
    with closing(sqlite3.connect(folder / FILE)) as db:
        return int((db.execute("SELECT value FROM marks WHERE name = ?", (f"embedded {space}",)).fetchone() or (0,))[0])


@pytest.mark.requirement("M4", "S3")
def test_settle_makes_what_waits_and_says_by_what_is_searched(shell: Shell) -> None:
    Shell(shell.home, "none").json("write", "the staging database moved to port 5433")
    assert shell.json("health")["waiting"] == 1
    rows = dict(line.split(maxsplit=1) for line in shell.run("health").stdout.splitlines())
    assert rows["meaning"] == "hashing/64 (1 changes have no vectors yet)"
    assert shell.json("settle") == {"meaning": "hashing/64", "waiting": 0}
    assert shell.run("settle").stdout == "meaning: hashing/64\n"
    assert dict(line.split(maxsplit=1) for line in shell.run("health").stdout.splitlines())["meaning"] == "hashing/64"
    assert {"keyword", "vector"} <= shell.channels("staging database")


@pytest.mark.requirement("M4", "S3")
def test_a_query_first_embeds_the_few_that_wait_and_tells_of_many(shell: Shell, tmp_path: Path) -> None:
    plain = Shell(shell.home, "none")
    plain.json("write", "the staging database moved to port 5433")
    assert {"keyword", "vector"} <= shell.channels("staging database") and shell.json("health")["waiting"] == 0
    plain.json("write", "the backup runs every night at two")
    packed = shell.json("context", "when does the backup run?", "--budget", "500")
    assert "every night" in json.dumps(packed) and shell.json("health")["waiting"] == 0
    assert plain.json("import", str(transcript(tmp_path, meaning.AT_ONCE + 1)))["created"] == meaning.AT_ONCE + 1
    result = shell.run("query", "garden gate 7", "--json")
    assert result.exit_code == 0 and json.loads(result.stdout)["items"][0]["text"].startswith("the garden gate 7")
    assert "have no vectors yet and are found by words alone: beebread settle" in shell.run("query", "garden gate 7").stderr
    assert shell.json("health")["waiting"] > meaning.AT_ONCE
    assert shell.json("settle")["waiting"] == 0
    assert "vector" in shell.channels("garden gate 7")


@pytest.mark.requirement("M4", "S3")
def test_an_import_ends_with_vectors(shell: Shell, tmp_path: Path) -> None:
    result = shell.run("import", str(transcript(tmp_path, 200)))
    assert result.exit_code == 0 and "200 events kept" in result.stdout, result.output
    assert shell.json("health")["waiting"] == 0
    assert {"vector", "context"} <= shell.channels("garden gate 123")
    assert shell.json("import", str(tmp_path / "run.jsonl"))["seen"] == 200


@pytest.mark.requirement("M4", "S3")
def test_another_model_is_refused_with_the_command_that_moves(shell: Shell, tmp_path: Path) -> None:
    shell.json("import", str(transcript(tmp_path, 30)))
    other = Shell(shell.home, OTHER)
    refused = other.json("settle", exit_code=3)
    assert refused["error"] == "ModelMismatch" and "`beebread reembed`" in refused["message"]
    asked = other.run("query", "garden gate 7")
    assert asked.exit_code == 0 and "beebread reembed" in asked.stderr and "garden gate 7" in asked.stdout
    found = other.json("query", "garden gate 7")
    assert "beebread reembed" in found["report"]["failed"]["vector"] and "keyword" in found["items"][0]["channels"]
    assert "beebread reembed" in other.run("health").stdout
    assert other.json("reembed") == {"changed": True, "meaning": "hashing/32", "waiting": 0}
    assert other.json("reembed") == {"changed": False, "meaning": "hashing/32", "waiting": 0}
    assert other.run("reembed").stdout == "all vectors are of hashing/32\n"
    assert "vector" in other.channels("garden gate 7")
    assert "now searched by hashing/64" in shell.run("reembed").stdout
    assert "vector" in shell.channels("garden gate 7")


@pytest.mark.requirement("M4", "S3")
def test_without_an_embedder(shell: Shell) -> None:
    plain = Shell(shell.home, "none")
    plain.json("write", "the staging database moved to port 5433")
    assert plain.run("settle").exit_code == 0 and "no search by meaning: it is switched off" in plain.run("settle").stdout
    refused = plain.json("reembed", exit_code=2)
    assert refused["error"] == "Invalid" and "no embedder" in refused["message"]
    assert "switched off" in plain.run("health").stdout
    unknown = Shell(shell.home, "nowhere://x")
    for command in ("settle", "reembed", "health"):
        result = unknown.run(command)
        assert result.exit_code == 2 and "nowhere" in result.stderr and "Traceback" not in result.output


@pytest.mark.requirement("M4", "S3")
def test_a_model_that_is_away_stops_nothing_but_vectors(shell: Shell, tmp_path: Path) -> None:
    pytest.importorskip("httpx", reason="an embedder behind an address needs beebread[http]")
    with serving(lambda _: Reply({"error": "no such model"}, 404, (("connection", "close"),))) as server:
        away = Shell(shell.home, f"ollama://some-model?base_url={server.url}")
        kept = away.run("import", str(transcript(tmp_path, 3)))
        assert kept.exit_code == 0 and "3 events kept" in kept.stdout and "ollama pull some-model" in kept.stderr, kept.output
        assert away.json("health")["waiting"] >= 3
        failed = away.json("settle", exit_code=4)
        assert failed["error"] == "Unavailable" and "does not know" in failed["message"]
        asked = away.run("query", "garden gate 2")
        assert asked.exit_code == 0 and "garden gate 2" in asked.stdout and "ollama pull some-model" in asked.stderr
    assert shell.json("settle")["waiting"] == 0 and "vector" in shell.channels("garden gate 2")


@pytest.mark.requirement("M4", "S3")
@pytest.mark.skipif(os.name == "nt", reason="no such signal there")
@pytest.mark.parametrize("command", ["settle", "reembed", "import"])
def test_stopped_in_the_middle_it_goes_on_the_next_time(shell: Shell, tmp_path: Path, command: str) -> None:
    """A person presses Ctrl-C while vectors are made."""
    with Client(shell.home, embedder=HASHED if command == "reembed" else "none") as memory:
        memory.bind(user="u", session="t").record("user_message", "the harbour is closed")
        memory.settle()
    words = ["import", str(transcript(tmp_path, 1200))] if command == "import" else [command]
    if command != "import":
        Shell(shell.home, "none").json("import", str(transcript(tmp_path, 1200)))
    embedder = OTHER if command == "reembed" else HASHED
    whole = [sys.executable, "-c", "from beebread.faces.cli import main; main()", *words, "--home", str(shell.home), "--user", "u"]
    given = {**os.environ, "BEEBREAD_EMBEDDER": embedder}
    process = subprocess.Popen(whole, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=given)
    assert soon(lambda: followed(shell.home, "hashing/32" if command == "reembed" else "hashing/64") > 100)
    process.send_signal(signal.SIGINT)
    said, errors = process.communicate(timeout=30)
    assert "Traceback" not in errors, errors
    assert process.returncode == (0 if command == "import" else 1), (said, errors)
    assert ("stopped: `beebread settle`" in errors and "1200 events kept" in said) if command == "import" else "Abort" in errors
    there = Shell(shell.home, embedder)
    assert there.json("health")["waiting"] > 0, "it was to be stopped before its end"
    assert there.json(command if command == "reembed" else "settle")["waiting"] == 0
    assert there.json("list", "--type", "event", "--limit", "1")["items"]
    assert "vector" in there.channels("garden gate 1199")
