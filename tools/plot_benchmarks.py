"""Draws the plots and tables of docs/benchmarks.md from raw results: python tools/plot_benchmarks.py RAW [RAW …].

Raw results are what `beebread bench recall --raw RAW` keeps: all sets in one run, and if wanted a second one with --size for the times.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

import msgspec

from beebread.faces.bench.about import About
from beebread.faces.bench.measures import BUDGETS, Asked
from beebread.faces.bench.summary import WHOLE, Row, mean, rows

ROOT = Path(__file__).resolve().parents[1]
PAGE, PLOTS = ROOT / "docs" / "benchmarks.md", ROOT / "docs" / "plots"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"
OWN = "beebread"
COLOURS = {OWN: "#d97706", "mem0": "#2563eb", "sum": "#0f766e", "embedder": "#7c3aed", "bm25": "#64748b"}
TABLE = {
    "R@5": "r5", "R@10": "r10", "R@20": "r20", "nDCG@10": "ndcg10", "MRR": "mrr", "session hit@5": "session_hit5",
    "session R@10": "session_r10", "in 1,024 tokens": "in1024", "first": "first", "ahead": "ahead", "AUROC": "auroc",
}  # fmt: skip


def read(paths: Iterable[Path]) -> tuple[About, list[Row]]:
    """The circumstances of the first file, and the rows of all."""
    told: About | None = None
    groups: dict[tuple[str, str], list[Asked]] = {}
    for path in paths:
        first, *lines = path.read_bytes().splitlines()
        told = told or msgspec.json.decode(first, type=About)
        for line in lines:
            one = msgspec.json.decode(line, type=Asked)
            groups.setdefault((one.dataset, one.system), []).append(one)
    if told is None or not groups:
        raise SystemExit("there is no result in these files")
    return told, [row for group in groups.values() for row in rows(group)]


# ---------------------------------------------------------------- plots


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="12">\n'
        f"<title>{escape(title)}</title>\n"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
        f'<text x="16" y="22" font-size="14" font-weight="600" fill="#111827">{escape(title)}</text>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, text: str, *, anchor: str = "start", fill: str = "#374151") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{escape(text)}</text>'


def _line(points: tuple[float, float, float, float], colour: str, width: float = 1.0) -> str:
    x1, y1, x2, y2 = points
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def _legend(systems: Sequence[str], y: float) -> list[str]:
    parts: list[str] = []
    for at, name in enumerate(systems):
        parts.append(f'<rect x="{16 + at * 110}" y="{y - 10:.1f}" width="11" height="11" fill="{COLOURS.get(name, "#9ca3af")}"/>')
        parts.append(_text(33 + at * 110, y, name))
    return parts


def bars(lines: Sequence[Row]) -> str:
    """R@10 of each set: a bar for each system, with the interval that holds 95 of 100 resamplings."""
    sets, systems = _names(lines)
    left, wide, high, gap = 150, 520, 13, 16
    by = {(row.dataset, row.system): row for row in lines}
    height = 66 + len(sets) * (len(systems) * high + gap) + 24
    parts = _legend(systems, 44)
    for tick in range(0, 11, 2):
        x = left + wide * tick / 10
        parts += [_line((x, 56, x, height - 24), "#e5e7eb"), _text(x, height - 8, f"{tick / 10:.1f}", anchor="middle")]
    y = 62.0
    for name in sets:
        parts.append(_text(left - 8, y + len(systems) * high / 2 + 4, name, anchor="end"))
        for system in systems:
            row = by.get((name, system))
            if row is not None and row.r10 is not None:
                colour = COLOURS.get(system, "#9ca3af")
                parts.append(f'<rect x="{left}" y="{y:.1f}" width="{wide * row.r10:.1f}" height="{high - 2}" fill="{colour}"/>')
                if row.r10_low is not None and row.r10_high is not None:
                    middle = y + high / 2 - 1
                    parts.append(_line((left + wide * row.r10_low, middle, left + wide * row.r10_high, middle), "#111827", 1.5))
                parts.append(_text(left + wide + 8, y + high - 3, f"{row.r10:.3f}", fill=colour))
            y += high
        y += gap
    return _svg(left + wide + 60, height, "Recall of the evidence in the first 10 items, with 95 % intervals", parts)


def budgets(lines: Sequence[Row]) -> str:
    """The share of the evidence that fits into a budget of tokens: the mean over the sets, a line for each system."""
    _, systems = _names(lines)
    left, top, wide, high = 60, 66, 480, 240
    parts = _legend(systems, 44)
    for tick in range(0, 11, 2):
        y = top + high * (1 - tick / 10)
        parts += [_line((left, y, left + wide, y), "#e5e7eb"), _text(left - 8, y + 4, f"{tick / 10:.1f}", anchor="end")]
    xs = [left + 40 + (wide - 80) * at / (len(BUDGETS) - 1) for at in range(len(BUDGETS))]
    parts += [_text(x, top + high + 20, f"{budget:,} tokens", anchor="middle") for x, budget in zip(xs, BUDGETS, strict=True)]
    for system in systems:
        colour = COLOURS.get(system, "#9ca3af")
        shares = [mean(getattr(row, f"in{budget}") for row in lines if row.system == system) or 0.0 for budget in BUDGETS]
        ys = [top + high * (1 - share) for share in shares]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(xs, ys, strict=True))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in zip(xs, ys, strict=True)]
        parts.append(_text(left + wide - 30, ys[-1] + 4, f"{shares[-1]:.3f}", fill=colour))
    return _svg(left + wide + 60, top + high + 40, "Recall of the evidence inside a token budget, mean over the sets", parts)


def times(lines: Sequence[Row]) -> str:
    """How long a query takes, without the vector of the question: from the median to the 95th of 100, on a scale of powers of ten."""
    _, systems = _names(lines)
    left, wide, high = 90, 460, 26
    took = [max(0.05, value) for row in lines for value in (row.search_p50_ms, row.search_p95_ms)]
    low, top = math.floor(math.log10(min(took))), math.ceil(math.log10(max(took)))
    scale = wide / max(1, top - low)
    parts: list[str] = []
    foot = 44 + high * len(systems)
    for power in range(low, top + 1):
        x = left + scale * (power - low)
        parts += [_line((x, 34, x, foot), "#e5e7eb"), _text(x, foot + 16, f"{10.0**power:g} ms", anchor="middle")]
    for at, system in enumerate(systems):
        row = next(row for row in lines if row.system == system)
        y, colour = 52 + high * at, COLOURS.get(system, "#9ca3af")
        x1, x2 = (left + scale * (math.log10(max(0.05, value)) - low) for value in (row.search_p50_ms, row.search_p95_ms))
        parts += [_text(left - 8, y + 4, system, anchor="end"), _line((x1, y, x2, y), colour, 3)]
        parts.append(f'<circle cx="{x1:.1f}" cy="{y}" r="5" fill="{colour}"/>')
        parts.append(_text(x2 + 8, y + 4, f"{row.search_p50_ms:.1f} / {row.search_p95_ms:.1f}", fill=colour))
    return _svg(left + wide + 100, 72 + high * len(systems), f"A query among {lines[0].dataset}, ms, p50 to p95", parts)


def _names(lines: Sequence[Row]) -> tuple[list[str], list[str]]:
    systems = list(dict.fromkeys(row.system for row in lines))
    return list(dict.fromkeys(row.dataset for row in lines)), sorted(systems, key=lambda name: [*COLOURS, name].index(name))


# ---------------------------------------------------------------- tables


def tables(told: About, lines: Sequence[Row]) -> str:
    """The figures in Markdown: the circumstances, then a table for each set and for the ablation."""
    whole = [row for row in lines if row.type == WHOLE]
    plain = [row for row in whole if " -" not in row.system]
    machine = f"{told.machine}, {told.cores} cores, {told.memory_gib} GiB"
    versions = ", ".join(f"{name} {version}" for name, version in {**told.versions, **told.systems}.items())
    parts = [f"Measured on {machine}, with {versions}."]
    sets, systems = _names(plain)
    by = {(row.dataset, row.system): row for row in plain}
    for name in sets:
        there = [by[name, system] for system in systems if (name, system) in by]
        parts.append(f"\n### {name}\n\n{there[0].questions} questions, {there[0].graded} of them graded.\n")
        parts += _table(["", *(row.system for row in there)], [*_measures(there), *_took(there)])
    return "\n".join([*parts, *_ablation(lines)])


def _measures(there: Sequence[Row]) -> list[list[str]]:
    found = {title: [getattr(row, field) for row in there] for title, field in TABLE.items()}
    return [[title, *map(_share, values)] for title, values in found.items() if any(value is not None for value in values)]


def _took(there: Sequence[Row]) -> list[list[str]]:
    return [
        ["ms, p50 / p95", *(f"{row.p50_ms:.1f} / {row.p95_ms:.1f}" for row in there)],
        ["ms without the vector", *(f"{row.search_p50_ms:.1f} / {row.search_p95_ms:.1f}" for row in there)],
    ]


def _ablation(lines: Sequence[Row]) -> list[str]:
    """The change of R@10 with each channel switched off, of each set and of each type of question in it."""
    off = list(dict.fromkeys(row.system for row in lines if row.system.startswith(f"{OWN} -")))
    if not off:
        return []
    by = {(row.dataset, row.type, row.system): row for row in lines}
    body = [
        [row.dataset, row.type, f"{row.graded}", _share(row.r10), *(_change(row, by.get((row.dataset, row.type, name))) for name in off)]
        for row in lines
        if row.system == OWN and row.r10 is not None
    ]
    heads = ["set", "type", "n", "R@10", *(name.removeprefix(f"{OWN} ") for name in off)]
    return ["\n### One channel switched off\n\nThe change of R@10.\n", *_table(heads, body)]


def _change(row: Row, other: Row | None) -> str:
    return "" if other is None or other.r10 is None or row.r10 is None else f"{other.r10 - row.r10:+.3f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _table(heads: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}", *(f"| {' | '.join(cells)} |" for cells in body)]


def drawn(told: About, lines: Sequence[Row], page: str) -> tuple[Mapping[str, str], str]:
    """The plots by file name, and the page with its figures written anew."""
    plain = [row for row in lines if row.type == WHOLE and " -" not in row.system]
    joined, sets = ([row for row in plain if row.dataset.endswith(" together") is one] for one in (True, False))
    plots = {"recall.svg": bars(sets), "budgets.svg": budgets(sets)} if sets else {}
    if joined:
        plots["times.svg"] = times(joined)
    before, _, rest = page.partition(BEGIN)
    shown = "\n\n".join(f"![{name.removesuffix('.svg')}](plots/{name})" for name in plots)
    return plots, f"{before}{BEGIN}\n\n{shown}\n\n{tables(told, lines)}\n\n{END}{rest.partition(END)[2]}"


def main(arguments: Sequence[str]) -> int:
    """Write the plots and the page; 2 when no file is named."""
    if not arguments:
        print(__doc__)
        return 2
    told, lines = read(map(Path, arguments))
    plots, page = drawn(told, lines, PAGE.read_text(encoding="utf-8"))
    PLOTS.mkdir(exist_ok=True)
    for name, plot in plots.items():
        (PLOTS / name).write_text(plot, encoding="utf-8")
        print(f"drawn: {(PLOTS / name).relative_to(ROOT)}")
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
