"""The OpenAPI 3.1 document, made of the table of operations and their types, and a page that shows it with nothing from outside."""

from __future__ import annotations

import inspect
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

import msgspec

from beebread import __version__, model, retrieval, service
from beebread.faces.rest.asked import BINDING, Shape
from beebread.model import Event, Query
from beebread.operations import OPERATIONS, Operation
from beebread.service import Appended, Service

REF = "#/components/schemas/{name}"
PROBLEMS = {
    400: "Not to be read as HTTP should be", 401: "A key is needed, or the one shown is not valid", 403: "This credential may not do that",
    404: "Unknown, forgotten and somebody else's alike", 405: "Not a method of this path", 408: "The body came too slowly",
    409: "A stale version, the same id with other content, or vectors of another model", 412: "The version is not the one of If-Match",
    413: "Too large", 414: "The address is too long", 415: "A coding or type that is not known",
    422: "The input makes no sense; the detail says why", 429: "Too many requests of this credential", 431: "Too many headers",
    500: "A fault of the server", 503: "The store cannot serve now, or too many ask at once",
}  # fmt: skip
EXAMPLES: dict[str, dict[str, Any]] = {
    "append": {"user": "u1", "session": "s1", "events": [{"kind": "user_message", "text": "以后用飞书通知我"}]},
    "write": {"user": "u1", "text": "prefers Feishu for notifications", "kind": "preference", "key": "notification.channel"},
    "query": {"user": "u1", "text": "怎么通知我?", "limit": 5},
    "context": {"user": "u1", "session": "s2", "query": "continue the crawler task", "budget": 2000},
    "explain": {"user": "u1", "query": "notifications", "expect": "m1"},
    "state_set": {"user": "u1", "fields": {"city": "成都"}, "step": "hotel"},
    "update": {"user": "u1", "text": "prefers e-mail", "version": 1},
    "key_create": {"name": "phone", "user": "u1"},
    "settle": {"timeout": 60},
    "purge": {"now": True},
}


@cache
def document() -> dict[str, Any]:
    """The whole document."""
    shapes = {name: Shape(operation) for name, operation in OPERATIONS.items()}
    types = [
        Event,
        Appended,
        *(kind for shape in shapes.values() for kind in shape.flat.values()),
        *(op.answer for op in OPERATIONS.values()),
    ]
    answers, components = msgspec.json.schema_components(types, schema_hook=_anything, ref_template=REF)
    by_type = {repr(kind): schema for kind, schema in zip(types, answers, strict=True)}
    asked = [by_type[repr(kind)] for shape in shapes.values() for kind in shape.flat.values()]
    _always_there(components, _named(asked, components))
    components["Problem"], components["EventDraft"] = _problem(), _draft()
    paths: dict[str, dict[str, Any]] = {}
    for name, shape in shapes.items():
        operation = shape.operation
        paths.setdefault(operation.path, {})[operation.verb.lower()] = _operation(name, shape, by_type, operation.path)
        if operation.bare:
            bare = {**_operation(name, shape, by_type, operation.bare), "operationId": f"{name}_bare"}
            paths.setdefault(operation.bare, {})[operation.verb.lower()] = bare
    put = {
        **_operation("state_set", shapes["state_set"], by_type, "/v1/states/{key}"),
        "operationId": "state_put",
        "summary": "Replace the whole state.",
    }
    paths["/v1/states/{key}"]["put"] = put
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Beebread", "version": __version__, "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "description": "The memory of AI agents. 智能体的记忆。 The names tenant, user, agent, session, task, groups, clearance and "
            "private narrow who asks, in the query string or a JSON body; they never widen what the credential may do.",
        },
        "paths": paths,
        "components": {"schemas": components, "responses": _problems(), "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
        "security": [{"key": []}, {}],
    }  # fmt: skip


def _anything(_: type) -> dict[str, Any]:
    return {}


def _named(schemas: object, components: dict[str, Any]) -> set[str]:
    """The components that schemas refer to, and those that these refer to."""
    found: set[str] = set()
    waiting = re.findall(r"#/components/schemas/(\w+)", str(schemas))
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += re.findall(r"#/components/schemas/(\w+)", str(components[name]))
    return found


def _always_there(components: dict[str, Any], asked: set[str]) -> None:
    """Say of answers that have all their members, usual ones too, that they have them; what is only asked may leave them out."""
    for name in components.keys() - asked:
        kind = getattr(model, name, None) or getattr(service, name, None) or getattr(retrieval, name)
        if not kind.__struct_config__.omit_defaults:
            components[name]["required"] = list(components[name]["properties"])
            for member in components[name]["properties"].values():
                member.pop("default", None)


def _draft() -> dict[str, Any]:
    """An event as it is recorded: what `Client.record` takes, by the same names."""
    text, texts, thing = {"type": "string"}, {"type": "array", "items": {"type": "string"}}, {"type": ["string", "object"]}
    return {
        "type": "object", "required": ["kind"], "description": "One step of a run. What is left out has its usual value.",
        "properties": {
            "kind": {**text, "enum": list(model.EVENT_KINDS)}, "text": text, "content": {"description": "Text, or JSON kept as its text."},
            **dict.fromkeys(("id", "at", "ended_at", "parent", "status", "origin", "priority", "speaker", "run", "root_session"), text),
            **dict.fromkeys(("user", "agent", "session", "task", "space"), text), "causes": {"type": "array"}, "refers_to": texts,
            **dict.fromkeys(("tool", "model", "source", "actor", "error"), thing), "parts": {"type": "array", "items": {"type": "object"}},
            "seq": {"type": "integer"}, "sensitivity": {"type": "integer", "minimum": 0, "maximum": 3},
            "environment": {"type": "object", "additionalProperties": text},
        },
    }  # fmt: skip


def _problems() -> dict[str, Any]:
    told = {"application/problem+json": {"schema": {"$ref": REF.format(name="Problem")}}}
    return {f"Problem{status}": {"description": said, "content": told} for status, said in PROBLEMS.items()}


def _problem() -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "type": "object", "description": "A problem (RFC 9457).", "required": ["type", "title", "status", "detail"],
        "properties": {
            "type": text, "title": text, "status": {"type": "integer"}, "detail": text, "ids": {"type": "array", "items": text},
            "current": {},
        },
    }  # fmt: skip


def _operation(name: str, shape: Shape, by_type: dict[str, Any], path: str) -> dict[str, Any]:
    operation = shape.operation
    said = inspect.getdoc(getattr(Service, name)) or name
    reads = operation.verb in ("GET", "DELETE")
    path_names = [part[1:-1] for part in path.split("/") if part.startswith("{")]
    parameters = [{"name": part, "in": "path", "required": True, "schema": {"type": "string"}} for part in path_names]
    named = {
        part: by_type[repr(kind)]
        for part, kind in shape.flat.items()
        if part not in path_names and not (shape.asks and part == "query" and reads)
    }
    if reads:
        parameters += [
            {"name": part, "in": "query", "required": False, "schema": schema}
            for part, schema in named.items()
            if part not in ("args", "environment", "query")
        ]
        parameters += [{"name": part, "in": "query", "schema": schema} for part, schema in _BINDING.items() if part not in named]
    made: dict[str, Any] = {
        "operationId": name, "summary": said.partition("\n")[0], "description": said, "parameters": parameters,
        "responses": _responses(name, operation, by_type),
    }  # fmt: skip
    if not reads:
        made["requestBody"] = _body(name, shape, named)
    if operation.role:
        made["description"] += f"\n\nFor the role {operation.role}."
    return made


_BINDING: dict[str, Any] = {
    **{name: {"type": "string"} for name in BINDING}, "groups": {"type": "array", "items": {"type": "string"}},
    "clearance": {"type": "integer", "minimum": 0, "maximum": 3}, "private": {"type": "boolean"},
}  # fmt: skip


def _body(name: str, shape: Shape, named: dict[str, Any]) -> dict[str, Any]:
    required = [field.name for field in msgspec.structs.fields(shape.request) if field.required and field.name in named]
    if name == "append":
        either = [{"$ref": REF.format(name=kind)} for kind in ("EventDraft", "Event")]
        aliases = {"type": "object", "additionalProperties": {"type": "string"}}
        named = {"events": {"type": "array", "items": {"anyOf": either}}, "aliases": aliases}
        required = ["events"]
    if "query" in named:
        named = {**named, "query": {"type": ["string", "object"]}}
    if shape.request is Query:
        named = {**named, "query": {"type": "string", "description": "Another name of text."}}
    schema: dict[str, Any] = {"type": "object", "properties": {**_BINDING, **named}, "required": required, "additionalProperties": False}
    content: dict[str, Any] = {"application/json": {"schema": schema, "example": EXAMPLES.get(name, {})}}
    if name == "append":
        content["application/x-ndjson"] = {"schema": {"type": "string", "description": "An event a line, taken in as they arrive."}}
    return {"required": bool(required), "content": content}


def _responses(name: str, operation: Operation, by_type: dict[str, Any]) -> dict[str, Any]:
    kind = "application/octet-stream" if operation.answer is bytes else "application/json"
    schema = {"type": "string", "format": "binary"} if operation.answer is bytes else by_type[repr(operation.answer)]
    content = {kind: {"schema": schema}}
    if name == "changes":
        content["text/event-stream"] = {"schema": {"type": "string"}}
    done = "201" if name in ("write", "key_create") else "200"
    found: dict[str, Any] = {done: {"description": "Done", "content": content}}
    if name in ("get", "state_get"):
        found["304"] = {"description": "The version is the one of If-None-Match"}
    return {**found, **{str(status): {"$ref": f"#/components/responses/Problem{status}"} for status in PROBLEMS}}


@cache
def text() -> bytes:
    """The document as JSON."""
    return msgspec.json.encode(document())


@cache
def page() -> str:
    """The document for people: operations by path, each with what it takes and an example."""
    rows: list[str] = []
    for path, verbs in document()["paths"].items():
        for verb, operation in verbs.items():
            asked = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            names = [one["name"] for one in operation["parameters"]] + list(asked.get("schema", {}).get("properties", {}))
            example = msgspec.json.format(msgspec.json.encode(asked["example"]), indent=2).decode() if asked.get("example") else ""
            rows.append(
                f"<details id='{operation['operationId']}'><summary><b>{verb.upper()}</b> <code>{escape(path)}</code> "
                f"{escape(operation['summary'])}</summary><p>{escape(operation['description'])}</p>"
                f"<p>Takes: {', '.join(f'<code>{escape(name)}</code>' for name in dict.fromkeys(names)) or 'nothing'}</p>"
                + (f"<pre>{escape(example)}</pre>" if example else "")
                + "</details>"
            )
    return (
        (files("beebread.faces.rest") / "docs.html")
        .read_text("utf-8")
        .replace("{rows}", "\n".join(rows))
        .replace("{version}", escape(__version__))
    )
