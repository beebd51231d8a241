"""Records with vectors of their own, for the tests of the embedded engine's index."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from pathlib import Path
from random import Random

from beebread.backends.sqlite_store import SqliteStore
from beebread.model import Batch, Event, Hit, Where
from beebread.ports import Indexed, Probe, Vector
from tests.unit.backends.kept import event, where

HOME = "u::ann"
SPACE = "test-1"
SIZE = 48


def random_vector(seed: object, size: int = SIZE) -> Vector:
    dice = Random(repr(seed))
    return array("f", [dice.gauss(0, 1) for _ in range(size)])


def indexed(record: Event, *vectors: Vector, space: str = SPACE, owner: str = HOME) -> Indexed:
    return Indexed(owner=owner, record=record, vectors={"vector": vectors, "context": vectors}, space=space)


def probe(vector: Vector, *, limit: int = 10, space: str = SPACE, filter_: Where | None = None) -> Probe:
    return Probe(channel="vector", where=filter_ or where(), limit=limit, vector=vector, space=space)


async def filled(store: SqliteStore, count: int, user: str = "ann", space: str = SPACE) -> list[Event]:
    """Records of a user with vectors of their own."""
    records = [event(f"{user}{number}", f"text {number}", user=user) for number in range(count)]
    await store.apply(Batch(put=tuple(records)))
    await store.vectors.add([indexed(record, random_vector(record.id), space=space, owner=f"u::{user}") for record in records])
    return records


def bytes_of(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())


def near(found: Sequence[Hit]) -> list[str]:
    """What is found, but for what is only a little alike."""
    return [hit.id for hit in found if hit.score > 0.9]
