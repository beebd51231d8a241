"""Which files of the package nothing leads to."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.meta.repository import ROOT, Source

FOR_OTHERS = ("beebread.testing", "beebread.operations")
_NAME = re.compile(r"beebread(\.\w+)+")


def _imported(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (match := _NAME.match(node.value)):
            # A lazy import names its module in a string: 'beebread.backends.sqlite_store:open'.
            yield match[0]


def entries() -> set[str]:
    """The modules that a command or an entry point of pyproject.toml starts."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project.get("scripts", {}), *project.get("entry-points", {}).values()]
    return {target.split(":")[0] for group in groups for target in group.values()}


def dead_modules(package: Iterable[Source], tests: Iterable[Source], entry: set[str]) -> list[str]:
    """Modules that no other file names. What is there for others, the shipped suites and the table of operations, a test may name."""
    modules = {source.module: source for source in package}
    named = {"beebread", "beebread.__main__"} | entry
    for source in modules.values():
        named |= {name for name in _imported(source) if name != source.module}
    named |= {name for source in tests for name in _imported(source) if name.startswith(FOR_OTHERS)}
    alive = {name for name in modules if name in named or any(other.rpartition(".")[0] == name and other in modules for other in named)}
    # A folder lives while something in it does.
    alive |= {parent for name in alive for parent in _parents(name)}
    return sorted(modules[name].path for name in modules.keys() - alive)


def _parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def dead_data(package: Iterable[Source], data: Iterable[Path]) -> list[str]:
    """Files that are not Python and that no string of the package names."""
    strings = {
        node.value
        for source in package
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200
    }
    kept = {"py.typed"}
    return sorted(path.as_posix() for path in data if path.name not in kept and not any(path.name in text for text in strings))
