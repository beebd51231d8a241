"""Folding: low-priority events of one kind, agent and moment become one event, and their ids other names of it."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec

from beebread.model import Event

Key = tuple[object, ...]


def _key(event: Event) -> Key | None:
    """What events must share to be folded; None for one that stays by itself, since it has more than text."""
    if event.priority != "low" or event.parts or event.tool or event.model or event.error or event.ended_at or event.source.native_id:
        return None
    return (
        event.scope, event.kind, event.origin, event.actor, event.speaker, event.run, event.root_session, event.parent, event.status,
        event.tags, event.source, tuple(sorted(event.environment.items())), event.expires_at,
    )  # fmt: skip


def folded(events: list[Event]) -> Event:
    """The first of `events` with the texts of all, line by line, and their edges; it ends when the last one happened."""
    first, members = events[0], {event.id for event in events}
    causes = dict.fromkeys(cause for event in events for cause in event.causes if cause.id not in members)
    mentions = dict.fromkeys(target for event in events for target in event.refers_to if target not in members)
    return msgspec.structs.replace(
        first, text="\n".join(event.text for event in events), ended_at=events[-1].at, causes=tuple(causes), refers_to=tuple(mentions)
    )


class Folding:
    """The groups that are still open. An event opens one or joins it within `milliseconds` of the group's first."""

    def __init__(self, milliseconds: int) -> None:
        self._window = timedelta(milliseconds=milliseconds)
        self._open: dict[Key, list[Event]] = {}
        self._over: list[list[Event]] = []
        self.size = 0
        """How many events wait here."""

    def held(self, event: Event) -> bool:
        """Whether `event` was taken in, to come out later; the caller sends on what was not."""
        key = _key(event) if self._window else None
        if key is None:
            return False
        self.size += 1
        group = self._open.get(key)
        if group is not None and not timedelta(0) <= event.at - group[0].at <= self._window:
            self._over.append(self._open.pop(key))
            group = None
        if group is None:
            self._open[key] = [event]
        else:
            group.append(event)
        return True

    def closed(self, now: datetime | None = None) -> list[list[Event]]:
        """Take out the groups whose window is over at `now`; all of them when no moment is given."""
        over = [key for key, group in self._open.items() if now is None or now - group[0].at > self._window]
        groups, self._over = [*self._over, *(self._open.pop(key) for key in over)], []
        self.size -= sum(map(len, groups))
        return groups
