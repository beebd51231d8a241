"""What a turn asks for, seen from its form: a question, a pasted conversation, a document with a code in it."""

from __future__ import annotations

import pytest

from beebread.model import Query
from beebread.retrieval.options import Options
from beebread.retrieval.plan import Plan, plan

ENGLISH = "Ann: I still have the red kite.\nBot: Why did you keep it?\n"
CHINESE = "小安：我现在还留着那只红风筝。\n助手：为什么留着呢？\n"


def plotted(text: str, *channels: str) -> Plan:
    """The plan for `text`, of all channels where none is named."""
    return plan(Query(text=text, channels=channels), Options())


@pytest.mark.parametrize("text", [ENGLISH + "Ann: My father made it, now it hangs here.", CHINESE + "小安：爸爸做的，现在挂在墙上。"])
def test_a_pasted_conversation_that_asks_nothing_has_no_neighbours_and_no_time_or_cause(text: str) -> None:
    made = plotted(text)
    assert "graph" not in made.channels
    assert not {"current", "past", "chain"} & set(made.cues)


@pytest.mark.parametrize("text", ["Where is the kite now?", "风筝现在在哪儿？", "current place of the kite"])
def test_a_single_line_keeps_both(text: str) -> None:
    made = plotted(text)
    assert "graph" in made.channels
    assert "current" in made.cues


@pytest.mark.parametrize("text", [ENGLISH + "why did the string break?", CHINESE + "线为什么断了？"])
def test_a_question_of_cause_at_the_end_goes_along_the_chain(text: str) -> None:
    made, options = plotted(text), Options()
    assert made.channels["graph"] == options.far_graph
    assert made.hops == options.far_hops


def test_what_belongs_to_a_code_is_looked_for_around_it() -> None:
    assert "graph" in plotted("Please take this over.\nTicket KITE-1234 is done by me.").channels


def test_who_asks_for_the_neighbourhood_gets_it() -> None:
    assert plotted(ENGLISH + "Ann: It hangs here.", "keyword", "graph").channels["graph"] == Options().graph
