"""The seam at which text is masked before anything leaves the process's memory, and a masker of plain secrets for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from beebread.capture.strings import Change, mapped
from beebread.model import Event
from beebread.ports import Redact

# Precision over recall: each has a shape that hardly anything but a secret has. Group 1, where there is one, is all that is masked.
SECRETS: Mapping[str, str] = {
    "private_key": r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[\s\S]{0,20000}?-----END [A-Z ]{0,30}PRIVATE KEY-----|[\s\S]{0,20000})",
    "jwt": r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}",
    "api_key": (
        r"\b(?:sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{20,}|(?:AKIA|ASIA)[0-9A-Z]{16}\b|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}"
        r"|glpat-[A-Za-z0-9_-]{20,}|xox[abeprs]-[A-Za-z0-9-]{10,}|AIza[A-Za-z0-9_-]{35}|hf_[A-Za-z0-9]{30,}|LTAI[A-Za-z0-9]{16,24}\b"
        r"|AKID[A-Za-z0-9]{32}\b|[rs]k_live_[A-Za-z0-9]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})"
    ),
    "bearer_token": r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/-]{16,}={0,2})",
    "url_password": r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,100}:([^\s/@]{3,200})@",
    "password": (
        r"(?i)(?:\b|_)(?:password|passwd|pwd|passphrase|secret|client_secret|secret_key|access_key|api_?key|auth_?token|access_?token|密码|口令|密钥)"
        r"[\"']?\s*(?:[=:：]|是|is)\s*[\"']?([^\s\"',;，。；\[\]]{6,200})"
    ),
}


def patterns(extra: Mapping[str, str] | None = None) -> Redact:
    """A masker of secrets by shape: keys, tokens, passwords that are named as such; `extra` adds names and regular expressions.

    A find is replaced by [redacted:name] (only its first group, where the expression has one) and counted under that name.
    """
    rules = [(name, re.compile(rule)) for name, rule in {**SECRETS, **(extra or {})}.items()]

    def redact(text: str) -> tuple[str, dict[str, int]]:
        counts: dict[str, int] = {}
        for name, rule in rules:
            text, found = rule.subn(lambda match, name=name: _masked(match, name), text)
            if found:
                counts[name] = found
        return text, counts

    return redact


def _masked(match: re.Match[str], name: str) -> str:
    mask = f"[redacted:{name}]"
    if not match.re.groups or match[1] is None:
        return mask
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return f"{match[0][:start]}{mask}{match[0][end:]}"


def _masking(redact: Redact, counts: Counter[str]) -> Change:
    def change(name: str, text: str) -> str:
        if name in ("data", "file_data") and len(text) > 200:
            return text
        masked, found = redact(text)
        if not found and name:
            named, found = redact(f"{name}={text}")
            masked = named[len(name) + 1 :] if found and named.startswith(f"{name}=") else masked
        counts.update(found)
        return masked

    return change


def masked(value: Any, redact: Redact | None, name: str = "") -> Any:
    """`value` (any JSON, that stands under `name`) with `redact` applied to each of its strings; as it is where there is none."""
    return value if redact is None else mapped(value, _masking(redact, Counter()), name)


def redacted(event: Event, redact: Redact) -> Event:
    """`event` with `redact` applied to all that it says: text, parts, arguments, error, model parameters, environment.

    The counts by name are added to `event.redactions`. An argument is also judged together with its name, as name=value: a password
    has no shape of its own. Bytes in base64 (`data`) are left alone, since a mask would only break them.
    """
    counts: Counter[str] = Counter(event.redactions)
    change = _masking(redact, counts)
    changed: dict[str, Any] = {"text": change("", event.text), "parts": tuple(mapped(event.parts, change))}
    if event.tool is not None:
        changed["tool"] = msgspec.structs.replace(event.tool, args=mapped(event.tool.args, change))
    if event.error is not None:
        changed["error"] = msgspec.structs.replace(event.error, message=change("", event.error.message))
    if event.model is not None and event.model.params:
        changed["model"] = msgspec.structs.replace(event.model, params=mapped(event.model.params, change))
    if event.environment:
        changed["environment"] = mapped(event.environment, change)
    return msgspec.structs.replace(event, **changed, redactions=dict(counts))
