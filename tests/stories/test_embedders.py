"""Whatever embedder is plugged in: a function, a server; away, late, or answering with what is no vector. Nothing is lost by it."""

from __future__ import annotations

import asyncio
import importlib.util
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from beebread import AsyncClient, Client
from beebread.errors import ModelMismatch, Unavailable
from beebread.model import Recall
from tests.simulation.agreement import disagreements
from tests.stories.embedders import HASHED, Counting, soon
from tests.unit.models.servers import Asked, Reply, serving

http = pytest.mark.skipif(importlib.util.find_spec("httpx") is None, reason="an embedder behind an address needs beebread[http]")
CLOSED = (("connection", "close"),)
SAID = "the staging database moved to port 5433"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


def by_meaning(recall: Recall) -> bool:
    return bool(recall.items) and {"vector", "context"} <= recall.items[0].channels.keys() and not recall.report.failed


def by_words_alone(recall: Recall, because: str) -> bool:
    """Found all the same, and the report names both channels of meaning and the reason."""
    failed = recall.report.failed
    found = [item.text for item in recall] == [SAID] and not {"vector", "context"} & recall.items[0].channels.keys()
    return found and failed.keys() == {"vector", "context"} and all(because in why for why in failed.values())


@pytest.mark.requirement("S3")
def test_a_function_that_is_awaited_embeds(folder: Path) -> None:
    counting = Counting()

    async def embed(texts: list[str]) -> list[list[float]]:
        await asyncio.sleep(0)
        return counting(texts)

    async def story() -> None:
        async with AsyncClient(folder, embedder=embed) as memory:
            me = memory.bind(user="u", session="s")
            me.record("user_message", SAID)
            await memory.settle()
            assert by_meaning(await me.query("staging database"))
            assert (await memory.health()).meaning.endswith("embed")

    asyncio.run(story())
    with Client(folder, embedder=embed) as memory:
        assert by_meaning(memory.bind(user="u").query("staging database"))
    assert counting.embedded.count(SAID) == 1


@pytest.mark.requirement("S3")
@pytest.mark.parametrize(
    ("away", "answer", "because"),
    [
        (ConnectionError("connection refused"), None, "connection refused"),
        (ValueError("out of memory"), None, "out of memory"),
        (None, float("nan"), "NaN or infinity"),
        (None, float("inf"), "NaN or infinity"),
        (None, 0.0, "zero"),
    ],
    ids=["away", "broken", "nan", "infinite", "zero"],
)
def test_a_function_that_fails_or_lies_loses_nothing(folder: Path, away: Exception | None, answer: float | None, because: str) -> None:
    embed = Counting()
    embed.away, embed.answer = away, answer
    with Client(folder, embedder=embed) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", SAID)
        memory.flush()
        with pytest.raises(Unavailable, match="function"):
            memory.settle()
        waiting = memory.health().waiting
        assert waiting > 0
        assert by_words_alone(me.query("staging database"), because), me.query("staging database").report.failed
        me.record("user_message", "今天的会议改到三楼")
        with pytest.raises(Unavailable, match="see to it|check|function"):
            memory.settle()
        assert memory.health().waiting > waiting
        embed.away, embed.answer = None, None
        memory.settle()
        assert memory.health().waiting == 0 and {SAID, "今天的会议改到三楼"} <= set(embed.embedded)
        assert by_meaning(me.query("staging database")) and by_meaning(me.query("会议改到几楼"))


@pytest.mark.requirement("S3")
def test_the_worker_goes_on_by_itself_when_the_model_is_back(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    embed = Counting()
    embed.away = ConnectionError("connection refused")
    with Client(folder, embedder=embed) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", SAID)
        memory.flush()
        assert soon(lambda: "embedding failed" in caplog.text)
        time.sleep(1.6)
        assert caplog.text.count("embedding failed") == 1, "what fails again is not told again"
        embed.away = None
        assert soon(lambda: memory.health().waiting == 0)
        assert by_meaning(me.query("staging database"))


@pytest.mark.requirement("S3")
def test_a_model_that_is_late_costs_a_question_no_more_than_its_deadline(folder: Path) -> None:
    embed = Counting()
    with Client(folder, embedder=embed, deadline_ms=150) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", SAID)
        memory.settle()
        embed.seconds = 1.0
        began = time.monotonic()
        found = me.query("where is the staging database?")
        assert time.monotonic() - began < 0.8
        assert by_words_alone(found, "no answer within 150 ms"), found.report.failed
        me.record("user_message", "今天的会议改到三楼")
        with pytest.raises(TimeoutError):
            memory.settle(timeout=0.2)
        embed.seconds = 0.0
        memory.settle()
        assert by_meaning(me.query("where is the staging database?")) and memory.health().waiting == 0


@http
@pytest.mark.requirement("S3")
def test_a_server_that_is_not_there_loses_nothing(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    url = f"openai://some-model?base_url=http://127.0.0.1:{port}/v1&timeout=1"
    with Client(folder, embedder=url, deadline_ms=300) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", SAID)
        assert by_words_alone(me.query("staging database"), "no answer within 300 ms")
        with pytest.raises(Unavailable, match=rf"127.0.0.1:{port}.* cannot be reached .*; check that it runs .*or set another embedder"):
            memory.settle()
        assert memory.health().waiting > 0
    with Client(folder, embedder=HASHED) as memory:
        memory.settle()
        assert by_meaning(memory.bind(user="u").query("staging database"))


@http
@pytest.mark.requirement("S3")
def test_a_server_that_answers_badly_is_told_of_and_asked_again_later(folder: Path) -> None:
    counting, state = Counting(), {"now": "well"}

    def answer(asked: Asked) -> Reply:
        match state["now"]:
            case "nan":
                rows = [[float("nan")] * 32 for _ in asked.body["input"]]
            case "short":
                rows = [vector[:7] for vector in counting(asked.body["input"])]
            case "refusing":
                return Reply({"error": "no such model"}, 404, CLOSED)
            case "prose":
                return Reply("it works!", headers=CLOSED)
            case _:
                rows = counting(asked.body["input"])
        return Reply({"data": [{"index": at, "embedding": row} for at, row in enumerate(rows)]}, headers=CLOSED)

    with serving(answer) as server, Client(folder, embedder=f"openai://m?base_url={server.url}/v1", deadline_ms=2000) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", SAID)
        memory.settle()
        assert by_meaning(me.query("staging database"))
        for number, fault in enumerate(("nan", "short", "refusing", "prose")):
            state["now"] = fault
            me.record("user_message", f"note {number}: 今天的会议改到 {number} 楼")
            with pytest.raises((Unavailable, ModelMismatch)) as caught:
                memory.settle()
            assert len(str(caught.value)) > 40 and memory.health().waiting > 0, fault
            found = me.query(f"where is the staging database, case {number}?")
            assert SAID in [item.text for item in found] and found.report.failed.keys() == {"vector", "context"}, fault
        state["now"] = "well"
        memory.settle()
        assert memory.health().waiting == 0
        assert all(any(f"note {number}" in text for text in counting.embedded) for number in range(4))


@http
@pytest.mark.requirement("S3")
def test_a_server_that_never_answers_does_not_keep_a_program_from_ending(folder: Path) -> None:
    let_go = threading.Event()

    def answer(asked: Asked) -> Reply:
        let_go.wait(30)
        return Reply({"data": []})

    with serving(answer) as server:
        memory = Client(folder, embedder=f"openai://m?base_url={server.url}/v1&timeout=60", deadline_ms=200)
        memory.bind(user="u", session="s").record("user_message", SAID)
        memory.flush()
        assert soon(lambda: bool(server.asked)), "the worker asks for vectors"
        began = time.monotonic()
        memory.close()
        assert time.monotonic() - began < 5
        let_go.set()
    with Client(folder, embedder=HASHED) as memory:
        memory.settle()
        assert by_meaning(memory.bind(user="u").query("staging database"))


@pytest.mark.requirement("S3")
def test_another_length_of_vectors_in_the_same_space_costs_meaning_alone(tmp_path: Path) -> None:
    def embedder(size: int) -> Callable[[list[str]], list[list[float]]]:
        def embed(texts: list[str]) -> list[list[float]]:
            return [[1.0 + len(text) % 7, *[0.5] * (size - 1)] for text in texts]

        return embed

    with Client(tmp_path / "m", embedder=embedder(8)) as memory:
        memory.bind(user="u", session="s").record("user_message", "the garden gate is green")
        memory.settle()
    with Client(tmp_path / "m", embedder=embedder(9)) as memory:
        me = memory.bind(user="u", session="s")
        found = me.query("garden gate")
        assert found.items and "numbers" in found.report.failed["vector"]
        me.record("user_message", "花园的门是绿色的")
        with pytest.raises(ModelMismatch, match="beebread reembed"):
            memory.settle()
        assert me.query("花园的门").items and me.query("garden gate").items, "words still serve"
        assert memory.reembed() is True
        assert by_meaning(me.query("garden gate")) and by_meaning(me.query("花园的门"))
        assert memory.health().waiting == 0 and memory.reembed() is False


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("answer", [None, 0.0, float("nan")], ids=["raises", "zero", "nan"])
def test_one_text_that_is_refused_holds_nothing_else_up(folder: Path, answer: float | None) -> None:
    counting = Counting()

    def embed(texts: list[str]) -> list[list[float]]:
        if answer is None and any("xyzzy" in text for text in texts):
            raise ValueError("cannot read that")
        made = counting(texts)
        return [[answer] * 32 if answer is not None and "xyzzy" in text else row for text, row in zip(texts, made, strict=True)]

    with Client(folder, embedder=embed) as memory:
        me = memory.bind(user="u", session="s")
        for text in (SAID, "the word xyzzy opens the grate", "今天的会议改到三楼", "xyzzy 是一个咒语", "the harbour is closed on Mondays"):
            me.record("user_message", text)
        memory.settle()
        assert memory.health().waiting == 0
        for question in ("staging database", "会议改到几楼", "harbour closed"):
            found = me.query(question)
            assert "vector" in found.items[0].channels and not found.report.failed, question
        assert by_meaning(me.query("staging database"))
        for question in ("the grate opens", "一个咒语"):
            assert any("xyzzy" in item.text and "keyword" in item.channels for item in me.query(question)), "found by its words"


@pytest.mark.requirement("I1", "S3")
@pytest.mark.parametrize("purged", [False, True], ids=["forgotten", "purged"])
@pytest.mark.parametrize(
    ("secret", "reply", "asked"),
    [("the launch code is nine nine seven", "I wrote it down", "launch code"), ("保险箱的密码是九九七", "我写下来了", "保险箱密码")],
)
def test_what_was_forgotten_leads_nowhere_though_nobody_follows_the_log(
    folder: Path, secret: str, reply: str, asked: str, purged: bool
) -> None:
    """It was said before the reply, whose context held its words: those go in the same moment, and the reply is read anew later."""
    embed = Counting(256)
    with Client(folder, embedder=embed) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", "今天下雨了，路上很堵")
        me.record("user_message", secret, id="secret")
        me.record("assistant_message", reply, id="reply")
        memory.settle()
        assert me.query(asked, channels=("context",), limit=1, types=["event"]).items[0].id in {"secret", "reply"}
    with Client(folder, embedder="none") as memory:
        memory.bind(user="u").forget("secret")
        if purged:
            memory.purge()
    assert not [line for line in disagreements(folder) if "session" not in line], "a session counts what was purged"
    assert contexts_of(folder) == 1, "that of what was said first"
    with Client(folder, embedder=embed) as memory:
        memory.settle()
        assert contexts_of(folder) == 2
        assert not any(secret in text for text in embed.embedded[embed.embedded.index(reply) + 2 :])
    assert not [line for line in disagreements(folder) if "session" not in line], "a session counts what was purged"


def contexts_of(folder: Path) -> int:
    """How many records the file holds a context of."""
    db = sqlite3.connect(folder / "beebread.db")
    (count,) = db.execute("SELECT count(*) FROM vectors WHERE contexts <> x''").fetchone()
    db.close()
    return int(count)


@pytest.mark.requirement("S3")
def test_a_text_that_the_model_refuses_is_counted_and_the_rest_gets_its_vectors(tmp_path: Path) -> None:
    def embed(texts: list[str]) -> list[list[float]]:
        if any("红线" in text for text in texts):
            raise ValueError("not this text")
        return [[1.0, float(len(text) % 5)] for text in texts]

    with Client(tmp_path / "m", embedder=embed) as memory:
        me = memory.bind(user="u", session="s")
        for text in ("the garden gate is green", "春天来了，花园里的花都开了", "红线以外的东西不要写"):
            me.record("user_message", text)
        memory.settle()
        state = memory.health()
        assert (state.waiting, state.refused) == (0, 1)
        assert next(item.text for item in me.query("红线")).startswith("红线"), "words still serve"
