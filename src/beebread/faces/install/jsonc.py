"""Changing one member of a JSON file as people write it, with comments and trailing commas, and not a byte of anything else."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from beebread.errors import Invalid

_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_REST = re.compile(r"[ \t]*(?://[^\n]*|/\*[^\n]*?\*/[ \t]*)(?=\n)")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_PLAIN = re.compile(r"[^\s,\]}/]+")


class Member(NamedTuple):
    """One member of an object: its name, where its name begins, and where its value begins and ends."""

    name: str
    start: int
    value: int
    end: int


class Object(NamedTuple):
    """An object in a text: where it begins and where its closing brace is."""

    start: int
    close: int
    members: tuple[Member, ...]

    def get(self, name: str) -> Member | None:
        """The last member of that name, which is the one that counts."""
        return next((member for member in reversed(self.members) if member.name == name), None)


def parsed(text: str) -> Any:
    """What the text says. Invalid, with the line, where it is no JSON even with comments."""
    end, found = _value(text, _blank(text, 0))
    if _blank(text, end) != len(text):
        raise _wrong(text, _blank(text, end), "something after the end")
    return found


def put(text: str, section: str, name: str, value: Any) -> str:
    """The text with the member `name` of the object `section` set to `value`; both are made where they are missing."""
    if not text.strip():
        return json.dumps({section: {name: value}}, indent=2, ensure_ascii=False) + "\n"
    whole = _object(text, _blank(text, 0))
    inner = whole.get(section)
    if inner is None:
        return _added(text, whole, section, {name: value})
    held = _object(text, inner.value)
    member = held.get(name)
    if member is None:
        return _added(text, held, name, value)
    return text[: member.value] + _told(text, value, member.start) + text[member.end :]


def without(text: str, section: str, name: str) -> str:
    """The text without the member `name` of the object `section`."""
    whole = _object(text, _blank(text, 0)) if text.strip() else None
    inner = whole.get(section) if whole else None
    held = _object(text, inner.value) if inner else None
    member = held.get(name) if held else None
    if held is None or member is None:
        return text
    place = held.members.index(member)
    start, end = member.start, member.end
    after = _blank(text, end)
    if text[after] == ",":
        end = after + 1
    elif place:  # the last one: the comma before it goes with it
        comma = _blank(text, held.members[place - 1].end)
        text, start, end = text[:comma] + text[comma + 1 :], start - 1, end - 1
    line, rest = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    if rest >= 0 and not text[line:start].strip() and not text[end:rest].strip():
        start, end = line, rest + 1  # its lines were its own
    return text[:start] + text[end:]


def _added(text: str, there: Object, name: str, value: Any) -> str:
    """The text with one more member at the end of an object."""
    key = json.dumps(name, ensure_ascii=False)
    if not there.members:
        pad = _indent(text, there.start)
        step = _step(text)
        body = f"\n{pad}{step}{key}: {_dumped(value, pad + step, step)}\n{pad}"
        inside = text[there.start + 1 : there.close]
        return text[: there.start + 1] + inside.rstrip() + body + text[there.close :]
    last = there.members[-1]
    pad = _indent(text, last.start)
    comma = text[(after := _blank(text, last.end)) : after + 1] == ","
    end = after + 1 if comma else last.end
    before, behind = ("", ",") if comma else (",", "")  # who ends with a comma goes on to
    if "\n" not in text[there.start : last.start]:  # all on one line
        return f"{text[:end]}{before} {key}: {json.dumps(value, ensure_ascii=False)}{behind}{text[end:]}"
    rest = _REST.match(text, end)  # what is said on the line of the one before stays there
    line = rest.end() if rest else end
    return f"{text[:end]}{before}{text[end:line]}\n{pad}{key}: {_told(text, value, last.start)}{behind}{text[line:]}"


def _told(text: str, value: Any, beside: int) -> str:
    """A value as it is written on a line that begins as that of `beside` does."""
    return _dumped(value, _indent(text, beside), _step(text))


def _dumped(value: Any, pad: str, step: str) -> str:
    return json.dumps(value, indent=step, ensure_ascii=False).replace("\n", f"\n{pad}")


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _step(text: str) -> str:
    """What one level is indented by: as the first line is that is indented at all."""
    found = re.search(r"\n([ \t]+)\S", text)
    return found[1] if found else "  "


# ---------------------------------------------------------------- reading


def _blank(text: str, at: int) -> int:
    """The place after blanks and comments."""
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> tuple[int, Any]:
    """The value that begins here, and where it ends."""
    sign = text[at : at + 1]
    if sign == "{":
        found = _object(text, at)
        return found.close + 1, {member.name: _value(text, member.value)[1] for member in found.members}
    if sign == "[":
        return _list(text, at)
    match = (_STRING if sign == '"' else _PLAIN).match(text, at)
    try:
        return (match.end(), json.loads(match[0])) if match else (at, json.loads(""))
    except ValueError:
        raise _wrong(text, at, "no value of JSON") from None


def _object(text: str, at: int) -> Object:
    if text[at : at + 1] != "{":
        raise _wrong(text, at, "an object is expected")
    start, members = at, list[Member]()
    at = _blank(text, at + 1)
    while text[at : at + 1] != "}":
        key = _STRING.match(text, at)
        colon = _blank(text, key.end()) if key else at
        if key is None or text[colon : colon + 1] != ":":
            raise _wrong(text, at, 'a name in quotation marks and ":" are expected')
        value = _blank(text, colon + 1)
        end, _ = _value(text, value)
        members.append(Member(json.loads(key[0]), key.start(), value, end))
        at = _next(text, end, "}")
    return Object(start, at, tuple(members))


def _list(text: str, at: int) -> tuple[int, list[Any]]:
    found: list[Any] = []
    at = _blank(text, at + 1)
    while text[at : at + 1] != "]":
        end, value = _value(text, at)
        found.append(value)
        at = _next(text, end, "]")
    return at + 1, found


def _next(text: str, end: int, close: str) -> int:
    """Where the next member is, or the closing sign."""
    at = _blank(text, end)
    if text[at : at + 1] == ",":
        return _blank(text, at + 1)
    if text[at : at + 1] != close:
        raise _wrong(text, at, f'"," or "{close}" is expected')
    return at


def _wrong(text: str, at: int, why: str) -> Invalid:
    return Invalid(f"line {text.count(chr(10), 0, at) + 1}: {why}")
