"""What a turn says about the answer it wants is read in Chinese and English alike, and is mostly nothing."""

from __future__ import annotations

import time

import pytest

from beebread.text.cues import Cue, cues, particulars


@pytest.mark.requirement("R8")
@pytest.mark.parametrize(
    "text",
    [
        "你好",
        "您好！",
        "谢谢",
        "好的，谢谢你～",
        "嗯嗯",
        "謝謝！",
        "Hello",
        "hi there!",
        "Thanks a lot :)",
        "OK",
        "ok, got it. thank you!",
        "Ｏｋ",
    ],
)
def test_small_talk_is_known(text: str) -> None:
    assert "phatic" in cues(text)


@pytest.mark.parametrize(
    "text",
    [
        "好的方案是哪个？",
        "谢谢林舟的项目",
        "hi-res images",
        "okay, run the tests",
        "history of the project",
        "你好吗的英文怎么说",
        "",
        "。。。",
    ],
)
def test_what_only_begins_like_small_talk_is_not(text: str) -> None:
    assert "phatic" not in cues(text)


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("刚才的方案发我一下", "just_now"),
        ("剛剛說的數字是多少", "just_now"),
        ("what did you say just now?", "just_now"),
        ("the plan you just mentioned", "just_now"),
        ("我现在住在哪个城市？", "current"),
        ("Which database are we on now?", "current"),
        ("What is the latest version", "current"),
        ("我以前住在哪里", "past"),
        ("Which tool did we use to have, previously?", "past"),
        ("上次部署失败最后是怎么解决的？", "chain"),
        ("为什么测试没有通过", "chain"),
        ("Why did the build fail?", "chain"),
        ("How did the payment tests turn out?", "chain"),
    ],
)
def test_each_cue_is_read_in_both_languages(text: str, cue: Cue) -> None:
    assert cue in cues(text)


@pytest.mark.parametrize("text", ["帮我订一张去成都的票", "Book a flight to Lisbon", "I know the knowledge base", "justice now-and-then"])
def test_most_turns_say_nothing_of_a_moment_ago(text: str) -> None:
    assert "just_now" not in cues(text)


def test_just_now_is_not_the_present_state() -> None:
    assert cues("what did I say just now") == {"just_now"}


@pytest.mark.parametrize("text", ["好" * 59 + "x", "ok " * 19 + "x", "哈" * 1_000_000, "how did " * 100_000, "没" * 200_000])
def test_no_text_makes_it_slow(text: str) -> None:
    began = time.perf_counter()
    cues(text)
    assert time.perf_counter() - began < 1.0


def test_numbers_and_negations_tell_like_texts_apart() -> None:
    assert particulars("支付有4个用例没过") != particulars("支付有6个用例没过")
    assert particulars("可以部署") != particulars("不可以部署")
    assert particulars("The build passed") != particulars("The build did not pass")
    assert particulars("Port 8041 is used") == particulars("port 8041 is USED")
    assert particulars("第三版") != particulars("第二版")
