"""How much each signal of retrieval counts, in one frozen object that travels whole."""

from __future__ import annotations

from msgspec import Struct


class Options(Struct, frozen=True, kw_only=True):
    """Weights and limits of retrieval; the defaults were chosen on development halves and checked on conversations left out of the choice.

    A weight multiplies a channel's score, which lies between 0 and 1. A share says how much of an item's score a signal can take away.
    """

    deadline_ms: int = 5_000  # for each channel
    pool: int = 60  # candidates asked of each channel, or two for each item wanted where that is more
    # What a record's evidence from each channel counts; a channel that is not named here counts as `other`.
    keyword: float = 1.0
    exact: float = 0.5
    graph: float = 0.45
    recent: float = 0.3
    time: float = 0.1
    other: float = 1.0
    agreement: float = 0.05  # added for each further channel that found the same record by itself
    session: float = 0.25  # what the rest of its session, as far as it was found too, adds to a record
    weak: float = 0.1  # a channel whose best score is below this counts in proportion
    floor: float = 0.03  # what is less relevant than this, after fusion, is no answer
    relative: float = 0.05  # nor is what has less than this share of the best one's relevance
    seeds: int = 8  # best hits whose neighbourhood the graph channel walks
    hops: int = 2
    hop: float = 0.6  # what is left of a score after one causal hop
    far_graph: float = 0.8  # the same three, where the question is about a cause or an outcome
    far_hops: int = 5
    far_hop: float = 0.9
    beside: float = 0.7  # and after a step to the message before or after
    recency: float = 0.1  # share that goes with age; `current` when the question asks for the present state
    current: float = 0.2
    half_life_days: float = 90.0
    importance: float = 0.2
    confidence: float = 0.5
    use: float = 0.05
    alike: float = 0.9  # share of common letter pairs from which two texts are one said twice
    chain_records: int = 16

    def weight(self, channel: str) -> float:
        """What a channel's scores are multiplied by."""
        known = {"keyword": self.keyword, "exact": self.exact, "graph": self.graph, "recent": self.recent, "time": self.time}
        return known.get(channel, self.other)


# What a kind of record is worth as an answer, all else equal: long answers of a model repeat many words and swamp what people said.
KINDS = {
    "assistant_message": 0.85, "thought": 0.7, "model_call": 0.6, "tool_call": 0.85, "agent_start": 0.5, "agent_end": 0.6, "handoff": 0.7,
    "system_message": 0.5, "harness_message": 0.4, "compaction": 0.5, "session": 0.3,
}  # fmt: skip
# The memory's own doings: recalling them would feed it with itself. They are found only by asking for their kind.
ECHOES = ("memory_injected", "retrieval", "memory_op")
