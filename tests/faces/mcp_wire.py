"""`beebread mcp` as a process, message by message."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.faces.mcp_clients import COMMAND

MODERN_META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}  # fmt: skip
HELLO = {
    "jsonrpc": "2.0", "id": "hello", "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip


class Wire:
    """One process, what is sent to it and what it says; killed at the end."""

    def __init__(self, folder: Path | str, *options: str, **environment: str) -> None:
        command = [*COMMAND, "--home", str(folder), *options]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment}
        )
        self._said: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(line)
        self._said.put(b"")

    def raw(self, line: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        """Send one message."""
        self.raw(json.dumps(message, ensure_ascii=False).encode() + b"\n")

    def receive(self, seconds: float = 30) -> dict[str, Any]:
        """The next message; fails when there is none."""
        line = self._said.get(timeout=seconds)
        assert line, f"it ended: {self.errors()}"
        return json.loads(line)

    def call(self, name: str, arguments: dict[str, Any], number: int = 1, meta: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The result of a tool."""
        params = {"name": name, "arguments": arguments, **({"_meta": meta} if meta else {})}
        self.send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
        answer = self.receive()
        assert answer["id"] == number, answer
        return answer["result"]

    def greet(self) -> Self:
        """Shake hands."""
        self.send(HELLO)
        assert self.receive()["id"] == "hello"
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def end(self) -> int:
        """Close its input, and its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(30)

    def errors(self) -> str:
        """What it said to people."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, __: BaseException | None, ___: TracebackType | None) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
