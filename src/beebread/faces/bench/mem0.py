"""mem0 as a peer: in an environment of its own, spoken to over its standard input and output, one JSON document a line."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from beebread.errors import Unavailable
from beebread.faces.bench.datasets import Case, Message, Question, said_at
from beebread.faces.bench.measures import DEPTH, TIMED, Answer, Shown
from beebread.faces.bench.peers import said
from beebread.faces.bench.vectors import Vectors

NAME = "mem0"
SCRIPT = Path(__file__).parents[4] / "benchmarks" / "peers" / "mem0_peer.py"
PACKAGES = ("mem0ai", "fastembed")
"""fastembed holds the keyword half of its search, which it goes without otherwise."""
CHUNK = 200  # messages a line


class Mem0:
    """mem0 with its own default store on disk; it keeps each message as it is (infer=False) under the product's own vectors.

    The vectors of messages are made as documents, those of questions as questions, and are handed over with them: the time of a query is
    that of its search, with the time of the vector added, as for every peer. Owners are named in a form that it allows.
    """

    def __init__(self, python: Path, vectors: Vectors, script: Path = SCRIPT) -> None:
        self._vectors = vectors
        self._folder = tempfile.TemporaryDirectory(prefix="beebread-mem0-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(  # noqa: S603 - the program is the one that was installed for this
            [str(python), "-I", "-X", "utf8", str(script), self._folder.name, str(vectors.dimensions)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(self._folder.name), cwd=self._folder.name,
        )  # fmt: skip
        self._texts: dict[str, dict[str, str]] = {}
        self._call(None)  # it says that it is ready

    def add(self, case: Case, messages: Sequence[Message], first: int) -> None:
        """As in System."""
        self._texts.setdefault(case.case, {}).update({str(message.id): message.text for message in messages})
        for at in range(0, len(messages), CHUNK):
            batch = messages[at : at + CHUNK]
            texts = [said(message) for message in batch]
            items = [
                {"id": str(message.id), "role": "assistant" if message.role == "assistant" else "user", "text": text,
                 "at": said_at(case, first + at + number).isoformat(), "vector": vector.tolist()}
                for number, (message, text, vector) in enumerate(zip(batch, texts, self._vectors.documents(texts), strict=True))
            ]  # fmt: skip
            self._call({"add": items, "user": quote(case.case, safe="")})

    def ask(self, case: Case, question: Question) -> dict[str, Answer]:
        """As in System."""
        vector, embed_ms = self._vectors.query(question.text)
        asked = {"ask": question.text, "user": quote(case.case, safe=""), "vector": vector.tolist()}
        ms = self._call({**asked, "limit": TIMED})["ms"]
        told = self._call({**asked, "limit": DEPTH})
        texts = self._texts[case.case]
        items = tuple(Shown((name,), texts.get(name, "")) for name, _ in told["found"])
        return {NAME: Answer(items, told["found"][0][1] if items else 0.0, ms + embed_ms, embed_ms)}

    def _call(self, request: dict[str, Any] | None) -> dict[str, Any]:
        """The answer to a request; to None what it says when it is ready. Raises Unavailable when it has died."""
        sink, source = self._process.stdin, self._process.stdout
        assert sink is not None
        assert source is not None
        try:
            if request is not None:
                sink.write(msgspec.json.encode(request) + b"\n")
                sink.flush()
            line = source.readline()
        except BrokenPipeError:
            line = b""
        if not line:
            raise Unavailable(f"{NAME} ended with {self._process.wait()}; what it said stands above")
        return msgspec.json.decode(line)

    def close(self) -> None:
        """As in System."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._folder.cleanup()


def _environment(folder: str) -> dict[str, str]:
    """No telemetry, no hub, nothing of the user's own configuration."""
    return {
        "PATH": os.defpath, "HOME": folder, "MEM0_DIR": folder, "MEM0_TELEMETRY": "False", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1",
    }  # fmt: skip


def environment(cache: Path, say: Callable[[str], None]) -> Path:
    """The Python of mem0's own environment below `cache`, made when it is not there yet. Raises Unavailable when that fails."""
    if not SCRIPT.is_file():
        raise Unavailable(
            f"the peer {NAME} needs benchmarks/peers/{SCRIPT.name} of the repository, which an installed package does not have"
        )
    folder = cache / NAME
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (folder / "complete").is_file():
        return python
    say(f"installing {', '.join(PACKAGES)} into {folder}")
    shutil.rmtree(folder, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PACKAGES],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - the packages are named above
        if done.returncode:
            raise Unavailable(f"{NAME} could not be installed: {done.stderr.strip()[-500:]}")
    (folder / "complete").touch()
    return python


def version(python: Path) -> str:
    """The versions of what is installed there."""
    code = f"from importlib.metadata import version as v; print(', '.join(f'{{n}} {{v(n)}}' for n in {(*PACKAGES, 'qdrant-client')!r}))"
    done = subprocess.run([str(python), "-I", "-c", code], capture_output=True, text=True, check=False)  # noqa: S603 - as above
    if done.returncode:
        raise Unavailable(f"{NAME} in {python.parents[1]} does not work: remove that folder, and it is installed anew")
    return done.stdout.strip()
