"""The table of formats, telling one by its content, and reading a file or a folder of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from beebread.errors import Invalid
from beebread.importers import claude_code, codex, jsonl, openai_chat, swe_agent, tau_bench, team_chat
from beebread.importers.files import File, Meter, found, modified, shown
from beebread.importers.reading import Format, Input, Line, Options, Problem, Read

# In the order in which they are asked: the particular before the general.
_FORMATS = (claude_code.FORMAT, codex.FORMAT, tau_bench.FORMAT, team_chat.FORMAT, openai_chat.FORMAT, swe_agent.FORMAT, jsonl.FORMAT)
FORMATS: dict[str, Format] = {known.name: known for known in _FORMATS}
_LOOK = 200  # lines looked at: a transcript may begin with many that belong to its program


def detect(path: Path | str) -> str:
    """The name of the format that the file at `path` is in, by its content; Invalid, saying what to do, when it is in none."""
    file = File(Path(path), shown(Path(Path(path).name)), Meter(None, 0))
    return _Recognised(file).format.name


def read(path: Path | str, options: Options | None = None, format: str = "auto") -> Iterator[Read]:
    """The events of a file, or of all files of a folder, each as soon as it is read; what cannot be read comes as a Problem.

    The files of a folder come in the order of their first times, so that what a fork copies stays with the session it was copied from.

    Raises Invalid at once for a path that is not there and a format that nobody knows, and at the first step for a single file of
    which nothing can be read. Reading again gives the same ids, times and numbers.
    """
    root, options = Path(path), options or Options()
    if format != "auto" and format not in FORMATS:
        raise Invalid(f"format {format[:40]!r} is unknown: use auto, {', '.join(FORMATS)}")
    if not root.exists():
        raise Invalid(f"{root} does not exist: check the path")
    return _folder(root, options, format) if root.is_dir() else _file(root, options, format)


def _file(path: Path, options: Options, format: str) -> Iterator[Read]:
    yield from _events(File(path, shown(Path(path.name)), Meter(options.progress, path.stat().st_size)), options, format, set())


def _folder(root: Path, options: Options, format: str) -> Iterator[Read]:
    paths = found(root)
    if not paths:
        raise Invalid(f"{root} holds no .jsonl, .ndjson, .json or .traj files, plain or packed as .xz or .gz: name the file itself")
    meter, seen = Meter(options.progress, sum(path.stat().st_size for path in paths)), set[str]()
    files = [File(path, shown(path.relative_to(root)), meter) for path in paths]
    for file in sorted(files, key=lambda file: (file.began(), file.name)):
        try:
            yield from _events(file, options, format, seen)
        except Invalid as error:
            yield Problem(file.name, 0, str(error))
            meter.at(file.name, file.path.stat().st_size, end=True)


def _events(file: File, options: Options, format: str, seen: set[str]) -> Iterator[Read]:
    given = Input(name=file.name, modified=modified(file.path), options=options, seen=seen)
    known = _Recognised(file, FORMATS.get(format))
    if known.lines is not None and known.format.lines:
        return known.format.lines(known.lines, given)
    assert known.format.document
    return known.format.document(known.value, given)


class _Recognised:
    """A file whose format is known: its lines, those already looked at first, or the value that it is."""

    def __init__(self, file: File, wanted: Format | None = None) -> None:
        self.lines: Iterator[Line | Problem] | None = None
        self.value: Any = None
        self._objects: list[dict[str, Any]] = []
        start = file.head()
        asked = (wanted,) if wanted else _FORMATS
        try_lines = not start.lstrip().startswith(b"[") and any(known.lines for known in asked)
        self.format = wanted or _FORMATS[0]
        if not (try_lines and self._as_lines(file, asked, sure=bool(wanted))):
            self._as_document(file, asked, sure=bool(wanted))

    def _as_lines(self, file: File, asked: tuple[Format, ...], *, sure: bool) -> bool:
        lines, looked = file.lines(), list[Line | Problem]()
        for line in lines:
            looked.append(line)
            if len(looked) == _LOOK:
                break
        objects = self._objects = [line.value for line in looked if isinstance(line, Line)]
        # One object alone may be a document that happens to be on one line.
        single = len(looked) == 1 and any(known.is_document and known.is_document(value) for known in asked for value in objects)
        for known in asked if objects and not single else ():
            if known.is_lines and (known.is_lines(objects) or sure):
                self.format, self.lines = known, chain(looked, lines)
                return True
        lines.close()
        return False

    def _as_document(self, file: File, asked: tuple[Format, ...], *, sure: bool) -> None:
        formats = [known for known in asked if known.document]
        names = ", ".join(known.name for known in asked)
        if not formats:
            raise Invalid(f"{file.name} holds no lines of {names}: check the format, or use auto")
        try:
            self.value = file.document()
        except Invalid:
            if not self._objects:
                raise
            raise Invalid(f"{file.name} is JSON lines, but in none of the known formats: name it if it is one of {names}") from None
        for known in formats:
            if known.is_document and (known.is_document(self.value) or sure):
                self.format = known
                return
        raise Invalid(f"{file.name} is JSON, but in none of the known formats: name it if it is one of {names}")
