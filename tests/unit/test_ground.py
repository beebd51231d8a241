"""The ground floor and settings: times, clocks, error codes, settings from three places."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from beebread.clock import ManualClock, SystemClock, from_micros, micros, parse_time, parse_zone
from beebread.errors import CODES, BeebreadError, Conflict, Forbidden, Invalid, NotFound, Unavailable, codes
from beebread.settings import Settings, load


@pytest.mark.requirement("O5")
def test_times_are_kept_with_their_offset_and_compared_in_utc() -> None:
    there = parse_time("2026-03-08T01:30:00+08:00")
    assert there.utcoffset() == timedelta(hours=8)
    assert from_micros(micros(there)) == there and from_micros(micros(there)).tzinfo is UTC
    assert parse_time("2026-03-07T17:30:00Z") == there
    local = datetime(2026, 7, 1, 12, tzinfo=parse_zone("America/New_York"))
    assert parse_time(local).tzinfo == timezone(timedelta(hours=-4)), "a zone becomes the offset that it had then"


@pytest.mark.requirement("O5")
@pytest.mark.parametrize("bad", ["", "昨天", "2026-13-01T00:00:00Z", "2026-01-01", "1899-12-31T23:59:59Z", "2201-01-01T00:00:00Z", 5, None])
def test_a_time_that_cannot_be_meant_is_refused_by_name(bad: object) -> None:
    with pytest.raises(Invalid, match=r"^when "):
        parse_time(bad, "when")  # type: ignore[arg-type] - a wrong type is the point


def test_clocks() -> None:
    assert SystemClock().now().tzinfo is UTC
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    assert clock.advance(-60) == datetime(2025, 12, 31, 23, 59, tzinfo=UTC) == clock.now()
    with pytest.raises(Invalid, match="zone"):
        parse_zone("../etc/passwd")


def test_every_error_has_its_codes_and_a_kind_of_its_own_takes_the_nearest() -> None:
    class Stale(Conflict):
        pass

    assert codes(Stale("x")) == CODES[Conflict]
    assert [codes(kind("x")).exit for kind in (NotFound, Invalid, Forbidden, Unavailable, BeebreadError)] == [1, 2, 3, 4, 4]
    assert codes(NotFound("x")).http == 404 and codes(Conflict("x")).http == 409


def test_arguments_go_before_environment_before_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "beebread.toml").write_text(
        'purge_days = 1\nflush_ms = 2\ntz = "Asia/Shanghai"\nmemory_kinds = ["mood"]\n', encoding="utf-8"
    )
    monkeypatch.setenv("BEEBREAD_HOME", str(tmp_path))
    monkeypatch.setenv("BEEBREAD_PURGE_DAYS", "3")
    found = load(flush_ms=9)
    assert (found.purge_days, found.flush_ms, found.tz, found.memory_kinds) == (3, 9, "Asia/Shanghai", ("mood",))
    assert found.folder == tmp_path
    monkeypatch.delenv("BEEBREAD_HOME")
    assert load().folder == Path.home() / ".beebread"


def test_there_are_few_settings() -> None:
    assert len(Settings.__struct_fields__) <= 40


@pytest.mark.parametrize("given", [{"purge_days": -1}, {"buffer_events": 0}, {"flush_ms": "fast"}, {"nope": 1}])
def test_settings_that_make_no_sense_are_refused(given: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="setting"):
        load(home=str(tmp_path), **given)
