"""The README's commands, run as someone new would run them: in a copy of the repository, with nothing made before."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.meta.repository import ROOT, files, sources
from tests.meta.test_docs import at_home, examples

README = next(page for page in sources((".md",)) if page.path == "README.md")
# Fetching the repository is replaced by the copy; the whole test suite is not run inside itself, CI runs that very command.
FETCHING = re.compile(r"^(git clone|cd beebread)\b")
WHOLE_SUITE = "make test"


def commands() -> list[str]:
    """The command lines of the README, in order."""
    return [line for line in examples(README, "bash").splitlines() if line.strip() and not line.startswith("#")]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_commands_run_in_a_fresh_clone(tmp_path: Path) -> None:
    clone = tmp_path / "beebread"
    for path in files():
        target = clone / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target)
    script = "\n".join(line for line in commands() if not FETCHING.match(line) and line != WHOLE_SUITE)
    environment = at_home(tmp_path)
    environment["PATH"] = environment["PATH"].partition(":")[2]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=clone,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=590,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_someone_new_needs_three_commands_at_most() -> None:
    assert "make demo" in commands()[:3]


def test_ci_runs_the_test_command() -> None:
    assert WHOLE_SUITE in commands()
    assert re.search(rf"^{WHOLE_SUITE}\b", (ROOT / ".ci/run").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_make_target_named_exists() -> None:
    """In the README, the docs and CI."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = "\n".join(source.text for source in sources((".md",))) + (ROOT / ".ci/run").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE))
    assert named
    assert named <= targets
