"""The only way anything is written: one Batch, one transaction."""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from beebread.model.memory import Memory, Record


class Alias(Struct, frozen=True):
    """`alias` is another id of the record `id` of `owner` (a folded event, a second native id)."""

    owner: str
    alias: str
    id: str


class Erase(Struct, frozen=True):
    """Remove a record for real, with its terms, links and aliases. `id` '' means everything of the owner, states and key included.

    Leaves a tombstone (a keyed hash of the dedup key) dated `at`: a put of the same event that happened before then is refused silently.
    """

    owner: str
    id: str
    at: datetime


class Expect(Struct, frozen=True):
    """The batch applies only while memory (owner, id) has this version; 0 means that there is no such memory."""

    owner: str
    id: str
    version: int


class Mark(Struct, frozen=True):
    """Set the named cursor or lease to `value`, only while it is `expect` (0 means not there yet; None means whatever it is)."""

    name: str
    value: int
    expect: int | None = None


class AuditLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One line of the diary: who did what to which records, when; ids, versions and digests, never text in the clear."""

    at: datetime
    operation: str
    owner: str = ""
    tenant: str = ""
    user: str = ""
    agent: str = ""
    session: str = ""
    ids: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    reason: str = ""
    sealed: bytes = b""


class Batch(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What one transaction writes. Either all of it happens or nothing.

    `put`: sightings. A new id is kept; an event seen again is merged (`model.merge`), a memory seen again must be equal, else Conflict.
    `replace`: changed versions of records that exist (supersede, forget, feedback); NotFound when one does not.
    The engine folds Session records from new events, sets `position`, keeps links and keyword terms, and refuses a cycle of causes.
    """

    put: tuple[Record, ...] = ()
    replace: tuple[Record, ...] = ()
    erase: tuple[Erase, ...] = ()
    aliases: tuple[Alias, ...] = ()
    expect: tuple[Expect, ...] = ()
    marks: tuple[Mark, ...] = ()
    audit: tuple[AuditLine, ...] = ()


class Applied(Struct, frozen=True):
    """What a batch did: the log position after it, ids newly kept, ids merged or seen again, ids refused by a tombstone."""

    position: int
    created: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    buried: tuple[str, ...] = ()


class Rules(Struct, frozen=True, kw_only=True):
    """What the memory contract says, in the form that `policy` judges by. Days are whole days; a `purge_days` of 0 purges at once."""

    memory_kinds: tuple[str, ...] = ()  # kinds a contract declares beside the known ones
    purge_days: int = 30
    state_days: int = 90
    state_bytes: int = 256 * 1024


def same_memory(old: Memory, new: Memory) -> bool:
    """Whether a second write under one id says the same thing (its log time aside), so that a retry is not a conflict."""
    return (old.kind, old.text, old.key, old.value, old.scope) == (new.kind, new.text, new.key, new.value, new.scope)
