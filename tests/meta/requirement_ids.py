"""The requirement ids: the list in docs/requirements.toml, and those that the tests name."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tests.meta.repository import ROOT, Source

STATUSES = {"built": "", "partial": "missing", "planned": "comes_with"}


@dataclass(frozen=True)
class Requirement:
    """One entry of the list; `note` says what is missing, or what will bring it."""

    id: str
    status: str
    text: str
    note: str


def requirements(text: str = "") -> list[Requirement]:
    """The list, in its order. An entry with an unknown field or without its note is refused."""
    rows = tomllib.loads(text or (ROOT / "docs/requirements.toml").read_text(encoding="utf-8"))["requirement"]
    found: list[Requirement] = []
    for row in rows:
        note_field = STATUSES[row["status"]]
        expected = {"id", "status", "text", note_field} - {""}
        if set(row) != expected:
            raise ValueError(f"{row['id']}: fields {sorted(row)}, expected {sorted(expected)}")
        found.append(Requirement(row["id"], row["status"], row["text"], row.get(note_field, "")))
    return found


def named_by(source: Source) -> Iterator[str]:
    """The ids that a test file names in its `requirement` markers; they stand there as plain strings."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "requirement":
            for arg in node.args:
                if not (isinstance(arg, ast.Constant) and isinstance(arg.value, str)):
                    raise TypeError(f"{source.path}:{node.lineno}: a requirement is named by a plain string")
                yield arg.value


def untied(listed: Iterable[Requirement], named: dict[str, list[str]]) -> list[str]:
    """What does not hold between list and tests."""
    status = {requirement.id: requirement.status for requirement in listed}
    wrong = [f"{name} is {value} and no test names it" for name, value in status.items() if value != "planned" and name not in named]
    for name, paths in named.items():
        if name not in status:
            wrong.append(f"{name} is not in docs/requirements.toml; named in {paths[0]}")
        elif status[name] == "planned":
            wrong.append(f"{name} is planned and yet {paths[0]} claims to prove it")
    return wrong


def ids_of_mission(text: str) -> list[str]:
    """The ids that a mission page defines: '- C1 …', more of them in a line ('… O7 …'), and its numbered scenes."""
    before, _, scenes = text.partition("## Scenes")
    ids: list[str] = []
    letter = ""
    for line in before.splitlines():
        if heading := re.match(r"## ([A-Z]) ", line):
            letter = heading[1]
        elif letter and line.startswith("- "):
            ids += re.findall(rf"(?:^- |\. |\) ){letter}\d+(?= )", line)
        elif letter:
            ids += re.findall(rf"(?:\. ){letter}\d+(?= )", line)
    numbers = re.findall(r"(?:^|\s)(\d)\. (?=[A-Z'])", scenes)
    return [re.sub(r"^\W+", "", found) for found in ids] + [f"scene-{number}" for number in numbers]
