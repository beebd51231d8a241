"""What was said, recorded apart from what a memory had injected into it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from beebread.capture.injected import told_apart
from beebread.capture.strings import mapped
from beebread.model import Scope
from beebread.text.fence import unfenced

Put = Callable[[str, str, Scope, dict[str, Any]], tuple[str, bool]]
"""Takes in kind, text, scope and fields of an event; its id, and whether it was seen before."""


def put_apart(put: Put, kind: str, words: str, scope: Scope, fields: dict[str, Any]) -> str:
    """Put what was said, and beside it that something was injected into it; the id of the first."""
    apart = told_apart(kind, words)
    if apart.origin:
        fields.setdefault("origin", apart.origin)
    if "parts" in fields:
        fields["parts"] = tuple(mapped(fields["parts"], lambda _, text: unfenced(text)))
    # That something was injected is kept, never its words: a copy of them is a copy that forgetting would have to find.
    event, again = put(apart.kind, apart.words, scope, fields)
    if apart.beside and not again:
        put("memory_injected", "", scope, {"id": f"{event}.memory", "parent": event})
    return event
