"""The messages that model calls carry, in the shapes of several chat APIs, taken apart into single steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec
from msgspec import Struct

from beebread.capture.draft import text_of
from beebread.capture.strings import plain, storable
from beebread.errors import Invalid, shown
from beebread.model import Tool, is_shallow

_ROLES = {
    **dict.fromkeys(("user", "human"), "user_message"),
    **dict.fromkeys(("assistant", "model", "ai"), "assistant_message"),
    **dict.fromkeys(("system", "developer"), "system_message"),
    **dict.fromkeys(("tool", "function"), "tool_result"),
}
_THOUGHTS = ("thinking", "reasoning", "redacted_thinking")
_CALLS = ("tool_use", "function_call", "tool_call", "server_tool_use")
_RESULTS = ("tool_result", "function_call_output", "tool_call_response")
_TEXTS = ("text", "input_text", "output_text", "refusal")


class Step(Struct, frozen=True, kw_only=True):
    """One thing that a message says. `parts` is empty where there is nothing but text."""

    kind: str
    text: str = ""
    parts: tuple[dict[str, Any], ...] = ()
    tool: Tool | None = None
    speaker: str = ""
    status: str = "ok"
    native_id: str = ""


def steps(message: Mapping[str, Any]) -> list[Step]:
    """The steps of one message, in its order.

    Reads OpenAI chat messages and Responses items, Anthropic messages with content blocks, and OpenTelemetry GenAI messages with parts.
    What nobody says (an assistant's empty text beside its tool calls) is no step. Raises Invalid for what is no message.
    """
    if not isinstance(message, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not all typed
        raise Invalid(f"a message must be an object with role and content, not {shown(message)}")
    message = cast("Mapping[str, Any]", storable(plain(dict(message), "a message")))
    whole = str(message.get("type") or "")
    if whole in (*_CALLS, *_RESULTS) or whole in _THOUGHTS:
        return _block(message, "assistant_message", "")
    kind = _ROLES.get(str(message.get("role") or ""), "harness_message")
    if kind == "tool_result" and not _has_results(message):
        return [_result(message, message.get("content"))]
    speaker, native = str(message.get("name") or ""), str(message.get("id") or "")
    found: list[Step] = []
    for name in ("reasoning_content", "reasoning"):
        if isinstance(thought := message.get(name), str) and thought and not found:
            found.append(Step(kind="thought", text=thought))
    found.extend(_content(_blocks(message), kind, speaker, native))
    found.extend(_call(call, _mapping(call.get("function")) or call) for call in _list(message.get("tool_calls")))
    if legacy := _mapping(message.get("function_call")):
        found.append(_call({}, legacy))
    return found


def _blocks(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content") if message.get("parts") is None else message["parts"]
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, Mapping):
        return [cast("Mapping[str, Any]", content)]
    return _list(content)


def _has_results(message: Mapping[str, Any]) -> bool:
    return any(block.get("type") in _RESULTS for block in _blocks(message))


def _content(blocks: Iterable[Mapping[str, Any]], kind: str, speaker: str, native: str) -> list[Step]:
    """The steps of content blocks; text and files that stand together are one message."""
    found: list[Step] = []
    texts: list[str] = []
    parts: list[dict[str, Any]] = []

    def close() -> None:
        rich = any(part.get("type") != "text" for part in parts)
        text = "\n".join(text for text in texts if text)
        if rich or text.strip():
            found.append(Step(kind=kind, text=text, parts=tuple(parts) if rich else (), speaker=speaker, native_id=native))
        texts.clear()
        parts.clear()

    for block in blocks:
        sort = str(block.get("type") or "text")
        if sort in (*_THOUGHTS, *_CALLS, *_RESULTS):
            close()
            found.extend(_block(block, kind, native))
        elif sort in _TEXTS:
            texts.append(_words(block))
            parts.append({"type": "text", "content": texts[-1]})
        else:
            parts.append(plain(block, "a content block"))
    close()
    return found


def _block(block: Mapping[str, Any], kind: str, native: str) -> list[Step]:
    sort = block.get("type")
    if sort in _CALLS:
        return [_call(block, block)]
    if sort in _RESULTS:
        return [_result(block, next((block[name] for name in ("content", "output", "response", "result") if name in block), ""))]
    text = _thought(block)
    if not text:
        return []
    return [Step(kind="thought" if kind == "assistant_message" else kind, text=text, native_id=native or str(block.get("id") or ""))]


def _thought(block: Mapping[str, Any]) -> str:
    for name in ("thinking", "content", "text", "reasoning", "summary"):
        value = block.get(name)
        if isinstance(value, str) and value:
            return value
        if lines := [_words(line) for line in _list(value)]:
            return "\n".join(lines)
    return ""


def _words(block: Mapping[str, Any]) -> str:
    return next((value for name in ("text", "content", "refusal") if isinstance(value := block.get(name), str)), "")


def _call(outer: Mapping[str, Any], call: Mapping[str, Any]) -> Step:
    args = next((call[name] for name in ("arguments", "input", "args") if name in call), None)
    named = next((str(outer[name]) for name in ("call_id", "id", "tool_call_id") if outer.get(name)), "")
    return Step(kind="tool_call", tool=Tool(name=str(call.get("name") or ""), call_id=named, args=arguments(args)))


def arguments(args: Any) -> Any:
    """A call's arguments as JSON values; text that is no JSON stays text."""
    if isinstance(args, str):
        try:
            decoded = msgspec.json.decode(args)
        except (msgspec.DecodeError, RecursionError):
            return args
        return decoded if is_shallow(decoded) else args
    return plain(args, "arguments")


def _result(message: Mapping[str, Any], content: Any) -> Step:
    named = next((str(message[name]) for name in ("tool_call_id", "tool_use_id", "call_id", "id") if message.get(name)), "")
    failed = bool(message.get("is_error")) or message.get("status") == "error"
    parts: tuple[dict[str, Any], ...] = ()
    if isinstance(content, str):
        text = content
    elif (blocks := _list(content)) and all("type" in block for block in blocks):
        text = "\n".join(_words(block) for block in blocks if block.get("type") in _TEXTS)
        if any(block.get("type") not in _TEXTS for block in blocks):
            parts = tuple(plain(block, "a content block") for block in blocks)
    else:
        text = "" if content is None else text_of(content)
    tool = Tool(name=str(message.get("name") or ""), call_id=named)
    return Step(kind="tool_result", text=text, parts=parts, tool=tool, status="error" if failed else "ok")


def _list(value: Any) -> list[Mapping[str, Any]]:
    if not isinstance(value, (list, tuple)):
        return []
    return [cast("Mapping[str, Any]", item) for item in cast("list[Any]", value) if isinstance(item, Mapping)]


def _mapping(value: Any) -> Mapping[str, Any] | None:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else None
