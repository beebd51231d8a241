"""`beebread bench recall`: its measures by hand, whole runs on small data of our own, and what it says to data that is wrong."""

from __future__ import annotations

import json
import lzma
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner, Result

from beebread.errors import BeebreadError, Invalid, Unavailable
from beebread.faces.bench import datasets, mem0
from beebread.faces.bench.datasets import Case, Message, Question
from beebread.faces.bench.measures import Answer, Asked, Measure, Shown, judge
from beebread.faces.bench.peers import plain
from beebread.faces.bench.run import measure
from beebread.faces.bench.summary import auroc, interval, rows
from beebread.faces.bench.systems import Beebread
from beebread.faces.bench.vectors import Vectors
from beebread.faces.cli.root import beebread_command
from beebread.models.opening import open_embedder
from beebread.ports import Embedder
from beebread.settings import load
from beebread.text import estimate_tokens
from tools import plot_benchmarks

DATA = Path(os.environ.get("BEEBREAD_DATA") or Path(__file__).resolve().parents[3] / "shared" / "data")
SESSIONS = {f"m{number}": f"s{number // 10}" for number in range(1, 100)}


def answer(*items: str | tuple[str, ...], text: str = "x", top: float = 1.0) -> Answer:
    return Answer(tuple(Shown((item,) if isinstance(item, str) else item, text) for item in items), top, 1.0)


def asking(*gold: str, **more: Any) -> Question:
    return Question("q", "kind", "what?", gold=gold, upto=1, **more)


# ---------------------------------------------------------------- measures by hand


def test_recall_is_the_share_of_gold_within_the_first_items() -> None:
    filler = [f"m{number}" for number in range(40, 60)]
    found = judge(asking("m1", "m2", "m3", "m4"), answer("m1", *filler[:5], "m2", *filler[5:15], "m3", *filler[15:]), SESSIONS)
    assert (found.r5, found.r10, found.r20) == (0.25, 0.5, 0.75)
    assert (found.mrr, found.first) == (1.0, 1.0)


def test_gain_is_discounted_by_rank_and_held_against_the_best_order() -> None:
    found = judge(asking("m1", "m2"), answer("m9", "m1", "m8", "m2"), SESSIONS)
    wanted = (1 / math.log2(3) + 1 / math.log2(5)) / (1 / math.log2(2) + 1 / math.log2(3))
    assert found.ndcg10 == pytest.approx(wanted)
    assert (found.mrr, found.first) == (0.5, 0.0)


def test_an_item_counts_once_for_all_that_it_rests_on() -> None:
    found = judge(asking("m1", "m2"), answer(("x", "m1", "m2"), ("y", "m1"), "m2"), SESSIONS)
    assert found.r5 == 1.0
    assert found.ndcg10 == pytest.approx(1 / (1 + 1 / math.log2(3)))


def test_sessions_are_ranked_by_their_best_item() -> None:
    far = ["m10", "m11", "m20", "m30", "m40", "m50", "m1"]  # the sixth session
    assert judge(asking("m2"), answer(*far), SESSIONS).session_hit5 == 0.0
    found = judge(asking("m2"), answer(*far[:4], "m1"), SESSIONS)
    assert (found.session_hit5, found.session_r10, found.r10) == (1.0, 1.0, 0.0)
    both = judge(asking("m2", "m99", gold_sessions=("s0", "s9")), answer("m1"), SESSIONS)
    assert both.session_r10 == 0.5


def test_a_budget_holds_what_fits_from_the_top() -> None:
    text = "memory " * 100
    size = estimate_tokens(text)
    items = [f"m{number}" for number in range(1, 60)]
    for name, budget in (("in512", 512), ("in1024", 1024), ("in2048", 2048)):
        fits = budget // size
        assert getattr(judge(asking(items[fits - 1]), answer(*items, text=text), SESSIONS), name) == 1.0
        assert getattr(judge(asking(items[fits]), answer(*items, text=text), SESSIONS), name) == 0.0


@pytest.mark.parametrize(
    ("items", "ahead"), [(("m1", "m2"), 1.0), (("m2", "m1"), 0.0), (("m1",), 1.0), (("m2",), 0.0), (("m9",), 0.0), ((), 0.0)]
)
def test_the_present_value_stands_ahead_of_the_outdated(items: Sequence[str], ahead: float) -> None:
    assert judge(asking("m1", outdated=("m2",)), answer(*items), SESSIONS).ahead == ahead
    assert judge(asking("m1"), answer(*items), SESSIONS).ahead is None


def test_items_of_others_are_counted() -> None:
    assert judge(asking("u1-1", forbidden=("u2-",)), answer("u1-1", "u2-1", "u2-2"), {"u1-1": "s"}).leaks == 2
    assert judge(asking(forbidden=("u2-",)), answer("u2-1"), {}).leaks == 1


def test_telling_apart_is_the_share_of_pairs_in_order() -> None:
    assert auroc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert auroc([0.1], [0.9]) == 0.0
    assert auroc([0.5, 0.9], [0.5, 0.1]) == 0.875
    assert auroc([], [0.5]) is None


def test_the_interval_holds_the_mean_and_is_the_same_again() -> None:
    values = [0.0, 1.0] * 50
    low, high = interval(values)
    assert (low, high) == interval(values)
    assert low is not None and high is not None and 0.38 < low < 0.44 and 0.56 < high < 0.62
    assert interval([1.0] * 9) == (1.0, 1.0)
    assert interval([]) == (None, None)


def test_questions_without_an_answer_stand_apart() -> None:
    def one(kind: str, abstain: bool, r10: float | None, top: float) -> Asked:
        return Asked(
            dataset="d", system="s", case="c", lang="en", question="q", type=kind, abstain=abstain, gold=(), outdated=(), items=(),
            measure=Measure(r10=r10, top=top, empty=float(top == 0.0), ms=3.0, embed_ms=1.0),
        )  # fmt: skip

    lines = {row.type: row for row in rows([one("fact", False, 1.0, 0.9), one("fact", False, 0.0, 0.2), one("trap", True, 0.0, 0.3),
                                            one("none", True, None, 0.0)])}  # fmt: skip
    whole = lines["all"]
    assert (whole.questions, whole.graded, whole.r10, whole.auroc, whole.abstained) == (4, 2, 0.5, 0.75, 0.5)
    assert (whole.p50_ms, whole.search_p50_ms) == (3.0, 2.0)
    assert (lines["trap"].r10, lines["trap"].graded, lines["none"].r10) == (0.0, 1, None)


# ---------------------------------------------------------------- whole runs on data of our own


def small(name: str, lang: str, said: Sequence[str], asked: str, gold: int, **more: Any) -> dict[str, Any]:
    messages = [
        {"id": f"{name}-{at}", "session": f"{name}-s{at // 2}", "ts": f"2026-03-{at + 1:02}T09:00:00+00:00", "role": "user",
         "speaker": name, "text": text} for at, text in enumerate(said)
    ]  # fmt: skip
    question = {
        "id": f"{name}-q", "type": "fact", "text": asked, "asked_at": "2026-03-20T09:00:00+00:00", "gold": [f"{name}-{gold}"],
        "outdated": [], "gold_sessions": [], "abstain": False, "upto": len(said), **more,
    }  # fmt: skip
    return {"dataset": "small", "case": name, "lang": lang, "messages": messages, "questions": [question]}


EN = small("ann", "en", ["I moved to Lisbon", "My dog is called Rex", "The rent is due on Friday"], "What is my dog called?", 1)
ZH = small("小王", "zh", ["我养了一只猫叫团团", "下周要去成都出差", "数据库换成了TiDB"], "我的猫叫什么名字?", 0)


def written(folder: Path, *cases: dict[str, Any], name: str = "small", tail: bytes = b"") -> Path:
    (folder / "eval").mkdir(parents=True, exist_ok=True)
    lines = b"".join(json.dumps(case, ensure_ascii=False).encode() + b"\n" for case in cases)
    (folder / "eval" / f"{name}.jsonl.xz").write_bytes(lzma.compress(lines + tail))
    return folder


def bench(folder: Path, *words: str, embedder: str = "none") -> Result:
    return CliRunner().invoke(beebread_command, ["bench", "recall", "--data", str(folder), *words], env={"BEEBREAD_EMBEDDER": embedder})


def hashing() -> Embedder:
    embedder = open_embedder("hashing://", load()).embedder
    assert embedder is not None
    return embedder


def refused(folder: Path, *words: str) -> str:
    error = bench(folder, *words).exception
    assert isinstance(error, BeebreadError), error
    return str(error)


def test_both_languages_are_found_and_every_question_is_kept(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    done = bench(written(tmp_path, EN, ZH), "--peer", "bm25", "--raw", str(raw), "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert {row["system"]: (row["questions"], row["r5"], row["leaks"]) for row in told["rows"]} == {
        "beebread": (2, 1.0, 0),
        "bm25": (2, 1.0, 0),
    }
    assert told["about"]["versions"]["beebread"] and told["about"]["machine"] and told["about"]["seeds"] == [1, 2, 3]
    about, *kept = [json.loads(line) for line in raw.read_text(encoding="utf-8").splitlines()]
    assert about == told["about"]
    assert {(one["system"], one["lang"], one["gold"][0]) for one in kept} == {
        (system, lang, 1) for system in ("beebread", "bm25") for lang in ("en", "zh")
    }


def test_each_channel_is_switched_off_in_turn(tmp_path: Path) -> None:
    folder = written(tmp_path, EN, ZH)
    told = json.loads(bench(folder, "--ablate", "--json").stdout)
    lines = {row["system"]: row["r5"] for row in told["rows"]}
    assert {"beebread", "beebread -keyword", "beebread -graph"} <= set(lines)
    assert lines["beebread -keyword"] < lines["beebread"] == 1.0
    shown = bench(folder, "--ablate", "--types")
    assert shown.exit_code == 0 and "-keyword" in shown.stdout and "R@10" in shown.stdout


def test_a_question_sees_only_what_was_there_when_it_was_asked() -> None:
    messages = tuple(Message(f"m{at}", "s", "user", text) for at, text in enumerate(["the code is 1234", "the code is 5678"]))
    early, late = (Question(f"q{upto}", "fact", "what is the code?", gold=("m1",), upto=upto) for upto in (1, 2))
    steps: list[int] = []
    for make in (Beebread, lambda: plain("bm25", None)):
        ((found),) = measure([Case("c", "en", messages, (late, early), "d", "w")], make, lambda: steps.append(1)).values()
        assert {one.question: one.measure.r10 for one in found} == {"q1": 0.0, "q2": 1.0}
    assert len(steps) == 4


def test_two_owners_in_one_folder_stay_apart() -> None:
    def case(name: str, other: str) -> Case:
        question = Question("q", "fact", "我的密码是什么", gold=(f"{name}-1",), forbidden=(f"{other}-",), upto=1)
        return Case(name, "zh", (Message(f"{name}-1", "s", "user", "我的密码是天王盖地虎"),), (question,), "d", "w")

    for found in measure([case("甲", "乙"), case("乙", "甲")], Beebread, lambda: None).values():
        assert [(one.measure.r5, one.measure.leaks) for one in found] == [(1.0, 0), (1.0, 0)]


@pytest.mark.parametrize("peer", ["embedder", "sum"])
def test_peers_work_on_the_products_own_embedder(tmp_path: Path, peer: str) -> None:
    done = bench(written(tmp_path, EN, ZH), "--peer", peer, "--json", embedder="hashing://")
    assert done.exit_code == 0, done.output or done.exception
    told = json.loads(done.stdout)
    assert "hashing" in told["about"]["systems"]["embedder"]
    assert [row["r5"] for row in told["rows"] if row["system"] == peer] == [1.0]


def test_sets_are_joined_into_one_owner(tmp_path: Path) -> None:
    folder = written(written(tmp_path, EN, name="a").parent / tmp_path.name, ZH, name="b")
    (row,) = json.loads(bench(folder, "--size", "5", "--json").stdout)["rows"]
    assert (row["dataset"], row["questions"], row["r5"]) == ("5 together", 2, 1.0)
    assert "fewer than 7" in refused(folder, "--size", "7")


# ---------------------------------------------------------------- data that is wrong


def test_a_missing_or_empty_folder_is_told(tmp_path: Path) -> None:
    assert "--data names the folder that holds eval/" in refused(tmp_path / "nowhere")
    (tmp_path / "eval").mkdir()
    assert "holds no set" in refused(tmp_path)
    assert CliRunner().invoke(beebread_command, ["bench", "recall"], env={"BEEBREAD_DATA": None}).exit_code == 2


def test_an_unknown_set_is_told_with_the_nearest(tmp_path: Path) -> None:
    assert "did you mean small?" in refused(written(tmp_path, EN), "--set", "smal")


@pytest.mark.parametrize(
    ("tail", "said"),
    [
        (b"{broken\n", "line 2: this is no case"),
        (b'{"case": "x"}\n', "line 2"),
        (json.dumps(small("bob", "en", ["one"], "what?", 4)).encode(), "names the message 'bob-4'"),
        (json.dumps(small("bob", "en", ["one"], "what?", 0, upto=2)).encode(), "asked after 2 of 1 messages"),
    ],
)
def test_a_line_that_is_no_case_is_told_with_its_place(tmp_path: Path, tail: bytes, said: str) -> None:
    told = refused(written(tmp_path, EN, tail=tail))
    assert said in told and "small.jsonl.xz, line 2" in told


def test_a_damaged_file_and_a_set_without_questions_are_told(tmp_path: Path) -> None:
    path = written(tmp_path, EN) / "eval" / "small.jsonl.xz"
    path.write_bytes(path.read_bytes()[:-20])
    assert "small.jsonl.xz" in refused(tmp_path)
    written(tmp_path, {**EN, "questions": []})
    assert "has no question" in refused(tmp_path)


def test_raw_results_need_a_place(tmp_path: Path) -> None:
    assert "raw results cannot be kept" in refused(written(tmp_path, EN), "--raw", str(tmp_path / "no" / "raw.jsonl"))


def test_vectors_need_an_embedder(tmp_path: Path) -> None:
    assert "there is no embedder" in refused(written(tmp_path, EN), "--peer", "embedder")


def test_a_case_with_one_id_twice_is_refused(tmp_path: Path) -> None:
    twice = {**EN, "messages": [*EN["messages"], EN["messages"][0]]}
    with pytest.raises(Invalid, match="two messages of one id"):
        datasets.cases(written(tmp_path, twice), "small")


# ---------------------------------------------------------------- peers in a process of their own, and plots

SCRIPTED = """
import json, sys
print(json.dumps({"version": "0"}), flush=True)
kept = []
for line in sys.stdin:
    asked = json.loads(line)
    if "add" in asked:
        kept += [item["id"] for item in asked["add"]]
        assert {len(item["vector"]) for item in asked["add"]} == {int(sys.argv[2])} and asked["add"][0]["text"].startswith("ann: ")
        print("{}", flush=True)
    elif asked["ask"] == "die":
        sys.exit(3)
    else:
        print(json.dumps({"found": [[name, 0.5] for name in reversed(kept)], "ms": 7.0}), flush=True)
"""


def test_a_peer_answers_over_its_pipes_and_its_end_is_told(tmp_path: Path) -> None:
    script = tmp_path / "peer.py"
    script.write_text(SCRIPTED, encoding="utf-8")
    vectors = Vectors(hashing())
    (case,) = datasets.cases(written(tmp_path, EN), "small")
    peer = mem0.Mem0(Path(sys.executable), vectors, script)
    try:
        peer.add(case, case.messages, 0)
        found = peer.ask(case, case.questions[0])["mem0"]
        assert [item.ids for item in found.items] == [("ann-2",), ("ann-1",), ("ann-0",)]
        assert found.items[0].text == "The rent is due on Friday" and found.top == 0.5
        assert found.ms == pytest.approx(7.0 + found.embed_ms) and found.embed_ms > 0
        with pytest.raises(Unavailable, match="ended with 3"):
            peer.ask(case, msgspec.structs.replace(case.questions[0], text="die"))
    finally:
        peer.close()
        vectors.close()


@pytest.mark.soak
def test_mem0_itself_is_measured(tmp_path: Path) -> None:
    """Installs it: needs the package index."""
    done = bench(written(tmp_path, EN, ZH), "--peer", "mem0", "--json", embedder="hashing://")
    assert done.exit_code == 0, done.output or done.exception
    assert [row["r5"] for row in json.loads(done.stdout)["rows"] if row["system"] == "mem0"] == [1.0]


def test_plots_and_tables_are_drawn_from_raw_results(tmp_path: Path) -> None:
    sets, joined = tmp_path / "sets.jsonl", tmp_path / "joined.jsonl"
    assert bench(written(tmp_path, EN, ZH), "--peer", "bm25", "--ablate", "--raw", str(sets)).exit_code == 0
    assert bench(tmp_path, "--peer", "bm25", "--size", "6", "--raw", str(joined)).exit_code == 0
    told, lines = plot_benchmarks.read([sets, joined])
    plots, page = plot_benchmarks.drawn(told, lines, f"before\n{plot_benchmarks.BEGIN}old{plot_benchmarks.END}\nafter")
    assert set(plots) == {"recall.svg", "budgets.svg", "times.svg"}
    for plot in plots.values():
        assert ElementTree.fromstring(plot).tag.endswith("svg")
    assert page.startswith("before\n") and page.endswith("\nafter") and "old" not in page
    assert "| R@5 | 1.000 | 1.000 |" in page and "| small | all | 2 | 1.000 |" in page
    assert all(f"plots/{name}" in page for name in plots)
    assert plot_benchmarks.drawn(told, lines, page)[1] == page


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "eval").is_dir(), reason="BEEBREAD_DATA names no folder with the data sets")
def test_real_sets_can_be_asked() -> None:
    told = json.loads(bench(DATA, "--set", "synth", "--set", "bfcl_memory", "--limit-cases", "1", "--peer", "bm25", "--json").stdout)
    whole = {(row["dataset"], row["system"]): row for row in told["rows"] if row["type"] == "all"}
    assert set(whole) == {(name, system) for name in ("synth", "bfcl_memory") for system in ("beebread", "bm25")}
    assert all(row["r10"] > 0.2 and row["leaks"] == 0 for row in whole.values())
