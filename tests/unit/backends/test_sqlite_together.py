"""Several channels asked in one go give what each gives by itself, and the meaning of what words found; whatever is filtered or alike."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("numpy")

from beebread.backends.sqlite_schema import FILE, connect
from beebread.backends.sqlite_search import CHANNELS, search
from beebread.backends.sqlite_store import SqliteStore
from beebread.backends.sqlite_terms import Terms
from beebread.backends.sqlite_together import search_together
from beebread.backends.sqlite_vector_cache import Copies
from beebread.backends.sqlite_vector_search import VectorSearch
from beebread.errors import Invalid, ModelMismatch
from beebread.model import Batch, Event, Hit, Principal, Scope, Where, owner
from beebread.ports import Indexed, Probe
from beebread.testing.index_scene import SPACE, meaning
from beebread.text import query_terms
from tests.unit.backends.kept import ANN, START, event, in_store, where

WORDS = "refund flight cat weather 退款 猫".split()
CHANNELS_ASKED = ("keyword", "exact", "vector", "context")
TEAM = Principal(user="ann", session="s1", roles=("self",))


def told(rnd: random.Random, at: int) -> Event:
    """An event of Ann's or her tenant's; few words, so that many texts fit a question equally well."""
    said = " ".join(rnd.choices(WORDS, k=rnd.choice((1, 2, 5))))
    scope = Scope(user="ann", session=f"s{at % 4}", space=rnd.choice(("private", "private", "shared", "session")))
    name = f"e{rnd.randrange(10**6)}-{at}"
    gone = START if rnd.random() < 0.1 else None
    return event(name, said, scope=scope, at=START + timedelta(minutes=at), tags=(rnd.choice(("a", "b")),), seq=at, forgotten_at=gone)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("together")
    rnd = random.Random(4)
    events = [told(rnd, at) for at in range(700)]

    async def fill(store: SqliteStore) -> None:
        await store.apply(Batch(put=tuple(events)))
        rows = [
            Indexed(owner=owner(one.scope), record=one, space=SPACE, vectors={"vector": parts[:1], "context": parts})
            for one in events
            if rnd.random() < 0.9
            for parts in [(meaning(*one.text.split()), meaning(rnd.choice(WORDS)))]
        ]
        await store.vectors.add(rows)

    in_store(made, fill)
    return made


@pytest.fixture
def db(folder: Path) -> Iterator[sqlite3.Connection]:
    opened = connect(folder / FILE, busy_ms=1000)
    yield opened
    opened.close()


def probes(question: str, wanted: Where, limit: int, channels: Sequence[str] = CHANNELS_ASKED) -> list[Probe]:
    """What each channel is asked."""
    terms = {"keyword": tuple(query_terms(question)), "exact": ("#a", "#b") if "cat" in question else ("#a",)}
    return [
        Probe(channel=name, where=wanted, limit=limit, terms=terms[name])
        if name in terms
        else Probe(channel=name, where=wanted, limit=limit, vector=meaning(*question.split()), space=SPACE)
        for name in channels
    ]


def apart(db: sqlite3.Connection, vectors: VectorSearch, asked: Sequence[Probe]) -> list[list[Hit]]:
    """The same by asking each channel by itself, and those of meaning again for the rest."""
    found = [search(db, Terms(), probe) if probe.channel in CHANNELS else vectors.search(db, probe) for probe in asked]
    every = {(hit.owner, hit.id) for hits in found for hit in hits}
    for at, probe in enumerate(asked):
        rest = every - {(hit.owner, hit.id) for hit in found[at]}
        if probe.channel in CHANNELS or not rest:
            continue
        named = msgspec.structs.replace(probe.where, ids=tuple(name for _, name in rest))
        more = vectors.search(db, msgspec.structs.replace(probe, where=named, limit=2 * len(rest)))
        found[at] = sorted([*found[at], *(hit for hit in more if (hit.owner, hit.id) in rest)], key=lambda hit: (-hit.score, hit.id))
    return found


@pytest.mark.requirement("R1", "S3", "P1")
@pytest.mark.parametrize("large", [1 << 15, 300], ids=["exact", "bits"])
def test_together_is_what_each_channel_gives_by_itself(db: sqlite3.Connection, large: int) -> None:
    vectors = VectorSearch(Copies(large=large))
    some = [str(name) for (name,) in db.execute("SELECT id FROM records WHERE doc % 50 = 1")]
    wheres = [
        where(), where(TEAM), where(TEAM, sessions=("s1",)), where(TEAM, after=START + timedelta(minutes=650)), where(TEAM, tags=("b",)),
        where(TEAM, ids=tuple(some)), where(TEAM, ids=("nothing",)), where(Principal(user="ben", roles=("self",))),
        where(Principal(tenant="other", user="ann")), where(TEAM, kinds=("thought",)),
    ]  # fmt: skip
    for wanted in wheres:
        for question in ("cat", "refund weather", "退款 flight cat", "猫"):
            for limit in (1, 7, 60, 1000):
                asked = probes(question, wanted, limit)
                assert search_together(db, Terms(), vectors, asked) == apart(db, vectors, asked), (wanted, question, limit)
    for limit in (0, -1):
        assert search_together(db, Terms(), vectors, probes("cat", where(TEAM), limit)) == [[], [], [], []]
    only_words = probes("cat", where(TEAM), 9, ("keyword", "exact"))
    assert search_together(db, Terms(), vectors, only_words) == apart(db, vectors, only_words)


@pytest.mark.requirement("S3")
def test_what_cannot_be_asked_together_is_refused_whole(folder: Path, db: sqlite3.Connection) -> None:
    good = probes("cat", where(TEAM), 9)
    other = msgspec.structs.replace(good[2], space="another")
    with pytest.raises(ModelMismatch, match="reembed"):
        search_together(db, Terms(), VectorSearch(), [good[0], other])
    with pytest.raises(Invalid, match="one filter"):
        search_together(db, Terms(), VectorSearch(), [good[0], msgspec.structs.replace(good[1], where=where(ANN))])

    async def ask(store: SqliteStore) -> list[list[Hit]]:
        return await store.search_together([])

    assert in_store(folder, ask) == []
