"""Narrowing a principal by the names that a caller gives: the same for a client, a request over HTTP and a tool of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from beebread import policy
from beebread.errors import Invalid
from beebread.faces.requests import made
from beebread.model import Principal

NAMES = ("tenant", "user", "agent", "session", "task", "groups", "clearance", "kinds", "private")
NOBODY = "nobody"
"""The name by which a client says that it asks as somebody who may see and write nothing."""


def narrowed(who: Principal, wish: Mapping[str, Any]) -> Principal:
    """`who`, narrowed by `wish`, whose names are of NAMES; never widened. A user is bound with clearance 0 unless more is given.

    Raises Invalid for what makes no sense.
    """
    given = {name: value for name, value in wish.items() if value is not None}
    if given.pop(NOBODY, False):  # what a client elsewhere has narrowed away is nobody here too
        return msgspec.structs.replace(narrowed(who, given), roles=(), kinds=())
    level = given.pop("clearance", None)
    asked = made(Principal, {**given, "clearance": 0 if level is None else level}, "binding")
    policy.check_names(asked)
    free = not who.user
    level = level if level is not None else (0 if free and asked.user else who.clearance)
    if not 0 <= level <= 3:
        raise Invalid(f"clearance {level} is out of range: use 0 to 3")
    if asked.private and not (asked.agent or who.agent):
        raise Invalid("private=True needs an agent: bind(agent='…', private=True)")
    return policy.narrowed(who, msgspec.structs.replace(asked, clearance=level))
