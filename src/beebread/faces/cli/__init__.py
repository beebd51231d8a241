"""Purpose: the command line: every operation for people and scripts.
May import: the rest of faces and everything below; click and rich are imported here alone.
Never does: anything that the Python client cannot do.
Start reading at: main.py, then options.py."""

from __future__ import annotations

from beebread.faces.cli.main import main

__all__ = ["main"]
