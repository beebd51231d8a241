"""`sentence-transformers://MODEL`: any model that the library sentence-transformers loads, by name or from a folder."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from beebread.models.address import model_name, parameters, whole
from beebread.models.loaded import Encode, LocalEmbedder, foreign
from beebread.models.prefixes import PARAMETERS, prefixes
from beebread.settings import Settings

KNOWN = ("window", "dimensions", "device", "revision", *PARAMETERS)
WINDOW = 1_500


def open_sentence_transformers(url: str, _settings: Settings) -> LocalEmbedder:
    """`sentence-transformers://BAAI/bge-small-en-v1.5`, with device=cpu or cuda; dimensions cuts the vectors of models made for it."""
    given, name = parameters(url, KNOWN), model_name(url)
    wanted, revision = whole(given, "dimensions", 0, 100_000), given.get("revision")

    def load() -> Encode:
        with foreign(f"the model {name} of sentence-transformers"):
            library: Any = import_module("sentence_transformers")
            model = library.SentenceTransformer(name, device=given.get("device"), revision=revision, truncate_dim=wanted or None)
        # An empty prompt, because the prefix is there already.
        return lambda texts: model.encode(texts, prompt="", convert_to_numpy=True, show_progress_bar=False)

    space = f"sentence-transformers/{name}{f'@{revision}' if revision else ''}/{wanted or 'full'}"
    return LocalEmbedder(load, space, prefixes(name, given), window=whole(given, "window", WINDOW, 1_000_000), dimensions=wanted)
