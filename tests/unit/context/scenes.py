"""Short names for the records that the tests of packing are made of."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

from beebread.context import Request, pack
from beebread.model import Event, Evidence, Item, Memory, Pack, Scope, Tool

SCOPE = Scope(user="u1", session="s1")
NOW = datetime(2026, 11, 30, 18, 0, tzinfo=timezone(timedelta(hours=8)))


def event(kind: str, text: str = "", at: int = 0, **more: Any) -> Event:
    """An event whose id tells its kind and place in the session."""
    name = more.pop("id", f"{kind}-{at}")
    return Event(id=name, scope=SCOPE, kind=kind, at=NOW - timedelta(hours=1) + timedelta(seconds=at), seq=at, text=text, **more)


def call(at: int, name: str = "search", args: Any = None, call_id: str = "", **more: Any) -> Event:
    return event("tool_call", at=at, tool=Tool(name, call_id or f"call_{at}", {"q": "飞书"} if args is None else args), **more)


def result(at: int, text: str, call_id: str, name: str = "search", **more: Any) -> Event:
    return event("tool_result", text, at, tool=Tool(name, call_id), **more)


def memory(name: str, text: str, kind: str = "preference", **more: Any) -> Memory:
    return Memory(id=name, scope=SCOPE, kind=kind, at=NOW - timedelta(days=20), text=text, **more)


def recalled(record: Memory | Event, **more: Any) -> Item:
    sources = (record.id,) if isinstance(record, Event) else record.evidence.sources
    return Item(id=record.id, kind=record.kind, text=record.text, score=1.0, at=record.at, record=record, sources=sources, **more)


def fact(name: str, text: str, *sources: str, **more: Any) -> Item:
    return recalled(memory(name, text, "fact", evidence=Evidence(sources=sources)), **more)


def packed(text: str, budget: int = 4000, **more: Any) -> Pack:
    return pack(Request(text=text, budget=budget, now=NOW, **more))


def contents(made: Pack) -> list[str]:
    """The text of each message of a pack in OpenAI's shape."""
    return [message["content"] or "" for message in made.messages]


def reasons(made: Pack) -> dict[str, str]:
    return {drop.id: drop.reason for drop in made.dropped}
