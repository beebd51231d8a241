"""Large bodies and bytes go to blobs, and the record keeps what words find it by."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from beebread.capture import cleaned, offloaded, reduced
from beebread.errors import Invalid
from beebread.model import Event, Tool
from tests.unit.capture.shelf import HOME, NOON


class Kept:
    """Bodies by reference."""

    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}

    async def __call__(self, body: bytes) -> str:
        name = f"b{len(self.bodies)}"
        self.bodies[name] = body
        return name


def event(text: str = "", *parts: dict[str, Any]) -> Event:
    return Event(id="e", scope=HOME, kind="tool_result", at=NOON, text=text, parts=parts)


def offload(given: Event, limit: int, kept: Kept) -> Event:
    return asyncio.run(offloaded(given, limit, kept))


@pytest.mark.parametrize("text", ["短", "x" * 100, "汉" * 33])
def test_short_text_stays(text: str) -> None:
    assert reduced(event(text), 100) == (event(text), None)


@pytest.mark.parametrize("text", ["x" * 101, "汉" * 34, "a" + "😀" * 60])
def test_long_text_leaves_its_head(text: str) -> None:
    short, body = reduced(event(text), 100)
    assert body == text.encode()
    assert text.startswith(short.text)
    assert 96 < len(short.text.encode()) <= 100


def test_text_of_all_sizes_goes_where_it_belongs() -> None:
    kept = Kept()
    assert offload(event("短"), 100, kept) == event("短")
    long = offload(event("长" * 100), 100, kept)
    assert kept.bodies[long.body_ref] == ("长" * 100).encode()


BYTES = bytes(range(256)) * 4
DATA = base64.b64encode(BYTES).decode()


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}, "caption": "云图"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}},
        {"type": "blob", "mime_type": "image/png", "content": DATA},
        {"type": "blob", "mime_type": "image/png", "data": base64.urlsafe_b64encode(BYTES).decode()},
    ],
)
def test_bytes_become_references(part: dict[str, Any]) -> None:
    kept = Kept()
    (new,) = (offload(event("图", part), 65_536, kept)).parts
    assert kept.bodies == {"b0": BYTES}
    assert "blob:b0" in str(new)
    assert len(str(new)) < 200
    assert new["mime_type"] == "image/png"
    assert new.get("caption") == part.get("caption")


def test_a_files_name_is_lifted_to_where_words_find_it() -> None:
    part = {"type": "file", "file": {"filename": "报价单.pdf", "file_data": f"data:application/pdf;base64,{DATA}"}}
    (new,) = (offload(event("", part), 65_536, Kept())).parts
    assert (new["filename"], new["mime_type"]) == ("报价单.pdf", "application/pdf")


def test_what_only_looks_like_bytes_stays_text() -> None:
    parts = (
        {"type": "text", "content": "a" * 600},
        {"type": "text", "text": "word " * 200},
        {"type": "reasoning", "content": DATA},
        {"type": "generic", "data": "abc" * 201},
        {"type": "uri", "uri": "https://example.com/" + "x" * 600},
        {"type": "image", "source": {"type": "url", "url": "data:image/png,plain"}},
    )
    kept = Kept()
    assert (offload(event("", *parts), 65_536, kept)).parts == parts
    assert kept.bodies == {}


def test_long_text_in_a_part_goes_too_and_can_be_had_back() -> None:
    kept = Kept()
    text = "很长的内容 " * 100
    (new,) = (offload(event("", {"type": "text", "content": text}), 200, kept)).parts
    assert kept.bodies[new["content"].removeprefix("blob:")].decode() == text


def test_cleaning_reaches_every_string_and_changes_no_good_event() -> None:
    good = event("好", {"type": "text", "content": "literal \\u0000 stays"})
    assert cleaned(good) == good
    bad = Event(
        id="e",
        scope=HOME,
        kind="tool_call",
        at=NOON,
        text="a\0b",
        speaker="\ud800",
        tool=Tool("t", "c", {"k\0": ["\udfff", 1, None, True]}),
        parts=({"x": {"y": "\ud83d\ude00"}},),
    )
    new = cleaned(bad)
    assert (new.text, new.speaker, new.at) == ("ab", "\ufffd", NOON)
    assert new.tool == Tool("t", "c", {"k": ["\ufffd", 1, None, True]})
    assert new.parts == ({"x": {"y": "😀"}},)
    with pytest.raises(Invalid, match="cannot be kept as JSON"):
        cleaned(event("x", {"thing": object()}))
