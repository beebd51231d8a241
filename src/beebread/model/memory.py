"""What is kept from what happened: distilled memories, the state of a task, and the record of a session."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from beebread.errors import Conflict, Invalid
from beebread.model.event import Actor, Event
from beebread.model.ids import canonical, digest
from beebread.model.scope import Scope, owner

MEMORY_KINDS = ("preference", "instruction", "fact", "decision", "commitment", "conclusion", "episode", "procedure", "summary", "profile")
MEMORY_SYNONYMS = {"user_preference": "preference"}
LAYERS = ("working", "short", "long")
MODALITIES = ("asserted", "hedged", "quoted", "hypothetical", "negated")
TRUSTS = ("human", "model", "tool", "web", "import")
FIELD_STATUSES = ("confirmed", "tentative", "missing")


class Evidence(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a memory rests on: the events, the words as they were said, who said them and how surely."""

    sources: tuple[str, ...] = ()
    quote: str = ""
    speaker: str = ""
    modality: str = "asserted"


class Memory(Struct, frozen=True, omit_defaults=True, kw_only=True, tag="memory", tag_field="type"):
    """A record written or distilled for later use, on two clocks: valid_* in the world, `at` and `closed_at` in the log.

    `version` grows by one with each change and guards against stale writes. Active, superseded, disputed, forgotten, pending and expired
    are derived by `policy.status`, never stored. `trust` is set by the server from who wrote it.
    """

    id: str
    scope: Scope
    kind: str
    at: datetime
    layer: str = "long"
    text: str = ""
    key: str = ""
    value: Any = None
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    evidence: Evidence = Evidence()
    actor: Actor = Actor()
    confidence: float = 1.0
    importance: float = 0.5
    trust: str = "human"
    version: int = 1
    position: int = 0
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    closed_at: datetime | None = None
    superseded_by: str = ""
    disputes: tuple[str, ...] = ()
    forgotten_at: datetime | None = None
    pending: bool = False
    expires_at: datetime | None = None
    uses: int = 0
    last_used: datetime | None = None
    environment: dict[str, str] = {}
    dedup_key: str = ""


class Field(Struct, frozen=True, omit_defaults=True):
    """One field of a state: its value, how sure it is (confirmed, tentative, missing) and the event or person it came from."""

    value: Any = None
    status: str = "confirmed"
    source: str = ""


class State(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The working memory of one task, keyed by (owner, key); structured fields, not prose (mission W1, W2).

    `key` is the semantic context key {task_type}_{entity_id}. `version` is the optimistic lock; `signature` names the business rules
    under which it was made, so that changed rules retire it.
    """

    key: str
    scope: Scope
    memory_type: str = "task"
    fields: dict[str, Field] = {}
    step: str = ""
    version: int = 0
    signature: str = ""
    actor: Actor = Actor()
    created_at: datetime | None = None
    updated_at: datetime | None = None
    expires_at: datetime | None = None
    forgotten_at: datetime | None = None


class Session(Struct, frozen=True, omit_defaults=True, kw_only=True, tag="session", tag_field="type"):
    """What is known of one session as a whole; folded from its events as they are kept.

    One is kept for each compartment (space, agent, task, sensitivity) of a session, so that its counts tell nobody of events that he
    may not see; `model.join_sessions` adds up those that the asker may. `id` is the compartment's, `scope.session` the session's.
    """

    id: str
    scope: Scope
    at: datetime
    last_at: datetime
    kind: str = "session"
    actor: Actor = Actor()
    model: str = ""
    params: dict[str, Any] = {}
    events: int = 0
    kinds: dict[str, int] = {}
    errors: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    title: str = ""
    status: str = "ok"
    position: int = 0
    forgotten_at: datetime | None = None


Record = Event | Memory | Session


def session_id(scope: Scope) -> str:
    """The id of the Session record that counts the events of `scope`."""
    return "session-" + digest([scope.session, scope.space, scope.agent, scope.task, scope.sensitivity])


def state_id(state: State) -> str:
    """The identity of a state: its owner, its key, and the compartment that it is kept in.

    A private agent's, a closed session's or a more sensitive state under the same key is another state, so that writing one never
    tells of, nor changes, the other.
    """
    scope = state.scope
    closed = scope.session if scope.space == "session" else ""
    # The owner too, for a list over several owners turns its pages by key and id.
    return "state-" + digest([owner(scope), state.key, scope.space, scope.agent, closed, scope.sensitivity])


def next_state(old: State | None, new: State, *, expect: int | None, limit: int, whole: bool) -> State:
    """The state that writing `new` over `old` makes, one version higher: every engine writes by this rule.

    The given fields are set, each as a whole, and step, signature and expiry where given; with `whole` they replace everything. One that
    is forgotten or has expired by then counts as none (version 0): it is begun anew, and nothing of it comes back. Raises Conflict, with
    the state as it is, unless its version is `expect` (None: any), and Invalid when the JSON of the fields takes over `limit` bytes.
    """
    if old is not None and (old.forgotten_at or (old.expires_at and new.updated_at and old.expires_at <= new.updated_at)):
        base, last = None, old.version
    else:
        base, last = old, old.version if old else 0
    version = base.version if base else 0
    if expect is not None and expect != version:
        raise Conflict(f"the state has version {version}, not {expect}: read it again and repeat the change", detail=base)
    made = new if base is None or whole else _state_with(base, new)
    made = msgspec.structs.replace(
        made,
        version=last + 1,
        created_at=base.created_at if base else new.updated_at,
        scope=made.scope if base is None else _kept(base, new),
    )
    size = len(canonical(made.fields))
    if size > limit:
        raise Invalid(f"the fields of {new.key[:60]!r} take {size} bytes, over {limit}: keep large values as events and name their ids")
    return made


def _state_with(old: State, new: State) -> State:
    return msgspec.structs.replace(
        old, fields={**old.fields, **new.fields}, step=new.step or old.step, signature=new.signature or old.signature, actor=new.actor,
        memory_type=new.memory_type, updated_at=new.updated_at, expires_at=new.expires_at or old.expires_at, forgotten_at=new.forgotten_at,
    )  # fmt: skip


def _kept(old: State, new: State) -> Scope:
    # The session of origin stays; a task that is named later is taken on.
    return msgspec.structs.replace(old.scope, task=new.scope.task or old.scope.task)


def _summed(left: dict[str, int], right: dict[str, int]) -> dict[str, int]:
    return {name: left.get(name, 0) + right.get(name, 0) for name in (*left, *(name for name in right if name not in left))}


def session_of(event: Event) -> Session:
    """The Session that one event makes by itself."""
    call = event.model
    usage = call.usage if call else {}
    return Session(
        id=session_id(event.scope), scope=event.scope, at=event.at, last_at=event.ended_at or event.at, actor=event.actor,
        model=call.name if call else "", params=call.params if call else {}, events=1, kinds={event.kind: 1},
        errors=int(event.status == "error"), tokens_in=usage.get("in", 0), tokens_out=usage.get("out", 0), cost=call.cost if call else 0.0,
        status=event.status,
    )  # fmt: skip


def join_sessions(left: Session, right: Session) -> Session:
    """Two views of one session added up; id, scope and position stay those of `left`."""
    return msgspec.structs.replace(
        left, at=min(left.at, right.at), last_at=max(left.last_at, right.last_at), actor=left.actor if left.actor.id else right.actor,
        model=left.model or right.model, params=left.params or right.params, events=left.events + right.events,
        kinds=_summed(left.kinds, right.kinds), errors=left.errors + right.errors, tokens_in=left.tokens_in + right.tokens_in,
        tokens_out=left.tokens_out + right.tokens_out, cost=left.cost + right.cost, title=left.title or right.title,
        status=right.status if right.last_at >= left.last_at else left.status,
    )  # fmt: skip
