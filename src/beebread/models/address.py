"""What an embedder's URL says: the model it names, and its parameters, each of which is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import parse_qsl, unquote, urlsplit

from beebread.errors import Invalid, shown


def model_name(url: str) -> str:
    """The model that `url` names between its scheme and its parameters: 'BAAI/bge-m3' for openai://BAAI/bge-m3?dimensions=512."""
    rest = url.partition("://")[2].partition("?")[0]
    name = unquote(rest).strip("/")
    if not name or "\0" in name:
        raise Invalid(f"the embedder {shown(url)} names no model: write {urlsplit(url).scheme}://MODEL")
    return name


def parameters(url: str, known: Sequence[str]) -> dict[str, str]:
    """The parameters after the question mark; Invalid for one that is not among `known`."""
    given = dict(parse_qsl(url.partition("?")[2], keep_blank_values=True))
    unknown = sorted(given.keys() - set(known))
    if unknown:
        raise Invalid(f"the embedder's URL has an unknown parameter {shown(unknown[0])}; known are {', '.join(known)}")
    return given


def whole(given: Mapping[str, str], name: str, default: int, most: int) -> int:
    """The whole number from 1 to `most` that the parameter gives, or `default`."""
    text = given.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= most):
        raise Invalid(f"the embedder's parameter {name} is {shown(text)}: use a whole number from 1 to {most}")
    return int(text)


def seconds(given: Mapping[str, str], name: str, default: float, most: float) -> float:
    """The time in seconds, above zero, that the parameter gives, or `default`."""
    text = given.get(name)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= most:
        raise Invalid(f"the embedder's parameter {name} is {shown(text)}: use seconds, at most {most:g}")
    return number
