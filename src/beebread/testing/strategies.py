"""Random principals, scopes, records, filters and batches from a seed; few names, chosen to collide and to look alike."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, TypeVar

import msgspec

from beebread.model import (
    EVENT_KINDS,
    FAMILIES,
    Actor,
    Alias,
    AuditLine,
    Batch,
    Cause,
    Erase,
    Event,
    Evidence,
    Expect,
    Failure,
    Family,
    Field,
    Mark,
    Memory,
    ModelCall,
    Principal,
    Record,
    Scope,
    State,
    Tool,
    Where,
    owner,
)
from beebread.testing.scene import EVERY_STATUS, changed, minutes

TENANTS = ("acme", "acme-corp")
USERS = ("john", "john-doe", "j%n", "")
AGENTS = ("", "", "", "bot", "bo_")
SESSIONS = ("", "s", "s%")
TASKS = ("", "", "t", "t.1")
GROUPS = ("", "g", "g-2")
IDS = ("a", "a%", "a_", "a.b", "a-b", "a*", "a:b", "a/b", "A", "甲", "ab", "b", "c", "d", "e", "f")
WORDS = (
    "refund",
    "refunds",
    "cat",
    "the",
    "flight",
    "ORD-2024-001",
    "退款",
    "航班",
    "改签",
    "猫",
    "我的",
    "15",
    "Pro",
    "getUserName",
    "📦",
)
TAGS = ("x", "x%", "y")
KEYS = ("pet.kind", "pet%kind", "home")
STATE_KEYS = ("refund_1", "refund%1", "trip_2")
KINDS = ("user_message", "assistant_message", "tool_call", "tool_result", "thought")
MARKS = ("lease", "lease%", "cursor")

T = TypeVar("T")


def said(name: str) -> str:
    """What the event of this id usually says."""
    return " ".join(Random(name).choices(WORDS, k=4))


class Dice:
    """Everything random of one history; the same seed gives the same history on every machine."""

    def __init__(self, seed: int, prefix: str = "") -> None:
        self.random = Random(seed)
        self.prefix = prefix
        # Few names in one history, so that its records meet.
        self.tenants = TENANTS if self.chance(20) else TENANTS[:1]
        self.users = self.random.sample(USERS, 2)
        self.ids = sorted(self.random.sample(IDS, 8), key=IDS.index)
        self.plain = self.random.randrange(20, 90)

    def one(self, values: Sequence[T]) -> T:
        """One of `values`."""
        return self.random.choice(values)

    def some(self, values: Sequence[T], most: int = 2) -> tuple[T, ...]:
        """A few of `values`, often none."""
        return tuple(self.random.sample(values, min(len(values), self.random.choice((0, 0, *range(most + 1))))))

    def chance(self, percent: int) -> bool:
        """Whether it happens, so many times in a hundred."""
        return self.random.randrange(100) < percent

    def tenant(self) -> str:
        """A tenant of this history."""
        return self.prefix + self.one(self.tenants)

    def text(self, least: int = 0) -> str:
        """A few words of both languages."""
        return " ".join(self.random.choices(WORDS, k=self.random.randint(least, 6)))

    def moment(self) -> Any:
        """A moment, often the same one."""
        return minutes(self.one((0, 1, 1, 2, 3, 5, 8)))

    def scope(self) -> Scope:
        """A place to live in; how often a plain private one is the history's own choice."""
        if self.chance(self.plain):
            return Scope(tenant=self.tenant(), user=self.one(self.users), session=self.one(SESSIONS))
        space = self.one(("private",) * 6 + ("session", "shared", "shared", "system"))
        return Scope(
            tenant=self.tenant(), space=space, user=self.one(self.users), group=self.one(GROUPS) if space == "shared" else "",
            agent=self.one(AGENTS), session=self.one(SESSIONS) or ("s" if space == "session" else ""), task=self.one(TASKS),
            sensitivity=self.one((0, 0, 0, 0, 1, 3)),
        )  # fmt: skip

    def principal(self) -> Principal:
        """Someone who asks; now and then one with every right of a user."""
        if self.chance(30):
            return Principal(
                tenant=self.tenant(), user=self.one(self.users), roles=("self",), clearance=3, groups=GROUPS[1:], session=self.one(SESSIONS)
            )
        return Principal(
            tenant=self.tenant(), user=self.one(self.users), agent=self.one(AGENTS), session=self.one(SESSIONS), task=self.one(TASKS),
            groups=self.some(GROUPS, 3), clearance=self.one((0, 0, 1, 3)), roles=self.one((("agent",), ("agent",), ("self",), ("admin",
            "self"), ())),
            kinds=None if self.chance(85) else self.some((*KINDS, "fact", "session", "task"), 5),
        )  # fmt: skip

    def event(self) -> Event:
        """An event whose causes have ids before its own, save now and then."""
        name = self.one(self.ids)
        earlier = self.ids[: self.ids.index(name)] if not self.chance(3) else self.ids
        # Mostly the same content under one id, so that a second sighting is one.
        usual = not self.chance(10)
        kind = KINDS[IDS.index(name) % len(KINDS)] if usual else self.one(KINDS)
        called = kind.startswith("tool") and self.chance(80)
        return Event(
            id=name, scope=self.scope(), kind=kind, at=self.moment(), seq=self.one((0, 0, 1, -1)), actor=Actor(self.one(("", "ann",
            "an%"))),
            origin=self.one(("", "human", "model")), speaker=self.one(("", "Ann", "Bob")), text=self.one(("",
            *[said(name) if usual else self.text()] * 4)),
            parent=self.one(earlier) if earlier and self.chance(15) else "",
            causes=tuple(Cause(cause, self.one(("caused_by", "retry_of", "data_from"))) for cause in self.some(earlier)),
            refers_to=self.some(self.ids, 1), tool=Tool("lookup", self.one(("c1", "c2")), {"n": self.one((1, 2))}) if called else None,
            model=ModelCall(name="m", usage={"in": 2}) if self.chance(10) else None, status=self.one(("ok", "ok", "error")),
            error=Failure("E", "failed badly") if self.chance(5) else None, tags=self.some(TAGS), dedup_key=self.one(("", "", "k1", "k2")),
            environment={"os": self.one(("linux", "mac"))} if self.chance(20) else {},
            recorded_at=self.moment() if self.chance(30) else None,
            expires_at=self.moment() if self.chance(10) else None, forgotten_at=self.moment() if self.chance(3) else None,
        )  # fmt: skip

    def memory(self) -> Memory:
        """A memory."""
        return Memory(
            id=self.one(self.ids) if self.chance(5) else f"m{self.one(self.ids)}", scope=self.scope(), kind=self.one(("fact",
            "preference", "summary")), at=self.moment(),
            text=self.text(1),
            layer=self.one(("long", "short")), key=self.one(("", *KEYS)), value=self.one((None, 1, "tea", {"a": [1]})),
            tags=self.some(TAGS),
            entities=self.some(("Paris", "tea", "te_")), evidence=Evidence(sources=self.some(self.ids), speaker=self.one(("", "Ann"))),
            actor=Actor(self.one(("", "ann"))), confidence=self.one((1.0, 0.5, 0.25)), pending=self.chance(5),
            valid_from=self.moment() if self.chance(20) else None, valid_to=self.moment() if self.chance(15) else None,
            closed_at=self.moment() if self.chance(15) else None, disputes=self.some(self.ids, 1), dedup_key=self.one(("", "", "k1")),
            expires_at=self.moment() if self.chance(10) else None, forgotten_at=self.moment() if self.chance(5) else None,
        )  # fmt: skip

    def revised(self, record: Record) -> Record:
        """A changed version of a record that is there."""
        forgotten = self.one((None, None, self.moment()))
        if isinstance(record, Memory):
            return changed(
                record,
                text=self.text(1),
                version=record.version + 1,
                forgotten_at=forgotten,
                tags=self.some(TAGS),
                valid_to=self.one((None, minutes(2))),
            )
        if isinstance(record, Event):
            return changed(record, forgotten_at=forgotten, superseded_by=self.one(("", "a")), closed_at=self.one((None, minutes(3))))
        return changed(record, forgotten_at=forgotten, title=self.text())

    def home(self) -> str:
        """An owner that scopes of this history have."""
        return owner(self.scope())

    def batch(self, present: Sequence[Record]) -> Batch:
        """What one transaction may write, given what is there; some batches are to be refused."""
        made = [self.event() if self.chance(70) else self.memory() for _ in range(self.one((0, 1, 1, 2, 3)))]
        known = [record for record in present if isinstance(record, (Event, Memory))]
        if known and self.chance(25):
            made.append(self.sighting(self.one(known)))
        there = self.one(present) if present else None
        home = owner(there.scope) if there and self.chance(80) else self.home()
        version = there.version if isinstance(there, Memory) else 0
        return Batch(
            put=tuple(made),
            replace=(self.revised(there),) if there and self.chance(20) else (self.memory(),) if self.chance(2) else (),
            erase=(Erase(home, there.id if there and not self.chance(10) else "", self.moment()),) if self.chance(8) else (),
            aliases=(Alias(home, self.one(("x", "x%", *self.ids)), there.id),) if there and self.chance(10) else (),
            expect=(Expect(home, there.id, version if self.chance(85) else 9),) if there and self.chance(15) else (),
            marks=(Mark(self.prefix + self.one(MARKS), self.one((0, 1, 2)), self.one((None, 0, 1))),) if self.chance(15) else (),
            audit=(AuditLine(at=self.moment(), operation="op", owner=home, ids=(self.one(self.ids),)),) if self.chance(20) else (),
        )  # fmt: skip

    def sighting(self, record: Event | Memory) -> Event | Memory:
        """A second sighting: the same again, a fuller or an emptier one."""
        if isinstance(record, Memory) or self.chance(40):
            return record
        other = self.event()
        fields: dict[str, Any] = {
            "text": self.one((record.text, "", other.text)), "causes": other.causes if self.chance(50) else record.causes,
            "speaker": other.speaker, "tags": other.tags, "forgotten_at": None, "position": 0,
        }  # fmt: skip
        return msgspec.structs.replace(record, **fields)

    def state(self) -> State:
        """A state of a task."""
        names = self.random.sample(("a", "b", "步骤"), self.random.randint(0, 3))
        return State(
            key=self.one(STATE_KEYS), scope=self.scope(), memory_type=self.one(("task", "task", "saga")), step=self.one(("", "one", "two")),
            fields={name: Field(self.one((1, "x", None, {"deep": [1]})), self.one(("confirmed", "missing"))) for name in names},
            updated_at=self.moment(), expires_at=self.moment() if self.chance(15) else None,
            forgotten_at=self.moment() if self.chance(10) else None,
            actor=Actor(self.one(("", "ann"))),
        )  # fmt: skip

    def where(self) -> Where:
        """A filter with a few of its parts set."""
        parts: dict[str, Any] = {
            "types": self.some(("event", "memory", "session")), "kinds": self.some((*KINDS, "fact", *EVENT_KINDS[-1:]), 3),
            "layers": self.some(("long", "short", "")), "without_kinds": self.some((*KINDS, "fact"), 2),
            "keys": self.some((*KEYS, *STATE_KEYS)), "tags": self.some((*TAGS, "x_")), "entities": self.some(("Paris", "te_")),
            "sessions": self.some(SESSIONS),
            "tasks": self.some(TASKS[1:]), "actors": self.some(("ann", "")), "origins": self.some(("human", "model")),
            "speakers": self.some(("Ann", "")),
            "ids": self.some(self.ids, 5), "after": self.moment(), "before": self.moment(), "as_of": self.moment(),
            "known_at": self.moment(),
            "min_confidence": self.one((0.3, 0.5, 0.6)), "linked_to": self.some(self.ids), "environment": {"os": self.one(("linux", "mac",
            ""))},
            "status": self.one((EVERY_STATUS, ("superseded", "expired"), ("active",), ("forgotten",), ("pending", "disputed"), ())),
        }  # fmt: skip
        chosen = self.random.sample(sorted(parts), self.one((0, 0, 1, 1, 2, 3)))
        now = minutes(self.one((0, 2, 4, 100)))
        return Where(asker=self.principal(), now=now, order=self.one(("time", "-time")), **{name: parts[name] for name in chosen})

    def families(self) -> tuple[Family, ...]:
        """Some of the families of links."""
        return self.some(FAMILIES, 5)
