"""Words by which a text says what answer it wants: small talk, just now, the present state, earlier times, cause and outcome."""

from __future__ import annotations

import re
from typing import Literal

from beebread.text.fold import fold

Cue = Literal["phatic", "just_now", "current", "past", "chain", "resume", "tools"]

_LONGEST_PHATIC = 60
_TAIL = 200  # of a longer turn its end, where the question stands


def _either(chinese: str, english: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{chinese})|(?<![a-z0-9])(?:{english})(?![a-z0-9])")


# Possessive repetition: no small talk, however long, makes the search go back.
_PHATIC = re.compile(
    r"(?:(?:你好|您好|大家好|哈喽|嗨|早上好|上午好|中午好|下午好|晚上好|早安|晚安|早|谢谢你|谢谢您|谢谢|多谢|感谢|辛苦了|不客气|不用谢|没关系|"
    r"好的|好吧|好滴|好嘞|好|嗯嗯|嗯|哦|行|可以了|可以|知道了|明白了|明白|收到|了解|没问题|没事|再见|拜拜|回头见|对的|对|是的|太好了|太棒了|"
    r"厉害|哈哈+|呵呵+|(?:hello|hi|hey|yo|good (?:morning|afternoon|evening|night)|thank you(?: (?:so|very) much)?|thanks(?: a lot)?|"
    r"many thanks|thx|ty|cheers|okay|ok|sure|great|cool|nice|perfect|awesome|alright|all right|got it|i see|understood|noted|sounds good|"
    r"no problem|you're welcome|my pleasure|never mind|bye|goodbye|see you(?: later| soon)?|how are you|yes|yep|yeah|no worries|there|"
    r"again|everyone)(?![a-z0-9]))[\W_]*+)++"
)
_JUST_NOW = _either(
    "刚才|刚刚|方才|刚说|刚提|刚讲|刚给|刚发|刚写|刚跑|刚做",
    r"just now|a (?:moment|minute|second) ago|moments ago|"
    r"(?:you|we)(?:'ve| have)? just (?:said|mentioned|told|showed|gave|sent|wrote|made|ran|did|found|suggested|proposed|discussed)",
)
_CURRENT = _either(
    "现在|目前|当前|如今|眼下|现阶段|最新|最近|近来|上次|上一次|上回|最后一次|还是不是|是否还",
    r"now|currently|current|latest|these days|nowadays|at (?:the moment|present)|presently|most recent(?:ly)?|lately|last time|"
    r"up to date|any ?more|still",
)
_PAST = _either(
    "以前|之前|从前|曾经|原来|过去|当时|那时|那会儿|起初|最初|最早|一开始|第一次|当初",
    r"used to|previous(?:ly)?|originally|original|back then|former(?:ly)?|earlier|initial(?:ly)?|at first|in the past|at that time|"
    r"the first",
)
_CHAIN = _either(
    "为什么|为何|为啥|怎么会|原因|缘由|起因|根源|解决|修好|修复|处理好|结果|后来|最后怎么|怎么样了|成功了吗|通过了吗|跑通|进展",
    r"why|what caused|root cause|the reason|how come|led to|came from|fix(?:ed)?|solved?|resolved?|turn(?:ed)? out|outcome|results?|"
    r"ended up|what happened|did it work|how did .{1,40} go",
)
_RESUME = _either(
    "继续|接着|接上|恢复|往下做|没做完|未完成|做到哪|进行到哪|还差什么|还有什么没",
    r"continue|resume|carry on|keep going|go on with|pick up where|where (?:did )?(?:we|i|you) (?:leave|left|stop|stopped)|get back to|"
    r"what(?:'s| is) left|unfinished|left off",
)
_TOOLS = _either(
    "工具|调用|结果|返回|输出|报错|出错|错误|失败|异常|日志|命令|运行|执行|脚本|接口|测试|代码|文件|重试",
    r"tools?|call(?:s|ed)?|results?|returned|outputs?|errors?|fail(?:s|ed|ing|ure)?|exceptions?|traceback|logs?|commands?|run|ran|running|"
    r"execut(?:e|ed|ing)|scripts?|api|tests?|code|files?|retry|retried|stderr|stdout|exit code|http [0-9]{3}",
)
_LONGEST_QUESTION = 240
_ASKS = re.compile(
    r"[?？]|(?:什么|啥|哪|谁|几[个次天号点家位款种本]|多少|多久|多大|怎么|怎样|如何|为何|是否|有没有|[吗呢么]$|来着|找(?:一下|出)|查(?:一下|找|询)|列出|"
    r"总结|回顾|告诉我|提醒我|想不起|忘了|记得)|"
    r"(?:^|[,.;:] ?)(?:please |so |and |then |now |also |hey |ok |okay )*(?:who|whom|whose|what|which|when|where|why|how|did|do|does|is|"
    r"are|was|were|have|has|had|can|could|would|will|should|find|show|list|tell|remind|recall|search|summari[sz]e|give me|look up|get)"
    r"(?![a-z])"
)
_NEGATION = _either(
    "不|没|无|别|勿|未|非|禁|拒",
    r"not|no|never|none|neither|nor|without|cannot|won't|don't|doesn't|didn't|isn't|aren't|wasn't|weren't|can't|couldn't|shouldn't|wouldn't|haven't|hasn't",
)
_NUMBER = re.compile(r"[0-9]+|[零一二两三四五六七八九十百千万亿]+")


def cues(text: str) -> frozenset[Cue]:
    """What `text` (a user's turn, in Chinese or English) says about the answer it wants.

    phatic: nothing but greeting, thanks or assent. just_now: what was said or done a moment ago. current: the present state, the
    newest of several. past: an earlier state. chain: what led to something, or what came of it. resume: an earlier task is to go on.
    tools: what was run and what came back. Several may hold; mostly none does.
    """
    folded = fold(text[-_TAIL:]).strip()
    found: set[Cue] = set()
    if len(text) <= _LONGEST_PHATIC and _PHATIC.fullmatch(folded.lstrip("\"'“”‘’「」*_~!！.。… ")):
        found.add("phatic")
    named: tuple[tuple[Cue, re.Pattern[str]], ...] = (
        ("just_now", _JUST_NOW), ("past", _PAST), ("chain", _CHAIN), ("resume", _RESUME), ("tools", _TOOLS),
    )  # fmt: skip
    found.update(cue for cue, form in named if form.search(folded))
    if _CURRENT.search(folded.replace("just now", " ")):
        found.add("current")
    return frozenset(found)


def asks(text: str) -> bool:
    """Whether `text` is a question or a request to look something up, and not a longer turn or a statement that only speaks of things."""
    folded = fold(text).strip()
    return len(folded) <= _LONGEST_QUESTION and "\n" not in folded and _ASKS.search(folded) is not None


def particulars(folded: str) -> tuple[tuple[str, ...], int]:
    """The numbers of a text, `fold`ed, in order, and how many negations it has: texts that differ here say different things."""
    return tuple(_NUMBER.findall(folded)), sum(1 for _ in _NEGATION.finditer(folded))
