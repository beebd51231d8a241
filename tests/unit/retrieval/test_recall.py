"""A question brings back the right past, in Chinese and English, with reasons, and nothing that is not the asker's."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import msgspec
import pytest

from beebread.backends.reference import ReferenceStore
from beebread.errors import Invalid, Unavailable
from beebread.model import Batch, Event, Evidence, Memory, Where
from beebread.retrieval import Options, Retriever
from tests.unit.retrieval.world import START, AwayIndex, AwayStore, LetterIndex, SlowIndex, World, names


def a_run(world: World, number: int, suite: str, failed: int, session: str, days: float) -> None:
    """A question, a thought, a call, a result and an answer, each caused by the one before."""
    u, t, c, r, a = (f"{kind}{number}" for kind in ("ask", "thought", "call", "result", "answer"))
    minute = 1 / 1440
    world.event(u, f"帮我跑一下{suite}的测试", session=session, days=days)
    world.event(t, "需要调用 run_tests", "thought", causes=[u], session=session, days=days + minute)
    world.event(c, "", "tool_call", causes=[t], session=session, days=days + 2 * minute, tool="run_tests", args={"suite": suite})
    world.event(r, f"{suite}: 50 passed, {failed} failed", "tool_result", causes=[c], session=session, days=days + 3 * minute)
    world.event(a, f"跑完了，有{failed}个没过", "assistant_message", causes=[r], session=session, days=days + 4 * minute)


@pytest.mark.requirement("R1", "R2")
def test_words_find_in_both_languages() -> None:
    world = World()
    world.event("feishu", "以后用飞书通知我，不要发邮件")
    world.event("flight", "I would like an aisle seat on long flights")
    world.event("talk", "今天天气真不错")
    assert names(world.ask("怎么通知我？"))[0] == "feishu"
    assert names(world.ask("Which seats do I like when flying?"))[0] == "flight"


@pytest.mark.requirement("R1")
def test_an_order_number_is_found_exactly_before_whatever_sounds_like_it() -> None:
    world = World()
    world.event("other", "订单 订单 订单 状态 状态 ORD-2024-017 已发货")
    world.event("mine", "客户问 ORD-2024-071 的订单")
    recall = world.ask("订单 ORD-2024-071 的状态是什么")
    assert names(recall)[0] == "mine"
    assert recall.items[0].channels.keys() >= {"exact", "keyword"}
    assert any(reason.startswith("exact") and "ord-2024-071" in reason for reason in recall.items[0].reasons)


@pytest.mark.requirement("R1")
def test_a_tag_an_entity_and_a_slot_are_found_by_their_names() -> None:
    world = World()
    world.memory("tagged", "用三点列表", tags=("风格",))
    world.memory("named", "负责灰度发布", entities=("林舟",))
    world.memory("slot", "prefers Feishu", key="notification.channel", value="feishu")
    assert names(world.ask("我喜欢的风格"))[0] == "tagged"
    assert names(world.ask("林舟做什么"))[0] == "named"
    assert names(world.ask("what is notification.channel set to"))[0] == "slot"


@pytest.mark.requirement("R1")
def test_the_neighbourhood_brings_what_shares_no_word_with_the_question() -> None:
    world = World()
    a_run(world, 1, "支付", 7, "s1", 1)
    recall = world.ask("支付测试的结果怎么样？")
    assert "answer1" in names(recall)
    answer = next(item for item in recall if item.id == "answer1")
    assert set(answer.channels) == {"graph"}
    assert any(reason.startswith("graph") for reason in answer.reasons)


@pytest.mark.requirement("R1")
def test_a_hit_comes_with_its_whole_chain() -> None:
    world = World()
    a_run(world, 1, "支付", 7, "s1", 1)
    a_run(world, 2, "登录", 2, "s2", 2)
    recall = world.ask("支付 50 passed", chain=True)
    result = next(item for item in recall if item.id == "result1")
    assert [record.id for record in result.chain] == ["ask1", "thought1", "call1", "result1", "answer1"]
    assert all(not item.chain for item in world.ask("支付 50 passed"))


@pytest.mark.requirement("R1")
def test_the_chain_of_a_memory_leads_to_the_events_it_rests_on_and_shows_nothing_foreign() -> None:
    world = World()
    a_run(world, 1, "支付", 7, "s1", 1)
    world.event("answer1x", "别人的", user="v")
    world.memory("lesson", "支付测试常有七个失败", evidence=Evidence(sources=("answer1", "answer1x")), days=2)
    item = world.ask("支付测试的教训", kinds=("fact",), chain=True).items[0]
    assert item.sources == ("answer1", "answer1x")
    assert [record.id for record in item.chain] == ["ask1", "thought1", "call1", "result1", "answer1", "lesson"]


@pytest.mark.requirement("R8")
@pytest.mark.parametrize("text", ["你好", "谢谢！", "thanks", "ok", "", "。。。"])
def test_small_talk_loads_nothing_but_what_is_recent(text: str) -> None:
    world = World()
    world.event("old", "你好，我是林舟", session="s0")
    for at in range(30):
        world.event(f"e{at:02}", f"第{at}条消息")
    recall = world.ask(text, session="s1")
    assert list(recall.report.plan["channels"]) == ["recent"]
    assert recall.report.plan["why"]["gate"]
    assert names(recall) == [f"e{at:02}" for at in range(29, 19, -1)]


@pytest.mark.requirement("R1")
def test_just_now_reaches_the_sessions_last_events_first_and_other_devices_next() -> None:
    world = World()
    world.event("phone", "方案甲：先做灰度，再全量", "assistant_message", session="phone")
    world.event("desk", "好的", session="desk")
    recall = world.ask("把刚才的那个发我", session="desk")
    assert "recent" in recall.report.plan["channels"]
    assert "phone" in names(recall)


@pytest.mark.requirement("R4")
def test_filters_hold_in_every_channel() -> None:
    world = World()
    world.event("said", "预算是三万")
    world.event("answered", "预算三万，记下了", "assistant_message", causes=["said"])
    world.memory("kept", "预算三万", tags=("预算",))
    assert names(world.ask("预算", kinds=("assistant_message",))) == ["answered"]
    assert names(world.ask("预算", tags=("预算",))) == ["kept"]
    assert names(world.ask("预算", types=("memory",))) == ["kept"]
    assert names(world.ask("预算", before=START)) == []
    assert set(names(world.ask("预算"))) == {"said", "answered", "kept"}


@pytest.mark.requirement("R4")
def test_an_item_is_structured_and_says_why() -> None:
    world = World()
    world.event("said", "爬虫任务卡在登录页")
    item = world.ask("爬虫任务").items[0]
    assert (item.id, item.kind, item.text, item.status, item.sources) == ("said", "user_message", "爬虫任务卡在登录页", "active", ("said",))
    assert item.score > 0
    assert item.channels["keyword"].rank == 1
    assert item.reasons


@pytest.mark.requirement("I4")
def test_another_users_records_never_come() -> None:
    world = World()
    world.event("mine", "我的护照在抽屉里")
    world.event("theirs", "护照号是 E12345678", user="v")
    assert names(world.ask("护照号 E12345678")) == ["mine"]


def test_a_stale_index_leaks_nothing() -> None:
    index = LetterIndex()
    world = World([index])
    mine, theirs = world.event("mine", "abc"), world.event("theirs", "abc", user="v")
    gone = world.event("gone", "abc")
    index.take(mine, theirs, gone)
    forgotten = msgspec.structs.replace(gone, forgotten_at=world.now)
    asyncio.run(world.store.apply(Batch(replace=(forgotten,))))
    recall = world.ask("bca")
    assert names(recall) == ["mine"]
    assert recall.report.candidates["letters"] == 3
    theirs_alone = LetterIndex()
    theirs_alone.take(theirs)
    other = Retriever(world.store, [theirs_alone])
    world.retriever = other
    assert "not, or no longer, in the store" in world.ask("bca zzz").report.empty


@pytest.mark.requirement("R2")
def test_an_index_of_its_own_channel_runs_like_the_others() -> None:
    index = LetterIndex()
    world = World([index])
    index.take(world.event("near", "lane"), world.event("far", "zzz"))
    recall = world.ask("plane")
    assert names(recall)[0] == "near"
    assert set(recall.items[0].channels) >= {"letters"}
    assert "letters" in recall.report.timings


@pytest.mark.parametrize("index", [AwayIndex, SlowIndex])
def test_a_channel_that_fails_is_noted_and_not_fatal(index: type[LetterIndex]) -> None:
    world = World([index()], Options(deadline_ms=50))
    world.event("said", "爬虫任务")
    recall = world.ask("爬虫")
    assert names(recall) == ["said"]
    assert "letters" in recall.report.failed
    assert "keyword" not in recall.report.failed


def test_when_every_channel_fails_the_caller_is_told() -> None:
    world = World()
    world.store = AwayStore()
    world.retriever = Retriever(world.store)
    with pytest.raises(Unavailable, match="keyword: the store is locked"):
        world.ask("爬虫")


def test_an_unknown_channel_is_refused_and_a_known_one_runs_alone() -> None:
    world = World()
    world.event("said", "爬虫任务")
    world.event("next", "明白", "assistant_message", causes=["said"])
    with pytest.raises(Invalid, match="known|unknown"):
        world.ask("爬虫", channels=("telepathy",))
    assert names(world.ask("爬虫", channels=("keyword",))) == ["said"]
    assert names(world.ask("爬虫", channels=("graph",))) == ["next"]
    assert set(names(world.ask("", channels=("recent",)))) == {"said", "next"}


@pytest.mark.requirement("R2")
def test_the_order_of_time_is_given_on_request() -> None:
    world = World()
    world.event("second", "爬虫的第二版", days=2)
    world.event("third", "爬虫 爬虫 第三版", days=3)
    world.event("first", "爬虫的第一版", days=1)
    world.event("other", "午饭吃什么", days=4)
    assert names(world.ask("爬虫", order="time")) == ["first", "second", "third"]
    assert names(world.ask("", order="time", limit=2)) == ["third", "other"]
    assert names(world.ask("", after=START + timedelta(days=1, hours=1), before=START + timedelta(days=3, hours=1))) == ["third", "second"]


@pytest.mark.requirement("R2")
def test_what_was_superseded_comes_only_with_history_and_ranks_below() -> None:
    world = World()
    world.memory("old", "住在杭州", key="home.city", value="杭州", days=1)
    world.memory("new", "住在成都", key="home.city", value="成都", days=5)
    old = asyncio.run(world.store.get(["old"], Where(asker=world.asker(), now=world.now)))[0]
    assert isinstance(old, Memory)
    when = START + timedelta(days=5)
    asyncio.run(world.store.apply(Batch(replace=(msgspec.structs.replace(old, valid_to=when, closed_at=when, superseded_by="new"),))))
    world.now = START + timedelta(days=6)
    assert names(world.ask("住在哪里")) == ["new"]
    with_history = world.ask("住在哪里", history=True)
    assert names(with_history) == ["new", "old"]
    assert with_history.items[1].status == "superseded"
    assert any(reason.startswith("superseded") for reason in with_history.items[1].reasons)


@pytest.mark.requirement("R2")
def test_a_least_confidence_is_a_filter_and_doubt_lowers() -> None:
    world = World()
    world.memory("sure", "会议室在三楼", confidence=1.0)
    world.memory("unsure", "会议室在三楼吧", confidence=0.3)
    recall = world.ask("会议室在哪")
    assert names(recall) == ["sure", "unsure"]
    assert any(reason.startswith("confidence") for reason in recall.items[1].reasons)
    assert names(world.ask("会议室在哪", min_confidence=0.5)) == ["sure"]


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("question", ["现在用什么数据库？", "what is the database now?"])
def test_age_lowers_and_never_removes(question: str) -> None:
    world = World()
    world.event("old", "数据库 database 用甲", days=0)
    world.event("new", "数据库 database 用乙", days=300)
    world.now = START + timedelta(days=3000)
    recall = world.ask(question)
    assert names(recall) == ["new", "old"]
    assert any(reason.startswith("age") for reason in recall.items[1].reasons)


def test_the_memorys_own_doings_do_not_feed_it() -> None:
    world = World()
    world.event("said", "爬虫任务")
    world.event("echo", "爬虫任务 爬虫任务", "memory_injected")
    assert names(world.ask("爬虫")) == ["said"]
    assert names(world.ask("爬虫", kinds=("memory_injected",))) == ["echo"]
    assert names(world.ask("", session="s1")) == ["said"]


@pytest.mark.requirement("R2")
@pytest.mark.parametrize(
    ("asked", "told"), [("what is the port of the database", "the database has port 5433"), ("数据库端口是多少", "数据库端口是 5433")]
)
def test_a_long_answer_of_a_model_does_not_swamp_what_was_said(asked: str, told: str) -> None:
    world = World()
    world.event("said", told)
    world.event("short", f"{told}, noted", "assistant_message")
    world.event("long", f"{told}. {'About ports and databases in general: 数据库 端口. ' * 40}", "assistant_message")
    factors = {item.id: [reason for reason in item.reasons if reason.startswith("kind")] for item in world.ask(asked).items}
    assert factors == {"said": [], "short": ["kind ×0.90 (assistant_message)"], "long": ["kind ×0.70 (assistant_message)"]}


@pytest.mark.requirement("R1")
@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
@pytest.mark.parametrize(
    "question", ["倒数第 2 版方案是什么？", "我们最后定下来的方案到底是哪一个？", "which plan did we finally agree on last week?"]
)
def test_a_small_memory_is_found_by_a_word_that_is_in_all_of_it(count: int, question: str) -> None:
    world = World()
    for number in range(count):
        world.event(f"e{number}", f"方案 {number}: the plan for 部署")
    assert len(world.ask(question)) == count


@pytest.mark.requirement("R2")
@pytest.mark.parametrize("kind", ["memory_injected", "retrieval", "memory_op"])
def test_any_number_of_its_own_doings_hides_nothing(kind: str) -> None:
    """They repeat the very words of answers, so that they would be the best candidates of every channel."""
    world = World()
    world.event("said", "爬虫 crawler 卡在第 37 页 #page-37")
    for number in range(200):
        world.event(f"echo{number}", "crawler 爬虫 page-37", kind)
    for question in ("crawler", "爬虫", "page-37", ""):
        assert names(world.ask(question, session="s1")) == ["said"], question
    assert names(world.ask("爬虫", session="s1", channels=("recent",))) == ["said"]
    assert names(world.ask("", types=("event",), order="time", after=START)) == ["said"]


@pytest.mark.parametrize("text", ["甲" * 100_000, "的的的", "?!", "\u202eabc", "🐝", "a" * 5000, "select * from x; --"])
def test_any_question_is_answered(text: str) -> None:
    world = World()
    world.event("said", "蜂蜜 🐝")
    recall = world.ask(text)
    assert recall.items or recall.report.empty


def test_an_empty_answer_says_why() -> None:
    world = World()
    assert "nothing" in world.ask("").report.empty
    world.event("said", "爬虫任务")
    assert "words" in world.ask("护照").report.empty
    strict = World(options=Options(floor=5.0))
    strict.event("said", "爬虫任务")
    assert "none relevant enough" in strict.ask("爬虫").report.empty


def test_two_owners_with_the_same_id_stay_apart() -> None:
    world = World()
    world.event("x", "我的爬虫", days=1)
    world.event("x", "大家的爬虫", days=1, scope={"space": "shared", "group": "g"})
    recall = world.ask("爬虫", who=world.asker(groups=("g",)))
    assert sorted(item.text for item in recall) == ["大家的爬虫", "我的爬虫"]
    assert [item.text for item in world.ask("爬虫")] == ["我的爬虫"]


def test_the_same_question_has_the_same_answer() -> None:
    world = World()
    for at in range(20):
        world.event(f"e{at % 7}{at}", "同样的话 the same words", days=1, session=f"s{at}")
    assert names(world.ask("同样的话")) == names(world.ask("同样的话"))
    assert isinstance(world.store, ReferenceStore)
    assert isinstance(world.ask("同样的话").items[0].record, Event)
