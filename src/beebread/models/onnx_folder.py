"""`onnx:///folder`: a model of the user's own as model.onnx with tokenizer.json, or with the sentencepiece.model of XLM-RoBERTa's kind."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from beebread.errors import Invalid, Unavailable, shown
from beebread.models.address import model_name, parameters, whole
from beebread.models.loaded import Encode, LocalEmbedder, foreign
from beebread.models.onnx_session import ERRORS, open_session
from beebread.models.prefixes import PARAMETERS, prefixes
from beebread.settings import Settings

KNOWN = ("pooling", "max_tokens", "window", "name", *PARAMETERS)
POOLINGS = ("mean", "first")
GRAPH, TOKENIZER, PIECES = "model.onnx", "tokenizer.json", "sentencepiece.model"
TOKENS, MOST_TOKENS = 512, 8_192
CHARACTERS_A_TOKEN = 3  # of English, less than in any real text

Tokenize = Callable[[str], list[int]]


def open_onnx(url: str, settings: Settings) -> LocalEmbedder:
    """`onnx:///folder` (relative) or `onnx:////folder`; name= decides prefixes, pooling=first takes the first token for the text.

    The space is named by the folder's own name and the model's size and first and last bytes, so that another model is noticed.
    """
    given = parameters(url, KNOWN)
    folder = Path(_path(url)).expanduser()
    pooling = given.get("pooling", "mean")
    if pooling not in POOLINGS:
        raise Invalid(f"the embedder's parameter pooling is {shown(pooling)}: use {' or '.join(POOLINGS)}")
    if not (folder / GRAPH).is_file() or not ((folder / TOKENIZER).is_file() or (folder / PIECES).is_file()):
        raise Invalid(f"the folder {folder} holds no {GRAPH} beside a {TOKENIZER} or a {PIECES}")
    tokens = whole(given, "max_tokens", TOKENS, MOST_TOKENS)
    name = given.get("name", folder.name)
    window = whole(given, "window", tokens * CHARACTERS_A_TOKEN, 1_000_000)

    def load() -> Encode:
        with foreign(f"the model in {folder}"):
            return _OnnxModel(folder, tokens, pooling, settings.threads).encode

    return LocalEmbedder(load, f"onnx/{name}/{_mark(folder / GRAPH)}/{pooling}", prefixes(name, given), window=window)


def _path(url: str) -> str:
    """sqlite:///folder is relative and sqlite:////folder absolute, and so it is here."""
    name = url.partition("://")[2].partition("?")[0]
    return "/" + model_name(url) if name.startswith("//") else model_name(url)


def _mark(graph: Path) -> str:
    size = graph.stat().st_size
    with graph.open("rb") as file:
        head = file.read(65_536)
        file.seek(max(0, size - 65_536))
        return hashlib.sha256(size.to_bytes(8, "big") + head + file.read()).hexdigest()[:12]


class _OnnxModel:
    def __init__(self, folder: Path, tokens: int, pooling: str, threads: int) -> None:
        self._what = f"the model in {folder}"
        self._session = open_session(str(folder / GRAPH), threads, self._what)
        self._inputs = {value.name for value in self._session.get_inputs()}
        self._ready = next((value.name for value in self._session.get_outputs() if len(value.shape) == 2), "")
        self._tokenize = _tokenizer(folder, tokens)
        self._pooling = pooling

    def encode(self, texts: list[str]) -> list[NDArray[np.float32]]:
        """One text at a time: a vector must not depend on its neighbours, and nothing is known of this model."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> NDArray[np.float32]:
        ids = np.array([self._tokenize(text)], np.int64)
        offered: Mapping[str, NDArray[np.int64]] = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        fed = {name: values for name, values in offered.items() if name in self._inputs}
        try:
            rows = self._session.run([self._ready] if self._ready else None, fed)[0][0]
        except ERRORS as error:
            raise Unavailable(f"{self._what} does not run on its tokenizer's output: {str(error)[:200]}") from None
        if self._ready:
            return rows
        return rows[0] if self._pooling == "first" else rows.mean(0)


def _tokenizer(folder: Path, tokens: int) -> Tokenize:
    if (folder / TOKENIZER).is_file():
        library: Any = import_module("tokenizers")
        try:
            made = library.Tokenizer.from_file(str(folder / TOKENIZER))
        except Exception as error:  # which is all that the library raises
            raise Unavailable(f"{folder / TOKENIZER} cannot be read: {str(error)[:200]}; write it again") from error
        made.enable_truncation(tokens)
        made.no_padding()
        return lambda text: made.encode(text).ids
    pieces: Any = import_module("sentencepiece").SentencePieceProcessor(model_file=str(folder / PIECES))
    # XLM-RoBERTa's ids are those of the pieces plus one, with 0, 2 and 3 for begin, end and unknown.
    return lambda text: [0, *(piece + 1 if piece else 3 for piece in pieces.encode(text)[: tokens - 2]), 2]
