"""Measures what comes back: development halves of public data sets and a generator, asked through the public API.

    python benchmarks/quality.py [--dataset locomo synth …] [--limit-cases N] [--baseline bm25] [--json]

Data is read from the folder that BEEBREAD_DATA names (default ../shared/data beside the repository); its README says how to get the
public originals. Each case is one memory owner with a history and questions; a question sees only what was there when it was asked.
"""

from __future__ import annotations

import argparse
import heapq
import importlib.util
import lzma
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec import Struct

from beebread import Client
from beebread.text import bm25, document, idf, query_terms

DATA = Path(os.environ.get("BEEBREAD_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
DEPTH = 10
SEEDS = (1, 2, 3)
# Where a history has no dates, its messages are a minute apart from here on.
UNDATED = datetime.fromisoformat("2024-01-01T00:00:00+00:00")


class Message(Struct, frozen=True):
    """One thing that was said or done; `kind` and `parent` only where the data has runs of tools."""

    id: str | int
    session: str
    role: str
    text: str
    speaker: str = ""
    ts: str | None = None
    kind: str = ""
    parent: str | None = None


class Question(Struct, frozen=True):
    """What is asked when the first `upto` messages are there, and the messages that hold the answer, or an answer that no longer holds."""

    id: str
    type: str
    text: str
    asked_at: str | None = None
    gold: tuple[str | int, ...] = ()
    outdated: tuple[str | int, ...] = ()
    abstain: bool = False
    upto: int = 0
    forbidden: tuple[str, ...] = ()


class Case(Struct, frozen=True):
    """One memory owner; `world` names those who share a folder."""

    dataset: str
    case: str
    lang: str
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]
    world: str = ""


class Answer(Struct, frozen=True):
    """Ids of what came back, best first, each with the ids of the messages it rests on, and how long it took."""

    items: tuple[tuple[str, ...], ...]
    ms: float


class System(Protocol):
    """Something that remembers one owner's messages and answers his questions."""

    def add(self, case: Case, messages: Sequence[Message], first: int) -> None:
        """Take in messages of `case`, the earliest being its number `first`."""
        ...

    def ask(self, case: Case, question: Question) -> Answer:
        """The best answers to the question."""
        ...

    def close(self) -> None:
        """Let go of everything kept."""
        ...


def stamp(message: Message, number: int) -> datetime:
    """When a message was said; a time without a zone is taken as UTC."""
    return moment(message.ts) if message.ts else UNDATED + timedelta(minutes=number)


def moment(text: str) -> datetime:
    """An ISO time, in UTC where it names no zone."""
    value = datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=UNDATED.tzinfo)


class Beebread:
    """The product, through the same calls as a user makes: record, flush, query."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="beebread-quality-")
        self._client = Client(self._folder.name)

    def add(self, case: Case, messages: Sequence[Message], first: int) -> None:
        sessions: dict[str, Client] = {}
        for number, message in enumerate(messages, first):
            if message.session not in sessions:
                sessions[message.session] = self._client.bind(user=user(case), session=message.session)
            kind = {"tool_call": "tool_call", "tool_result": "tool_result", "thought": "thought"}.get(
                message.kind, "assistant_message" if message.role == "assistant" else "user_message"
            )
            sessions[message.session].record(
                kind, message.text, at=stamp(message, number), id=str(message.id), speaker=message.speaker,
                causes=[message.parent] if message.parent else [], seq=number,
            )  # fmt: skip
        self._client.flush()

    def ask(self, case: Case, question: Question) -> Answer:
        now = moment(question.asked_at) if question.asked_at else stamp(case.messages[question.upto - 1], question.upto - 1)
        mine = self._client.bind(user=user(case))
        began = time.perf_counter()
        recall = mine.query(question.text, limit=DEPTH, now=now + timedelta(minutes=1))
        ms = (time.perf_counter() - began) * 1000
        return Answer(tuple((item.id, *item.sources) for item in recall), ms)

    def close(self) -> None:
        self._client.close()
        self._folder.cleanup()


class PlainBM25:
    """The line to hold against: BM25 over the turns of one owner, with nothing beside it."""

    def __init__(self) -> None:
        self._owners: dict[str, tuple[list[str], list[int], dict[str, list[tuple[int, int]]]]] = {}

    def add(self, case: Case, messages: Sequence[Message], first: int) -> None:
        if first == 0:
            self._owners[user(case)] = ([], [], {})
        ids, lengths, postings = self._owners[user(case)]
        for message in messages:
            held = document(message.text)
            for term, count in held.terms.items():
                postings.setdefault(term, []).append((len(ids), count))
            ids.append(str(message.id))
            lengths.append(held.length)

    def ask(self, case: Case, question: Question) -> Answer:
        began = time.perf_counter()
        ids, lengths, postings = self._owners[user(case)]
        average = sum(lengths) / len(lengths)
        scores: dict[int, float] = {}
        for term in query_terms(question.text):
            found = postings.get(term, [])
            weight = idf(len(ids), len(found))
            for at, count in found:
                scores[at] = scores.get(at, 0.0) + bm25(count, lengths[at], average, weight)
        best = heapq.nsmallest(DEPTH, scores, key=lambda at: (-scores[at], at))
        return Answer(tuple((ids[at],) for at in best), (time.perf_counter() - began) * 1000)

    def close(self) -> None:
        self._owners.clear()


SYSTEMS: dict[str, type[Beebread] | type[PlainBM25]] = {"beebread": Beebread, "bm25": PlainBM25}


def user(case: Case) -> str:
    """The user whose memory a case is."""
    return case.case


# ---------------------------------------------------------------- data


def datasets() -> list[str]:
    """What can be measured here."""
    return ["synth", *sorted(path.name.removesuffix(".jsonl.xz") for path in (DATA / "eval").glob("*.jsonl.xz"))]


def cases(dataset: str) -> Iterator[Case]:
    """The cases of a data set one by one, so that none but the present one is in memory."""
    if dataset == "synth":
        for seed in SEEDS:
            for raw in _generated(seed):
                yield msgspec.structs.replace(msgspec.convert(raw, Case, strict=False), world=f"synth {seed}")
        return
    with lzma.open(DATA / "eval" / f"{dataset}.jsonl.xz", "rb") as lines:
        for line in lines:
            case = msgspec.json.decode(line, type=Case)
            yield msgspec.structs.replace(case, dataset=dataset, world=dataset)


def _generated(seed: int) -> list[dict[str, Any]]:
    spec = importlib.util.spec_from_file_location("synth", DATA / "eval" / "synth.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(DATA / "eval" / "synth.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.generate(seed)


# ---------------------------------------------------------------- measures


class Measure(Struct, frozen=True):
    """What one answer was worth. A measure that a question does not have is None."""

    any5: float | None
    any10: float | None
    frac10: float | None
    ndcg10: float | None
    leaks: int
    stale: float | None  # an outdated value stands above the present one, or alone
    abstained: float | None
    ms: float


def judge(question: Question, answer: Answer) -> Measure:
    """Hold an answer against the messages that hold the evidence; an item stands for every message that it rests on."""
    gold = {str(one) for one in question.gold}
    outdated = {str(one) for one in question.outdated}
    shown = answer.items[:DEPTH]
    leaks = sum(any(name.startswith(question.forbidden) for name in item) for item in shown) if question.forbidden else 0
    nothing = Measure(None, None, None, None, leaks, None, float(not shown) if question.abstain else None, answer.ms)
    if not gold:
        return nothing
    seen: set[str] = set()
    gains: list[int] = []
    for item in shown:
        new = (gold & set(item)) - seen
        seen |= new
        gains.append(int(bool(new)))
    best = sum(1 / math.log2(at + 2) for at in range(min(DEPTH, len(gold))))
    first_gold = next((at for at, item in enumerate(shown) if gold & set(item)), DEPTH)
    first_outdated = next((at for at, item in enumerate(shown) if outdated & set(item)), DEPTH)
    return Measure(
        any5=float(any(gains[:5])), any10=float(any(gains)), frac10=len(seen) / len(gold),
        ndcg10=sum(gain / math.log2(at + 2) for at, gain in enumerate(gains)) / best, leaks=leaks,
        stale=float(first_outdated < first_gold) if outdated else None, abstained=None, ms=answer.ms,
    )  # fmt: skip


def measure(dataset: str, system: str, limit_cases: int = 0) -> list[tuple[str, Measure]]:
    """Every question of a data set put to a fresh `system`, as (question type, measure)."""
    found: list[tuple[str, Measure]] = []
    world: str | None = None
    asked: System | None = None
    try:
        for number, case in enumerate(cases(dataset)):
            if limit_cases and number >= limit_cases:
                break
            if asked is None or case.world != world:
                if asked:
                    asked.close()
                asked, world = SYSTEMS[system](), case.world
            found += _case(asked, case)
    finally:
        if asked:
            asked.close()
    return found


def _case(system: System, case: Case) -> list[tuple[str, Measure]]:
    found: list[tuple[str, Measure]] = []
    told = 0
    for question in sorted(case.questions, key=lambda question: question.upto):
        if question.upto > told or told == 0:
            system.add(case, case.messages[told : question.upto], told)
            told = max(told, question.upto)
        found.append((question.type, judge(question, system.ask(case, question))))
    return found


class Row(Struct, frozen=True, omit_defaults=True):
    """One line of the table. Shares are between 0 and 1; `stale` is how often an outdated value came first, of `of` questions with one."""

    dataset: str
    system: str
    type: str
    questions: int
    any5: float | None
    any10: float | None
    frac10: float | None
    ndcg10: float | None
    leaks: int
    stale: int
    of: int
    abstained: float | None
    p50_ms: float
    p95_ms: float


def rows(dataset: str, system: str, found: Sequence[tuple[str, Measure]]) -> list[Row]:
    """A line for the whole and one for each type of question."""
    types = sorted({name for name, _ in found})
    groups = [("all", [one for _, one in found])] + [(name, [one for kind, one in found if kind == name]) for name in types]
    return [_row(dataset, system, name, group) for name, group in (groups if len(types) > 1 else groups[:1])]


def _row(dataset: str, system: str, name: str, group: Sequence[Measure]) -> Row:
    times = sorted(one.ms for one in group)
    stale = [one.stale for one in group if one.stale is not None]
    return Row(
        dataset=dataset, system=system, type=name, questions=len(group), any5=_mean(one.any5 for one in group),
        any10=_mean(one.any10 for one in group), frac10=_mean(one.frac10 for one in group), ndcg10=_mean(one.ndcg10 for one in group),
        leaks=sum(one.leaks for one in group), stale=round(sum(stale)), of=len(stale), abstained=_mean(one.abstained for one in group),
        p50_ms=round(times[len(times) // 2], 2), p95_ms=round(times[min(len(times) - 1, int(len(times) * 0.95))], 2),
    )  # fmt: skip


def _mean(values: Iterator[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(statistics.fmean(known), 4) if known else None


# ---------------------------------------------------------------- output

_HEAD = (
    f"{'data set':18}{'system':10}{'type':28}{'n':>5}{'any@5':>7}{'any@10':>7}{'frac10':>7}{'nDCG10':>7}{'leaks':>6}{'stale':>9}"
    f"{'abst.':>6}{'p50 ms':>8}{'p95 ms':>8}"
)


def table(lines: Sequence[Row]) -> str:
    """The rows as text."""

    def share(value: float | None) -> str:
        return "-" if value is None else f"{value:.3f}"

    out = [_HEAD]
    for row in lines:
        stale = f"{row.stale}/{row.of}" if row.of else "-"
        out.append(
            f"{row.dataset:18}{row.system:10}{row.type:28}{row.questions:>5}{share(row.any5):>7}{share(row.any10):>7}{share(row.frac10):>7}"
            f"{share(row.ndcg10):>7}{row.leaks:>6}{stale:>9}{share(row.abstained):>6}{row.p50_ms:>8.1f}{row.p95_ms:>8.1f}"
        )
    return "\n".join(out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 0, or 1 when there is no data."""
    parser = argparse.ArgumentParser(description="Measure what comes back.")
    parser.add_argument("--dataset", nargs="*", default=[], help="data sets (default: all)")
    parser.add_argument("--limit-cases", type=int, default=0, help="at most so many cases of each")
    parser.add_argument("--baseline", choices=["bm25"], help="put a plain line beside it")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    if not (DATA / "eval").is_dir():
        sys.stderr.write(f"no data at {DATA}: set BEEBREAD_DATA to the folder that holds eval/\n")
        return 1
    lines: list[Row] = []
    for dataset in options.dataset or datasets():
        for system in ("beebread", *([options.baseline] if options.baseline else [])):
            lines += rows(dataset, system, measure(dataset, system, options.limit_cases))
        if not options.json:
            sys.stdout.write(table([row for row in lines if row.dataset == dataset]) + "\n")
            sys.stdout.flush()
    if options.json:
        sys.stdout.write(msgspec.json.encode(lines).decode() + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
