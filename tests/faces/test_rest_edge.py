"""What a server keeps of its answers and for whom; and the clients it lets go of."""

from __future__ import annotations

import os
import signal
import socket
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from beebread import Client
from beebread.faces.rest import ServerOptions
from tests.faces.test_serve import running
from tests.served import served

PATH = "/v1/memories/m1"


def read(url: str, **headers: str) -> httpx.Response:
    return httpx.get(f"{url}{PATH}", params={"user": "u1"}, headers=headers)


@pytest.mark.requirement("M2")
def test_what_was_read_is_read_anew_after_any_change(tmp_path: Path) -> None:
    """By this server, by another process's hand on the same folder, by a client that records."""
    with served(tmp_path / "m") as url, Client(tmp_path / "m") as other, Client(url) as memory:
        here, there = memory.bind(user="u1"), other.bind(user="u1")
        assert read(url).status_code == 404
        here.write("喜欢茶", id="m1", tags=["茶"])
        for _ in range(3):
            assert read(url).json()["text"] == "喜欢茶" and read(url, **{"If-None-Match": '"1"'}).status_code == 304
        for version, text in enumerate(("喜欢咖啡", "prefers water", "什么都不喝"), start=2):
            (here if version % 2 else there).update("m1", text=text)
            answers = [read(url) for _ in range(3)]
            assert {(one.json()["text"], one.headers["etag"]) for one in answers} == {(text, f'"{version}"')}
            assert len({one.headers["x-request-id"] for one in answers}) == 3
        assert read(url, **{"If-None-Match": '"1"'}).status_code == 200
        there.forget("m1")
        assert [read(url).status_code for _ in range(2)] == [404, 404]
        there.record("user_message", "以后用飞书通知我", id="e1")
        other.flush()
        found = httpx.get(f"{url}/v1/memories/e1", params={"user": "u1"})
        assert found.json()["text"] == "以后用飞书通知我"


@pytest.mark.requirement("I1", "I3", "M2")
def test_what_was_answered_to_one_is_not_told_to_another(tmp_path: Path) -> None:
    with served(tmp_path / "m", ServerOptions(rate=1000)) as url:
        with Client(url) as admin:
            admin.bind(user="u1").write("只给自己看", id="m1")
            mine, others = admin.key_create(user="u1"), admin.key_create(user="u2")
            all_ = admin.key_create(roles=("admin", "self"))
        time.sleep(1.1)

        def told(token: str, **more: str) -> int:
            return read(url, **({"Authorization": f"Bearer {token}"} if token else {}), **more).status_code

        whole = {"Beebread-Bind": "user=u1"}
        for _ in range(3):
            assert (told(mine.token), told(all_.token, **whole)) == (200, 200)
            assert (told(others.token), told(all_.token, **{"Beebread-Bind": "user=u2"}), told("")) == (404, 404, 401)
            assert told(mine.token, **{"Beebread-Bind": "nobody=true"}) == 404
        with Client(url, token=all_.token) as admin:
            admin.key_revoke(mine.key.id)
        time.sleep(1.1)
        assert told(mine.token) == 401, "that it was answered before makes no key valid"


@pytest.mark.requirement("M2")
def test_what_was_packed_for_one_is_not_given_packed_to_another(tmp_path: Path) -> None:
    with served(tmp_path / "m") as url:
        with Client(url) as memory:
            memory.bind(user="u1").write("茶" * 2000, id="m1")
        for coding in ("gzip", "identity", "gzip", "identity"):
            told = read(url, **{"Accept-Encoding": coding})
            assert told.json()["text"] == "茶" * 2000
            assert told.headers.get("content-encoding", "identity") == coding


@pytest.mark.requirement("M2")
def test_reads_that_are_kept_are_counted_like_others(tmp_path: Path) -> None:
    with served(tmp_path / "m", ServerOptions(rate=3)) as url:
        with Client(tmp_path / "m") as memory:
            memory.bind(user="u1").write("tea", id="m1")
        assert 429 in [read(url).status_code for _ in range(9)]


@contextmanager
def connected(url: str) -> Generator[socket.socket]:
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as client:
        yield client


def let_go(client: socket.socket) -> bool:
    """Whether the server has closed the connection; waits for it."""
    try:
        return not client.recv(65536)
    except ConnectionError:
        return True


@pytest.mark.requirement("M2")
def test_addresses_and_headers_have_an_end(tmp_path: Path) -> None:
    with served(tmp_path / "m", ServerOptions(patience=1)) as url:
        with connected(url) as client:
            client.sendall(b"GET /v1/memories?cursor=" + b"x" * 62_000 + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            told = b"".join(iter(lambda: client.recv(65536), b""))
        assert told.startswith(b"HTTP/1.1 414 ") and b'"urn:beebread:uri-too-long"' in told
        many = httpx.get(f"{url}/v1/whoami", headers={f"x-{number}": "y" * 1000 for number in range(70)})
        assert (many.status_code, many.json()["type"]) == (431, "urn:beebread:request-header-fields-too-large")
        assert many.headers["x-request-id"]
        for endless in (b"GET /", b"GET / HTTP/1.1\r\nx: ", b"POST /v1/events HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nx: "):
            with connected(url) as client, pytest.raises(ConnectionError):
                client.sendall(endless)
                for _ in range(10_000):
                    client.sendall(b"y" * 10_000)
        assert httpx.get(f"{url}/readyz").text == "ready\n"


@pytest.mark.requirement("M2")
def test_who_never_finishes_a_request_is_let_go(tmp_path: Path) -> None:
    with served(tmp_path / "m", ServerOptions(patience=0.5)) as url:
        for begun in (b"", b"GET /v1/whoami HTTP/1.1\r\nHost: loc"):
            with connected(url) as client:
                client.sendall(begun)
                assert let_go(client)
        with connected(url) as client, client.makefile("rb") as answers:
            for _ in range(2):
                client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                while (line := answers.readline()) != b"alive\n":
                    assert line, "who asks now and then keeps the connection"
                time.sleep(0.8)


@pytest.mark.requirement("M7")
@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
def test_a_stream_of_changes_ends_when_the_server_does(tmp_path: Path) -> None:
    with (
        running(tmp_path / "m") as (process, url),
        httpx.stream("GET", f"{url}/v1/changes", headers={"Accept": "text/event-stream"}) as feed,
    ):
        assert feed.status_code == 200
        begun = time.monotonic()
        os.kill(process.pid, signal.SIGTERM)
        assert b"".join(feed.iter_raw()) == b"", "it ends whole, not in the middle"
        assert process.wait(20) == 0 and time.monotonic() - begun < 10


@pytest.mark.requirement("M2")
@pytest.mark.skipif(sys.platform == "win32", reason="an open file is not moved there")
def test_a_store_that_is_away_is_told_as_that(tmp_path: Path) -> None:
    with served(tmp_path / "m") as url, httpx.Client(base_url=url) as http:
        assert http.post("/v1/memories", json={"text": "x", "id": "m1"}).status_code == 201
        (tmp_path / "m" / "beebread.db").rename(tmp_path / "away.db")
        refused = http.post("/v1/memories", json={"text": "y"})
        (tmp_path / "away.db").rename(tmp_path / "m" / "beebread.db")
        assert (refused.status_code, refused.json()["type"], refused.headers["retry-after"]) == (503, "urn:beebread:unavailable", "1")
        assert http.post("/v1/memories", json={"text": "z"}).status_code == 201
