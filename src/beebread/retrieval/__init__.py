"""Purpose: a query becomes ranked records, each with the reasons for which it was recalled.
May import: model, errors, clock, policy, text, ports and settings.
Never does: write, judge who may see what (it asks the store, which does), name an engine.
Start reading at: recall.py, then plan.py, channels.py, fuse.py and rank.py in the order in which they run."""

from __future__ import annotations

from beebread.retrieval.explain import Explanation
from beebread.retrieval.options import ECHOES, Options
from beebread.retrieval.plan import Plan
from beebread.retrieval.recall import Retriever
from beebread.retrieval.times import Window

__all__ = ["ECHOES", "Explanation", "Options", "Plan", "Retriever", "Window"]
