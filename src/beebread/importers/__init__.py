"""Purpose: transcripts and exports of agents, one format per file, read as a stream of events with their own times and causes.
May import: model, errors and clock, and the standard library's readers of compressed files.
Never does: writing to a store, asking the time, inventing a step that the file does not show.
Start reading at: reading.py (the nouns), detect.py (the table of formats and `read`), then any one format."""

from __future__ import annotations

from beebread.importers.detect import FORMATS, detect, read
from beebread.importers.reading import Format, Options, Problem, Progress, Read

__all__ = ["FORMATS", "Format", "Options", "Problem", "Progress", "Read", "detect", "read"]
