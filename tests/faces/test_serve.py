"""The command serve, as a process; and requests that nobody thought of, made from its own document."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest

from beebread import Client
from tests.served import served

COMMAND = [sys.executable, "-m", "beebread", "serve"]


@contextmanager
def running(home: Path, *options: str) -> Generator[tuple[subprocess.Popen[str], str]]:
    """A server on a free port, and its address."""
    command = [*COMMAND, "--home", str(home), "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                if found := re.search(r"http://[0-9.:]+", line):
                    yield process, found[0]
                    break
            else:
                pytest.fail("it ended without serving")
        finally:
            process.kill()


@pytest.mark.requirement("M2")
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    with running(tmp_path / "m") as (process, url):
        with Client(url) as memory:
            me = memory.bind(user="u1", session="s1")
            me.record("user_message", "以后用飞书通知我", id="e1")
            assert [item.id for item in me.query("飞书")] == ["e1"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    with Client(tmp_path / "m") as memory:
        assert memory.bind(user="u1").get("e1") is not None


@pytest.mark.requirement("I3")
def test_it_listens_to_the_world_with_a_key_alone(tmp_path: Path) -> None:
    refused = subprocess.run(
        [*COMMAND, "--home", str(tmp_path / "m"), "--host", "0.0.0.0", "--port", "0"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert refused.returncode == 3 and "beebread key create" in refused.stderr
    made = subprocess.run(
        [sys.executable, "-m", "beebread", "key", "create", "phone", "--user", "u1", "--home", str(tmp_path / "m")],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    token = made.stdout.strip()
    with running(tmp_path / "m", "--host", "0.0.0.0") as (_, listening):
        url = listening.replace("0.0.0.0", "127.0.0.1")
        assert httpx.get(f"{url}/v1/whoami").status_code == 401
        environment = {**os.environ, "BEEBREAD_TOKEN": token}
        asked = subprocess.run(
            [sys.executable, "-m", "beebread", "write", "喜欢茶", "--home", url],
            env=environment, capture_output=True, text=True, check=True, encoding="utf-8", timeout=60,
        )  # fmt: skip
        assert asked.stdout.strip()
        with Client(url, token=token) as me:
            assert [memory.id for memory in me.list().items] == [asked.stdout.strip()]


def test_a_port_that_is_taken_is_told(tmp_path: Path) -> None:
    with running(tmp_path / "a") as (_, url):
        port = url.rpartition(":")[2]
        again = subprocess.run(
            [*COMMAND, "--home", str(tmp_path / "b"), "--port", port], capture_output=True, text=True, check=False, timeout=60
        )
    assert again.returncode == 4 and "--port" in again.stderr


def test_the_document_is_printed_without_a_server(tmp_path: Path) -> None:
    printed = subprocess.run([*COMMAND, "--openapi", "--home", str(tmp_path / "m")], capture_output=True, check=True, timeout=60)
    assert msgspec.json.decode(printed.stdout)["openapi"] == "3.1.0"
    assert not (tmp_path / "m" / "beebread.db").exists()


@pytest.mark.requirement("M2")
def test_nothing_made_from_the_document_is_a_fault(tmp_path: Path) -> None:
    """No status that is not documented, no answer of another form, and never a fault of the server."""
    pytest.importorskip("schemathesis")
    with served(tmp_path / "memory") as url:
        with Client(url) as admin:
            token = admin.key_create("all", roles=("admin", "self")).token
        checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
        done = subprocess.run(
            [
                str(Path(sys.executable).with_name("schemathesis")), "run", f"{url}/openapi.json", "-H", f"Authorization: Bearer {token}",
                "--checks", checks, "--phases", "examples,coverage,fuzzing", "--max-examples", "8", "--seed", "7", "--max-time", "40",
                "--no-color",
            ],
            capture_output=True, text=True, encoding="utf-8", check=False, cwd=tmp_path, timeout=240,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-4000:]
        assert "0 failed" in done.stdout or "passed" in done.stdout
