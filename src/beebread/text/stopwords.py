"""Words that a query is better without: they occur nearly everywhere and tell nothing."""

from __future__ import annotations

ENGLISH = frozenset(
    "a about am an and any are as at be been being but by can could did do does doing for from had has have having he her hers him his "
    "how i if in into is it it's its i'm i've let's me my mine of on or our ours she should so some than that that's the their theirs "
    "them then there these they this those to us was we were what what's when where which who whom whose why will with would you your "
    "yours".split()
)
# Single characters: a pair is left out when both of its characters are here.
CHINESE = frozenset(
    "的地得了着过吗呢吧啊呀嘛哦我你您他她它们咱是在有和与及或跟也都就还又才很太这那哪些什么怎样谁几个把被给让叫对从到会要能可以请为之其于而且但"
)
