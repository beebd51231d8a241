"""Requirements and tests are tied both ways."""

from __future__ import annotations

import pytest

from tests.conftest import DATA
from tests.meta.repository import Source, sources
from tests.meta.requirement_ids import Requirement, ids_of_mission, named_by, requirements, untied


def named_by_tests() -> dict[str, list[str]]:
    """Each id that a test names, with the files that name it."""
    named: dict[str, list[str]] = {}
    for source in sources():
        if source.path.startswith("tests/"):
            for name in named_by(source):
                named.setdefault(name, []).append(source.path)
    return named


def test_every_id_is_tied_to_its_tests() -> None:
    assert not (wrong := untied(requirements(), named_by_tests())), "\n" + "\n".join(wrong)


def test_ids_are_unique() -> None:
    ids = [requirement.id for requirement in requirements()]
    assert len(ids) == len(set(ids))


def test_the_list_is_the_mission() -> None:
    mission = DATA.parent / "mission.md"
    if not mission.is_file():
        pytest.skip("the mission page is not beside the repository")
    ids = ids_of_mission(mission.read_text(encoding="utf-8"))
    assert ids == [requirement.id for requirement in requirements()]


def test_a_loose_end_is_found() -> None:
    listed = [Requirement("A1", "built", "…", ""), Requirement("A2", "planned", "…", "x"), Requirement("A3", "partial", "…", "x")]
    assert untied(listed, {"A1": ["t.py"], "A3": ["t.py"]}) == []
    assert untied(listed, {"A1": ["t.py"]}) == ["A3 is partial and no test names it"]
    assert untied(listed, {"A1": ["t.py"], "A3": ["t.py"], "A2": ["u.py"]}) == ["A2 is planned and yet u.py claims to prove it"]
    assert untied(listed, {"A1": ["t.py"], "A3": ["t.py"], "B9": ["u.py"]}) == ["B9 is not in docs/requirements.toml; named in u.py"]


def test_markers_are_read_from_the_source() -> None:
    text = "import pytest\npytestmark = pytest.mark.requirement('A1')\n@pytest.mark.requirement('A2', 'A3')\ndef test(): pass\n"
    assert list(named_by(Source("tests/t.py", text))) == ["A1", "A2", "A3"]
    with pytest.raises(TypeError, match="plain string"):
        list(named_by(Source("tests/t.py", "pytest.mark.requirement(name)")))


@pytest.mark.parametrize(
    "entry",
    [
        'id = "A1"\nstatus = "planned"\ntext = "x"',
        'id = "A1"\nstatus = "built"\ntext = "x"\nmissing = "y"',
        'id = "A1"\nstatus = "done"\ntext = "x"',
    ],
)
def test_an_entry_without_its_note_is_refused(entry: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        requirements(f"[[requirement]]\n{entry}\n")


def test_mission_ids_are_found() -> None:
    page = (
        "## C  Capture\n- C1 Every step.\n- C2 A, see X1. It.\n"
        "## O  Operation\n- O5 UTC. O6 Sharding. O7 Pools.\n## Scenes that\n1. Stop a task.\n7. A. 8. A tool."
    )
    assert ids_of_mission(page) == ["C1", "C2", "O5", "O6", "O7", "scene-1", "scene-7", "scene-8"]
