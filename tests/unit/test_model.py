"""Ids, content digests, merging of second sightings, links and paths."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta, timezone

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from beebread.errors import Conflict, Invalid
from beebread.model import (
    Cause,
    Event,
    Evidence,
    Failure,
    Memory,
    ModelCall,
    Record,
    Scope,
    Session,
    Tool,
    blob_refs,
    content_id,
    decode_cursor,
    dedup_digest,
    encode_cursor,
    exact_keys,
    join_sessions,
    links,
    merge,
    new_id,
    owner,
    owners,
    path,
    search_text,
    session_of,
    sort_key,
    tool_signature,
)
from beebread.model.scope import Principal

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def event(**fields: object) -> Event:
    return msgspec.structs.replace(Event(id="e", scope=Scope(user="u", session="s"), kind="user_message", at=AT), **fields)


@pytest.mark.requirement("C7")
def test_new_ids_are_unique_uuids_in_the_order_of_time() -> None:
    ids = [new_id() for _ in range(2000)]
    assert len(set(ids)) == 2000
    assert {uuid.UUID(name).version for name in ids} == {7}
    assert [name[:8] for name in ids] == sorted(name[:8] for name in ids)
    assert uuid.UUID(content_id("0" * 32)).version == 8


@pytest.mark.requirement("C7")
def test_the_digest_takes_session_kind_content_and_causes_and_nothing_else() -> None:
    plain = event(text="继续")
    same = event(id="other", text="继续", seq=9, recorded_at=AT, priority="high")
    assert dedup_digest(plain, with_time=False) == dedup_digest(same, with_time=False)
    different = [
        event(text="继续 "), event(text="继续", kind="thought"), event(text="继续", scope=Scope(user="u", session="t")),
        event(text="继续", causes=(Cause("x"),)), event(text="继续", tool=Tool("t", args={"a": 1})), event(text="继续", parent="p"),
    ]  # fmt: skip
    digests = {dedup_digest(one, with_time=False) for one in (plain, *different)}
    assert len(digests) == len(different) + 1
    later = event(text="继续", at=AT + timedelta(seconds=1))
    assert dedup_digest(plain, with_time=True) != dedup_digest(later, with_time=True)
    swapped = [event(causes=(Cause("a"), Cause("b"))), event(causes=(Cause("b"), Cause("a")))]
    assert len({dedup_digest(one, with_time=False) for one in swapped}) == 1


@pytest.mark.requirement("R11")
@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ({"a": 1, "b": "x"}, {"b": " x ", "a": 1.0}, True),
        ({"a": 1, "b": None, "c": "", "d": [], "e": {}}, {"a": 1}, True),
        ({"城市": "成都"}, {"城市": "成都 "}, True),
        ({"a": 1}, '{"a": 1.0}', True),
        (None, {}, True),
        ("", "{}", True),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": 0}, {}, False),
        ({"a": False}, {"a": 0}, False),
    ],
)
def test_tool_calls_are_equal_when_they_ask_the_same(left: object, right: object, same: bool) -> None:
    assert (tool_signature("t", left) == tool_signature("t", right)) is same
    assert tool_signature("t", left) != tool_signature("u", left)


@pytest.mark.requirement("C7", "S1")
def test_a_second_sighting_fills_what_is_empty_and_adds_edges() -> None:
    first = event(text="晴", tool=Tool("weather", "c1"), causes=(Cause("a"),))
    second = event(text="晴", tool=Tool(args={"city": "成都"}), causes=(Cause("b"),), speaker="Lin", model=ModelCall(name="m"))
    both = merge(first, second)
    assert both.tool == Tool("weather", "c1", {"city": "成都"}) and both.speaker == "Lin" and both.model == ModelCall(name="m")
    assert both.causes == (Cause("a"), Cause("b"))
    assert merge(both, first) is both
    assert merge(both, second) is both


@pytest.mark.requirement("C7")
@pytest.mark.parametrize(
    "other",
    [
        {"text": "雨"},
        {"kind": "thought"},
        {"tool": Tool("other")},
        {"tool": Tool("weather", args={"city": "Leeds"})},
        {"parts": ({"a": 1},)},
        {"scope": Scope(user="u", session="s", sensitivity=2)},
        {"scope": Scope(user="u", session="s", agent="a")},
        {"scope": Scope(user="u", session="s", space="session")},
    ],
)
def test_one_id_never_names_two_things(other: dict[str, object]) -> None:
    kept = event(text="晴", tool=Tool("weather", args={"city": "成都"}), parts=({"type": "text"},))
    with pytest.raises(Conflict, match="'e'") as refused:
        merge(kept, event(**{"text": "晴", **other}))
    assert refused.value.ids == ("e",)


names = st.text(alphabet=st.characters(codec="utf-8"), max_size=6)


@pytest.mark.requirement("I1")
@given(st.tuples(names, names), st.tuples(names, names))
def test_owners_of_different_users_never_meet(left: tuple[str, str], right: tuple[str, str]) -> None:
    first, second = (owner(Scope(tenant=tenant, user=user)) for tenant, user in (left, right))
    assert (first == second) is (left == right)
    shared = owners(Principal(tenant=left[0], user=left[1], groups=(right[1],)))
    assert len(set(shared)) == len(shared)


@given(names, st.integers(0, 10**6), names)
def test_a_cursor_means_its_place_whatever_the_id(name: str, seq: int, user: str) -> None:
    record = event(id=name, seq=seq, scope=Scope(user=user))
    assert decode_cursor(encode_cursor(record)) == sort_key(record)


@pytest.mark.parametrize("cursor", ["x", "1.2", "1.2.99.ab", "a.b.c.d", "1.2.-1.x"])
def test_a_cursor_that_nobody_gave_is_invalid(cursor: str) -> None:
    with pytest.raises(Invalid, match="cursor"):
        decode_cursor(cursor)


@pytest.mark.requirement("S1")
def test_links_and_the_shortest_path_among_them() -> None:
    chain: list[Record] = [
        event(id="a"),
        event(id="b", parent="a", causes=(Cause("a"), Cause("a", "data_from"))),
        event(id="c", causes=(Cause("b", "requested_by"),), refers_to=("a",)),
        Memory(id="m", scope=Scope(user="u"), kind="fact", at=AT, evidence=Evidence(sources=("c", "c"))),
    ]
    all_links = [link for record in chain for link in links(record, "o")]
    assert {(link.source, link.family, link.target) for link in all_links} == {
        ("b", "CAUSED_BY", "a"), ("b", "DATA_FROM", "a"), ("c", "CAUSED_BY", "b"), ("c", "REFERS_TO", "a"), ("m", "RESTS_ON", "c"),
    }  # fmt: skip
    assert [link.target for link in path(all_links, "m", "a")] == ["c", "a"]
    assert [link.source for link in path(all_links, "a", "b")] == ["b"]
    assert path(all_links, "m", "nowhere") == []
    assert links(session_of(event()), "o") == []


@pytest.mark.requirement("C1")
def test_a_session_adds_up_its_events() -> None:
    call = event(
        kind="model_call", model=ModelCall(name="gpt", usage={"in": 100, "out": 20}, cost=0.5), status="error", error=Failure("E", "x")
    )
    later = event(at=AT + timedelta(minutes=5), ended_at=AT + timedelta(minutes=6))
    joined = join_sessions(session_of(call), session_of(later))
    assert (joined.events, joined.errors, joined.tokens_in, joined.tokens_out, joined.cost) == (2, 1, 100, 20, 0.5)
    assert (joined.at, joined.last_at, joined.status, joined.model) == (AT, AT + timedelta(minutes=6), "ok", "gpt")
    assert joined.kinds == {"model_call": 1, "user_message": 1}
    assert isinstance(joined, Session)


def test_what_a_record_is_found_by() -> None:
    call = event(kind="tool_call", tool=Tool("search", args={"q": "蓝牙耳机"}))
    assert "search" in search_text(call) and "蓝牙耳机" in search_text(call)
    assert exact_keys(call) == [f"!{tool_signature('search', {'q': '蓝牙耳机'})}"]
    shown = event(
        parts=({"type": "image", "caption": "发票", "filename": "a.png", "uri": "blob:r1"}, {"type": "x", "in": ["blob:r2"]}), body_ref="r0"
    )
    assert search_text(shown) == "发票 a.png"
    assert sorted(blob_refs(shown)) == ["r0", "r1", "r2"] and "~r1" in exact_keys(shown)
    memory = Memory(id="m", scope=Scope(), kind="fact", at=AT, text="city", value="成都", key="home.city", tags=("t",), entities=("e",))
    assert search_text(memory) == "city 成都" and exact_keys(memory) == ["#t", "&e", "@home.city"]
    assert exact_keys(session_of(call)) == [] and search_text(session_of(call)) == ""
    failed = event(text="deploy", error=Failure("E", "port in use"), at=AT.astimezone(timezone(timedelta(hours=8))))
    assert search_text(failed) == "deploy port in use"
