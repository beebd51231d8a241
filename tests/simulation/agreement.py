"""Whether everything in the file of an embedded store agrees with everything else; read past the engine, by its own statements."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from beebread.backends.sqlite_bodies import unpacked
from beebread.backends.sqlite_postings import COUNT_BITS, HASH, HASH_BITS, LENGTH_BITS, LONGEST, MOST, decoded
from beebread.backends.sqlite_rows import LETTERS
from beebread.backends.sqlite_schema import FILE, connect
from beebread.backends.sqlite_terms import OWNER, Hashes, Owner, Terms, first_place, segments
from beebread.backends.sqlite_vector_codec import part_bytes
from beebread.model import Event, Memory, Record, Session, exact_keys, join_sessions, links, owner, search_text, session_id, session_of
from beebread.text import Document, document
from beebread.worker.passages import dense

_record = msgspec.json.Decoder(Record)


def disagreements(folder: Path) -> list[str]:
    """What is wrong, in words; nothing when all is well."""
    db = connect(folder / FILE, busy_ms=10_000)
    try:
        return [*_integrity(db), *_records(db), *_links(db), *_terms(db), *_sessions(db), *_vectors(db)]
    finally:
        db.close()


def disembodied(folder: Path, space: str) -> list[str]:
    """Records that are worth a vector and have none in `space`, or other spaces that are still held; for a memory that has settled."""
    db = connect(folder / FILE, busy_ms=10_000)
    try:
        spaces = dict(db.execute("SELECT name, n FROM vector_spaces").fetchall())
        held = {doc for (doc,) in db.execute("SELECT doc FROM vectors WHERE space = ?", (spaces.get(space, 0),))}
        wanted = {doc: record for doc, (_, _, record) in _kept(db).items() if dense(record)}
        others = [f"the space {name} is still held" for name in spaces if name != space]
        return [*others, *(f"{wanted[doc].id} has no vector" for doc in wanted.keys() - held)]
    finally:
        db.close()


def _integrity(db: sqlite3.Connection) -> Iterator[str]:
    yield from (str(line) for (line,) in db.execute("PRAGMA integrity_check") if line != "ok")


def _kept(db: sqlite3.Connection) -> dict[int, tuple[int, str, Record]]:
    rows = db.execute("SELECT r.doc, r.owner, o.owner, b.body FROM records r JOIN owners o ON o.n = r.owner JOIN bodies b ON b.doc = r.doc")
    return {doc: (n, home, _record.decode(unpacked(body))) for doc, n, home, body in rows}


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
        (n, link.source, LETTERS[link.family], link.target, link.relation)
        for n, home, record in _kept(db).values()
        for link in links(record, home)
    }
    if found != wanted:
        yield f"links differ from the records: {len(found - wanted)} too many, {len(wanted - found)} missing"


def _postings(db: sqlite3.Connection, home: Owner) -> Iterator[tuple[int, int, int, int]]:
    """Document, its length, a term's hash and how often it is there, for everything that an owner can be found by."""
    first = first_place(home.n)
    span = (first, first_place(home.n + 1))
    for place, length, blob in db.execute("SELECT place, length, entries FROM fresh WHERE place >= ? AND place < ?", span):
        for posting in decoded(blob):
            yield place - first, length, posting & HASH, (posting & MOST - 1) + 1
    for segment in segments(db, home.n):
        bits = Terms().bits(segment.level)
        span = (segment.bucket(0), segment.bucket(1 << bits))
        for place, blob in db.execute("SELECT place, entries FROM postings WHERE place >= ? AND place < ?", span):
            for posting in decoded(blob):
                one = segment.docs[posting >> COUNT_BITS & (1 << bits) - 1]
                rest = posting >> bits + COUNT_BITS
                term = (place - span[0] << HASH_BITS - bits | rest) << COUNT_BITS
                yield one >> LENGTH_BITS, one & LONGEST, term, (posting & MOST - 1) + 1


def _terms(db: sqlite3.Connection) -> Iterator[str]:
    found: dict[int, tuple[int, Counter[int]]] = {}
    homes = {row[0]: Owner(*row) for row in db.execute(OWNER)}
    hashes = {home.n: Hashes(home.key) for home in homes.values()}
    for home in homes.values():
        for doc, length, term, count in _postings(db, home):
            found.setdefault(doc, (length, Counter()))[1][term] += count
    totals: dict[int, tuple[int, int]] = dict.fromkeys(homes, (0, 0))
    for doc, (n, _, record) in _kept(db).items():
        searched = isinstance(record, (Event, Memory)) and record.forgotten_at is None
        words = document(search_text(record), exact_keys(record)) if searched else Document({}, 0)
        wanted = dict(zip(hashes[n].of(words.terms), words.terms.values(), strict=True))
        if found.pop(doc, (words.length, Counter[int]())) != (words.length, wanted):
            yield f"document {doc} is not found by its {len(words.terms)} words"
        docs, total = totals[n]
        totals[n] = (docs + (words.length > 0), total + words.length)
    if found:
        yield f"documents that are not kept are still found: {sorted(found)[:9]}"
    for n, counted in totals.items():
        if (homes[n].docs, homes[n].length) != counted:
            yield f"owner {n} is said to have {homes[n].docs} documents of {homes[n].length} words, and has {counted}"


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


def _vectors(db: sqlite3.Connection) -> Iterator[str]:
    """Vectors belong to records that are kept and not forgotten, are whole, and are in a space that is known."""
    kept = _kept(db)
    dimensions = dict(db.execute("SELECT n, dimensions FROM vector_spaces").fetchall())
    for space, n, doc, texts, contexts, read_with in db.execute("SELECT space, owner, doc, texts, contexts, read_with FROM vectors"):
        if read_with is not None and contexts and (read_with not in kept or getattr(kept[read_with][2], "forgotten_at", None)):
            yield f"the context of document {doc} was read with document {read_with}, which is forgotten or gone"
        if space not in dimensions:
            yield f"document {doc} has vectors in a space that is not known"
        elif len(texts) % part_bytes(dimensions[space]) or len(contexts) % part_bytes(dimensions[space], "context"):
            yield f"document {doc} has a part of a vector"
        if doc not in kept or kept[doc][0] != n:
            yield f"vectors are held of document {doc}, which is not kept for that owner"
        elif getattr(kept[doc][2], "forgotten_at", None) is not None:
            yield f"vectors are held of document {doc}, which is forgotten"
    searched = db.execute("SELECT count(*) FROM vector_spaces WHERE searched").fetchone()[0]
    if searched > 1:
        yield f"{searched} spaces are searched at once"
