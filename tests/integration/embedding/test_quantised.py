from __future__ import annotations

import platform
from pathlib import Path

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from fastembed import TextEmbedding
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from safetensors.numpy import save_file

from citeloom.infrastructure.embedding.fastembed.bert_onnx import bert_model
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense, integer_arithmetic
from citeloom.infrastructure.embedding.fastembed.minilm import INT8_ID, MODEL_ID
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache
from citeloom.infrastructure.embedding.fastembed.quantised import quantised
from tests.integration.embedding.tiny_bert import SHAPE, random_weights

SAMPLE = [[1, 5, 9, 3, 2], [4, 4, 7]]
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
    return bert_model(weights, SHAPE), quantised(bert_model(weights, SHAPE), SAMPLE)


def test_every_product_with_weights_is_quantised(
    tiny: tuple[onnx.ModelProto, onnx.ModelProto],
) -> None:
    _, small = tiny
    constants = {one.name for one in small.graph.initializer}
    whole = [node for node in small.graph.node if node.op_type == "MatMul"]
    assert not [node.name for node in whole if node.input[1] in constants]
    products = [node for node in small.graph.node if node.op_type == "MatMulIntegerToFloat"]
    assert len(products) == 6 * SHAPE.layers


def test_weights_have_scales_of_their_own_channels(
    tiny: tuple[onnx.ModelProto, onnx.ModelProto],
) -> None:
    _, small = tiny
    constants = {one.name: numpy_helper.to_array(one) for one in small.graph.initializer}
    for node in small.graph.node:
        if node.op_type == "MatMulIntegerToFloat":
            weights = constants[node.input[1]]
            assert weights.dtype == np.int8
            assert np.abs(weights.astype(int)).max(axis=0).tolist() == [127] * weights.shape[1]


def test_two_products_fit_sixteen_bits_on_any_processor(
    tiny: tuple[onnx.ModelProto, onnx.ModelProto],
) -> None:
    watched = onnx.ModelProto()
    watched.CopyFrom(tiny[1])
    rounded = [node.output[0] for node in watched.graph.node if node.op_type == "QuantizeLinear"]
    watched.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in rounded)
    session = onnxruntime.InferenceSession(watched.SerializeToString())
    for values in session.run(rounded, _given(SAMPLE[0])):
        assert values.dtype == np.uint8
        assert 64 < values.max() <= 127
        assert int(values.max()) * 127 * 2 < 2**15


def test_states_are_near_those_of_the_model(
    tiny: tuple[onnx.ModelProto, onnx.ModelProto],
) -> None:
    whole, small = (_states(model, [1, 5, 9, 3, 2]) for model in tiny)
    assert 0 < np.abs(whole - small).max() < 0.1 * np.abs(whole).max()


def test_quantising_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    save_file(random_weights(seed=3), tmp_path / "model.safetensors")
    quantised(bert_model(tmp_path / "model.safetensors", SHAPE), SAMPLE)
    assert capfd.readouterr() == ("", "")


def test_the_default_model_quantised_is_near_itself_and_another_model(built_cache: Path) -> None:
    whole, small = (
        FastEmbedDense(name, cache_dir=built_cache, threads=2) for name in (MODEL_ID, INT8_ID)
    )
    pairs = zip(whole.embed_passages(TEXTS), small.embed_passages(TEXTS), strict=True)
    likeness = [float(np.dot(one, other)) for one, other in pairs]
    assert min(likeness) > 0.99
    assert max(likeness) < 0.99999
    assert (small.model_id, small.dimension) == (INT8_ID, whole.dimension)


def test_the_quantised_vector_of_a_text_is_the_same_in_any_company(built_cache: Path) -> None:
    alone = FastEmbedDense(INT8_ID, cache_dir=built_cache)
    together = FastEmbedDense(INT8_ID, cache_dir=built_cache, threads=2)
    assert together.embed_passages(TEXTS) == [alone.embed_query(text) for text in TEXTS]


def test_its_vectors_are_those_that_fastembed_computes(built_cache: Path) -> None:
    ours = FastEmbedDense(INT8_ID, cache_dir=built_cache)
    vectors = ours.embed_passages(TEXTS)
    folder = ModelCache(built_cache).minilm_int8.path
    theirs = TextEmbedding(MODEL_ID, specific_model_path=str(folder), threads=1)
    for text, vector in zip(TEXTS, vectors, strict=True):
        (given,) = theirs.passage_embed([text])
        assert vector == pytest.approx(given.tolist(), abs=2e-6)


def test_its_vectors_say_what_arithmetic_made_them(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("flags : fpu avx2 avx512bw avx512_vnni\n")
    assert integer_arithmetic(tmp_path / "cpuinfo").split()[1:] == ["avx512_vnni"]
    assert integer_arithmetic(tmp_path / "none") == platform.machine()
    assert FastEmbedDense(INT8_ID).arithmetic == integer_arithmetic()
    assert FastEmbedDense(MODEL_ID).arithmetic is None


def _given(ids: list[int]) -> dict[str, NDArray[np.int64]]:
    row = np.array([ids], dtype=np.int64)
    return {
        "input_ids": row,
        "attention_mask": np.ones_like(row),
        "token_type_ids": np.zeros_like(row),
    }


def _states(model: onnx.ModelProto, ids: list[int]) -> NDArray[np.float32]:
    session = onnxruntime.InferenceSession(model.SerializeToString())
    found: NDArray[np.float32] = session.run(None, _given(ids))[0]
    return found
