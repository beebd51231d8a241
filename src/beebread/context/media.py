"""Images and files of an event: what can go to a model as it is, and the words that stand for the rest."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any

from msgspec import Struct

from beebread.context.wording import Words
from beebread.model import Event

# What all three providers take.
_IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=")
_DATA_URL = re.compile(r"data:(image/[a-z]+);base64,(.*)", re.DOTALL)
_NOT_MEDIA = frozenset({"text", "reasoning", "thinking", "tool_call", "tool_call_response", "generic"})


class Media(Struct, frozen=True, omit_defaults=True):
    """One image: where it is, or its bytes in base64."""

    mime: str
    url: str = ""
    data: str = ""


def _mime(part: dict[str, Any]) -> str:
    return str(part.get("mime_type") or part.get("mimeType") or "").lower()


def _image(part: dict[str, Any]) -> Media | None:
    """The image of `part` where it has one that every provider takes."""
    mime, uri, content = _mime(part), str(part.get("uri") or ""), part.get("content")
    if inline := _DATA_URL.fullmatch(uri):
        mime, content = inline[1], inline[2]
    elif uri.startswith(("https://", "http://")) and mime in _IMAGES:
        return Media(mime, url=uri)
    if isinstance(content, bytes):
        content = b64encode(content).decode()
    if mime in _IMAGES and isinstance(content, str) and _BASE64.fullmatch(content):
        return Media(mime, data=content)
    return None


def media(event: Event, language: Words) -> tuple[tuple[Media, ...], str]:
    """The images of `event` that a model can be shown, and a line for each part: its caption, or what it was and is called."""
    images: list[Media] = []
    lines: list[str] = []
    for part in event.parts:
        if part.get("type") in _NOT_MEDIA:
            continue
        is_image = part.get("modality") == "image" or _mime(part).startswith("image/") or str(part.get("uri", "")).startswith("data:image/")
        if is_image and (shown := _image(part)):
            images.append(shown)
        name = next((str(part[key]) for key in ("caption", "filename", "name", "file_id") if part.get(key)), "")
        lines.append(f"[{language.image if is_image else language.file}{language.colon + ' '.join(name.split())[:500] if name else ''}]")
    return tuple(images), "\n".join(lines)


def said(event: Event) -> str:
    """The words of `event`: its text, else the text of its parts."""
    if event.text:
        return event.text
    parts = (part.get("content", part.get("text")) for part in event.parts if part.get("type") == "text")
    return "\n".join(part for part in parts if isinstance(part, str) and part)
