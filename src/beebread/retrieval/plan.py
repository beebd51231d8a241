"""What a query needs: a cheap gate that looks at words alone and decides which channels run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args

import msgspec
from msgspec import Struct

from beebread.errors import Invalid
from beebread.model import Query, tool_signature
from beebread.retrieval.options import Options
from beebread.retrieval.times import Times, Window
from beebread.text import exact_terms, fold, query_terms
from beebread.text.cues import Cue, asks, cues
from beebread.text.words import tokens
from beebread.timex import Order

OWN_CHANNELS = ("recent", "exact", "keyword", "time", "graph")
_MARKS = "#&@"  # tags, entities and slot keys, as model.exact_keys marks them
_LONGEST_NAME = 4
NO_TIMES = Times()
_OF_QUESTIONS = frozenset[Cue](("current", "past", "chain"))
_MAX_NAMES = 96


class Plan(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What will be done for one query. `why` says for each channel why it runs, or under 'gate' why hardly any does."""

    channels: dict[str, float]
    text: str = ""
    terms: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    signatures: tuple[str, ...] = ()
    windows: tuple[Window, ...] = ()
    as_of: datetime | None = None
    order: Order | None = None
    cues: tuple[Cue, ...] = ()
    limit: int = 10
    pool: int = 48
    hops: int = 2
    hop: float = 0.6
    why: dict[str, str] = {}

    @property
    def timely(self) -> bool:
        """Whether the question is about one time rather than another, or about the order of things."""
        return bool(self.windows or self.order or self.as_of or "current" in self.cues)

    def shown(self) -> dict[str, Any]:
        """The plan as a report tells it."""
        return msgspec.to_builtins(self)


def names(text: str) -> list[str]:
    """What in `text` could be the name of a tag, an entity or a slot: its words unstemmed, and short runs of Chinese characters."""
    found: dict[str, None] = {}
    for run, token in tokens(fold(text)):
        if not run:
            found[token.rstrip(".,;:!?")] = None
            continue
        for size in range(_LONGEST_NAME, 1, -1):
            found.update(dict.fromkeys(run[at : at + size] for at in range(len(run) - size + 1)))
        found[run] = None
    return [name for name in found if len(name) > 1][:_MAX_NAMES]


def plan(query: Query, options: Options, index_channels: frozenset[str] = frozenset(), said_when: Times = NO_TIMES) -> Plan:
    """The plan for `query`. `said_when` is what its time words ask for; `index_channels` what the attached indexes serve.

    Small talk and an empty query get the recent events alone: most turns need nothing more. Raises Invalid for an unknown channel.
    """
    known = {*OWN_CHANNELS, *index_channels}
    if unknown := sorted(set(query.channels) - known):
        raise Invalid(f"channel {unknown[0][:60]!r} is unknown: use some of {', '.join(sorted(known))}")
    pool = max(options.pool, 2 * query.limit)
    if query.tool:
        found = (f"!{tool_signature(query.tool, query.args)}",)
        return Plan(channels={"exact": 1.0}, signatures=found, limit=query.limit, pool=pool, why={"exact": "the same call, made before"})
    lines = query.text.strip().splitlines()
    said = _said(query.text, lines)
    text = said_when.text or query.text
    terms = tuple(query_terms(text))
    if not query.channels and (not terms or "phatic" in said):
        return _unasked(query, said, pool, options)
    exact = tuple(exact_terms(query.text, (mark + name for name in names(query.text) for mark in _MARKS)))
    why = {"keyword": f"{len(terms)} words", "exact": f"{len(exact)} codes and possible names"}
    # An answer stands beside its question, and what belongs to a code beside it. Nothing does beside what is like a whole conversation.
    if len(lines) == 1 or "chain" in said or any(term.startswith("=") for term in exact):
        why["graph"] = "what is around the best hits"
    why.update(dict.fromkeys(sorted(index_channels), "a derived index serves it"))
    if "just_now" in said:
        why["recent"] = "the question is about a moment ago"
    if said_when.windows or query.after or query.before:
        why["time"] = "a span of time is named"
    if query.channels:
        why = {channel: why.get(channel, "asked for") for channel in query.channels}
    weights = {channel: options.weight(channel) for channel in why}
    if "graph" in weights and not {"keyword", "exact"} & set(weights):
        weights = {"keyword": 0.0, "exact": 0.0, **weights}  # a neighbourhood has to start somewhere
    # What led to a thing, or came of it, lies further along its chain than what is merely said beside it.
    along = "chain" in said
    if along and "graph" in weights:
        weights["graph"] = options.far_graph
    return Plan(
        channels=weights, text=text, terms=terms, exact=exact, windows=said_when.windows, as_of=said_when.as_of, order=said_when.order,
        cues=tuple(cue for cue in get_args(Cue) if cue in said), limit=query.limit, pool=pool,
        hops=options.far_hops if along else options.hops, hop=options.far_hop if along else options.hop, why=why,
    )  # fmt: skip


def _said(text: str, lines: Sequence[str]) -> frozenset[Cue]:
    """The cues of `text`. A conversation or a document that does not end in a question only tells of 'now', 'before' and 'why'."""
    said = cues(text)
    return said - _OF_QUESTIONS if len(lines) > 1 and not asks(lines[-1]) else said


def _unasked(query: Query, said: frozenset[Cue], pool: int, options: Options) -> Plan:
    """Nothing is asked in words: a listing when filters or an order say of what, else the recent events."""
    filtered = query.order == "time" or any(
        (query.types, query.kinds, query.layers, query.keys, query.tags, query.entities, query.sessions, query.tasks, query.actors,
         query.origins, query.speakers, query.after, query.before, query.linked_to, query.environment)
    )  # fmt: skip
    channel = "time" if filtered and "phatic" not in said else "recent"
    gate = "small talk: nothing but what is recent" if "phatic" in said else "no words to search by"
    return Plan(
        channels={channel: options.weight(channel)},
        cues=("phatic",) if "phatic" in said else (),
        limit=query.limit,
        pool=pool,
        why={"gate": gate},
    )
