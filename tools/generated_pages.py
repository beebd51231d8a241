"""Draws the pages of docs/ that follow from the files: run it (`make tree`) after a change, a test holds them equal."""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import click
import msgspec

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "beebread"
BEGIN, END = "<!-- tree: begin -->", "<!-- tree: end -->"
MADE = "<!-- Made by tools/generated_pages.py (make tree); change the source instead. -->"
INDENT, COLUMN = "    ", 26


# ---------------------------------------------------------------- the tree of architecture.md


def first_line(path: Path) -> str:
    """The first docstring line of a file, without the 'Purpose:' that folders begin with."""
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return doc.split("\n", 1)[0].removeprefix("Purpose:").strip().rstrip(".")


def tree_lines(folder: Path, depth: int = 1) -> Iterator[str]:
    """One line for each Python file and folder below `folder`: name, then what it says of itself."""
    entries = [path for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    for path in sorted(entries, key=lambda path: (path.is_dir(), path.name != "__init__.py", path.name)):
        if path.is_dir():
            yield f"{INDENT * depth}{path.name + '/':<{COLUMN - 4 * depth}} {first_line(path / '__init__.py')}".rstrip()
            yield from tree_lines(path, depth + 1)
        elif depth == 1 or path.name != "__init__.py":
            yield f"{INDENT * depth}{path.name:<{COLUMN - 4 * depth}} {first_line(path)}".rstrip()


def architecture(current: str, package: Path = PACKAGE) -> str:
    """architecture.md with the tree between its marks drawn anew."""
    before, _, rest = current.partition(BEGIN)
    _, _, after = rest.partition(END)
    tree = "\n".join([f"src/{package.name}/", *tree_lines(package)])
    return f"{before}{BEGIN}\n\n```text\n{tree}\n```\n\n{END}{after}"


# ---------------------------------------------------------------- requirements, settings, errors


def requirements(_: str) -> str:
    """The table of requirements from requirements.toml."""
    rows = tomllib.loads((ROOT / "docs" / "requirements.toml").read_text(encoding="utf-8"))["requirement"]
    counts = {status: sum(row["status"] == status for row in rows) for status in ("built", "partial", "planned")}
    lines = [
        "# Requirements\n",
        f"{MADE}\n",
        "What Beebread is to do. Every requirement that is built or partly built is named by at least one test",
        '(`@pytest.mark.requirement("R1")`), and no test names one that is only planned; a check holds both ways.\n',
        f"Built: {counts['built']}. Partly built: {counts['partial']}. Planned: {counts['planned']}.\n",
        "| id | status | what | what is missing, or what brings it |",
        "|---|---|---|---|",
    ]
    lines += [f"| {row['id']} | {row['status']} | {row['text']} | {row.get('missing') or row.get('comes_with') or ''} |" for row in rows]
    return "\n".join(lines) + "\n"


def settings(_: str) -> str:
    """The table of settings, from the fields of Settings and the comment beside each."""
    source = (PACKAGE / "settings.py").read_text(encoding="utf-8")
    written = source.splitlines()
    body = next(node for node in ast.parse(source).body if isinstance(node, ast.ClassDef) and node.name == "Settings")
    lines = [
        "# Settings\n",
        f"{MADE}\n",
        f"{ast.get_docstring(body)}\n",
        "An argument of `Client(...)` goes before the environment variable, and that before `beebread.toml` in the folder.",
        "An unknown name is refused.\n",
        "| name | variable | default | what it does |",
        "|---|---|---|---|",
    ]
    for node in body.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            _, _, comment = written[(node.end_lineno or node.lineno) - 1].partition("  # ")
            name = node.target.id
            lines.append(f"| `{name}` | `BEEBREAD_{name.upper()}` | `{ast.unparse(node.value)}` | {comment} |")
    return "\n".join(lines) + "\n"


def errors(_: str) -> str:
    """The table of errors and what each is on every face."""
    module = importlib.import_module("beebread.errors")
    lines = [
        "# Errors\n",
        f"{MADE}\n",
        "Each message says what happened and what to do. All derive from `BeebreadError`.\n",
        "| error | meaning | exit code |",
        "|---|---|---|",
    ]
    for kind, codes in module.CODES.items():
        lines.append(f"| `{kind.__name__}` | {(inspect.getdoc(kind) or '').splitlines()[0]} | {codes.exit} |")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- the Python names and the commands


def _annotation(value: object) -> str:
    if value is inspect.Parameter.empty:
        return ""
    return value if isinstance(value, str) else inspect.formatannotation(value)


def signature(function: Callable[..., object]) -> str:
    """A signature as one would write it, without self."""
    shown: list[str] = []
    starred = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
        elif parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            shown.append("*")
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        kind = _annotation(parameter.annotation)
        default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
        shown.append(f"{stars}{parameter.name}{': ' + kind if kind else ''}{default}")
    return f"({', '.join(shown)})"


def _fields(kind: type[msgspec.Struct]) -> Iterator[str]:
    written: dict[str, object] = {}
    for parent in reversed(kind.__mro__):
        written |= inspect.get_annotations(parent)
    for name in kind.__struct_fields__:
        yield f"- `{name}: {_annotation(written[name])}`"


def _described(name: str, value: object) -> Iterator[str]:
    yield f"\n## {name}\n"
    if not isinstance(value, type):
        yield f"```text\n{name}{signature(value)}\n```\n" if callable(value) else f"`{value!r}`\n"
        yield inspect.getdoc(value) or "" if callable(value) else ""
        return
    yield inspect.getdoc(value) or ""
    if issubclass(value, msgspec.Struct):
        yield "\n" + "\n".join(_fields(value))
    if issubclass(value, (BaseException, enum.Enum)):
        return
    own = {key for parent in value.__mro__ if parent.__module__.startswith("beebread") for key in vars(parent)}
    for method, function in inspect.getmembers(cast("type[object]", value), inspect.isroutine):
        if method in own and not method.startswith("_"):
            shown = f"{'async ' if inspect.iscoroutinefunction(function) else ''}{method}{signature(function)}"
            yield f"\n### {name}.{method}\n\n```text\n{shown}\n```\n\n{inspect.getdoc(function) or ''}"


def python(_: str) -> str:
    """Every public name with its docstring."""
    module = importlib.import_module("beebread")
    lines = ["# Python\n", f"{MADE}\n", "Everything here imports from `beebread`."]
    for name in sorted(cast("list[str]", module.__all__)):
        lines += list(_described(name, getattr(module, name)))
    return "\n".join(line.rstrip() for line in lines).rstrip() + "\n"


def _parameter(parameter: click.Parameter) -> str:
    """One line for an option or an argument; drawn here, so that another version of click draws the same page."""
    if isinstance(parameter, click.Option):
        takes = "" if parameter.is_flag or parameter.count else f" {parameter.metavar or parameter.type.name.upper()}"
        choices = f" ({', '.join(map(str, parameter.type.choices))})" if isinstance(parameter.type, click.Choice) else ""
        return f"- `{', '.join([*parameter.opts, *parameter.secondary_opts])}{takes}`{choices}: {parameter.help or ''}".rstrip(" :")
    return f"- `{parameter.metavar or str(parameter.name).upper()}`{'' if parameter.required else ' (may be left out)'}"


def _commands(command: click.Command, name: str) -> Iterator[str]:
    yield f"{'#' * min(4, name.count(' ') + 2)} {name}\n"
    said = inspect.cleandoc(command.help or "").split("\f")[0]
    for block in said.split("\n\n"):
        # click keeps the lines of a block as they are when it begins with \b.
        for part in re.split(r"^\x08\n", block, flags=re.MULTILINE)[:1]:
            yield f"{part.strip()}\n" if part.strip() else ""
        for part in re.split(r"^\x08\n", block, flags=re.MULTILINE)[1:]:
            yield f"```text\n{part.rstrip()}\n```\n"
    lines = [_parameter(parameter) for parameter in command.params if not getattr(parameter, "hidden", False)]
    yield "\n".join(lines) + "\n" if lines else ""
    if isinstance(command, click.Group):
        for sub in sorted(command.commands):
            if not command.commands[sub].hidden:
                yield from _commands(command.commands[sub], f"{name} {sub}")


def cli(_: str) -> str:
    """The help of every command."""
    faces = importlib.import_module("beebread.faces.cli.root")
    group: Any = next(value for value in vars(faces).values() if isinstance(value, click.Group))
    return "\n".join(part for part in ["# Command line\n", f"{MADE}\n", *_commands(group, "beebread")] if part)


PAGES: dict[str, Callable[[str], str]] = {
    "docs/architecture.md": architecture,
    "docs/requirements.md": requirements,
    "docs/reference/settings.md": settings,
    "docs/reference/errors.md": errors,
    "docs/reference/python.md": python,
    "docs/reference/cli.md": cli,
}


def drawn(name: str) -> tuple[str, str]:
    """A page as it stands and as it should stand."""
    path = ROOT / name
    current = path.read_text(encoding="utf-8") if path.exists() else ""
    return current, PAGES[name](current)


def main() -> int:
    """Write every page that differs; say which."""
    for name in PAGES:
        current, wanted = drawn(name)
        if current != wanted:
            (ROOT / name).write_text(wanted, encoding="utf-8")
            print(f"redrawn: {name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
