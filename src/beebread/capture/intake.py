"""From what a caller says to an event: its id, its place in the session, its causes; nothing here waits or reads anything."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from beebread.capture.draft import PRIORITY_OF_KIND
from beebread.capture.running import NOWHERE, Here, here
from beebread.capture.track import Track
from beebread.model import ORIGIN_OF_KIND, Actor, Event, Scope, content_id, dedup_digest, digest, new_id

REPEAT = timedelta(seconds=2)
"""Within this time the same content as the session's last event is that event, seen a second time."""
SESSIONS = 4096
"""Sessions that are remembered at once; one that was forgotten starts its order anew, and `at` still orders it."""


_NOBODY = Actor()


class Intake:
    """Makes events. `ready` cleans and masks one; it is used here where an id is made from content."""

    def __init__(self, now: Callable[[], datetime], ready: Callable[[Event], Event]) -> None:
        self._now = now
        self._ready = ready
        self._lock = threading.Lock()
        self._tracks: OrderedDict[tuple[str, ...], Track] = OrderedDict()

    def event(self, kind: str, words: str, scope: Scope, fields: dict[str, Any]) -> tuple[Event, bool, bool]:
        """The event; whether its id was made for it alone (so that it may be folded); and whether it was seen before."""
        place = here.get()
        if place is not NOWHERE:
            scope = _placed(scope, place, fields)
        now = self._now()
        fields.setdefault("priority", PRIORITY_OF_KIND[kind])
        fields.setdefault("origin", ORIGIN_OF_KIND[kind])
        identity = fields.pop("id", "")
        event = Event(id=identity or "-", scope=scope, kind=kind, text=words, at=fields.pop("at", now), **fields)
        key = f"id:{identity}"
        if identity:
            pass
        elif event.source.native_id:
            key = digest([event.source.framework, event.source.native_session_id, scope.session, kind, event.source.native_id])
            identity = content_id(key)
        elif event.causes or event.at is not now:
            # What an id is made from is masked first: a digest of a secret would tell it to whoever guesses it.
            event = self._ready(event)
            key = dedup_digest(event, with_time=event.at is not now)
            identity = content_id(key)
        return self._ordered(event, identity, key, place, by_rule="causes" not in fields)

    def _ordered(self, event: Event, identity: str, key: str, place: Here, *, by_rule: bool) -> tuple[Event, bool, bool]:
        made = not identity
        with self._lock:
            track = self._track(event.scope)
            if made:
                identity = track.repeated(event, REPEAT)
                again = bool(identity)
                identity = identity or new_id()
                key = f"id:{identity}"
            else:
                again = track.sighted(identity)
            causes = event.causes
            if not again:
                track.seq += 1
                chain = place.chain or (track.chain(event.actor.id) if event.scope.session else None)
                causes = track.follow(event, identity, chain, by_rule=by_rule)
            seq = event.seq or track.seq
        return replace(event, id=identity, dedup_key=key, seq=seq, causes=causes), made and not again, again

    def _track(self, scope: Scope) -> Track:
        key = (scope.tenant, scope.space, scope.user, scope.group, scope.session)
        track = self._tracks.get(key)
        if track is None:
            track = self._tracks[key] = Track()
            if len(self._tracks) > SESSIONS:
                self._tracks.popitem(last=False)
        else:
            self._tracks.move_to_end(key)
        return track


def _placed(scope: Scope, place: Here, fields: dict[str, Any]) -> Scope:
    """`scope` with its empty parts from the context, and `fields` likewise."""
    for name in ("run", "root_session", "parent"):
        if value := getattr(place, name):
            fields.setdefault(name, value)
    if fields.get("actor", _NOBODY) == _NOBODY:
        fields["actor"] = place.actor
    if fields.get("parent") and fields["parent"] == fields.get("id"):
        del fields["parent"]
    return replace(scope, session=scope.session or place.session, task=scope.task or place.task)
