"""Dynamic int8 quantisation of a BERT encoder, by ONNX Runtime's own tool."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]


def quantised(model: onnx.ModelProto, *, except_for: Sequence[str]) -> onnx.ModelProto:
    """The model with its matrix products in 8-bit integers, `except_for` some by the name of their
    layer.

    The weights have seven bits and a scale for each channel. With eight, sums of two products do
    not fit the 16 bits in which processors without VNNI add them, and the vectors would be others
    there. The scale of the other side comes from all tokens in a batch: a text's vector depends
    on the texts embedded with it, so that each has to be alone.
    """
    # Without this the tool asks on stderr for shapes, which it needs for convolutions only.
    model.metadata_props.add(key="onnx.quant.pre_process", value="onnxruntime.quant")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        quantize_dynamic(
            model,
            path,
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
            nodes_to_exclude=list(except_for),
        )
        return onnx.load(path)
