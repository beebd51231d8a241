"""The rules of working memory: what makes a state valid, when it expires, and which states a turn needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from beebread.errors import Invalid, shown
from beebread.model import FIELD_STATUSES, MAX_DEPTH, Field, Rules, State, is_finite, is_shallow
from beebread.text import query_terms

MAX_KEY = 256


def as_fields(values: Mapping[str, Any]) -> dict[str, Field]:
    """Fields from plain values (confirmed), Fields, or {"value": …, "status": …, "source": …}; None alone is a missing field."""
    if not isinstance(values, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not all typed
        raise Invalid(f"the fields of a state are names with their values, not {shown(values)}")
    return {name: _field(name, value) for name, value in values.items()}


def _field(name: str, value: Any) -> Field:
    if isinstance(value, Field):
        return value
    if value is None:
        return Field(status="missing")
    if isinstance(value, dict) and "value" in value and set(value) <= {"value", "status", "source"}:  # pyright: ignore[reportUnknownArgumentType]
        try:
            return msgspec.convert(value, Field)
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            raise Invalid(f"field {name!r} of the state has the wrong form: {error}") from None
    return Field(value=value)


def check(state: State) -> None:
    """Raise Invalid for a state that makes no sense, saying what to change."""
    if not state.key or len(state.key) > MAX_KEY or not state.key.isprintable():
        raise Invalid(f"a state's key must be 1 to {MAX_KEY} printable characters, such as order_status_12345")
    for name, field in state.fields.items():
        if not name:
            raise Invalid("a field of a state needs a name")
        if field.status not in FIELD_STATUSES:
            raise Invalid(f"field {name!r} has status {field.status!r}: use one of {', '.join(FIELD_STATUSES)}")
        if not (is_shallow(field.value) and is_finite(field.value)):
            raise Invalid(f"field {name!r} must be JSON without NaN or Infinity, nested at most {MAX_DEPTH} levels deep")
    try:
        msgspec.json.encode(state)
    except (TypeError, ValueError, RecursionError) as error:
        raise Invalid(f"the fields of a state must be JSON: {error}") from None


def expiry(asked: datetime | None, now: datetime, rules: Rules, old: State | None) -> datetime:
    """When a state expires: as asked now or before, else so many of the contract's days after its last change."""
    span = timedelta(days=rules.state_days)
    if asked is None and old is not None and old.expires_at and old.updated_at and old.expires_at != old.updated_at + span:
        return old.expires_at
    return asked or now + span


def relevant(states: Iterable[State], request: str, task: str, limit: int = 3) -> list[State]:
    """The states that a turn needs: those of its task, then those whose key or values share most words with the request."""
    words = set(query_terms(request))

    def score(state: State) -> tuple[bool, int]:
        said = " ".join([state.key.replace("_", " "), state.step, *(str(field.value) for field in state.fields.values())])
        return bool(task and state.scope.task == task), len(words & set(query_terms(said)))

    scored = [(score(state), state) for state in states]
    wanted = [pair for pair in scored if pair[0][0] or pair[0][1]]
    wanted.sort(key=lambda pair: (pair[0], pair[1].updated_at.timestamp() if pair[1].updated_at else 0.0), reverse=True)
    return [state for _, state in wanted[:limit]]
