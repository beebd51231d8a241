"""Identifiers and digests: time-ordered new ids, ids made from content, and the canonical bytes that both rest on."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from hashlib import blake2b
from typing import Any

import msgspec

_encode = msgspec.json.Encoder(order="deterministic").encode


def canonical(value: object) -> bytes:
    """The one JSON of `value`: keys sorted, no spaces, UTF-8; equal values give equal bytes on every machine."""
    return _encode(value)


def digest(value: object) -> str:
    """A 128-bit BLAKE2b digest (hex) of the canonical JSON of `value`."""
    return blake2b(_encode(value), digest_size=16).hexdigest()


def new_id() -> str:
    """A new UUIDv7 (RFC 9562): unique, and sorted by the millisecond in which it was made."""
    raw = f"{time.time_ns() // 1_000_000:012x}{os.urandom(10).hex()}"
    return f"{raw[:8]}-{raw[8:12]}-7{raw[13:16]}-{'89ab'[int(raw[16], 16) & 3]}{raw[17:20]}-{raw[20:32]}"


def content_id(hexdigest: str) -> str:
    """A UUIDv8 (RFC 9562) from a hex digest: the same content has the same id wherever and however often it is seen."""
    return (
        f"{hexdigest[:8]}-{hexdigest[8:12]}-8{hexdigest[13:16]}-{'89ab'[int(hexdigest[16], 16) & 3]}{hexdigest[17:20]}-{hexdigest[20:32]}"
    )


def _plain(value: Any) -> Any:
    """`value` without what makes no difference to a tool: empty arguments, outer spaces, 1 against 1.0."""
    if isinstance(value, dict):
        kept = {str(name): _plain(item) for name, item in value.items()}  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
        return {name: item for name, item in kept.items() if item not in (None, "", [], {})}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.strip() if isinstance(value, str) else value


def tool_signature(name: str, args: object) -> str:
    """The key under which equal calls of a tool meet: its name and arguments, whatever their order, spacing or empty defaults.

    Arguments in JSON text are what the text says; none at all, an empty object and an empty text are the same.
    """
    if isinstance(args, str):
        with suppress(msgspec.DecodeError):
            args = msgspec.json.decode(args)
    return digest([name.strip(), _plain(args) or None])
