"""The documentation says what is: links lead somewhere, drawn pages are up to date, examples run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.meta.repository import ROOT, Source, sources
from tools import generated_pages

PAGES = sources((".md",))
LANGUAGES = {"bash", "python", "json", "toml", "text", "mermaid", "ts"}
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, made as Markdown renderers make them."""
    plain = FENCE.sub("", text)
    found = re.findall(r"^#+ +(.+?)\s*$", plain, re.MULTILINE)
    return {re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in found}


def broken_links(page: Source, root: Path = ROOT) -> list[str]:
    """The relative links of a page that lead nowhere."""
    wrong: list[str] = []
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        place = (root / page.path).parent / name if name else root / page.path
        if not place.exists():
            wrong.append(f"{page.path}: {target}")
        elif anchor and anchor not in anchors(place.read_text(encoding="utf-8")):
            wrong.append(f"{page.path}: {target} (no such heading)")
    return wrong


def examples(page: Source, language: str) -> str:
    """The code of one language on a page, joined as one script."""
    return "\n".join(code for name, code in FENCE.findall(page.text) if name == language)


def test_links_lead_somewhere() -> None:
    assert not (wrong := [link for page in PAGES for link in broken_links(page)]), wrong


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# A heading, here\n", encoding="utf-8")
    page = Source(
        "a.md", "[a](b.md) [b](b.md#a-heading-here) [c](https://example.com/x) [d](b.md#other) [e](c.md)\n```text\n[f](g.md)\n```\n"
    )
    assert broken_links(page, tmp_path) == ["a.md: b.md#other (no such heading)", "a.md: c.md"]


def test_code_blocks_say_their_language() -> None:
    wrong = [f"{page.path}: '{name}'" for page in PAGES for name, _ in FENCE.findall(page.text) if name not in LANGUAGES]
    assert not wrong, wrong


@pytest.mark.parametrize("name", generated_pages.PAGES)
def test_drawn_pages_are_up_to_date(name: str) -> None:
    current, wanted = generated_pages.drawn(name)
    assert current == wanted, f"{name} is out of date: run `make tree`"


def test_the_tree_is_drawn_from_first_lines(tmp_path: Path) -> None:
    package = tmp_path / "beebread"
    (package / "text").mkdir(parents=True)
    for name, line in {
        "clock.py": "Clocks.",
        "text/__init__.py": "Purpose: words.\nMay import: nothing.",
        "text/fold.py": "Folds.",
    }.items():
        (package / name).write_text(f'"""{line}"""\n', encoding="utf-8")
    (package / "__init__.py").write_text('"""The memory."""\n', encoding="utf-8")
    marks = f"before\n{generated_pages.BEGIN}old{generated_pages.END}\nafter"
    drawn = generated_pages.architecture(marks, package)
    assert [line.split() for line in drawn.splitlines()[4:9]] == [
        ["src/beebread/"],
        ["__init__.py", "The", "memory"],
        ["clock.py", "Clocks"],
        ["text/", "words"],
        ["fold.py", "Folds"],
    ]
    assert drawn.startswith("before\n")
    assert drawn.endswith("\nafter")
    (package / "text" / "fold.py").write_text('"""Folds more."""\n', encoding="utf-8")
    assert generated_pages.architecture(marks, package) != drawn


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if examples(page, "python")], ids=lambda page: page.path)
def test_python_examples_run(page: Source, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", examples(page, "python")],
        cwd=tmp_path,
        env=at_home(tmp_path),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.path.startswith("docs/") and examples(page, "bash")], ids=lambda page: page.path
)
def test_commands_of_the_docs_run(page: Source, tmp_path: Path) -> None:
    """Every `beebread …` line of a page, in one shell, in an empty folder with an empty home; `make …` lines are the README test's."""
    lines = [line for line in examples(page, "bash").splitlines() if not line.startswith("make ")]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(lines)],
        cwd=tmp_path,
        env=at_home(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def at_home(folder: Path) -> dict[str, str]:
    """The environment of someone new: this Python's commands on the path, an empty home, no setting."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("BEEBREAD_", "MAKE", "MFLAGS", "COV_CORE")) and name != "VENV"
    }
    models = Path(tempfile.gettempdir()) / "beebread-test-models"  # one conversion for all of them
    return {
        **kept,
        "HOME": str(folder),
        "BEEBREAD_MODELS": str(models),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
