"""Files that are not what they should be: each is told in words, and nothing else is lost for it."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from beebread.errors import Invalid
from beebread.importers import FORMATS, Options, Problem, Progress, detect, read
from beebread.importers.files import MAX_LINE
from beebread.model import Event
from tests.unit.importers.given import dated, document, events, kept, lines, problems

LINE = '{"role": "user", "text": "好"}\n'


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "is empty"),
        (b" \n\n ", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00", "binary"),
        (LINE.encode("utf-16"), "UTF-16"),
        (b'[{"role": "user", "content": "\xff"}]', "not UTF-8"),
        (b"hello\nworld\n", "not valid JSON at line 1"),
        (b'[{"role": "user",', "ends in the middle"),
        (b'[{"role": "user" 3}]', "line 1, column"),
        (b"[" * 100_000, "not valid JSON"),
        (b"[NaN]", "NaN is not a number"),
        (b'{"a": 1}\n{"a": 2}\n', "JSON lines, but in none of the known formats"),
        (b'{"a": 1}', "JSON, but in none of the known formats"),
        (b"[]", "JSON, but in none of the known formats"),
        (b"7", "JSON, but in none of the known formats"),
    ],
)
def test_a_file_of_which_nothing_can_be_read_is_refused(tmp_path: Path, content: bytes, word: str) -> None:
    path = dated(tmp_path / "a.json", content)
    with pytest.raises(Invalid, match=word) as told:
        list(read(path))
    assert "a.json" in str(told.value)
    with pytest.raises(Invalid, match=word):
        detect(path)


def test_a_path_and_a_format_that_nobody_knows_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="does not exist"):
        read(tmp_path / "none.jsonl")
    with pytest.raises(Invalid, match="format 'xml' is unknown: use auto, claude-code"):
        read(dated(tmp_path / "a.jsonl", LINE), format="xml")
    (tmp_path / "empty").mkdir()
    with pytest.raises(Invalid, match=r"holds no \.jsonl"):
        list(read(tmp_path / "empty"))


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_that_the_file_is_not_in_says_so(tmp_path: Path, name: str) -> None:
    path = dated(tmp_path / "a.json", '[{"x": 1}, 3]')
    assert "a.json" in refusal(path, name)


def refusal(path: Path, name: str) -> str:
    """What is said of a file in which there is no event, as an error or as problems."""
    try:
        found = list(read(path, format=name))
    except Invalid as error:
        return str(error)
    assert all(isinstance(item, Problem) for item in found)
    return "\n".join(map(str, found))


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_packed_files_read_like_plain_ones(tmp_path: Path, suffix: str) -> None:
    data = (LINE * 3).encode()
    packed = {"": data, ".gz": gzip.compress(data), ".xz": lzma.compress(data)}[suffix]
    told: list[Progress] = []
    found = events(dated(tmp_path / f"a.jsonl{suffix}", packed), Options(progress=told.append))
    assert [(event.text, event.scope.session) for event in found] == [("好", "a")] * 3
    assert told[-1].bytes_done == told[-1].bytes_total == len(packed)


@pytest.mark.parametrize("suffix", ["gz", "xz"])
def test_a_packed_file_cut_short_gives_what_it_can(tmp_path: Path, suffix: str) -> None:
    many = "".join(f'{{"role": "user", "text": "{number * 7919 % 1000003}"}}\n' for number in range(20_000)).encode()
    packed = gzip.compress(many) if suffix == "gz" else lzma.compress(many)
    path = dated(tmp_path / f"a.jsonl.{suffix}", packed[: len(packed) // 2])
    found = list(read(path))
    assert len(found) > 100
    assert isinstance(found[-1], Problem)
    assert "damaged or cut short" in found[-1].reason
    with pytest.raises(Invalid, match="damaged"):
        list(read(dated(tmp_path / f"b.jsonl.{suffix}", b"nonsense")))


def test_a_byte_order_mark_and_blank_lines_are_no_matter(tmp_path: Path) -> None:
    path = dated(tmp_path / "a.jsonl", b"\xef\xbb\xbf" + f"\n{LINE}\r\n  \n{LINE}".encode())
    assert [event.source.line for event in events(path)] == [2, 5]
    assert events(dated(tmp_path / "b.json", b'\xef\xbb\xbf[{"role": "user", "content": "x"}]'))[0].text == "x"


def test_bytes_of_no_text_in_one_line_spoil_that_line_alone(tmp_path: Path) -> None:
    path = dated(tmp_path / "a.jsonl", LINE.encode() + b'{"role": "user", "text": "\xff"}\n' + LINE.encode())
    assert [problem.line for problem in problems(path)] == [2]
    assert len(kept(path)) == 2


def test_a_folder_reads_what_it_can_and_tells_the_rest(tmp_path: Path) -> None:
    lines(tmp_path / "b" / "two.jsonl", [{"role": "user", "text": "二"}])
    document(tmp_path / "one.json", [{"role": "user", "content": "一"}])
    dated(tmp_path / "broken.json", "{")
    dated(tmp_path / "notes.txt", "not looked at")
    told: list[Progress] = []
    found = list(read(tmp_path, Options(progress=told.append)))
    assert sorted(item.text for item in found if isinstance(item, Event)) == ["一", "二"]
    assert [item.file for item in found if isinstance(item, Problem)] == ["broken.json"]
    assert {item.source.file for item in found if isinstance(item, Event)} == {"one.json", "b/two.jsonl"}
    assert told[-1].bytes_done == told[-1].bytes_total


def test_a_line_too_long_to_hold_is_skipped(tmp_path: Path) -> None:
    path = dated(tmp_path / "a.jsonl", LINE + '{"role": "user", "text": "' + "x" * MAX_LINE + '"}\n' + LINE)
    [problem] = problems(path)
    assert (problem.line, "longer than" in problem.reason) == (2, True)
    assert [event.source.line for event in kept(path)] == [1, 3]
