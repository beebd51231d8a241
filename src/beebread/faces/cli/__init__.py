"""Purpose: the command line: every operation for people and scripts.
May import: the rest of faces and everything below; click and rich are imported here alone.
Never does: anything that the Python client cannot do.
Start reading at: root.py, then options.py."""

from __future__ import annotations

import os
import sys

_ELSEWHERE = frozenset(("-h", "--help", "--http"))


def main() -> None:
    """Entry point of the `beebread` command. A client that starts `beebread mcp` waits for its first words, so they come first."""
    # What was typed is UTF-8, whatever the locale says.
    sys.argv[1:] = words = [os.fsencode(word).decode(errors="surrogateescape") for word in sys.argv[1:]]
    if words[:1] == ["mcp"] and not _ELSEWHERE & {*words}:
        sys.exit(_mcp(words[1:]))
    from beebread.faces.cli import root

    root.main()


def _mcp(words: list[str]) -> int:
    from beebread.faces.mcp import first

    def load() -> first.Ready:
        from beebread.faces.cli import mcp

        return mcp.loaded(words)

    full = "--tools=full" in words or "--tools full" in " ".join(words)
    return first.serve(load, full=full, structured="--text-only" not in words)


__all__ = ["main"]
