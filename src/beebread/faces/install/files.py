"""One entry in one file of settings: shown, put in, or taken out; the file stays what it was in everything else."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from beebread.errors import Conflict, Invalid, Unavailable
from beebread.faces.install import jsonc
from beebread.faces.install.clients import NAME, Client, Entry, ours

BACKUP = ".before-beebread"
TRIES = 5
_BOM = "\ufeff"


class Change(Struct, frozen=True, kw_only=True):
    """What became of a file: whether anything was changed, and where the earlier one is kept."""

    file: str
    changed: bool
    backup: str = ""


def shown(client: Client, entry: Entry) -> str:
    """The entry as it stands in the client's file, to be put there by hand."""
    made = client.written(entry)
    if client.form == "toml":
        lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in made.items()]
        return "\n".join([f"[{client.section}.{NAME}]", *lines])
    return json.dumps({client.section: {NAME: made}}, indent=2, ensure_ascii=False)


def changed(client: Client, file: Path, entry: Entry | None) -> Change:
    """Put the entry into the file, or take it out where there is none.

    Raises Invalid, with what to put there by hand, for a file that cannot be read as what it should be; Conflict where an entry of that
    name is somebody else's; Unavailable where the file cannot be written.
    """
    try:
        return _changed(client, file, entry)
    except OSError as error:
        raise Unavailable(f"{file} cannot be written ({error.strerror}): let this user write it, or use --print") from error


def _changed(client: Client, file: Path, entry: Entry | None) -> Change:
    for _ in range(TRIES):
        before = file.read_bytes() if file.exists() else b""
        after = _edited(client, file, before, entry)
        if after == before:
            return Change(file=str(file), changed=False)
        if (file.read_bytes() if file.exists() else b"") == before:  # else its owner wrote meanwhile
            return Change(file=str(file), changed=True, backup=_replaced(file, before, after))
    raise Unavailable(f"{file} is being written by another program all the time: close that one first")


def _edited(client: Client, file: Path, before: bytes, entry: Entry | None) -> bytes:
    try:
        text = before.decode()
    except UnicodeDecodeError:
        raise Invalid(f"{file} is no UTF-8: it is left as it is; {_by_hand(client, entry)}") from None
    bom, text = (_BOM, text[1:]) if text.startswith(_BOM) else ("", text)
    newline = "\r\n" if "\r\n" in text else "\n"
    plain = text.replace("\r\n", "\n")
    try:
        made = (_toml if client.form == "toml" else _json)(client, plain, entry)
    except Invalid as error:
        raise Invalid(f"{file} cannot be read ({error}): it is left as it is; {_by_hand(client, entry)}") from None
    except Conflict as error:
        raise Conflict(f"{file}: {error}") from None
    return before if made == plain else (bom + made.replace("\n", newline)).encode()


def _by_hand(client: Client, entry: Entry | None) -> str:
    return f"mend it, or put this there by hand:\n{shown(client, entry)}" if entry else "mend it, or take the entry out by hand"


def _json(client: Client, text: str, entry: Entry | None) -> str:
    try:
        found = msgspec.convert(jsonc.parsed(text) if text.strip() else {}, dict[str, Any])
        section = msgspec.convert(found.get(client.section, {}), dict[str, Any])
    except msgspec.ValidationError:
        raise Invalid(f"{client.section} is expected to be an object in an object") from None
    held = section.get(NAME)
    wanted = None if entry is None else client.written(entry)
    _check(held)
    if held == wanted:
        return text
    return jsonc.without(text, client.section, NAME) if wanted is None else jsonc.put(text, client.section, NAME, wanted)


def _toml(client: Client, text: str, entry: Entry | None) -> str:
    try:
        import tomlkit
        from tomlkit.exceptions import TOMLKitError
    except ModuleNotFoundError:
        raise Unavailable("to write TOML without losing its comments needs tomlkit: pip install 'beebread[mcp]', or use --print") from None
    try:
        document: Any = tomlkit.parse(text)
    except TOMLKitError as error:
        raise Invalid(str(error)) from None
    section: Any = document.get(client.section)
    if section is not None and not hasattr(section, "get"):
        raise Invalid(f"{client.section} is expected to be a table")
    held = None if section is None else section.get(NAME)
    plain = None if held is None else held.unwrap()
    wanted = None if entry is None else client.written(entry)
    _check(plain)
    if plain == wanted:
        return text
    if wanted is None:
        assert section is not None
        section.remove(NAME)
        if not section:
            document.remove(client.section)
    else:
        if section is None:
            section = document[client.section] = tomlkit.table(is_super_table=True)
        table: Any = tomlkit.table()
        table.update(wanted)
        section[NAME] = table
    return str(tomlkit.dumps(document))


def _check(held: object) -> None:
    if held is not None and not ours(held):
        raise Conflict(f"there is an entry {NAME!r} already that starts something else: rename it or take it out first")


def _replaced(file: Path, before: bytes, after: bytes) -> str:
    """Put the file in the place of the earlier one in one step; where a copy of that is, if there was one."""
    file = Path(os.path.realpath(file))  # a link stays one
    file.parent.mkdir(parents=True, exist_ok=True)
    backup = file.with_name(file.name + BACKUP)
    if before:
        backup.write_bytes(before)
        shutil.copymode(file, backup)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(after)
            out.flush()
            os.fsync(out.fileno())
        if file.exists():
            shutil.copymode(file, name)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return str(backup) if before else ""
