"""Masking: everywhere an event can say something, with counts, and nothing else touched."""

from __future__ import annotations

from typing import Any

import pytest

from beebread.capture import patterns, redacted
from beebread.model import Event, Failure, ModelCall, Tool
from tests.unit.capture.shelf import HOME, NOON

FILL = "a1B2c3D4" * 5  # put together here, so that no scanner takes a test for a leak
KEY = "-".join(("sk", "ant", FILL))
SECRETS = {
    KEY: "api_key",
    "AKIA" + "ABCD1234" * 2: "api_key",
    "ghp_" + FILL: "api_key",
    "LTAI" + FILL[:20]: "api_key",
    ".".join(("eyJ" + FILL, "eyJ" + FILL, FILL)): "jwt",
    "-----BEGIN RSA PRIVATE " + "KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----": "private_key",
    "-----BEGIN PRIVATE " + "KEY-----\nMIIEow cut off": "private_key",
}
CALM = [
    "以后用飞书通知我",
    "The token budget is 2000 and the password policy needs 12 characters",
    "bearer of bad news",
    "https://example.com/path?x=1",
    "密码忘了怎么办",
    "task-id sk-1, commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
]


@pytest.mark.parametrize(("secret", "name"), SECRETS.items())
def test_secrets_are_masked_by_shape(secret: str, name: str) -> None:
    text, counts = patterns()(f"这是 {secret} 请保管")
    assert secret not in text
    assert f"[redacted:{name}]" in text
    assert counts == {name: 1}
    assert patterns()(text) == (text, {})


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer [redacted:bearer_token]"),
        ("postgres://app:s3cretpw@db:5432/x", "postgres://app:[redacted:url_password]@db:5432/x"),
        ("密码是 hunter2hunter", "密码是 [redacted:password]"),
        ("DB_PASSWORD='hunter2hunter'", "DB_PASSWORD='[redacted:password]'"),
        ('{"api_key": "abcdefghij"}', '{"api_key": "[redacted:password]"}'),
    ],
)
def test_only_the_secret_itself_is_masked(text: str, masked: str) -> None:
    assert patterns()(text)[0] == masked


@pytest.mark.parametrize("text", CALM)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert patterns()(text) == (text, {})


def test_extra_patterns_have_their_name() -> None:
    assert patterns({"badge": r"工号\d+"})("工号12345 到了") == ("[redacted:badge] 到了", {"badge": 1})


def test_everything_an_event_says_is_masked_and_counted() -> None:
    key = KEY
    args: dict[str, Any] = {"headers": [{"authorization": f"Bearer {key}"}], "password": "swordfish1", "n": 3, "ok": True, "note": "普通"}
    event = Event(
        id="e",
        scope=HOME,
        kind="tool_call",
        at=NOON,
        text=key,
        parts=({"type": "text", "content": key}, {"type": "blob", "data": "A" * 300}),
        tool=Tool("http", "c", args),
        error=Failure("E", f"401 for {key}"),
        model=ModelCall(params={"key": key}),
        environment={"token": key},
        redactions={"earlier": 1},
    )
    masked = redacted(event, patterns())
    assert key not in str(masked)
    assert "swordfish1" not in str(masked)
    assert masked.tool is not None
    assert masked.tool.args["n"] == 3
    assert masked.tool.args["note"] == "普通"
    assert masked.tool.args["password"] == "[redacted:password]"
    assert masked.parts[1] == {"type": "blob", "data": "A" * 300}
    assert masked.redactions == {"earlier": 1, "api_key": 6, "password": 1}
    assert redacted(masked, patterns()) == masked


def test_an_event_without_secrets_stays_the_same() -> None:
    event = Event(id="e", scope=HOME, kind="tool_call", at=NOON, text="查天气", tool=Tool("weather", "c", {"city": "北京"}))
    assert redacted(event, patterns()) == event
