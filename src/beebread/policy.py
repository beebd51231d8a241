"""The pure rules: who sees what (the only definition of isolation), who may write where, and what a filter means."""

from __future__ import annotations

from datetime import datetime, timedelta

from beebread.clock import micros
from beebread.errors import Forbidden, Invalid
from beebread.model import (
    CURRENT,
    EVENT_KINDS,
    HISTORY,
    KIND_SYNONYMS,
    MEMORY_KINDS,
    MEMORY_SYNONYMS,
    ROLES,
    SPACES,
    Columns,
    Event,
    Memory,
    Principal,
    Query,
    Record,
    Rules,
    Scope,
    State,
    Where,
    columns,
    links,
    owner,
    owners,
)


def sees(asker: Principal, scope: Scope, kind: str) -> bool:
    """Whether `asker` may read a thing of `kind` that lives in `scope`: the only rule of isolation.

    The owner is one of the asker's; it is nobody's in particular, or the asker's agent's, or the asker is the user himself, or both
    share a task; a closed session shows only to itself; sensitivity is within clearance; and the kind is among the asker's.
    """
    return (
        owner(scope) in owners(asker)
        and (not scope.agent or scope.agent == asker.agent or "self" in asker.roles or bool(scope.task and scope.task == asker.task))
        and (scope.space != "session" or scope.session == asker.session)
        and scope.sensitivity <= asker.clearance
        and (asker.kinds is None or kind in asker.kinds)
    )


def visible(asker: Principal, record: Record | State) -> bool:
    """Whether `asker` may read `record`."""
    return sees(asker, record.scope, record.memory_type if isinstance(record, State) else record.kind)


def status(row: Columns, where: Where) -> str:
    """forgotten, pending, expired, superseded, disputed or active: what the record is at the world time and log time that are asked for."""
    world = micros(where.as_of or where.now)
    if row.forgotten_at is not None:
        return "forgotten"
    if row.pending:
        return "pending"
    if row.expires_at is not None and row.expires_at <= micros(where.now):
        return "expired"
    known = where.known_at is None or row.closed_at is None or row.closed_at <= micros(where.known_at)
    if row.valid_to is not None and row.valid_to <= world and known:
        return "superseded"
    return "disputed" if row.disputed else "active"


def status_of(record: Record, where: Where) -> str:
    """`status` of a record. Most events were never touched again: active whenever they are looked at, and that needs no row."""
    if isinstance(record, Event) and record.forgotten_at is None and record.expires_at is None and not record.superseded_by:
        return "active"
    return status(columns(record), where)


def matches(record: Record, where: Where) -> bool:
    """Whether `record` answers `where`: its exact meaning, which every engine must equal."""
    row = columns(record)
    return visible(where.asker, record) and _named(row, where) and _timely(row, where) and _linked(record, row, where)


def _named(row: Columns, where: Where) -> bool:
    alternatives = (
        (where.types, row.type), (where.kinds, row.kind), (where.layers, row.layer), (where.keys, row.key),
        (where.sessions, row.scope.session), (where.tasks, row.scope.task), (where.actors, row.actor), (where.origins, row.origin),
        (where.speakers, row.speaker), (where.ids, row.id),
    )  # fmt: skip
    return (
        all(not wanted or value in wanted for wanted, value in alternatives)
        and row.kind not in where.without_kinds
        and (not where.tags or any(tag in where.tags for tag in row.tags))
        and (not where.entities or any(entity in where.entities for entity in row.entities))
        and all(row.environment.get(name, "") == value for name, value in where.environment.items())
        and row.confidence >= where.min_confidence
    )


def _timely(row: Columns, where: Where) -> bool:
    return (
        (where.after is None or row.at >= micros(where.after))
        and (where.before is None or row.at < micros(where.before))
        and (where.as_of is None or row.valid_from <= micros(where.as_of))
        and (where.known_at is None or row.recorded_at <= micros(where.known_at))
        and status(row, where) in where.status
    )


def _linked(record: Record, row: Columns, where: Where) -> bool:
    return not where.linked_to or any(link.target in where.linked_to for link in links(record, row.owner))


def state_matches(state: State, where: Where) -> bool:
    """Whether `state` answers `where`, whose keys are context keys, kinds memory types, and after and before bound the last update."""
    wanted = (
        (where.keys, state.key), (where.kinds, state.memory_type), (where.sessions, state.scope.session),
        (where.tasks, state.scope.task), (where.actors, state.actor.id),
    )  # fmt: skip
    updated = micros(state.updated_at) if state.updated_at else 0
    return (
        visible(where.asker, state)
        and all(not names or value in names for names, value in wanted)
        and state.memory_type not in where.without_kinds
        and (where.after is None or updated >= micros(where.after))
        and (where.before is None or updated < micros(where.before))
        and state_status(state, where.now) in where.status
    )


def state_status(state: State, now: datetime) -> str:
    """forgotten, expired or active."""
    if state.forgotten_at:
        return "forgotten"
    return "expired" if state.expires_at and state.expires_at <= now else "active"


def plain_kind(kind: str) -> str:
    """The kind itself, or the one that it is a synonym of."""
    return KIND_SYNONYMS.get(kind) or MEMORY_SYNONYMS.get(kind, kind)


def where_for(asker: Principal, query: Query, now: datetime) -> Where:
    """The filter that `query` of `asker` stands for at `now`; `history` shows what was superseded or has expired, never the forgotten."""
    return Where(
        asker=asker, now=query.now or now, types=query.types, kinds=tuple(map(plain_kind, query.kinds)), layers=query.layers,
        keys=query.keys, tags=query.tags,
        entities=query.entities, sessions=query.sessions, tasks=query.tasks, actors=query.actors, origins=query.origins,
        speakers=query.speakers, after=query.after, before=query.before, as_of=query.as_of, known_at=query.known_at,
        min_confidence=query.min_confidence, linked_to=query.linked_to, environment=query.environment,
        status=HISTORY if query.history else CURRENT,
    )  # fmt: skip


def may_write(writer: Principal, scope: Scope) -> None:
    """Raise Forbidden unless `writer` may write into `scope`; Invalid where the scope itself makes no sense.

    Nobody writes for another tenant, user or agent. Shared spaces take writes of their group's members, the tenant's and the system's
    of an admin. Writing above one's own clearance is allowed (as in Bell and LaPadula, 1973): it hides, and tells nothing.
    """
    if scope.space not in SPACES:
        raise Invalid(f"space {scope.space[:60]!r} is unknown: use one of {', '.join(SPACES)}")
    if not 0 <= scope.sensitivity <= 3:
        raise Invalid(f"sensitivity {scope.sensitivity} is out of range: use 0 (open) to 3 (secret)")
    if scope.space == "session" and not scope.session:
        raise Invalid("a closed session needs a session id: bind(session=…) first")
    own = scope.tenant == writer.tenant and (scope.user == writer.user or scope.space in ("shared", "system"))
    member = not scope.group or scope.group in writer.groups
    trusted = scope.space in ("private", "session") or "admin" in writer.roles or bool(scope.space == "shared" and scope.group)
    if not (writer.roles and own and member and trusted and scope.agent in ("", writer.agent)):
        raise Forbidden("this credential may not write there: it writes in its own user's, agent's and groups' spaces")


def known_kinds(rules: Rules) -> tuple[str, ...]:
    """Every kind that a record may have: those of events, of memories, and those that are declared."""
    return (*EVENT_KINDS, *MEMORY_KINDS, *rules.memory_kinds, "session")


def check_kind(record: Event | Memory, rules: Rules) -> None:
    """Raise Invalid for a kind that nobody declared."""
    known = EVENT_KINDS if isinstance(record, Event) else (*MEMORY_KINDS, *rules.memory_kinds)
    if record.kind not in known:
        raise Invalid(f"kind {record.kind[:60]!r} is unknown: use one of {', '.join(known)}")


def writer_of(scope: Scope) -> Principal:
    """The principal under whom a record of `scope` was admitted: sees as much as that record's own compartment, and no more."""
    return Principal(
        tenant=scope.tenant, user=scope.user, agent=scope.agent, session=scope.session, groups=(scope.group,) if scope.group else (),
        clearance=scope.sensitivity, private=bool(scope.agent),
    )  # fmt: skip


def keeper_of(scope: Scope) -> Principal:
    """The principal under whom the memory itself looks after the owner of `scope`: it sees all of it but other closed sessions."""
    return Principal(
        tenant=scope.tenant, user=scope.user, session=scope.session, groups=(scope.group,) if scope.group else (), clearance=3,
        roles=("self",),
    )  # fmt: skip


def scope_for(writer: Principal, *, space: str = "", sensitivity: int = 0, group: str = "") -> Scope:
    """Where a record of `writer` lives when nothing more is said."""
    return Scope(
        tenant=writer.tenant, space=space or "private", user=writer.user, group=group, agent=writer.agent if writer.private else "",
        session=writer.session, task=writer.task, sensitivity=sensitivity,
    )  # fmt: skip


def narrowed(who: Principal, wish: Principal) -> Principal:
    """`who`, narrowed as `wish` asks and never widened: an agent that is named gives up the user's own right to see every agent's records,
    and a user that is named the administrator's rights.

    An unbound admin (the embedded owner of a folder) may become any user of its tenant; anyone else only himself.
    """
    if not who.roles:
        return who  # whoever asked for more than he may is nobody, and stays it
    free = "admin" in who.roles and not who.user
    strange = bool(wish.tenant and who.tenant and wish.tenant != who.tenant) or bool(wish.tenant and not free and wish.tenant != who.tenant)
    if strange or (not free and wish.user and wish.user != who.user):
        # The same empty world as an unknown user has: nothing is told by the difference.
        return Principal(tenant=who.tenant, user=wish.user, roles=(), kinds=())
    given_up = ("self", "admin") if wish.agent else ("admin",) if wish.user else ()
    roles = tuple(role for role in who.roles if role in ROLES and role not in given_up)
    kinds = (
        wish.kinds if who.kinds is None else who.kinds if wish.kinds is None else tuple(kind for kind in wish.kinds if kind in who.kinds)
    )
    groups = wish.groups if free else tuple(group for group in wish.groups or who.groups if group in who.groups)
    return Principal(
        tenant=wish.tenant or who.tenant, user=wish.user or who.user, agent=wish.agent or who.agent, session=wish.session or who.session,
        task=wish.task or who.task, groups=groups,
        clearance=min(who.clearance, wish.clearance), kinds=kinds, roles=roles or ("agent",), private=who.private or wish.private,
    )  # fmt: skip


RESERVED = "beebread:"
"""How tenants begin that nobody is: they hold what a memory keeps about itself."""
SCOPE_OF_KEYS = Scope(tenant=f"{RESERVED}keys", space="system", sensitivity=3)
KEEPER_OF_KEYS = Principal(tenant=SCOPE_OF_KEYS.tenant, clearance=3, roles=("self",))


def check_names(who: Principal) -> None:
    """Raise Invalid for a principal with a name that none may have."""
    if "\0" in "".join((who.tenant, who.user, who.agent, who.session, who.task, *who.groups)):
        raise Invalid("a binding with a NUL in a name: some engines drop it, and then it is another name")
    if who.tenant.startswith(RESERVED):
        raise Invalid(f"a tenant whose name begins with {RESERVED}: these names are the memory's own")


def check_admin(who: Principal) -> None:
    """Raise Forbidden unless `who` is an administrator, of everything or of a tenant."""
    if "admin" not in who.roles or who.user:
        raise Forbidden("this is for an administrator: use the unbound client, or a key with the admin role")


def manages(admin: Principal, who: Principal) -> bool:
    """Whether an administrator may give, see and take the credential of `who`."""
    return admin.tenant in ("", who.tenant) and who.clearance <= admin.clearance


def follows(asker: Principal, record: Record) -> bool:
    """Whether `asker` is told that `record` changed: who may see it, and the administrator, who may become whoever may."""
    free = "admin" in asker.roles and not asker.user and asker.tenant in ("", record.scope.tenant)
    return visible(asker, record) or (free and record.scope.sensitivity <= asker.clearance)


def purge_before(rules: Rules, now: datetime) -> datetime:
    """Records forgotten before this moment are purged for real."""
    return now - timedelta(days=rules.purge_days)
