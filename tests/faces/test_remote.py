"""A memory on a server that is slow, wrong, gone, or not one at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from beebread import BeebreadError, Client
from beebread.errors import Forbidden, Invalid, Unavailable
from tests.served import served

WHO = b'{"clearance":3,"roles":["admin","self"]}'
Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def pretending(answer: Answer) -> Generator[tuple[str, list[tuple[str, str, str]]]]:
    """A server that answers whoami as a memory does, and all else with `answer`; and what it was asked."""
    asked: list[tuple[str, str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            self.rfile.read(int(self.headers.get("content-length") or 0))
            asked.append((self.command, self.path, self.headers.get("authorization", "")))
            if self.path.startswith("/v1/whoami"):
                said(self, 200, WHO)
            else:
                answer(self)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    for verb in ("GET", "POST", "PATCH", "PUT", "DELETE"):
        setattr(Handler, f"do_{verb}", vars(Handler)["_any"])
    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def said(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """Answer so."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.mark.requirement("M3")
@pytest.mark.parametrize("body", [b"", b"<html>hello</html>", b"[1]", b"\xff\xfe", b'{"items": 3}'])
def test_what_is_no_answer_of_a_memory_is_told(body: bytes) -> None:
    with (
        pretending(lambda handler: said(handler, 200, body)) as (url, _),
        Client(url) as memory,
        pytest.raises(Unavailable, match="is it the address of one"),
    ):
        memory.bind(user="u").list()


@pytest.mark.requirement("M3")
@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (500, b"oops", Unavailable), (502, b"", Unavailable), (404, b"nginx", BeebreadError), (302, b"", Unavailable), (400, b"{", Invalid),
        (422, b'{"type":"urn:beebread:invalid","detail":"no such kind","ids":["a"]}', Invalid),
        (401, b"", Forbidden), (429, b"", Unavailable),
        (418, b'{"type":"urn:other:teapot","detail":"short and stout"}', Invalid),
    ],
)  # fmt: skip
def test_every_status_is_an_error_of_ours(status: int, body: bytes, error: type[BeebreadError]) -> None:
    with pretending(lambda handler: said(handler, status, body)) as (url, _), Client(url) as memory, pytest.raises(error):
        memory.bind(user="u").list()


@pytest.mark.requirement("M3", "S7")
def test_only_what_can_do_no_harm_is_asked_again() -> None:
    def hang_up(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True

    with pretending(hang_up) as (url, asked), Client(url) as memory:
        me = memory.bind(user="u")
        with pytest.raises(Unavailable, match="may or may not"):
            me.write("x")
        assert [path for method, path, _ in asked if method == "POST"] == ["/v1/memories"]
        with pytest.raises(Unavailable):
            me.list()
        assert len([path for _, path, _ in asked if path.startswith("/v1/memories?")]) == 4


@pytest.mark.requirement("M3")
def test_a_busy_server_is_asked_again() -> None:
    busy = [True, True]

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if busy:
            busy.pop()
            said(handler, 503, b"{}", Retry_After="1")
        else:
            said(handler, 200, b'{"id":"m1"}')

    with pretending(answer) as (url, _), Client(url) as memory:
        assert memory.bind(user="u").write("x") == "m1"


@pytest.mark.requirement("I3")
def test_a_token_is_told_to_its_server_alone() -> None:
    with (
        pretending(lambda handler: said(handler, 200, b"{}")) as (elsewhere, heard),
        pretending(lambda handler: said(handler, 307, b"", Location=f"{elsewhere}/v1/memories")) as (url, asked),
    ):
        with Client(url, token="bb_secret_token") as memory:
            with pytest.raises(BeebreadError) as error:
                memory.bind(user="u").list()
            assert "bb_secret" not in str(error.value) + repr(memory) + repr(memory.__dict__)
        assert not heard and all(token == "Bearer bb_secret_token" for _, _, token in asked)


@pytest.mark.requirement("C6", "S7")
def test_what_is_recorded_while_the_server_is_away_is_kept_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEEBREAD_HOME", str(tmp_path / "mine"))
    with served(tmp_path / "theirs") as url:
        memory = Client(url)
        me = memory.bind(user="u", session="s")
        me.record("user_message", "先说的", id="e1")
        me.flush()
    me.record("user_message", "服务器不在的时候说的", id="e2")
    with pytest.raises(Unavailable):
        me.flush(timeout=1)
    memory.close()
    assert [path for path in (tmp_path / "mine").rglob("spill/*") if path.is_file()], "it waits on this machine"


@pytest.mark.requirement("M3")
def test_what_only_a_folder_can_have_is_refused(tmp_path: Path) -> None:
    with served(tmp_path / "memory") as url:
        with pytest.raises(Invalid, match="server"):
            Client(url, store="sqlite://")
        with pytest.raises(Invalid, match="server"):
            Client(url, embedder="none")
        with Client(url, tokens=len) as memory, pytest.raises(Invalid, match="tokens"):
            memory.bind(user="u").context("x", budget=500)
        with Client(url) as memory:
            with pytest.raises(Invalid, match="beebread reembed"):
                memory.reembed()
            with pytest.raises(Invalid, match="folder"):
                _ = memory.served
            assert memory.home == url
