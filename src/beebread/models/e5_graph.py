"""From the packed weights to what runs them: an ONNX graph, all of whose layers keep their 4-bit blocks, and a SentencePiece model.

Graph: input_ids and attention_mask (int64, [texts, length]) to embedding ([texts, 384], mean over the tokens, length one) and tokens
([texts, length, 384]). 8-bit layers would be faster, but make a text's vector depend on what else is in its batch.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import onnx
import sentencepiece
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from sentencepiece import sentencepiece_model_pb2

from beebread.models.e5_pack import Pack

_MICROSOFT = "com.microsoft"
_BYTES = 18  # of a block: a half-precision scale, then 32 weights of 4 bits, first half in the low ones
NORMAL, UNKNOWN, CONTROL = 1, 2, 3  # kinds of SentencePiece pieces


class _Writer:
    """Nodes and constants of a graph under construction."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, values: NDArray[Any]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def floats(self, name: str) -> NDArray[np.float32]:
        place, size = self.pack.tensors[name]
        return np.frombuffer(self.pack.data, np.float32, size, place)

    def blocks(self, name: str, rows: int, columns: int) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
        """Weights 0..15 as [rows, blocks, 32] and their scales as [rows, blocks]; 8 stands for zero."""
        count = columns // self.pack.shape.block
        place, _ = self.pack.tensors[name]
        raw = np.frombuffer(self.pack.data, np.uint8, rows * count * _BYTES, place).reshape(rows, count, _BYTES)
        scales = raw[:, :, :2].copy().view(np.float16).astype(np.float32)[:, :, 0]
        low, high = np.bitwise_and(raw[:, :, 2:], 15, dtype=np.uint8), np.right_shift(raw[:, :, 2:], 4, dtype=np.uint8)
        return np.concatenate([low, high], -1), scales

    def linear(self, source: str, name: str, rows: int, columns: int) -> str:
        weights, scales = self.blocks(f"{name}.w", rows, columns)
        inputs = [
            source,
            self.constant(f"{name}.w", weights[..., 0::2] | (weights[..., 1::2] << 4)),
            self.constant(f"{name}.s", scales.reshape(-1)),
            "",
            "",
            self.constant(f"{name}.b", self.floats(f"{name}.b")),
        ]
        # accuracy_level 1: weights are widened and multiplied in floats; with their small blocks, 8 bits (level 4) take a third longer.
        size = self.pack.shape.block
        return self.node("MatMulNBits", inputs, name, _MICROSOFT, K=columns, N=rows, bits=4, block_size=size, accuracy_level=1)

    def normalised_sum(self, one: str, two: str, name: str, output: str) -> str:
        inputs = [one, two, *(self.constant(f"{name}.{part}", self.floats(f"{name}.{part}")) for part in "wb")]
        return self.node("SkipLayerNormalization", inputs, output, _MICROSOFT, epsilon=self.pack.shape.epsilon)


def graph(pack: Pack) -> bytes:
    """The ONNX model of `pack`; the same bytes each time."""
    write = _Writer(pack)
    value = _embeddings(write)
    for layer in range(pack.shape.layers):
        value = _layer(write, f"l{layer}", value, "tokens" if layer == pack.shape.layers - 1 else f"l{layer}.out")
    _pooling(write, value)
    described = helper.make_tensor_value_info
    hidden, whole, real = pack.shape.hidden, onnx.TensorProto.INT64, onnx.TensorProto.FLOAT
    made = helper.make_graph(
        write.nodes,
        "multilingual-e5-small",
        [described(name, whole, ["texts", "length"]) for name in ("input_ids", "attention_mask")],
        [described("embedding", real, ["texts", hidden]), described("tokens", real, ["texts", "length", hidden])],
        write.constants,
    )
    sets = [helper.make_opsetid("", 21), helper.make_opsetid(_MICROSOFT, 1)]
    return helper.make_model(made, opset_imports=sets, ir_version=10).SerializeToString(deterministic=True)


def _embeddings(write: _Writer) -> str:
    """Word, position and type; words stay in 4 bits."""
    shape = write.pack.shape
    weights, scales = write.blocks("emb.word", shape.vocabulary, shape.hidden)
    signed = (weights.astype(np.int8) - 8).reshape(shape.vocabulary, shape.hidden)
    packed = (signed[:, 0::2] & 15).astype(np.uint8) | ((signed[:, 1::2] & 15).astype(np.uint8) << 4)
    words = onnx.TensorProto(
        name="emb.word", data_type=onnx.TensorProto.INT4, dims=[shape.vocabulary, shape.hidden], raw_data=packed.tobytes()
    )
    write.constants.append(words)
    inputs = ["emb.word", "input_ids", write.constant("emb.scale", scales)]
    write.node("GatherBlockQuantized", inputs, "words", _MICROSOFT, block_size=shape.block, gather_axis=0, quantize_axis=1)
    for name, number in (("0", 0), ("1", 1), ("2", 2), ("-1", -1)):
        write.constant(name, np.array([number], np.int64))
    write.constant("positions", write.floats("emb.pos").reshape(shape.positions, shape.hidden) + write.floats("emb.type")[: shape.hidden])
    write.node("Shape", ["input_ids"], "shape")
    write.node("Slice", ["shape", "1", "2"], "length")
    write.node("Slice", ["positions", "0", "length", "0"], "place")
    write.node("Add", ["words", "place"], "sum")
    inputs = ["sum", *(write.constant(f"emb.ln.{part}", write.floats(f"emb.ln.{part}")) for part in "wb")]
    write.node("Cast", ["attention_mask"], "mask", to=onnx.TensorProto.INT32)
    return write.node("LayerNormalization", inputs, "in", axis=-1, epsilon=shape.epsilon)


def _layer(write: _Writer, name: str, value: str, output: str) -> str:
    """One layer: attention, then the feed-forward part, each added to what came in and normalised."""
    hidden, wide = write.pack.shape.hidden, write.pack.shape.ffn
    heads = [write.linear(value, f"{name}.{part}", hidden, hidden) for part in "qkv"]
    write.node("MultiHeadAttention", [*heads, "", "mask"], f"{name}.attended", _MICROSOFT, num_heads=write.pack.shape.heads)
    attended = write.linear(f"{name}.attended", f"{name}.ao", hidden, hidden)
    middle = write.normalised_sum(attended, value, f"{name}.aln", f"{name}.middle")
    write.node("Gelu", [write.linear(middle, f"{name}.fi", wide, hidden)], f"{name}.gelu", _MICROSOFT)
    return write.normalised_sum(write.linear(f"{name}.gelu", f"{name}.fo", hidden, wide), middle, f"{name}.oln", output)


def _pooling(write: _Writer, value: str) -> None:
    write.node("Cast", ["attention_mask"], "kept", to=onnx.TensorProto.FLOAT)
    write.node("Unsqueeze", ["kept", "-1"], "kept each")
    write.node("Mul", [value, "kept each"], "kept tokens")
    write.node("ReduceSum", ["kept tokens", "1"], "pooled", keepdims=0)
    write.node("LpNormalization", ["pooled"], "embedding", axis=-1, p=2)


def vocabulary(pack: Pack) -> bytes:
    """The SentencePiece model of `pack`: its pieces, with the rules of normalisation that the library itself has (nmt_nfkc).

    The ids of the graph are those of this model plus one; its <unk> is 3 there, <s> 0, <pad> 1 and </s> 2.
    """
    proto: Any = sentencepiece_model_pb2
    made = proto.ModelProto()
    for piece, kind in (("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)):
        made.pieces.add(piece=piece, score=0, type=kind)
    for piece, score in pack.pieces[4:]:
        if piece != "<mask>":
            made.pieces.add(piece=piece, score=score, type=NORMAL)
    trainer = made.trainer_spec
    trainer.model_type, trainer.vocab_size, trainer.pad_id = 1, len(made.pieces), -1
    trainer.unk_id, trainer.bos_id, trainer.eos_id = 0, 1, 2
    made.normalizer_spec.CopyFrom(_normaliser(proto))
    return made.SerializeToString(deterministic=True)


def _normaliser(proto: Any) -> Any:
    """The library gives its compiled rules away only inside a model that it trained: this one learns five letters."""
    library: Any = sentencepiece
    written = io.BytesIO()
    library.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e"] * 10), model_writer=written, vocab_size=12, model_type="unigram",
        normalization_rule_name="nmt_nfkc", hard_vocab_limit=False, minloglevel=2,
    )  # fmt: skip
    model = proto.ModelProto()
    model.ParseFromString(written.getvalue())
    return model.normalizer_spec
