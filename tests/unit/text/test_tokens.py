"""The token estimate against two public tokenizers: never below on any text, a few per cent above on ordinary ones."""

from __future__ import annotations

import importlib
import json
import lzma
import random
import statistics
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beebread.text import estimate_tokens, truncate_tokens

Count = Callable[[str], int]
ROOT = Path(__file__).parents[3]

CHINESE = [
    "我上周在杭州出差的时候，同事张伟推荐了一家叫外婆家的餐厅，味道很不错，价格也不贵。",
    "明天下午三点在会议室讨论下个季度的项目计划，请提前把预算表发给财务。",
    "用户说他更喜欢用飞书接收通知，不要再发邮件了；紧急的事情可以打电话。",
    "爬虫任务昨晚因为代理超时失败了三次，重试以后成功抓取了一千二百条记录。",
    "孩子对花生过敏，订餐的时候一定要提醒厨房，不能放任何坚果类的配料。",
    "买了iPhone 15 Pro，订单号是ORD-2024_001，预计周五送到，收货地址还是原来的公司。",
    "数据库迁移之前先备份，迁移之后跑一遍完整的测试，确认没有丢失任何数据再上线。",
    "她想学钢琴，每周六上午上课，老师住在浦东，坐地铁要四十分钟左右。",
    "軟體開發團隊決定把資料庫搬到新的伺服器，預計下個月完成。",
]
ENGLISH = [
    "I'd rather get notifications in Slack than by e-mail; please don't call me unless it's urgent.",
    "The crawler failed three times last night because the proxy timed out, then it fetched 1,200 records.",
    "She's allergic to peanuts, so remind the kitchen every time we order lunch for the team.",
    "Back up the database before the migration and run the whole test suite afterwards.",
    "We moved the quarterly planning meeting to Thursday at 3 pm; Maria will send the budget before then.",
    "My order ORD-2024_001 was supposed to arrive on Friday, but the tracking page still says 'in transit'.",
    "Could you remember that I prefer window seats and never book a layover shorter than ninety minutes?",
    "They've decided to rewrite the billing service; what's still open is who'll maintain the old one.",
]


@pytest.fixture(scope="module")
def counted() -> Count:
    """The larger count of two public tokenizers, whose vocabularies the rs-bpe package holds."""
    package: Any = pytest.importorskip("rs_bpe", reason="the rs-bpe package is not installed")
    openai: Any = importlib.import_module(package.__name__ + ".bpe").openai
    first, second = openai.cl100k_base(), openai.o200k_base()
    return lambda text: max(int(first.count(text)), int(second.count(text)))


def passages(kind: str) -> list[str]:
    """Own texts of one kind, short and long."""
    rng = random.Random(kind)
    if kind == "code":
        files = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.py"))[:60]]
        return [file[at : at + 1500] for file in files for at in range(0, len(file), 1500)]
    if kind == "json":
        return [json.dumps(record(rng), ensure_ascii=rng.random() < 0.3, indent=rng.choice([None, 2])) for _ in range(300)]
    sentences = CHINESE if kind == "zh" else ENGLISH
    gap = "" if kind == "zh" else " "
    return sentences + [gap.join(rng.choices(sentences, k=rng.randint(1, 12))) for _ in range(200)]


def record(rng: random.Random) -> dict[str, object]:
    """One event as an agent's log holds it."""
    return {
        "id": "".join(rng.choices("0123456789abcdef", k=12)),
        "at": f"2026-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}T{rng.randint(0, 23):02}:05:00+08:00",
        "kind": rng.choice(["message", "tool_call", "tool_result"]),
        "text": rng.choice(CHINESE + ENGLISH),
        "tool": {"name": "search_orders", "args": {"page": rng.randint(1, 99), "status": None, "tags": ["new", "paid"]}},
        "cost": round(rng.random(), 6),
    }


@pytest.mark.parametrize("kind", ["zh", "en", "code", "json"])
def test_on_ordinary_text_it_is_never_below_and_at_most_15_per_cent_above_in_the_mean(kind: str, counted: Count) -> None:
    ratios = [estimate_tokens(text) / counted(text) for text in passages(kind) if text]
    assert min(ratios) >= 1.0
    assert statistics.mean(ratios) <= 1.15


@pytest.mark.parametrize("name", ["locomo", "longmemeval_pool", "memdaily", "madial_zh", "realmem", "bfcl_memory"])
def test_on_foreign_text_it_is_never_below_and_at_most_15_per_cent_above_in_the_mean(name: str, data_dir: Path, counted: Count) -> None:
    with lzma.open(data_dir / "eval" / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        texts = [text for _, line in zip(range(12), lines, strict=False) for text in [line[:4000], *strings(json.loads(line))][:300]]
    ratios = [estimate_tokens(text) / counted(text) for text in texts if text]
    assert min(ratios) >= 1.0
    assert statistics.mean(ratios) <= 1.15


def strings(value: Any) -> Iterator[str]:
    """Every string inside a JSON value."""
    if isinstance(value, str):
        yield value
        return
    if isinstance(value, dict):
        value = list(cast("dict[str, Any]", value).values())
    for item in cast("list[Any]", value if isinstance(value, list) else []):
        yield from strings(item)


HARD = [
    string.ascii_letters + " '",
    " \t\n\r/\\.,;:!?-_=*#\"'()[]{}<>",
    "0123456789abcdef",
    " \n/;*",
    "的一是了我不人在他有这，。！？；：（）《》、“”‘’—…·",
    "驫龘鱻麤靐齉鬱彧旡亖㐂䶮",
    "éüñçøłßαβγабвгджзשלוםمرحبا",
    "😀👍🏽❤️\u200d👨👩🇨🇳\u0301\u0300²½Ⅷ①٣〇１",
    "かなカナ한국어ภาษาไทยहिन्दी",
    "\u00a0\u3000\u2003\u200b\ufeff\u0085\x1c\x00\x7f",
]
WORDS = [
    "information",
    " Brown",
    "'t",
    "'s",
    "'Removed",
    "HTTPServer",
    " getUserName",
    "“In",
    "’ve",
    "n't",
    "://",
    "。\n\n",
    " 中",
    "---",
    ".\n/usr",
    "*\n/;c",
    "删除",
    "选择",
]


def short(signs: str) -> st.SearchStrategy[str]:
    """A few of the signs."""
    return st.text(signs, max_size=8)


@settings(max_examples=600)
@given(
    st.lists(st.one_of(st.sampled_from(HARD).flatmap(lambda signs: st.text(signs, max_size=8)), st.sampled_from(WORDS)), max_size=6).map(
        "".join
    )
)
def test_on_hard_text_it_is_never_below(counted: Count, text: str) -> None:
    assert estimate_tokens(text) >= counted(text)


@settings(max_examples=400)
@given(st.text(st.characters(codec="utf-8"), max_size=20))
def test_on_any_text_it_is_never_below(counted: Count, text: str) -> None:
    assert estimate_tokens(text) >= counted(text)


def test_on_random_codes_and_words_it_is_never_below(counted: Count) -> None:
    rng = random.Random(7)
    for alphabet in (string.ascii_lowercase, string.ascii_letters + string.digits + "+/", "0123456789abcdef-", string.printable, *HARD):
        for _ in range(150):
            text = "".join(rng.choices(alphabet, k=rng.randint(1, 60)))
            assert estimate_tokens(text) >= counted(text), text


@pytest.mark.parametrize(
    "text",
    ["", " " * 5000, "-" * 300 + "\n", "=" * 80, "\n" * 400, "a" * 3000, "é" * 900, "😀" * 300, "\0" * 500, "QUJD" * 1000],
)
def test_on_runs_it_is_never_below(text: str, counted: Count) -> None:
    assert estimate_tokens(text) >= counted(text)


def test_a_lone_surrogate_is_counted_and_is_no_error() -> None:
    assert estimate_tokens("\ud800") >= 1
    assert truncate_tokens("\ud800" * 10, 3) == "\ud800" * len(truncate_tokens("\ud800" * 10, 3))


@pytest.mark.parametrize("unit", ["a", " ", "茶", "-", "שלום ", "😀", "e" + "\u0301" * 50, "aB", "bad12", "привет", "买了 iPhone 15\n"])
def test_long_text_is_counted_and_cut_in_linear_time(unit: str) -> None:
    text = (unit * (300_000 // len(unit) + 1))[:300_000]
    start = time.process_time()
    assert estimate_tokens(text) > 0
    assert estimate_tokens(truncate_tokens(text, 1000)) <= 1000
    assert time.process_time() - start < 5.0  # about 0.3 s on a free core


@given(st.one_of(st.text(st.characters(codec=None), max_size=60), st.sampled_from(CHINESE + ENGLISH)), st.integers(-2, 60))
def test_a_cut_text_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    cut = truncate_tokens(text, limit)
    assert text.startswith(cut)
    assert estimate_tokens(cut) <= max(0, limit)
    assert cut == text or estimate_tokens(text) > limit


@pytest.mark.parametrize("whole", ["e\u0301\u0316", "👨\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "🇨🇳"])
def test_a_cut_is_never_inside_what_a_reader_takes_for_one_character(whole: str) -> None:
    text = whole * 40
    lengths = {len(truncate_tokens(text, limit)) for limit in range(200)}
    assert len(lengths) > 2
    assert all(length % len(whole) == 0 for length in lengths)


def test_a_cut_keeps_most_of_what_fits() -> None:
    text = " ".join(ENGLISH)
    for limit in range(20, 150, 10):
        assert estimate_tokens(truncate_tokens(text, limit)) > limit - 8
    assert truncate_tokens("孩子对花生过敏", 4) in {"孩子", "孩子对", "孩子对花"}
