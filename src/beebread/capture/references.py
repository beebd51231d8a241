"""Edges that nobody gave, told without a model: which result a message mentions, and which result an argument's value came from."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple, cast

import msgspec
from msgspec.structs import replace

from beebread.model import Cause, Event
from beebread.text import entities, fold
from beebread.text.stopwords import ENGLISH

WINDOW = 200
"""Events of a session among which an earlier one is looked for."""
SCANNED = 16 * 1024
"""Characters of one event that are looked at."""
MOST_VALUES = 1000
MOST_PHRASES = 40
"""Values, and short texts, that one event is remembered by."""
MOST_EDGES = 8
"""Mentions, or origins of data, that one event is given; the nearest."""

RESULTS = ("tool_result", "retrieval")
MESSAGES = ("user_message", "assistant_message", "thought", "handoff", "agent_end")
_QUOTED = re.compile(r"""["“「『《'‘]([^"“”「」『』《》'‘’\n]{2,80})["”」』》'’]""")
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])[-+]?(?:\d{1,3}(?:,\d{3})+(?![,\d])|\d+)(?:\.\d+)?")
_UNIT = re.compile(
    r"\s{0,1}(?:[%‰°℃℉$€£¥元块度岁天周月年米斤吨升秒人次个件条万亿]|(?:分钟|小时|公里|千米|厘米|毫米|公斤|千克|美元)"
    r"|(?:km|cm|mm|kg|mg|ml|ms|kb|mb|gb|tb|usd|eur|cny|rmb|mph|hours?|days?|weeks?|minutes?|seconds?|degrees?|percent)\b)",
    re.IGNORECASE,
)
_IN_PROSE = re.compile(r"[\s%$\u0080-\uffff]|^\d{1,6}[a-zA-Z]{1,8}$")
_PRECISE = re.compile(r"[0-9@_/\\:#《「『“]|[a-zA-Z]\.[a-zA-Z]")
_PHRASE_ENDS = re.compile(r"[,;，；。:：|]\s*")
_HAN = re.compile(r"[\u3400-\u9fff]")
_DULL = ENGLISH | frozenset(
    "true false none null yes no ok okay done success successful succeeded failed failure error pending active inactive open closed "
    "default unknown available unavailable completed cancelled canceled delivered processed enabled disabled name type value text data "
    "list item id status result 成功 失败 错误 完成 正常 是 否 无 有 未知 默认 可用".split()
)


class Place(NamedTuple):
    """Where a value was met: the running number of the event, its id, and where it stands in time."""

    number: int
    event: str
    at: datetime
    seq: int

    def comes_before(self, event: Event) -> bool:
        """Whether this is another event, and not a later one: events may arrive late, and no edge goes forward in time."""
        return self.event != event.id and (self.at, self.seq) <= (event.at, event.seq)


class Values:
    """The values and phrases of a session's earlier results, for finding them again; taking in an event costs no more than its length."""

    def __init__(self, earlier: Sequence[Event] = ()) -> None:
        self._count = 0
        self._places: dict[str, deque[Place]] = {}
        self._kept: deque[tuple[int, tuple[str, ...]]] = deque()
        self._phrases: deque[tuple[Place, tuple[str, ...]]] = deque()
        self._results: deque[tuple[Place, str]] = deque()
        self._messages: deque[tuple[Place, str]] = deque()
        self._asked: dict[str, frozenset[str]] = {}  # call event id -> values of its arguments
        self._call_ids: dict[str, str] = {}
        for event in earlier:
            self.add(event)

    def linked(self, event: Event) -> Event:
        """`event` with the edges to what was added before; then it is added itself.

        A message REFERS_TO the nearest earlier result (else message) that has a value or quoted phrase of its own; a tool call has its
        `data_from` the nearest earlier result with the value of one of its arguments. A result that only echoes what its call asked for
        is not where a value came from.
        """
        found = event
        if not self._results:
            found = self._with_mentions(event) if event.kind in MESSAGES and _QUOTED.search(event.text[:SCANNED]) else event
        elif event.kind == "tool_call" and event.tool is not None:
            found = self._with_data(event)
        elif event.kind in MESSAGES:
            found = self._with_mentions(event)
        self.add(found)
        return found

    def _with_data(self, event: Event) -> Event:
        given = {cause.id for cause in event.causes if cause.relation == "data_from"}
        values = _argument_values(event.tool.args if event.tool else None)
        sources = self._nearest(values, event)
        for value in values[:MOST_PHRASES]:
            if value not in self._places and _telling(value):
                sources.update(dict.fromkeys(_having(value, self._results, event)))
        new = [Cause(source, "data_from") for source in sources if source not in given]
        return replace(event, causes=(*event.causes, *new)) if new else event

    def _with_mentions(self, event: Event) -> Event:
        text = event.text[:SCANNED]
        found = self._nearest(_mentioned(text), event)
        found.update(dict.fromkeys(self._containing(fold(text), event)))
        found.update(dict.fromkeys(self._quoting(text, event)))
        new = [source for source in list(found)[:MOST_EDGES] if source not in event.refers_to]
        return replace(event, refers_to=(*event.refers_to, *new)) if new else event

    def _nearest(self, values: Iterable[str], event: Event) -> dict[str, None]:
        """The events that `values` were last met in, nearest first."""
        hits: set[Place] = set()
        for value in values:
            places = self._places.get(value)
            place = next((place for place in reversed(places) if place.comes_before(event)), None) if places else None
            if place is not None:
                hits.add(place)
        return dict.fromkeys(place.event for place in sorted(hits, reverse=True)[:MOST_EDGES])

    def _containing(self, folded: str, event: Event) -> Iterator[str]:
        """Results of which a whole short text stands in the message; of one that stands in several the nearest."""
        met: set[str] = set()
        for place, phrases in reversed(self._phrases):
            here = [phrase for phrase in phrases if phrase not in met and phrase in folded]
            if here and place.comes_before(event):
                met.update(here)
                yield place.event

    def _quoting(self, text: str, event: Event) -> Iterator[str]:
        """The nearest earlier event that has what the message quotes; results go before messages."""
        quotes = [fold(quote).strip() for quote in _QUOTED.findall(text)[:MOST_EDGES]]
        for quote in quotes:
            if _telling(quote):
                yield from _having(quote, self._results, event) or _having(quote, self._messages, event)

    def add(self, event: Event) -> None:
        """Take in an event that later ones may refer to."""
        self._count += 1
        place = Place(self._count, event.id, event.at, event.seq)
        if event.kind == "tool_call" and event.tool is not None:
            self._asked[event.id] = frozenset(_argument_values(event.tool.args))
            if event.tool.call_id:
                self._call_ids[event.tool.call_id] = event.id
        elif event.kind in RESULTS:
            self._add_result(event, place)
        elif event.kind in MESSAGES:
            self._messages.append((place, fold(event.text[:SCANNED])))
        self._forget()

    def _add_result(self, event: Event, place: Place) -> None:
        text = event.text[:SCANNED]
        leaves, prose = _leaves(text)
        values = dict.fromkeys(value for leaf in leaves for value in _leaf_values(leaf))
        values.update(dict.fromkeys(_text_values(prose)))
        asked = self._asked_by(event)
        kept = tuple(value for value in values if value not in asked)[:MOST_VALUES]
        for value in kept:
            self._places.setdefault(value, deque()).append(place)
        self._kept.append((place.number, kept))
        phrases = dict.fromkeys(fold(leaf).strip() for leaf in leaves if isinstance(leaf, str) and len(leaf) <= 64)
        telling = [phrase for phrase in phrases if phrase not in asked and _telling(phrase)]
        self._phrases.append((place, tuple(telling[:MOST_PHRASES])))
        self._results.append((place, fold(text)))

    def _asked_by(self, event: Event) -> frozenset[str]:
        call = next((cause.id for cause in event.causes if cause.relation == "requested_by"), "")
        if not call and event.tool is not None:
            call = self._call_ids.get(event.tool.call_id, "")
        own = frozenset(_argument_values(event.tool.args)) if event.tool is not None else frozenset[str]()
        return own | self._asked.get(call or event.parent, frozenset())

    def _forget(self) -> None:
        oldest = self._count - WINDOW
        while self._kept and self._kept[0][0] <= oldest:
            for value in self._kept.popleft()[1]:
                places = self._places[value]
                places.popleft()
                if not places:
                    del self._places[value]
        for queue in (self._phrases, self._results, self._messages):
            while queue and queue[0][0].number <= oldest:
                queue.popleft()
        for kept in (self._asked, self._call_ids):
            while len(kept) > WINDOW:
                kept.pop(next(iter(kept)))


def refers(event: Event, earlier: Sequence[Event]) -> Event:
    """`event` with the edges to `earlier` events of its session, oldest first, that can be told from what it says; see `Values.linked`."""
    return Values(earlier).linked(event)


def _having(phrase: str, said: deque[tuple[Place, str]], event: Event) -> tuple[str, ...]:
    """The nearest event in whose text the phrase stands."""
    return next(((place.event,) for place, text in reversed(said) if place.comes_before(event) and phrase in text), ())


def _telling(phrase: str) -> bool:
    """Whether a folded phrase is long enough to come from one place: eight characters of more than one word, or four of Han."""
    if len(_HAN.findall(phrase)) >= 4:
        return phrase not in _DULL
    return len(phrase) >= 8 and (" " in phrase or any(char.isdigit() for char in phrase)) and phrase not in _DULL


def _leaves(text: str) -> tuple[list[Any], str]:
    """The leaves of JSON text, of other text its phrases; and what of it is prose, with values inside."""
    if text.lstrip()[:1] in ("{", "[", '"'):
        try:
            leaves = list(_values_of(msgspec.json.decode(text)))[:MOST_VALUES]
            return leaves, "\n".join(leaf for leaf in leaves if isinstance(leaf, str) and _IN_PROSE.search(leaf))
        except (msgspec.DecodeError, RecursionError):
            pass  # cut off, or not JSON after all
    return [part for line in text.splitlines()[:MOST_VALUES] for part in _PHRASE_ENDS.split(line)][:MOST_VALUES], text


def _values_of(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for item in cast("dict[str, Any]", value).values():
            yield from _values_of(item)
    elif isinstance(value, (list, tuple)):
        for item in cast("list[Any]", value):
            yield from _values_of(item)
    elif value is not None and not isinstance(value, bool):
        yield value


def _leaf_values(leaf: Any) -> list[str]:
    """The value that a whole leaf is, in the form in which values are compared; none when it is one of those found everywhere."""
    if isinstance(leaf, (int, float)):
        return [_number(str(leaf))]
    phrase = fold(str(leaf)).strip()
    if not 2 <= len(phrase) <= 200 or phrase in _DULL:
        return []
    if (match := _NUMBER.fullmatch(phrase)) is not None:
        return [_number(match[0])]
    return [phrase] if len(phrase) >= 4 or len(_HAN.findall(phrase)) >= 2 else []


def _number(written: str) -> str:
    """A number as values are compared; behind ~ one that is met everywhere: below three digits, years, powers of ten."""
    plain = written.replace(",", "").lstrip("+")
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    digits = plain.lstrip("-0").replace(".", "")
    dull = len(digits) < 3 or (len(digits) == 4 and digits[:2] in ("19", "20")) or not digits.removeprefix("1").strip("0")
    return f"~{plain}" if dull and "." not in plain else f"#{plain}"


def _text_values(text: str) -> Iterator[str]:
    """The numbers and precise things (ids, paths, addresses, codes) that stand in a text; a dull number only with its unit."""
    for match in _NUMBER.finditer(text):
        value, end = _number(match[0]), match.end()
        if _UNIT.match(text, end) is not None:
            yield f"#{value[1:]}"
            yield value
        elif value[0] == "#" and not (text[end : end + 1].isascii() and text[end : end + 1].isalpha()):
            yield value
    if _PRECISE.search(text) is None:  # most prose names nothing precisely, and taking it apart costs more than looking
        return
    for thing in entities(text):
        if len(thing) >= 4 and _NUMBER.fullmatch(thing) is None:
            yield thing


def _mentioned(text: str) -> list[str]:
    return list(dict.fromkeys(_text_values(text)))[:MOST_VALUES]


def _argument_values(args: Any) -> list[str]:
    """What the arguments of a call say: each leaf as a whole, and the numbers and precise things inside longer ones."""
    found: dict[str, None] = {}
    for leaf in _values_of(args):
        found.update(dict.fromkeys(_leaf_values(leaf)))
        if isinstance(leaf, str) and len(leaf) > 16:
            found.update(dict.fromkeys(_text_values(leaf[:SCANNED])))
        if len(found) > MOST_VALUES:
            break
    return [value for value in found if value[0] != "~"][:MOST_VALUES]
