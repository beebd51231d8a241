"""Files as bytes: opened plain or compressed, read by line or whole, found in a folder, with how far the reading is."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import re
import zlib
from collections.abc import Callable, Generator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NoReturn

import msgspec

from beebread.errors import Invalid
from beebread.importers.reading import Line, Problem, Progress
from beebread.importers.shape import is_object

MAX_LINE = 64 * 2**20  # bytes; one line is held in memory whole
MAX_DOCUMENT = 512 * 2**20  # bytes once unpacked; so is a document
_TICK = 2**18
_MARK = b"\xef\xbb\xbf"  # that the file is UTF-8, as some editors put it
_STAMP = re.compile(rb'"timestamp": ?"([^"]{10,40})"')
_SUFFIXES = (".jsonl", ".ndjson", ".json", ".traj")
_PACKED = (".xz", ".gz")
_BROKEN = (OSError, EOFError, lzma.LZMAError, zlib.error)
_KINDS = ((list, "a list"), (str, "a string"), (bool, "a truth value"), (type(None), "null"))
_SURROGATE = "holds half a character (a lone surrogate such as \\ud800) or a number that JSON has not: write the text as valid Unicode"


class Meter:
    """Tells a Progress callback how far a reading of several files is, about every 256 KiB."""

    def __init__(self, report: Callable[[Progress], None] | None, total: int) -> None:
        self._report, self._total = report, total
        self._name = ""
        self._before = self._position = self._told = 0

    def at(self, name: str, position: int, *, end: bool = False) -> None:
        """The file `name` has been read up to byte `position`, or to its `end`."""
        if name != self._name:
            self._before, self._name = self._before + self._position, name
        self._position = position
        done = self._before + position
        if self._report and (end or done - self._told >= _TICK):
            self._told = done
            self._report(Progress(name, done, self._total))


def modified(path: Path) -> datetime:
    """When the file was last written, to the second, in UTC."""
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC)


def found(root: Path) -> list[Path]:
    """The files under `root` that may hold events, by name."""
    names = (path for path in root.rglob("*") if path.name.removesuffix(".xz").removesuffix(".gz").endswith(_SUFFIXES))
    return sorted((path for path in names if path.is_file()), key=str)


def shown(path: Path) -> str:
    """The path as text, whatever bytes its names are made of."""
    return os.fsencode(path.as_posix()).decode(errors="replace")


def stem(name: str) -> str:
    """The name of a file without folder, packing and kind."""
    last = Path(name).name
    for suffix in (*_PACKED, *_SUFFIXES):
        last = last.removesuffix(suffix)
    return last


class File:
    """One file being read. Every failure to read it is an Invalid that says so."""

    def __init__(self, path: Path, name: str, meter: Meter) -> None:
        self.path, self.name, self._meter = path, name, meter

    def head(self) -> bytes:
        """The first bytes, enough to tell what the file is. Invalid for an empty file and for one that is not UTF-8 text."""
        raw, stream = self._open()
        with closing(raw), stream:
            start = self._read(stream, 2**16)
        if not start.strip():
            raise Invalid(f"{self.name} is empty: there is nothing to import")
        if start.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Invalid(f"{self.name} is UTF-16: save it as UTF-8")
        if b"\0" in start:
            raise Invalid(f"{self.name} is a binary file: import JSON or JSON lines, plain or packed as .xz or .gz")
        return start.removeprefix(_MARK)

    def began(self) -> str:
        """The first timestamp in the file, or nothing: a fork begins after the transcript it copies, a sub-agent after its caller."""
        try:
            found_one = _STAMP.search(self.head())
        except Invalid:
            return ""
        return found_one[1].decode(errors="replace") if found_one else ""

    def lines(self) -> Generator[Line | Problem]:
        """The objects of a file of JSON lines; what is no object is a Problem, and so is the point where an unreadable file breaks off."""
        number = 0
        raw, stream = self._open()
        with closing(raw), stream:
            try:
                while data := self._read(stream, MAX_LINE, line=True):
                    number += 1
                    data = data.removeprefix(_MARK) if number == 1 else data
                    if len(data) >= MAX_LINE and not data.endswith(b"\n"):
                        while (rest := self._read(stream, MAX_LINE, line=True)) and not rest.endswith(b"\n"):
                            pass
                        yield Problem(self.name, number, f"the line is longer than {MAX_LINE // 2**20} MiB: divide it")
                    elif data.strip():
                        yield _line(data, number, self.name)
                    self._meter.at(self.name, raw.tell())
            except Invalid as error:
                yield Problem(self.name, number + 1, str(error))
            self._meter.at(self.name, raw.tell(), end=True)

    def document(self) -> Any:
        """The JSON value that the file is; Invalid, with the line and column, when it is none."""
        raw, stream = self._open()
        with closing(raw), stream:
            data = self._read(stream, MAX_DOCUMENT + 1)
            self._meter.at(self.name, raw.tell(), end=True)
        if len(data) > MAX_DOCUMENT:
            raise Invalid(f"{self.name} is one JSON document of more than {MAX_DOCUMENT // 2**20} MiB: write it as JSON lines")
        try:
            return json.loads(data.decode("utf-8-sig"), parse_constant=_no_number)
        except UnicodeDecodeError as error:
            raise Invalid(f"{self.name} is not UTF-8 at byte {error.start}: save it as UTF-8") from None
        except json.JSONDecodeError as error:
            cut = error.pos >= len(data.decode("utf-8-sig").rstrip())
            hint = "it ends in the middle; is it still being written?" if cut else "mend it there"
            raise Invalid(f"{self.name} is not valid JSON at line {error.lineno}, column {error.colno} ({error.msg}): {hint}") from None
        except (ValueError, RecursionError) as error:
            raise Invalid(f"{self.name} is not valid JSON: {error}") from None

    def _open(self) -> tuple[IO[bytes], IO[bytes]]:
        try:
            raw = self.path.open("rb")
        except OSError as error:
            raise Invalid(f"{self.name} cannot be opened ({error.strerror}): check its name and who may read it") from None
        if self.path.suffix == ".xz":
            return raw, lzma.LZMAFile(raw)
        return raw, gzip.GzipFile(fileobj=raw) if self.path.suffix == ".gz" else raw  # pyright: ignore[reportReturnType]

    def _read(self, stream: IO[bytes], limit: int, *, line: bool = False) -> bytes:
        try:
            return stream.readline(limit) if line else stream.read(limit)
        except _BROKEN as error:
            raise Invalid(f"{self.name} cannot be read on ({error}): it is damaged or cut short; copy it anew") from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON: write null")


def _line(data: bytes, number: int, name: str) -> Line | Problem:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as error:
        return _bad_line(data, number, name, str(error))
    if not is_object(value):
        return Problem(name, number, f"the line is {_kind(value)}, not a JSON object: write one object a line")
    return Line(number, value)


def _bad_line(data: bytes, number: int, name: str, error: str) -> Problem:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        if not data.endswith(b"\n"):
            return Problem(name, number, "the last line is half-written: it is read next time", unfinished=True)
        return Problem(name, number, f"the line is not valid JSON ({error}): mend it or take it out")
    return Problem(name, number, f"the line {_SURROGATE}")


def _kind(value: object) -> str:
    return next((word for kind, word in _KINDS if isinstance(value, kind)), "a number")
