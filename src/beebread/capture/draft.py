"""What a caller may say of an event, in the forms that callers have it, checked and brought into the one form of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypedDict, TypeVar, cast

import msgspec

from beebread.capture.strings import as_json, plain
from beebread.clock import parse_time
from beebread.errors import Invalid, shown
from beebread.model import (
    EVENT_KINDS,
    KIND_SYNONYMS,
    ORIGINS,
    PRIORITIES,
    RELATIONS,
    STATUSES,
    Actor,
    Cause,
    Failure,
    ModelCall,
    Source,
    Tool,
)
from beebread.text import clean

Causes = str | Cause | Sequence[str | Cause | tuple[str, str]]
T = TypeVar("T")

KINDS = {**{kind: kind for kind in EVENT_KINDS}, **KIND_SYNONYMS}
# What nobody may lose goes first; what is only noise of the machinery goes last.
PRIORITY_OF_KIND = {
    **dict.fromkeys(EVENT_KINDS, "normal"),
    **dict.fromkeys(("user_message", "assistant_message", "tool_call", "tool_result", "error"), "high"),
    "harness_message": "low",
}
LONGEST_ID = 512


class Details(TypedDict, total=False):
    """Everything beside kind and text that can be said of an event when it is recorded; what is left out has its usual value.

    `at` (and `ended_at`): when it happened, an aware datetime or ISO 8601 with an offset; the default is now. `id`: the caller's own
    name for it. `causes`: ids, (id, relation) pairs or Causes, an empty list for none; the default is what the chain of the session says.
    `parent`: the enclosing step. `tool`, `model`, `source`, `actor`, `error`: the struct, its fields as a mapping, or the one word that
    matters (tool name, model name, framework, agent id, message or exception). `status` is error when an error is given, else ok.
    `priority` high is never lost, low may be folded or dropped under pressure; the default is by kind.
    """

    at: datetime | str
    ended_at: datetime | str
    id: str
    causes: Causes
    parent: str
    refers_to: Sequence[str]
    tool: Tool | Mapping[str, Any] | str
    model: ModelCall | Mapping[str, Any] | str
    source: Source | Mapping[str, Any] | str
    actor: Actor | Mapping[str, Any] | str
    error: Failure | Mapping[str, Any] | BaseException | str
    parts: Sequence[Mapping[str, Any]]
    status: str
    origin: str
    priority: str
    speaker: str
    run: str
    root_session: str
    seq: int
    tags: Sequence[str]
    environment: Mapping[str, str]
    expires_at: datetime | str


def known_kind(kind: object) -> str:
    """The kind itself, or what it is a synonym of; Invalid for one that is neither."""
    return KINDS[_one_of("kind", kind, tuple(KINDS))]


def text_of(text: object) -> str:
    """`text` as it is kept: as given, or the JSON of what is no text. Raises Invalid for bytes."""
    if isinstance(text, str):
        return text
    if isinstance(text, (bytes, bytearray, memoryview)):
        raise Invalid("an event's text is text or JSON: put bytes into parts, with a caption or filename")
    return as_json(plain(text, "text"))


def told(kind: str, content: object, details: Details) -> tuple[str, dict[str, Any]]:
    """The text and the fields of an event of `kind`. A call whose content is a JSON object, and that says no arguments, calls with that."""
    words = content if isinstance(content, str) else text_of(content)
    fields = accepted(details) if details else {}
    tool = fields.get("tool")
    if kind == "tool_call" and tool is not None and tool.args is None and words[:1] == "{":
        with suppress(msgspec.DecodeError):
            fields["tool"] = msgspec.structs.replace(tool, args=msgspec.json.decode(words))
    return words, fields


def accepted(details: Details) -> dict[str, Any]:
    """The fields of an event that `details` stand for. Raises Invalid, saying what is known, for what cannot be accepted."""
    fields: dict[str, Any] = {}
    for name, value in details.items():
        convert = _FORMS.get(name)
        if convert is None:
            raise Invalid(f"unknown field {name!r} of an event; known are {', '.join(sorted(_FORMS))}")
        if value is not None:
            fields[name] = convert(name, value)
    if "error" in fields:
        fields.setdefault("status", "error")
    return fields


def _one_of(name: str, value: object, known: tuple[str, ...]) -> str:
    if isinstance(value, str) and value in known:
        return value
    raise Invalid(f"{name} {shown(value)} is unknown: use one of {', '.join(known)}")


def _word(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise Invalid(f"{name} must be text, not {type(value).__name__}")
    return clean(value)


def _identity(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_ID or clean(value) != value:
        raise Invalid(f"{name} must be text of at most {LONGEST_ID} characters without NUL or lone surrogates, not {shown(value)}")
    return value


def _words(name: str, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (_identity(name, value),)
    if not isinstance(value, Iterable):
        raise Invalid(f"{name} must be a list of texts, not {type(value).__name__}")
    return tuple(_identity(name, item) for item in cast("Iterable[object]", value))


def _causes(_: str, value: Any) -> tuple[Cause, ...]:
    if isinstance(value, (str, Cause)):
        return (_cause(value),)
    if not isinstance(value, Iterable):
        raise Invalid(f"causes must be ids, or (id, relation) pairs, not {type(value).__name__}")
    return tuple(dict.fromkeys(map(_cause, cast("Iterable[Any]", value))))


def _cause(value: object) -> Cause:
    if isinstance(value, str):
        return Cause(_identity("cause", value))
    pair: list[object] = [value.id, value.relation] if isinstance(value, Cause) else []
    if isinstance(value, (tuple, list)):
        pair.extend(cast("list[object]", value))
    if len(pair) != 2:
        raise Invalid(f"a cause is an id or an (id, relation) pair, not {shown(cast('object', value))}")
    return Cause(_identity("cause", pair[0]), _one_of("relation", pair[1], RELATIONS))


def _struct(kind: type[T], word: str, *, flat: bool = False) -> Callable[[str, Any], T]:
    # A flat struct holds nothing that its owner could go on changing, so it is taken as it is.
    def convert(name: str, value: Any) -> T:
        if flat and type(value) is kind:
            return value
        given: Any = {word: value} if isinstance(value, str) else value
        if isinstance(given, (kind, Mapping)):
            try:
                return msgspec.convert(plain(cast("Any", given), name), kind)
            except (msgspec.ValidationError, UnicodeEncodeError) as error:
                raise Invalid(f"{name} has the wrong form: {error}") from None
        raise Invalid(f"{name} must be a {kind.__name__}, its fields, or its {word}, not {type(value).__name__}")

    return convert


_TOOL = _struct(Tool, "name")
# What chat APIs call the fields of a call.
_TOOL_WORDS = {"arguments": "args", "input": "args", "parameters": "args", "id": "call_id", "tool_call_id": "call_id"}


def _tool(name: str, value: Any) -> Tool:
    if isinstance(value, Mapping):
        given = cast("Mapping[str, Any]", value)
        value = {_TOOL_WORDS.get(word, word): item for word, item in given.items()}
        if unknown := sorted(set(value) - {"name", "call_id", "args", "attempt", "type"}):
            raise Invalid(f"unknown field {unknown[0]!r} of a tool; known are name, args, call_id, attempt")
    return _TOOL(name, value)


_FAILURE = _struct(Failure, "message", flat=True)


def _failure(name: str, value: Any) -> Failure:
    if isinstance(value, BaseException):
        return Failure(type(value).__name__, clean(str(value)))
    return _FAILURE(name, value)


def _parts(name: str, value: Any) -> tuple[dict[str, Any], ...]:
    parts = plain(value, name)
    if not isinstance(parts, (list, tuple)) or not all(isinstance(part, dict) for part in cast("list[Any]", parts)):
        raise Invalid("parts must be a list of content parts, each with its fields: [{'type': 'text', 'content': '…'}]")
    return tuple(cast("list[dict[str, Any]]", parts))


def _environment(name: str, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise Invalid(f"environment must be names with their values, not {type(value).__name__}")
    return {_word(name, key): _word(name, item) for key, item in cast("Mapping[Any, Any]", value).items()}


def _seq(name: str, value: Any) -> int:
    if not isinstance(value, int) or not 0 <= value < 1 << 53:
        raise Invalid(f"{name} must be a whole number from 0, not {shown(value)}")
    return value


def _time(name: str, value: Any) -> datetime:
    return parse_time(value, name)


_FORMS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("at", "ended_at", "expires_at"), _time),
    **dict.fromkeys(("id", "parent"), _identity),
    **dict.fromkeys(("speaker", "run", "root_session"), _word),
    **dict.fromkeys(("refers_to", "tags"), _words),
    "causes": _causes,
    "tool": _tool,
    "model": _struct(ModelCall, "name"),
    "source": _struct(Source, "framework", flat=True),
    "actor": _struct(Actor, "id", flat=True),
    "error": _failure,
    "parts": _parts,
    "environment": _environment,
    "seq": _seq,
    "status": lambda name, value: _one_of(name, value, STATUSES),
    "origin": lambda name, value: _one_of(name, value, ORIGINS),
    "priority": lambda name, value: _one_of(name, value, PRIORITIES),
}
