"""Which models are loaded before questions are asked."""

from __future__ import annotations

from citeloom.application.ports.embedders import DenseEmbedder, QuestionModels, SparseEmbedder
from tests.fakes.embedders import HashingDense, TermHashSparse


def loaded(*, remote: bool = False, sparse: str | None = "words", built: bool = True) -> list[str]:
    """The models that are built, in order."""
    names: list[str] = []

    def dense() -> DenseEmbedder:
        names.append("dense")
        return HashingDense()

    def terms() -> SparseEmbedder | None:
        names.append("sparse")
        return TermHashSparse() if built else None

    models = QuestionModels(
        dense_name="meaning",
        dense=dense,
        sparse_name=sparse,
        sparse=terms,
        dense_is_remote=remote,
    )
    models.load()
    return names


def test_those_that_run_here_are_loaded() -> None:
    assert loaded() == ["dense", "sparse"]
    assert loaded(built=False) == ["dense", "sparse"]
    assert loaded(sparse=None) == ["dense"]
    assert loaded(remote=True) == ["sparse"]
