"""A model of the user's own in a folder: the converted built-in one, and a tiny one with a tokenizer.json."""

from __future__ import annotations

from pathlib import Path

import pytest

from beebread.errors import Invalid, Unavailable
from beebread.ports import Embedder
from tests.unit.models.conftest import cosine, documents, opened, run

TEXTS = ("The cat knocked over the vase.", "猫把花瓶打翻了。", "", "x" * 100_000)


def tiny(folder: Path, *, pooled: bool, unknown: int = 0) -> Path:
    """Three words of a vocabulary, each along its own axis, and twice as long for its type."""
    import numpy as np
    from onnx import helper, numpy_helper

    tokenizers = pytest.importorskip("tokenizers")
    words = {"[UNK]": unknown, "red": 1, "green": 2}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(folder / "tokenizer.json"))
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    outputs = [helper.make_tensor_value_info("rows", 1, ["b", "l", 3])]
    if pooled:
        nodes.append(helper.make_node("ReduceMax", ["rows", "one"], ["sentence"], keepdims=0))
        outputs.append(helper.make_tensor_value_info("sentence", 1, ["b", 3]))
    constants = [numpy_helper.from_array(np.eye(3, dtype=np.float32), "table"), numpy_helper.from_array(np.array([1]), "one")]
    inputs = [helper.make_tensor_value_info("input_ids", 7, ["b", "l"])]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder


def test_the_converted_model_runs_from_its_folder(e5: Embedder, models_folder: Path) -> None:
    documents(e5, "made")
    [folder] = models_folder.iterdir()
    found = opened(f"onnx://{'/' * 2}{str(folder).lstrip('/')}?name=multilingual-e5-small")
    one, two, *rest = documents(found, *TEXTS)
    assert found.dimensions == 384
    assert found.space.startswith("onnx/multilingual-e5-small/")
    assert cosine(one, two) > cosine(one, documents(found, "Interest rates rise again.")[0])
    assert all(cosine(vector, vector) == pytest.approx(1, abs=1e-5) for vector in rest)
    run(found.close())


@pytest.mark.parametrize(
    ("query", "pooled", "expected"),
    [("", True, [0, 1, 1]), ("", False, [0, 1, 1]), ("&pooling=first", False, [0, 1, 0]), ("&max_tokens=1", False, [0, 1, 0])],
)
def test_any_tokenizer_and_pooling(models_folder: Path, tmp_path: Path, query: str, pooled: bool, expected: list[float]) -> None:
    assert models_folder
    tiny(tmp_path, pooled=pooled)
    found = opened(f"onnx:///{tmp_path}?query_prefix={query}")
    [vector] = documents(found, "red green")
    length = sum(value * value for value in expected) ** 0.5
    assert vector.tolist() == pytest.approx([value / length for value in expected])
    run(found.close())


def test_a_folder_without_a_model_or_with_a_broken_one_says_so(models_folder: Path, tmp_path: Path) -> None:
    assert models_folder
    with pytest.raises(Invalid, match="holds no model.onnx beside a tokenizer.json"):
        opened(f"onnx:///{tmp_path}")
    with pytest.raises(Invalid, match="use mean or first"):
        opened(f"onnx:///{tmp_path}?pooling=last")
    (tmp_path / "model.onnx").write_bytes(b"no model")
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(Unavailable, match="does not load with onnxruntime"):
        documents(opened(f"onnx:///{tmp_path}"), "a")
    tiny(tmp_path, pooled=False)
    (tmp_path / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(Unavailable, match="tokenizer.json cannot be read"):
        documents(opened(f"onnx:///{tmp_path}"), "a")


def test_ids_that_the_model_does_not_know_say_so(models_folder: Path, tmp_path: Path) -> None:
    assert models_folder
    tiny(tmp_path, pooled=False, unknown=7)
    with pytest.raises(Unavailable, match="does not run on its tokenizer's output"):
        documents(opened(f"onnx:///{tmp_path}"), "blue")
