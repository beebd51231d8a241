"""multilingual-e5-small at work: tokens, batches and the ONNX run; what a text's vector is, without threads or waiting."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import sentencepiece
from numpy.typing import NDArray

from beebread.models.clean import readable
from beebread.models.e5_cache import Converted
from beebread.models.onnx_session import open_session

DIMENSIONS = 384
TOKENS = 512  # the model reads no more, marks included
CHARACTERS = 4_096  # more than fit into 512 tokens of any real text
BATCH_TOKENS = 512  # of one run, padding included: bounds memory, and how long a question waits behind documents
BEGIN, PAD, END, UNKNOWN = 0, 1, 2, 3

Floats = NDArray[np.float32]
Ids = list[int]


class E5Model:
    """The loaded model; one thread may use it at a time."""

    def __init__(self, files: Converted, threads: int) -> None:
        library: Any = sentencepiece
        with ThreadPoolExecutor(1) as beside:  # each takes a quarter of a second, and lets the other run
            pieces = beside.submit(library.SentencePieceProcessor, model_proto=files.vocabulary)
            self._session = open_session(files.graph, threads, "the built-in model")
            self._pieces: Any = pieces.result()

    def ids(self, prefix: str, text: str, most: int = TOKENS) -> Ids:
        """The tokens of `text` after `prefix`, between the marks, at most `most` of them."""
        text = readable(text, CHARACTERS)
        if not text.isascii():  # as the tokenizer does itself; before it, because one character may become eighteen
            text = unicodedata.normalize("NFKC", text)[:CHARACTERS]
        found: Ids = self._pieces.encode(prefix + text)
        return [BEGIN, *(piece + 1 if piece else UNKNOWN for piece in found[: most - 2]), END]

    def piece(self, token: int) -> str:
        """The text that `token` stands for; '' for a mark."""
        return "" if token <= UNKNOWN else self._pieces.id_to_piece(token - 1)

    def pooled(self, texts: Sequence[Ids]) -> Floats:
        """The mean of each text's token vectors, brought to length one."""
        found = np.empty((len(texts), DIMENSIONS), np.float32)
        for rows, values in self._run("embedding", texts):
            found[rows] = values
        return found

    def tokens(self, texts: Sequence[Ids]) -> list[Floats]:
        """For each text the vectors of its tokens, marks included."""
        found: list[Floats] = [np.empty((0, DIMENSIONS), np.float32)] * len(texts)
        for rows, values in self._run("tokens", texts):
            for row, value in zip(rows, values, strict=True):
                found[row] = value[: len(texts[row])]
        return found

    def _run(self, output: str, texts: Sequence[Ids]) -> Iterator[tuple[list[int], Any]]:
        for rows in batches([len(text) for text in texts], BATCH_TOKENS):
            longest = max(len(texts[row]) for row in rows)
            ids = np.full((len(rows), longest), PAD, np.int64)
            mask = np.zeros((len(rows), longest), np.int64)
            for line, row in enumerate(rows):
                ids[line, : len(texts[row])] = texts[row]
                mask[line, : len(texts[row])] = 1
            yield rows, self._session.run([output], {"input_ids": ids, "attention_mask": mask})[0]


def batches(lengths: Sequence[int], most: int) -> list[list[int]]:
    """Places in `lengths`, those of like length together, so that no batch has more than `most` tokens after padding."""
    found: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lengths.__getitem__):
        if found and (len(found[-1]) + 1) * lengths[place] <= most:
            found[-1].append(place)
        else:
            found.append([place])
    return found


def unit(rows: Floats) -> Floats:
    """`rows` brought to length one."""
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-12)
