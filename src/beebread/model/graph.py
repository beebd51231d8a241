"""The causal graph: the links that a record brings with it, and paths among links."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Literal

from msgspec import Struct

from beebread.model.event import Event
from beebread.model.memory import Memory, Record

Family = Literal["NEXT", "CAUSED_BY", "REFERS_TO", "DATA_FROM", "RESTS_ON"]
Direction = Literal["up", "down"]
FAMILIES: tuple[Family, ...] = ("NEXT", "CAUSED_BY", "REFERS_TO", "DATA_FROM", "RESTS_ON")
CAUSAL: tuple[Family, ...] = ("CAUSED_BY", "DATA_FROM")


class Link(Struct, frozen=True, omit_defaults=True, gc=False):
    """One edge, from the later record to the earlier one it comes from, inside one owner. `depth` counts hops from where a walk began.

    Families: NEXT (order in a session; derived, never stored), CAUSED_BY (parent and causes), REFERS_TO (mentions),
    DATA_FROM (an argument's value came from that result), RESTS_ON (a memory's evidence).
    """

    owner: str
    source: str
    family: Family
    target: str
    relation: str = ""
    depth: int = 0


def links(record: Record, home: str) -> list[Link]:
    """The links that `record` (of owner `home`) brings with it; their other ends may not be there yet."""
    if isinstance(record, Memory):
        return [Link(home, record.id, "RESTS_ON", source, "evidence") for source in dict.fromkeys(record.evidence.sources)]
    if not isinstance(record, Event):
        return []
    found: dict[tuple[str, str, str], Link] = {}
    pairs: list[tuple[Family, str, str]] = [("CAUSED_BY", record.parent, "parent")] if record.parent else []
    pairs.extend(("DATA_FROM" if cause.relation == "data_from" else "CAUSED_BY", cause.id, cause.relation) for cause in record.causes)
    pairs.extend(("REFERS_TO", target, "mention") for target in record.refers_to)
    for family, target, relation in pairs:
        found.setdefault((family, target, relation), Link(home, record.id, family, target, relation))
    return list(found.values())


def path(walked: Iterable[Link], start: str, goal: str) -> list[Link]:
    """The shortest chain of `walked` links between two ids, in walking order and either direction; empty when there is none."""
    around: dict[str, list[tuple[str, Link]]] = {}
    for link in walked:
        around.setdefault(link.source, []).append((link.target, link))
        around.setdefault(link.target, []).append((link.source, link))
    came: dict[str, tuple[str, Link] | None] = {start: None}
    queue = deque([start])
    while queue and goal not in came:
        here = queue.popleft()
        for there, link in around.get(here, ()):
            if there not in came:
                came[there] = (here, link)
                queue.append(there)
    steps: list[Link] = []
    at = came.get(goal)
    while at:
        steps.append(at[1])
        at = came[at[0]]
    return steps[::-1]
