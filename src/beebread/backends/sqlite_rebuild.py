"""Fills the SQLite engine's keyword index anew from the records, when it was made by another version's rules for taking texts apart."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from beebread.backends.sqlite_keep import searched
from beebread.backends.sqlite_lock import Turnstile
from beebread.backends.sqlite_read import bodies
from beebread.backends.sqlite_terms import OWNER, Entry, Owner, Terms, save_counts
from beebread.errors import Unavailable
from beebread.text import ANALYSIS, document

SLICE = 2_000  # documents of one transaction
_AT = "rebuilt up to"


def rebuild(db: sqlite3.Connection, path: Path, turnstile: Turnstile) -> None:
    """Bring the index up to date, slice by slice, so that others have their turn and a process that is killed loses one slice.

    Several processes may do it at once. Raises Unavailable where a newer Beebread made the index.
    """
    terms = Terms()
    while True:
        made = _meta(db, "analysis")
        if made == ANALYSIS:
            return
        if made > ANALYSIS:
            raise Unavailable(f"{path} was indexed by a newer Beebread (rules {made}, this one knows {ANALYSIS}): upgrade Beebread")
        with turnstile.turn():
            db.execute("BEGIN IMMEDIATE")
            try:
                _slice(db, terms)
                db.execute("COMMIT")
            except BaseException:
                db.execute("ROLLBACK")
                raise


def _slice(db: sqlite3.Connection, terms: Terms) -> None:
    if _meta(db, "analysis") == ANALYSIS:
        return  # another process came first
    upto = _meta(db, _AT)
    if upto < 0:
        for table in ("fresh", "segments", "postings"):
            db.execute(f"DELETE FROM {table}")
        db.execute("UPDATE owners SET docs = 0, length = 0, fresh = 0")
    rows = db.execute("SELECT doc, position, owner FROM records WHERE doc > ? ORDER BY doc LIMIT ?", (upto, SLICE)).fetchall()
    entries: dict[int, list[Entry]] = {}
    owners: dict[int, Owner] = {}
    for (doc, _, n), record in zip(rows, bodies(db, [(doc, position) for doc, position, _ in rows]), strict=True):
        found = searched(record)
        words = document(*found) if found is not None else None
        if words is not None and words.terms:
            if n not in owners:
                owners[n] = Owner(*db.execute(f"{OWNER} WHERE n = ?", (n,)).fetchone())
            entries.setdefault(n, []).append(terms.entry(owners[n], doc, words.terms, words.length))
    for n, some in entries.items():
        terms.add(db, owners[n], some)
        save_counts(db, owners[n])
    if rows:
        db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_AT, rows[-1][0]))
    else:
        db.execute("DELETE FROM meta WHERE name = ?", (_AT,))
        db.execute("UPDATE meta SET value = ? WHERE name = 'analysis'", (ANALYSIS,))


def _meta(db: sqlite3.Connection, name: str) -> int:
    row = db.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return int(row[0]) if row else -1
