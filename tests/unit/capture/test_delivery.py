"""The way from the buffer to the store: waiting for nothing, losing nothing, folding, setting aside."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest

from beebread.capture import Details, Recorder, patterns
from beebread.clock import ManualClock
from beebread.errors import Conflict, Forbidden, Invalid, Unavailable
from beebread.model import Event, Scope
from tests.unit.capture.conftest import Recording
from tests.unit.capture.shelf import HOME, NOON, Shelf, soon


@pytest.mark.requirement("C4")
@pytest.mark.parametrize("trouble", ["slow", "away", "broken"])
def test_recording_never_waits_for_the_store(trouble: str, recording: Recording, shelf: Shelf) -> None:
    recorder = recording(buffer_events=100)
    if trouble == "slow":
        shelf.door.clear()
    elif trouble == "away":
        shelf.away()
    else:
        shelf.failure = lambda _: KeyError("a bug of the store's")
    times: list[float] = []
    for turn in range(300):
        begun = time.perf_counter()
        recorder.record("user_message", f"第 {turn} 句", scope=HOME)
        times.append(time.perf_counter() - begun)
    assert sorted(times)[150] < 0.01
    shelf.back()
    shelf.door.set()
    recorder.flush(20)
    assert sorted(shelf.texts) == sorted(f"第 {turn} 句" for turn in range(300))
    assert recorder.trouble == ""


def test_what_is_recorded_arrives_by_itself(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(flush_ms=20)
    recorder.record("user_message", "你好", scope=HOME)
    soon(lambda: shelf.texts == ["你好"])


def test_batches_are_no_larger_than_asked(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(flush_events=10)
    shelf.door.clear()
    for turn in range(35):
        recorder.record("thought", f"t{turn}", scope=HOME)
    shelf.door.set()
    recorder.flush()
    assert max(map(len, shelf.batches)) == 10
    assert recorder.counters()["sent"] == 35


def test_flush_says_when_the_store_is_away_and_works_when_it_is_back(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    shelf.away()
    recorder.record("thought", "想", scope=HOME)
    with pytest.raises(Unavailable, match="the store is away"):
        recorder.flush()
    assert recorder.trouble == "the store is away"
    assert recorder.counters()["retries"] >= 1
    shelf.back()
    recorder.flush()
    assert shelf.texts == ["想"]


def test_flush_gives_up_after_its_time(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    shelf.door.clear()
    recorder.record("thought", "想", scope=HOME)
    with pytest.raises(Unavailable, match=r"within 0\.05 s"):
        recorder.flush(0.05)
    with pytest.raises(Unavailable, match=r"within 0\.05 s"):
        asyncio.run(recorder.drain(0.05))
    shelf.door.set()
    recorder.flush()
    assert shelf.texts == ["想"]


def test_the_store_is_tried_again_by_itself(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(flush_ms=5)
    shelf.away()
    recorder.record("user_message", "在吗", scope=HOME)
    recorder.record("harness_message", "low waits in memory", scope=HOME)
    soon(lambda: recorder.counters()["retries"] >= 3)
    shelf.back()
    soon(lambda: sorted(shelf.texts) == ["low waits in memory", "在吗"])
    assert recorder.counters()["replayed"] == recorder.counters()["spilled"] == 1


def test_an_answer_that_was_lost_on_the_way_stores_nothing_twice(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    shelf.away()
    shelf.late = True
    names = [recorder.record("user_message", text, scope=HOME) for text in ("好", "不好")]
    with pytest.raises(Unavailable):
        recorder.flush()
    shelf.back()
    recorder.flush()
    assert [event.id for event in shelf.events] == names
    assert recorder.counters()["duplicates"] >= 1


@pytest.mark.parametrize("error", [Invalid, Conflict, Forbidden])
@pytest.mark.parametrize("named", [True, False])
def test_what_is_refused_is_set_aside_and_the_rest_goes_on(error: type[Invalid], named: bool, recording: Recording, shelf: Shelf) -> None:
    recorder = recording()

    def refuse(events: tuple[Event, ...]) -> Exception | None:
        bad = tuple(event.id for event in events if "坏" in event.text)
        return error("not that one", ids=bad if named else ()) if bad else None

    shelf.failure = refuse
    for turn in range(20):
        recorder.record("thought", f"{'坏' if turn in (3, 11) else '好'} {turn}", scope=HOME)
    recorder.flush()
    assert len(shelf.texts) == 18
    assert [(one.event.text, one.reason) for one in recorder.rejected] == [("坏 3", "not that one"), ("坏 11", "not that one")]
    counts = recorder.counters()
    assert (counts["sent"], counts["rejected"], counts["recorded"]) == (18, 2, 20)


def test_one_event_that_the_store_chokes_on_does_not_stop_the_others(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(flush_ms=5)
    shelf.failure = lambda events: ZeroDivisionError("bug") if any("choke" in event.text for event in events) else None
    for text in ("一", "choke", "二"):
        recorder.record("user_message", text, scope=HOME)
    soon(lambda: sorted(shelf.texts) == ["一", "二"])
    recorder.flush()
    assert [one.event.text for one in recorder.rejected] == ["choke"]
    assert "ZeroDivisionError: bug" in recorder.rejected[0].reason


def test_a_store_that_chokes_on_everything_costs_nothing(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(flush_ms=1)
    shelf.failure = lambda _: ZeroDivisionError("bug")
    for turn in range(5):
        recorder.record("user_message", f"{turn}", scope=HOME)
    for _ in range(6):
        with pytest.raises(Unavailable, match="ZeroDivisionError"):
            recorder.flush()
    shelf.back()
    recorder.flush()
    assert len(shelf.texts) == 5
    assert recorder.counters()["rejected"] == 0


# ---------------------------------------------------------------- priorities, folding


@pytest.mark.requirement("C5")
def test_low_events_of_one_kind_and_moment_become_one_and_keep_their_names(recording: Recording, shelf: Shelf) -> None:
    clock = ManualClock(NOON)
    recorder = recording(clock=clock, fold_ms=100)

    def tick(text: str, **details: Any) -> str:
        clock.advance(0.03)
        return recorder.record("harness_message", text, scope=HOME, **details)

    user = recorder.record("user_message", "下载", scope=HOME)
    names = [tick(f"进度 {turn}") for turn in range(6)]
    other = [tick("别的", actor="b"), tick("important", priority="normal"), tick("native", id="given")]
    child = recorder.record("thought", "慢", scope=HOME, causes=[names[2]])
    recorder.flush()
    kept = shelf.event(names[0])
    assert kept.text == "进度 0\n进度 1\n进度 2\n进度 3"
    assert kept.ended_at is not None
    assert [cause.id for cause in kept.causes] == [user]
    assert shelf.event(names[2]).id == names[0]
    assert shelf.event(names[4]).text == "进度 4\n进度 5"
    assert shelf.event(names[5]).id == names[4]
    assert {shelf.event(name).id for name in other} == set(other)
    assert [cause.id for cause in shelf.event(child).causes] == [names[0]]
    assert recorder.counters()["folded"] == 4


@pytest.mark.requirement("C5")
def test_folding_waits_for_its_window_but_not_for_a_flush(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(fold_ms=60_000, flush_ms=1)
    recorder.record("harness_message", "进度", scope=HOME)
    recorder.record("user_message", "快点", scope=HOME)
    soon(lambda: shelf.texts == ["快点"])
    recorder.flush()
    assert sorted(shelf.texts) == ["快点", "进度"]


def test_folding_can_be_off_and_the_window_closes_by_itself(recording: Recording, shelf: Shelf) -> None:
    off, on = recording(fold_ms=0), recording(fold_ms=20, flush_ms=1)
    for turn in range(3):
        off.record("harness_message", f"a{turn}", scope=HOME)
        on.record("harness_message", f"b{turn}", scope=HOME)
    off.flush()
    assert [text for text in shelf.texts if text[0] == "a"] == ["a0", "a1", "a2"]
    soon(lambda: "b0\nb1\nb2" in shelf.texts)


@pytest.mark.requirement("C6")
def test_under_pressure_producers_are_told_and_low_events_go_first(recording: Recording, shelf: Shelf) -> None:
    told: list[float] = []
    recorder = recording(buffer_events=40, on_pressure=told.append, fold_ms=0)
    shelf.door.clear()
    user = recorder.record("user_message", "开始", scope=HOME)
    soon(lambda: shelf.store.data.position == 0 and recorder.pressure > 0)
    for turn in range(35):
        recorder.record("thought", f"想 {turn}", scope=HOME, causes=[user])
    assert recorder.pressure >= 0.75
    assert told
    assert told[0] >= 0.75
    dropped = recorder.record("harness_message", "进度", scope=HOME, causes=[user])
    nested = recorder.record("harness_message", "进度 2", scope=HOME, causes=[dropped], parent=dropped)
    child = recorder.record("assistant_message", "好了", scope=HOME, causes=[nested], parent=nested)
    shelf.door.set()
    recorder.flush()
    counts = recorder.counters()
    assert counts["dropped_low"] == 2
    assert counts["sent"] == 37
    assert "进度" not in shelf.texts
    assert [cause.id for cause in shelf.event(child).causes] == [user]
    assert shelf.event(child).parent == ""
    soon(lambda: len(told) == 2)
    assert told[1] < 0.4


@pytest.mark.requirement("C6")
def test_a_full_buffer_spills_at_once_and_nothing_but_low_is_lost(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(buffer_events=20)
    shelf.door.clear()
    for turn in range(200):
        recorder.record("user_message" if turn % 2 else "thought", f"{turn}", scope=HOME)
        recorder.record("harness_message", f"noise {turn}", scope=HOME)
    counts = recorder.counters()
    assert counts["spilled"] >= 150
    assert counts["dropped_low"] >= 150
    assert counts["dropped"] == 0
    shelf.door.set()
    recorder.flush()
    assert {text for text in shelf.texts if "noise" not in text} == {str(turn) for turn in range(200)}
    assert recorder.counters()["replayed"] == counts["spilled"]


def test_without_a_disk_high_events_stay_in_memory_beyond_the_bound(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(buffer_events=20, spill=False)
    shelf.door.clear()
    for turn in range(100):
        recorder.record("user_message", f"high {turn}", scope=HOME)
        recorder.record("thought", f"normal {turn}", scope=HOME)
    assert recorder.pressure > 1
    shelf.door.set()
    recorder.flush()
    assert sum(text.startswith("high") for text in shelf.texts) == 100
    counts = recorder.counters()
    assert counts["dropped"] == 100 - sum(text.startswith("normal") for text in shelf.texts) > 0


def test_a_pressure_signal_that_fails_is_the_hosts_own_and_counted(recording: Recording, shelf: Shelf) -> None:
    def fail(_: float) -> None:
        raise RuntimeError("host")

    recorder = recording(buffer_events=4, on_pressure=fail)
    shelf.door.clear()
    for turn in range(6):
        recorder.record("user_message", f"{turn}", scope=HOME)
    assert recorder.counters()["faults"] == 1
    shelf.door.set()
    recorder.flush()
    assert len(shelf.texts) == 6


# ---------------------------------------------------------------- masking, loops, closing


def _when(turn: int) -> Details:
    return Details(at=NOON) if turn % 2 else Details()


def test_nothing_unmasked_leaves_memory(recording: Recording, shelf: Shelf, tmp_path: Any) -> None:
    recorder = recording(redact=patterns(), buffer_events=3)
    secret = "-".join(("sk", "proj", "a1B2c3D4" * 4))
    shelf.away()
    for turn in range(8):
        recorder.record("user_message", f"我的密钥 {secret} {turn}", scope=HOME, **_when(turn))
    with pytest.raises(Unavailable):
        recorder.flush()
    spilled = b"".join(path.read_bytes() for path in (tmp_path / "spill").iterdir())
    assert spilled
    assert secret.encode() not in spilled
    shelf.back()
    recorder.flush()
    assert len(shelf.events) == 8
    assert all(secret not in event.text and event.redactions == {"api_key": 1} for event in shelf.events)


def test_what_cannot_be_masked_goes_nowhere(recording: Recording, shelf: Shelf) -> None:
    def broken(text: str) -> tuple[str, dict[str, int]]:
        raise RuntimeError("no rules today")

    recorder = recording(redact=broken, buffer_events=4)
    recorder.record("user_message", "秘密", scope=HOME)
    recorder.flush()
    with pytest.raises(Invalid, match="could not be masked"):
        recorder.record("user_message", "秘密", scope=HOME, at=NOON)
    assert shelf.texts == []
    assert recorder.counters()["rejected"] == 1
    assert "no rules today" in recorder.rejected[0].reason


def test_sending_on_the_loop_of_the_host(recording: Recording, shelf: Shelf) -> None:
    async def host() -> Recorder:
        recorder = recording(loop=asyncio.get_running_loop())
        recorder.record("user_message", "你好", scope=HOME)
        with pytest.raises(Invalid, match="await drain"):
            recorder.flush()
        await recorder.drain()
        assert shelf.texts == ["你好"]
        await recorder.drain()
        return recorder

    recorder = asyncio.run(host())
    recorder.record("user_message", "再见", scope=HOME)
    with pytest.raises(Unavailable, match="closed"):
        recorder.flush()
    recorder.close()
    assert recorder.counters()["spilled"] == 1


def test_closing_sends_what_is_left_and_spills_what_cannot_be_sent(recording: Recording, shelf: Shelf) -> None:
    first = recording(flush_ms=60_000)
    first.record("user_message", "一", scope=HOME)
    first.close()
    assert shelf.texts == ["一"]
    shelf.away()
    second = recording()
    second.record("user_message", "二", scope=HOME)
    second.record("harness_message", "低", scope=HOME)
    second.close()
    shelf.back()
    third = recording()
    third.flush()
    assert sorted(shelf.texts) == ["一", "二", "低"]


def test_closing_does_not_wait_for_a_store_that_hangs(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    shelf.door.clear()
    recorder.record("user_message", "挂住", scope=HOME)
    soon(lambda: not recorder.counters()["sent"] and threading.active_count() > 1)
    begun = time.monotonic()
    recorder.close(0.2)
    assert time.monotonic() - begun < 5
    shelf.door.set()
    again = recording()
    again.flush()
    soon(lambda: shelf.texts == ["挂住"])


def test_closing_without_store_or_disk_says_what_is_lost(recording: Recording, shelf: Shelf) -> None:
    recorder = recording(spill=False)
    shelf.away()
    recorder.record("user_message", "丢", scope=HOME)
    with pytest.raises(Unavailable, match="1 recorded events could be neither kept nor spilled: the store is away"):
        recorder.close()


def test_records_of_many_users_go_together(recording: Recording, shelf: Shelf) -> None:
    recorder = recording()
    for user in ("甲", "乙"):
        recorder.record("user_message", "同样", scope=Scope(tenant="acme", user=user, session="s"), id="same")
    recorder.flush()
    assert [event.scope.user for event in shelf.events] == ["甲", "乙"]
