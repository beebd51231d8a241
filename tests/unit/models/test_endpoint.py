"""Embedders over HTTP against a real server on this machine: good, slow, dead, confused, and out of breath."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Sequence
from typing import Any

import pytest

from beebread.errors import Invalid, ModelMismatch, Unavailable
from beebread.ports import Embedder
from tests.unit.models.conftest import cosine, opened, run
from tests.unit.models.servers import Answer, Asked, Reply, Serving, serving

pytest.importorskip("httpx", reason="the extra `http` is not installed")
KEY = "sk-not-for-anyones-eyes"


def rows(texts: Sequence[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0, 2.0] for text in texts]


def openai(asked: Asked) -> Reply:
    data = [{"object": "embedding", "index": at, "embedding": row} for at, row in enumerate(rows(asked.body["input"]))]
    return Reply({"object": "list", "data": data[::-1], "model": "m", "usage": {"total_tokens": 1}})


def ollama(asked: Asked) -> Reply:
    return Reply({"model": "m", "embeddings": rows(asked.body["input"])})


async def _then_closed(found: Embedder, texts: Sequence[str], asks: bool) -> list[array[float]]:
    """What it gives; it may be asked again afterwards."""
    try:
        return await (found.embed_queries(texts) if asks else found.embed_documents(texts))
    finally:
        await found.close()


def documents(found: Embedder, *texts: str) -> list[array[float]]:
    return run(_then_closed(found, texts, False))


def queries(found: Embedder, *texts: str) -> list[array[float]]:
    return run(_then_closed(found, texts, True))


def embedder(server: Serving, model: str = "some-model", more: str = "", scheme: str = "openai") -> Embedder:
    return opened(f"{scheme}://{model}?base_url={server.url}/v1{more}")


def first(*answers: Reply, then: Answer = openai) -> Answer:
    waiting = list(answers)
    return lambda asked: waiting.pop(0) if waiting else then(asked)


def refusal(answer: Answer, more: str = "&timeout=5") -> str:
    with serving(answer) as server, pytest.raises(Unavailable) as caught:
        documents(embedder(server, more=more), "a", "bc")
    assert "127.0.0.1" in str(caught.value)
    assert KEY not in repr(caught.value)
    return str(caught.value)


def test_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with serving(openai) as server:
        found = embedder(server, "org/some-model", "&api_key_env=MY_KEY&dimensions=3&batch=2")
        vectors = documents(found, "a", "bcd", "ef\0 ", "", "x" * 1_000_000)
        assert [round(vector[0] / vector[1]) for vector in vectors] == [1, 3, 2, 1, 1_500]
        assert all(cosine(vector, vector) == pytest.approx(1) for vector in vectors)
        assert [len(asked.body["input"]) for asked in server.asked] == [2, 2, 1]
        assert server.asked[0].path == "/v1/embeddings"
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
        assert server.asked[0].body["model"] == "org/some-model"
        assert server.asked[0].body["dimensions"] == 3
        assert found.dimensions == 3
        assert KEY not in found.space
        assert documents(found) == []


def test_ollama() -> None:
    with serving(ollama) as server:
        found = opened(f"ollama://nomic-embed-text:v1.5?base_url={server.url}")
        assert found.dimensions == 0
        documents(found, "kept")
        queries(found, "asked")
        assert [asked.body["input"] for asked in server.asked] == [["search_document: kept"], ["search_query: asked"]]
        assert server.asked[0].path == "/api/embed"
        assert "authorization" not in server.asked[0].headers
        assert found.dimensions == 3
    assert opened("ollama://m").space != opened("openai://m").space != opened("openai://m?revision=2").space


@pytest.mark.parametrize(
    ("model", "query", "document"),
    [
        ("intfloat/multilingual-e5-base", "query: a", "passage: a"),
        ("bge-small-en-v1.5", "Represent this sentence for searching relevant passages: a", "a"),
        ("BAAI/bge-large-zh-v1.5", "为这个句子生成表示以用于检索相关文章：a", "a"),
        ("bge-m3", "a", "a"),
        ("text-embedding-3-small", "a", "a"),
        ("snowflake-arctic-embed2", "query: a", "a"),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: a", "a"),
        ("Snowflake/snowflake-arctic-embed-m", "Represent this sentence for searching relevant passages: a", "a"),
        ("some-e5-small?query_prefix=Q%20&document_prefix=", "Q a", "a"),
    ],
)
def test_prefixes(model: str, query: str, document: str) -> None:
    with serving(openai) as server:
        name, _, more = model.partition("?")
        found = embedder(server, name, f"&{more}" if more else "")
        queries(found, "a")
        documents(found, "a")
        assert [asked.body["input"] for asked in server.asked] == [[query], [document]]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(status: int) -> None:
    with serving(first(Reply({"error": "busy"}, status), Reply("", status))) as server:
        assert len(documents(embedder(server), "a")) == 1
        assert len(server.asked) == 3


def test_it_waits_as_long_as_it_is_asked_to() -> None:
    with serving(first(Reply("", 429, (("Retry-After", "1"),)))) as server:
        started = time.monotonic()
        documents(embedder(server), "a")
        assert time.monotonic() - started >= 1
    assert "wants to be left alone for 3600 s" in refusal(first(Reply("", 429, (("Retry-After", "3600"),))))


def test_what_stays_is_told_after_a_few_tries() -> None:
    asked: list[Asked] = []

    def broken(request: Asked) -> Reply:
        asked.append(request)
        return Reply("no", 502)

    assert "status 502" in refusal(broken)
    assert len(asked) == 4


def always(reply: Reply) -> Answer:
    def answer(_: Asked) -> Reply:
        return reply

    return answer


def changed(change: dict[str, Any]) -> Answer:
    return lambda asked: Reply(openai(asked).body | change)


def item(embedding: Any, index: Any = 0) -> dict[str, Any]:
    return {"index": index, "embedding": embedding}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (changed({"data": [item([1.0, 2.0])]}), "1 vectors for 2 texts"),
        (changed({"data": [item([1.0]), item([1.0], 1), item([1.0], 2)]}), "3 vectors for 2 texts"),
        (changed({"data": [item([1.0]), item([1.0])]}), "without embeddings"),
        (changed({"data": [item([1.0, float("nan")]), item([1.0, 2.0], 1)]}), "NaN or infinity"),
        (changed({"data": [item([0.0, 0.0]), item([1.0, 2.0], 1)]}), "vector of zeros"),
        (changed({"data": [item([]), item([1.0, 2.0], 1)]}), "or none"),
        (changed({"data": [item("AAAA"), item([1.0, 2.0], 1)]}), "no vector of numbers"),
        (changed({"data": "x"}), "without embeddings"),
        (changed({"data": None}), "without embeddings"),
        (always(Reply([])), "without embeddings"),
        (always(Reply("<html>")), "is no JSON"),
        (always(Reply("[" * 100_000)), "is no JSON"),
        (always(Reply("", 404)), "does not know the address or the model"),
        (always(Reply({"error": f"Incorrect API key provided: {KEY}"}, 401)), "refused the key.*OPENAI_API_KEY"),
        (always(Reply({"error": f"too long, {KEY}"}, 400)), "refused the texts .status 400.*too long"),
        (always(Reply("", 302, (("Location", "http://example.com/"),))), "status 302"),
    ],
)
def test_an_answer_that_is_none_says_so(
    monkeypatch: pytest.MonkeyPatch, answer: Answer, message: str, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    caplog.set_level(logging.DEBUG)
    with serving(answer) as server, pytest.raises(Unavailable, match=message) as caught:
        documents(embedder(server), "a", "bc")
    assert KEY not in repr(caught.value) + caplog.text
    assert len(server.asked) == 1


def test_another_length_is_another_model() -> None:
    with serving(openai) as server, pytest.raises(ModelMismatch, match="3 numbers where 5 were expected.*beebread reembed"):
        documents(embedder(server, more="&dimensions=5"), "a")
    with serving(openai) as server:
        found = embedder(server)
        documents(found, "a")
        server.answer = changed({"data": [item([1.0])]})
        with pytest.raises(ModelMismatch):
            documents(found, "a")


def test_a_slow_server_is_given_up() -> None:
    def slow(asked: Asked) -> Reply:
        time.sleep(0.6)
        return openai(asked)

    started = time.monotonic()
    assert "no answer within 0.1 s" in refusal(slow, "&timeout=0.1")
    assert time.monotonic() - started < 15


def test_a_dead_server_says_where_it_was_looked_for() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unavailable, match=f"127.0.0.1:{port}/api/embed cannot be reached"):
        documents(opened(f"ollama://m?base_url=http://127.0.0.1:{port}"), "a")


def test_a_name_in_the_address_is_not_told() -> None:
    with serving(always(Reply("", 404))) as server, pytest.raises(Unavailable) as caught:
        documents(opened(f"openai://m?base_url=http://me:secret@{server.url[7:]}"), "a")
    assert "secret" not in str(caught.value)


def test_several_tasks_and_several_loops_may_ask() -> None:
    with serving(openai) as server:
        found = embedder(server)

        async def many() -> list[Any]:
            made = await asyncio.gather(*(found.embed_queries(["x" * size]) for size in range(1, 20)))
            await found.close()
            return made

        for _ in range(2):
            assert [round(row[0][0] / row[0][1]) for row in run(many())] == list(range(1, 20))


def connections() -> int:
    """How many the server of this process serves just now: each has a thread."""
    return sum("process_request_thread" in thread.name for thread in threading.enumerate())


@pytest.mark.filterwarnings("error::ResourceWarning")
def test_whoever_closes_it_closes_what_every_loop_opened() -> None:
    """Asked from loops that are over, from one that runs in another thread, and closed from yet another."""
    with serving(openai) as server:
        found = embedder(server)
        before = connections()
        for _ in range(3):
            assert len(run(found.embed_queries(["a", "b"]))) == 2
        other = asyncio.new_event_loop()
        thread = threading.Thread(target=other.run_forever)
        thread.start()
        assert len(asyncio.run_coroutine_threadsafe(found.embed_documents(["a"]), other).result(10)) == 1
        assert connections() == before + 1, "all loops share the connections"
        run(found.close())
        end = time.monotonic() + 10
        while connections() > before and time.monotonic() < end:
            time.sleep(0.01)
        assert connections() == before
        assert not [thread for thread in threading.enumerate() if thread.name == "beebread-models"]
        other.call_soon_threadsafe(other.stop)
        thread.join()
        other.close()
        run(found.close())
        assert len(run(found.embed_queries(["again"]))) == 1
        run(found.close())
        del found
        gc.collect()


def test_closing_ends_what_is_still_asked_and_a_caller_that_gives_up_stays_given_up() -> None:
    let_go = threading.Event()

    def slow(asked: Asked) -> Reply:
        let_go.wait(20)
        return openai(asked)

    async def story(found: Embedder) -> None:
        asking = asyncio.create_task(found.embed_documents(["a"]))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await found.embed_documents(["b"])
        giving_up = asyncio.create_task(found.embed_documents(["c"]))
        await asyncio.sleep(0.1)
        giving_up.cancel()
        await asyncio.gather(giving_up, return_exceptions=True)
        assert giving_up.cancelled() and not asking.done()
        await asyncio.create_task(found.close())
        with pytest.raises(Unavailable, match="closed"):
            await asking

    with serving(slow) as server:
        run(story(embedder(server)))
        let_go.set()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_forked_child_asks_by_connections_of_its_own() -> None:
    program = (
        "import asyncio, os, sys\n"
        "from beebread.models import open_embedder\n"
        "from beebread.settings import load\n"
        "found = open_embedder(sys.argv[1], load(home='.')).embedder\n"
        "asyncio.run(found.embed_queries(['a']))\n"
        "if not (child := os.fork()):\n"
        "    print(len(asyncio.run(found.embed_queries(['b', 'c']))), flush=True)\n"
        "    asyncio.run(found.close())\n"
        "    os._exit(0)\n"
        "print(os.waitpid(child, 0)[1], len(asyncio.run(found.embed_queries(['d']))))\n"
        "asyncio.run(found.close())\n"
    )
    with serving(openai) as server:
        url = f"openai://m?base_url={server.url}/v1"
        done = subprocess.run([sys.executable, "-c", program, url], capture_output=True, check=False, encoding="utf-8", timeout=60)
    assert (done.stdout.split(), done.stderr) == (["2", "0", "1"], "")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("openai://", "names no model"), ("openai://?base_url=http://x", "names no model"), ("openai://m?base_url=ftp://x", "base_url"),
        ("openai://m?base_url=", "base_url"), ("openai://m?key=sk-1", "unknown parameter 'key'"), ("openai://m?timeout=0", "timeout"),
        ("openai://m?timeout=nan", "timeout"), ("openai://m?batch=0", "batch"), ("ollama://m?dimensions=1e3", "dimensions"),
        ("openai://m?base_url=http://[", "base_url"),
    ],
)  # fmt: skip
def test_a_wrong_url_says_what_is_right(url: str, message: str) -> None:
    with pytest.raises(Invalid, match=message):
        opened(url)
