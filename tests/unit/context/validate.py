"""What the three chat APIs take, written from their published rules and sharing nothing with the packer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

Message = dict[str, Any]

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
GEMINI_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
ANTHROPIC_ID = re.compile(r"[A-Za-z0-9_-]+")


def _need(condition: object, what: str) -> None:
    if not condition:
        raise AssertionError(what)


def _list(value: Any, what: str) -> list[Message]:
    _need(isinstance(value, list) and len(cast("list[Any]", value)) > 0, what)
    return cast("list[Message]", value)


def _openai_content(message: Message, place: str) -> None:
    content: Any = message["content"]
    if isinstance(content, str):
        _need(content.strip(), f"{place}: empty content")
        return
    parts = _list(content, f"{place}: content is neither text nor parts")
    for part in parts:
        if part["type"] == "text":
            _need(part["text"].strip(), f"{place}: empty text part")
        else:
            _need(message["role"] == "user", f"{place}: only a user shows images")
            _need(part["type"] == "image_url" and re.match(r"https?://|data:image/", part["image_url"]["url"]), f"{place}: bad image")


def _openai_calls(message: Message, place: str) -> list[str]:
    ids: list[str] = []
    for call in message["tool_calls"]:
        _need(call["type"] == "function" and 0 < len(call["id"]) <= 40, f"{place}: bad call")
        _need(NAME.fullmatch(call["function"]["name"]), f"{place}: bad tool name {call['function']['name']!r}")
        _need(isinstance(call["function"]["arguments"], str), f"{place}: arguments are not a string")
        _need(isinstance(json.loads(call["function"]["arguments"]), dict), f"{place}: arguments are not an object")
        ids.append(call["id"])
    return ids


def openai(messages: list[Message]) -> None:
    """Chat completions: each tool call is answered, once, right after the message that made it."""
    seen: set[str] = set()
    waiting: list[str] = []
    for number, message in enumerate(messages):
        place = f"message {number}"
        role = message["role"]
        _need(role in {"system", "user", "assistant", "tool"}, f"{place}: role {role!r}")
        _need(role != "system" or number == 0, f"{place}: system text in the middle")
        if role == "tool":
            _need(message["tool_call_id"] in waiting, f"{place}: answers no open call")
            _need(isinstance(message["content"], str), f"{place}: a result is text")
            waiting.remove(message["tool_call_id"])
            continue
        _need(not waiting, f"{place}: calls {waiting} are unanswered")
        if role == "assistant" and "tool_calls" in message:
            _need(message["content"] is None or message["content"], f"{place}: empty content")
            waiting = _openai_calls(message, place)
            _need(waiting and len(set(waiting)) == len(waiting) and not seen & set(waiting), f"{place}: call ids repeat or are none")
            seen |= set(waiting)
        else:
            _openai_content(message, place)
    _need(not waiting, "the last calls are unanswered")


def _anthropic_block(block: Message, role: str, place: str) -> None:
    kind = block["type"]
    if kind == "text":
        _need(block["text"].strip(), f"{place}: empty text block")
    elif kind == "image":
        _need(role == "user", f"{place}: only a user shows images")
        _need(block["source"]["type"] in {"url", "base64"}, f"{place}: bad image")
    elif kind == "tool_use":
        _need(role == "assistant" and isinstance(block["input"], dict), f"{place}: bad call")
        _need(NAME.fullmatch(block["name"]) and ANTHROPIC_ID.fullmatch(block["id"]), f"{place}: bad name or id")
    else:
        _need(kind == "tool_result" and role == "user", f"{place}: block {kind!r}")
        _need(isinstance(block["content"], str), f"{place}: a result is text")


def anthropic(messages: list[Message]) -> None:
    """Messages: roles take turns from the user on; results lead the message after their calls."""
    seen: set[str] = set()
    waiting: list[str] = []
    for number, message in enumerate(messages):
        place = f"message {number}"
        _need(message["role"] == ("user", "assistant")[number % 2], f"{place}: role {message['role']!r} out of turn")
        blocks = _list(message["content"], f"{place}: no content")
        for block in blocks:
            _anthropic_block(block, message["role"], place)
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        leading = [block["tool_use_id"] for block in blocks[: len(results)] if block["type"] == "tool_result"]
        _need(results == leading and sorted(results) == sorted(waiting), f"{place}: results do not answer the calls before them")
        waiting = [block["id"] for block in blocks if block["type"] == "tool_use"]
        _need(len(set(waiting)) == len(waiting) and not seen & set(waiting), f"{place}: call ids repeat")
        seen |= set(waiting)
    _need(not waiting, "the last calls are unanswered")


def gemini(contents: list[Message]) -> None:
    """generateContent: contents take turns from the user on; a call turn is followed by as many responses, in order."""
    waiting: list[str] = []
    for number, content in enumerate(contents):
        place = f"content {number}"
        _need(content["role"] == ("user", "model")[number % 2], f"{place}: role {content['role']!r} out of turn")
        _need(content["parts"], f"{place}: no parts")
        called: list[str] = []
        answered: list[str] = []
        for part in content["parts"]:
            _need(len(part) == 1, f"{place}: a part is one thing")
            (kind, value), *_ = part.items()
            if kind == "text":
                _need(value.strip(), f"{place}: empty text")
            elif kind == "functionCall":
                _need(content["role"] == "model" and isinstance(value["args"], dict), f"{place}: bad call")
                _need(GEMINI_NAME.fullmatch(value["name"]), f"{place}: bad name {value['name']!r}")
                called.append(value["name"])
            elif kind == "functionResponse":
                _need(content["role"] == "user" and isinstance(value["response"], dict), f"{place}: bad response")
                answered.append(value["name"])
            else:
                _need(kind in {"fileData", "inlineData"} and content["role"] == "user", f"{place}: part {kind!r}")
        _need(answered == waiting, f"{place}: responses {answered} to calls {waiting}")
        _need(not answered or len(answered) == len(content["parts"]), f"{place}: responses among other parts")
        waiting = called
    _need(not waiting, "the last calls are unanswered")


def valid(shape: str, messages: list[Message]) -> None:
    """AssertionError when the chat API of `shape` would refuse `messages`, or they do not end with the user."""
    json.dumps(messages, allow_nan=False, ensure_ascii=False).encode("utf-8")
    _need(messages and messages[-1]["role"] == "user", "does not end with the user")
    {"openai": openai, "anthropic": anthropic, "gemini": gemini}[shape](messages)


def texts(value: Any) -> Iterator[str]:
    """Every piece of text that a model is billed for: words, names, ids and arguments; not the bytes of images."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in cast("list[Any]", value):
            yield from texts(part)
    elif isinstance(value, dict):
        for name, part in cast("Message", value).items():
            if name in {"args", "input"}:
                yield json.dumps(part, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
            elif name not in {"role", "type", "image_url", "source", "fileData", "inlineData"}:
                yield from texts(part)


def last_words(shape: str, messages: list[Message]) -> str:
    """The last piece of the last message: what the user says now."""
    last = messages[-1]
    if shape == "openai":
        return last["content"]
    return last["content"][-1]["text"] if shape == "anthropic" else last["parts"][-1]["text"]
