from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
import pytest
from safetensors.numpy import save_file

from citeloom.infrastructure.embedding.fastembed.bert_onnx import bert_model, write_model
from tests.integration.embedding.tiny_bert import SHAPE, ReferenceBert, random_weights

TEXTS = [[1, 5, 9, 3, 2], [4, 4], [7, 1, 0, 19, 2, 11, 6, 3]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("tiny")
    save_file(random_weights(seed=11), target / "model.safetensors")
    write_model(bert_model(target / "model.safetensors", SHAPE), target)
    return target


def test_the_graph_is_valid_onnx(folder: Path) -> None:
    onnx.checker.check_model(str(folder / "model.onnx"), full_check=True)


def test_it_computes_what_bert_computes_whatever_the_padding(folder: Path) -> None:
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    width = max(map(len, TEXTS))
    ids = np.array([text + [0] * (width - len(text)) for text in TEXTS], dtype=np.int64)
    mask = np.array([[1] * len(t) + [0] * (width - len(t)) for t in TEXTS], dtype=np.int64)

    (states,) = session.run(
        ["last_hidden_state"],
        {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)},
    )

    reference = ReferenceBert(random_weights(seed=11))
    for found, text in zip(states, TEXTS, strict=True):
        np.testing.assert_allclose(found[: len(text)], reference.states(text), atol=2e-5)


def test_the_weights_may_be_read_by_whoever_may_read_the_graph(folder: Path) -> None:
    graph, data = (folder / name for name in ("model.onnx", "model.onnx_data"))

    assert data.stat().st_mode == graph.stat().st_mode
