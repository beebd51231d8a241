"""The causes that a file gives, watched for a circle, without keeping the whole file."""

from __future__ import annotations

from beebread.model import Event


class Causality:
    """Tells when an event closes a circle of causes among those read before it.

    The first event of a circle, in the order of the file, has a cause that comes later: so edges are kept only from the first such
    event on, and a file in causal order costs no more than the hashes of its ids.
    """

    def __init__(self) -> None:
        self._known: set[int] = set()
        self._edges: dict[str, tuple[str, ...]] = {}

    def circle(self, event: Event) -> list[str]:
        """The ids on the way from `event` back to itself; empty when there is no such way. Only then is the event remembered."""
        targets = tuple(dict.fromkeys(target for target in (event.parent, *(cause.id for cause in event.causes)) if target))
        if event.id in targets:
            return [event.id, event.id]
        if self._edges and (way := self._way(targets, event.id)):
            return [event.id, *way]
        if targets and (self._edges or any(hash(target) not in self._known for target in targets)):
            self._edges[event.id] = targets
        self._known.add(hash(event.id))
        return []

    def _way(self, targets: tuple[str, ...], goal: str) -> list[str]:
        came: dict[str, str] = dict.fromkeys(targets, "")
        queue = list(targets)
        for here in queue:
            if here == goal:
                way = [here]
                while came[way[-1]]:
                    way.append(came[way[-1]])
                return way[::-1]
            for target in self._edges.get(here, ()):
                if target not in came:
                    came[target] = here
                    queue.append(target)
        return []
