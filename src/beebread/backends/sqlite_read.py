"""Reading from the SQLite engine, one snapshot for each call: by id, by time, counts, the log, the diary."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

import msgspec

from beebread.backends.sqlite_bodies import unpacked
from beebread.backends.sqlite_terms import Owner, owners_named
from beebread.backends.sqlite_where import Value, bound, driven, marks, matches
from beebread.clock import micros
from beebread.errors import Invalid
from beebread.model import AuditLine, Record, Where, decode_cursor, owners

GROUPS = ("type", "kind", "session", "task", "layer", "actor", "origin")
TYPES = ("event", "memory", "session")
CHUNK = 5000  # question marks in one statement

_record = msgspec.json.Decoder(Record)
_line = msgspec.json.Decoder(AuditLine)
Place = tuple[int, int, str, str, int, int]  # the sort key of a record, its document and its position


def decoded(body: bytes, position: int) -> Record:
    """The record of a row; its position is kept in its column alone."""
    return msgspec.structs.replace(_record.decode(unpacked(body)), position=position)


def bodies(db: sqlite3.Connection, docs: Sequence[tuple[int, int]]) -> list[Record]:
    """The records of (document, position) pairs, in the order given."""
    found: dict[int, bytes] = {}
    for start in range(0, len(docs), CHUNK):
        part = [doc for doc, _ in docs[start : start + CHUNK]]
        found.update(db.execute(f"SELECT doc, body FROM bodies WHERE doc IN ({marks(part)})", part))
    return [decoded(found[doc], position) for doc, position in docs]


def get(db: sqlite3.Connection, ids: Sequence[str], where: Where) -> list[Record]:
    """The records called `ids`, each once, those of one name in the order of the asker's owners."""
    clause = matches(where)
    names = list(dict.fromkeys(ids))
    found: dict[tuple[int, str], tuple[int, int]] = {}
    homes = owners_named(db, owners(where.asker))
    called: dict[tuple[int, str], str] = {}
    for home in homes:
        for start in range(0, len(names), CHUNK):
            part = [bound(name) for name in names[start : start + CHUNK]]
            known = db.execute(f"SELECT alias, id FROM aliases WHERE owner = ? AND alias IN ({marks(part)})", (home.n, *part)).fetchall()
            called.update({(home.n, alias): name for alias, name in known})
            wanted: list[Value] = [*part, *(name for _, name in known)]
            rows = db.execute(
                f"SELECT r.id, r.doc, r.position FROM records r WHERE r.owner = ? AND r.id IN ({marks(wanted)}) AND {clause.sql}",
                (home.n, *wanted, *clause.values),
            )
            found.update({(home.n, name): (doc, position) for name, doc, position in rows})
    keys = (found.get((home.n, called.get((home.n, name), name))) for name in names for home in homes)
    return bodies(db, list(dict.fromkeys(key for key in keys if key is not None)))


def scan(db: sqlite3.Connection, where: Where, limit: int, after: str) -> list[Record]:
    """A page of what answers `where`."""
    last = decode_cursor(after) if after else None
    if limit <= 0:
        return []
    found = [place for home in owners_named(db, owners(where.asker)) for place in places(db, home, where, limit, last)]
    found.sort(key=lambda place: place[:4], reverse=where.order == "-time")
    return bodies(db, [place[4:] for place in found[:limit]])


def places(db: sqlite3.Connection, home: Owner, where: Where, limit: int, last: tuple[int, int, str, str] | None) -> list[Place]:
    """The first places of one owner's records, from the index that leads there; all of them for a limit of -1."""
    hint, way = driven(where, home.n)
    clause = matches(where)
    back = where.order == "-time"
    way.conditions.extend(clause.conditions)
    way.values.extend(clause.values)
    if last is not None:
        further = (home.name < last[3]) if back else (home.name > last[3])  # the owner decides between equals
        way.add(f"(r.at, r.seq, r.id) {'<' if back else '>'}{'=' if further else ''} (?, ?, ?)", last[0], last[1], bound(last[2]))
    # The index by time begins with the type: one run for each type keeps its order and stops at the limit.
    runs = (where.types or TYPES) if hint.endswith("_time") else ("",)
    order = "r.at DESC, r.seq DESC, r.id DESC" if back else "r.at, r.seq, r.id"
    found: list[Place] = []
    for kind in dict.fromkeys(runs):
        rows = db.execute(
            f"SELECT r.at, r.seq, r.id, r.doc, r.position FROM records r {hint} WHERE r.owner = ? "
            f"{'AND r.type = ?' if kind else ''} AND {way.sql} ORDER BY {order} LIMIT ?",
            (home.n, *([bound(kind)] if kind else []), *way.values, limit),
        )
        found.extend((at, seq, name, home.name, doc, position) for at, seq, name, doc, position in rows)
    return found


def count(db: sqlite3.Connection, where: Where, by: str) -> dict[str, int]:
    """How many answer `where`, by group."""
    if by and by not in GROUPS:
        raise Invalid(f"nothing is counted by {by[:60]!r}: use one of {', '.join(GROUPS)}")
    found: dict[str, int] = {} if by else {"": 0}
    clause = matches(where)
    for home in owners_named(db, owners(where.asker)):
        hint, way = driven(where, home.n)
        rows = db.execute(
            f"SELECT {f'r.{by}' if by else chr(39) * 2}, count(*) FROM records r {hint} "
            f"WHERE r.owner = ? AND {way.sql} AND {clause.sql} {f'GROUP BY r.{by}' if by else ''}",
            (home.n, *way.values, *clause.values),
        )
        for group, number in rows:
            found[group] = found.get(group, 0) + number
    return found


def tail(db: sqlite3.Connection, after: int, limit: int) -> list[tuple[int, Record]]:
    """What changed, newest versions in log order."""
    rows = db.execute("SELECT doc, position FROM records WHERE position > ? ORDER BY position LIMIT ?", (after, max(limit, 0))).fetchall()
    return [(position, record) for (_, position), record in zip(rows, bodies(db, rows), strict=True)]


def position(db: sqlite3.Connection) -> int:
    """The log position of the newest change."""
    return int(db.execute("SELECT value FROM meta WHERE name = 'position'").fetchone()[0])


def forgotten(db: sqlite3.Connection, before: datetime, limit: int) -> list[Record]:
    """What was forgotten before then, the oldest first."""
    rows = db.execute(
        "SELECT r.doc, r.position FROM records r JOIN owners o ON o.n = r.owner WHERE r.forgotten_at < ? "
        "ORDER BY r.forgotten_at, o.owner, r.id LIMIT ?",
        (micros(before), max(limit, 0)),
    ).fetchall()
    return bodies(db, rows)


def mark(db: sqlite3.Connection, name: str) -> int:
    """A cursor or lease."""
    row = db.execute("SELECT value FROM marks WHERE name = ?", (bound(name),)).fetchone()
    return int(row[0]) if row else 0


def audit(db: sqlite3.Connection, owner: str, after: int, limit: int) -> list[tuple[int, AuditLine]]:
    """The diary, its lines numbered from 1."""
    mine = "owner = ? AND" if owner else ""
    rows = db.execute(
        f"SELECT line, body FROM audit WHERE {mine} line > ? ORDER BY line LIMIT ?",
        (*([bound(owner)] if owner else []), after, max(limit, 0)),
    )
    return [(line, _line.decode(body)) for line, body in rows]
