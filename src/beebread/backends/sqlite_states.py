"""Working memory in the same file: one row for each state, its earlier versions beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TypeVar

import msgspec

from beebread.backends.sqlite_pool import Pool
from beebread.backends.sqlite_rows import sound
from beebread.backends.sqlite_terms import new_key, owners_named
from beebread.backends.sqlite_where import bound, states
from beebread.backends.sqlite_write import write_audit
from beebread.clock import micros
from beebread.errors import Invalid
from beebread.model import AuditLine, State, Where, next_state, owner, owners, state_id

T = TypeVar("T")
_state = msgspec.json.Decoder(State)

_ROW = "owner, id, key, memory_type, version, space, agent, session, task, sensitivity, actor, updated_at, expires_at, forgotten_at, body"


class SqliteStates:
    """See `ports.States` for the meaning of each method."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def list(self, where: Where, limit: int, after: str = "") -> list[State]:
        """States that answer `where`, by key, then id."""
        return await self._pool.read(lambda db: _listed(db, where, limit, _place(after)))

    async def put(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine] = ()) -> State:
        """Replace the whole state."""
        return await self._pool.write(lambda db: _written(db, state, expect, limit, audit, whole=True))

    async def set(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine] = ()) -> State:
        """Set the given fields alone."""
        return await self._pool.write(lambda db: _written(db, state, expect, limit, audit, whole=False))

    async def history(self, owner: str, state: str, limit: int) -> list[State]:
        """Versions, newest first."""
        return await self._pool.read(lambda db: _versions(db, owner, state, limit))

    async def delete(self, owner: str, state: str = "", audit: Sequence[AuditLine] = ()) -> int:
        """Remove states for real."""
        return await self._pool.write(lambda db: _deleted(db, owner, state, audit), scrub=True)


def _place(after: str) -> tuple[str, str] | None:
    if not after:
        return None
    key, mark, name = after.rpartition("\0")
    if not mark:
        raise Invalid(f"cursor {after[:60]!r} is not one that a list of states gave: start again without a cursor")
    return key, name


def _listed(db: sqlite3.Connection, where: Where, limit: int, last: tuple[str, str] | None) -> list[State]:
    clause = states(where)
    if last is not None:
        clause.add("(r.key, r.id) > (?, ?)", bound(last[0]), bound(last[1]))
    found: list[tuple[str, str, str, bytes]] = []
    for home in owners_named(db, owners(where.asker)):
        rows = db.execute(
            "SELECT r.key, r.id, r.body FROM states r INDEXED BY states_key "
            f"WHERE r.owner = ? AND {clause.sql} ORDER BY r.key, r.id LIMIT ?",
            (home.n, *clause.values, max(limit, 0)),
        )
        found.extend((key, name, home.name, body) for key, name, body in rows)
    return [_state.decode(body) for *_, body in sorted(found)[: max(limit, 0)]]


def _written(
    db: sqlite3.Connection, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine], *, whole: bool
) -> State:  # fmt: skip
    if not state.key:
        raise Invalid("a state needs a key, such as {task_type}_{entity_id}")
    given, _ = sound(state)
    name, home = state_id(given), owner(given.scope)
    n = _home(db, home)
    row = db.execute("SELECT version, body FROM states WHERE owner = ? AND id = ?", (n, name)).fetchone()
    old = _state.decode(row[1]) if row else None
    new = next_state(old, given, expect=expect, limit=limit, whole=whole)
    if row:
        db.execute("INSERT INTO state_versions (owner, id, version, body) VALUES (?, ?, ?, ?)", (n, name, row[0], row[1]))
        db.execute("DELETE FROM states WHERE owner = ? AND id = ?", (n, name))
    scope = new.scope
    db.execute(
        f"INSERT INTO states ({_ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            n, name, new.key, new.memory_type, new.version, scope.space, scope.agent, scope.session, scope.task, scope.sensitivity,
            new.actor.id, micros(new.updated_at) if new.updated_at else 0, micros(new.expires_at) if new.expires_at else None,
            micros(new.forgotten_at) if new.forgotten_at else None, sound(new)[1],
        ),
    )  # fmt: skip
    write_audit(db, [sound(line)[0] for line in audit])
    return new


def _home(db: sqlite3.Connection, home: str) -> int:
    row = db.execute("SELECT n FROM owners WHERE owner = ?", (home,)).fetchone()
    return int(row[0]) if row else (db.execute("INSERT INTO owners (owner, key) VALUES (?, ?)", (home, new_key())).lastrowid or 0)


def _versions(db: sqlite3.Connection, home: str, name: str, limit: int) -> list[State]:
    rows = db.execute(
        "SELECT s.body, s.version FROM owners o JOIN states s ON s.owner = o.n WHERE o.owner = ?1 AND s.id = ?2 UNION ALL "
        "SELECT v.body, v.version FROM owners o JOIN state_versions v ON v.owner = o.n WHERE o.owner = ?1 AND v.id = ?2 "
        "ORDER BY 2 DESC LIMIT ?3",
        (bound(home), bound(name), max(limit, 0)),
    )
    return [_state.decode(body) for body, _ in rows]


def _deleted(db: sqlite3.Connection, home: str, name: str, audit: Sequence[AuditLine]) -> int:
    one, values = ("AND id = ?", (bound(name),)) if name else ("", ())
    which = f"owner = (SELECT n FROM owners WHERE owner = ?) {one}"
    db.execute(f"DELETE FROM state_versions WHERE {which}", (bound(home), *values))
    number = db.execute(f"DELETE FROM states WHERE {which}", (bound(home), *values)).rowcount
    write_audit(db, [sound(line)[0] for line in audit])
    return number
