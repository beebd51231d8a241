"""The house is tidy: every rule over every file, and every rule shown to be able to fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.meta.dead_files import dead_data, dead_modules, entries
from tests.meta.repository import ROOT, Source, files, package, sources
from tests.meta.tidy_rules import PYTHON_RULES, TEXT_RULES

RULES = PYTHON_RULES | TEXT_RULES
ROOM = "src/beebread/retrieval/fuse.py"

# For each rule: snippets it refuses and snippets it accepts, each with the path it stands at.
BAD: dict[str, list[tuple[str, str]]] = {
    "file_length": [(ROOM, "x = 1\n" * 401)],
    "function_length": [(ROOM, "def f():\n" + "    x = 1\n" * 60)],
    "folder_depth": [("src/beebread/a/b/c/d.py", "")],
    "names": [
        ("src/beebread/utils.py", ""),
        ("src/beebread/text_helpers.py", ""),
        ("src/beebread/common/fuse.py", ""),
        (ROOM, "class MemoryManager: pass"),
        (ROOM, "class Base: pass"),
    ],
    "mocks": [
        ("tests/unit/test_x.py", "from unittest.mock import patch"),
        ("tests/unit/test_x.py", "import unittest.mock"),
        ("tests/unit/test_x.py", "from unittest import mock\nmock.patch('x')"),
        ("tests/unit/test_x.py", "def test_x(mocker): pass"),
    ],
    "room_docstring": [
        ("src/beebread/retrieval/__init__.py", ""),
        ("src/beebread/retrieval/__init__.py", '"""Ranks."""'),
        ("src/beebread/retrieval/__init__.py", '"""Ranks.\nMay import: model.\nNever: writes."""'),
    ],
    "module_docstring": [(ROOM, "x = 1\n"), (ROOM, '"""no full stop"""\nx = 1\n')],
    "own_root": [(ROOM, "from beebread import Client"), (ROOM, "import beebread")],
    "sql": [
        (ROOM, "q = 'SELECT id FROM events'"),
        (ROOM, "q = 'insert or ignore into events values (1)'"),
        ("src/beebread/faces/cli.py", "q = f'DELETE FROM {1}'"),
        ("src/beebread/service.py", "q = 'PRAGMA journal_mode'"),
    ],
    "environment": [
        (ROOM, "import os\nx = os.environ['A']"),
        (ROOM, "from os import getenv"),
        ("src/beebread/faces/cli.py", "import os\nos.getenv('A')"),
    ],
    "time_asked": [
        (ROOM, "from datetime import datetime\nx = datetime.now()"),
        (ROOM, "import datetime\nx = datetime.datetime.now(datetime.UTC)"),
        (ROOM, "import time\nx = time.time()"),
        (ROOM, "from time import time"),
        (ROOM, "from datetime import date\nx = date.today()"),
    ],
    "ids_made": [(ROOM, "import uuid"), (ROOM, "from uuid import uuid4")],
    "network": [
        (ROOM, "import urllib.request"),
        (ROOM, "from http.client import HTTPConnection"),
        (ROOM, "import socket\nsocket.socket()"),
    ],
    "broad_suppress": [(ROOM, "import contextlib\nwith contextlib.suppress(Exception): pass")],
    "suppressions": [
        (ROOM, "x = 1  # noqa"),
        (ROOM, "x = 1  # noqa: E501"),
        (ROOM, "x = 1  # type: ignore"),
        (ROOM, "x = 1  # type: ignore[arg-type]"),
        (ROOM, "x = 1  # type: ignore - because"),
        (ROOM, "x = 1  # pragma: no cover"),
        (ROOM, "# pyright: basic"),
        (ROOM, "def f(): ...  # noqa: C901 - it is long for a good reason"),
    ],
    "local_paths": [
        (ROOM, "x = '/wor" + "k/main'"),
        ("README.md", "see /hom" + "e/anna/notes"),
        ("docs/start.md", "from pyp" + "i.org"),
        ("tests/unit/test_x.py", f"x = '{ROOT}'"),
    ],
}
GOOD: dict[str, list[tuple[str, str]]] = {
    "file_length": [(ROOM, "x = 1\n" * 400)],
    "function_length": [(ROOM, "def f():\n" + "    x = 1\n" * 59)],
    "folder_depth": [("src/beebread/consolidation/prompts/x.py", "")],
    "names": [(ROOM, "class Database: pass"), ("src/beebread/policy.py", "class Score: pass")],
    "mocks": [("tests/unit/test_x.py", "import unittest\nmockery = 1")],
    "room_docstring": [
        ("src/beebread/retrieval/__init__.py", '"""Ranks.\nMay import: model.\nNever does: writes.\nStart reading at: plan.py."""'),
        (ROOM, '"""Ranks."""'),
        ("src/beebread/__init__.py", '"""The memory."""'),
    ],
    "module_docstring": [(ROOM, '"""Ranks what was found."""\nx = 1\n'), ("src/beebread/py.py", "")],
    "own_root": [(ROOM, "from beebread import model"), (ROOM, "from beebread.model import Event")],
    "sql": [
        ("src/beebread/backends/sql.py", "q = 'SELECT id FROM events'"),
        (ROOM, '"""Select the best from what was found."""'),
        (ROOM, "q = 'Update the settings'"),
    ],
    "environment": [("src/beebread/settings.py", "import os\nx = os.environ['A']"), (ROOM, "import os\nx = os.getpid()")],
    "time_asked": [
        ("src/beebread/clock.py", "from datetime import UTC, datetime\nx = datetime.now(UTC)"),
        (ROOM, "import time\nx = time.monotonic() + time.perf_counter()"),
        (ROOM, "x = clock.now()"),
    ],
    "ids_made": [("src/beebread/model/ids.py", "import uuid"), (ROOM, "from beebread.model import new_id")],
    "network": [(ROOM, "from urllib.parse import urlsplit"), ("src/beebread/faces/rest.py", "import http.server")],
    "broad_suppress": [
        (ROOM, "import contextlib\nwith contextlib.suppress(KeyError): pass"),
        ("src/beebread/worker/loop.py", "import contextlib\nwith contextlib.suppress(Exception): pass"),
    ],
    "suppressions": [
        (ROOM, "x = 1  # noqa: S603 - the command is our own"),
        (ROOM, "x = 1  # pyright: ignore[reportUnknownMemberType] # the library ships no types"),
        (ROOM, "x = '# noqa'"),
    ],
    "local_paths": [(ROOM, "x = 'https://example.com/a'"), ("README.md", "the folder is ~/.beebread")],
}


@pytest.mark.parametrize("name", RULES)
def test_every_file_keeps_the_rule(name: str) -> None:
    checked = sources() if name in PYTHON_RULES else sources(())
    wrong = [f"{source.path}: {fault}" for source in checked for fault in RULES[name](source)]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("name", RULES)
def test_the_rule_can_fail(name: str) -> None:
    for path, text in BAD[name]:
        assert list(RULES[name](Source(path, text))), f"{name} lets this pass at {path}: {text[:80]!r}"
    for path, text in GOOD[name]:
        assert not list(RULES[name](Source(path, text))), f"{name} refuses this at {path}: {text[:80]!r}"


def test_no_file_is_dead() -> None:
    data = [path.relative_to(ROOT) for path in files() if path.is_relative_to(ROOT / "src") and path.suffix != ".py"]
    tests = [source for source in sources() if source.path.startswith("tests/")]
    dead = dead_modules(package(), tests, entries()) + dead_data(package(), data)
    assert not dead, f"nothing leads to {dead}"


def test_a_dead_file_is_found() -> None:
    room = "src/beebread/capture/"
    alive = [
        Source("src/beebread/__init__.py", ""),
        Source(f"{room}__init__.py", ""),
        Source(f"{room}recorder.py", "from beebread.capture import ledger"),
        Source(f"{room}ledger.py", "plug = 'beebread.capture.payload:open'"),
        Source(f"{room}payload.py", ""),
        Source("src/beebread/testing/store.py", ""),
    ]
    tests = [Source("tests/test_x.py", "import beebread.testing.store")]
    entry = {"beebread.capture.recorder"}
    assert dead_modules(alive, tests, entry) == []
    assert dead_modules([*alive, Source(f"{room}old.py", "import beebread.capture.old")], tests, entry) == [f"{room}old.py"]
    assert dead_modules([*alive, Source("src/beebread/worker/loop.py", "")], [Source("tests/t.py", "import beebread.worker")], entry) == [
        "src/beebread/testing/store.py",
        "src/beebread/worker/loop.py",
    ]
    assert dead_data([Source(f"{room}demo.py", "x = 'run.jsonl'")], [Path("a/run.jsonl"), Path("a/py.typed"), Path("a/left.json")]) == [
        "a/left.json"
    ]
