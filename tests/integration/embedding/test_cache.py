"""Vectors that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from citeloom.domain.errors import IndexUnavailable
from citeloom.domain.retrieval.passage import DenseVector
from citeloom.infrastructure.embedding.vector_cache import CachedDense
from tests.fakes.embedders import HashingDense


class CountingDense(HashingDense):
    """Remembers what it was asked to embed."""

    def __init__(self, model_id: str = "fake/hashing-dense") -> None:
        super().__init__(model_id)
        self.asked: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> list[DenseVector]:
        self.asked += texts
        return [super(CountingDense, self).embed_query(text) for text in texts]

    def embed_query(self, text: str) -> DenseVector:
        self.asked.append(f"? {text}")
        return super().embed_query(text)


def test_a_text_is_embedded_once(tmp_path: Path) -> None:
    inner, path = CountingDense(), tmp_path / "cache" / "vectors.sqlite"
    first = CachedDense(inner, path).embed_passages(["rye", "oats", "rye"])
    again = CachedDense(inner, path).embed_passages(["oats", "barley", "rye"])
    assert sorted(inner.asked) == ["barley", "oats", "rye"]
    assert again[::2] == first[1::-1]


def test_questions_and_passages_are_kept_apart_and_so_are_models(tmp_path: Path) -> None:
    one, other = CountingDense(), CountingDense("fake/other")
    for inner in (one, other):
        cached = CachedDense(inner, tmp_path / "vectors.sqlite")
        cached.embed_passages(["rye"])
        for _ in range(2):
            cached.embed_query("rye")
        assert inner.asked == ["rye", "? rye"]


def test_a_file_that_is_none_of_ours_is_named(tmp_path: Path) -> None:
    path = tmp_path / "vectors.sqlite"
    path.write_bytes(b"this is no database at all, whatever its name may say")
    with pytest.raises(IndexUnavailable, match=r"vectors\.sqlite") as caught:
        CachedDense(HashingDense(), path).embed_query("rye")
    assert "Delete" in caught.value.hint
