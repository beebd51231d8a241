"""What is worth a vector, and the texts that it gets: windows alone, and each as it stands in its conversation."""

from __future__ import annotations

import base64
import hashlib
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

from beebread.model import ORIGIN_OF_KIND, Event, Memory, Record, Scope, Session, Tool
from beebread.models.clean import weight
from beebread.worker.passages import BEFORE, SIZE, UNTOLD, dense, passages

AT = datetime(2026, 3, 4, 23, 30, tzinfo=UTC)
SCOPE = Scope(user="u", session="s")


def event(text: str, kind: str = "user_message", **more: Any) -> Event:
    return Event(id="e", scope=SCOPE, kind=kind, at=AT, text=text, origin=ORIGIN_OF_KIND[kind], **more)


def memory(text: str, kind: str = "fact", **more: Any) -> Memory:
    return Memory(id="m", scope=Scope(user="u"), kind=kind, at=AT, text=text, **more)


def noise(size: int) -> bytes:
    return Random(5).randbytes(size)


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    "text",
    [
        "以后用飞书通知我", "下周三去医院复查", "他搬到杭州了", "过敏", "不行，换一个方案", "第 3 版用 PostgreSQL",
        "call me Al", "the staging database moved to port 5433", "No.", "I moved to Leeds in May 2024", "use tabs, width 4",
        "好的方案是哪个？", "谢谢林舟的帮助，方案定了", "TypeError: unsupported operand", "je préfère le thé",
        "こんにちは、東京に住んでいます",
        "我的手机号是 13800138000", "build failed with exit code 137 on runner 12",
        f"the key is {base64.b64encode(noise(90)).decode()} keep it in the safe please, and never in the repository",
    ],
)  # fmt: skip
def test_what_says_something_is_embedded(text: str) -> None:
    assert dense(event(text)) and dense(memory(text))


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    "text", ["你好！", "谢谢", "好的，收到", "嗯嗯", "晚安", "Hello there!", "Thanks a lot :)", "ok", "Got it. Thank you!"]
)
def test_small_talk_is_not_but_a_memory_of_it_is(text: str) -> None:
    assert not dense(event(text)) and not dense(event(text, "assistant_message"))
    assert dense(memory(text)), "somebody chose to keep it"


@pytest.mark.requirement("S5")
@pytest.mark.parametrize(
    "text",
    [
        "", " \n\t", "x", "？", "42", "3.14 2.71 1.41", "-1,200.50", "2026-03-04 23:30:00", "192.168.0.1:8080", "+86 138-0013-8000",
        "😀😀😀", "……", "|---|---|", "[1, 2, 3, 4, 5, 6]", "0x7f 0x80 0x81 00 11 22", "12:30 一", "1 2 3 4 5 6 7 8 9 a b",
        hashlib.sha512(b"x").hexdigest(), base64.b64encode(noise(3_000)).decode(), noise(200).hex(),
        "\n".join(f"{number}.{number * 7 % 100} {number * 13 % 997} {number}" for number in range(500)),
        "\0\0\0\x07",
    ],
    ids=lambda text: text[:12].encode("unicode_escape").decode() or "empty",
)  # fmt: skip
def test_what_says_too_little_is_not(text: str) -> None:
    assert not dense(event(text)) and not dense(memory(text))


@pytest.mark.requirement("S5")
def test_what_tells_of_the_run_is_not_unless_its_kind_is_named() -> None:
    said = "the crawler stopped at page 37 and waits"
    for kind in ORIGIN_OF_KIND:
        assert dense(event(said, kind)) is (kind not in UNTOLD), kind
        assert dense(event(said, kind), (kind,)) and not dense(event(said, kind), ("nothing like it",))
    assert not dense(event("42", "tool_result"), ("tool_result",)), "a kind that is named still has to say something"
    assert dense(memory(said, "preference"), ("preference",)) and not dense(memory(said, "fact"), ("preference",))


@pytest.mark.requirement("S5", "I1")
def test_what_is_forgotten_and_a_session_are_not() -> None:
    said = "the launch code is nine nine seven"
    assert not dense(event(said, forgotten_at=AT)) and not dense(memory(said, forgotten_at=AT))
    assert not dense(event(said, forgotten_at=AT), ("user_message",))
    session: Record = Session(id="session-1", scope=SCOPE, at=AT, last_at=AT, title=said)
    assert not dense(session) and not dense(session, ("session",))


@pytest.mark.requirement("S5")
def test_a_call_is_told_by_its_tool_and_arguments() -> None:
    call = event("", "tool_call", tool=Tool(name="weather_lookup", args={"city": "成都", "days": 3}))
    assert dense(call)
    assert "weather_lookup" in passages(call, None, 1_000).texts["vector"][0]


def test_each_text_stands_alone_and_after_its_day_and_the_turn_before() -> None:
    before, answer = event("明天下午三点\n去看牙医"), event("Shall I remind you?", "assistant_message")
    found = passages(answer, before, 1_500)
    assert found.record is answer
    assert found.texts == {"vector": ["Shall I remind you?"], "context": ["2026-03-04\n明天下午三点 去看牙医\nShall I remind you?"]}
    assert passages(answer, None, 1_500).texts["context"] == ["2026-03-04\nShall I remind you?"]
    assert passages(memory("likes tea"), None, 1_500).texts == {"vector": ["likes tea"], "context": ["2026-03-04\nlikes tea"]}


def test_a_long_text_is_divided_into_windows_that_the_model_reads_whole() -> None:
    english = " ".join(f"Sentence number {number} tells of the harbour." for number in range(200))
    chinese = "".join(f"第{number}句话说的是港口的事情。" for number in range(300))
    for text in (english, chinese):
        for window, most in ((1_500, SIZE), (300, 300)):
            found = passages(event(text), event("before " * 200), window)
            alone, after = found.texts["vector"], found.texts["context"]
            assert 2 <= len(alone) == len(after) <= 8 and all(weight(part) <= most for part in alone)
            assert alone[0][:9] == text[:9] and alone[-1][-9:] == text[-9:], "its head and its end are there"
            for part, whole in zip(alone, after, strict=True):
                day, said, rest = whole.split("\n")
                assert (day, rest) == ("2026-03-04", part) and said.startswith("before") and len(said) <= BEFORE


def test_the_turn_before_is_cut_and_cleaned() -> None:
    found = passages(event("yes, do that"), event("a\0b\ud800c \n\n" + "long " * 5_000), 1_500)
    (whole,) = found.texts["context"]
    assert whole.startswith("2026-03-04\nabc long long") and len(whole) <= BEFORE + 40 and whole.endswith("\nyes, do that")


def test_a_text_that_only_seems_to_say_something_has_no_windows() -> None:
    assert passages(event("\0\x01\x02"), None, 1_500).texts == {"vector": [], "context": []}
