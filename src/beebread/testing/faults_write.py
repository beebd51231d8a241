"""Planted faults of writing: engines that lose, overwrite, keep or leave behind, each in one way."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from beebread.backends.reference import ReferenceStore
from beebread.backends.reference_apply import Transaction
from beebread.backends.reference_data import Data, Key
from beebread.errors import BeebreadError, Conflict, NotFound
from beebread.model import (
    Alias,
    Applied,
    Batch,
    Erase,
    Event,
    Expect,
    Hit,
    Link,
    Mark,
    Memory,
    Record,
    Scope,
    Session,
    links,
    merge,
    owner,
)
from beebread.ports import Probe, Store
from beebread.testing.scene import changed


def writing(transaction: type[Transaction]) -> Callable[[], Store]:
    """How to open a store that writes by `transaction`."""

    def opened() -> Store:
        store = ReferenceStore()
        store.transaction = transaction
        return store

    return opened


class Overwrites(Transaction):
    """Takes the second sighting for the truth."""

    def merged(self, old: Event, new: Event) -> Event:
        merge(old, new)
        return new


class IgnoresSecond(Transaction):
    """Takes the first sighting for the truth."""

    def merged(self, old: Event, new: Event) -> Event:
        return changed(merge(old, new), speaker=old.speaker, causes=old.causes, text=old.text, tags=old.tags)


class ReplacesEdges(Transaction):
    """Keeps the edges of the second sighting alone."""

    def merged(self, old: Event, new: Event) -> Event:
        return changed(merge(old, new), causes=new.causes or old.causes)


class SwallowsConflict(Transaction):
    """Says nothing of other content."""

    def again(self, old: Record, new: Record) -> None:
        try:
            super().again(old, new)
        except Conflict:
            return


class CountsRepeats(Transaction):
    """Counts an event into its session whenever it is seen."""

    def again(self, old: Record, new: Record) -> None:
        super().again(old, new)
        if isinstance(new, Event) and new.scope.session:
            self.fold(new)


class MovesOnRepeats(Transaction):
    """Writes a record anew though nothing changed."""

    def again(self, old: Record, new: Record) -> None:
        super().again(old, new)
        self.keep(self.data.records[owner(old.scope), old.id])


class PoolsSessions(Transaction):
    """Counts every compartment of a session into one record."""

    def fold(self, event: Event) -> None:
        scope = event.scope
        open_ = Scope(tenant=scope.tenant, space="private", user=scope.user, session=scope.session)
        super().fold(changed(event, scope=open_ if scope.space == "private" else scope))


class OneIdForAll(Transaction):
    """Takes one id for one record, whoever owns it."""

    def put(self, record: Record) -> None:
        if not any(key[1] == record.id and key[0] != owner(record.scope) for key in self.data.records):
            super().put(record)


class KeepsOldWords(Transaction):
    """Leaves a record under the words that it was first found by."""

    def keep(self, record: Record) -> None:
        key = (owner(record.scope), record.id)
        old = self.data.documents.get(key)
        super().keep(record)
        if old is not None:
            self.data.documents[key] = old


class ReplaceCreates(Transaction):
    """Makes what was to be replaced."""

    def replace(self, record: Record) -> None:
        try:
            super().replace(record)
        except NotFound:
            self.keep(record)


class NoExpect(Transaction):
    """Never looks at versions."""

    def expect(self, expect: Expect) -> None:
        return


class ExpectsAtLeast(Transaction):
    """Takes a version that was passed for the one that is there."""

    def expect(self, expect: Expect) -> None:
        record = self.data.records.get((expect.owner, expect.id))
        if isinstance(record, Memory) and record.version >= expect.version > 0:
            return
        super().expect(expect)


class NoLease(Transaction):
    """Never looks at what a mark is."""

    def mark(self, mark: Mark) -> None:
        self.data.marks[mark.name] = mark.value


class LosesAliases(Transaction):
    """Keeps no alias."""

    def alias(self, alias: Alias) -> None:
        super().alias(alias)
        self.data.aliases.pop((alias.owner, alias.alias), None)


class MovesAliases(Transaction):
    """Gives an alias to whoever asks last."""

    def alias(self, alias: Alias) -> None:
        self.data.aliases.pop((alias.owner, alias.alias), None)
        super().alias(alias)


class NoTombstone(Transaction):
    """Leaves no tombstone."""

    def bury(self, key: Key, at: datetime) -> None:
        return


class TombstoneForEver(Transaction):
    """Refuses what was erased whenever it happens."""

    def is_buried(self, home: str, record: Event | Memory) -> bool:
        return any((home, name) in self.data.tombstones for name in (record.id, record.dedup_key))


class TombstoneById(Transaction):
    """Knows what was erased by its id alone."""

    def is_buried(self, home: str, record: Event | Memory) -> bool:
        date = self.data.tombstones.get((home, record.id))
        return date is not None and record.at < date


class EarlierTombstone(Transaction):
    """Lets the latest tombstone stand, though it dates from before."""

    def bury(self, key: Key, at: datetime) -> None:
        self.data.tombstones[key] = at


class ErasesById(Transaction):
    """Erases every owner's record of that id."""

    def erase(self, erase: Erase) -> None:
        for home in {key[0] for key in self.data.records if key[1] == erase.id} | {erase.owner}:
            super().erase(Erase(home, erase.id, erase.at))


class ErasesByPrefix(Transaction):
    """Erases every owner whose name begins alike."""

    def erase(self, erase: Erase) -> None:
        alike = {key[0] for key in self.data.records if not erase.id and key[0].startswith(erase.owner)}
        for home in alike | {erase.owner}:
            super().erase(Erase(home, erase.id, erase.at))


class LeavesStates(Transaction):
    """Forgets the states of an erased owner."""

    def erase(self, erase: Erase) -> None:
        states = dict(self.data.states)
        super().erase(erase)
        self.data.states = states


class LeavesSessions(Transaction):
    """Forgets the sessions of an erased owner."""

    def erase(self, erase: Erase) -> None:
        left = {key: record for key, record in self.data.records.items() if isinstance(record, Session) and not erase.id}
        documents = {key: self.data.documents[key] for key in left}
        super().erase(erase)
        self.data.records |= left
        self.data.documents |= documents


class GoesBack(Transaction):
    """Counts the log by what is in it."""

    def keep(self, record: Record) -> None:
        self.data.position = max((each.position for each in self.data.records.values()), default=0)
        super().keep(record)


class AllowsCycles(Transaction):
    """Looks at no cause."""

    def refuse_cycles(self) -> None:
        return


class SeesSelfCauses(Transaction):
    """Looks at a record's own causes, no farther."""

    def refuse_cycles(self) -> None:
        self.touched = [key for key in self.touched if any(link.target == key[1] for link in links(self.data.records[key], key[0]))]
        super().refuse_cycles()


class ForgetsForgetting(Transaction):
    """Brings back what was forgotten when it is seen again."""

    def again(self, old: Record, new: Record) -> None:
        super().again(old, new)
        self.keep(changed(self.data.records[owner(old.scope), old.id], forgotten_at=None))


class LosesOffsets(Transaction):
    """Keeps times without the offset that they were given with."""

    def keep(self, record: Record) -> None:
        super().keep(changed(record, at=record.at.astimezone(UTC)))


class HalfApplied(ReferenceStore):
    """Keeps what a refused batch had written by then."""

    async def apply(self, batch: Batch) -> Applied:
        draft = self.data.copy()
        try:
            return Transaction(draft).run(batch)
        finally:
            self.data.adopt(draft)


class SeparateDiary(ReferenceStore):
    """Writes the diary whatever comes of the batch."""

    async def apply(self, batch: Batch) -> Applied:
        try:
            return await super().apply(batch)
        except BeebreadError:
            self.data.diary.extend(batch.audit)
            raise


class Ghosts(ReferenceStore):
    """Finds, or walks to, what was erased: an index apart from the records."""

    def __init__(self, *, terms: bool) -> None:
        super().__init__()
        self.terms = terms
        self.ghosts = Data()

    async def apply(self, batch: Batch) -> Applied:
        before = self.data.copy()
        applied = await super().apply(batch)
        for key in before.records.keys() - self.data.records.keys():
            self.ghosts.records[key] = before.records[key]
            self.ghosts.documents[key] = before.documents[key]
        return applied

    async def search(self, probe: Probe) -> list[Hit]:
        found = await super().search(probe)
        held = [key for key in self.ghosts.documents if self.terms and self.matches(self.ghosts.records[key], probe.where)]
        return [*found, *(Hit(*key, 0.1) for key in held if set(probe.terms) & self.ghosts.documents[key].terms.keys())]

    def edges(self, passable: dict[Key, Record]) -> list[Link]:
        left = [link for key, record in self.ghosts.records.items() if not self.terms for link in links(record, key[0])]
        return [
            *super().edges(passable),
            *(link for link in left if {(link.owner, link.source), (link.owner, link.target)} <= passable.keys()),
        ]


WRITING_FAULTS: dict[str, Callable[[], Store]] = {
    "a merge overwrites": writing(Overwrites),
    "a merge changes nothing": writing(IgnoresSecond),
    "a merge replaces edges": writing(ReplacesEdges),
    "conflicts swallowed": writing(SwallowsConflict),
    "repeats counted in sessions": writing(CountsRepeats),
    "repeats move the log": writing(MovesOnRepeats),
    "sessions pooled": writing(PoolsSessions),
    "one id for all owners": writing(OneIdForAll),
    "old words kept": writing(KeepsOldWords),
    "replace creates": writing(ReplaceCreates),
    "versions ignored": writing(NoExpect),
    "newer versions accepted": writing(ExpectsAtLeast),
    "leases unguarded": writing(NoLease),
    "aliases lost": writing(LosesAliases),
    "aliases moved": writing(MovesAliases),
    "no tombstones": writing(NoTombstone),
    "tombstones for ever": writing(TombstoneForEver),
    "tombstones by id alone": writing(TombstoneById),
    "the earlier tombstone stands": writing(EarlierTombstone),
    "erase takes every owner's": writing(ErasesById),
    "erase by prefix": writing(ErasesByPrefix),
    "erase leaves states": writing(LeavesStates),
    "erase leaves sessions": writing(LeavesSessions),
    "the log goes back": writing(GoesBack),
    "cycles allowed": writing(AllowsCycles),
    "long cycles allowed": writing(SeesSelfCauses),
    "seen again is remembered": writing(ForgetsForgetting),
    "offsets lost": writing(LosesOffsets),
    "a batch half applied": HalfApplied,
    "a diary of what did not happen": SeparateDiary,
    "erase leaves terms": lambda: Ghosts(terms=True),
    "erase leaves links": lambda: Ghosts(terms=False),
}
