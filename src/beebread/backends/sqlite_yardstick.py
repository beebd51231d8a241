"""Yardsticks for the SQLite engine: how fast bare `executemany` writes the same memory, as durably, with every row there already made."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

from beebread.backends.sqlite_keep import searched
from beebread.backends.sqlite_read import decoded
from beebread.backends.sqlite_schema import FILE
from beebread.backends.sqlite_terms import Hashes
from beebread.text import document

SQLITE = sqlite3.sqlite_version
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON")
_POSTINGS = """CREATE TABLE postings (owner INTEGER, term INTEGER, doc INTEGER, tf INTEGER NOT NULL,
PRIMARY KEY (owner, term, doc)) WITHOUT ROWID"""
_SAME = ("owners", "records", "bodies", "labels", "links")
Rows = Iterator[tuple[Any, ...]]


def bare_speed(folder: Path, target: Path, batch: int) -> float:
    """Records a second when all rows of the memory in `folder` are written again into `target`, `batch` records a transaction.

    The rows are as the engine packed them: this is SQLite's own share of an ingest, and no engine on it can be faster.
    """
    with closing(sqlite3.connect(folder / FILE)) as source:
        made = _made(source)
        tables = [name for kind, name, _ in made if kind == "table"]
        return _timed(source, target, batch, [statement for _, _, statement in made], [(name, *_whole(source, name)) for name in tables])


def plain_speed(folder: Path, target: Path, batch: int) -> float:
    """The same for a plain schema: the records with their indexes, and a row (owner, term, document, count) for each posting."""
    with closing(sqlite3.connect(folder / FILE)) as source:
        made = [statement for _, name, statement in _made(source) if name.split("_")[0] in _SAME]
        rows = [(name, *_whole(source, name)) for name in _SAME]
        counted: int = sum(1 for _ in _postings(source))
        return _timed(source, target, batch, [*made, _POSTINGS], [*rows, ("postings", _postings(source), counted)])


def _made(source: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Kind, name and statement of every table, then of every index."""
    found = source.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'index'").fetchall()
    return [(kind, name, statement) for kind, name, statement in found if not name.startswith("sqlite_")]


def _whole(source: sqlite3.Connection, table: str) -> tuple[Rows, int]:
    return source.execute(f"SELECT * FROM {table}"), source.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def _postings(source: sqlite3.Connection) -> Rows:
    hashes = {n: Hashes(key) for n, key in source.execute("SELECT n, key FROM owners")}
    rows = source.execute("SELECT r.owner, r.doc, b.body FROM records r JOIN bodies b ON b.doc = r.doc ORDER BY r.doc")
    for n, doc, body in rows:
        if (found := searched(decoded(body, 0))) is not None:
            terms = document(*found).terms
            yield from ((n, term, doc, count) for term, count in zip(hashes[n].of(terms), terms.values(), strict=True))


def _timed(source: sqlite3.Connection, target: Path, batch: int, schema: Sequence[str], tables: Sequence[tuple[str, Rows, int]]) -> float:
    """Records a second for writing `tables` (name, rows, how many), a part of each in every transaction."""
    records: int = source.execute("SELECT count(*) FROM records").fetchone()[0]
    rounds = max(1, records // batch)
    spent = 0.0
    with closing(sqlite3.connect(target, isolation_level=None)) as copy:
        for pragma in PRAGMAS:
            copy.execute(f"PRAGMA {pragma}")
        for statement in schema:
            copy.execute(statement)
        for _ in range(rounds + 1):
            parts = [(name, list(islice(rows, max(1, -(-count // rounds))))) for name, rows, count in tables]
            began = time.perf_counter()
            copy.execute("BEGIN IMMEDIATE")
            for name, part in parts:
                if part:
                    copy.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(part[0]))})", part)
            copy.execute("COMMIT")
            spent += time.perf_counter() - began
    return records / spent
