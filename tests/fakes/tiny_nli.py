"""A classifier of natural language inference whose judgements are known: no weights, a few nodes.

A hypothesis with a word that the premise lacks is neutral; one with `not` is contradicted; any
other is entailed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

LABELS = ("contradiction", "entailment", "neutral")
WORDS = "winter rye was sown in september on plot nine not by hand".split()
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
_VOCABULARY = [*_SPECIAL, *WORDS]
_OPSET = 17


def write_nli(folder: Path, labels: Sequence[str] = LABELS, window: int = 64) -> Path:
    """Write the model, whose scores are in the order of `labels`, and give its folder."""
    (folder / "onnx").mkdir(parents=True)
    onnx.save_model(_model(labels), folder / "onnx" / "model.onnx")
    names = {str(place): name for place, name in enumerate(labels)}
    (folder / "config.json").write_text(json.dumps({"id2label": names}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": window}))
    tokenizer = Tokenizer(
        models.WordLevel({word: n for n, word in enumerate(_VOCABULARY)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _model(labels: Sequence[str]) -> onnx.ModelProto:
    """Counts words of the premise and of the hypothesis as one-hot vectors, and compares them."""
    size = len(_VOCABULARY)
    one_hot = np.eye(size, dtype=np.float32)
    one_hot[: len(_SPECIAL)] = 0
    one_hot[1] = np.eye(size, dtype=np.float32)[1]
    denied = np.zeros((size, 1), dtype=np.float32)
    denied[_VOCABULARY.index("not")] = 10
    rows = {"contradiction": "denies", "neutral": "adds", "entailment": "half"}
    nodes = [
        helper.make_node("Gather", ["one_hot", "input_ids"], ["words"]),
        helper.make_node("Cast", ["token_type_ids"], ["second"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["second", "last"], ["behind"]),
        helper.make_node("Sub", ["one", "behind"], ["before"]),
        helper.make_node("Mul", ["words", "behind"], ["hypothesis_words"]),
        helper.make_node("Mul", ["words", "before"], ["premise_words"]),
        helper.make_node("ReduceMax", ["hypothesis_words"], ["hypothesis"], axes=[1], keepdims=0),
        helper.make_node("ReduceMax", ["premise_words"], ["premise"], axes=[1], keepdims=0),
        helper.make_node("Sub", ["hypothesis", "premise"], ["difference"]),
        helper.make_node("Relu", ["difference"], ["added"]),
        helper.make_node("ReduceSum", ["added", "tokens"], ["adds"], keepdims=1),
        helper.make_node("MatMul", ["added", "denied"], ["denies"]),
        helper.make_node("Mul", ["adds", "zero"], ["nothing"]),
        helper.make_node("Add", ["nothing", "a_half"], ["half"]),
        helper.make_node("Concat", [rows[name] for name in labels], ["logits"], axis=1),
    ]
    constants: dict[str, np.ndarray[Any, Any]] = {
        "one_hot": one_hot,
        "denied": denied,
        "one": np.array(1, dtype=np.float32),
        "zero": np.array(0, dtype=np.float32),
        "a_half": np.array(0.5, dtype=np.float32),
        "last": np.array([2], dtype=np.int64),
        "tokens": np.array([1], dtype=np.int64),
    }
    graph = helper.make_graph(
        nodes,
        "nli",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
            for name in ("input_ids", "token_type_ids")
        ],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", len(labels)])],
        [numpy_helper.from_array(value, name) for name, value in constants.items()],
    )
    opset = helper.make_opsetid("", _OPSET)
    return helper.make_model(graph, opset_imports=[opset], ir_version=9)
