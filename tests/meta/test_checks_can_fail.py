"""Linter, type checker, floors and coverage: each is set as the house says, and fails on what it forbids."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.meta.repository import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BRANCHES = "".join(f"    if x == {number}:\n        x += 1\n" for number in range(12))


def run(*command: str, cwd: Path = ROOT, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run one of the environment's own tools."""
    return subprocess.run([sys.executable, "-m", *command], cwd=cwd, input=text, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize(
    ("code", "place", "snippet"),
    [
        ("C901", "src/beebread/policy.py", f"def f(x: int) -> int:\n{BRANCHES}    return x\n"),
        ("PLR0917", "src/beebread/policy.py", "def f(a: int, b: int, c: int, d: int, e: int, g: int, h: int) -> None: ...\n"),
        ("T201", "src/beebread/policy.py", "print(1)\n"),
        ("T201", "tests/unit/test_x.py", "print(1)\n"),
        ("DTZ001", "src/beebread/policy.py", "from datetime import datetime\n\nx = datetime(2026, 1, 1)\n"),
        ("DTZ005", "src/beebread/clock.py", "from datetime import datetime\n\nx = datetime.now()\n"),
        ("BLE001", "src/beebread/service/write.py", "try:\n    x = 1\nexcept Exception:\n    x = 2\n"),
        ("TID252", "src/beebread/policy.py", "from . import model\n"),
        ("D103", "src/beebread/policy.py", "def f() -> None: ...\n"),
        ("PTH123", "src/beebread/policy.py", "open('x')\n"),
        ("F401", "src/beebread/policy.py", "import os\n"),
        ("E501", "src/beebread/policy.py", f"x = '{'a' * 140}'\n"),
    ],
)
def test_the_linter_refuses(code: str, place: str, snippet: str) -> None:
    done = run("ruff", "check", "--no-cache", "--output-format=json", f"--stdin-filename={place}", "-", text=snippet)
    assert done.returncode == 1
    assert code in {found["code"] for found in json.loads(done.stdout)}, done.stdout


@pytest.mark.parametrize("place", ["src/beebread/worker/loop.py", "src/beebread/faces/cli.py", "src/beebread/capture/recorder.py"])
def test_the_three_edges_may_catch_everything(place: str) -> None:
    snippet = '"""A file."""\n\ntry:\n    x = 1\nexcept Exception:\n    x = 2\n'
    assert run("ruff", "check", "--no-cache", "--select=BLE001", f"--stdin-filename={place}", "-", text=snippet).returncode == 0


@pytest.mark.slow
def test_the_type_checker_refuses(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8"), encoding="utf-8")
    place = tmp_path / "src" / "untyped.py"
    place.parent.mkdir()
    place.write_text('"""A file."""\n\n\ndef f(x):\n    return x\n', encoding="utf-8")
    done = run("pyright", cwd=tmp_path)
    assert done.returncode == 1
    assert "reportMissingParameterType" in done.stdout


def house(folder: Path, files: dict[str, str]) -> Path:
    """A small package of our name with these files, under this project's own contracts."""
    contracts = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (folder / "pyproject.toml").write_text(contracts, encoding="utf-8")
    for name, text in {"__init__.py": "", **files}.items():
        place = folder / "beebread" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        (place.parent / "__init__.py").touch()
        place.write_text(text, encoding="utf-8")
    return folder


def floors(folder: Path) -> subprocess.CompletedProcess[str]:
    """The import linter over a small package; the folder shadows the installed one."""
    code = "import sys; from importlinter.cli import lint_imports_command as lint; sys.path.insert(0, '.'); lint(['--no-cache'])"
    return subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    ("broken", "files"),
    [
        ("upwards", {"model.py": "import beebread.policy", "policy.py": ""}),
        ("sideways", {"retrieval/plan.py": "import beebread.capture.recorder", "capture/recorder.py": ""}),
        ("sideways", {"policy.py": "import beebread.contract", "contract.py": ""}),
        ("indirect", {"retrieval/plan.py": "import beebread.service", "service.py": "import beebread.faces.cli", "faces/cli.py": ""}),
        ("a room without a floor", {"attic.py": ""}),
        ("cycle", {"retrieval/plan.py": "import beebread.retrieval.fuse", "retrieval/fuse.py": "import beebread.retrieval.plan"}),
        ("terminal", {"service.py": "import click"}),
        ("engine", {"retrieval/plan.py": "import sqlite3"}),
        ("stemmer", {"retrieval/plan.py": "import snowballstemmer"}),
        ("network", {"retrieval/plan.py": "import requests"}),
    ],
)
def test_the_floors_refuse(tmp_path: Path, broken: str, files: dict[str, str]) -> None:
    done = floors(house(tmp_path, files))
    assert done.returncode == 1, f"{broken}: {done.stdout}{done.stderr}"
    assert "BROKEN" in done.stdout or "Missing layer" in done.stdout + done.stderr, done.stdout + done.stderr


def test_the_floors_accept_a_sound_house(tmp_path: Path) -> None:
    files = {
        "model/event.py": "",
        "policy.py": "import beebread.model.event",
        "text/stem.py": "import snowballstemmer",
        "backends/sqlite_store.py": "import sqlite3\nimport beebread.policy",
        "service.py": "import beebread.backends.sqlite_store",
        "faces/cli.py": "import click\nimport rich\nimport beebread.service",
    }
    done = floors(house(tmp_path, files))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_coverage_floor_refuses(tmp_path: Path) -> None:
    """A file tested by half, under this project's own coverage settings, fails the run."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "beebread.py").write_text("def f(x: int) -> int:\n    if x:\n        return 1\n    return 2\n", encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_f.py").write_text("import beebread\n\n\ndef test_f():\n    assert beebread.f(1) == 1\n", encoding="utf-8")
    done = run("pytest", "--cov", cwd=tmp_path)
    assert done.returncode == 1
    assert "Required test coverage of 95.0% not reached" in done.stdout + done.stderr


def test_the_limits_are_those_of_the_house() -> None:
    tool = PROJECT["tool"]
    assert tool["ruff"]["lint"]["mccabe"]["max-complexity"] == 12
    assert tool["ruff"]["lint"]["pylint"]["max-positional-args"] == 6
    assert tool["pyright"]["typeCheckingMode"] == "strict"
    assert {"src", "tests"} <= set(tool["pyright"]["include"])
    assert tool["pytest"]["ini_options"]["filterwarnings"] == ["error"]
    assert tool["coverage"]["run"]["branch"] is True
    assert tool["coverage"]["report"]["fail_under"] >= 95
    assert not set(tool["ruff"]["lint"]["ignore"]) & {"C901", "T201", "BLE001", "TID252"}


def test_the_core_depends_on_almost_nothing() -> None:
    names = {requirement.split(">")[0] for requirement in PROJECT["project"]["dependencies"]}
    assert names == {"msgspec", "snowballstemmer", "click", "rich", "tzdata"}
    every = [
        *PROJECT["project"]["dependencies"],
        *(line for extra in PROJECT["project"]["optional-dependencies"].values() for line in extra),
    ]
    assert not [line for line in every if "<" in line or "==" in line.split(";")[0]], (
        "an upper bound hurts those who install us beside others"
    )


def test_the_documentation_build_refuses(tmp_path: Path) -> None:
    """A page that leads nowhere ends the build, by the very command of the Makefile (with --quiet it would not)."""
    recipe = re.search(r"^docs:.*\n\t@\$\(BIN\)/(mkdocs build [^&\n]*)", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert recipe
    (tmp_path / "mkdocs.yml").write_text("site_name: x\n", encoding="utf-8")
    page = tmp_path / "docs" / "index.md"
    page.parent.mkdir()
    page.write_text("# A page\n", encoding="utf-8")
    assert run(*recipe[1].split(), cwd=tmp_path).returncode == 0
    page.write_text("# A page\n\n[gone](gone.md)\n", encoding="utf-8")
    assert run(*recipe[1].split(), cwd=tmp_path).returncode == 1
