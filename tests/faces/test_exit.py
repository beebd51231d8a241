"""A program that forgets to close its memory ends all the same, and has lost nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from beebread import Client

RECORDS = """
from beebread import Client
me = Client({folder!r}).bind(user='u', session='s')
me.record('user_message', '忘了关,forgot to close', id='last')
"""


@pytest.mark.requirement("C4")
@pytest.mark.parametrize("ending", ["", "me.flush()", "me.query('forgot')", "raise SystemExit(0)"])
def test_a_program_that_forgets_to_close_ends(tmp_path: Path, ending: str) -> None:
    code = RECORDS.format(folder=str(tmp_path)) + ending
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    with Client(tmp_path) as memory:
        assert memory.bind(user="u").get("last") is not None
