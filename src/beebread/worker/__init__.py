"""Purpose: what follows the log in the background: vectors of what was kept, and the removal of what is due.
May import: service, models, retrieval and everything below.
Never does: answering anybody, holding a lock or a transaction while a model works, losing its place when it is killed.
Start reading at: loop.py, then embedding.py and passages.py."""

from __future__ import annotations

from beebread.worker.embedding import Embedding, Progress, Waiting, mismatch
from beebread.worker.loop import Worker

__all__ = ["Embedding", "Progress", "Waiting", "Worker", "mismatch"]
