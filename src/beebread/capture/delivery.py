"""From the buffer to the store: events made ready, folded, sent in batches; what is refused set aside, what cannot go sheltered on disk."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

import msgspec
from msgspec import Struct

from beebread.capture.fold import Folding, folded
from beebread.capture.redact import redacted
from beebread.capture.spill import Spill
from beebread.capture.strings import cleaned
from beebread.errors import BeebreadError, Conflict, Unavailable
from beebread.model import Cause, Event, merge, owner
from beebread.ports import Redact

KEPT_REJECTED = 100
"""Rejected events kept to be looked at, the newest; all are counted."""
REMEMBERED = 10_000
"""Dropped and folded ids of which it is remembered what stands in their place."""
PATIENCE = 3
"""Faults in a row after which the event that may be to blame is looked for."""


class Sent(Protocol):
    """What became of sent events: ids newly kept, ids seen before, ids refused because they were erased, ids refused with the reason."""

    @property
    def created(self) -> tuple[str, ...]: ...
    @property
    def seen(self) -> tuple[str, ...]: ...
    @property
    def buried(self) -> tuple[str, ...]: ...
    @property
    def rejected(self) -> Mapping[str, str]: ...


class Fault(Unavailable):
    """The store, or what leads to it, failed in a way that nobody foresaw."""


class Rejected(Struct, frozen=True):
    """An event that cannot be kept, and why."""

    event: Event
    reason: str


class Entry(Struct, frozen=True):
    """A recorded event on its way. `fresh`: its id was made for it, so it may be folded. `ready`: it is cleaned and masked already."""

    event: Event
    fresh: bool
    ready: bool = False


class Gone(Struct, frozen=True):
    """What stands in the place of an event that will not arrive: the causes and parent it had, or the event it was folded into."""

    causes: tuple[Cause, ...]
    parent: str
    survivor: str = ""


Name = tuple[str, str]  # owner, id
Send = Callable[[tuple[Event, ...], dict[str, str]], Sent]


class Delivery:
    """Events that left the buffer and are not acknowledged yet. Only the flusher calls it, but for `ready`, `drop` and `shelter`."""

    def __init__(self, send: Send, batch: int, fold_ms: int, redact: Redact | None, spill: Spill | None) -> None:
        self.counts: Counter[str] = Counter()
        self.rejected: deque[Rejected] = deque(maxlen=KEPT_REJECTED)
        self.pending: list[Event] = []
        self.spill = spill
        self._send = send
        self._batch = batch
        self._redact = redact
        self._folding = Folding(fold_ms)
        self._aliases: dict[str, str] = {}
        self._gone: OrderedDict[Name, Gone] = OrderedDict()
        self._faults = 0

    @property
    def held(self) -> int:
        """How many events are here, those that wait to be folded included."""
        return len(self.pending) + self._folding.size

    @property
    def settled(self) -> bool:
        """Whether all that came here was acknowledged, as far as this process knows."""
        return not self.held and (self.spill is None or self.spill.empty)

    def ready(self, event: Event) -> Event:
        """`event` as it may leave memory: storable and masked. Raises whatever a redactor raises."""
        event = cleaned(event)
        return event if self._redact is None else redacted(event, self._redact)

    def drop(self, event: Event) -> None:
        """Let an event go; what it would have caused inherits its causes."""
        event = self._rewired(event)
        self.counts["dropped_low" if event.priority == "low" else "dropped"] += 1
        self._remember(event, Gone(event.causes, event.parent))

    def _remember(self, event: Event, place: Gone) -> None:
        self._gone[_name(event)] = place
        if len(self._gone) > REMEMBERED:
            self._gone.popitem(last=False)

    def reject(self, event: Event, reason: str) -> None:
        """Set an event aside, with the reason."""
        self.counts["rejected"] += 1
        self.rejected.append(Rejected(event, reason))

    def take_in(self, entries: Iterable[Entry], now: datetime | None) -> None:
        """Take over recorded events, all of them ready; groups of folded ones stay open unless `now` is None or past their window."""
        waiting = {_name(event): position for position, event in enumerate(self.pending)}
        before = len(self.pending)
        for entry in entries:
            if not (entry.fresh and self._folding.held(entry.event)):
                self._add(entry.event, waiting)
        for group in self._folding.closed(now):
            self._add(self._folded(group), waiting)
        self.pending[before:] = map(self._rewired, self.pending[before:])

    def _add(self, event: Event, waiting: dict[Name, int]) -> None:
        position = waiting.setdefault(_name(event), len(self.pending))
        if position == len(self.pending):
            self.pending.append(event)
            return
        self.counts["duplicates"] += 1
        try:
            self.pending[position] = merge(self.pending[position], event)
        except Conflict as error:
            self.reject(event, str(error))

    def _folded(self, group: list[Event]) -> Event:
        if len(group) == 1:
            return group[0]
        event = folded(group)
        for member in group[1:]:
            self._aliases[member.id] = event.id
            self._remember(member, Gone((), "", event.id))
        self.counts["folded"] += len(group) - 1
        return event

    def _rewired(self, event: Event) -> Event:
        """`event` with each cause and parent that will not arrive replaced by what stands in its place."""
        if not self._gone:
            return event
        home = owner(event.scope)
        if not any((home, name) in self._gone for name in (event.parent, *(cause.id for cause in event.causes))):
            return event
        causes: dict[Cause, None] = {}
        for cause in event.causes:
            place = self._gone.get((home, cause.id))
            if place is None:
                causes[cause] = None
            else:
                causes.update(dict.fromkeys((Cause(place.survivor, cause.relation),) if place.survivor else place.causes))
        parent = self._gone.get((home, event.parent))
        return msgspec.structs.replace(
            event,
            causes=tuple(cause for cause in causes if cause.id != event.id),
            parent=event.parent if parent is None else parent.survivor or parent.parent,
        )

    def deliver(self) -> None:
        """Send all that is here, what was sheltered on disk first. Raises Unavailable when the store does not take it."""
        self.replay()
        while self.pending:
            batch = self.pending[: self._batch]
            self._keep(batch)
            del self.pending[: len(batch)]
            for event in batch:
                self._forget_aliases(event.id)

    def replay(self) -> None:
        """Send what waits on disk."""
        while self.spill is not None and (batch := self.spill.take(self._batch)):
            self._keep(batch)
            self.spill.done()
            self.counts["replayed"] += len(batch)

    def _forget_aliases(self, event: str) -> None:
        if self._aliases:
            self._aliases = {alias: kept for alias, kept in self._aliases.items() if kept != event}

    def _keep(self, events: Sequence[Event]) -> None:
        """Have `events` kept, each or set aside; Unavailable when that cannot be told."""
        for group in _distinct(events):
            try:
                self._kept(group)
            except Fault:
                self._faults += 1
                if self._faults < PATIENCE or len(group) == 1:
                    raise
                self._isolate(group)
            self._faults = 0

    def _isolate(self, events: Sequence[Event]) -> None:
        # One event that the store chokes on must not hold up all others, and a store that chokes on everything must not cost any.
        suspects: list[tuple[Event, Fault]] = []
        for event in events:
            try:
                self._kept((event,))
            except Fault as fault:
                suspects.append((event, fault))
                if len(suspects) == len(events):
                    raise
        for event, fault in suspects:
            self.reject(event, str(fault))

    def _kept(self, events: Sequence[Event]) -> None:
        left = list(events)
        while left:
            ids = {event.id for event in left}
            try:
                sent = self._send(tuple(left), {alias: kept for alias, kept in self._aliases.items() if kept in ids})
            except Unavailable:
                self.counts["retries"] += 1
                raise
            except BeebreadError as error:
                refused = {name: str(error) for name in error.ids if name in ids}
                if not refused and len(left) > 1:
                    self._kept(left[: len(left) // 2])
                    self._kept(left[len(left) // 2 :])
                    return
                left = self._set_aside(left, refused or {left[0].id: str(error)})
                continue
            self.counts["sent"] += len(ids) - len(sent.rejected)
            self.counts["duplicates"] += len(sent.seen)
            self.counts["buried"] += len(sent.buried)
            self._set_aside(left, sent.rejected)
            return

    def _set_aside(self, events: list[Event], refused: Mapping[str, str]) -> list[Event]:
        for event in events:
            if event.id in refused:
                self.reject(event, refused[event.id])
        return [event for event in events if event.id not in refused]

    def shelter(self, events: Sequence[Event], *, sync: bool = True) -> None:
        """Put ready events on disk. Raises OSError when there is none, or it refuses."""
        if not events:
            return
        if self.spill is None:
            raise OSError("there is no folder to spill into")
        self.spill.append(events, sync=sync)
        self.counts["spilled"] += len(events)

    def shelter_pending(self, *, everything: bool = False) -> None:
        """Put what is pending on disk and let it go from memory; low-priority events stay and wait, unless it is `everything`."""
        if everything:
            self.pending.extend(event for group in self._folding.closed() for event in group)
        going = [event for event in self.pending if everything or event.priority != "low"]
        self.shelter(going)
        self.pending = [] if everything else [event for event in self.pending if event.priority == "low"]


def _name(event: Event) -> Name:
    return owner(event.scope), event.id


def _distinct(events: Sequence[Event]) -> list[list[Event]]:
    """`events` in their order, cut so that no id comes twice in one piece: ids of two owners may be equal, and refusals name ids alone."""
    pieces: list[list[Event]] = []
    met: set[str] = set()
    for event in events:
        if event.id in met or not pieces:
            pieces.append([])
            met = set()
        pieces[-1].append(event)
        met.add(event.id)
    return pieces
