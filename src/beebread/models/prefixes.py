"""What a model wants before a question and before a kept text: the table, from the models' own cards, and what a URL says instead."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

PARAMETERS = ("query_prefix", "document_prefix")

_PASSAGES = "Represent this sentence for searching relevant passages: "
_TASK = "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"
# The first pattern found in the model's name, in lower case, decides. A model that is not here is asked without prefixes.
TABLE: tuple[tuple[str, str, str], ...] = (
    (r"multilingual-e5-large-instruct", f"{_TASK}Query: ", ""),
    (r"\be5-(small|base|large)", "query: ", "passage: "),
    (r"nomic-embed-text", "search_query: ", "search_document: "),
    (r"\bbge-(small|base|large)-en", _PASSAGES, ""),
    (r"\bbge-(small|base|large)-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    (r"mxbai-embed-large", _PASSAGES, ""),
    (r"arctic-embed-?(\w+-)*(v2|2)", "query: ", ""),
    (r"arctic-embed", _PASSAGES, ""),
    (r"embeddinggemma", "task: search result | query: ", "title: none | text: "),
    (r"qwen3-embedding", f"{_TASK}Query:", ""),
)


class Prefixes(NamedTuple):
    """What is put before a question and before a kept text."""

    query: str = ""
    document: str = ""

    @property
    def name(self) -> str:
        """How the name of a space tells them."""
        return f"{self.query!r}+{self.document!r}" if self.query or self.document else "plain"


def prefixes(model: str, given: Mapping[str, str]) -> Prefixes:
    """Those of the model called `model`, or what the parameters `given` say."""
    known = next((Prefixes(query, document) for pattern, query, document in TABLE if re.search(pattern, model.lower())), Prefixes())
    return Prefixes(given.get("query_prefix", known.query), given.get("document_prefix", known.document))
