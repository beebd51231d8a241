"""The time words of Chinese: forms of words and what they mean. Texts come folded to simplified characters."""

from __future__ import annotations

from beebread.timex import holidays as feast
from beebread.timex import picks
from beebread.timex.calendars import Edge, Unit, away, edge, fixed, floor, nth, rolling, step, unit_at
from beebread.timex.marks import DAY, LOOSE, WEEK, Build, Fixed, Interval, Pick, Present, Rule
from beebread.timex.numbers import ZH_COUNT, ZH_NUMBER, count, number

UNIT = r"(?:秒钟?|分钟|刻钟|个?小时|个?钟头|天|日|夜|晚|周|个?星期|个?礼拜|个月|个?季度|年|周年)"
_UNITS: dict[str, tuple[Unit, int]] = {
    "秒": ("second", 1), "分": ("minute", 1), "刻": ("minute", 15), "小": ("hour", 1), "钟": ("hour", 1),
    "天": ("day", 1), "日": ("day", 1),
    "夜": ("day", 1), "晚": ("day", 1), "周": ("week", 1), "星": ("week", 1), "礼": ("week", 1), "月": ("month", 1), "季": ("quarter", 1),
    "年": ("year", 1),
}  # fmt: skip
WEEKDAYS = "一二三四五六日天末"
_AWAY = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_WEEKS = {"上上上": -3, "上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_YEARS = {"大前": -3, "前": -2, "去": -1, "上": -1, "上一": -1, "今": 0, "本": 0, "这一": 0, "明": 1, "来": 1, "下": 1, "下一": 1, "后": 2}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_EDGES: dict[str, Edge] = {"初": "begin", "头": "begin", "中": "middle", "底": "end", "末": "end", "尾": "end", "上": "begin", "下": "end"}
_PARTS = {
    "凌晨": "night_hours", "清晨": "early_morning", "大清早": "early_morning", "一大早": "early_morning",
    "早": "morning", "早上": "morning",
    "早晨": "morning", "晨": "morning", "上午": "morning", "中午": "noon", "正午": "noon", "下午": "afternoon", "午后": "afternoon",
    "傍晚": "dusk", "黄昏": "dusk", "晚上": "evening", "晚": "evening", "夜里": "evening", "夜间": "evening",
    "夜晚": "evening", "夜": "evening",
    "晚间": "evening", "深夜": "late", "午夜": "midnight", "半夜": "night_hours", "后半夜": "night_hours",
}  # fmt: skip


def unit(word: str) -> tuple[Unit, int]:
    """The unit that a word names, and how many of it."""
    return _UNITS[word.lstrip("个")[0]]


def _away(now: Present, many: str, more_before: str | None, word: str, more_after: str | None, way: str) -> Fixed:
    """So many units ago or ahead; with 半 half a one more, with 多 (一年多前) any part of one more."""
    few, most, sure = count(many)
    name, times = unit(word)
    more = (more_before or more_after or "")[-1:]
    less, much = {"半": (0.5, 0.5), "多": (0.01, 0.99)}.get(more, (0.0, 0.0))
    return away(now, (few + less) * times, (most + much) * times, name, -1 if way == "前" else 1, sure)


def _window(now: Present, many: str, half: str | None, word: str, sign: int = -1) -> Fixed:
    _, most, sure = count(many)
    name, times = unit(word)
    return rolling(now, (most + (0.5 if half else 0)) * times, name, sign, sure)


def _lately(now: Present, way: str, many: str, word: str) -> Fixed:
    """最近三天 until now; 前三天, 前几天 the days before today."""
    found = _window(now, many, None, word)
    if way != "前" or unit(word)[0] not in {"day", "week", "month", "year"}:
        return found
    name, times = unit(word)
    _, most, sure = count(many)
    hi = floor(name, now.wall)
    return Fixed(LOOSE, Interval(step(name, hi, -int(most) * times), hi, name, sure * 0.8))


def _between(now: Present, far: int, near: int, sure: float) -> Fixed:
    """The days from `far` to `near` days ago, or until now when `near` is 0."""
    return Fixed(LOOSE, Interval(step("day", now.today, -far), step("day", now.today, -near) if near else now.wall, "day", sure))


def _week(now: Present, way: str, day: str | None) -> Fixed:
    week = unit_at("week", now.wall, _WEEKS[way])
    if not day:
        return Fixed(WEEK, week)
    if day == "末":
        assert week.lo is not None
        return Fixed(DAY, Interval(step("day", week.lo, 5), week.hi, "day"))
    found = nth(week, 1, _weekday(day))
    assert found is not None
    return Fixed(DAY, found)


def _weekday(character: str) -> int:
    return 6 if character in "日天7" else (number(character) - 1)


def _half_year(which: str) -> Pick:
    return picks.half_year(1 if which in "上前" else 2)


def _month_or_never(n: str) -> Pick:
    return picks.month(number(n))


def _moon(leap: str | None, month: str, day: str | None) -> Pick:
    name = {"正": 1, "冬": 11, "腊": 12}.get(month) or number(month)
    return picks.moon_day(name, number(day), bool(leap)) if day else picks.moon_month(name, bool(leap))


def _new_year_day(n: str) -> Pick:
    return picks.moon_day(1, number(n))


def _years(now: Present, first: str, last: str) -> Fixed | None:
    """The years 19年到21年; ten to twenty years are as many."""
    begin, end = (picks.year(picks.short_year(int(word), now)) for word in (first, last))
    if begin is None or end is None or begin.interval.lo is None or end.interval.hi is None or (int(first) % 5 == int(last) % 5 == 0):
        return None
    return Fixed(LOOSE, Interval(begin.interval.lo, end.interval.hi, "year", 0.7)) if begin.interval.lo < end.interval.hi else None


def _clock(hour: str, minute: str) -> Pick:
    if minute in {"", "钟", "整"}:
        return picks.time_of_day(number(hour))
    parts = {"半": 30, "一刻": 15, "三刻": 45, "1刻": 15, "3刻": 45}
    return picks.time_of_day(number(hour), parts[minute] if minute in parts else number(minute.rstrip("分").lstrip("过")))


def _decade(century: str, tens: str, end: str) -> Fixed | None:
    n = number(tens)
    if n < 1000:
        if n % 10 or n > 90:
            return None
        late = century.startswith(("本", "21", "二十一")) or (not century and n <= 20)
        n += 2000 if late else 1900
    whole = picks.decade(n)
    return Fixed(LOOSE, edge(whole.interval, _EDGES[end])) if whole and end else whole


def _this_time(now: Present, way: str) -> Fixed:
    at = step("year", now.today, _YEARS[way])
    return Fixed(LOOSE, Interval(step("day", at, -15), step("day", at, 16), "day", 0.5))


def _long_ago(now: Present) -> Fixed:
    return Fixed(LOOSE, Interval(None, step("year", now.today, -1), "open", 0.2))


def _just_now(now: Present) -> Fixed:
    return Fixed(LOOSE, Interval(step("minute", now.wall, -60), now.wall, "minute", 0.5))


def _feast(make: feast.Feast) -> Build:
    return lambda _, __: picks.yearly(make)


_NEVER = r"(?!)"
_N = ZH_NUMBER
_NOT_THING = r"(?![楼线门机店桌房车馆院厅球位选码仓库文公井柜窗宿病染图样弹炉舱站箱]|电池|航站)"
_RANGE_TO = r"(?:到|至|-|~|—|–|、|和|或)"
_PART = "|".join(sorted((word for word in _PARTS if len(word) > 1), key=len, reverse=True))

RELATIVE: tuple[Rule, ...] = (
    Rule(
        rf"(?![0-9]{{4}}年|[0-9]+日)({ZH_COUNT})(个[半多](?=[小钟月星礼]))?({UNIT}|(?<=半)月|(?<=[数几多俩仨])月)([半多])?(?:之|以)?(前"
        rf"|后)(?![面台端辈缀果])",
        lambda now, w: _away(now, *w),
    ),
    Rule(
        rf"(最近|过去|近|这|前(?!一[天晚日夜])|之前|头|上(?!半))的?({ZH_COUNT})({UNIT})(?:以来|之?内|里"
        rf"|来)?(?![前后])",
        lambda now, w: _lately(now, *w),
    ),
    Rule(
        rf"(?![0-9]{{4}}年|[0-9]+日)({ZH_COUNT})()({UNIT})(?:(?:之|以)?内(?![部存容心的])|以来|来(?=[的，,、。？?]|都|一直|$))",
        lambda now, w: _window(now, w[0], w[1], w[2]),
    ),
    Rule(
        rf"(?:未来|接下来|今后|往后|下(?!半))的?({ZH_COUNT})()({UNIT})(?:之?内|里)?(?![前后])",
        lambda now, w: _window(now, w[0], w[1], w[2], 1),
    ),
    Rule(r"过几(天|周|个月|年)", lambda now, w: _away(now, "几", None, w[0], None, "后")),
    Rule(r"(?:前|头)一?阵子?|前一?段(?:时间|日子)", lambda now, _: _between(now, 90, 7, 0.3)),
    Rule(
        r"(?:最近)?(?:最近|这|近)一?阵子?|(?:最近)?(?:最近|这|近)一?段(?:时间|日子)|近来|近期|近日|不久(?:前|之前|以前)|前不久|最近(?!的?一次"
        r"|一回|一版|的?那)",
        lambda now, _: _between(now, 30, 0, 0.3),
    ),
    Rule(r"前些(?:天|日子|时候)", lambda now, _: _between(now, 30, 2, 0.3)),
    Rule(r"刚才|刚刚|方才|适才|刚(?=[说提讲问聊])", lambda now, _: _just_now(now)),
    Rule(r"(?:很久|好久|许久|很早|多年)(?:之前|以前|前)", lambda now, _: _long_ago(now)),
    Rule(
        r"(?<![之以目先提])(大前|大后|(?<!大)前|昨|今|明|(?<![以之然最今先往])后)(?:天|日|儿个?)(?![气赋性天才使皇报线])",
        lambda now, w: picks.day_away(now, _AWAY[w[0]]),
    ),
    Rule(
        r"(?<![之以目先提])(前|昨|今|明)(早上?|晚上?|夜里?"
        r"|晨)(?![年点])",
        lambda now, w: picks.part_away(now, _AWAY[w[0]], _PARTS[w[1]]),
    ),
    Rule(r"当下|现在|此刻|眼下", lambda now, _: picks.instant(now)),
    Rule(
        r"(上上上|上上|上|这|本|下下|下)(?:一?个)?(?:周|星期|礼拜)(?:([一二三四五六日天末])(?![个次共直样起点本]))?(?![期年岁])",
        lambda now, w: _week(now, *w),
    ),
    Rule(r"(上上|上|这|本|下下|下|当)(?:一?个)?月(?![亮球饼光])", lambda now, w: fixed("month", now.wall, _WEEKS.get(w[0], 0))),
    Rule(r"(上上|上|这|本|下下|下|当)(?:一?个)?季度?(?!节)", lambda now, w: fixed("quarter", now.wall, _WEEKS.get(w[0], 0))),
    Rule(r"(?:去|上)年(?:的?这个?时候|同期|这会儿?)", lambda now, _: _this_time(now, "去")),
    Rule(r"(?:去|上)年今(?:日|天)", lambda now, _: Fixed(DAY, unit_at("day", step("year", now.today, -1)))),
    Rule(
        r"(大前|(?<![之以目])前|去|上一|今|本|这一|明|来|下一|(?<![以之今往])后)年(?![龄纪级代轻终货报])",
        lambda now, w: fixed("year", now.wall, _YEARS[w[0]]),
    ),
    Rule(r"([上下前后])半年", lambda _, w: _half_year(*w)),
    Rule(r"([上下])半月", lambda _, w: picks.half_month(1 if w[0] == "上" else 2)),
)

DATES: tuple[Rule, ...] = (
    Rule(
        r"(?:农历|阴历|旧历)的?(闰)?([正冬腊]|十[一二]|[一二三四五六七八九十]"
        r"|[0-9]{1,2})月(?:初?((?:[一二三四五六七八九十廿卅]{1,3})|[0-9]{1,2})[日号]?)?",
        lambda _, w: _moon(*w),
    ),
    Rule(
        r"()([正冬腊]|十[一二]|[二三四五六七八九十])月(初[一二三四五六七八九十]|廿[一二三四五六七八九])",
        lambda _, w: _moon(w[0], w[1], w[2].removeprefix("初")),
    ),
    Rule(r"()([正腊])月(?:(二?十[一二三四五六七八九]?|三十)(?![一二三四五六七八九]))?(?![一二三四五六七八九十])", lambda _, w: _moon(*w)),
    Rule(r"大?年初([一二三四五六七八九十])", lambda _, w: _new_year_day(*w)),
    Rule(r"((?:19|20)[0-9]{2}|[一二][零〇一二三四五六七八九]{3})年(?!代)", lambda _, w: picks.year(number(w[0]))),
    Rule(r"((?:19|20)[0-9]{2})(?=[到至~-](?:19|20)[0-9]{2}年)", lambda _, w: picks.year(number(w[0])), _NEVER),
    Rule(
        r"([0-9]{2})年(?=[的]?(?:[0-9]{1,2}月|底|初|末|年[初中底末]|[春夏秋冬]|国庆|春节|中秋|圣诞|元旦|端午|[上下]半年"
        r"|第?[一二三四1-4]季| ?[qh][1-4](?![0-9])))",
        lambda now, w: picks.year(picks.short_year(int(w[0]), now)),
    ),
    Rule(r"([0-9]{2})年?[到至~-]([0-9]{2})年(?![0-9一二三四五六七八九十初底末的]|[间内前后来以之]|[经历])", lambda now, w: _years(now, *w)),
    Rule(
        r"([0-9]{2})年(?![代前内后来间多以之的经历龄])",
        lambda now, w: picks.year(picks.short_year(int(w[0]), now)),
        r"(?:[自在]|截至|截止到?)$",
    ),
    Rule(
        rf"(上个?世纪|本世纪|2[01]世纪|二十一?世纪|)的?({_N})年代(初|末|中)?",
        lambda _, w: _decade(*w),
    ),
    Rule(
        r"([0-9]{1,2}|[一二三四五六七八九十]{1,3})月(?:份的?)?([0-9]{1,2}|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]"
        r"|廿[一二三四五六七八九])"
        rf"(?:日|号{_NOT_THING}|(?![0-9个天周年.:/]|[一二三四五六七八九十]|月))",
        lambda _, w: picks.month_day(number(w[0]), number(w[1])),
    ),
    Rule(r"([一二三四五六七八九])([二三四五六七八九十])月(?:份)?", lambda _, w: picks.months(number(w[0]), number(w[1]))),
    Rule(r"(闰)([二三四五六七八九十]|十[一二])月()", lambda _, w: _moon(*w)),
    Rule(r"(?<![0-9.第])([0-9]{1,2}|[一二三四五六七八九十]{1,3})月(?:份)?(?![亮球饼光度嫂租薪供子刊])", lambda _, w: _month_or_never(*w)),
    Rule(
        rf"([0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})(?={_RANGE_TO}(?:[0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})月)",
        lambda _, w: _month_or_never(*w),
        _NEVER,
    ),
    Rule(rf"(?<![0-9.第])([0-9]{{1,2}}|[一二三四五六七八九十廿]{{1,3}})号{_NOT_THING}", lambda _, w: picks.day_of_month(number(w[0]))),
    Rule(
        r"(?<![0-9.第])([0-9]{1,2}|[一二三四五六七八九十廿]{1,3})日(?![本元常志记程])",
        lambda _, w: picks.day_of_month(number(w[0])),
        r"[在到从于自月年至和]$",
    ),
    Rule(
        rf"([0-9]{{1,2}}|[一二三四五六七八九十廿]{{1,3}})(?={_RANGE_TO}(?:[0-9]{{1,2}}|[一二三四五六七八九十廿]{{1,3}})[日号])",
        lambda _, w: picks.day_of_month(number(w[0])),
        _NEVER,
    ),
    Rule(
        r"(?<![0-9每一二两三四五六七八九十])(?:周|星期|礼拜)([一二三四五六日天])(?![个次共直样起点本生岁期者]|到晚)",
        lambda _, w: picks.weekday(_weekday(w[0])),
    ),
    Rule(r"(?<![0-9每一二两三四五六七八九十])(?:周末|双休日)", lambda _, __: picks.weekend()),
    Rule(r"第?([一二三四1-4])季度?(?![节的]?[集部更])", lambda _, w: picks.quarter(number(w[0])), r"(?=)$"),
    Rule(r"(?<=年)的?第([0-9]{1,2}|[一二三四五六七八九十]{1,3})周", lambda _, w: picks.week_of_year(number(w[0])), _NEVER),
    Rule(r"(上|中|下)旬", lambda _, w: picks.edge_of("month", _EDGES[w[0]])),
    Rule(r"(?<=[月])(?:份的?)?(初|中|底|末)(?![一二三四五六七八九十级国文学午心])", lambda _, w: picks.edge_of("month", _EDGES[w[0]])),
    Rule(r"(?<=[度])(初|中|底|末)", lambda _, w: picks.edge_of("quarter", _EDGES[w[0]])),
    Rule(r"(?<=[年])(初|中|底|末)(?![一二三四五六七八九十级])", lambda _, w: picks.edge_of("year", _EDGES[w[0]])),
    Rule(r"月(初|中|底|末|头|尾)", lambda _, w: picks.edge_of("month", _EDGES[w[0]])),
    Rule(r"(?:季度?)(初|中|末|底)", lambda _, w: picks.edge_of("quarter", _EDGES[w[0]])),
    Rule(r"(?:年|岁)(初|中|底|末|头|尾)(?![一二三四五六七八九十])", lambda _, w: picks.edge_of("year", _EDGES[w[0]])),
    Rule(r"(春|夏|秋|冬)(?:天|季|日(?=[里的]))", lambda _, w: picks.season(_SEASONS[w[0]])),
    Rule(r"(?<=[年])(春|夏|秋|冬)", lambda _, w: picks.season(_SEASONS[w[0]])),
)

TIMES: tuple[Rule, ...] = (
    Rule(r"零点[整钟]?(?![零一二三四五六七八九十0-9几])", lambda _, __: picks.time_of_day(0, half="24")),
    Rule(
        r"(?<![0-9.一有这那第])([0-9]{1,2}|[一二两三四五六七八九十]{1,3})(?:点|时)(半|[一三13]刻|过?(?:[0-9]{1,2}"
        r"|[零〇一二三四五六七八九十]{2,3}|[五十])分?)(?![个小])",
        lambda _, w: _clock(*w),
    ),
    Rule(r"(?<![0-9.])([0-9]{1,2}|[零一二两三四五六七八九十]{1,3})点(钟|整)", lambda _, w: _clock(*w)),
    Rule(
        r"(?<![0-9.])([0-9]{1,2}|[零一二两三四五六七八九十]{1,3})点()(?![个儿0-9心评击赞名])",
        lambda _, w: picks.time_of_day(number(w[0])),
        r"[在到从]$",
    ),
    Rule(r"(?<![0-9.])([0-9]{1,2})时(?![候间常刻不而])", lambda _, w: picks.time_of_day(number(w[0]), half="24"), _NEVER),
    Rule(
        rf"([0-9]{{1,2}}|[一二两三四五六七八九十]{{1,3}})(?={_RANGE_TO}(?:[0-9]{{1,2}}|[零一二两三四五六七八九十]{{1,3}})点)",
        lambda _, w: picks.time_of_day(number(w[0])),
        _NEVER,
    ),
    Rule(r"(凌晨|上午|中午|正午|下午|傍晚)(?![好茶觉饭餐睡])", lambda _, w: picks.part(_PARTS[w[0]])),
    Rule(rf"({_PART})(?![好])", lambda _, w: picks.part(_PARTS[w[0]]), _NEVER),
)

_FEASTS: tuple[tuple[str, feast.Feast], ...] = (
    (r"(?:国庆节?|十一)(?:长假|假期|小长假|黄金周|期间)", feast.on(10, 1, 7)),
    (r"国庆节|(?<![赵王李张刘陈杨黄周吴徐孙马朱胡郭何高林罗郑梁])国庆(?!间)", feast.on(10, 1)),
    (r"(?:春节|过年|新年)(?:长假|假期|期间)", feast.moon(1, 1, count=7)),
    (r"春节(?!联欢)|农历新年|大年初一", feast.SPRING_FESTIVAL),
    (r"除夕夜?|大年三十|年三十|大年夜|年夜", feast.moon(1, 1, later=-1)),
    (r"(?:五一|劳动节)(?:长假|假期|小长假|黄金周|期间)", feast.on(5, 1, 5)),
    (r"五一(?:劳动)?节?(?![零〇一二三四五六七八九])|劳动节|5\.1(?:劳动)?节", feast.on(5, 1)),
    (r"元旦节?(?:假期|期间)?", feast.NEW_YEAR),
    (r"跨年夜?", feast.on(12, 31)),
    (r"元宵节?|上元节", feast.LANTERN),
    (r"情人节", feast.VALENTINE),
    (r"(?:国际)?(?:三八)?妇女节|三八节|女神节", feast.on(3, 8)),
    (r"植树节", feast.on(3, 12)),
    (r"愚人节", feast.on(4, 1)),
    (r"清明节?(?:假期|期间)?", feast.QINGMING),
    (r"(?:五四)?青年节", feast.on(5, 4)),
    (r"母亲节", feast.MOTHERS_DAY),
    (r"(?:六一|国际)?儿童节|六一", feast.on(6, 1)),
    (r"父亲节", feast.FATHERS_DAY),
    (r"端午节?(?:假期|期间)?", feast.DRAGON_BOAT),
    (r"七夕节?", feast.QIXI),
    (r"建党节", feast.on(7, 1)),
    (r"建军节", feast.on(8, 1)),
    (r"中元节|鬼节", feast.moon(7, 15)),
    (r"教师节", feast.on(9, 10)),
    (r"中秋节?(?:假期|期间)?", feast.MID_AUTUMN),
    (r"重阳节?", feast.DOUBLE_NINTH),
    (r"万圣节?前夜|万圣夜|万圣节", feast.HALLOWEEN),
    (r"双十一|双11|光棍节", feast.on(11, 11)),
    (r"感恩节", feast.THANKSGIVING),
    (r"黑色星期五|黑五", feast.the(4, 3, 11, later=1)),
    (r"双十二|双12", feast.on(12, 12)),
    (r"平安夜|圣诞前夜", feast.on(12, 24)),
    (r"圣诞节?(?:假期|期间)?(?!老人|树|卡)", feast.CHRISTMAS),
    (r"复活节", feast.easter()),
    (r"暑假|暑期", feast.on(7, 1, 62)),
    (r"寒假", feast.on(1, 15, 45)),
    (r"冬至", feast.WINTER_SOLSTICE),
    (r"腊八节?", feast.moon(12, 8)),
    (r"(?:北方)?小年(?!轻)", feast.moon(12, 23)),
)


FEASTS = tuple(Rule(pattern, _feast(make)) for pattern, make in _FEASTS)
RULES: tuple[Rule, ...] = (*RELATIVE, *FEASTS, *DATES, *TIMES)
