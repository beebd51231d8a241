"""Questions about what held at a time: where someone lived in May, what was true as of last March, 那时候."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from beebread.timex.parse import find
from beebread.timex.scan import fold
from beebread.timex.span import Span

_WITHIN = 400  # characters: a longer text is no question about a state

# "as of" and its like, right before the time.
_AS_OF = re.compile(r"(?:(?<![a-z])as (?:of|at|it was (?:on|in))|(?<![a-z])at the end of|截至|截止到?|直到)\s*(?:the )?$")
# 那时候 and its like, anywhere beside a time.
_THEN = re.compile(
    r"(?<![a-z])(?:back then|at (?:that|the) time|in those days|by then|back (?:in|on|at))(?![a-z])|那时候?|那会儿?|那阵子|当时"
    r"|那个时候|的时候|为止|时候"
)
# A state in the past: being, having, living, using; with a possessive or a pronoun, so that events ("what was the meeting about") are none.
_STATE = re.compile(
    r"(?<![a-z])(?:"
    r"(?:who|what|which [a-z]+|how (?:much|many|old|tall|heavy)|where)(?: all)? (?:was|were) (?:my|our|his|her|their|its|your|[a-z]+'s) "
    r"|(?:where|who|what|which|how)(?: [a-z]+){0,3} did (?:i|we|you|he|she|they|it|[a-z]+) (?:live|work|weigh|own|have|use"
    r"|report|study|belong|believe|prefer|"
    r"think of|like|earn|pay|drive|follow|stay|reside)(?![a-z])"
    r"|(?:where|who|what|which|how)(?: [a-z]+){0,3} (?:was|were) (?:i|we|you|he|she|they|it|[a-z]+) (?:living|working|using"
    r"|based|on|reporting|studying|dating|"
    r"driving|following|responsible|in charge|called|running on|staying|employed|married|paying|taking)(?![a-z])"
    r"|(?:was|were|did) (?:i|we|he|she|they|it|[a-z]+) (?:still|already) )"
)
_ZH_STATE = re.compile(
    r"(?:我|我们|他|她|他们|它|咱们?|你)的?(?:[一-鿿a-z]{0,8})(?:是谁|是什么|是多少|是哪[个家里儿位种]|是怎样的?|叫什么|怎么样)"
    r"|住(?:在|的是)?(?:哪|什么)|"
    r"(?:用|吃|开|穿)的(?:是什么|是哪|什么|哪)|在(?:哪里?|什么)(?:公司|学校|城市|地方)?(?:工作|上班|上学|读书|住)|由谁|归谁"
    r"|谁(?:在)?负责|还(?:是|在|没|用|住)"
)
_HAPPENED = re.compile(
    r"(?<![a-z])(?:happen(?:ed)?|when did|what did (?:i|we|you|he|she|they) (?:do|say|eat|buy|discuss|talk|see|make))(?![a-z])"
    r"|发生|什么时候|几点|做了|说了|聊了|买了|讨论了|去了"
)


def as_of(text: str, now: datetime) -> datetime | None:
    """The moment at which `text` asks what held, or None when it asks no such thing or names no past time.

    It is the last microsecond of the span that the text names ("where did I live in May": the end of May; "before May": its beginning),
    never later than `now`. Only a text with one time and a question about a state (being, living, using, having), "as of", or 那时候
    beside it has one: a search for events of that time would suffer. `now` as in `find`.
    """
    if len(text) > _WITHIN:
        return None
    spans = [span for span in find(text, now) if span.certainty > 0.3 and span.granularity not in {"second", "minute"}]
    if len(spans) != 1 or (spans[0].end is None) or (spans[0].start is not None and spans[0].start > now):
        return None
    folded = fold(text)
    if not _asks_state(folded, spans[0]):
        return None
    return min(spans[0].end - timedelta(microseconds=1), now.astimezone(spans[0].end.tzinfo))


def _asks_state(folded: str, span: Span) -> bool:
    rest = folded[: span.at] + " " + folded[span.at + len(span.words) :]
    if _AS_OF.search(folded[: span.at]) or span.words.lower().startswith(("截至", "截止", "直到")):
        return True
    if _HAPPENED.search(rest):
        return False
    return bool(_STATE.search(rest) or _ZH_STATE.search(rest) or (_THEN.search(rest) and (_BEING.search(rest) or not rest.isascii())))


_BEING = re.compile(r"(?<![a-z])(?:was|were|did|had|used)(?![a-z])")
