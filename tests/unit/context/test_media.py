"""Images and files: parts where the API shows them, words where it does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.context.scenes import event, packed
from tests.unit.context.validate import valid

URL: dict[str, Any] = {
    "type": "uri",
    "modality": "image",
    "mime_type": "image/png",
    "uri": "https://example.org/a.png",
    "caption": "架构图",
}
BYTES: dict[str, Any] = {"type": "blob", "modality": "image", "mime_type": "image/jpeg", "content": b"hello"}
SHAPES = ("openai", "anthropic", "gemini")


def tail(*parts: dict[str, Any], text: str = "看这张图", kind: str = "user_message") -> tuple[Any, ...]:
    return (event("user_message", "hi", 0), event(kind, text, 1, parts=parts), event("assistant_message", "看到了", 2))


@pytest.mark.requirement("P1")
@pytest.mark.parametrize(
    ("shape", "url", "inline"),
    [
        (
            "openai",
            {"type": "image_url", "image_url": {"url": URL["uri"]}},
            {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,aGVsbG8="}},
        ),
        (
            "anthropic",
            {"type": "image", "source": {"type": "url", "url": URL["uri"]}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "aGVsbG8="}},
        ),
        (
            "gemini",
            {"fileData": {"mimeType": "image/png", "fileUri": URL["uri"]}},
            {"inlineData": {"mimeType": "image/jpeg", "data": "aGVsbG8="}},
        ),
    ],
)
def test_an_image_stays_a_part_with_its_caption(shape: str, url: dict[str, Any], inline: dict[str, Any]) -> None:
    """P1: what the user showed is shown again in the form of the API, by address or by bytes."""
    made = packed("再说说", 20_000, shape=shape, tail=tail(URL, BYTES, {**BYTES, "content": "aGVsbG8="}))
    valid(shape, list(made.messages))
    shown: list[Any] = [part for message in made.messages for part in (message.get("parts") or message["content"])]
    parts = [part for part in shown if not isinstance(part, str)]
    assert parts.count(url) == 1
    assert parts.count(inline) == 2
    assert "[图片：架构图]" in str(made.messages)
    assert made.tokens > 3 * 1600


@pytest.mark.parametrize("shape", SHAPES)
def test_a_data_url_is_bytes_everywhere(shape: str) -> None:
    part = {"type": "uri", "modality": "image", "uri": "data:image/png;base64,aGVsbG8="}
    made = packed("再说说", 20_000, shape=shape, tail=tail(part, text=""))
    valid(shape, list(made.messages))
    assert "aGVsbG8=" in str(made.messages)
    assert "'url': 'data:" not in str(made.messages) or shape == "openai"


@pytest.mark.requirement("P1")
@pytest.mark.parametrize("shape", SHAPES)
def test_what_cannot_be_shown_is_named(shape: str) -> None:
    """P1: files, unknown formats and images of the assistant or a tool become a line of text."""
    parts = (
        {"type": "file", "mime_type": "application/pdf", "filename": "报告.pdf"},
        {"type": "blob", "mime_type": "image/tiff", "content": "??", "caption": "a scan"},
        {"type": "blob", "mime_type": "audio/wav", "content": "aGVsbG8="},
        {"type": "text", "content": "看这张图"},
    )
    shown = str(packed("再说说", 20_000, shape=shape, tail=tail(*parts)).messages)
    assert all(line in shown for line in ("[文件：报告.pdf]", "[图片：a scan]", "[文件]"))
    made = packed("again", 20_000, shape=shape, tail=tail(URL, text="here", kind="assistant_message"))
    valid(shape, list(made.messages))
    assert "[image: 架构图]" in str(made.messages)


def test_a_message_that_is_only_an_image_is_a_message() -> None:
    image = {key: value for key, value in URL.items() if key != "caption"}
    for shape in SHAPES:
        made = packed("再说说", 20_000, shape=shape, tail=tail(image, text=""))
        valid(shape, list(made.messages))
        assert URL["uri"] in str(made.messages)


def test_a_caption_that_the_text_has_already_is_not_repeated() -> None:
    made = packed("再说说", 20_000, tail=tail(URL, text="看 图片：架构图"))
    assert str(made.messages).count("架构图") == 1
