from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from numpy.typing import NDArray
from onnx import numpy_helper
from safetensors.numpy import save_file

from citeloom.infrastructure.embedding.fastembed.arithmetic import integer_arithmetic
from citeloom.infrastructure.embedding.fastembed.bert_onnx import bert_model
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense
from citeloom.infrastructure.embedding.fastembed.minilm import INT8_ID, MODEL_ID
from citeloom.infrastructure.embedding.fastembed.quantised import quantised
from tests.integration.embedding.tiny_bert import SHAPE, random_weights

WHOLE = "encoder.layer.0.output.dense"
TEXTS = [
    "The tide rises twice a day.",
    "Sediment cores record six thousand years of storms along this coast.",
    "Tariffs rose in 1930.",
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    """A small model, as it is and quantised."""
    weights = tmp_path_factory.mktemp("tiny") / "model.safetensors"
    save_file(random_weights(seed=11), weights)
    model = bert_model(weights, SHAPE)
    return bert_model(weights, SHAPE), quantised(model, except_for=[WHOLE])


def test_every_product_with_weights_is_quantised_but_those_that_are_named(
    tiny: tuple[onnx.ModelProto, onnx.ModelProto],
) -> None:
    _, small = tiny
    constants = {one.name for one in small.graph.initializer}
    whole = [
        node.name
        for node in small.graph.node
        if node.op_type == "MatMul" and node.input[1] in constants
    ]
    assert whole == [WHOLE]
    products = [node for node in small.graph.node if node.op_type == "MatMulInteger"]
    assert len(products) == 6 * SHAPE.layers - 1


def test_weights_have_seven_bits_and_scales_of_their_own_channels(
    tiny: tuple[onnx.ModelProto, onnx.ModelProto],
) -> None:
    _, small = tiny
    constants = {one.name: numpy_helper.to_array(one) for one in small.graph.initializer}
    for node in small.graph.node:
        if node.op_type == "MatMulInteger":
            weights = constants[node.input[1]]
            assert weights.dtype == np.int8
            assert np.abs(weights.astype(int)).max(axis=0).tolist() == [64] * weights.shape[1]


def test_states_are_near_those_of_the_model(
    tiny: tuple[onnx.ModelProto, onnx.ModelProto],
) -> None:
    ids = np.array([[1, 5, 9, 3, 2]], dtype=np.int64)
    whole, small = (_states(model, ids) for model in tiny)
    assert 0 < np.abs(whole - small).max() < 0.2 * np.abs(whole).max()


def test_quantising_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    save_file(random_weights(seed=3), tmp_path / "model.safetensors")
    quantised(bert_model(tmp_path / "model.safetensors", SHAPE), except_for=[])
    assert capfd.readouterr() == ("", "")


def test_the_default_model_quantised_is_near_itself_and_another_model(built_cache: Path) -> None:
    whole, small = (
        FastEmbedDense(name, cache_dir=built_cache, threads=2) for name in (MODEL_ID, INT8_ID)
    )
    pairs = zip(whole.embed_passages(TEXTS), small.embed_passages(TEXTS), strict=True)
    likeness = [float(np.dot(one, other)) for one, other in pairs]
    assert min(likeness) > 0.98
    assert max(likeness) < 0.99999
    assert (small.model_id, small.dimension) == (INT8_ID, whole.dimension)


def test_the_quantised_vector_of_a_text_is_the_same_in_any_company(built_cache: Path) -> None:
    alone = FastEmbedDense(INT8_ID, cache_dir=built_cache)
    together = FastEmbedDense(INT8_ID, cache_dir=built_cache, threads=2)
    assert together.embed_passages(TEXTS) == [alone.embed_query(text) for text in TEXTS]


def test_its_vectors_say_what_arithmetic_made_them(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("flags : fpu avx2 avx512bw avx512_vnni\n")
    assert integer_arithmetic(tmp_path / "cpuinfo").split()[1:] == ["avx512_vnni"]
    assert integer_arithmetic(tmp_path / "none") == platform.machine()
    assert FastEmbedDense(INT8_ID).arithmetic == integer_arithmetic()
    assert FastEmbedDense(MODEL_ID).arithmetic is None


def _states(model: onnx.ModelProto, ids: NDArray[np.int64]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    given = {
        "input_ids": ids,
        "attention_mask": np.ones_like(ids),
        "token_type_ids": np.zeros_like(ids),
    }
    found: NDArray[np.float32] = session.run(None, given)[0]
    return found
