"""Engines that keep a journal and are not durable, each in its own way, to show that the checks of durability notice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from beebread.backends.reference import ReferenceStore
from beebread.backends.reference_data import Data
from beebread.backends.reference_states import ReferenceStates
from beebread.model import Applied, AuditLine, Batch, State, owner, state_id

DURABLE_FAULTS = ("forgetful", "lazy", "halving", "deaf")
LATE = 20


class Entry(Struct, omit_defaults=True):
    """One line of a journal."""

    batch: Batch | None = None
    state: State | None = None


class Journal(ReferenceStore):
    """The reference engine over a file of what was written, read when it is opened; deaf to what other processes write after that."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.states = JournalStates(self.data, self)

    async def read(self) -> Journal:
        """Take in what the journal holds; a line that was not ended is none."""
        for line in self.lines():
            entry = msgspec.json.decode(line, type=Entry)
            if entry.batch is not None:
                await ReferenceStore.apply(self, entry.batch)
            if entry.state is not None:
                self.data.states.setdefault((owner(entry.state.scope), state_id(entry.state)), []).append(entry.state)
        return self

    def lines(self) -> list[bytes]:
        """The lines of the journal."""
        return self.path.read_bytes().split(b"\n")[:-1] if self.path.exists() else []

    async def apply(self, batch: Batch) -> Applied:
        applied = await super().apply(batch)
        self.write(Entry(batch=batch))
        return applied

    def write(self, *entries: Entry) -> None:
        """Put something down for good."""
        with self.path.open("ab") as file:
            file.write(b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries))


class JournalStates(ReferenceStates):
    """States that are kept in the journal."""

    def __init__(self, data: Data, journal: Journal) -> None:
        super().__init__(data)
        self.journal = journal

    def write(self, state: State, expect: int | None, limit: int, audit: Sequence[AuditLine], *, whole: bool) -> State:
        written = super().write(state, expect, limit, audit, whole=whole)
        self.journal.write(Entry(state=written))
        return written


class Forgetful(Journal):
    """Writes nothing down."""

    def write(self, *entries: Entry) -> None:
        return


class Lazy(Journal):
    """Acknowledges first and writes some of it later."""

    late: tuple[Entry, ...] = ()

    def write(self, *entries: Entry) -> None:
        self.late = (*self.late, *entries)
        if len(self.late) >= LATE:
            super().write(*self.late)
            self.late = ()


class Halving(Journal):
    """Writes a batch down in two parts."""

    async def apply(self, batch: Batch) -> Applied:
        applied = await ReferenceStore.apply(self, batch)
        self.write(Entry(batch=Batch(put=batch.put, replace=batch.replace)))
        await asyncio.sleep(0.05)
        self.write(Entry(batch=msgspec.structs.replace(batch, put=(), replace=(), expect=())))
        return applied


async def forgetful(folder: Path) -> ReferenceStore:
    """Keeps nothing."""
    return await Forgetful(folder / "journal").read()


async def lazy(folder: Path) -> ReferenceStore:
    """Acknowledges what it has not written."""
    return await Lazy(folder / "journal").read()


async def halving(folder: Path) -> ReferenceStore:
    """Writes half a batch, then the other half."""
    return await Halving(folder / "journal").read()


async def deaf(folder: Path) -> ReferenceStore:
    """Loses nothing when killed, and sees nothing of what another process writes."""
    return await Journal(folder / "journal").read()
