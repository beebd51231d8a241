"""Hostile circumstances through the public faces: forgotten things that try to come back, programs that end badly, absurd settings."""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from beebread import Client, Invalid, Unavailable
from beebread.capture import patterns
from beebread.clock import ManualClock
from beebread.model import State
from tests.unit.backends.kept import bodies_with, remains

WORDS = "SENTINEL-4471 保险柜"


def holding(folder: Path, text: str) -> list[str]:
    """The files under `folder` that hold `text`."""
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


@pytest.mark.requirement("S4")
def test_what_was_erased_comes_back_by_no_export(memory: Client, clock: ManualClock, tmp_path: Path) -> None:
    me = memory.bind(user="u", session="s")
    me.record("user_message", WORDS, id="said", at="2026-01-01T00:00:00Z")
    me.write(WORDS, id="kept", key="safe.code")
    export = tmp_path / "export.jsonl"
    clock.advance(1)
    export.write_bytes(b"\n".join(msgspec.json.encode(me.get(name)) for name in ("said", "kept")))
    bodies = bodies_with((tmp_path / "memory"), WORDS)
    assert bodies
    for name in ("said", "kept"):
        me.forget(name)
    again = me.import_(export)
    assert again.created == 0 and me.get("kept") is None and me.get("said") is None
    assert memory.purge() == 2
    me.write("the code was changed", id="newer", key="safe.code")
    again = me.import_(export)
    assert (again.created, again.buried) == (0, 2)
    assert me.get("kept") is None and me.get("said") is None
    assert [item.id for item in me.list().items] == ["newer"], "what is erased closes nothing"
    assert not remains((tmp_path / "memory"), WORDS, bodies)


@pytest.mark.requirement("S4")
def test_no_body_outlives_its_event(memory: Client, tmp_path: Path) -> None:
    me, folder = memory.bind(user="u", session="s"), (tmp_path / "memory") / "blobs"
    body = WORDS * 10_000
    for name in ("a", "b"):
        me.record("user_message", body, id=name, at="2026-01-01T00:00:00Z", tags=[name])
    me.flush()
    me.forget("a")
    memory.purge()
    assert len(holding(folder, WORDS)) == 1, "another event rests on it"
    me.forget("b")
    memory.purge()
    me.record("user_message", body, id="b", at="2026-01-01T00:00:00Z", tags=["b"])
    me.flush()
    assert me.get("b") is None and not holding(folder, WORDS), "an erased event leaves no body when it is sent again"
    me.record("user_message", "first", id="c")
    me.flush()
    me.record("user_message", body, id="c")
    me.flush()
    assert not holding(folder, WORDS), "nor does one that was refused"


def test_what_is_masked_is_masked_however_it_comes_in(tmp_path: Path) -> None:
    secret = "hunter2-hunter2"
    with Client(tmp_path / "m", redact=patterns()) as memory:
        me = memory.bind(user="u", session="s")
        me.record("user_message", f"password: {secret}")
        memory_id = me.write(f"his password is {secret}", value={"password": secret}, quote=f"密码是{secret}")
        me.update(memory_id, text=f"her password is {secret}", value={"password": secret})
        me.state_set("login_1", fields={"password": secret, "site": {"password": secret}})
        state = me.state_get("login_1")
        assert isinstance(state, State) and "redacted" in str(state.fields["password"].value)
    assert not holding(tmp_path / "m", secret) and not bodies_with(tmp_path / "m", secret)


def closed_in_the_middle(folder: Path) -> set[str]:
    """Record, flush and close at once, twice each; the ids that were given out."""
    memory = Client(folder)
    me, ids, started, closed = memory.bind(user="u", session="s"), list[str](), threading.Barrier(5), threading.Event()

    def record() -> None:
        started.wait()
        with contextlib.suppress(Invalid):
            for number in range(100_000):
                ids.append(me.record("thought", f"thought {number}"))

    def flush() -> None:
        started.wait()
        with contextlib.suppress(Unavailable):  # the memory was closed, and what it had not taken waits on disk
            while not closed.is_set():
                me.flush()

    def close() -> None:
        started.wait()
        memory.close()
        closed.set()

    threads = [threading.Thread(target=work, daemon=True) for work in (record, record, flush, close, close)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    return set(ids)


@pytest.mark.requirement("C2")
def test_closing_at_any_moment_leaves_nobody_waiting_and_loses_nothing(tmp_path: Path) -> None:
    for number in range(5):
        ids = closed_in_the_middle(tmp_path / str(number))
        with Client(tmp_path / str(number)) as again:
            again.flush()
            assert again.bind(user="u").health().counts.get("event", 0) >= len(ids)


def test_a_program_that_changes_its_directory_keeps_its_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with Client("memory") as memory:
        me = memory.bind(user="u", session="s")
        monkeypatch.chdir(tmp_path / "there")
        me.record("user_message", "x" * 100_000, id="long")
        record = me.get("long")
        assert record is not None and len(getattr(record, "text")) == 100_000
    assert not list((tmp_path / "there").iterdir())
    assert Client("../here/memory").bind(user="u").get("long") is not None


@pytest.mark.parametrize(
    "settings", [{name: 10**30} for name in ("purge_days", "state_days", "busy_ms", "flush_ms", "fold_ms", "flush_events", "deadline_ms")]
)
def test_settings_that_no_clock_can_count_are_refused(tmp_path: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(Invalid, match=next(iter(settings))):
        Client(tmp_path / "m", **settings)


@pytest.mark.parametrize("home", ["~nobody-of-this-name/x", "a\0b", "x" * 300])
def test_a_home_that_no_folder_can_have_is_refused(home: str) -> None:
    with pytest.raises(Invalid, match="home"):
        Client(home)


def counter(answer: Any) -> Callable[[str], Any]:
    """A counter of tokens that always says `answer`."""
    return lambda _: answer


@pytest.mark.timeout(30)
def test_a_counter_of_tokens_that_is_wrong_is_named(tmp_path: Path) -> None:
    answers: tuple[Any, ...] = ("many", None, 1.5)
    for answer in answers:
        with Client(tmp_path / "m", tokens=counter(answer)) as memory, pytest.raises(Invalid, match="tokens"):
            memory.bind(user="u").context("hello", budget=100)
    asked: list[Client] = []
    with Client(tmp_path / "m", tokens=lambda text: len(asked[0].query(text))) as memory:
        asked.append(memory)
        with pytest.raises(Invalid, match="wait for itself"):
            memory.bind(user="u").context("hello", budget=100)


@pytest.mark.requirement("S7")
def test_nothing_is_acknowledged_into_a_folder_that_is_gone(tmp_path: Path) -> None:
    home = tmp_path / "m"
    memory = Client(home)
    me = memory.bind(user="u", session="s")
    me.write("先有的", id="first")
    shutil.rmtree(home)
    me.record("user_message", "b" * 100_000)  # its body is written first, and makes the folder anew
    with pytest.raises(Unavailable, match="moved or deleted"):
        me.flush(2)
    with pytest.raises(Unavailable, match="moved or deleted"):
        me.write("后来的", id="second")
    with contextlib.suppress(Unavailable):
        memory.close()


@pytest.mark.requirement("I1", "S4")
def test_a_body_of_one_closed_session_does_not_hang_on_another(memory: Client) -> None:
    long = "同样长的正文 " * 10_000
    rooms = [memory.bind(user="u", session=name) for name in ("a", "b")]
    for room, name in zip(rooms, ("ea", "eb"), strict=True):
        room.record("tool_result", long, id=name, space="session")
        room.flush()
    rooms[0].forget("ea")
    memory.purge()
    assert rooms[1].body("eb").decode() == long
