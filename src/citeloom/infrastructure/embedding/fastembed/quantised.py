"""A BERT encoder with its matrix products in 8-bit integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx import helper, numpy_helper

# Sums of two products have to fit the 16 bits in which processors without VNNI add them. So
# weights have eight bits, and states seven.
_WEIGHT = 127
_STATE = 127
_MIDDLE = 64
_LEAST_GELU = 0.17
_OWN_OPERATORS = "com.microsoft"

Floats = NDArray[np.float32]


def quantised(model: onnx.ModelProto, sample: Sequence[Sequence[int]]) -> onnx.ModelProto:
    """The model with its products of states and weights in integers.

    Weights have a scale for each channel, and states one for each token: a text's vector does not
    depend on those embedded with it. What is large in a few channels of a normalised state, as
    the tokens of `sample` show, is moved into the weights, so that the others keep their digits.
    """
    rewriting = _Rewriting(model, _largest(model, sample))
    rewriting.run()
    return rewriting.model


def _largest(model: onnx.ModelProto, sample: Sequence[Sequence[int]]) -> dict[str, Floats]:
    """The largest magnitude in each channel of the states that weights are multiplied with."""
    names = list(dict.fromkeys(node.input[0] for node in _products(model)))
    watched = onnx.ModelProto()
    watched.CopyFrom(model)
    watched.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    session = onnxruntime.InferenceSession(
        watched.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    runs = []
    for ids in sample:
        row = np.array([ids], dtype=np.int64)
        inputs = {"input_ids": row, "attention_mask": np.ones_like(row)}
        runs.append(session.run(names, {**inputs, "token_type_ids": np.zeros_like(row)}))
    return {
        name: np.max([np.abs(states[0]).max(axis=0) for states in outputs], axis=0)
        for name, *outputs in zip(names, *runs)
    }


def _products(model: onnx.ModelProto) -> Iterable[onnx.NodeProto]:
    """The products of states and weights."""
    constants = {constant.name for constant in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in constants:
            yield node


@dataclass(frozen=True, slots=True)
class _Integers:
    """States as integers: `values`, a row for each token, of which `zero` stands for zero."""

    values: str
    zero: str
    scales: str


@dataclass
class _Rewriting:
    """Rewrites the nodes of a model."""

    model: onnx.ModelProto
    largest: Mapping[str, Floats]
    _nodes: list[onnx.NodeProto] = field(default_factory=list)
    _known: dict[str, _Integers] = field(default_factory=dict)

    def run(self) -> None:
        graph = self.model.graph
        self._constants = {tensor.name: tensor for tensor in graph.initializer}
        self._makers = {node.output[0]: node.op_type for node in graph.node}
        products = {node.output[0]: node for node in _products(self.model)}
        self._shares = self._smoothing(products.values())
        old = list(graph.node)
        self._node("Shape", "input_ids", output="texts_and_tokens")
        for node in old:
            if node.output[0] in products:
                self._product(node)
            else:
                self._nodes.append(node)
        del graph.node[:], graph.initializer[:]
        graph.node.extend(self._nodes)
        graph.initializer.extend(self._constants.values())
        self.model.opset_import.append(helper.make_opsetid(_OWN_OPERATORS, 1))

    def _smoothing(self, products: Iterable[onnx.NodeProto]) -> dict[str, Floats]:
        """The divisor of each channel of normalised states, by which its weights are multiplied:
        powers of two, which are exact.
        """
        weights: dict[str, Floats] = {}
        for node in products:
            states = node.input[0]
            if self._makers.get(states) == "LayerNormalization":
                rows = np.abs(self._value(node.input[1])).max(axis=1)
                weights[states] = np.maximum(rows, weights.get(states, rows))
        return {states: _even(self.largest[states], rows) for states, rows in weights.items()}

    def _product(self, node: onnx.NodeProto) -> None:
        states, name = node.input
        weights = self._value(name)
        if states in self._shares:
            weights = weights * self._shares[states][:, None]
        scales = np.abs(weights).max(axis=0) / _WEIGHT
        whole = np.rint(weights / scales).astype(np.int8)
        integers = self._integers(states, len(weights))
        product = self._node(
            "MatMulIntegerToFloat",
            integers.values,
            self._constant(f"{name}.integers", whole),
            self._constant("one", np.float32(1)),
            self._constant(f"{name}.scales", scales.astype(np.float32)),
            integers.zero,
            domain=_OWN_OPERATORS,
            name=node.name,
        )
        product = self._node("Mul", product, integers.scales)
        if self._is_gelu_output(states):
            moved = _LEAST_GELU * (whole * scales).sum(axis=0)
            moved_name = self._constant(f"{name}.moved", moved.astype(np.float32))
            product = self._node("Sub", product, moved_name)
        width = self._constant(f"width_{whole.shape[1]}", np.array([whole.shape[1]]))
        shape = self._node("Concat", "texts_and_tokens", width, axis=0)
        self._node("Reshape", product, shape, output=node.output[0])
        self._constants.pop(name, None)

    def _integers(self, states: str, width: int) -> _Integers:
        """The states as integers, computed once for all products with them."""
        if states not in self._known:
            flat = self._constant(f"rows_{width}", np.array([-1, width]))
            self._known[states] = self._rounded(states, self._node("Reshape", states, flat))
        return self._known[states]

    def _rounded(self, states: str, rows: str) -> _Integers:
        if self._is_gelu_output(states):  # never below a little under zero: no bit for the sign
            rows = self._node("Add", rows, self._constant("least", np.float32(_LEAST_GELU)))
            top, zero, steps = rows, 0, _STATE
        else:
            if states in self._shares:
                shares = self._constant(f"{states}.shares", 1 / self._shares[states])
                rows = self._node("Mul", rows, shares)
            top, zero, steps = self._node("Abs", rows), _MIDDLE, _STATE - _MIDDLE
        top = self._node("ReduceMax", top, axes=[1], keepdims=0)
        top = self._node("Max", top, self._constant("tiny", np.float32(1e-12)))
        scales = self._node("Mul", top, self._constant(f"by_{steps}", np.float32(1 / steps)))
        zeros = self._constant(f"zeros_{zero}", np.array([zero], dtype=np.uint8))
        zeros = self._node("Expand", zeros, self._node("Shape", scales))
        return _Integers(
            values=self._node("QuantizeLinear", rows, scales, zeros, axis=0),
            zero=self._constant(f"zero_{zero}", np.uint8(zero)),
            scales=self._node("Unsqueeze", scales, self._constant("last", np.array([1]))),
        )

    def _is_gelu_output(self, states: str) -> bool:
        """Whether states come out of GELU."""
        return self._makers.get(states) == "Mul"

    def _value(self, name: str) -> Floats:
        value: Floats = numpy_helper.to_array(self._constants[name])
        return value

    def _constant(self, name: str, value: NDArray[np.generic] | np.generic) -> str:
        self._constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def _node(self, operator: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        made = output or f"integer_{operator}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(operator, list(inputs), [made], **attributes))
        return made


def _even(states: Floats, weights: Floats) -> Floats:
    """What makes states and weights spread alike over the channels."""
    shares = np.sqrt(states / np.maximum(weights, 1e-6))
    powers: Floats = 2.0 ** np.round(np.log2(np.maximum(shares / np.median(shares), 1e-6)))
    return powers.astype(np.float32)
