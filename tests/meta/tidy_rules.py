"""The tidy rules that no linter knows: each takes one file and yields what is wrong in it."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.meta.repository import ROOT, Source

Rule = Callable[[Source], Iterator[str]]

FILE_LINES = 400
FUNCTION_LINES = 60
FOLDER_DEPTH = 2
BANNED_NAMES = ("manager", "helper", "helpers", "util", "utils", "base", "core", "common")
NEVER_SUPPRESSED = {"C901", "PLR0917", "T201", "BLE001", "TID251", "TID252"}
# Where the time may be asked and an id be made; where the environment may be read; where SQL may stand.
CLOCK = ("clock.py", "model/ids.py")
IDS = ("clock.py", "model.py", "model/")
SETTINGS = ("settings.py",)
SQL = ("backends/",)
NETWORK = ("faces/", "backends/", "models/")
CATCHES_ALL = ("worker/loop.py", "capture/recorder.py", "faces/")
_DEFINITION = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)


def _in(source: Source, places: tuple[str, ...]) -> bool:
    return source.place.startswith(places)


def _dotted(node: ast.AST) -> str:
    """'os.environ' for the expression os.environ, '' for anything that is not a plain dotted name."""
    if isinstance(node, ast.Attribute):
        left = _dotted(node.value)
        return f"{left}.{node.attr}" if left else ""
    return node.id if isinstance(node, ast.Name) else ""


def _names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every dotted name used and every name imported, by its full name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.lineno, _dotted(node)
        elif isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def _docstrings(tree: ast.Module) -> set[ast.AST]:
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, _DEFINITION) and node.body and isinstance(node.body[0], ast.Expr):
            found.add(node.body[0].value)
    return found


def file_length(source: Source) -> Iterator[str]:
    lines = source.text.count("\n")
    if lines > FILE_LINES:
        yield f"{lines} lines; at most {FILE_LINES}: divide it by what its parts are about"


def function_length(source: Source) -> Iterator[str]:
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"line {node.lineno}: {node.name} has {lines} lines; at most {FUNCTION_LINES}"


def folder_depth(source: Source) -> Iterator[str]:
    if source.in_package and source.place.count("/") > FOLDER_DEPTH:
        yield f"more than {FOLDER_DEPTH} folders deep"


def names(source: Source) -> Iterator[str]:
    parts = [Path(source.path).stem, *Path(source.path).parts[:-1]]
    for part in parts:
        if part.rsplit("_", 1)[-1].lower() in BANNED_NAMES:
            yield f"'{part}' says nothing: name it for what it is about"
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef) and node.name.endswith(tuple(name.title() for name in BANNED_NAMES)):
            yield f"line {node.lineno}: class {node.name} says nothing: name it for what it is"


def mocks(source: Source) -> Iterator[str]:
    for line, name in _names(source.tree):
        if re.match(r"(unittest\.mock|mock|pytest_mock|flexmock|doublex)\b", name):
            yield f"line {line}: no mock library; use a real back end or a scripted model"
    for node in ast.walk(source.tree):
        if isinstance(node, ast.arg) and node.arg == "mocker":
            yield f"line {node.lineno}: no mock library; use a real back end or a scripted model"


def room_docstring(source: Source) -> Iterator[str]:
    if not (source.in_package and source.place.endswith("/__init__.py")):
        return
    lines = [line.strip() for line in (ast.get_docstring(source.tree) or "").splitlines() if line.strip()]
    wanted = ((1, "may import"), (2, "never"), (3, "start reading"))
    if len(lines) != 4 or any(word not in lines[at].lower() for at, word in wanted):
        yield "the docstring of a folder has four lines: purpose, may import …, never does …, start reading at …"


def module_docstring(source: Source) -> Iterator[str]:
    doc = ast.get_docstring(source.tree) or ""
    first = doc.split("\n", 1)[0]
    if source.text.strip() and not (first.strip() and first.rstrip().endswith((".", "?", "!", ":"))):
        yield "the first line is a docstring that says in one sentence what the file is"


def own_root(source: Source) -> Iterator[str]:
    if not source.in_package or source.place in {"__init__.py", "__main__.py"}:
        return
    for node in ast.walk(source.tree):
        if (isinstance(node, ast.ImportFrom) and node.module == "beebread" and any(alias.name[0].isupper() for alias in node.names)) or (
            isinstance(node, ast.Import) and any(alias.name == "beebread" for alias in node.names)
        ):
            yield f"line {node.lineno}: a room imports another room by its name, never the package's public names"


def sql(source: Source) -> Iterator[str]:
    if not source.in_package or _in(source, SQL):
        return
    prose = _docstrings(source.tree)
    statement = re.compile(
        r"\s*(select\s.+\sfrom\s|insert\s+(or\s+\w+\s+)?into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(table|index|unique|virtual)\s|alter\s+table\s|pragma\s)",
        re.IGNORECASE | re.DOTALL,
    )
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in prose and statement.match(node.value):
            yield f"line {node.lineno}: SQL belongs in backends/"


def environment(source: Source) -> Iterator[str]:
    if source.in_package and not _in(source, SETTINGS):
        for line, name in _names(source.tree):
            if name in {"os.environ", "os.environb", "os.getenv", "os.putenv"}:
                yield f"line {line}: the environment is read in settings.py alone"


def time_asked(source: Source) -> Iterator[str]:
    asks = re.compile(r"(\w+\.)*(datetime\.(now|utcnow|today)|date\.today|time\.(time|time_ns|localtime|gmtime))$")
    if source.in_package and not _in(source, CLOCK):
        for line, name in _names(source.tree):
            if asks.match(name):
                yield f"line {line}: the time is asked of a Clock; only clock.py asks the machine"


def ids_made(source: Source) -> Iterator[str]:
    if source.in_package and not _in(source, IDS):
        for line, name in _names(source.tree):
            if re.match(r"uuid(\.uuid\d)?$", name):
                yield f"line {line}: ids are made in model and clock alone"


def network(source: Source) -> Iterator[str]:
    """What the import linter cannot say: it knows packages, not the modules of the standard library."""
    if source.in_package and not _in(source, NETWORK):
        for line, name in _names(source.tree):
            if re.match(r"(urllib\.request|http\.(client|server)|smtplib|ftplib|socket\.(socket|create_connection))\b", name):
                yield f"line {line}: the network is reached from faces, back ends and models alone"


def broad_suppress(source: Source) -> Iterator[str]:
    if not source.in_package or _in(source, CATCHES_ALL):
        return
    for node in ast.walk(source.tree):
        suppressed = node.args if isinstance(node, ast.Call) and _dotted(node.func).endswith("suppress") else []
        for arg in suppressed:
            if _dotted(arg) in {"Exception", "BaseException"}:
                yield f"line {arg.lineno}: suppresses everything: name the error"


def suppressions(source: Source) -> Iterator[str]:
    """A silenced check names its code, and says why where the code does not; the limits of this house are never silenced."""
    directive = re.compile(r"#\s*(noqa|type:\s*ignore|pyright:|pragma:\s*no|nosec|ruff:|pylint:)", re.IGNORECASE)
    named = r"(noqa: [A-Z]+\d+(, ?[A-Z]+\d+)*|type: ignore\[[\w-]+\]|pragma: no (cover|branch))"
    reasoned = re.compile(rf"#\s*({named}\s+(-|#) \w.*|pyright: ignore\[\w+(, ?\w+)*\])")
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type != tokenize.COMMENT or not directive.search(token.string):
            continue
        if not reasoned.search(token.string):
            yield f"line {token.start[0]}: '{token.string}' must name its code and say why after ' - '"
        elif NEVER_SUPPRESSED & set(re.findall(r"[A-Z]+\d+", token.string)):
            yield f"line {token.start[0]}: this limit is never silenced: '{token.string}'"


def local_paths(source: Source) -> Iterator[str]:
    """The project speaks of itself alone: no folder of someone's machine, no host of a package registry."""
    patterns = [
        r"/wor[k]/\w",
        r"/roo[t]/\w",
        r"pyp[i]\.org",
        r"pythonhoste[d]\.org",
        r"npmj[s]\.(org|com)",
        r"deb\.debia[n]\.org",
        r"bash_job[s]",
    ]
    if not source.path.startswith("tests/"):
        patterns += [r"/home/(?!you\b)\w", r"/Users/(?!you\b)\w"]
    patterns += [re.escape(str(place)) for place in (ROOT, Path.home()) if len(place.parts) > 2]
    found = re.compile("|".join(patterns))
    for number, line in enumerate(source.text.splitlines(), 1):
        if match := found.search(line):
            yield f"line {number}: names a place of one machine or a registry's host: {match[0]!r}"


TEXT_RULES: dict[str, Rule] = {"local_paths": local_paths}
PYTHON_RULES: dict[str, Rule] = {
    rule.__name__: rule
    for rule in (
        file_length,
        function_length,
        folder_depth,
        names,
        mocks,
        room_docstring,
        module_docstring,
        own_root,
        sql,
        environment,
        time_asked,
        ids_made,
        network,
        broad_suppress,
        suppressions,
    )
}
