"""The records that a batch reads and changes, held in memory until they are written in one go with all that belongs to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from beebread.backends.sqlite_bodies import packed
from beebread.backends.sqlite_cycles import led_to, refuse_cycles
from beebread.backends.sqlite_read import CHUNK, bodies
from beebread.backends.sqlite_rows import COLUMNS, LETTERS, encode, labels, row_of
from beebread.backends.sqlite_terms import OWNER, Entry, Owner, Terms, new_key, save_counts
from beebread.backends.sqlite_vector_rows import drop
from beebread.backends.sqlite_where import marks
from beebread.model import CAUSAL, Link, Record, Session, exact_keys, links, search_text
from beebread.text import document

Key = tuple[str, str]  # owner, id

_INSERT = f"INSERT INTO records VALUES ({marks(COLUMNS)})"
_CHANGES = ", ".join(f"{name} = ?{at}" for at, name in enumerate(COLUMNS, 1) if name not in ("doc", "owner", "id"))
_UPDATE = f"UPDATE records SET {_CHANGES} WHERE doc = ?1 AND owner = ?2 AND id = ?3"


class Kept(Struct):
    """A record as it was found (None: not there) and as it is to be, with its JSON where that is known."""

    doc: int
    old: Record | None
    now: Record
    position: int
    body: bytes | None = None


class Keeping:
    """What one batch knows of the store; `load` comes before any look at a key."""

    def __init__(self, db: sqlite3.Connection, terms: Terms) -> None:
        self.db = db
        self.terms = terms
        self.position = int(db.execute("SELECT value FROM meta WHERE name = 'position'").fetchone()[0])
        self.kept: dict[Key, Kept] = {}
        self.aliases: dict[Key, str] = {}
        self._owners: dict[str, Owner | None] = {}
        self._changed: dict[Key, None] = {}
        self._edges: dict[str, dict[str, list[str]]] = {}
        self._suspects: dict[str, dict[str, None]] = {}

    def home(self, name: str) -> Owner | None:
        """The row of an owner that keeps something."""
        if name not in self._owners:
            row = self.db.execute(f"{OWNER} WHERE owner = ?", (name,)).fetchone()
            self._owners[name] = Owner(*row) if row else None
        return self._owners[name]

    def _made(self, name: str) -> Owner:
        found = self.home(name)
        if found is None:
            key = new_key()
            n = self.db.execute("INSERT INTO owners (owner, key) VALUES (?, ?)", (name, key)).lastrowid or 0
            found = self._owners[name] = Owner(n, name, key, 0, 0, 0)
        return found

    def forget_owner(self, name: str) -> None:
        """Drop what is known of an owner that is no more."""
        if (gone := self._owners.get(name)) is not None:
            self.terms.forget(gone.n)
        self._owners[name] = None
        for names in (self.kept, self.aliases):
            for key in [key for key in names if key[0] == name]:
                del names[key]
        self._edges.pop(name, None)
        self._suspects.pop(name, None)

    def drop(self, key: Key) -> None:
        """Drop what is known of a record that is no more."""
        self.kept.pop(key, None)
        self._edges.get(key[0], {}).pop(key[1], None)
        self._suspects.get(key[0], {}).pop(key[1], None)
        for alias in [alias for alias, name in self.aliases.items() if (alias[0], name) == key]:
            del self.aliases[alias]

    def load(self, keys: Iterable[Key]) -> None:
        """Read the records and aliases of these names."""
        wanted: dict[str, dict[str, None]] = {}
        for home, name in keys:
            wanted.setdefault(home, {})[name] = None
        for home, names in wanted.items():
            owner = self.home(home)
            if owner is None:
                continue
            for part in parts(list(names)):
                rows = self.db.execute(
                    f"SELECT id, doc, position FROM records WHERE owner = ? AND id IN ({marks(part)})", (owner.n, *part)
                ).fetchall()
                found = bodies(self.db, [(doc, position) for _, doc, position in rows])
                for (name, doc, position), record in zip(rows, found, strict=True):
                    self.kept[home, name] = Kept(doc, record, record, position)
                self.aliases.update({(home, alias): name for alias, name in aliases(self.db, owner.n, part)})

    def keep(self, key: Key, record: Record, body: bytes | None = None) -> None:
        """Set `record` down as the newest change of the log."""
        self.position += 1
        there = self.kept.get(key)
        if there is None:
            self.kept[key] = Kept(self.position, None, record, self.position, body)
        else:
            there.now, there.position, there.body = record, self.position, body
        self._changed[key] = None

    def suspect(self, key: Key) -> None:
        """Have a record looked at for being its own cause."""
        self._suspects.setdefault(key[0], {})[key[1]] = None

    def write(self) -> None:
        """Write down what changed since the last time."""
        byhome: dict[str, list[Kept]] = {}
        for key in self._changed:
            byhome.setdefault(key[0], []).append(self.kept[key])
        self._changed.clear()
        for name, changed in byhome.items():
            home = self._made(name)
            self._write_links(home, changed)
            self._write_terms(home, changed)
            self._write_rows(home, changed)
            for kept in changed:
                kept.old = kept.now

    def _write_rows(self, home: Owner, changed: Sequence[Kept]) -> None:
        new = [kept for kept in changed if kept.old is None]
        old = [kept for kept in changed if kept.old is not None]
        self.db.executemany(_INSERT, [row_of(kept.now, home.n, kept.doc, kept.position) for kept in new])
        self.db.executemany("INSERT INTO bodies (doc, body) VALUES (?, ?)", [(kept.doc, _body(kept)) for kept in new])
        gone = [(home.n, label, kept.doc) for kept in old if kept.old for label in labels(kept.old)]
        self.db.executemany("DELETE FROM labels WHERE owner = ? AND label = ? AND doc = ?", gone)
        self.db.executemany(_UPDATE, [row_of(kept.now, home.n, kept.doc, kept.position) for kept in old])
        self.db.executemany("UPDATE bodies SET body = ? WHERE doc = ?", [(_body(kept), kept.doc) for kept in old])
        come = [(home.n, label, kept.doc) for kept in changed for label in labels(kept.now)]
        self.db.executemany("INSERT INTO labels VALUES (?, ?, ?)", come)

    def _write_links(self, home: Owner, changed: Sequence[Kept]) -> None:
        brought: list[Link] = []
        for kept in changed:
            now = links(kept.now, home.name)
            if kept.old is not None:
                if links(kept.old, home.name) == now:
                    continue
                self.db.execute("DELETE FROM links WHERE owner = ? AND source = ?", (home.n, kept.old.id))
            brought.extend(now)
        if not brought:
            return
        called = {alias: name for part in parts(list({link.target for link in brought})) for alias, name in aliases(self.db, home.n, part)}
        edges = self._edges.setdefault(home.name, {})
        for link in brought:
            if link.family in CAUSAL:
                edges.setdefault(link.source, []).append(called.get(link.target, link.target))
        for part in parts(list({link.source for link in brought})):
            for name in led_to(self.db, home.n, part):
                self.suspect((home.name, name))
        self.db.executemany(
            "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?)",
            [
                (home.n, link.source, LETTERS[link.family], link.target, link.relation, called.get(link.target, link.target))
                for link in brought
            ],
        )

    def _write_terms(self, home: Owner, changed: Sequence[Kept]) -> None:
        gone: list[int] = []
        meant: list[int] = []  # what no longer says what its vectors were made of
        come: list[Entry] = []
        for kept in changed:
            was, now = searched(kept.old), searched(kept.now)
            if was == now:
                continue
            if was is not None:
                gone.append(kept.doc)
                if now is None or now[0] != was[0]:
                    meant.append(kept.doc)
            if now is not None:
                words = document(*now)
                if words.terms:
                    come.append(self.terms.entry(home, kept.doc, words.terms, words.length))
        if gone:
            self.terms.remove(self.db, home, gone)
        if come:
            self.terms.add(self.db, home, come)
        if gone or come:
            save_counts(self.db, home)
        drop(self.db, home.n, meant)

    def refuse_cycles(self) -> None:
        """Raise Invalid when anything that changed is among its own causes."""
        for home in dict.fromkeys((*self._edges, *self._suspects)):
            owner = self.home(home)
            if owner is not None:
                refuse_cycles(self.db, owner.n, self._edges.get(home, {}), self._suspects.get(home, ()))

    def finish(self) -> None:
        """Write the position down."""
        self.db.execute("UPDATE meta SET value = ? WHERE name = 'position'", (self.position,))


def _body(kept: Kept) -> bytes:
    return packed(kept.body or encode(kept.now))


def searched(record: Record | None) -> tuple[str, list[str]] | None:
    """What a record is found by; None when it is not to be found."""
    if record is None or isinstance(record, Session) or record.forgotten_at is not None:
        return None
    return search_text(record), exact_keys(record)


def aliases(db: sqlite3.Connection, n: int, names: Sequence[str]) -> list[tuple[str, str]]:
    """Those of `names` that are aliases, with what they name."""
    return db.execute(f"SELECT alias, id FROM aliases WHERE owner = ? AND alias IN ({marks(names)})", (n, *names)).fetchall()


def parts(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """`names` in parts that one statement takes."""
    for start in range(0, len(names), CHUNK):
        yield names[start : start + CHUNK]
