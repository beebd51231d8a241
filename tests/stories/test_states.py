"""The working memory of a task: structured, versioned, the same on every device of the user."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from beebread import Client, Conflict, Invalid, NotFound
from beebread.clock import ManualClock


@pytest.mark.requirement("W1", "W3")
def test_what_one_device_wrote_the_other_reads(tmp_path: Path) -> None:
    with Client(tmp_path) as phone_app, Client(tmp_path) as laptop_app:
        phone = phone_app.bind(user="lin", session="phone", agent="shop")
        phone.state_set("order_status_12345", fields={"city": "成都", "coupon": None}, step="address")
        seen = laptop_app.bind(user="lin", session="laptop", agent="support").state_get("order_status_12345")
        assert seen is not None and seen.step == "address" and seen.version == 1
        assert (seen.fields["city"].value, seen.fields["city"].status) == ("成都", "confirmed")
        assert seen.fields["coupon"].status == "missing"
        assert seen.scope.session == "phone"


@pytest.mark.requirement("W5")
def test_fields_are_set_alone_and_none_is_lost(tmp_path: Path) -> None:
    with Client(tmp_path) as memory:
        me = memory.bind(user="u")

        def write(number: int) -> None:
            me.state_set("task_1", fields={f"field{number}": number})

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(write, range(40)))
        state = me.state_get("task_1")
        assert state is not None and state.version == 40
        assert {name: field.value for name, field in state.fields.items()} == {f"field{n}": n for n in range(40)}


@pytest.mark.requirement("W2")
def test_a_stale_version_is_refused_with_both_sides(memory: Client) -> None:
    me = memory.bind(user="u")
    first = me.state_set("trip_1", fields={"nights": 2})
    me.state_set("trip_1", fields={"nights": 3}, version=first.version)
    with pytest.raises(Conflict, match="version") as refused:
        me.state_set("trip_1", fields={"nights": 9}, version=first.version)
    assert getattr(refused.value.detail, "version", None) == 2
    state = me.state_get("trip_1")
    assert state is not None and state.fields["nights"].value == 3
    with pytest.raises(Conflict):
        me.state_put("trip_2", fields={}, version=4)


@pytest.mark.requirement("W2")
def test_put_replaces_and_history_keeps_what_was(memory: Client) -> None:
    me = memory.bind(user="u")
    me.state_set("doc_7", fields={"a": 1, "b": 2}, step="draft")
    after = me.state_put("doc_7", fields={"c": {"value": 3, "status": "tentative", "source": "e9"}}, step="review")
    assert set(after.fields) == {"c"} and after.fields["c"].source == "e9" and after.version == 2
    assert [state.step for state in me.state_history("doc_7")] == ["review", "draft"]
    me.state_delete("doc_7")
    assert me.state_get("doc_7") is None and me.state_history("doc_7") == ()
    with pytest.raises(NotFound):
        me.state_delete("doc_7")


@pytest.mark.requirement("W2")
def test_states_expire_by_the_contract(memory: Client, clock: ManualClock) -> None:
    me = memory.bind(user="u")
    me.state_set("short_1", fields={"x": 1}, expires_at="2026-12-01T00:00:00+00:00")
    kept = me.state_set("long_1", fields={"x": 1}, signature="rules-2026")
    assert kept.expires_at is not None and (kept.expires_at - clock.now()).days == 90
    clock.advance(2 * 86400)
    assert me.state_get("short_1") is None and me.state_get("long_1") is not None
    assert [state.key for state in me.state_list().items] == ["long_1"]


@pytest.mark.requirement("W2")
def test_setting_one_field_leaves_the_type_and_an_expiry_that_was_asked_for(memory: Client, clock: ManualClock) -> None:
    me = memory.bind(user="u")
    end = me.state_set("order_1", fields={"a": 1}, memory_type="order", expires_at="2026-12-05T00:00:00+00:00").expires_at
    clock.advance(3600)
    after = me.state_set("order_1", fields={"b": 2})
    assert (after.memory_type, after.expires_at) == ("order", end)
    first = me.state_set("order_2", fields={"a": 1}).expires_at
    clock.advance(3600)
    later = me.state_set("order_2", fields={"b": 2}).expires_at
    assert first is not None and later is not None and (later - first).seconds == 3600, "a state in use lives on"
    for limit in (0, -3, 5000):
        with pytest.raises(Invalid, match="limit"):
            me.state_list(limit=limit)


@pytest.mark.requirement("W2")
@pytest.mark.parametrize(
    ("key", "fields", "says"),
    [
        ("", {"a": 1}, "key"),
        ("k" * 300, {"a": 1}, "key"),
        ("k\x00", {"a": 1}, "key"),
        ("k", {"": 1}, "name"),
        ("k", {"a": {"value": 1, "status": "sure"}}, "status"),
        ("k", {"big": "数" * 100_000}, "262144"),
        ("k", {"obj": object()}, "JSON"),
    ],
)
def test_a_state_that_makes_no_sense_is_refused_with_advice(memory: Client, key: str, fields: dict[str, object], says: str) -> None:
    me = memory.bind(user="u")
    with pytest.raises(Invalid, match=says):
        me.state_set(key, fields=fields)
    assert me.state_list().items == ()


@pytest.mark.requirement("W2")
def test_states_are_listed_by_key_a_page_at_a_time(memory: Client) -> None:
    me = memory.bind(user="u")
    for number in range(7):
        me.state_set(f"task_{number}", fields={"n": number})
    keys: list[str] = []
    cursor = ""
    while True:
        page = me.state_list(limit=3, cursor=cursor)
        keys += [state.key for state in page.items]
        cursor = page.cursor
        if not cursor:
            break
    assert keys == [f"task_{number}" for number in range(7)]
