"""The vectors of the SQLite engine as rows: the spaces that they are in, what is held of each owner, and what changed of it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from beebread.backends.sqlite_read import CHUNK, bodies
from beebread.backends.sqlite_terms import OWNER, Owner
from beebread.backends.sqlite_where import bound, marks
from beebread.errors import ModelMismatch
from beebread.model import Record, owner, search_text

REMEMBERED = 1024  # changes of an owner's that are told apart; who is further behind reads everything again
SLICE = 4096  # rows of a dropped space that one transaction deletes
ALL = 0  # in place of a document: so much changed that everything is to be read again
TORN = 0  # in place of a document that contexts were read with: it is gone, and so are they


Said = tuple[str, str]
"""A record's id, and what it says."""


def said(record: Record) -> Said:
    """What vectors are made of, and whose they are."""
    return record.id, search_text(record)


class Space(Struct, frozen=True):
    """A space that holds something."""

    n: int
    name: str
    dimensions: int


class Row(Struct, frozen=True):
    """A record's vectors as they are kept; `dimensions` 0 for one without any."""

    owner: str
    record: Record
    space: str
    dimensions: int
    texts: bytes
    contexts: bytes
    read_with: Record | None = None

    def written(self, fresh: Mapping[Said, int]) -> tuple[bytes, bytes, int | None]:
        """Texts, contexts and the document that those were read with; they are torn when it is none of the fresh ones."""
        if self.read_with is None:
            return self.texts, self.contexts, None
        doc = TORN if owner(self.read_with.scope) != self.owner else fresh.get(said(self.read_with), TORN)
        return self.texts, b"" if doc == TORN else self.contexts, doc


def spaces(db: sqlite3.Connection) -> list[Space]:
    """The spaces that hold anything, the one that is searched first: the one last adopted, else the eldest."""
    rows = db.execute(
        "SELECT n, name, dimensions FROM vector_spaces s WHERE name IS NOT NULL "
        "AND EXISTS (SELECT 1 FROM vectors v WHERE v.space = s.n) ORDER BY searched DESC, n"
    )
    return [Space(*row) for row in rows]


def add(db: sqlite3.Connection, rows: Sequence[Row]) -> None:
    """Take rows in whose records are still what they were made of; the others are left out."""
    clear(db)
    named: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        named.setdefault((row.space, row.owner), {})[row.record.id] = row
    for (name, home), held in named.items():
        dimensions = _agreed(db, name, held.values())
        found = db.execute(f"{OWNER} WHERE owner = ?", (bound(home),)).fetchone()
        n = Owner(*found).n if found else 0
        fresh = _fresh(db, n, [*held, *(row.read_with.id for row in held.values() if row.read_with)]) if found else {}
        docs = {doc: row for row in held.values() if (doc := fresh.get(said(row.record)))}
        if not docs:
            continue
        db.execute(
            "INSERT INTO vector_spaces (name, dimensions) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET dimensions = ?2",
            (name, dimensions),
        )
        (space,) = db.execute("SELECT n FROM vector_spaces WHERE name = ?", (name,)).fetchone()
        db.executemany(
            "INSERT OR REPLACE INTO vectors (space, owner, doc, texts, contexts, read_with) VALUES (?, ?, ?, ?, ?, ?)",
            [(space, n, doc, *row.written(fresh)) for doc, row in docs.items()],
        )
        _changed(db, space, n, list(docs))


def _agreed(db: sqlite3.Connection, name: str, rows: Iterable[Row]) -> int:
    """The length of a space's vectors with these among them, 0 for none; ModelMismatch when there are two."""
    found = db.execute(
        "SELECT dimensions FROM vector_spaces s WHERE name = ? AND EXISTS (SELECT 1 FROM vectors v WHERE v.space = s.n)", (name,)
    ).fetchone()
    agreed = int(found[0]) if found else 0
    for row in rows:
        if row.dimensions and row.dimensions != (agreed := agreed or row.dimensions):
            message = f"a vector of {row.dimensions} numbers where those that are kept have {agreed}: `beebread reembed` makes them anew"
            raise ModelMismatch(message, ids=(row.record.id,))
    return agreed


def _fresh(db: sqlite3.Connection, n: int, ids: Sequence[str]) -> dict[Said, int]:
    """The documents of those of the ids that are kept and not forgotten, by what they say."""
    found: dict[Said, int] = {}
    names = list(dict.fromkeys(ids))
    for start in range(0, len(names), CHUNK):
        part = [bound(name) for name in names[start : start + CHUNK]]
        rows = db.execute(
            f"SELECT doc, position FROM records WHERE owner = ? AND id IN ({marks(part)}) AND forgotten_at IS NULL", (n, *part)
        ).fetchall()
        for (doc, _), record in zip(rows, bodies(db, rows), strict=True):
            found[said(record)] = doc
    return found


def drop(db: sqlite3.Connection, n: int, docs: Sequence[int]) -> None:
    """Delete the vectors of an owner's documents, and the contexts that were read with them, from every space, a dropped one too."""
    if not docs:
        return
    for (space,) in db.execute("SELECT n FROM vector_spaces").fetchall():
        held = "DELETE FROM vectors WHERE space = ? AND owner = ? AND doc = ?"
        gone = [doc for doc in docs if db.execute(held, (space, n, doc)).rowcount]
        # What is gone now cannot be torn: it is deleted first.
        read = "SELECT doc FROM vectors WHERE read_with = ? AND space = ? AND owner = ?"
        after = dict.fromkeys(doc for one in docs for (doc,) in db.execute(read, (one, space, n)).fetchall())
        tear = f"UPDATE vectors SET contexts = x'', read_with = {TORN} WHERE space = ? AND owner = ? AND doc = ?"
        db.executemany(tear, [(space, n, doc) for doc in after])
        _changed(db, space, n, [*gone, *after])


def torn(db: sqlite3.Connection, name: str, limit: int) -> list[Record]:
    """Records whose contexts are torn in a space."""
    rows = db.execute(
        "SELECT v.doc, r.position FROM vectors v JOIN records r ON r.doc = v.doc "
        f"WHERE v.read_with = {TORN} AND v.space = (SELECT n FROM vector_spaces WHERE name = ?) LIMIT ?",
        (bound(name), max(limit, 0)),
    )
    return bodies(db, rows.fetchall())


def drop_owner(db: sqlite3.Connection, n: int) -> None:
    """Delete all that is held of an owner who is no more."""
    for table in ("vectors", "vector_changes"):
        db.execute(f"DELETE FROM {table} WHERE space IN (SELECT n FROM vector_spaces) AND owner = ?", (n,))


def remove(db: sqlite3.Connection, owner: str, ids: Sequence[str] | None) -> None:
    """Delete the vectors of these ids, or all of the owner's, from every space."""
    clear(db)
    found = db.execute(f"{OWNER} WHERE owner = ?", (bound(owner),)).fetchone()
    if not found:
        return
    n = Owner(*found).n
    if ids is not None:
        for start in range(0, len(ids), CHUNK):
            part = [bound(name) for name in ids[start : start + CHUNK]]
            rows = db.execute(f"SELECT doc FROM records WHERE owner = ? AND id IN ({marks(part)})", (n, *part))
            drop(db, n, [doc for (doc,) in rows.fetchall()])
        return
    for (space,) in db.execute("SELECT n FROM vector_spaces").fetchall():
        if db.execute("DELETE FROM vectors WHERE space = ? AND owner = ?", (space, n)).rowcount:
            _changed(db, space, n, [ALL])


def _changed(db: sqlite3.Connection, space: int, n: int, docs: Sequence[int]) -> None:
    """Note for every process which documents' vectors came, changed or went."""
    if not docs:
        return
    last = newest(db, space, n)
    db.executemany("INSERT INTO vector_changes VALUES (?, ?, ?, ?)", [(space, n, last + at, doc) for at, doc in enumerate(docs, 1)])
    old = last + len(docs) - REMEMBERED
    db.execute("DELETE FROM vector_changes WHERE space = ? AND owner = ? AND change <= ?", (space, n, old))


def newest(db: sqlite3.Connection, space: int, n: int) -> int:
    """The number of an owner's last change; 0 when there was none."""
    row = db.execute("SELECT max(change) FROM vector_changes WHERE space = ? AND owner = ?", (space, n)).fetchone()
    return int(row[0] or 0)


def changes(db: sqlite3.Connection, space: int, n: int, after: int, last: int) -> list[int] | None:
    """The documents that changed after one change and up to another; None when that is no longer known."""
    rows = db.execute(
        "SELECT doc FROM vector_changes WHERE space = ? AND owner = ? AND change > ? AND change <= ?", (space, n, after, last)
    ).fetchall()
    docs = [doc for (doc,) in rows]
    return docs if len(docs) == last - after and ALL not in docs else None


def missing(db: sqlite3.Connection, owner: str, ids: Sequence[str], space: str) -> list[str]:
    """Those of `ids` that no space holds, or that one does not."""
    found = db.execute(f"{OWNER} WHERE owner = ?", (bound(owner),)).fetchone()
    numbers = [held.n for held in spaces(db) if space in ("", held.name)]
    held: set[str] = set()
    if found and numbers:
        n = Owner(*found).n
        for start in range(0, len(ids), CHUNK):
            part = [bound(name) for name in ids[start : start + CHUNK]]
            rows = db.execute(
                f"SELECT r.id FROM records r WHERE r.owner = ? AND r.id IN ({marks(part)}) AND EXISTS "
                f"(SELECT 1 FROM vectors v WHERE v.space IN ({marks(numbers)}) AND v.owner = r.owner AND v.doc = r.doc)",
                (n, *part, *numbers),
            )
            held.update(name for (name,) in rows)
    return [name for name in dict.fromkeys(ids) if name not in held]


def adopt(db: sqlite3.Connection, name: str) -> None:
    """Search in this space and take the others' names away; their rows are for `clear`."""
    db.execute("UPDATE vector_spaces SET name = NULL, searched = 0 WHERE name <> ?", (name,))
    db.execute(
        "INSERT INTO vector_spaces (name, dimensions, searched) VALUES (?, 0, 1) ON CONFLICT (name) DO UPDATE SET searched = 1", (name,)
    )


def reset(db: sqlite3.Connection) -> None:
    """Take every space its name away; their rows are for `clear`."""
    db.execute("UPDATE vector_spaces SET name = NULL, searched = 0")


def clear(db: sqlite3.Connection) -> bool:
    """Delete one slice of what is dropped; whether there was any. An interrupted clearing goes on with the next write of vectors."""
    row = db.execute("SELECT n FROM vector_spaces WHERE name IS NULL LIMIT 1").fetchone()
    if row is None:
        return False
    for table, column in (("vectors", "doc"), ("vector_changes", "change")):
        last = db.execute(
            f"SELECT owner, {column} FROM {table} WHERE space = ? ORDER BY owner, {column} LIMIT 1 OFFSET ?", (row[0], SLICE - 1)
        ).fetchone()
        if last is not None:
            db.execute(f"DELETE FROM {table} WHERE space = ? AND (owner, {column}) <= (?, ?)", (row[0], *last))
            return True
        db.execute(f"DELETE FROM {table} WHERE space = ?", row)
    db.execute("DELETE FROM vector_spaces WHERE n = ?", row)
    return True
