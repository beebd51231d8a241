"""Steps of a conversation written as the messages of one chat API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from beebread.context.media import Media
from beebread.context.request import Shape
from beebread.context.steps import Step
from beebread.context.wording import PLACEHOLDER
from beebread.model import canonical

Message = dict[str, Any]


def _openai_parts(step: Step) -> Any:
    if not step.media:
        return step.text
    urls = (image.url or f"data:{image.mime};base64,{image.data}" for image in step.media)
    text = [{"type": "text", "text": step.text}] if step.text.strip() else []
    return [*text, *({"type": "image_url", "image_url": {"url": url}} for url in urls)]


def _openai(steps: Sequence[Step]) -> list[Message]:
    """Tool results are messages of their own, right after the message that made the calls; arguments are a JSON string."""
    messages: list[Message] = []
    for step in steps:
        if step.role == "user":
            messages.append({"role": "user", "content": _openai_parts(step)})
            continue
        message: Message = {"role": "assistant", "content": step.text or None}
        if step.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": canonical(call.args).decode()}}
                for call in step.calls
            ]
        messages.append(message)
        messages.extend({"role": "tool", "tool_call_id": call.id, "content": call.output} for call in step.calls)
    return messages


def _anthropic_image(image: Media) -> Message:
    if image.url:
        return {"type": "image", "source": {"type": "url", "url": image.url}}
    return {"type": "image", "source": {"type": "base64", "media_type": image.mime, "data": image.data}}


def _anthropic(steps: Sequence[Step]) -> list[Message]:
    """Roles take turns, so neighbours are joined; results lead the user's message that follows their calls."""
    messages: list[Message] = []

    def say(role: str, blocks: list[Message]) -> None:
        if not messages and role == "assistant":
            say("user", [{"type": "text", "text": PLACEHOLDER}])
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"].extend(blocks)
        elif blocks:
            messages.append({"role": role, "content": blocks})

    for step in steps:
        blocks: list[Message] = [{"type": "text", "text": step.text}] if step.text.strip() else []
        blocks.extend(_anthropic_image(image) for image in step.media)
        blocks.extend({"type": "tool_use", "id": call.id, "name": call.name, "input": call.args} for call in step.calls)
        say(step.role, blocks)
        results: list[Message] = []
        for call in step.calls:
            result: Message = {"type": "tool_result", "tool_use_id": call.id, "content": call.output}
            results.append({**result, "is_error": True} if call.failed else result)
        if results:
            say("user", results)
    return messages


def _gemini_image(image: Media) -> Message:
    if image.url:
        return {"fileData": {"mimeType": image.mime, "fileUri": image.url}}
    return {"inlineData": {"mimeType": image.mime, "data": image.data}}


def _gemini(steps: Sequence[Step]) -> list[Message]:
    """Roles take turns; a content with function responses holds nothing else, so a placeholder parts it from words of the user."""
    contents: list[Message] = []

    def say(role: str, parts: list[Message]) -> None:
        last = contents[-1] if contents else None
        answered = last is not None and "functionResponse" in last["parts"][-1]
        if (last is None and role == "model") or (answered and role == "user"):
            say("user" if last is None else "model", [{"text": PLACEHOLDER}])
            last = contents[-1]
        if last is not None and last["role"] == role:
            last["parts"].extend(parts)
        elif parts:
            contents.append({"role": role, "parts": parts})

    for step in steps:
        parts: list[Message] = [{"text": step.text}] if step.text.strip() else []
        parts.extend(_gemini_image(image) for image in step.media)
        parts.extend({"functionCall": {"name": call.name, "args": call.args}} for call in step.calls)
        say("user" if step.role == "user" else "model", parts)
        if step.calls:
            contents.append({"role": "user", "parts": [
                {"functionResponse": {"name": call.name, "response": {"error" if call.failed else "output": call.output}}}
                for call in step.calls
            ]})  # fmt: skip
    return contents


_RENDER: dict[Shape, Callable[[Sequence[Step]], list[Message]]] = {"openai": _openai, "anthropic": _anthropic, "gemini": _gemini}


def render(shape: Shape, steps: Sequence[Step]) -> list[Message]:
    """`steps` as the messages of `shape`'s chat API, valid as they stand. The caller passes his tools, system text and the rest."""
    return _RENDER[shape](steps)
