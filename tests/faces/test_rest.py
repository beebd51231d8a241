"""The memory over HTTP, by requests as any program sends them."""

from __future__ import annotations

import gzip
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from beebread import Client
from beebread.faces.rest import ServerOptions, openapi
from beebread.operations import OPERATIONS
from tests.served import served

SMALL = ServerOptions(body=4096, patience=0.5)


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with served(tmp_path / "memory", SMALL) as address:
        yield address


@pytest.fixture
def http(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, params={"user": "u1"}) as client:
        yield client


def problem(response: httpx.Response, status: int, kind: str, words: str = "") -> dict[str, Any]:
    """The problem that an answer must be."""
    assert response.headers["content-type"] == "application/problem+json", response.text
    told = response.json()
    assert (response.status_code, told["status"], told["type"]) == (status, status, f"urn:beebread:{kind}"), told
    assert words in told["detail"], told
    return told


@pytest.mark.requirement("M2")
def test_what_is_recorded_is_found_and_packed(http: httpx.Client) -> None:
    events = [
        {"kind": "user_message", "text": "以后用飞书通知我"},
        {"kind": "assistant_message", "content": "Feishu from now on", "id": "a1"},
    ]
    kept = http.post("/v1/events", json={"session": "s1", "agent_id": "support", "events": events}).json()
    assert len(kept["created"]) == 2 and not kept["rejected"]
    for asked in ({"text": "飞书"}, {"query": "Feishu", "limit": 1}):
        found = http.post("/v1/query", json=asked).json()["items"]
        assert found[0]["record"]["scope"] == {"user": "u1", "session": "s1"}
        assert found[0]["record"]["actor"] == {"id": "support"}
        assert found[0]["reasons"] and found[0]["sources"] == [found[0]["id"]]
    pack = http.post("/v1/context", json={"query": "怎么通知我?", "budget": 600, "session": "s2"}).json()
    assert pack["tokens"] <= 600 and "飞书" in pack["messages"][0]["content"]
    assert [one["events"] for one in http.get("/v1/sessions").json()["items"]] == [1, 2], "what a pack gave is noted in its session"
    assert len(http.get("/v1/sessions/s1/trace").json()["events"]) == 2
    assert [one["id"] for one in http.get("/v1/trace", params={"id": "a1"}).json()["events"]][-1] == "a1"
    assert http.post("/v1/explain", json={"query": "飞书", "expect": "a1"}).json()["id"] == "a1"
    assert (
        http.get("/v1/memories", params={"types": "event", "kinds": ["user_message", "thought"]}).json()["items"][0]["kind"]
        == "user_message"
    )
    nobody = httpx.get(f"{http.base_url}/v1/memories", params={"types": "event", "user": "u2"}).json()
    assert nobody == {"items": [], "cursor": ""}


@pytest.mark.requirement("M2")
def test_a_memory_lives_over_http(http: httpx.Client) -> None:
    made = http.post("/v1/memories", json={"text": "prefers Feishu", "kind": "preference", "key": "notify", "id": "m/1 ä"})
    assert made.status_code == 201 and made.json()["id"] == "m/1 ä"
    path = "/v1/memories/m%2F1%20%C3%A4"
    got = http.get(path)
    assert got.json()["text"] == "prefers Feishu" and got.headers["etag"] == '"1"'
    assert http.get(path, headers={"If-None-Match": '"1"'}).status_code == 304
    problem(http.patch(path, json={"text": "e-mail"}, headers={"If-Match": '"7"'}), 412, "conflict", "1")
    assert http.patch(path, json={"text": "e-mail"}, headers={"If-Match": '"1"'}).headers["etag"] == '"2"'
    assert [one["text"] for one in http.get(f"{path}/history").json()["items"]] == ["e-mail", "prefers Feishu"]
    assert "m/1 ä" in http.delete(path).json()["ids"]
    gone = http.get(path)
    foreign = httpx.get(f"{http.base_url}{path}", params={"user": "eve"})
    assert gone.content == foreign.content
    problem(gone, 404, "not-found")
    assert http.get("/v1/changes").json()["items"][-1]["gone"] is True


@pytest.mark.requirement("M2", "W3")
def test_states_have_versions_over_http(http: httpx.Client) -> None:
    first = http.patch(
        "/v1/states/trip_42", json={"fields": {"city": "成都", "nights": {"value": 2, "status": "tentative"}}, "step": "hotel"}
    )
    assert first.headers["etag"] == '"1"' and first.json()["fields"]["nights"] == {"value": 2, "status": "tentative"}
    told = problem(http.put("/v1/states/trip_42", json={"fields": {"city": "上海"}}, headers={"If-Match": '"9"'}), 412, "conflict")
    assert told["current"]["fields"]["city"] == {"value": "成都"}
    problem(http.patch("/v1/states/trip_42", json={"fields": {}, "version": 9}), 409, "conflict")
    assert list(http.put("/v1/states/trip_42", json={"fields": {"city": "上海"}}, headers={"If-Match": '"1"'}).json()["fields"]) == ["city"]
    problem(http.get("/v1/states/other"), 404, "not-found")
    for odd in ("soon", "²", '"' + "9" * 30 + '"'):
        headers = [(b"if-match", odd.encode("latin-1"))]
        problem(http.patch("/v1/states/trip_42", json={"fields": {}}, headers=headers), 400, "bad-request", "ETag")
    assert http.delete("/v1/states/trip_42").status_code == 200


@pytest.mark.requirement("M2", "C7")
def test_the_same_request_twice_is_one_thing(http: httpx.Client) -> None:
    event = {"kind": "user_message", "text": "继续", "session": "s"}
    for _ in range(2):
        assert http.post("/v1/events", json=event, headers={"Idempotency-Key": "k1"}).status_code == 200
        assert http.post("/v1/memories", json={"text": "x"}, headers={"Idempotency-Key": "k2"}).status_code == 201
    problem(http.post("/v1/memories", json={"text": "other"}, headers={"Idempotency-Key": "k2"}), 409, "conflict")
    problem(http.post("/v1/events", json={**event, "text": "别的"}, headers={"Idempotency-Key": "k1"}), 422, "invalid")
    problem(http.post("/v1/events", json=event, headers={"Idempotency-Key": "k" * 300}), 400, "bad-request")
    assert len(http.get("/v1/memories", params={"types": ["event", "memory"]}).json()["items"]) == 2


@pytest.mark.requirement("M2")
def test_a_stream_of_lines_is_taken_in_as_it_comes(http: httpx.Client) -> None:
    def lines() -> Iterator[bytes]:
        for number in range(600):
            yield msgspec.json.encode({"kind": "thought", "text": f"步骤 {number}", "id": f"e{number}", "session": "s"})
            yield b"\n\n" if number % 2 else b"\n"
        yield b"not json\n"
        yield '{"kind": "thought", "text": "最后", "id": "last", "at": "yesterday"}\n'.encode()
        yield '{"kind": "thought", "text": "没有换行", "id": "end"}'.encode()

    kept = http.post("/v1/events", content=lines(), headers={"Content-Type": "application/x-ndjson"}).json()
    assert len(kept["created"]) == 601 and kept["created"][-1] == "end"
    assert list(kept["rejected"]) == ["#600", "last"] and "at" in kept["rejected"]["last"]
    packed = gzip.compress(b"\n".join(msgspec.json.encode({"kind": "thought", "id": f"z{n}", "text": "zip " * 20}) for n in range(300)))
    headers = {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"}
    assert len(http.post("/v1/events", content=packed, headers=headers).json()["created"]) == 300


@pytest.mark.requirement("M7")
def test_changes_come_as_events_and_go_on_where_they_were(http: httpx.Client) -> None:
    for number in range(3):
        http.post("/v1/memories", json={"text": f"记忆 {number}", "id": f"m{number}"})
    pages = http.get("/v1/changes", params={"limit": 2}).json()
    assert [one["id"] for one in pages["items"]] == ["m0", "m1"] and pages["more"]
    assert [one["id"] for one in http.get("/v1/changes", params={"cursor": pages["cursor"]}).json()["items"]] == ["m2"]
    problem(http.get("/v1/changes", params={"cursor": "soon"}), 422, "invalid", "cursor")
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(pages["items"][0]["position"])}
    seen: list[str] = []
    with http.stream("GET", "/v1/changes", headers=headers) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        for line in stream.iter_lines():
            if line.startswith("data: "):
                seen.append(msgspec.json.decode(line[6:])["id"])
                if seen == ["m1", "m2"]:
                    http.post("/v1/memories", json={"text": "later", "id": "m3"})
                if len(seen) == 3:
                    break
    assert seen == ["m1", "m2", "m3"]


LINES = {"content-type": "application/x-ndjson"}
GZIP = {"content-encoding": "gzip"}
NONSENSE: tuple[tuple[str, str, dict[str, Any], tuple[int, str, str]], ...] = (
    ("POST", "/v1/query", {"content": b"\xff\xfe"}, (422, "invalid", "no JSON")),
    ("POST", "/v1/query", {"content": b"[1]"}, (422, "invalid", "JSON object")),
    ("POST", "/v1/query", {"content": b"[" * 2000}, (422, "invalid", "JSON")),
    ("POST", "/v1/query", {"json": {"text": "x", "limt": 3}}, (422, "invalid", "limt")),
    ("POST", "/v1/query", {"json": {"text": "x", "query": "y"}}, (422, "invalid", "one of them")),
    ("POST", "/v1/query", {"json": {"text": "x", "limit": "many"}}, (422, "invalid", "limit")),
    ("POST", "/v1/query", {"json": {"text": "x", "after": "昨天"}}, (422, "invalid", "after")),
    ("POST", "/v1/query", {"json": {"text": "x", "clearance": 9}}, (422, "invalid", "clearance")),
    ("GET", "/v1/memories?limit=1&limit=2", {}, (422, "invalid", "2 times")),
    ("GET", "/v1/memories?limit=0", {}, (422, "invalid", "limit")),
    ("GET", "/v1/memories?environment=x", {}, (422, "invalid", "JSON")),
    ("GET", "/v1/memories?cursor=%00", {}, (422, "invalid", "cursor")),
    ("GET", "/v1/memories?tenant=beebread:keys", {}, (422, "invalid", "own")),
    ("POST", "/v1/events", {"json": {"events": "x"}}, (422, "invalid", "list")),
    ("POST", "/v1/events", {"json": {"events": [], "sesion": "x"}}, (422, "invalid", "sesion")),
    ("POST", "/v1/events", {"json": {"kind": "nope"}}, (422, "invalid", "nope")),
    ("POST", "/v1/events?limit=3", {"json": {"events": []}}, (422, "invalid", "limit")),
    ("POST", "/v1/events", {"content": b"x" * 5000}, (413, "content-too-large", "4096")),
    ("POST", "/v1/events", {"content": b"x" * 5000, "headers": LINES}, (413, "content-too-large", "4096")),
    ("POST", "/v1/events", {"content": gzip.compress(b"x" * 5000), "headers": GZIP}, (413, "content-too-large", "")),
    ("POST", "/v1/events", {"content": b"x", "headers": GZIP}, (400, "bad-request", "gzip")),
    ("POST", "/v1/events", {"content": gzip.compress(b"{}")[:-4], "headers": GZIP}, (400, "bad-request", "early")),
    ("POST", "/v1/events", {"content": b"x", "headers": {"content-encoding": "br"}}, (415, "unsupported-media-type", "gzip")),
    ("PUT", "/v1/query", {}, (405, "method-not-allowed", "openapi")),
    ("GET", "/v1/nothing", {}, (404, "not-found", "openapi")),
    ("GET", "/v1/health", {"headers": {"origin": "https://evil.example"}}, (403, "forbidden", "web page")),
    ("GET", "/v1/health", {"headers": {"host": "evil.example"}}, (403, "forbidden", "127.0.0.1")),
    ("GET", "/v1/whoami", {"headers": {"beebread-bind": "usr=x"}}, (422, "invalid", "usr")),
)


@pytest.mark.requirement("M2")
@pytest.mark.parametrize(("method", "path", "sent", "told"), NONSENSE)
def test_what_makes_no_sense_is_told(url: str, method: str, path: str, sent: dict[str, Any], told: tuple[int, str, str]) -> None:
    problem(httpx.request(method, url + path, **sent), *told)
    assert httpx.get(f"{url}/readyz").text == "ready\n"


@pytest.mark.requirement("M2")
def test_slow_and_vanishing_clients_cost_nothing(url: str) -> None:
    host, port = url.removeprefix("http://").split(":")
    head = f"POST /v1/events HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 100\r\n\r\n".encode()
    with socket.create_connection((host, int(port))) as slow:
        slow.sendall(head + b'{"kind"')
        assert b"408" in slow.recv(4096)
    with socket.create_connection((host, int(port))) as gone:
        gone.sendall(head + b'{"kind"')
    assert httpx.get(f"{url}/v1/memories", params={"types": "event"}).json()["items"] == []


@pytest.mark.requirement("M2")
def test_limits_are_told_with_the_time_to_wait(tmp_path: Path) -> None:
    with served(tmp_path / "a", ServerOptions(rate=2)) as url:
        answers = [httpx.get(f"{url}/v1/whoami") for _ in range(6)]
        assert [answer.status_code for answer in answers[:2]] == [200, 200]
        problem(answers[-1], 429, "too-many-requests")
        assert int(answers[-1].headers["retry-after"]) >= 1
    with served(tmp_path / "b", ServerOptions(at_once=1)) as url, httpx.Client(base_url=url) as http:
        with http.stream("GET", "/v1/changes", headers={"Accept": "text/event-stream"}) as stream:
            assert stream.status_code == 200
            refused = httpx.get(f"{url}/v1/whoami")
            problem(refused, 503, "unavailable")
            assert refused.headers["retry-after"] == "1"
        deadline = time.monotonic() + 10
        while httpx.get(f"{url}/v1/whoami").status_code != 200:
            assert time.monotonic() < deadline, "a stream that was left still counts"
            time.sleep(0.05)


@pytest.mark.requirement("M2")
def test_every_answer_has_an_id_and_large_ones_are_packed(http: httpx.Client) -> None:
    assert http.get("/v1/whoami", headers={"X-Request-Id": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert http.get("/nope").headers["x-request-id"] != http.get("/nope").headers["x-request-id"]
    assert http.get("/v1/whoami", headers={"X-Request-Id": "x" * 500}).headers["x-request-id"] != "x" * 500
    assert http.get("/openapi.json").headers["content-encoding"] == "gzip"


@pytest.mark.requirement("I3", "M2")
def test_keys_say_who_asks_and_requests_only_narrow(tmp_path: Path) -> None:
    with served(tmp_path / "memory") as url:
        with Client(url) as admin:
            mine = admin.key_create("phone", user="u1")
            bot = admin.key_create("bot", user="u1", agent="bot", kinds=("fact",), private=True)
            operator = admin.key_create("operator", roles=("admin",))
        time.sleep(1.1)  # what a server believes of keys is a second old at most

        def asked(path: str, token: str = "", **options: Any) -> httpx.Response:
            return httpx.request("GET", url + path, headers={"Authorization": f"Bearer {token}"} if token else {}, **options)

        bare = asked("/v1/whoami")
        problem(bare, 401, "unauthorized", "beebread key create")
        assert bare.headers["www-authenticate"].startswith("Bearer")
        for wrong in ("bb_x_y", mine.token[:-1], mine.token + "x", f"bb_{mine.key.id}_", "x" * 3000):
            problem(asked("/v1/whoami", wrong), 401, "unauthorized", "not valid")
        assert asked("/v1/whoami", mine.token).json()["user"] == "u1"
        assert (
            httpx.get(f"{url}/v1/whoami", headers={"Authorization": f"bearer {mine.token}", "Origin": "https://app.example"}).status_code
            == 200
        )
        with Client(url, token=mine.token) as me, Client(url, token=bot.token) as agent:
            me.write("用户自己的", id="own")
            me.write("secret", id="s", sensitivity=2)
            agent.write("the bot's own", id="bots")
            assert (me.get("own") is not None, me.get("s"), agent.get("own") is not None) == (True, None, True)
            assert agent.bind(agent="other").get("bots") is None
        for way in ("user=u2", "tenant=t", "clearance=3&user=u1"):
            assert asked(f"/v1/memories/s?{way}", mine.token).status_code == 404
        assert asked("/v1/keys", mine.token).status_code == 403
        assert len(asked("/v1/keys", operator.token).json()["items"]) == 3
        ended = httpx.delete(f"{url}/v1/keys/{mine.key.id}", headers={"Authorization": f"Bearer {operator.token}"})
        assert ended.json()["revoked_at"]
        time.sleep(1.1)
        problem(asked("/v1/whoami", mine.token), 401, "unauthorized", "revoked")
        assert mine.token not in b"".join(path.read_bytes() for path in (tmp_path / "memory").rglob("*") if path.is_file()).decode(
            "latin-1"
        )


@pytest.mark.requirement("I1", "M2")
def test_a_conflict_tells_nothing_of_what_is_hidden(http: httpx.Client) -> None:
    private = {"id": "m1", "text": "the private agent's own words", "agent": "a", "private": True}
    assert http.post("/v1/memories", json=private).status_code == 201
    others = problem(http.post("/v1/memories", json={"id": "m1", "text": "mine", "agent": "b"}), 409, "conflict")
    own = problem(http.post("/v1/memories", json={"id": "m1", "text": "mine"}), 409, "conflict")
    assert "current" not in others and own["current"]["text"] == private["text"], "the user himself may see it"


@pytest.mark.requirement("M2")
def test_the_document_tells_of_every_operation(http: httpx.Client) -> None:
    told = http.get("/openapi.json").json()
    assert told["openapi"].startswith("3.1")
    names = {one["operationId"] for verbs in told["paths"].values() for one in verbs.values()}
    assert names == {*OPERATIONS, "state_put", "trace_bare"}
    for path, verbs in told["paths"].items():
        for one in verbs.values():
            assert one["summary"] and one["responses"] and "422" in one["responses"], path
            if "requestBody" in one:
                assert one["requestBody"]["content"]["application/json"]["example"] is not None
    page = http.get("/docs").text
    assert "http" not in page.replace("over HTTP", "").lower().replace("rfc", "") or "://" not in page, "nothing comes from elsewhere"
    for name in OPERATIONS:
        assert f"id='{name}'" in page
    assert openapi.text() == http.get("/openapi.json").content


@pytest.mark.requirement("M2")
@pytest.mark.parametrize(
    "name", ["sensitivity", "space", "seq", "causes", "kind", "id", "user", "at", "tool", "parts", "environment", "text"]
)
@pytest.mark.parametrize("value", [{}, [[1]], 7.5, True, "x\x00", [None], {"a": {"b": []}}], ids=str)
def test_an_event_of_any_form_is_kept_or_set_aside(http: httpx.Client, name: str, value: object) -> None:
    answer = http.post("/v1/events", json={"user": "u1", "events": [{"kind": "user_message", "text": "茶", name: value}]})
    assert answer.status_code in (200, 422), answer.text
    if answer.status_code == 200:
        assert len(answer.json()["created"]) + len(answer.json()["rejected"]) == 1
