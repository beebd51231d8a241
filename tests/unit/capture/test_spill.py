"""The durable queue: order, half-written tails, several processes, the end of a process."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from datetime import timedelta
from pathlib import Path

import pytest

from beebread.capture import Recorder, Spill
from beebread.errors import Unavailable
from beebread.model import Event, Scope
from tests.unit.capture.conftest import Recording
from tests.unit.capture.shelf import HOME, NOON, Shelf

PROLOGUE = """
import os, sys, threading, time
from pathlib import Path
from beebread.capture import Recorder, Spill
from beebread.errors import Unavailable
from beebread.model import Scope
HOME = Scope(tenant="acme", user="u1", session="s1")
async def away(events, aliases):
    raise Unavailable("the store is away")
recorder = Recorder(away, spill=Spill(Path(sys.argv[1])))
"""


def run(code: str, folder: Path, *, ends: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROLOGUE + textwrap.dedent(code), str(folder)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        encoding="utf-8",
    )
    assert done.returncode == ends, done.stderr
    assert done.stderr == ""
    return done.stdout


def event(number: int) -> Event:
    return Event(id=f"e{number}", scope=HOME, kind="thought", text=f"第 {number} 件 \n 换行", at=NOON + timedelta(seconds=number))


def emptied(spill: Spill, limit: int = 3) -> list[str]:
    found: list[str] = []
    while batch := spill.take(limit):
        assert spill.take(limit) == batch
        found.extend(one.id for one in batch)
        spill.done()
    return found


def test_what_waits_comes_back_in_order_and_is_deleted_when_acknowledged(tmp_path: Path) -> None:
    spill = Spill(tmp_path / "deep" / "spill")
    assert spill.empty
    assert spill.take(5) == []
    spill.append([event(n) for n in range(4)])
    spill.append([event(n) for n in range(4, 8)], sync=False)
    assert not spill.empty
    assert spill.take(2) == [event(0), event(1)]
    spill.done()
    spill.append([event(8)])
    assert emptied(spill) == [f"e{n}" for n in range(2, 9)]
    assert spill.empty
    assert list((tmp_path / "deep" / "spill").iterdir()) == []
    spill.append([event(9)])
    assert emptied(spill) == ["e9"]


def test_nobody_takes_a_living_processs_file_and_everybody_a_dead_ones(tmp_path: Path) -> None:
    first, second = Spill(tmp_path), Spill(tmp_path)
    first.append([event(1)])
    second.append([event(2)])
    assert second.adopt() == 0
    first.close()
    assert second.adopt() == 1
    assert Spill(tmp_path).adopt() == 0
    assert emptied(second) == ["e1", "e2"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("cut", [1, 2, 30, 10_000])
def test_a_half_written_tail_is_left_out_and_counted(cut: int, tmp_path: Path) -> None:
    dead = Spill(tmp_path)
    dead.append([event(n) for n in range(3)])
    dead.close()
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    spill = Spill(tmp_path)
    spill.adopt()
    kept = emptied(spill)
    assert kept == ([] if cut == 10_000 else ["e0", "e1"])
    assert spill.damaged == (0 if cut == 10_000 else 1)
    assert spill.empty


def test_a_damaged_line_costs_only_itself(tmp_path: Path) -> None:
    dead = Spill(tmp_path)
    dead.append([event(n) for n in range(3)])
    dead.close()
    (path,) = tmp_path.iterdir()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b"e1", b"eX") + b"not a frame\n" + b"00000002 %08x {}\n" % 2745614147 + lines[2])
    spill = Spill(tmp_path)
    spill.adopt()
    assert emptied(spill) == ["e0", "e2"]
    assert spill.damaged == 3


def test_a_folder_that_refuses_is_an_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder", encoding="utf-8")
    with pytest.raises(OSError, match="file"):
        Spill(blocked / "spill").append([event(1)])


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of file sizes")
def test_a_disk_that_gets_full_takes_all_or_nothing(tmp_path: Path) -> None:
    out = run(
        """
        import resource, signal
        from datetime import datetime, UTC
        from beebread.model import Event
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        spill = Spill(Path(sys.argv[1]))
        def made(name, size):
            return Event(id=name, scope=HOME, kind="thought", text="x" * size, at=datetime(2026, 1, 1, tzinfo=UTC))
        spill.append([made("small", 10)])
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
        try:
            spill.append([made("large", 5000), made("larger", 5000)])
        except OSError as error:
            print("refused")
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        spill.append([made("after", 10)])
        print([event.id for event in spill.take(10)], spill.damaged)
        """,
        tmp_path / "spill",
    )
    assert out == "refused\n['small', 'after'] 0\n"


@pytest.mark.requirement("C6", "S7")
def test_a_killed_process_loses_nothing_that_went_to_disk(tmp_path: Path, recording: Recording, shelf: Shelf) -> None:
    """A process records while the store is away, and is killed without a word; the next one keeps it all, once, in order."""
    out = run(
        """
        names = [recorder.record("user_message", f"第 {n} 句 / line {n}", scope=HOME) for n in range(50)]
        try:
            recorder.flush()
        except Unavailable:
            print(",".join(names), flush=True)
        os._exit(9)
        """,
        tmp_path / "spill",
        ends=9,
    )
    recorder = recording()
    recorder.flush()
    assert [one.id for one in shelf.events] == out.strip().split(",")
    assert shelf.texts == [f"第 {n} 句 / line {n}" for n in range(50)]
    assert recorder.counters()["replayed"] == 50
    assert list((tmp_path / "spill").iterdir()) == []


@pytest.mark.requirement("S7")
def test_a_killed_process_with_a_full_buffer_loses_nothing_that_went_to_disk(tmp_path: Path, recording: Recording, shelf: Shelf) -> None:
    out = run(
        """
        from beebread.settings import Settings
        hang = threading.Event()
        async def stuck(events, aliases):
            hang.wait()
        recorder = Recorder(stuck, settings=Settings(buffer_events=10), spill=Spill(Path(sys.argv[1])))
        for n in range(100):
            recorder.record("user_message", f"{n}", scope=HOME)
        print(recorder.counters()["spilled"], flush=True)
        os._exit(9)
        """,
        tmp_path / "spill",
        ends=9,
    )
    recorder = recording()
    recorder.flush()
    assert len(shelf.texts) == int(out) >= 85
    assert shelf.texts[-1] == "99"


@pytest.mark.requirement("S7")
def test_a_program_that_just_ends_loses_nothing(tmp_path: Path, recording: Recording, shelf: Shelf) -> None:
    run("recorder.record('harness_message', '最后一句', scope=HOME)", tmp_path / "spill")
    run(
        """
        import atexit
        atexit.unregister(__import__("beebread.capture.lifetime", fromlist=["_at_exit"])._at_exit)
        recorder.record("user_message", "忘了关", scope=HOME)
        recorder.close()
        """,
        tmp_path / "spill",
    )
    recording().flush()
    assert shelf.texts == ["最后一句", "忘了关"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_forked_child_begins_anew_and_does_not_hang(tmp_path: Path, recording: Recording, shelf: Shelf) -> None:
    run(
        """
        recorder.record("user_message", "父", scope=HOME)
        try:
            recorder.flush()
        except Unavailable:
            pass
        recorder.record("user_message", "父二", scope=HOME)
        child = os.fork()
        if not child:
            recorder.record("user_message", "子", scope=HOME)
            recorder.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        recorder.close()
        """,
        tmp_path / "spill",
    )
    recording().flush()
    assert sorted(shelf.texts) == ["子", "父", "父二"]


def test_two_recorders_over_one_folder_keep_their_own(tmp_path: Path, recording: Recording, shelf: Shelf) -> None:
    first, second = recording(), recording()
    shelf.away()
    for recorder, name in ((first, "甲"), (second, "乙")):
        recorder.record("user_message", name, scope=Scope(tenant="acme", user=name))
        with pytest.raises(Unavailable):
            recorder.flush()
    assert len(list((tmp_path / "spill").iterdir())) == 2
    shelf.back()
    first.flush()
    assert shelf.texts == ["甲"]
    second.flush()
    assert sorted(shelf.texts) == ["乙", "甲"]


def test_a_folder_that_cannot_be_written_leaves_events_in_memory(tmp_path: Path, shelf: Shelf) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder", encoding="utf-8")
    recorder = Recorder(shelf.send, spill=Spill(blocked / "spill"))
    shelf.away()
    recorder.record("user_message", "留在内存", scope=HOME)
    with pytest.raises(Unavailable, match="the store is away"):
        recorder.flush()
    assert "and the disk" in recorder.trouble
    shelf.back()
    recorder.flush()
    assert shelf.texts == ["留在内存"]
    recorder.close()
