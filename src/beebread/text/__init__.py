"""Purpose: text in Chinese and English: storable and comparable forms, terms, scores, cues, fences and token estimates.
May import: beebread.errors.
Never does: input or output, asking the time, keeping what it was given.
Start reading at: document.py, then fold.py and words.py."""

from __future__ import annotations

from beebread.text.document import ANALYSIS, Document, document, exact_terms, query_terms
from beebread.text.fold import clean, fold
from beebread.text.score import BM25_B, BM25_K1, bm25, ideal, idf
from beebread.text.tokens import estimate_tokens, truncate_tokens
from beebread.text.words import entities, is_dense, words

__all__ = [
    "ANALYSIS",
    "BM25_B",
    "BM25_K1",
    "Document",
    "bm25",
    "clean",
    "document",
    "entities",
    "estimate_tokens",
    "exact_terms",
    "fold",
    "ideal",
    "idf",
    "is_dense",
    "query_terms",
    "truncate_tokens",
    "words",
]
