"""The file of the SQLite engine: its tables, how an older one is brought up to date, and how a connection to it is opened."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from beebread.backends.files import sync_folder
from beebread.errors import BeebreadError, Unavailable

FILE = "beebread.db"
APPLICATION = 0x42656542  # 'BeeB', by which a file is known as ours
OLDEST_SQLITE = (3, 35, 0)
SMALLEST = 512  # bytes of a file that SQLite would not take for an empty one

Steps = Sequence[str]
"""The statements that lead from one schema version to the next."""

FIRST: Steps = (
    # position: of the newest change; secret: the key of tombstones, which outlives every owner's own key.
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    "INSERT INTO meta VALUES ('position', 0), ('secret', randomblob(32))",
    # An owner's number is never given again. key: under which its terms are hashed. docs, length: records with words, words.
    # flushed: the last document that is in a segment; fresh: how many came after it.
    """CREATE TABLE owners (n INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL UNIQUE, key BLOB NOT NULL,
    docs INTEGER NOT NULL DEFAULT 0, length INTEGER NOT NULL DEFAULT 0, flushed INTEGER NOT NULL DEFAULT 0,
    fresh INTEGER NOT NULL DEFAULT 0)""",
    # doc is the position at which a record was first kept, so that it is never given again either.
    """CREATE TABLE records (doc INTEGER PRIMARY KEY, owner INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, kind TEXT NOT NULL,
    at INTEGER NOT NULL, seq INTEGER NOT NULL, position INTEGER NOT NULL, recorded_at INTEGER NOT NULL, space TEXT NOT NULL,
    agent TEXT NOT NULL, session TEXT NOT NULL, task TEXT NOT NULL, sensitivity INTEGER NOT NULL, layer TEXT NOT NULL, key TEXT NOT NULL,
    actor TEXT NOT NULL, origin TEXT NOT NULL, speaker TEXT NOT NULL, confidence REAL NOT NULL, valid_from INTEGER NOT NULL,
    valid_to INTEGER, closed_at INTEGER, forgotten_at INTEGER, expires_at INTEGER, pending INTEGER NOT NULL, disputed INTEGER NOT NULL)""",
    "CREATE UNIQUE INDEX records_id ON records (owner, id)",
    "CREATE INDEX records_time ON records (owner, type, at, seq)",
    "CREATE INDEX records_session ON records (owner, session, at, seq)",
    "CREATE INDEX records_task ON records (owner, task, at, seq) WHERE task <> ''",
    "CREATE INDEX records_key ON records (owner, key) WHERE key <> ''",
    "CREATE INDEX records_position ON records (position)",
    "CREATE INDEX records_forgotten ON records (forgotten_at) WHERE forgotten_at IS NOT NULL",
    # Apart from the columns, so that filtering reads little. key_id names the key that a body is sealed with, '' for none.
    "CREATE TABLE bodies (doc INTEGER PRIMARY KEY, body BLOB NOT NULL, key_id TEXT NOT NULL DEFAULT '')",
    # Tags as #tag, entities as &entity, environment as =name NUL value.
    "CREATE TABLE labels (owner INTEGER, label TEXT, doc INTEGER, PRIMARY KEY (owner, label, doc)) WITHOUT ROWID",
    # target is as it was given; leads is the record that it names, which differs for an alias.
    """CREATE TABLE links (owner INTEGER, source TEXT, family TEXT, target TEXT, relation TEXT, leads TEXT NOT NULL,
    PRIMARY KEY (owner, source, family, target, relation)) WITHOUT ROWID""",
    "CREATE INDEX links_leads ON links (owner, leads)",
    "CREATE TABLE aliases (owner INTEGER, alias TEXT, id TEXT NOT NULL, PRIMARY KEY (owner, alias)) WITHOUT ROWID",
    "CREATE INDEX aliases_id ON aliases (owner, id)",
    # What a document is found by: 64-bit keyed hashes of its terms, and how often it has each (16 bits).
    """CREATE TABLE terms (doc INTEGER PRIMARY KEY, owner INTEGER NOT NULL, length INTEGER NOT NULL, hashes BLOB NOT NULL,
    counts BLOB NOT NULL)""",
    "CREATE INDEX terms_owner ON terms (owner)",
    # The same turned round, for documents up to owners.flushed: a segment holds those up to last that no earlier one holds.
    # entries: of the postings whose hash ends alike, in turn the hash and the document with its count and length.
    """CREATE TABLE segments (owner INTEGER, last INTEGER, segment INTEGER NOT NULL, level INTEGER NOT NULL,
    PRIMARY KEY (owner, last)) WITHOUT ROWID""",
    """CREATE TABLE postings (owner INTEGER, segment INTEGER, bucket INTEGER, entries BLOB NOT NULL,
    PRIMARY KEY (owner, segment, bucket)) WITHOUT ROWID""",
    """CREATE TABLE states (owner INTEGER NOT NULL, id TEXT NOT NULL, key TEXT NOT NULL, memory_type TEXT NOT NULL,
    version INTEGER NOT NULL, space TEXT NOT NULL, agent TEXT NOT NULL,
    session TEXT NOT NULL, task TEXT NOT NULL, sensitivity INTEGER NOT NULL, actor TEXT NOT NULL,
    updated_at INTEGER NOT NULL, expires_at INTEGER, forgotten_at INTEGER, body BLOB NOT NULL, key_id TEXT NOT NULL DEFAULT '')""",
    "CREATE UNIQUE INDEX states_id ON states (owner, id)",
    "CREATE INDEX states_key ON states (owner, key, id)",
    """CREATE TABLE state_versions (owner INTEGER NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL,
    key_id TEXT NOT NULL DEFAULT '')""",
    "CREATE UNIQUE INDEX state_versions_id ON state_versions (owner, id, version)",
    "CREATE TABLE tombstones (name BLOB PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE audit (line INTEGER PRIMARY KEY AUTOINCREMENT, owner TEXT NOT NULL, body BLOB NOT NULL)",
    "CREATE INDEX audit_owner ON audit (owner, line)",
)

COMPACT: Steps = (
    # The keyword index as sqlite_postings lays it out; sqlite_rebuild fills it from the records. analysis: by which rules of text.
    "DROP TABLE terms",
    "DROP TABLE segments",
    "DROP TABLE postings",
    "ALTER TABLE owners DROP COLUMN flushed",
    "INSERT INTO meta VALUES ('analysis', 0)",
    # Documents that no segment holds. place: owner << 31 | document.
    "CREATE TABLE fresh (place INTEGER PRIMARY KEY, length INTEGER NOT NULL, entries BLOB NOT NULL)",
    """CREATE TABLE segments (owner INTEGER, segment INTEGER, level INTEGER NOT NULL, docs BLOB NOT NULL,
    PRIMARY KEY (owner, segment)) WITHOUT ROWID""",
    # place: owner << 31 | segment << 12 | bucket.
    "CREATE TABLE postings (place INTEGER PRIMARY KEY, entries BLOB NOT NULL)",
)

VECTORS: Steps = (
    # A space without a name is dropped; its rows go in slices. The one last adopted is searched, or else the eldest.
    """CREATE TABLE vector_spaces (n INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, dimensions INTEGER NOT NULL,
    searched INTEGER NOT NULL DEFAULT 0)""",
    # A document's vectors for each channel, as sqlite_vector_codec lays them out.
    """CREATE TABLE vectors (space INTEGER, owner INTEGER, doc INTEGER, texts BLOB NOT NULL, contexts BLOB NOT NULL,
    PRIMARY KEY (space, owner, doc)) WITHOUT ROWID""",
    # Which documents' vectors came, changed or went, numbered on for each owner: by this every process keeps its copies up to date.
    """CREATE TABLE vector_changes (space INTEGER, owner INTEGER, change INTEGER, doc INTEGER NOT NULL,
    PRIMARY KEY (space, owner, change)) WITHOUT ROWID""",
)

READ_WITH: Steps = (
    # From here on bodies may be deflated (sqlite_bodies), which an older Beebread cannot read; what is there stays as it is.
    # The document that a document's contexts were read with, NULL for none; 0 where that is gone, and the contexts with it.
    "ALTER TABLE vectors ADD COLUMN read_with INTEGER",
    "CREATE INDEX vectors_read_with ON vectors (read_with) WHERE read_with IS NOT NULL",
    # With what older contexts were read is not known: they go, and everything is embedded anew.
    "UPDATE vectors SET contexts = x'' WHERE contexts <> x''",
    "INSERT INTO vector_changes SELECT space, owner, max(change) + 1, 0 FROM vector_changes GROUP BY space, owner",
    "DELETE FROM marks WHERE name GLOB 'embedded *'",
)

FAMILIES: Steps = (
    # A letter for the name of a link's family (sqlite_rows.LETTERS), which stands in two indexes.
    """UPDATE links SET family = CASE family WHEN 'CAUSED_BY' THEN 'C' WHEN 'DATA_FROM' THEN 'D' WHEN 'REFERS_TO' THEN 'R'
    WHEN 'RESTS_ON' THEN 'E' END""",
)

MIGRATIONS: Sequence[Steps] = (FIRST, COMPACT, VECTORS, READ_WITH, FAMILIES)
"""MIGRATIONS[n] leads from schema version n to n + 1; a published one is never changed."""


def unavailable(error: Exception, path: Path) -> Unavailable:
    """What `error` of the driver or the system means, and what to do about it."""
    name = str(getattr(error, "sqlite_errorname", ""))
    advice = next((text for prefix, text in _ADVICE if name.startswith(prefix)), "look at the folder and its disk, then try again")
    return Unavailable(f"the store {path} cannot serve ({error}): {advice}")


_ADVICE = (
    ("SQLITE_FULL", "the disk is full; free some space and repeat the call, nothing acknowledged is lost"),
    ("SQLITE_BUSY", "another process is holding it; end that one, or give more time (busy_ms)"),
    ("SQLITE_LOCKED", "another process is holding it; end that one, or give more time (busy_ms)"),
    ("SQLITE_IOERR", "the disk fails; see that it is neither full nor broken and repeat the call, nothing acknowledged is lost"),
    ("SQLITE_READONLY", "it may only be read here; make the folder writable for this user"),
    ("SQLITE_CORRUPT", "the file is damaged; close Beebread, move the folder aside, and restore it from a backup"),
    ("SQLITE_NOTADB", "the file is not one of ours or is damaged; move it aside, and restore it from a backup"),
    ("SQLITE_CANTOPEN", "the folder cannot be opened; check that it exists and that this user may read and write it"),
)


def connect(path: Path, *, busy_ms: int, mode: str = "rw", immutable: bool = False) -> sqlite3.Connection:
    """A connection to the file: mode rwc, rw or ro. Durable with every commit; what is deleted is overwritten."""
    uri = f"{path.absolute().as_uri()}?mode={mode}{'&immutable=1' if immutable else ''}"
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=busy_ms / 1000, cached_statements=512
    )
    try:
        for pragma in ("synchronous = FULL", "secure_delete = ON", "temp_store = MEMORY", "cache_size = -16000", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {pragma}")
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(folder: Path) -> Path:
    """The path of the store's file in `folder`, made where it is missing: readable by its owner alone.

    A file that is there is left to SQLite to look into: closing a file that this process has open elsewhere drops the locks of both, and
    then another process, taking itself for the last, deletes the log that is still written to (sqlite.org/howtocorrupt.html, 2.2).
    """
    path = folder / FILE
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        size = 0
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            sync_folder(folder)
        except FileExistsError:
            size = path.stat().st_size
    except OSError as error:
        raise Unavailable(f"the folder {folder} cannot be used ({error.strerror}): choose another, or let this user write it") from error
    if 0 < size < SMALLEST:
        raise Unavailable(f"{path} is not one of ours or is damaged: move it aside, and restore it from a backup; it was left as it is")
    return path


def version_of(connection: sqlite3.Connection, path: Path, known: int = len(MIGRATIONS)) -> int:
    """The schema version of an open file, 0 when it is empty; Unavailable when it is another program's, or a newer Beebread's."""
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    application = int(connection.execute("PRAGMA application_id").fetchone()[0])
    tables = int(connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0])
    if application != APPLICATION and (tables or application):
        raise Unavailable(f"{path} belongs to another program: choose another folder; it was left as it is")
    if version > known:
        raise Unavailable(f"{path} was written by a newer Beebread (schema {version}, this one knows {known}): upgrade Beebread")
    return version


def migrate(connection: sqlite3.Connection, path: Path, now: datetime, migrations: Sequence[Steps] = MIGRATIONS) -> None:
    """Bring the file up to the newest schema in one transaction, and note when; the caller holds the turn."""
    if version_of(connection, path, len(migrations)) == len(migrations):
        return
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("BEGIN IMMEDIATE")
    try:
        for steps in migrations[version_of(connection, path, len(migrations)) :]:
            for step in steps:
                connection.execute(step)
        connection.execute(f"INSERT INTO meta VALUES ('schema {len(migrations)}', ?)", (now.isoformat(),))
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except (sqlite3.Error, BeebreadError):
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
