"""Data sets for measuring: cases of one owner's history and questions, read from a folder, or made by a seeded generator in it."""

from __future__ import annotations

import difflib
import importlib.util
import lzma
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from beebread.errors import Invalid

SEEDS = (1, 2, 3)
"""Of the generator."""
GENERATOR, GENERATED, ENDING = "synth.py", "synth", ".jsonl.xz"
ASKED = 200  # questions that are put to sets joined into one owner
# Where a history has no dates, its messages are a minute apart from here on.
_UNDATED = datetime.fromisoformat("2024-01-01T00:00:00+00:00")


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
    """What is asked when the first `upto` messages are there, and what holds the answer.

    `gold` are the ids of the messages with the evidence, `outdated` of those with a value that no longer holds; `abstain` says that the
    history does not hold the answer, even where it holds something like it (`gold` then names that). No system is told of any of this,
    nor of `type`. `forbidden` are beginnings of ids that belong to others.
    """

    id: str
    type: str
    text: str
    asked_at: str | None = None
    gold: tuple[str | int, ...] = ()
    outdated: tuple[str | int, ...] = ()
    gold_sessions: tuple[str, ...] = ()
    abstain: bool = False
    upto: int = 0
    forbidden: tuple[str, ...] = ()


class Case(Struct, frozen=True):
    """One memory owner; `world` names those who share a folder."""

    case: str
    lang: str
    messages: tuple[Message, ...]
    questions: tuple[Question, ...]
    dataset: str = ""
    world: str = ""


def moment(text: str) -> datetime:
    """An ISO time, in UTC where it names no zone."""
    value = datetime.fromisoformat(text)
    return value if value.tzinfo else value.replace(tzinfo=_UNDATED.tzinfo)


def said_at(case: Case, number: int) -> datetime:
    """When the message with this number was said."""
    ts = case.messages[number].ts
    return moment(ts) if ts else _UNDATED + timedelta(minutes=number)


def asked_at(case: Case, question: Question) -> datetime:
    """When the question was asked: where the data does not say, a minute after the last message that was there."""
    return moment(question.asked_at) if question.asked_at else said_at(case, question.upto - 1) + timedelta(minutes=1)


def names(folder: Path) -> list[str]:
    """The sets in `folder`/eval; Invalid, with what is missing, where there is none."""
    place = folder / "eval"
    if not place.is_dir():
        raise Invalid(f"there is no data at {str(folder)!r}: --data names the folder that holds eval/ (see docs/benchmarks.md)")
    found = sorted(path.name.removesuffix(ENDING) for path in place.glob(f"*{ENDING}"))
    found += [GENERATED] if (place / GENERATOR).is_file() else []
    if not found:
        raise Invalid(f"{str(place)!r} holds no set: expected files *{ENDING} or {GENERATOR} (see docs/benchmarks.md)")
    return found


def chosen(folder: Path, wanted: Sequence[str]) -> list[str]:
    """Those of `wanted` (default: all) that are there; Invalid for an unknown one, with the nearest."""
    known = names(folder)
    for name in wanted:
        if name not in known:
            near = difflib.get_close_matches(name, known) or known
            raise Invalid(f"there is no set {name[:60]!r} in {str(folder / 'eval')!r}: did you mean {', '.join(near)}?")
    return list(dict.fromkeys(wanted)) or known


def cases(folder: Path, name: str, limit: int = 0) -> list[Case]:
    """The cases of a set, the first `limit` of them (0: all). Raises Invalid for a line that is no case, with its place."""
    found = list(islice(_generated(folder) if name == GENERATED else _read(folder, name), limit or None))
    if not any(case.questions for case in found):
        raise Invalid(f"the set {name!r} has no question")
    return found


def _read(folder: Path, name: str) -> Iterator[Case]:
    path = folder / "eval" / f"{name}{ENDING}"
    number = 0
    try:
        with lzma.open(path, "rb") as lines:
            for line in lines:
                number += 1
                yield _checked(msgspec.structs.replace(msgspec.json.decode(line, type=Case), dataset=name, world=name))
    except (msgspec.MsgspecError, ValueError, lzma.LZMAError, EOFError, OSError) as error:
        raise Invalid(f"{path.name}, line {max(number, 1)}: this is no case: {error}") from None


def _checked(case: Case) -> Case:
    """`case` if its questions speak of its messages; ValueError otherwise, since a wrong id would be counted as a miss."""
    ids = {str(message.id) for message in case.messages}
    if len(ids) < len(case.messages):
        raise ValueError(f"case {case.case!r} has two messages of one id")
    for question in case.questions:
        if not 0 < question.upto <= len(case.messages):
            raise ValueError(f"question {question.id!r} is asked after {question.upto} of {len(case.messages)} messages")
        if unknown := {*map(str, question.gold), *map(str, question.outdated)} - ids:
            raise ValueError(f"question {question.id!r} names the message {min(unknown)!r}, which its case does not have")
    return case


def _generated(folder: Path) -> Iterator[Case]:
    for seed in SEEDS:
        for raw in _generator(folder / "eval" / GENERATOR).generate(seed):
            case = msgspec.convert(raw, Case, strict=False)
            yield _checked(msgspec.structs.replace(case, dataset=GENERATED, world=f"{GENERATED} {seed}"))


def _generator(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("beebread_bench_generator", path)
    if spec is None or spec.loader is None:
        raise Invalid(f"{str(path)!r} is no Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def joined(histories: Iterable[Case], size: int) -> Case:
    """One owner with the first `size` messages of all these, in the order of time, asked when all of it is there.

    The first 200 questions whose evidence is in it are asked. Raises Invalid when there are fewer messages.
    """
    said: list[tuple[datetime, Message]] = []
    asked: list[Question] = []
    for case in histories:
        if not (room := size - len(said)):
            break
        named = {str(message.id): f"{case.dataset}/{case.case}/{message.id}" for message in case.messages[:room]}
        for number, message in enumerate(case.messages[:room]):
            parent = named.get(message.parent) if message.parent else None
            session = f"{case.case}/{message.session}"
            said.append(
                (said_at(case, number), msgspec.structs.replace(message, id=named[str(message.id)], session=session, parent=parent))
            )
        for question in case.questions:
            if question.gold and not question.abstain and all(str(one) in named for one in question.gold):
                gold = tuple(named[str(one)] for one in question.gold)
                asked.append(Question(f"{case.case}/{question.id}", question.type, question.text, gold=gold, upto=size))
    if len(said) < size:
        raise Invalid(f"the sets have {len(said):,} messages, fewer than {size:,}: name more sets, or a smaller --size")
    said.sort(key=lambda pair: pair[0])
    messages = tuple(msgspec.structs.replace(message, ts=at.isoformat()) for at, message in said)
    name = f"{size:,} together"
    return Case(name, "", messages, tuple(asked[:ASKED]), dataset=name, world=name)
