"""Message content in any dialect (OpenAI chat and responses, Anthropic) as text, with its parts in the OpenTelemetry GenAI shape."""

from __future__ import annotations

from typing import Any

from beebread.importers.shape import as_json, first, is_list, is_object, mapping, string

_TEXT = ("text", "input_text", "output_text", "summary_text", "reasoning_text", "refusal")
_MODALITIES = {
    "image": "image", "input_image": "image", "image_url": "image", "input_audio": "audio", "audio": "audio",
    "document": "document", "video_url": "video",
}  # fmt: skip


def flatten(content: object) -> tuple[str, tuple[dict[str, Any], ...]]:
    """The text of `content` (text pieces joined by a line break) and its parts; no parts where the text says it all.

    Text is verbatim. An object or a list of things that are no parts is its own JSON: compact, in its own order. Invalid for a part
    whose text is no string.
    """
    if content is None or isinstance(content, str):
        return content or "", ()
    if not is_list(content) or not all(isinstance(item, str) or (is_object(item) and "type" in item) for item in content):
        return as_json(content).decode(), ()
    parts = [_part({"type": "text", "text": item} if isinstance(item, str) else item) for item in content]
    said = [part["content"] for part in parts if part["type"] == "text"]
    if len(parts) == 1 and said:
        return said[0], ()
    return "\n".join(said), tuple(parts)


def _part(item: dict[str, Any]) -> dict[str, Any]:
    kind = string(item["type"], "type of a content part")
    if kind in _TEXT:
        return {"type": "text", "content": string(item.get("text", item.get("refusal")), "text of a content part")}
    if kind in ("file", "input_file"):
        file = mapping(item.get("file", item), "file of a content part")
        known = {key: file[key] for key in ("filename", "file_id") if file.get(key)}
        return {"type": "file", **known, **_source(file.get("file_data"))}
    if kind in _MODALITIES:
        named = {"filename": item["title"]} if item.get("title") else {}
        return {"type": "uri", "modality": _MODALITIES[kind], **named, **_media(item, kind)}
    return {"type": "generic", "value": item}


def _media(item: dict[str, Any], kind: str) -> dict[str, Any]:
    """Where a picture, sound or paper is: its address, or its bytes in base64."""
    held = first(item, kind, "source", "image_url", "url")
    if is_object(held):
        if held.get("data"):
            return {"type": "blob", "mime_type": held.get("media_type") or held.get("format") or "", "content": held["data"]}
        if held.get("file_id"):
            return {"type": "file", "file_id": held["file_id"]}
        return _source(held.get("url"))
    return _source(held) if held else {"type": "file", "file_id": string(item.get("file_id"), "file_id")}


def _source(address: object) -> dict[str, Any]:
    if not isinstance(address, str) or not address:
        return {}
    head, comma, data = address.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        return {"type": "blob", "mime_type": head[5:-7], "content": data}
    return {"uri": address}
