"""Asking the user which of two values of a slot is to stand, where his client can ask him; in both ways that the protocol has had."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

from beebread.faces.mcp import facts
from beebread.faces.mcp.calls import Decide, Kept

LONGEST = 500  # characters of a value that the user is shown
_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {
        "choice": {
            "type": "string", "title": "Which one is right?", "enum": ["replace", "keep"], "enumNames": ["The new one", "The earlier one"],
            "default": "replace",
        },
    },
    "required": ["choice"],
}  # fmt: skip


class Unanswered(Exception):
    """The user has to be asked before the call can go on: the client asks him and calls again."""

    def __init__(self, required: types.InputRequiredResult) -> None:
        super().__init__("the user has to be asked")
        self.required = required


def decision(ctx: ServerRequestContext[Any, Any], params: types.CallToolRequestParams, *, asks: bool) -> Decide:
    """Who decides about a call's conflict: the user where his client can ask him, else the rule that the newer value stands."""
    capabilities = ctx.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    # A client that names no form of asking has the only one that there was at first.
    if not asks or elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return _newer

    async def asked(kept: Kept, new: str) -> str:
        message = f"The memory holds: “{kept.text[:LONGEST]}”. Shall this replace it: “{new[:LONGEST]}”?"
        if ctx.protocol_version not in facts.MODERN:
            return _chosen(await ctx.session.elicit_form(message, _FORM, related_request_id=ctx.request_id))
        # The version is part of the question's name: an answer to another question says nothing of this one.
        name = f"replace {kept.id}@{kept.version}"
        answer = (params.input_responses or {}).get(name)
        if isinstance(answer, types.ElicitResult):
            return _chosen(answer)
        form = types.ElicitRequestFormParams(message=message, requested_schema=_FORM)
        raise Unanswered(types.InputRequiredResult(input_requests={name: types.ElicitRequest(params=form)}))

    return asked


async def _newer(_: Kept, __: str) -> str:
    return "replace"


def _chosen(answer: types.ElicitResult) -> str:
    """What the user chose; who does not answer changes nothing."""
    return "replace" if answer.action == "accept" and (answer.content or {}).get("choice", "replace") == "replace" else "keep"
