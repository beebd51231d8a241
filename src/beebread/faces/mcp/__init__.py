"""Purpose: the memory over the Model Context Protocol: tools, resources and prompts, on stdio and over HTTP.
May import: the rest of faces and everything below; the protocol's SDK here alone, never by facts.py and first.py.
Never does: anything that the Python client cannot do.
Start reading at: facts.py, then calls.py and server.py; first.py answers while the rest is loading."""

from __future__ import annotations
