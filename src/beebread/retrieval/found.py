"""One search in all its steps, kept so that each can be reported and explained."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from beebread.model import Report
from beebread.retrieval.channels import Outcome
from beebread.retrieval.fuse import Fused
from beebread.retrieval.order import Ranked
from beebread.retrieval.plan import Plan


class Found(Struct, frozen=True, kw_only=True):
    """What each channel found, what fusion made of it, where the threshold lay, and how it was ranked."""

    plan: Plan
    outcome: Outcome
    fused: Sequence[Fused]
    threshold: float
    ranked: Sequence[Ranked]
    timings: dict[str, float]

    def report(self, empty: str) -> Report:
        """What a caller is told of how the recall came about."""
        candidates = {name: len(hits) for name, hits in self.outcome.hits.items()}
        return Report(plan=self.plan.shown(), timings=self.timings, failed=self.outcome.failed, candidates=candidates, empty=empty)

    def why_empty(self) -> str:
        """Why nothing is in the answer, in one sentence."""
        if self.fused:
            best = self.fused[0].relevance
            return f"{len(self.fused)} candidates, none relevant enough: the best has {best:.2f}, and {self.threshold:.2f} is the least"
        if any(self.outcome.hits.values()):
            return "what the indexes gave is not, or no longer, in the store for this question"
        if self.plan.terms:
            return "no record that answers the filters has any of the words, codes or names asked for"
        return "nothing that answers the filters is kept"
