"""What the public suite of the protocol calls by name: tools, resources and prompts beside the memory's own, in the same application."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
Json = dict[str, Any]
Answer = types.CallToolResult | types.InputRequiredResult


def text(said: str) -> Json:
    return {"type": "text", "text": said}


IMAGE: Json = {"type": "image", "data": PNG, "mimeType": "image/png"}


def resource(uri: str, said: str, kind: str = "text/plain") -> Json:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": said}}


PLAIN: dict[str, list[Json]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [IMAGE],
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [resource("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"), IMAGE,
        resource("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
}  # fmt: skip
PROMPTS: dict[str, tuple[tuple[str, ...], Callable[[Json], list[Json]]]] = {
    "test_simple_prompt": ((), lambda _: [text("This is a simple prompt for testing.")]),
    "test_prompt_with_arguments": (
        ("arg1", "arg2"), lambda given: [text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")]
    ),
    "test_prompt_with_embedded_resource": (
        ("resourceUri",),
        lambda given: [
            resource(given.get("resourceUri", ""), "Embedded resource content for testing."),
            text("Please process the embedded resource above."),
        ],
    ),
    "test_prompt_with_image": ((), lambda _: [IMAGE, text("Please analyze the image above.")]),
}  # fmt: skip
FORMS: dict[str, Json] = {
    "test_elicitation": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "test_elicitation_sep1034_defaults": {
        "name": {"type": "string", "default": "John Doe"}, "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5}, "verified": {"type": "boolean", "default": True},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    },
    "test_elicitation_sep1330_enums": {
        "untitledSingle": {"type": "string", "enum": ["option1", "option2", "option3"]},
        "titledSingle": {"type": "string", "oneOf": [
            {"const": f"value{number}", "title": f"{name} Option"} for number, name in enumerate(("First", "Second", "Third"), 1)]},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": ["option1", "option2", "option3"]}},
        "titledMulti": {"type": "array", "items": {"anyOf": [
            {"const": f"value{number}", "title": f"{name} Choice"} for number, name in enumerate(("First", "Second", "Third"), 1)]}},
    },
}  # fmt: skip
ROUNDS = (
    "test_input_required_result_elicitation", "test_input_required_result_request_state", "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round", "test_input_required_result_tampered_state", "test_input_required_result_capabilities",
    "test_input_required_result_sampling", "test_input_required_result_list_roots",
)  # fmt: skip
ASKED = "test_input_required_result_prompt"


def form(message: str, name: str, kind: str = "string") -> Json:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


NAME = form("What is your name?", "name")
SAMPLE: Json = {
    "method": "sampling/createMessage", "params": {"messages": [{"role": "user", "content": text("Generate a greeting")}], "maxTokens": 50},
}  # fmt: skip
ROOTS: Json = {"method": "roots/list", "params": {}}


def add(server: Server[Any]) -> None:
    """Put the fixtures on a server, beside what it has."""
    server.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=server.name))
    server.get_tool_input_schema = None  # the suite's tools are not in the memory's table
    for method, kind, own in (
        ("tools/call", types.CallToolRequestParams, _call), ("resources/read", types.ReadResourceRequestParams, _read),
        ("prompts/get", types.GetPromptRequestParams, _prompt),
    ):  # fmt: skip
        inner = server.get_request_handler(method)
        assert inner is not None
        server.add_request_handler(method, kind, _before(own, inner.handler))
    tools = [
        {"name": name, "description": "A fixture of the suite.", "inputSchema": {"type": "object"}} for name in (*PLAIN, *FORMS, *ROUNDS)
    ]
    tools += [
        {"name": name, "description": "A fixture.", "inputSchema": {"type": "object"}}
        for name in ("test_error_handling", "test_tool_with_progress")
    ]
    listed = server.get_request_handler("tools/list")
    assert listed is not None

    async def every(ctx: Any, params: Any) -> Json:
        found: Json = await listed.handler(ctx, params)  # pyright: ignore[reportAssignmentType]
        return {**found, "tools": [*found["tools"], *tools]}

    server.add_request_handler("tools/list", types.PaginatedRequestParams, every)


def _before(own: Callable[[Any, Any], Awaitable[Any]], inner: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
    async def handler(ctx: Any, params: Any) -> Any:
        answer = await own(ctx, params)
        return answer if answer is not None else await inner(ctx, params)

    return handler


async def _call(ctx: Any, params: types.CallToolRequestParams) -> Any:
    if params.name in PLAIN:
        return {"content": PLAIN[params.name], "resultType": "complete"}
    if params.name in FORMS:
        fields = FORMS[params.name]
        schema: Json = {"type": "object", "properties": fields, "required": list(fields)[:2] if params.name == "test_elicitation" else []}
        answer = await ctx.session.elicit_form((params.arguments or {}).get("message", "Please"), schema, related_request_id=ctx.request_id)
        return _said(f"Elicitation completed: action={answer.action}, content={answer.content}")
    if params.name == "test_error_handling":
        return types.CallToolResult(
            content=[types.TextContent(type="text", text="This tool intentionally returns an error for testing")], is_error=True
        )
    if params.name == "test_tool_with_progress":
        token: Any = dict(ctx.meta or {}).get("progress_token")
        for done in (0, 50, 100):
            if token is not None:
                await ctx.session.send_progress_notification(token, done, 100, related_request_id=ctx.request_id)
            await asyncio.sleep(0.05)
        return _said("done")
    return _rounds(ctx, params) if params.name in ROUNDS else None


def _rounds(ctx: Any, params: types.CallToolRequestParams) -> Json | None:
    """The tools that need more from the user than a call brings."""
    given, state = params.input_responses or {}, params.request_state
    match params.name.removeprefix("test_input_required_result_"):
        case "elicitation":
            return _said(f"Hello, {_field(given, 'user_name', 'name')}!") if "user_name" in given else _asks({"user_name": NAME})
        case "request_state" | "tampered_state":
            asks = _asks({"confirm": form("Please confirm", "ok", "boolean")}, "round-1")
            return _said("state-ok") if "confirm" in given and state == "round-1" else asks
        case "multiple_inputs":
            wanted = {"user_name": NAME, "greeting": SAMPLE, "client_roots": ROOTS}
            return _said("all there") if wanted.keys() <= given.keys() and state == "round-1" else _asks(wanted, "round-1")
        case "multi_round":
            if state == "round-2" and "step2" in given:
                return _said("finished")
            if state == "round-1" and "step1" in given:
                return _asks({"step2": form("Step 2: What is your favorite color?", "color")}, "round-2")
            return _asks({"step1": form("Step 1: What is your name?", "name")}, "round-1")
        case "capabilities":
            can = ctx.session.client_capabilities
            wanted = {"user_name": NAME} if can and can.elicitation else {"greeting": SAMPLE} if can and can.sampling else {}
            return _asks(wanted) if wanted else _said("nothing that can be asked")
        case "sampling":
            return _said("sampled") if given else _asks({"capital": SAMPLE})
        case _:
            return _said("rooted") if given else _asks({"client_roots": ROOTS})


def _field(given: Any, name: str, field: str) -> str:
    answer = given[name]
    return str((answer.content or {}).get(field)) if isinstance(answer, types.ElicitResult) else ""


def _asks(requests: Json, state: str = "") -> Json:
    return {"resultType": "input_required", "inputRequests": requests, **({"requestState": state} if state else {})}


def _said(words: str) -> Json:
    return {"content": [text(words)], "resultType": "complete"}


async def _read(_: Any, params: types.ReadResourceRequestParams) -> Json | None:
    uri = str(params.uri)
    if uri == "test://static-text":
        content: Json = {"uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource."}
    elif uri == "test://static-binary":
        content = {"uri": uri, "mimeType": "image/png", "blob": PNG}
    elif uri.startswith("test://template/"):
        name = uri.split("/")[3]
        content = {
            "uri": uri,
            "mimeType": "application/json",
            "text": f'{{"id":"{name}","templateTest":true,"data":"Data for ID: {name}"}}',
        }
    else:
        return None
    return {"contents": [content], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


async def _prompt(_: Any, params: types.GetPromptRequestParams) -> Json | None:
    if params.name == ASKED:
        given = params.input_responses or {}
        if "user_context" not in given:
            return _asks({"user_context": form("What context should the prompt use?", "context")})
        return {"messages": [{"role": "user", "content": text(_field(given, "user_context", "context"))}], "resultType": "complete"}
    if params.name not in PROMPTS:
        return None
    made = PROMPTS[params.name][1](dict(params.arguments or {}))
    return {"messages": [{"role": "user", "content": content} for content in made], "resultType": "complete"}
