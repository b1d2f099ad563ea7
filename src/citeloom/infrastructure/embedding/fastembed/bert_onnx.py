"""A BERT encoder as an ONNX graph, made of safetensors weights without torch."""

from __future__ import annotations

import math
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

MODEL_FILE = "model.onnx"
DATA_FILE = "model.onnx_data"
OPSET = 17
IR_VERSION = 9

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OUTPUT = "last_hidden_state"
_MASKED = -10000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BertShape:
    """`hidden` is the size of a state and of the vectors; the heads share it evenly."""

    layers: int
    heads: int
    hidden: int
    epsilon: float

    @property
    def head_size(self) -> int:
        """The part of a state one head attends to."""
        return self.hidden // self.heads


def bert_model(weights: Path, shape: BertShape) -> onnx.ModelProto:
    """The encoder with the weights of a file."""
    graph = _Graph(load_file(weights))
    states = _embeddings(graph, shape)
    mask = _attention_bias(graph)
    for layer in range(shape.layers):
        states = _encoder_layer(graph, shape, states, mask, f"encoder.layer.{layer}")
    graph.node("Identity", states, output=_OUTPUT)
    return _model(graph, shape)


def write_model(model: onnx.ModelProto, target: Path) -> None:
    """Write the model into the folder `target`: the graph, and its weights in a separate file,
    which the runtime can memory-map.
    """
    onnx.save_model(
        model,
        target / MODEL_FILE,
        save_as_external_data=True,
        location=DATA_FILE,
        size_threshold=1024,
    )
    shutil.copymode(target / MODEL_FILE, target / DATA_FILE)


@dataclass(frozen=True, slots=True)
class _Heads:
    """The tensor shapes of attention: split into heads, and joined again."""

    split: str
    joined: str
    scale: str


class _Graph:
    """Collects nodes and constants; every method returns the name of what it added."""

    def __init__(self, tensors: dict[str, NDArray[np.float32]]) -> None:
        self._tensors = tensors
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def node(self, op: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        name = output or f"{op}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        if name not in self.constants:
            array = np.ascontiguousarray(value).reshape(value.shape)
            self.constants[name] = numpy_helper.from_array(array, name)
        return name

    def number(self, value: float) -> str:
        return self.constant(f"number_{value}", np.array(value, dtype=np.float32))

    def integers(self, *values: int) -> str:
        name = "integers_" + "_".join(map(str, values))
        return self.constant(name, np.array(values, dtype=np.int64))

    def weight(self, name: str) -> str:
        return self.constant(name, self._tensors[name])

    def dense(self, states: str, layer: str) -> str:
        matrix = self.constant(f"{layer}.matrix", self._tensors[f"{layer}.weight"].T)
        product = self.node("MatMul", states, matrix, name=layer)
        return self.node("Add", product, self.weight(f"{layer}.bias"))

    def residual(self, change: str, states: str) -> str:
        """A sum the runtime does not fuse with what follows: its fused kernel is slow, and with
        quantised products would take a seventh of the time.
        """
        return self.node("Sum", change, states)

    def norm(self, states: str, layer: str, epsilon: float) -> str:
        scale, bias = self.weight(f"{layer}.weight"), self.weight(f"{layer}.bias")
        return self.node("LayerNormalization", states, scale, bias, axis=-1, epsilon=epsilon)


def _embeddings(graph: _Graph, shape: BertShape) -> str:
    words = graph.node("Gather", graph.weight("embeddings.word_embeddings.weight"), "input_ids")
    types = graph.node(
        "Gather", graph.weight("embeddings.token_type_embeddings.weight"), "token_type_ids"
    )
    length = graph.node("Slice", graph.node("Shape", "input_ids"), *map(graph.integers, (1, 2)))
    places = graph.node(
        "Slice",
        graph.weight("embeddings.position_embeddings.weight"),
        graph.integers(0),
        length,
        graph.integers(0),
    )
    total = graph.node("Add", graph.node("Add", words, types), places)
    return graph.norm(total, "embeddings.LayerNorm", shape.epsilon)


def _attention_bias(graph: _Graph) -> str:
    """Zero for a token, a large negative number for padding, broadcast over heads and rows."""
    mask = graph.node("Unsqueeze", "attention_mask", graph.integers(1, 2))
    padding = graph.node("Sub", graph.number(1.0), graph.node("Cast", mask, to=TensorProto.FLOAT))
    return graph.node("Mul", padding, graph.number(_MASKED))


def _encoder_layer(graph: _Graph, shape: BertShape, states: str, mask: str, layer: str) -> str:
    attended = _self_attention(graph, shape, states, mask, f"{layer}.attention")
    states = graph.norm(
        graph.residual(attended, states), f"{layer}.attention.output.LayerNorm", shape.epsilon
    )
    inner = _gelu(graph, graph.dense(states, f"{layer}.intermediate.dense"))
    outer = graph.dense(inner, f"{layer}.output.dense")
    return graph.norm(graph.residual(outer, states), f"{layer}.output.LayerNorm", shape.epsilon)


def _self_attention(graph: _Graph, shape: BertShape, states: str, mask: str, layer: str) -> str:
    heads = _Heads(
        split=graph.integers(0, 0, shape.heads, shape.head_size),
        joined=graph.integers(0, 0, shape.hidden),
        scale=graph.number(1 / math.sqrt(shape.head_size)),
    )
    query, key, value = (
        graph.node(
            "Transpose",
            graph.node("Reshape", graph.dense(states, f"{layer}.self.{part}"), heads.split),
            perm=order,
        )
        for part, order in (("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3]))
    )
    scores = graph.node("Mul", graph.node("MatMul", query, key), heads.scale)
    weights = graph.node("Softmax", graph.node("Add", scores, mask), axis=-1)
    context = graph.node("Transpose", graph.node("MatMul", weights, value), perm=[0, 2, 1, 3])
    return graph.dense(graph.node("Reshape", context, heads.joined), f"{layer}.output.dense")


def _gelu(graph: _Graph, states: str) -> str:
    """The exact GELU that BERT was trained with: x / 2 * (1 + erf(x / sqrt 2))."""
    error = graph.node("Erf", graph.node("Div", states, graph.number(math.sqrt(2))))
    grown = graph.node("Mul", states, graph.node("Add", error, graph.number(1.0)))
    return graph.node("Mul", grown, graph.number(0.5))


def _model(graph: _Graph, shape: BertShape) -> onnx.ModelProto:
    body = helper.make_graph(
        graph.nodes,
        "bert",
        [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in _INPUTS
        ],
        [
            helper.make_tensor_value_info(
                _OUTPUT, TensorProto.FLOAT, ["batch", "tokens", shape.hidden]
            )
        ],
        list(graph.constants.values()),
    )
    return helper.make_model(
        body,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
        producer_name="citeloom",
    )
