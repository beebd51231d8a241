"""Walking the event graph of the SQLite engine by recursive query, through what the asker may see alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from beebread.backends.sqlite_read import CHUNK
from beebread.backends.sqlite_rows import LETTERS
from beebread.backends.sqlite_terms import owners_named
from beebread.backends.sqlite_where import Clause, bound, marks, matches, sees
from beebread.model import CAUSAL, Direction, Family, Link, Where, owners

HOPS = 32
"""Hops in one query. A record that many paths lead to comes up once for each length, so that a long walk goes on in steps."""
_FAMILIES: dict[str, Family] = {letter: family for family, letter in LETTERS.items()}
Node = tuple[int, str]  # owner, id
Edge = tuple[int, str, Family, str, str]  # owner, source, family, target, relation


def walk(
    db: sqlite3.Connection, start: Sequence[str], direction: Direction, depth: int, where: Where, families: Sequence[Family]
) -> list[Link]:
    """The links met, nearest first."""
    homes = {home.n: home.name for home in owners_named(db, owners(where.asker))}
    frontier = [(n, name) for n in homes for name in _called(db, n, start)]
    met: dict[Edge, tuple[int, bool]] = {}
    reached = dict.fromkeys(frontier, 0)
    done, wanted = 0, tuple(families or CAUSAL)
    while frontier and done < depth:
        hops = min(HOPS, depth - done)
        nearest: dict[Node, int] = {}
        for n, source, letter, target, relation, far, shown in _steps(db, frontier, direction, hops, where, wanted):
            key: Edge = (n, source, _FAMILIES[letter], target, relation)
            at, end = done + far, (n, target if direction == "up" else source)
            if key not in met or at < met[key][0]:
                met[key] = (at, bool(shown))
            if end not in reached:
                nearest[end] = min(at, nearest.get(end, at))
        reached.update(nearest)
        done += hops
        frontier = [node for node, at in nearest.items() if at == done]
    ordered = sorted((at, edge) for edge, (at, shown) in met.items() if shown)
    return [Link(homes[n], source, family, target, relation, at) for at, (n, source, family, target, relation) in ordered]


def _called(db: sqlite3.Connection, n: int, names: Sequence[str]) -> list[str]:
    """The ids of the records of one owner that `names` name."""
    called: dict[str, str] = {}
    wanted = [name for name in dict.fromkeys(names) if bound(name) == name]  # others were never kept
    for start in range(0, len(wanted), CHUNK):
        part = wanted[start : start + CHUNK]
        known = (
            f"SELECT alias, id FROM aliases WHERE owner = ?1 AND alias IN ({marks(part)}) "
            f"UNION ALL SELECT id, id FROM records WHERE owner = ?1 AND id IN ({marks(part)})"
        )
        called.update(db.execute(known, (n, *part, *part)))
    return list(dict.fromkeys(called[name] for name in wanted if name in called))


def _steps(
    db: sqlite3.Connection, frontier: Sequence[Node], direction: Direction, hops: int, where: Where, families: Sequence[Family]
) -> list[tuple[int, str, str, str, str, int, int]]:
    """The links within `hops` of the frontier: owner, source, letter, target, relation, depth, whether the far end answers `where`."""
    passable = Clause()
    sees(passable, where.asker)
    passable.add("r.forgotten_at IS NULL")
    answers = matches(where)
    near, far = ("source", "leads") if direction == "up" else ("leads", "source")
    stored = [LETTERS[family] for family in families if family != "NEXT"]
    begin = ",".join("(?, ?)" for _ in frontier)
    values = [value for node in frontier for value in node]
    link = f"JOIN links l ON l.owner = s.owner AND l.{near} = s.id AND l.family IN ({marks(stored)}) "
    link += f"JOIN records r ON r.owner = l.owner AND r.id = l.{far}"
    ends = "s.id, 'N', r.id" if direction == "up" else "r.id, 'N', s.id"
    follow = "JOIN records e ON e.owner = s.owner AND e.id = s.id AND e.type = 'event' AND e.session <> '' "
    follow += _neighbour(direction, passable)
    recursion = [f"SELECT r.owner, r.id, s.depth + 1 FROM seen s {link} WHERE s.depth < ? AND {passable.sql}"] if stored else []
    column = "l.owner, l.source, l.family, l.leads, l.relation, s.depth + 1"
    result = [f"SELECT DISTINCT {column}, {answers.sql} FROM seen s {link} WHERE s.depth < ? AND {passable.sql}"] if stored else []
    plain = [*stored, hops, *passable.values] if stored else []
    shown = [*answers.values, *plain] if stored else []
    if "NEXT" in families:
        recursion.append(f"SELECT r.owner, r.id, s.depth + 1 FROM seen s {follow} WHERE s.depth < ?")
        result.append(f"SELECT DISTINCT r.owner, {ends}, '', s.depth + 1, {answers.sql} FROM seen s {follow} WHERE s.depth < ?")
        plain += [*passable.values, hops]
        shown += [*answers.values, *passable.values, hops]
    sql = (
        f"WITH RECURSIVE begin (owner, id) AS (VALUES {begin}), seen (owner, id, depth) AS ("
        f"SELECT r.owner, r.id, 0 FROM begin b JOIN records r ON r.owner = b.owner AND r.id = b.id WHERE {passable.sql} "
        f"UNION {' UNION '.join(recursion)}) {' UNION ALL '.join(result)}"
    )
    return db.execute(sql, (*values, *passable.values, *plain, *shown)).fetchall()


def _neighbour(direction: Direction, passable: Clause) -> str:
    """The event of the same session just before (up) or after `e`, as the asker sees it."""
    sign, order = ("<", "DESC") if direction == "up" else (">", "ASC")
    return (
        "JOIN records r ON r.owner = e.owner AND r.id = (SELECT r.id FROM records r INDEXED BY records_session WHERE r.owner = e.owner "
        f"AND r.session = e.session AND r.type = 'event' AND (r.at, r.seq, r.id) {sign} (e.at, e.seq, e.id) AND {passable.sql} "
        f"ORDER BY r.at {order}, r.seq {order}, r.id {order} LIMIT 1)"
    )
