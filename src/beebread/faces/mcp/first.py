"""The first words of `beebread mcp`: what can be said before anything is loaded is said at once, and the rest is loaded meanwhile.

Clients start their servers with themselves, and some do not wait: a model's first turn then has no memory. The protocol's SDK and the
memory take a second to load, a plain process a twentieth of it. So this module imports the standard library alone; it answers what is the
same whoever asks, from `facts`, and hands the connection over with the first message that needs more.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Callable
from typing import IO, Any, Protocol, cast

from beebread import __version__
from beebread.faces.mcp import facts

Json = dict[str, Any]
PARSE_ERROR, INVALID_REQUEST, INTERNAL_ERROR = -32700, -32600, -32603
LONGEST = 64 << 20  # bytes of one message
PATIENCE = 60.0  # seconds that answers may take when nothing more is asked
_ANSWER = re.compile(r'\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|-?[0-9]+),"(?:result|error)"')


class Ready(Protocol):
    """What takes the connection over."""

    def serve(self, lines: Lines, out: Output) -> None:
        """Go on until the client leaves."""
        ...

    def close(self) -> None:
        """Let go of the memory."""
        ...


class Output:
    """Where answers go: a line each, whole, whoever writes. It knows which requests have no answer yet."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._told = threading.Condition()
        self._asked: set[str] = set()
        self._again: set[str] = set()

    def tell(self, message: Json) -> None:
        """Write one message."""
        self.line(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    def line(self, text: str) -> None:
        """Write a message that is text already, unless it answers what was answered here before."""
        answer = _ANSWER.match(text)
        name = answer[1] if answer else ""
        with self._told:
            if name not in self._again:
                self._stream.write(text.rstrip("\n").encode("utf-8", "backslashreplace") + b"\n")
                self._stream.flush()
            self._again.discard(name)
            self._asked.discard(name)
            self._told.notify_all()

    def asked(self, request: object) -> None:
        """A request with this id has come."""
        with self._told:
            self._asked.add(_name(request))

    def over(self, request: object) -> None:
        """It is not to be answered any more."""
        with self._told:
            self._asked.discard(_name(request))
            self._told.notify_all()

    def silence(self, request: object) -> None:
        """Leave out the next answer to this request: it is asked once more only so that others know of it."""
        self._again.add(_name(request))

    def answered(self, seconds: float) -> None:
        """Return when every request has its answer, or the time is over."""
        with self._told:
            self._told.wait_for(lambda: not self._asked, seconds)


def _name(request: object) -> str:
    """An id as it stands in an answer."""
    return json.dumps(request, ensure_ascii=False)


class Lines:
    """What the client sends: first what has to be gone through again, then what comes. What is no message gets its error here."""

    def __init__(self, stream: IO[bytes], out: Output) -> None:
        self._stream, self._out = stream, out
        self._again: list[bytes] = []

    def again(self, lines: list[bytes]) -> None:
        """Give these first."""
        self._again = [*lines, *self._again]

    def readline(self) -> str:
        """The next message as text, '' at the end."""
        line, _ = self.next()
        return line.decode() if line else ""

    def next(self) -> tuple[bytes, Json]:
        """The next message, and what it says; nothing at the end."""
        while line := self._again.pop(0) if self._again else self._stream.readline(LONGEST):
            if not line.strip():
                continue
            found, why = _read(line)
            if isinstance(found, list):  # a batch, as one revision had it: each by itself
                self.again([json.dumps(one, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n" for one in found])
            elif found is not None and not why:
                self._note(found)
                return line, found
            else:
                self._refuse(line, found, why)
        self._out.answered(PATIENCE)  # who asks and closes his end waits for his answers all the same
        return b"", {}

    def _note(self, message: Json) -> None:
        if "method" in message and "id" in message:
            self._out.asked(message["id"])
        elif message.get("method") == "notifications/cancelled" and isinstance(params := message.get("params"), dict):
            self._out.over(cast("Json", params).get("requestId"))

    def _refuse(self, line: bytes, found: Json | None, why: str) -> None:
        while not line.endswith(b"\n") and (line := self._stream.readline(LONGEST)):
            continue  # the rest of a line that was too long
        code = PARSE_ERROR if found is None else INVALID_REQUEST
        name = found.get("id") if found is not None else None
        name = name if isinstance(name, (str, int)) else None
        self._out.tell({"jsonrpc": "2.0", "id": name, "error": {"code": code, "message": why}})


def _read(line: bytes) -> tuple[Json | list[Any] | None, str]:
    """What a line says, and why it is no message."""
    if len(line) >= LONGEST:
        return None, f"a message has at most {LONGEST} bytes"
    try:
        found = json.loads(line.decode())
    except UnicodeDecodeError:
        return None, "a message is UTF-8: this line is not"
    except (ValueError, RecursionError) as error:
        return None, f"a message is one line of JSON: {error}"
    if isinstance(found, list) and found:
        return cast("list[Any]", found), ""
    if not isinstance(found, dict):
        return {}, "a message is a JSON object"
    message = cast("Json", found)
    answers = ("result" in message or "error" in message) and "id" in message
    if message.get("jsonrpc") != "2.0" or not (isinstance(message.get("method"), str) or answers):
        return message, 'a message has jsonrpc "2.0" and a method'
    return message, ""


class First:
    """One connection until it is handed over."""

    def __init__(self, out: Output, *, full: bool, structured: bool) -> None:
        self._out = out
        self._lists = facts.lists(full=full, structured=structured)
        self._greeted: list[bytes] = []
        self._revision = facts.HANDSHAKE[-1]

    def answers(self, line: bytes, message: Json) -> bool:
        """Whether the message is dealt with here."""
        method = message.get("method")
        params = message.get("params")
        params = cast("Json", params) if isinstance(params, dict) else {}
        if method in ("notifications/initialized", "notifications/cancelled") and "id" not in message:
            if method == "notifications/initialized":
                self._greeted.append(line)
            return True
        if not isinstance(message.get("id"), (str, int)):
            return False
        if method == "initialize":
            return self._greets(line, message, params)
        meta = params.get("_meta")
        asked = cast("Json", meta).get(facts.VERSION_KEY) if isinstance(meta, dict) else None
        result = self._result(str(method), params, asked)
        if result is None:
            return False
        self._out.tell({"jsonrpc": "2.0", "id": message["id"], "result": result})
        return True

    def _greets(self, line: bytes, message: Json, params: Json) -> bool:
        if self._greeted or not isinstance(params.get("clientInfo"), dict) or not isinstance(params.get("capabilities"), dict):
            return False  # the SDK says what is wrong with it
        self._greeted.append(line)
        self._revision = facts.negotiated(params.get("protocolVersion"))
        self._out.tell({"jsonrpc": "2.0", "id": message["id"], "result": {
            "protocolVersion": self._revision, "capabilities": facts.CAPABILITIES, "serverInfo": facts.server_info(__version__),
            "instructions": facts.INSTRUCTIONS,
        }})  # fmt: skip
        self._out.silence(message["id"])
        return True

    def _result(self, method: str, params: Json, asked: object) -> Json | None:
        """What a request is answered; None for one that is not answered here."""
        modern = asked in facts.MODERN
        if (asked is not None and not modern) or (not modern and not self._greeted and method != "ping") or "cursor" in params:
            return None
        if method == "ping" and not modern:
            return {}
        if method == "server/discover" and modern:
            found: Json = {"supportedVersions": list(facts.MODERN), "capabilities": facts.CAPABILITIES, "instructions": facts.INSTRUCTIONS}
        elif method in self._lists:
            name, some = self._lists[method]
            found = {name: facts.told(some, facts.MODERN[0] if modern else self._revision)}
        else:
            return None
        if modern:
            stamp = {facts.SERVER_KEY: facts.server_info(__version__)}
            found = {**found, **facts.PUBLIC, **facts.COMPLETE, "_meta": stamp}
        return found

    @property
    def greeted(self) -> list[bytes]:
        """What whoever takes over has to go through again."""
        return self._greeted


def serve(load: Callable[[], Ready], *, full: bool = False, structured: bool = True) -> int:
    """Answer on standard input and output while `load` runs beside it, then let what it gave go on; the exit code."""
    reading, writing = _claimed()
    out = Output(writing)
    lines, first = Lines(reading, out), First(out, full=full, structured=structured)
    loading = _Loading(load)
    loading.start()
    while True:
        line, message = lines.next()
        if line and not loading.done and first.answers(line, message):
            continue
        loading.join()
        if loading.why:
            if line:
                out.tell({"jsonrpc": "2.0", "id": message.get("id"), "error": {"code": INTERNAL_ERROR, "message": loading.why}})
            return loading.code
        ready = loading.ready
        assert ready is not None
        try:
            if line:
                lines.again([*first.greeted, line])
                ready.serve(lines, out)
        finally:
            ready.close()
        return 0


class _Loading(threading.Thread):
    """Loads what takes over; what goes wrong is told to who waits for it, and to standard error."""

    def __init__(self, load: Callable[[], Ready]) -> None:
        super().__init__(name="beebread-mcp-loading")
        self._load = load
        self.ready: Ready | None = None
        self.why = ""
        self.code = 0

    @property
    def done(self) -> bool:
        return self.ready is not None or bool(self.why)

    def run(self) -> None:
        try:
            self.ready = self._load()
        except SystemExit as error:  # of a command line that makes no sense, which was said already
            self.code = error.code if isinstance(error.code, int) else 2
            self.why = "the server was started with options that make no sense: see its standard error"
        except BaseException as error:
            from beebread.errors import BeebreadError, codes

            self.code = codes(error).exit if isinstance(error, BeebreadError) else 4
            self.why = f"{type(error).__name__}: {error}"
            sys.stderr.write(f"{self.why}\n")


def _claimed() -> tuple[IO[bytes], IO[bytes]]:
    """Standard input and output for this connection alone: what else is printed goes to standard error, and children read nothing."""
    sys.stdout.flush()
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return reading, writing
