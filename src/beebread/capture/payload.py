"""Large bodies: what is too long for a record goes to a blob, and the record keeps its head and a reference."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Awaitable, Callable
from typing import Any, cast

import msgspec

from beebread.capture.strings import mapped
from beebread.model import Event

Keep = Callable[[bytes], Awaitable[str]]
SMALLEST_BINARY = 512
"""Characters of base64 below which bytes stay where they are."""
BLOB = "blob:"
"""What a string that went to a blob begins with; the reference follows."""
_DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,")
_BASE64 = re.compile(r"[A-Za-z0-9+/\r\n_-]+={0,2}\s*")
# Where base64 without a data: prefix is carried: OpenTelemetry `content`, Anthropic and OpenAI `data`.
_CARRIERS = ("data", "content", "file_data", "image_data", "b64_json")


def reduced(event: Event, limit: int) -> tuple[Event, bytes | None]:
    """`event` with the head of its text, at most `limit` bytes, and the whole text as bytes; (event, None) when it is short enough."""
    if len(event.text) * 4 <= limit:
        return event, None
    body = event.text.encode()
    if len(body) <= limit:
        return event, None
    return msgspec.structs.replace(event, text=body[:limit].decode(errors="ignore")), body


async def offloaded(event: Event, limit: int, keep: Keep) -> Event:
    """`event` with its long text, and what its parts carry as bytes or at length, given to `keep`, which returns the references.

    In a part, such a string becomes `blob:` and the reference; a file's name and type are lifted to where words find them.
    """
    event, body = reduced(event, limit)
    if body is not None:
        event = msgspec.structs.replace(event, body_ref=await keep(body))
    if not event.parts:
        return event
    parts = [await _offloaded_part(part, limit, keep) for part in event.parts]
    return msgspec.structs.replace(event, parts=tuple(parts))


async def _offloaded_part(part: dict[str, Any], limit: int, keep: Keep) -> dict[str, Any]:
    bodies: dict[str, tuple[bytes, str]] = {}
    wordy = part.get("type") in ("text", "reasoning", "thinking")

    def note(name: str, text: str) -> str:
        found = _body("" if wordy else name, text, limit)
        if found is not None:
            bodies[text] = found
        return text

    mapped(part, note)
    if not bodies:
        return part
    refs = {text: BLOB + await keep(body) for text, (body, _) in bodies.items()}
    lifted = cast("dict[str, Any]", mapped(part, lambda _, text: refs.get(text, text)))
    media = next((media for _, media in bodies.values() if media), "")
    if media:
        lifted.setdefault("mime_type", media)
    for inner in [cast("dict[str, Any]", value) for value in lifted.values() if isinstance(value, dict)]:
        for name in ("filename", "caption", "media_type"):
            if isinstance(value := inner.get(name), str):
                lifted.setdefault("mime_type" if name == "media_type" else name, value)
    return lifted


def _body(name: str, text: str, limit: int) -> tuple[bytes, str] | None:
    """The bytes that `text` stands for and their type ('' when it does not say), if they are to go to a blob."""
    if len(text) < min(SMALLEST_BINARY, limit + 1):
        return None
    uri = _DATA_URI.match(text)
    if uri is not None or (name in _CARRIERS and _BASE64.fullmatch(text)):
        found = _decoded(text[uri.end() if uri else 0 :])
        if found is not None:
            return found, (uri[1] or "") if uri else ""
    body = text.encode()
    return (body, "") if len(body) > limit else None


def _decoded(text: str) -> bytes | None:
    """The bytes of base64, or None where encoding them again would not give `text` back: it only looked like base64."""
    standard = "".join(text.split()).translate({45: 43, 95: 47})
    try:
        found = base64.b64decode(standard, validate=True)
    except (binascii.Error, ValueError):
        return None
    return found if base64.b64encode(found).decode() == standard else None
