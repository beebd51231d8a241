"""The table of operations, from which every face is made: name, HTTP verb and path, request, answer, and who may call it."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from beebread import service
from beebread.model import Memory, Pack, Principal, Query, Recall, Record, State, Trace
from beebread.retrieval import Explanation


class Operation(Struct, frozen=True, kw_only=True):
    """One operation of the service. `agent` marks those that agents are offered; `role` '' means that anyone may ask.

    `bare` is another path, for a request that gives nothing of what stands in `path`.
    """

    name: str
    verb: str
    path: str
    bare: str = ""
    request: Any
    answer: Any
    role: str = ""
    agent: bool = False


def _op(name: str, route: str, request: Any, answer: Any, **more: Any) -> Operation:
    verb, path = route.split(" ")
    return Operation(name=name, verb=verb, path=path, request=request, answer=answer, **more)


OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        _op("append", "POST /v1/events", service.Append, service.Appended),
        _op("write", "POST /v1/memories", service.Write, service.Written, agent=True),
        _op("query", "POST /v1/query", Query, Recall, agent=True),
        _op("context", "POST /v1/context", service.ContextRequest, Pack, agent=True),
        _op("get", "GET /v1/memories/{id}", service.Get, Record | None),
        _op("body", "GET /v1/memories/{id}/body", service.Body, bytes),
        _op("list", "GET /v1/memories", service.ListRequest, service.Page, agent=True),
        _op("update", "PATCH /v1/memories/{id}", service.Update, Memory, agent=True),
        _op("forget", "DELETE /v1/memories/{id}", service.Forget, service.Forgotten, agent=True),
        _op("history", "GET /v1/memories/{id}/history", service.Get, service.History),
        _op("sessions", "GET /v1/sessions", service.ListRequest, service.SessionPage),
        _op("trace", "GET /v1/sessions/{session}/trace", service.TraceRequest, Trace, bare="/v1/trace"),
        _op("explain", "POST /v1/explain", service.Explain, Explanation),
        _op("state_get", "GET /v1/states/{key}", service.StateKey, State | None, agent=True),
        _op("state_set", "PATCH /v1/states/{key}", service.StateWrite, State, agent=True),
        _op("state_list", "GET /v1/states", service.ListRequest, service.StatePage),
        _op("state_history", "GET /v1/states/{key}/history", service.StateKey, service.StatePage),
        _op("state_delete", "DELETE /v1/states/{key}", service.StateKey, service.Nothing),
        _op("changes", "GET /v1/changes", service.Changes, service.ChangePage),
        _op("settle", "POST /v1/settle", service.Settle, service.Settled),
        _op("whoami", "GET /v1/whoami", service.Nothing, Principal),
        _op("key_create", "POST /v1/keys", service.KeyCreate, service.KeyMade, role="admin"),
        _op("key_list", "GET /v1/keys", service.Nothing, service.KeyPage, role="admin"),
        _op("key_revoke", "DELETE /v1/keys/{id}", service.KeyId, service.Key, role="admin"),
        _op("purge", "POST /v1/purge", service.Purge, service.Purged, role="admin"),
        _op("health", "GET /v1/health", service.Nothing, service.Health),
    )
}
