"""Writes src/beebread/text/traditional.txt, the traditional to simplified table of search, from the data in the OpenCC package.

pip install opencc && python tools/make_fold_table.py
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

TARGET = Path(__file__).parents[1] / "src" / "beebread" / "text" / "traditional.txt"
HAN = (*range(0x3400, 0x4DC0), *range(0x4E00, 0xA000))  # rarer planes are left as they are: a regular expression over them is slow
CONFIGS = ("t2s", "tw2s", "hk2s")  # the first that changes a character decides
# Characters that OpenCC changes only inside phrases. Search folds both sides: merging two words costs little, missing one the answer.
ALSO = {"著": "着", "妳": "你", "徵": "征", "瞭": "了", "藉": "借", "覆": "复", "祇": "只", "衹": "只", "牠": "它"}
KEEP = {"么"}  # a simplified character that is also the traditional form of a rare one
HEADER = """\
# Traditional Chinese characters and their simplified forms, in pairs; used only to fold text for search.
# Derived from the dictionaries of OpenCC (https://github.com/BYVoid/OpenCC), Apache License 2.0.
# Written by tools/make_fold_table.py; do not edit.
"""


def pairs() -> dict[str, str]:
    """Every character of the two common planes that has another simplified form, followed to its end."""
    opencc: Any = importlib.import_module("opencc")
    converters = [opencc.OpenCC(name) for name in CONFIGS]
    table: dict[str, str] = {}
    for char in map(chr, HAN):
        if char in KEEP:
            continue
        forms = (str(converter.convert(char)) for converter in converters)
        form = next((form for form in forms if form != char), ALSO.get(char, char))
        if form != char and len(form) == 1 and form <= "\uffff":
            table[char] = form
    return {char: table.get(form, form) for char, form in table.items()}


def main() -> None:
    """Writes the table, forty pairs a line."""
    joined = [char + form for char, form in sorted(pairs().items())]
    lines = ["".join(joined[at : at + 40]) for at in range(0, len(joined), 40)]
    TARGET.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{TARGET}: {len(joined)} pairs")


if __name__ == "__main__":
    main()
