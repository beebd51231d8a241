"""How records are kept: deflated with a dictionary, readable for good, plain where that is no longer."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from beebread.backends.sqlite_bodies import DICTIONARIES, packed, unpacked
from beebread.backends.sqlite_schema import FILE
from beebread.backends.sqlite_store import SqliteStore
from beebread.model import Batch, Memory, Record, Scope, session_of
from tests.unit.backends.kept import START, event, in_store, where

RECORDS: tuple[Record, ...] = (
    event("en", "Please refund order ORD-1187 to the card that I paid with.", scope=Scope(user="ann", session="s"), dedup_key="id:en"),
    event("zh", "请把订单 ORD-1187 的款退到我付款的那张卡上。", scope=Scope(user="ann", session="s")),
    event("long", "北京天安门 the gate of heavenly peace " * 2_000),
    event("none"),
    Memory(id="m", scope=Scope(user="ann"), kind="fact", at=START, text="喜欢靠窗的座位 likes a window seat", key="seat"),
    session_of(event("s", "said", scope=Scope(user="ann", session="s"))),
)


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.id)
def test_a_record_comes_back_as_it_was_and_takes_less(record: Record) -> None:
    body = msgspec.json.encode(record)
    kept = packed(body)
    assert unpacked(kept) == body
    assert len(kept) < 0.62 * len(body)


def test_what_gets_no_shorter_stays_plain() -> None:
    body = b'{"' + hashlib.shake_256(b"noise").digest(10_000)
    assert packed(body) == body == unpacked(body)


def test_the_first_byte_is_the_dictionary() -> None:
    for number, dictionary in DICTIONARIES.items():
        deflate = zlib.compressobj(zdict=dictionary, wbits=-zlib.MAX_WBITS)
        kept = bytes([number]) + deflate.compress(b'{"type":"event"}') + deflate.flush()
        assert unpacked(kept) == b'{"type":"event"}'


def test_a_published_dictionary_is_as_it_was() -> None:
    """Whoever changes one makes every memory unreadable that was written with it."""
    assert {number: hashlib.blake2b(dictionary, digest_size=8).hexdigest() for number, dictionary in DICTIONARIES.items()} == {
        1: "a3d23aeafd27a7df"
    }


def test_what_an_older_version_wrote_is_read_and_written_anew_with_its_next_change(tmp_path: Path) -> None:
    """Up to schema version 3 bodies were plain."""
    records = tuple(record for record in RECORDS if record.id in ("en", "zh"))

    async def write(store: SqliteStore) -> None:
        await store.apply(Batch(put=records))

    async def read(store: SqliteStore) -> list[Record]:
        found = await store.scan(where(), 10)
        await store.apply(Batch(replace=(msgspec.structs.replace(found[0], tags=("changed",)),)))
        return found

    def first_bytes(db: sqlite3.Connection) -> list[int]:
        return [body[0] for (body,) in db.execute("SELECT body FROM bodies ORDER BY doc")]

    in_store(tmp_path, write)
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as db:
        assert set(first_bytes(db)) == {max(DICTIONARIES)}
        for doc, body in db.execute("SELECT doc, body FROM bodies").fetchall():
            db.execute("UPDATE bodies SET body = ? WHERE doc = ?", (unpacked(body), doc))
    found = in_store(tmp_path, read)
    assert [msgspec.structs.replace(record, position=0) for record in found] == list(records)
    with closing(sqlite3.connect(tmp_path / FILE)) as db:
        assert sorted(first_bytes(db)) == [max(DICTIONARIES), ord("{"), ord("{")]
