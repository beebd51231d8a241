"""Whether everything in the file of an embedded store agrees with everything else; read past the engine, by its own statements."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterator
from pathlib import Path

import msgspec

from beebread.backends.sqlite_schema import FILE, connect
from beebread.model import Event, Memory, Record, Session, exact_keys, join_sessions, links, owner, search_text, session_id, session_of
from beebread.text import document

_record = msgspec.json.Decoder(Record)
Posting = tuple[int, int, int]  # segment or 0, hash, document


def disagreements(folder: Path) -> list[str]:
    """What is wrong, in words; nothing when all is well."""
    db = connect(folder / FILE, busy_ms=10_000)
    try:
        return [*_integrity(db), *_records(db), *_links(db), *_terms(db), *_sessions(db)]
    finally:
        db.close()


def _integrity(db: sqlite3.Connection) -> Iterator[str]:
    yield from (str(line) for (line,) in db.execute("PRAGMA integrity_check") if line != "ok")


def _kept(db: sqlite3.Connection) -> dict[int, tuple[int, str, Record]]:
    rows = db.execute("SELECT r.doc, r.owner, o.owner, b.body FROM records r JOIN owners o ON o.n = r.owner JOIN bodies b ON b.doc = r.doc")
    return {doc: (n, home, _record.decode(body)) for doc, n, home, body in rows}


def _records(db: sqlite3.Connection) -> Iterator[str]:
    kept = _kept(db)
    for table in ("records", "bodies"):
        number = db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        if number != len(kept):
            yield f"{number} rows of {table}, {len(kept)} records"
    for doc, (_, home, record) in kept.items():
        if owner(record.scope) != home:
            yield f"document {doc} is kept under another owner"
    last = db.execute("SELECT value FROM meta WHERE name = 'position'").fetchone()[0]
    highest = db.execute("SELECT coalesce(max(position), 0) FROM records").fetchone()[0]
    if highest > last:
        yield f"a record stands at {highest}, beyond the log's end {last}"


def _links(db: sqlite3.Connection) -> Iterator[str]:
    found = set(db.execute("SELECT owner, source, family, target, relation FROM links"))
    wanted = {
        (n, link.source, link.family, link.target, link.relation) for n, home, record in _kept(db).values() for link in links(record, home)
    }
    if found != wanted:
        yield f"links differ from the records: {len(found - wanted)} too many, {len(wanted - found)} missing"


def _terms(db: sqlite3.Connection) -> Iterator[str]:
    forward: set[tuple[int, int]] = set()
    totals: dict[int, tuple[int, int]] = {}
    for doc, n, length, hashes in db.execute("SELECT doc, owner, length, hashes FROM terms"):
        docs, words = totals.get(n, (0, 0))
        totals[n] = (docs + (length > 0), words + length)
        terms = array("q")
        terms.frombytes(hashes)
        forward |= {(doc, term) for term in terms}
    for n, docs, length in db.execute("SELECT n, docs, length FROM owners"):
        if (docs, length) != totals.get(n, (0, 0)):
            yield f"owner {n} is said to have {docs} documents of {length} words, and has {totals.get(n)}"
    for doc, (_, _, record) in _kept(db).items():
        searched = isinstance(record, (Event, Memory)) and record.forgotten_at is None
        words_of = document(search_text(record), exact_keys(record)).terms if searched else {}
        if len(words_of) != db.execute("SELECT coalesce(max(length(hashes)), 0) / 8 FROM terms WHERE doc = ?", (doc,)).fetchone()[0]:
            yield f"document {doc} is not found by its {len(words_of)} words"
    turned: list[tuple[int, int]] = []
    for (entries,) in db.execute("SELECT entries FROM postings"):
        numbers = array("q")
        numbers.frombytes(entries)
        turned.extend((place >> 32, term) for term, place in zip(numbers[::2], numbers[1::2], strict=True))
    fresh = {doc for (doc,) in db.execute("SELECT t.doc FROM terms t JOIN owners o ON o.n = t.owner WHERE t.doc > o.flushed")}
    if sorted(turned) != sorted((doc, term) for doc, term in forward if doc not in fresh):
        yield "the segments differ from the documents"


def _sessions(db: sqlite3.Connection) -> Iterator[str]:
    wanted: dict[tuple[str, str], Session] = {}
    found: dict[tuple[str, str], Session] = {}
    for _, home, record in _kept(db).values():
        if isinstance(record, Session):
            found[home, record.id] = record
        elif isinstance(record, Event) and record.scope.session:
            key, alone = (home, session_id(record.scope)), session_of(record)
            wanted[key] = join_sessions(wanted[key], alone) if key in wanted else alone
    for key, session in wanted.items():
        if key not in found or (found[key].events, found[key].kinds) != (session.events, session.kinds):
            yield f"session {key} does not count its {session.events} events"
