"""How much each signal of retrieval counts, in one frozen object that travels whole."""

from __future__ import annotations

from msgspec import Struct


class Options(Struct, frozen=True, kw_only=True):
    """Weights and limits of retrieval; the defaults were chosen on development halves and checked on conversations left out of the choice.

    A weight multiplies a channel's score, which lies between 0 and 1. A share says how much of an item's score a signal can take away.
    """

    deadline_ms: int = 5_000  # for the whole of a recall
    pool: int = 48  # candidates asked of each channel, or two for each item wanted where that is more
    read: int = 40  # candidates that are read and ranked, or four for each item wanted where that is more
    read_timely: int = 60  # and where time decides among them, which is known only of what was read
    # What a record's evidence from each channel counts; a channel that is not named here counts as `other`.
    keyword: float = 1.0
    vector: float = 1.25
    context: float = 1.25
    exact: float = 0.5
    graph: float = 0.35
    recent: float = 0.3
    time: float = 0.1
    other: float = 1.0
    session: float = 0.4  # what the rest of its session, as far as it was found too, adds to a record
    floor: float = 0.03  # what is less relevant than this, after fusion, is no answer
    relative: float = 0.05  # nor is what has less than this share of the best one's relevance
    seeds: int = 8  # best hits whose neighbourhood the graph channel walks
    hops: int = 2
    hop: float = 0.6  # what is left of a score after one causal hop
    far_graph: float = 0.8  # the same three, where the question is about a cause or an outcome
    far_hops: int = 5
    far_hop: float = 0.9
    beside: float = 0.7  # and after a step to the message before or after
    recency: float = 0.05  # share that goes with age
    newer: float = 0.05  # share that the oldest of like things loses against the newest
    current: float = 0.4  # the same where the question asks for the present state, or for the one at a moment
    question: float = 0.9  # what an answer to one of several questions of a turn counts against one to the whole turn
    closer: float = 0.3  # weight of the closer look, where there is one, from which the best `closer_top` take it within `closer_ms`
    closer_top: int = 10
    closer_ms: float = 150.0
    tie: float = 0.95  # share of the best one's score from which the second is as good
    ahead: float = 0.5  # what is left of a record from more than a day after the moment that is asked from
    outside: float = 0.7  # share of a record far outside of the span of time that is named
    since: float = 0.85  # the same for what was said after the moment at which something is asked to have held
    picked: float = 0.3  # added to the one of several like things that is asked for: the first, the latest, the one before
    like: float = 0.6  # share of the best one's relevance from which a record is one of those
    occasion: float = 0.5  # the same two where an occasion is asked for, such as the last time: it is surer to be one of several
    occasion_like: float = 0.7
    half_life_days: float = 90.0
    verbose: float = 0.2  # what a long answer of a model loses of its kind's worth
    importance: float = 0.2
    confidence: float = 0.5
    use: float = 0.05
    alike: float = 0.9  # share of common letter pairs from which two texts are one said twice
    chain_records: int = 16

    def weight(self, channel: str) -> float:
        """What a channel's scores are multiplied by."""
        known = {
            "keyword": self.keyword, "vector": self.vector, "context": self.context, "exact": self.exact, "graph": self.graph,
            "recent": self.recent, "time": self.time,
        }  # fmt: skip
        return known.get(channel, self.other)


# What a kind of record is worth as an answer, all else equal: long answers of a model repeat many words and swamp what people said.
KINDS = {
    "assistant_message": 0.9, "thought": 0.7, "model_call": 0.6, "tool_call": 0.85, "agent_start": 0.5, "agent_end": 0.6, "handoff": 0.7,
    "system_message": 0.5, "harness_message": 0.4, "compaction": 0.5, "session": 0.3,
}  # fmt: skip
# The memory's own doings: recalling them would feed it with itself. They are found only by asking for their kind.
ECHOES = ("memory_injected", "retrieval", "memory_op")
