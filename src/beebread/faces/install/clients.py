"""The programs that start MCP servers: where each keeps its settings, and in which form."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from beebread.settings import variable

NAME = "beebread"
PATIENCE = 30  # seconds that a client gives the server to start; it needs a twentieth of one


class Entry(Struct, frozen=True):
    """How a client starts the server: an absolute path, since programs with windows know nothing of a shell's PATH."""

    command: str
    args: tuple[str, ...]


class Client(Struct, frozen=True, kw_only=True):
    """One program. `section` is where its servers stand in its file; `user` gives that file, `project` its path inside a project."""

    name: str
    title: str
    section: str
    user: Callable[[], Path]
    project: str = ""
    form: Literal["json", "toml"] = "json"
    typed: bool = True
    after: str = "Start it anew"

    def written(self, entry: Entry) -> dict[str, Any]:
        """The entry as this client reads it."""
        made: dict[str, Any] = {"type": "stdio"} if self.typed else {}
        made |= {"command": entry.command, "args": list(entry.args)}
        return made | ({"startup_timeout_sec": PATIENCE} if self.form == "toml" else {})


def _settings(*parts: str) -> Path:
    """The folder of programs' settings on this system, and a file in it."""
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        base = Path(variable("APPDATA") or Path.home() / "AppData" / "Roaming")
    else:
        base = Path(variable("XDG_CONFIG_HOME") or Path.home() / ".config")
    return base.joinpath(*parts)


def _in(named: str, folder: str, name: str) -> Path:
    """A file in the folder that a variable names, else in one of the user's."""
    return Path(variable(named) or Path.home() / folder, name)


CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        Client(
            name="claude-code", title="Claude Code", section="mcpServers", project=".mcp.json",
            user=lambda: _in("CLAUDE_CONFIG_DIR", "", ".claude.json"), after="Begin a new session; /mcp shows it",
        ),
        Client(
            name="codex", title="Codex", section="mcp_servers", project=".codex/config.toml", form="toml", typed=False,
            user=lambda: _in("CODEX_HOME", ".codex", "config.toml"), after="Begin a new session; /mcp shows it",
        ),
        Client(
            name="cursor", title="Cursor", section="mcpServers", project=".cursor/mcp.json", typed=False,
            user=lambda: Path.home() / ".cursor" / "mcp.json", after="It is under Settings, Tools & MCP",
        ),
        Client(
            name="vscode", title="VS Code", section="servers", project=".vscode/mcp.json",
            user=lambda: _settings("Code", "User", "mcp.json"), after="Run the command 'MCP: List Servers' and start it",
        ),
        Client(
            name="claude-desktop", title="Claude Desktop", section="mcpServers", typed=False,
            user=lambda: _settings("Claude", "claude_desktop_config.json"), after="Quit it wholly and start it anew",
        ),
    )
}  # fmt: skip


def server(options: Sequence[str]) -> Entry:
    """How to start this very installation with these options."""
    script = Path(sys.executable).with_name("beebread.exe" if sys.platform == "win32" else "beebread")
    if script.is_file():
        return Entry(str(script), ("mcp", *options))
    return Entry(sys.executable, ("-m", "beebread", "mcp", *options))


class _Held(Struct):
    command: str = ""
    args: list[Any] = []


def ours(entry: object) -> bool:
    """Whether an entry starts a memory of ours, wherever it is installed."""
    try:
        held = msgspec.convert(entry, _Held)
    except msgspec.ValidationError:
        return False
    return "mcp" in held.args and (Path(held.command).stem == NAME or NAME in held.args)
