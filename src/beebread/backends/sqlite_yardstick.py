"""A yardstick for the SQLite engine: how fast bare `executemany` writes the very same rows, tables and indexes, as durably."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from beebread.backends.sqlite_schema import FILE


def bare_speed(folder: Path, target: Path, batch: int) -> float:
    """Records a second when everything in the memory of `folder` is written again into `target`, `batch` records a transaction.

    The rows are there already made, so this is SQLite's own share of an ingest: what no engine on it can be faster than.
    """
    with closing(sqlite3.connect(folder / FILE)) as source, closing(sqlite3.connect(target, isolation_level=None)) as copy:
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
            copy.execute(f"PRAGMA {pragma}")
        made = source.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'index'").fetchall()
        for _, name, statement in made:
            if not name.startswith("sqlite_"):
                copy.execute(statement)
        tables = [name for kind, name, _ in made if kind == "table" and not name.startswith("sqlite_")]
        records: int = source.execute("SELECT count(*) FROM records").fetchone()[0]
        rounds = max(1, records // batch)
        readers = [(name, source.execute(f"SELECT * FROM {name}"), _share(source, name, rounds)) for name in tables]
        spent = 0.0
        for _ in range(rounds + 1):
            chunks = [(name, reader.fetchmany(share)) for name, reader, share in readers]
            began = time.perf_counter()
            copy.execute("BEGIN IMMEDIATE")
            for name, rows in chunks:
                if rows:
                    copy.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
            copy.execute("COMMIT")
            spent += time.perf_counter() - began
        return records / spent


def _share(source: sqlite3.Connection, table: str, rounds: int) -> int:
    count: int = source.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    return max(1, -(-count // rounds))
