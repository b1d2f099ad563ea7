"""A cross-encoder of a few random weights with a tokenizer of its own, as FastEmbed would have
downloaded it under a name that it knows.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

NAME = "Xenova/ms-marco-MiniLM-L-6-v2"
_FOLDER = "models--Xenova--ms-marco-MiniLM-L-6-v2"
_REVISION = "0" * 39 + "1"
_WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    *"when were the ledges built who sang opera a".split(),
]
_LONGEST = 64
_OPSET = 17


def write_cross_encoder(cache: Path, seed: int = 7) -> None:
    """Write the model into a model cache."""
    repository = cache / "models" / "hub" / _FOLDER
    snapshot = repository / "snapshots" / _REVISION
    (snapshot / "onnx").mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(_REVISION)
    onnx.save_model(_model(np.random.default_rng(seed)), snapshot / "onnx" / "model.onnx")
    _write_tokenizer(snapshot)


def _model(chance: np.random.Generator) -> onnx.ModelProto:
    """The mean of word vectors, which the segment turns, through a layer to one number."""
    size = 8
    weights = {
        "words": chance.normal(size=(len(_WORDS), size)),
        "segments": chance.normal(size=(2, size)),
        "matrix": chance.normal(size=(size, 1)),
    }
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["word"]),
        helper.make_node("Gather", ["segments", "token_type_ids"], ["segment"]),
        helper.make_node("Mul", ["word", "segment"], ["turned"]),
        helper.make_node("Cast", ["attention_mask"], ["kept"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["kept", "last"], ["mask"]),
        helper.make_node("Mul", ["turned", "mask"], ["masked"]),
        helper.make_node("ReduceSum", ["masked", "tokens"], ["sum"], keepdims=0),
        helper.make_node("ReduceSum", ["mask", "tokens"], ["count"], keepdims=0),
        helper.make_node("Div", ["sum", "count"], ["mean"]),
        helper.make_node("Tanh", ["mean"], ["state"]),
        helper.make_node("MatMul", ["state", "matrix"], ["logits"]),
    ]
    given = ("input_ids", "attention_mask", "token_type_ids")
    constants = [
        *(numpy_helper.from_array(w.astype(np.float32), name) for name, w in weights.items()),
        numpy_helper.from_array(np.array([2], dtype=np.int64), "last"),
        numpy_helper.from_array(np.array([1], dtype=np.int64), "tokens"),
    ]
    graph = helper.make_graph(
        nodes,
        "cross-encoder",
        [helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "length"]) for n in given],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
        constants,
    )
    opset = helper.make_opsetid("", _OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=9)


def _write_tokenizer(folder: Path) -> None:
    vocabulary = {word: place for place, word in enumerate(_WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    limits = {"model_max_length": _LONGEST, "pad_token": "[PAD]"}
    (folder / "tokenizer_config.json").write_text(json.dumps(limits))
    (folder / "config.json").write_text(json.dumps({"pad_token_id": 0}))
    (folder / "special_tokens_map.json").write_text(json.dumps({"pad_token": "[PAD]"}))
