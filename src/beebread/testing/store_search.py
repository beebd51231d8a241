"""The keyword and exact channels of a Store: exact BM25 over what the asker's owners keep, filtered before it is ranked."""

from __future__ import annotations

from typing import Any

from beebread.errors import Invalid
from beebread.model import Event, Hit, Memory, Principal, Tool, exact_keys, owner, owners, search_text, signature
from beebread.policy import matches
from beebread.ports import Probe, Store
from beebread.testing.scene import Check, Scene, changed, holds, minutes, names, refused, same
from beebread.text import bm25, document, idf, query_terms

DIGITS = 9
TEXTS = (
    "我要退款，订单号是 ORD-2024-001", "The refund was approved yesterday", "refund refund refund",
    "请把航班改签到周五下午", "我的猫叫咪咪，它喜欢吃鱼",
    "买了iPhone 15 Pro",
    "He runs every morning; running is fun",
    "a much longer message about many things, among them a refund, a cat, a flight and the weather of a week in Paris",
    "猫", "退款退款", "…", "the", "getUserName returned 404 in src/app/main.py", "電話 0912-345-678", "Ｆｕｌｌ　ｗｉｄｔｈ ｒｅｆｕｎｄ",
)  # fmt: skip


async def corpus(scene: Scene) -> list[Event | Memory]:
    """Texts of ann's, her group's and everyone's, some invisible to her, some forgotten; and many of others'."""
    group, all_, secret = scene.scope(space="shared", group="g"), scene.scope(space="shared"), scene.scope(sensitivity=3)
    private = scene.scope(agent="bot")
    records: list[Event | Memory] = [scene.event(f"e{number}", text) for number, text in enumerate(TEXTS)]
    records += [scene.memory(f"g{number}", text, scope=group) for number, text in enumerate(TEXTS[::3])]
    records += [scene.memory(f"a{number}", text, scope=all_, kind="preference") for number, text in enumerate(TEXTS[::4])]
    records += [scene.event(f"s{number}", text, scope=secret) for number, text in enumerate(TEXTS[:4])]
    records += [scene.event(f"p{number}", text, scope=private) for number, text in enumerate(TEXTS[1:3])]
    records += [scene.event(f"f{number}", text, forgotten_at=minutes(1)) for number, text in enumerate(TEXTS[:3])]
    records += [scene.memory("old", "an old refund", valid_to=minutes(10)), scene.event("silent"), scene.event("tagged", tags=("refund",))]
    others = [scene.event(f"e{number}", "refund 退款 猫", scope=scene.scope("bob")) for number in range(20)]
    others += [scene.event(f"x{number}", "refund 退款 猫 cat", scope=scene.scope(space="shared", group="h")) for number in range(20)]
    await scene.put(*records, *others)
    return [*records, *others]


def ranked(records: list[Event | Memory], who: Principal, terms: list[str], shown: list[Event | Memory]) -> list[tuple[str, float]]:
    """What the keyword channel must answer by the formula: statistics over every unforgotten record with words of the asker's owners."""
    mine = owners(who)
    held = [
        (record, document(search_text(record), exact_keys(record)))
        for record in records
        if owner(record.scope) in mine and not record.forgotten_at
    ]
    held = [(record, entry) for record, entry in held if entry.length]
    average = sum(entry.length for _, entry in held) / len(held) if held else 0.0
    weights = {term: idf(len(held), sum(term in entry.terms for _, entry in held)) for term in terms}
    scores = [
        (record.id, round(sum(bm25(entry.terms[term], entry.length, average, weights[term]) for term in terms if term in entry.terms),
        DIGITS))
        for record, entry in held if record in shown
    ]  # fmt: skip
    return sorted(((name, score) for name, score in scores if score), key=lambda pair: (-pair[1], pair[0]))


def rounded(hits: list[Hit]) -> list[tuple[str, float]]:
    """Hits by their score and id, scores that differ by rounding alone being equal."""
    return sorted(((hit.id, round(hit.score, DIGITS)) for hit in hits), key=lambda pair: (-pair[1], pair[0]))


async def bm25_is_exact(store: Store) -> None:
    """Scores equal the formula, pooled over the asker's owners: invisible and filtered records count, foreign and forgotten do not."""
    scene = Scene(store)
    records = await corpus(scene)
    askers = [
        scene.who(),
        scene.who(groups=("g",)),
        scene.who(groups=("g",), clearance=3, agent="bot"),
        scene.who("bob"),
        scene.who("eve", groups=("h",)),
    ]
    queries = [
        "refund",
        "退款",
        "猫",
        "the cat refund",
        "runs",
        "航班改签",
        "iPhone 15",
        "ORD-2024-001",
        "订单号",
        "full width",
        "電話",
        "电话",
        "getUserName",
        "the",
        "的",
        "zzz",
        "…",
        "",
    ]
    given: list[dict[str, Any]] = [
        {},
        {"types": ("memory",)},
        {"kinds": ("preference",)},
        {"status": ("superseded",)},
        {"after": minutes(4), "before": minutes(20)},
    ]
    for who in askers:
        for fields in given:
            where = scene.where(who, **fields)
            shown = [record for record in records if matches(record, where)]
            for query in queries if not fields else queries[:3]:
                hits = await scene.words(query, who, **fields)
                wanted = ranked(records, who, query_terms(query), shown)
                same(rounded(hits), wanted, f"{query!r} by {who.user} {who.groups} with {fields}")
                scores = [hit.score for hit in hits]
                holds(scores == sorted(scores, reverse=True), f"hits of {query!r} are best first")
                holds(all(hit.owner in owners(who) for hit in hits), f"hits of {query!r} name an owner of the asker's")


async def statistics_follow_changes(store: Store) -> None:
    """After merges, replacements, forgetting and erasing, scores are those of a store that had only ever held what is there."""
    scene = Scene(store)
    records = await corpus(scene)
    await scene.put(scene.event("silent", "refund"))
    changes = {"e1": "no such word", "e2": "refund 退款", "old": "cats and dogs"}
    by_name = {record.id: record for record in records if record.scope.user == "ann" and not record.scope.group}
    await scene.replace(*(changed(by_name[name], text=text) for name, text in changes.items()))
    await scene.replace(changed(by_name["e0"], forgotten_at=minutes(3)), changed(by_name["f1"], forgotten_at=None))
    where = scene.where(scene.who(clearance=3, agent="bot"), status=("active", "superseded", "forgotten"))
    now = [record for record in await store.scan(where, 1000) if isinstance(record, (Event, Memory))]
    for query in ("refund", "退款", "cat", "订单"):
        shown = [record for record in now if matches(record, scene.where())]
        same(rounded(await scene.words(query)), ranked(now, scene.who(), query_terms(query), shown), f"{query!r} after changes")


async def ties_by_id(store: Store) -> None:
    """Equal scores are ordered by id, and `limit` keeps the first."""
    scene = Scene(store)
    for name in ("c", "a", "é", "B", "d"):
        await scene.put(scene.event(name, "equal words"))
    same(names(await scene.words("equal")), ["B", "a", "c", "d", "é"], "ties")
    same(names(await scene.words("equal", limit=2)), ["B", "a"], "the first two")
    same(await scene.words("equal", limit=0), [], "none")
    await scene.put(*(scene.event(name, kind="thought", tags=("t",)) for name in ("z", "y", "é2")))
    same(names(await scene.exact("#t")), ["y", "z", "é2"], "ties of the exact channel")


async def filter_before_rank(store: Store) -> None:
    """One record among two hundred better ones of others, or among two hundred that do not answer, is found at a limit of one."""
    scene = Scene(store)
    await scene.put(*(scene.event(f"b{number}", "refund refund", scope=scene.scope("bob"), tags=("t",)) for number in range(200)))
    await scene.put(*(scene.event(f"s{number}", "refund refund", scope=scene.scope(sensitivity=3), tags=("t",)) for number in range(200)))
    await scene.put(*(scene.event(f"k{number}", "refund refund", kind="thought", tags=("t",)) for number in range(200)))
    await scene.put(scene.event("mine", "a long text in which there is, in the end, one refund among many other words", tags=("t",)))
    where = scene.where(kinds=("user_message",))
    for channel, terms in (("keyword", query_terms("refund")), ("exact", ["@#t"])):
        hits = await store.search(Probe(channel=channel, where=where, limit=1, terms=tuple(terms)))
        same(names(hits), ["mine"], f"the one record of the {channel} channel")


async def chinese_and_english(store: Store) -> None:
    """Short Chinese queries, mixed script, other forms of English words and Chinese characters: what a reader would find is found."""
    scene = Scene(store)
    await scene.put(*(scene.event(f"e{number}", text) for number, text in enumerate(TEXTS)))
    asks: dict[str, set[str]] = {
        "猫": {"e4", "e8"}, "退款": {"e0", "e9"}, "咪咪": {"e4"},
        "iphone": {"e5"}, "买了iPhone 15 Pro": {"e5"}, "run": {"e6"}, "改签": {"e3"},
        "REFUNDS": {"e1", "e2", "e7", "e14"}, "电话": {"e13"},
    }  # fmt: skip
    for query, wanted in asks.items():
        missing = wanted - set(names(await scene.words(query)))
        holds(not missing, f"{query!r} does not find {missing}")
    same(await scene.words("！？…"), [], "a query of punctuation")


async def exact_channel(store: Store) -> None:
    """The exact channel finds tags, keys, entities, precise things in text and calls of a tool, by the number of terms met."""
    scene = Scene(store)
    call = scene.event("call", kind="tool_call", tool=Tool("lookup", "1", {"order": "A1"}))
    await scene.put(
        scene.event("text", "see ORD-2024-001 in src/app/main.py"), scene.event("tag", tags=("zoo", "z%")), call,
        scene.event("result", kind="tool_result", tool=Tool("lookup", "1", {"order": "A1", "note": ""})),
        scene.event("other call", kind="tool_call", tool=Tool("lookup", "2", {"order": "A2"})),
        scene.memory("key", "the value", key="user.home_city", entities=("Paris",), tags=("zoo",)), scene.memory("prose",
        "zoo user.home_city Paris"),
    )  # fmt: skip
    same(sorted(names(await scene.exact("#zoo"))), ["key", "tag"], "by tag")
    same(names(await scene.exact("#z%")), ["tag"], "by a tag with a wildcard's sign")
    same(names(await scene.exact("#z_")), [], "by a wildcard")
    same(names(await scene.exact("@user.home_city")), ["key"], "by slot key")
    same(names(await scene.exact("&Paris")), ["key"], "by entity")
    same(names(await scene.exact(text="where is ord-2024-001?")), ["text"], "by a number that the text names")
    same(sorted(names(await scene.exact(f"!{signature(call)}"))), ["call", "result"], "by the signature of a call")
    hits = await scene.exact("#zoo", "&Paris", "@none", text="src/app/main.py")
    same([(hit.id, hit.score) for hit in hits], [("key", 2.0), ("tag", 1.0), ("text", 1.0)], "scores count the terms that are met")
    same(await scene.exact("#zoo", who=scene.who("bob")), [], "another user's tags")
    same(names(await scene.words("zoo")), ["prose"], "a tag is no word")


async def unknown_channels(store: Store) -> None:
    """A channel that the store has not is Invalid; those that the conformance kit asks for it has."""
    scene = Scene(store)
    holds({"keyword", "exact"} <= store.channels, f"channels {sorted(store.channels)} lack keyword or exact")
    for channel in ("", "none", "KEYWORD"):
        await refused(store.search(Probe(channel=channel, where=scene.where(), limit=1, terms=("a",))), Invalid, f"channel {channel!r}")


async def search_by_scope(store: Store) -> None:
    """No hit of either channel is beyond the asker's sight, whatever the words."""
    scene = Scene(store)
    await corpus(scene)
    for who in (
        scene.who(),
        scene.who("eve"),
        scene.who(kinds=("preference",)),
        scene.who(kinds=()),
        scene.who("ann", tenant=scene.tenant + "x"),
    ):
        where = scene.where(who)
        for hits in (await scene.words("refund 退款 猫", who), await scene.exact("#refund", text="ORD-2024-001", who=who)):
            found = [record for hit in hits for record in await store.get([hit.id], where)]
            holds({hit.id for hit in hits} <= {record.id for record in found if matches(record, where)}, f"hits beyond the sight of {who}")


CHECKS: tuple[Check, ...] = (
    statistics_follow_changes, ties_by_id, filter_before_rank, chinese_and_english, exact_channel, unknown_channels,
    search_by_scope,
    bm25_is_exact,
)  # fmt: skip
