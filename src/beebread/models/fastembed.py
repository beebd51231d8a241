"""`fastembed://MODEL`: any model that the library fastembed offers."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from beebread.models.address import model_name, parameters, whole
from beebread.models.loaded import Encode, LocalEmbedder, foreign
from beebread.models.prefixes import PARAMETERS, prefixes
from beebread.settings import Settings

KNOWN = ("window", *PARAMETERS)
WINDOW = 1_500


def open_fastembed(url: str, settings: Settings) -> LocalEmbedder:
    """`fastembed://BAAI/bge-small-en-v1.5`; the library fetches the model at the first text and keeps it in the folder `models`."""
    given, name = parameters(url, KNOWN), model_name(url)

    def load() -> Encode:
        with foreign(f"the model {name} of fastembed"):
            library: Any = import_module("fastembed")
            model = library.TextEmbedding(model_name=name, cache_dir=settings.models or None, threads=settings.threads)
        return lambda texts: list(model.embed(texts))

    return LocalEmbedder(load, f"fastembed/{name}", prefixes(name, given), window=whole(given, "window", WINDOW, 1_000_000))
