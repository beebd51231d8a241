"""The pure rules: narrowing, writing, the meaning of status."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from beebread import policy
from beebread.errors import Forbidden, Invalid
from beebread.model import Event, Memory, Principal, Query, Rules, Scope, State, Where, columns

NOW = datetime(2026, 11, 30, tzinfo=UTC)
ROOT = Principal(roles=("admin", "self"), clearance=3)


@pytest.mark.requirement("I3")
@pytest.mark.parametrize(
    "wish",
    [Principal(user="bob"), Principal(tenant="t2", user="alice"), Principal(user="*"), Principal(user="alic"), Principal(tenant="t1%")],
)
def test_a_foreign_wish_gives_a_world_with_nothing_in_it(wish: Principal) -> None:
    alice = Principal(tenant="t1", user="alice", clearance=2, roles=("self",))
    got = policy.narrowed(alice, wish)
    record = Event(id="e", scope=Scope(tenant="t1", user="alice"), kind="user_message", at=NOW)
    theirs = Event(id="e", scope=Scope(tenant=wish.tenant or "t1", user=wish.user), kind="user_message", at=NOW)
    assert not policy.visible(got, record) and not policy.visible(got, theirs)
    with pytest.raises(Forbidden):
        policy.may_write(got, theirs.scope)


@pytest.mark.requirement("I3")
def test_narrowing_takes_away_and_never_gives() -> None:
    who = Principal(user="u", groups=("a", "b"), clearance=1, kinds=("fact", "preference"), roles=("self",))
    got = policy.narrowed(who, Principal(user="u", agent="x", groups=("b", "c"), clearance=3, kinds=("fact", "decision")))
    assert (got.groups, got.clearance, got.kinds, got.agent, got.roles) == (("b",), 1, ("fact",), "x", ("agent",))
    assert policy.narrowed(who, Principal(clearance=3)).roles == ("self",)
    admin = policy.narrowed(Principal(tenant="t", roles=("admin",), clearance=3), Principal(tenant="other", user="v"))
    assert admin.kinds == (), "an administrator of one tenant is a stranger in another"


@pytest.mark.requirement("I2", "I3")
@pytest.mark.parametrize(
    ("scope", "error"),
    [
        (Scope(user="bob"), Forbidden), (Scope(tenant="t", user="u"), Forbidden), (Scope(user="u", agent="other"), Forbidden),
        (Scope(user="u", space="shared"), Forbidden), (Scope(user="u", space="shared", group="b"), Forbidden),
        (Scope(user="u", space="system"), Forbidden), (Scope(user="u", space="nowhere"), Invalid),
        (Scope(user="u", sensitivity=4), Invalid),
        (Scope(user="u", space="session"), Invalid),
        (Scope(user="u"), None), (Scope(user="u", agent="x"), None), (Scope(user="u", space="shared", group="a"), None),
        (Scope(user="u", space="session", session="s"), None), (Scope(user="u", sensitivity=3), None),
    ],
)  # fmt: skip
def test_who_may_write_where(scope: Scope, error: type[Exception] | None) -> None:
    writer = Principal(user="u", agent="x", groups=("a",))
    if error is None:
        policy.may_write(writer, scope)
    else:
        with pytest.raises(error):
            policy.may_write(writer, scope)


def memory(**fields: object) -> Memory:
    return msgspec.structs.replace(Memory(id="m", scope=Scope(), kind="fact", at=NOW - timedelta(days=10)), **fields)


@pytest.mark.requirement("L3", "L4")
def test_status_follows_both_clocks() -> None:
    where = Where(asker=ROOT, now=NOW)
    day = timedelta(days=1)
    closed = memory(valid_to=NOW - 2 * day, closed_at=NOW - day, superseded_by="n")

    def at(record: Memory, **asked: object) -> str:
        return policy.status(columns(record), msgspec.structs.replace(where, **asked))

    assert at(memory()) == "active"
    assert at(closed) == "superseded"
    assert at(closed, as_of=NOW - 3 * day) == "active", "it held then"
    assert at(closed, known_at=NOW - 2 * day + timedelta(hours=1)) == "active", "nobody knew better then"
    assert at(memory(expires_at=NOW)) == "expired"
    assert at(memory(pending=True)) == "pending"
    assert at(memory(disputes=("x",))) == "disputed"
    assert at(memory(forgotten_at=NOW, pending=True, expires_at=NOW)) == "forgotten"


def test_kinds_are_those_known_or_declared() -> None:
    policy.check_kind(memory(kind="mood"), Rules(memory_kinds=("mood",)))
    for record in (memory(kind="mood"), Event(id="e", scope=Scope(), kind="chat", at=NOW)):
        with pytest.raises(Invalid, match="kind"):
            policy.check_kind(record, Rules())


def test_a_query_becomes_a_filter_that_knows_its_asker() -> None:
    where = policy.where_for(ROOT, Query(history=True, kinds=("fact",)), NOW)
    assert where.asker is ROOT and where.now == NOW and "superseded" in where.status and "forgotten" not in where.status
    state = State(key="k", scope=Scope(), updated_at=NOW, expires_at=NOW)
    assert policy.state_status(state, NOW) == "expired" and not policy.state_matches(state, where.__class__(asker=ROOT, now=NOW))
