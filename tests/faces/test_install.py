"""`beebread install` puts one entry into a client's settings and takes it out again, and leaves everything else as it was."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beebread import __version__
from beebread.errors import Invalid
from beebread.faces.install import CLIENTS, jsonc

COMMAND = [sys.executable, "-m", "beebread", "install"]
FILES = {
    "claude-code": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json", "vscode": ".config/Code/User/mcp.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
}  # fmt: skip
PROJECTS = {"claude-code": ".mcp.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json"}
every = pytest.mark.parametrize("client", list(CLIENTS))
pytestmark = [
    pytest.mark.requirement("M1"),
    pytest.mark.skipif(sys.platform != "linux", reason="where settings are is told for Linux"),
]


def run(home: Path, *words: str, code: int = 0) -> str:
    """What the command says; it must end with `code`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG", "CODEX", "CLAUDE", "BEEBREAD"))}
    project = home / "project"
    project.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [*COMMAND, *words],
        env={**environment, "HOME": str(home)},
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    assert done.returncode == code, done.stderr + done.stdout
    return done.stdout + done.stderr


def entry(file: Path, client: str) -> dict[str, Any]:
    text = file.read_text(encoding="utf-8-sig")
    found: Any = tomllib.loads(text) if file.suffix == ".toml" else jsonc.parsed(text)
    return found[CLIENTS[client].section]["beebread"]


@every
def test_it_is_put_in_once_and_taken_out_whole(tmp_path: Path, client: str) -> None:
    file = tmp_path / FILES[client]
    said = run(tmp_path, client, "--user", "安", "--home", "memory")
    assert CLIENTS[client].title in said and str(file) in said
    made = entry(file, client)
    assert Path(made["command"]).is_absolute() and Path(made["command"]).exists()
    assert made["args"][-4:] == ["--home", str(tmp_path / "project" / "memory"), "--user", "安"]
    assert ("type" in made) == (client in ("claude-code", "vscode")) and ("startup_timeout_sec" in made) == (client == "codex")
    before = file.read_bytes()
    assert "already" in run(tmp_path, client, "--user", "安", "--home", "memory") and file.read_bytes() == before
    run(tmp_path, client, "--user", "bob")
    assert entry(file, client)["args"][-2:] == ["--user", "bob"], "one entry, renewed"
    assert "no longer" in run(tmp_path, client, "--uninstall") and "beebread" not in file.read_text(encoding="utf-8")
    assert "no memory of ours" in run(tmp_path, client, "--uninstall")


@every
def test_nothing_is_written_where_it_is_only_shown(tmp_path: Path, client: str) -> None:
    said = run(tmp_path, client, "--user", "ann", "--print")
    assert str(tmp_path / FILES[client]) in said and "beebread" in said and "--user" in said
    told = json.loads(run(tmp_path, client, "--user", "ann", "--print", "--json"))
    assert told["entry"]["args"][-2:] == ["--user", "ann"]
    assert not [one for one in tmp_path.rglob("*") if one.is_file()]


@pytest.mark.parametrize("client", list(PROJECTS))
def test_a_project_has_settings_of_its_own(tmp_path: Path, client: str) -> None:
    run(tmp_path, client, "--project", "--tools", "full")
    file = tmp_path / "project" / PROJECTS[client]
    assert entry(file, client)["args"][-2:] == ["--tools", "full"] and not (tmp_path / FILES[client]).exists()


def test_who_has_no_settings_of_a_project_says_so(tmp_path: Path) -> None:
    assert "no settings of a project" in run(tmp_path, "claude-desktop", "--project", code=2)
    assert "claude-code" in run(tmp_path, "emacs", code=2)


COMMENTED = """{
\t// servers of mine 我的
\t"inputs": [ { "id": "key", "type": "promptString" } ], /* kept */
\t"servers": {
\t\t"other": { "command": "npx", "args": ["-y", "other"], }, // the comma too
\t},
\t"unusual": 1e3,
}
"""
TOML = '# mine\nmodel = "o9" # kept\n\n[mcp_servers.other]\ncommand = "npx" # so\nargs = [ "-y","other" ]\n\n[profiles.x]\nmodel = \'y\'\n'


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
@pytest.mark.parametrize(("client", "text"), [("vscode", COMMENTED), ("codex", TOML)])
def test_everything_else_stays_byte_for_byte(tmp_path: Path, client: str, text: str, newline: str, bom: str) -> None:
    file = tmp_path / FILES[client]
    file.parent.mkdir(parents=True)
    real = tmp_path / "dotfiles"
    before = (bom + text.replace("\n", newline)).encode()
    real.write_bytes(before)
    real.chmod(0o640)
    file.symlink_to(real)
    run(tmp_path, client, "--user", "ann")
    after = real.read_bytes().decode()
    assert file.is_symlink() and stat.S_IMODE(real.stat().st_mode) == 0o640
    assert after.startswith(bom) and after.count("\n") == after.count(newline)
    for line in text.splitlines():
        assert line in after.replace("\r\n", "\n"), line
    assert entry(file, client)["args"][-1] == "ann"
    assert real.with_name("dotfiles.before-beebread").read_bytes() == before
    run(tmp_path, client, "--uninstall")
    assert real.read_bytes().decode().rstrip() == before.decode().rstrip()


BROKEN = {
    "{": "expected", '{"mcpServers": 5}': "object", '{"mcpServers": {}} x': "after the end", "[]": "object", '{"a" 1}': '":"',
    '{"mcpServers": {"beebread": }}': "no value", "nothing": "no value",
}  # fmt: skip


@pytest.mark.parametrize("text", [*BROKEN, b"\xff\xfe{\x00}\x00"], ids=str)
def test_what_cannot_be_read_is_left_alone_and_told_what_to_paste(tmp_path: Path, text: str | bytes) -> None:
    file = tmp_path / FILES["cursor"]
    file.parent.mkdir(parents=True)
    file.write_bytes(before := text.encode() if isinstance(text, str) else text)
    said = run(tmp_path, "cursor", "--user", "ann", code=2)
    assert (BROKEN[text] if isinstance(text, str) else "UTF-8") in said and '"mcpServers"' in said and "--user" in said
    assert file.read_bytes() == before and len(list(file.parent.iterdir())) == 1


def test_toml_that_cannot_be_read_is_left_alone_too(tmp_path: Path) -> None:
    file = tmp_path / FILES["codex"]
    file.parent.mkdir(parents=True)
    for text in ("[mcp_servers", "mcp_servers = 5\n", "a = 1\na = 2\n"):
        file.write_text(text, encoding="utf-8")
        assert "[mcp_servers.beebread]" in run(tmp_path, "codex", code=2)
        assert file.read_text(encoding="utf-8") == text


@every
def test_an_entry_of_somebody_else_is_not_overwritten(tmp_path: Path, client: str) -> None:
    file = tmp_path / FILES[client]
    file.parent.mkdir(parents=True, exist_ok=True)
    section = CLIENTS[client].section
    held = json.dumps({section: {"beebread": {"command": "honey"}}})
    foreign = f'[{section}.beebread]\ncommand = "honey"\n' if client == "codex" else held
    file.write_text(foreign, encoding="utf-8")
    for words in ([], ["--uninstall"]):
        assert "starts something else" in run(tmp_path, client, *words, code=3)
        assert file.read_text(encoding="utf-8") == foreign


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_file_that_may_not_be_written_is_said(tmp_path: Path) -> None:
    folder = tmp_path / ".cursor"
    folder.mkdir()
    folder.chmod(0o500)
    assert "cannot be written" in run(tmp_path, "cursor", code=4)
    folder.chmod(0o700)


def remembers(home: Path, made: dict[str, Any]) -> None:
    """The command of an entry starts a server, which keeps something for the next one that is started so."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    calls: list[dict[str, Any]] = [
        {"name": "memory_write", "arguments": {"content": "喜欢龙井茶"}},
        {"name": "memory_query", "arguments": {"query": "喜欢喝什么茶"}},
    ]

    def told(call: dict[str, Any]) -> Any:
        asked: list[dict[str, Any]] = [
            {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}, {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
        ]  # fmt: skip
        text = "".join(json.dumps(one) + "\n" for one in asked)
        command = [made["command"], *made["args"]]
        done = subprocess.run(command, input=text.encode(), capture_output=True, check=True, timeout=60, env={"HOME": str(home)})
        return json.loads(done.stdout.splitlines()[-1])["result"]["structuredContent"]

    assert told(calls[0])["status"] == "active"
    assert told(calls[1])["items"][0]["text"] == "喜欢龙井茶"


def test_what_was_installed_starts_and_remembers(tmp_path: Path) -> None:
    """The command line is taken from the file, as the client would."""
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    run(tmp_path, "claude-desktop", "--user", "ann", "--home", "memory")
    remembers(tmp_path, entry(tmp_path / FILES["claude-desktop"], "claude-desktop"))


GUIDES = Path(__file__).parents[2] / "docs" / "guides"


def followed(guide: str, title: str, home: Path) -> str:
    """What the commands under a heading of a guide print, to somebody new who copies them: at most four."""
    part = (GUIDES / guide).read_text(encoding="utf-8").split(f"## {title}\n", 1)[1].split("\n## ")[0]
    (block, *_) = re.findall(r"```bash\n(.*?)```", part, re.DOTALL)
    commands = block.strip().splitlines()
    assert 1 <= len(commands) <= 4
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    script = "\n".join(["trap 'kill $(jobs -p) 2>/dev/null || true' EXIT", *commands])
    environment = {"HOME": str(home), "PATH": path, "BEEBREAD_MODELS": str(Path(tempfile.gettempdir()) / "beebread-test-models")}
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=home, env=environment, capture_output=True, check=True, timeout=60
    ).stdout.decode()


def test_somebody_new_connects_claude_code_by_the_guide(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra `mcp` is not installed")
    followed("mcp.md", "Claude Code", tmp_path)
    remembers(tmp_path, entry(tmp_path / FILES["claude-code"], "claude-code"))


def test_somebody_new_asks_by_curl_by_the_guide(tmp_path: Path) -> None:
    written, found = followed("server.md", "Quick start", tmp_path).replace("}{", "}\n{").splitlines()
    assert json.loads(written)["status"] == "active" and json.loads(found)["items"][0]["text"] == "以后用飞书通知我"


def test_what_registries_are_told_is_true() -> None:
    root = GUIDES.parents[1]
    told = json.loads((root / "server.json").read_text(encoding="utf-8"))
    assert f"mcp-name: {told['name']} -->" in (root / "README.md").read_text(encoding="utf-8")
    assert {told["version"], *(one["version"] for one in told["packages"])} == {__version__}
    assert len(told["description"]) <= 100 and [one["transport"]["type"] for one in told["packages"]] == ["stdio", "streamable-http"]
    for package in told["packages"]:
        assert package["identifier"] == "beebread" and package["registryType"] == "pypi"
        words = [
            one.get("value", one.get("name")) for one in package["packageArguments"] if one["type"] == "positional" or "value" not in one
        ]
        assert words[0] == "mcp"


# ---------------------------------------------------------------- the edit itself

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3), max_leaves=12,
)  # fmt: skip


OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4)


@given(whole=OBJECTS, section=st.none() | OBJECTS, indent=st.sampled_from([None, 1, 2, "\t"]), place=st.integers(0, 4))
@settings(max_examples=300, deadline=None)
def test_one_member_changes_and_nothing_else(
    whole: dict[str, Any], section: dict[str, Any] | None, indent: int | str | None, place: int
) -> None:
    if section is not None:
        items = [*whole.items()]
        items.insert(min(place, len(items)), ("servers", section))
        whole = dict(items)
    elif not isinstance(whole.get("servers", {}), dict):
        return
    text = json.dumps(whole, indent=indent, ensure_ascii=False)
    before: dict[str, Any] = jsonc.parsed(text)
    assert before == whole
    put = jsonc.put(text, "servers", "beebread", {"command": "x", "args": ["蜂"]})
    held = {**before.get("servers", {}), "beebread": {"command": "x", "args": ["蜂"]}}
    assert json.loads(put) == {**before, "servers": held}
    out = jsonc.without(put, "servers", "beebread")
    assert json.loads(out) == {**before, "servers": {name: one for name, one in held.items() if name != "beebread"}}
    assert jsonc.without(out, "servers", "beebread") == out


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        jsonc.parsed(text)
    except Invalid as error:
        assert str(error).startswith("line ")
