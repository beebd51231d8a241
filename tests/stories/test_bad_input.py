"""Bad input: a clear error that says what to do, or no error at all; nothing lost, nothing leaked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from beebread import BeebreadError, Client, Conflict, Event, Invalid, NotFound, Unavailable

ODD_TEXTS = {
    "empty": "",
    "blank": "  \n\t ",
    "1 MB": "数据 data " * 100_000,
    "NUL": "前\x00后 before\x00after",
    "lone surrogate": "前\ud800后 \udfff end",
    "right to left": "مرحبا بالعالم \u202eevil\u202c שלום",
    "emoji": "👩‍👩‍👧‍👦🐝 蜂粮",
    "expanding": "\ufdfa" * 2000,
    "combining": "e" + "\u0301" * 5000,
    "only signs": "！？。，、 --- *** %%% \"'`",
    "fts operators": 'NEAR(a b) AND "x OR y* - ^ : ()',
    "sql": "'); DROP TABLE records; --",
}


@pytest.mark.parametrize("name", ODD_TEXTS)
@pytest.mark.requirement("C2")
def test_any_text_is_kept_queried_and_packed(memory: Client, name: str) -> None:
    text = ODD_TEXTS[name]
    me = memory.bind(user="u", session="s")
    eid = me.record("user_message", text)
    me.record("tool_result", text, tool="odd", causes=[eid])
    me.flush()
    kept = me.get(eid)
    assert isinstance(kept, Event)
    expected = text.replace("\x00", "").encode(errors="replace").decode()
    assert kept.text.replace("\ufffd", "?") == expected or name == "NUL"
    me.query(text[:5000])
    me.query(text[:50], order="time", chain=True)
    if text.strip():
        pack = me.context(text[:200], budget=3000)
        assert pack.tokens <= 3000
    assert me.bind(session="t").query("nothing of this kind") is not None


@pytest.mark.requirement("O5")
@pytest.mark.parametrize(
    "at", ["2026-01-01", "2026-01-01T10:00:00", "yesterday", "0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59+00:00", ""]
)
def test_naive_and_absurd_times_are_refused_and_nothing_is_kept(memory: Client, at: str) -> None:
    me = memory.bind(user="u", session="s")
    with pytest.raises(Invalid, match="^at "):
        me.record("user_message", "hello", at=at)
    with pytest.raises(Invalid, match="^after "):
        me.query("hello", after=at)
    with pytest.raises(Invalid, match="^valid_from "):
        me.write("hello", valid_from=at)
    with pytest.raises(Invalid):
        me.record("user_message", "hello", at=datetime(2026, 1, 1))  # noqa: DTZ001  # the naive time is the point
    me.flush()
    assert me.list(types=["event", "memory"]).items == ()


NONSENSE: list[tuple[Callable[[Any], object], str]] = [
    (lambda me: me.record("chatter", "x"), "kind"),
    (lambda me: me.record("user_message", "x", colour="red"), "colour"),
    (lambda me: me.record("user_message", "x", priority="urgent"), "priority"),
    (lambda me: me.record("user_message", "x", causes=[42]), "cause"),
    (lambda me: me.record("user_message", b"bytes"), "text"),
    (lambda me: me.write("x", kind="mood"), "kind"),
    (lambda me: me.write("   "), "text"),
    (lambda me: me.write("字" * 100_000), "statement"),
    (lambda me: me.write("x", confidence=3), "confidence"),
    (lambda me: me.write("x", space="everywhere"), "space"),
    (lambda me: me.write("x", sensitivity=7), "sensitivity"),
    (lambda me: me.query("x", limit=0), "limit"),
    (lambda me: me.query("x", flavour="sweet"), "flavour"),
    (lambda me: me.query("x", order="random"), "order"),
    (lambda me: me.query("x", channels=["telepathy"]), "telepathy"),
    (lambda me: me.query("x", after="2026-02-01T00:00:00Z", before="2026-01-01T00:00:00Z"), "before"),
    (lambda me: me.context("x", budget=-1), "budget"),
    (lambda me: me.context("x", budget=1), "budget"),
    (lambda me: me.context("  ", budget=100), "request"),
    (lambda me: me.context("x", shape="carrier-pigeon"), "shape"),
    (lambda me: me.trace(), "session"),
    (lambda me: me.bind(tz="Mars/Olympus"), "zone"),
    (lambda me: me.bind(clearance=9), "clearance"),
    (lambda me: me.bind(private=True), "agent"),
    (lambda me: me.import_("/no/such/file"), "file"),
    (lambda me: me.list(limit=100_000), "limit"),
]


@pytest.mark.parametrize(("call", "says"), NONSENSE)
def test_arguments_that_make_no_sense_are_named(memory: Client, call: Callable[[Any], object], says: str) -> None:
    with pytest.raises(Invalid, match=f"(?i){says}"):
        call(memory.bind(user="u"))


@pytest.mark.parametrize(
    "settings", [{"stroe": "x"}, {"purge_days": "soon"}, {"store": "mysql://x"}, {"store": "x"}, {"flush_events": 0}, {"tokens": 7}]
)
def test_unknown_or_wrong_settings_never_open_an_empty_memory(tmp_path: Path, settings: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        Client(tmp_path / "m", **settings)  # type: ignore[arg-type] - a wrong type is the point
    assert not (tmp_path / "m" / "beebread.db").exists()


def test_unknown_setting_in_environment_or_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BEEBREAD_STROE", "x")
    with pytest.raises(Invalid, match="stroe"):
        Client(tmp_path / "m")
    monkeypatch.delenv("BEEBREAD_STROE")
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "beebread.toml").write_text("purge_dayz = 3\n")
    with pytest.raises(Invalid, match="purge_dayz"):
        Client(tmp_path / "m")
    (tmp_path / "m" / "beebread.toml").write_text("purge_days = [\n")
    with pytest.raises(Invalid, match="TOML"):
        Client(tmp_path / "m")


@pytest.mark.requirement("I4")
def test_unknown_ids_are_named_and_none_is_an_answer(memory: Client) -> None:
    me = memory.bind(user="u")
    assert me.get("nope") is None and me.state_get("nope") is None and me.history("nope") == ()
    assert me.trace("nope").events == () and me.trace(id="nope").events == ()
    for call in (lambda: me.forget("nope"), lambda: me.update("nope", text="x"), lambda: me.state_delete("nope")):
        with pytest.raises(NotFound, match="nope"):
            call()


@pytest.mark.requirement("S1")
def test_cyclic_causes_are_set_aside_and_the_rest_is_kept(memory: Client, tmp_path: Path) -> None:
    lines = [
        {"id": "a", "session": "s", "kind": "user_message", "text": "一", "at": "2026-01-01T00:00:00Z", "causes": ["c"]},
        {"id": "b", "session": "s", "kind": "thought", "text": "二", "at": "2026-01-01T00:00:01Z", "causes": ["a"]},
        {"id": "c", "session": "s", "kind": "assistant_message", "text": "三", "at": "2026-01-01T00:00:02Z", "causes": ["b"]},
        {"id": "d", "session": "s", "kind": "user_message", "text": "四", "at": "2026-01-01T00:00:03Z", "causes": ["d"]},
        {"id": "e", "session": "s", "kind": "user_message", "text": "五", "at": "2026-01-01T00:00:04Z"},
    ]
    file = tmp_path / "cycle.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    me = memory.bind(user="u")
    done = me.import_(file, "jsonl")
    assert any("cycle" in problem or "cause" in problem for problem in done.problems)
    kept = {event.id for event in me.trace("s").events}
    assert "e" in kept and "d" not in kept and len(kept & {"a", "b", "c"}) < 3


def test_a_folder_that_is_not_ours_is_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "beebread.db").write_bytes(b"this is not a database, and somebody needs it" * 100)
    with pytest.raises(Unavailable, match=r"beebread\.db"):
        Client(folder)
    assert (folder / "beebread.db").read_bytes().startswith(b"this is not")


def test_a_newer_folder_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with Client(tmp_path / "m") as memory:
        memory.bind(user="u").write("kept", id="m")
    db = sqlite3.connect(tmp_path / "m" / "beebread.db")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    db.execute(f"PRAGMA user_version = {version + 1}")
    db.close()
    with pytest.raises(BeebreadError, match=r"(?i)newer"):
        Client(tmp_path / "m")
    db = sqlite3.connect(tmp_path / "m" / "beebread.db")
    db.execute(f"PRAGMA user_version = {version}")
    db.close()
    with Client(tmp_path / "m") as memory:
        assert memory.bind(user="u").get("m") is not None


def test_after_close_the_error_says_so(tmp_path: Path) -> None:
    memory = Client(tmp_path / "m")
    me = memory.bind(user="u")
    me.record("user_message", "last words")
    memory.close()
    memory.close()
    with pytest.raises(BeebreadError, match=r"(?i)closed"):
        me.write("too late")
    with pytest.raises(BeebreadError, match=r"(?i)closed"):
        me.record("user_message", "too late")
    with Client(tmp_path / "m") as again:
        assert len(again.bind(user="u").list(types=["event"]).items) == 1


@pytest.mark.requirement("C7")
def test_one_id_for_two_contents_keeps_the_first(memory: Client) -> None:
    me = memory.bind(user="u", session="s")
    me.record("user_message", "first", id="x")
    me.flush()
    me.record("user_message", "second", id="x")
    me.flush()
    assert getattr(me.get("x"), "text") == "first"
    me.write("w1", id="w")
    with pytest.raises(Conflict):
        me.write("w2", id="w")
