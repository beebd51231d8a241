"""Purpose: from text to vectors and to closer scores, by the built-in model or by whatever is plugged in; one provider style a file.
May import: ports, settings, text, policy, model, errors, clock; a provider's own packages, each in the one file that needs them.
Never does: loading a package or a model before it is asked for a vector, reading the environment, deciding what is kept or shown.
Start reading at: opening.py, then clean.py and e5.py."""

from __future__ import annotations

from beebread.models.answer import vectors
from beebread.models.cached import Cached
from beebread.models.clean import readable, windows
from beebread.models.function import Embed
from beebread.models.opening import Opened, open_embedder, open_reranker

__all__ = ["Cached", "Embed", "Opened", "open_embedder", "open_reranker", "readable", "vectors", "windows"]
