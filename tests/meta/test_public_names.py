"""What `import beebread` offers: exactly the names of the public face, each documented."""

from __future__ import annotations

import importlib.metadata
import inspect
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import beebread
from tests.meta.repository import ROOT, files, package

CLIENTS = {"AsyncClient", "Client"}
ERRORS = {"BeebreadError", "Conflict", "Forbidden", "Invalid", "ModelMismatch", "NotFound", "Unavailable"}
NOUNS = {"Event", "Item", "Memory", "Pack", "Query", "Recall", "Session", "State", "Trace"}
NAMES = CLIENTS | ERRORS | NOUNS | {"__version__"}


def test_the_names_are_exactly_these() -> None:
    assert set(beebread.__all__) == NAMES
    assert len(beebread.__all__) == len(NAMES)
    assert set(beebread.__all__) <= set(dir(beebread))


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_imports_and_is_documented(name: str) -> None:
    value = getattr(beebread, name)
    assert name.startswith("__") or inspect.getdoc(value)


@pytest.mark.parametrize("kind", [beebread.Client, beebread.AsyncClient])
def test_every_method_of_a_client_is_documented(kind: type[object]) -> None:
    bare = [name for name, method in inspect.getmembers(kind, inspect.isroutine) if not name.startswith("_") and not inspect.getdoc(method)]
    assert not bare


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        getattr(beebread, "nothing_of_the_kind")


def test_the_version_has_one_source() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"]
    assert importlib.metadata.version("beebread") == beebread.__version__
    assert [source.place for source in package() if f'"{beebread.__version__}"' in source.text] == ["__init__.py"]
    assert f"## {beebread.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_importing_is_light() -> None:
    """Nothing of a terminal or a stemmer is loaded until it is used."""
    code = "import sys, beebread; sys.exit(', '.join({'rich', 'click', 'snowballstemmer', 'sqlite3'} & set(sys.modules)) or 0)"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    done = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, f"import beebread loads {done.stderr}"


@pytest.mark.slow
def test_the_wheel_holds_every_file(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--disable-pip-version-check",
        "--wheel-dir",
        str(tmp_path),
        str(ROOT),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 0, done.stderr
    held = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    source = ROOT / "src"
    wanted = {path.relative_to(source).as_posix() for path in files() if path.is_relative_to(source)}
    assert wanted <= held, wanted - held
    assert "beebread/py.typed" in held
