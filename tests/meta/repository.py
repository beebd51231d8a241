"""The repository as the checks see it: its text files, read once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "src/beebread/"
_MADE_HERE = {"build", "dist", "site", "htmlcov", "node_modules", "__pycache__", "venv"}
_HIDDEN_KEPT = {".ci", ".gitignore"}


@dataclass(frozen=True)
class Source:
    """One text file: its path from the root, with forward slashes, and what it says."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.path)

    @property
    def in_package(self) -> bool:
        return self.path.startswith(PACKAGE)

    @property
    def place(self) -> str:
        """The path inside the package: 'faces/cli.py'."""
        return self.path.removeprefix(PACKAGE)

    @property
    def module(self) -> str:
        """The dotted name of a file of the package: 'beebread.faces.cli'."""
        return self.path.removeprefix("src/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _walk(folder: Path) -> Iterator[Path]:
    for entry in sorted(folder.iterdir()):
        if entry.name in _MADE_HERE or entry.name.endswith(".egg-info") or (entry.name.startswith(".") and entry.name not in _HIDDEN_KEPT):
            continue
        if entry.is_dir():
            if not (entry / "pyvenv.cfg").exists():
                yield from _walk(entry)
        else:
            yield entry


@cache
def files() -> tuple[Path, ...]:
    """All files that belong to the repository."""
    return tuple(_walk(ROOT))


@cache
def sources(suffixes: tuple[str, ...] = (".py",)) -> tuple[Source, ...]:
    """The files with one of these endings; every text file when none is named."""
    found: list[Source] = []
    for path in files():
        if suffixes and path.suffix not in suffixes:
            continue
        try:
            found.append(Source(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            if path.suffix in {".py", ".md", ".toml", ".yml"}:
                raise
    return tuple(found)


def package() -> tuple[Source, ...]:
    """The package's own Python files."""
    return tuple(source for source in sources() if source.in_package)
