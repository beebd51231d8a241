"""Purpose: the memory over HTTP: every operation of the table as a route, and its OpenAPI document.
May import: the faces' own requests and binding, operations, service, model, errors; starlette and uvicorn, here alone.
Never does: decide who may see what, keep anything beside the memory, listen beyond this machine without a key.
Start reading at: app.py, then asked.py (a request into an operation's) and answered.py (its answer, or the problem)."""

from __future__ import annotations

from beebread.faces.rest.app import make_app
from beebread.faces.rest.options import ServerOptions

__all__ = ["ServerOptions", "make_app"]
