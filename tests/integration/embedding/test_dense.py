# ruff: noqa: RUF001 - other scripts are what is tested here
from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from fastembed import TextEmbedding

from citeloom.domain.errors import ModelUnavailable
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense, ModelTokenizer
from citeloom.infrastructure.embedding.fastembed.minilm import MODEL_ID
from citeloom.infrastructure.embedding.fastembed.model_cache import ModelCache

LAZY = """
import sys
from citeloom.infrastructure.embedding.fastembed import catalogue, sparse
from citeloom.infrastructure.embedding.fastembed.dense import FastEmbedDense
dense = FastEmbedDense()
assert dense.dimension == 384
heavy = {"fastembed", "onnx", "onnxruntime", "numpy", "tokenizers", "safetensors"}
print(sorted(heavy & set(sys.modules)))
"""

PAIRS = [
    ("How do plants make food?", "Photosynthesis turns light into sugar.", "The court adjourned."),
    ("cardiac arrest", "The patient's heart stopped beating.", "Interest rates rose in May."),
    ("neural network training", "Gradient descent fits the weights.", "Bake for forty minutes."),
]


@pytest.fixture(scope="module")
def dense(built_cache: Path) -> FastEmbedDense:
    return FastEmbedDense(cache_dir=built_cache, threads=2)


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize(("question", "near", "far"), PAIRS)
def test_meaning_counts_not_words(
    dense: FastEmbedDense, question: str, near: str, far: str
) -> None:
    asked = dense.embed_query(question)
    near_vector, far_vector = dense.embed_passages([near, far])

    assert cosine(asked, near_vector) > cosine(asked, far_vector) + 0.15


def test_vectors_are_those_of_fastembed(dense: FastEmbedDense, built_cache: Path) -> None:
    texts = ["page", "The tide rises twice a day, as everyone knows.", "", "tides " * 300]
    folder = ModelCache(built_cache).minilm.path
    given = TextEmbedding(MODEL_ID, specific_model_path=str(folder), threads=1)

    for ours, theirs in zip(dense.embed_passages(texts), given.passage_embed(texts), strict=True):
        assert ours == pytest.approx(theirs.tolist(), abs=2e-6)


def test_only_the_window_is_read(dense: FastEmbedDense, built_cache: Path) -> None:
    tokens = ModelTokenizer(cache_dir=built_cache)
    readable = "page " * (tokens.window - tokens.special_tokens)
    assert tokens.count(readable) == 254

    whole, longer, shorter = dense.embed_passages(
        [readable, readable + "photosynthesis " * 50, readable[: -len("page ")]]
    )
    assert longer == pytest.approx(whole, abs=2e-6)
    assert shorter != pytest.approx(whole, abs=2e-6)


def test_a_passage_in_another_script_is_as_long_as_an_english_one(built_cache: Path) -> None:
    tokens = ModelTokenizer(cache_dir=built_cache)
    english = tokens.count("Every document of the library is divided into passages with pages.")
    for other in (
        "Каждый документ библиотеки делится на отрывки с указанием страниц.",
        "Κάθε έγγραφο της βιβλιοθήκης διαιρείται σε αποσπάσματα με σελίδες.",
        "كل وثيقة في المكتبة تنقسم إلى مقاطع مع أرقام الصفحات في الكتاب.",
        "도서관의 각 문서는 쪽수가 있는 여러 구절로 나뉜다.",
    ):
        assert tokens.count(other) == pytest.approx(english, abs=5)


def test_another_spelling_of_the_name_is_the_same_model(built_cache: Path) -> None:
    spelt = FastEmbedDense(
        "Sentence-Transformers/all-minilm-l6-v2", cache_dir=built_cache, locate=lambda: None
    )

    assert len(spelt.embed_query("page")) == spelt.dimension == 384


def test_a_vector_without_direction_is_refused(dense: FastEmbedDense) -> None:
    numpy = pytest.importorskip("numpy")

    for useless in (numpy.zeros(3), numpy.array([1.0, float("nan"), 0.0])):
        with pytest.raises(ModelUnavailable, match="zero or invalid"):
            dense._unit(useless)


def test_importing_the_adapters_loads_nothing_heavy() -> None:
    shown = subprocess.run(
        [sys.executable, "-c", LAZY],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path), "HOME": str(Path.home())},
    )
    assert shown.stdout.strip() == "[]"
