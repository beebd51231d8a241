"""One frozen Settings, from arguments over environment over beebread.toml; unknown names are refused."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from beebread.clock import parse_zone
from beebread.errors import Invalid

PREFIX = "BEEBREAD_"
FILE = "beebread.toml"
MOST, MOST_DAYS = 10**9, 36_500
NEVER_ZERO = ("flush_events", "buffer_events", "deadline_ms", "threads")


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that can be set. Times are in milliseconds, sizes in bytes, unless the name says days."""

    home: str = ""  # the folder; '' means ~/.beebread
    store: str = ""  # a store URL; '' means sqlite in `home`
    tz: str = "UTC"  # the zone in which relative time is counted when nothing nearer says one
    buffer_events: int = 10_000  # recorded and not yet durable; beyond it low-priority events are dropped and high ones spilled
    flush_events: int = 256  # recorded events that are sent in one batch
    flush_ms: int = 50  # how long a recorded event waits for others before it is sent
    fold_ms: int = 100  # same-kind low-priority events within this window become one; 0 folds nothing
    inline_bytes: int = 64 * 1024  # longer texts are kept whole in a blob, with their head in the record
    embedder: str = "auto"  # a URL such as openai://MODEL or ollama://MODEL; auto is the built-in one where it is installed, none is none
    models: str = ""  # the folder of converted models; '' means the user's cache folder
    embed_kinds: tuple[str, ...] = ()  # kinds of records that get vectors; none named means those that are told in words
    threads: int = 1  # that the built-in embedder may use
    closer: bool = False  # whether answers about as good as each other get a closer look, which takes up to 150 ms
    deadline_ms: int = 5_000  # for the whole of a recall
    busy_ms: int = 30_000  # how long a write waits for another process
    purge_days: int = 30  # after these, what was forgotten is removed for real
    state_days: int = 90  # how long a state lives that names no expiry
    memory_kinds: tuple[str, ...] = ()  # kinds of memory beside the known ones

    @property
    def folder(self) -> Path:
        """The folder that everything local is kept in."""
        return Path(self.home) if self.home else Path.home() / ".beebread"


def load(**given: object) -> Settings:
    """Settings from `given` (None means not given), then BEEBREAD_* variables, then beebread.toml in the folder.

    Raises Invalid for an unknown name or a wrong type, naming the nearest known ones: a misspelt store must never be an empty new one.
    """
    arguments = {name: value for name, value in given.items() if value is not None}
    variables = {name[len(PREFIX) :].lower(): value for name, value in os.environ.items() if name.startswith(PREFIX)}
    for other in ("data", "token"):  # BEEBREAD_DATA belongs to the benchmarks; a token is a secret and no setting
        variables.pop(other, None)
    _known("argument", arguments)
    _known("environment variable", variables)
    home = _checked({**variables, **arguments}).folder
    file = home / FILE
    try:
        written = _read(file) if file.is_file() else {}
    except (OSError, ValueError) as error:
        raise Invalid(f"home {str(home)[:200]!r} is no folder that can be read: {error}") from None
    _known(f"name in {file}", written)
    return _checked({**written, **variables, **arguments})


def _known(where: str, values: dict[str, Any]) -> None:
    unknown = sorted(set(values) - set(Settings.__struct_fields__))
    if unknown:
        raise Invalid(f"unknown setting ({where}): {', '.join(unknown)}; known are {', '.join(Settings.__struct_fields__)}")


def _checked(values: dict[str, Any]) -> Settings:
    try:
        found = msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(f"a setting has the wrong form: {error}") from None
    for name in Settings.__struct_fields__:
        if isinstance(value := getattr(found, name), int):
            least, most = name in NEVER_ZERO, MOST_DAYS if name.endswith("_days") else MOST
            if not least <= value <= most:
                raise Invalid(f"the setting {name} is out of range: use {least:d} to {most}")
    parse_zone(found.tz)
    return msgspec.structs.replace(found, home=_absolute(found.home))


def _absolute(home: str) -> str:
    """`home` as it is meant now: a program that changes its directory later still writes to the same folder."""
    try:
        if "\0" in home:
            raise ValueError("it holds a NUL")
        return str(Path(home).expanduser().absolute()) if home else ""
    except (RuntimeError, ValueError, OSError) as error:
        raise Invalid(f"home {home[:200]!r} is no folder: {error}") from None


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"{file} is not valid TOML: {error}") from None


def variable(name: str) -> str:
    """What an environment variable holds that is no setting: a secret, or where another program keeps its files; '' when it is not set."""
    return os.environ.get(name, "")
