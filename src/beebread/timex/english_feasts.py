"""The feasts by their English names."""

from __future__ import annotations

from beebread.timex import holidays as feast
from beebread.timex import picks
from beebread.timex.marks import Build, Rule


def _feast(make: feast.Feast) -> Build:
    return lambda _, __: picks.yearly(make)


_FEASTS: tuple[tuple[str, feast.Feast], ...] = (
    (r"christmas eve", feast.on(12, 24)),
    (r"(?:christmas|xmas)(?: day)?", feast.CHRISTMAS),
    (r"boxing day", feast.on(12, 26)),
    (r"(?:chinese|lunar) new year'?s eve", feast.moon(1, 1, later=-1)),
    (r"(?:chinese|lunar) new year|spring festival", feast.SPRING_FESTIVAL),
    (r"new year'?s? eve|nye", feast.on(12, 31)),
    (r"(?:the )?new year(?:'?s(?: day)?)?", feast.NEW_YEAR),
    (r"valentine'?s?(?:'s)?(?: day)?", feast.VALENTINE),
    (r"(?:st\.?|saint) patrick'?s day", feast.on(3, 17)),
    (r"april fools?'?s?(?:' day| day)?", feast.on(4, 1)),
    (r"good friday", feast.easter(-2)),
    (r"easter monday", feast.easter(1)),
    (r"easter(?: sunday)?", feast.easter()),
    (r"ash wednesday", feast.easter(-46)),
    (r"pentecost|whit sunday", feast.easter(49)),
    (r"mother'?s'? day", feast.MOTHERS_DAY),
    (r"father'?s'? day", feast.FATHERS_DAY),
    (r"memorial day", feast.the(-1, 0, 5)),
    (r"juneteenth", feast.on(6, 19)),
    (r"independence day|(?:the )?(?:4th|fourth) of july", feast.on(7, 4)),
    (r"labou?r day", feast.the(1, 0, 9)),
    (r"columbus day|indigenous peoples'? day", feast.the(2, 0, 10)),
    (r"halloween", feast.HALLOWEEN),
    (r"veterans'? day|armistice day", feast.on(11, 11)),
    (r"thanksgiving(?: day)?", feast.THANKSGIVING),
    (r"black friday", feast.the(4, 3, 11, later=1)),
    (r"cyber monday", feast.the(4, 3, 11, later=4)),
    (r"(?:mlk|martin luther king(?: jr\.?)?) day", feast.the(3, 0, 1)),
    (r"presidents'? day", feast.the(3, 0, 2)),
    (r"earth day", feast.on(4, 22)),
    (r"(?:international )?women'?s day", feast.on(3, 8)),
    (r"may day", feast.on(5, 1)),
    (r"guy fawkes(?: night| day)?|bonfire night", feast.on(11, 5)),
    (r"lantern festival", feast.LANTERN),
    (r"qing ?ming(?: festival)?|tomb[- ]sweeping day", feast.QINGMING),
    (r"dragon boat festival", feast.DRAGON_BOAT),
    (r"qixi(?: festival)?", feast.QIXI),
    (r"mid-?autumn(?: festival| day)?", feast.MID_AUTUMN),
    (r"double ninth(?: festival)?|chongyang(?: festival)?", feast.DOUBLE_NINTH),
    (r"(?:chinese )?national day", feast.on(10, 1)),
    (r"singles'? day|double eleven", feast.on(11, 11)),
    (r"(?:the )?winter solstice", feast.WINTER_SOLSTICE),
)

RULES: tuple[Rule, ...] = tuple(Rule(pattern, _feast(make)) for pattern, make in _FEASTS)
