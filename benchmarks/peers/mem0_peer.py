"""mem0 behind JSON lines, for `beebread bench recall --peer mem0`, which runs this file with the Python of mem0's own environment.

    python mem0_peer.py FOLDER DIMENSIONS

It says {"version"} when it is ready, and answers {"add": [{"id", "role", "text", "at", "vector"}], "user"} with {} and
{"ask": text, "user", "limit", "vector"} with {"found": [[id, score], ...], "ms"}. Nothing leaves the machine: telemetry is off, no model
is asked (infer=False), and vectors are the caller's.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ["MEM0_TELEMETRY"] = "False"
logging.getLogger("mem0.utils.spacy_models").setLevel(logging.CRITICAL)  # that it goes without spaCy is said in docs/benchmarks.md


class Given:
    """An embedder that has been told the vectors of the texts it will be asked for; another text is a mistake."""

    def __init__(self) -> None:
        self.vectors: dict[tuple[str, bool], list[float]] = {}

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.vectors[text.strip(), memory_action == "search"]

    def embed_batch(self, texts: list[str], memory_action: str = "add") -> list[list[float]]:
        return [self.embed(text, memory_action) for text in texts]


def keywords(folder: Path) -> Any:
    """The BM25 of fastembed, as mem0 uses it for the keyword half of its search, from a folder instead of a hub."""
    encoder: Any = import_module("fastembed").SparseTextEmbedding

    words = folder / "bm25"
    words.mkdir(exist_ok=True)
    (words / "english.txt").write_text("\n".join(STOP), encoding="utf-8")
    return encoder("Qdrant/bm25", specific_model_path=str(words))


STOP = (
    "a about above after again against all am an and any are as at be because been before being below between both but by can did do does "
    "doing don down during each few for from further had has have having he her here hers herself him himself his how i if in into is it "
    "its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own s same she should "
    "so some such t than that the their theirs them themselves then there these they this those through to too under until up very was we "
    "were what when where which while who whom why will with you your yours yourself yourselves"
).split()


def main() -> None:
    """Answer until standard input ends."""
    folder, dimensions = Path(sys.argv[1]), int(sys.argv[2])
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what the library prints must not stand among the answers

    store = {"path": str(folder / "qdrant"), "embedding_model_dims": dimensions, "on_disk": True}
    unused = {"provider": "openai", "config": {"api_key": "none"}}
    memory: Any = import_module("mem0").Memory.from_config(
        {
            "vector_store": {"provider": "qdrant", "config": store},
            "embedder": unused,
            "llm": unused,
            "history_db_path": str(folder / "history.db"),
        }
    )
    given = Given()
    memory.embedding_model = given
    memory.vector_store._bm25_encoder = keywords(folder)
    memory.vector_store._encode_bm25("ready")

    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    say({"version": f"mem0ai {version('mem0ai')}, qdrant-client {version('qdrant-client')}, fastembed {version('fastembed')}"})
    for line in sys.stdin:
        request = json.loads(line)
        given.vectors.clear()
        if "add" in request:
            for item in request["add"]:
                given.vectors[item["text"].strip(), False] = item["vector"]
                memory.add(
                    [{"role": item["role"], "content": item["text"]}],
                    user_id=request["user"],
                    metadata={"message": item["id"], "created_at": item["at"]},
                    infer=False,
                )
            say({})
            continue
        given.vectors[request["ask"].strip(), True] = request["vector"]
        began = time.perf_counter()
        found = memory.search(request["ask"], filters={"user_id": request["user"]}, top_k=request["limit"], threshold=0.0)
        ms = (time.perf_counter() - began) * 1000
        say({"found": [[one["metadata"]["message"], one["score"]] for one in found["results"]], "ms": ms})


if __name__ == "__main__":
    main()
