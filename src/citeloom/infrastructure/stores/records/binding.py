"""The binding of a collection as JSON, and the checks against it before every write."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime

from citeloom.domain.errors import EmbeddingMismatch, InvalidProject
from citeloom.domain.passage import EmbeddedChunk
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.fields import required_text, required_whole, text

_REBUILD = "Use the bound models again, or rebuild the collection: `citeloom ingest --rebuild`."
_FAULTY = (
    "The embedding model returned an invalid vector: see `citeloom validate` and `citeloom models`."
)


def to_json(collection: Collection) -> dict[str, object]:
    """A collection as JSON values."""
    values = {field.name: getattr(collection, field.name) for field in fields(collection)}
    if collection.created_at is not None:
        values["created_at"] = collection.created_at.isoformat()
    return values


def from_json(values: Mapping[str, object]) -> Collection:
    """The collection from `to_json`; unknown keys are ignored.

    Raises `TypeError`, `ValueError` or `LookupError` for invalid values.
    """
    created_at = text(values, "created_at")
    return Collection(
        name=required_text(values, "name"),
        project_id=required_text(values, "project_id"),
        generation=required_text(values, "generation"),
        dense_model=required_text(values, "dense_model"),
        dimension=required_whole(values, "dimension"),
        dense_inputs=text(values, "dense_inputs"),
        dense_arithmetic=text(values, "dense_arithmetic"),
        sparse_model=text(values, "sparse_model"),
        on_disk_vectors=values.get("on_disk_vectors") is True,
        on_disk_hnsw=values.get("on_disk_hnsw") is True,
        schema_version=required_text(values, "schema_version"),
        created_at=datetime.fromisoformat(created_at) if created_at else None,
    )


def same_models(one: Collection, other: Collection) -> bool:
    """Whether both collections have the same models."""
    return _models(one) == _models(other)


def check_models(bound: Collection, asked: Collection) -> None:
    """Raise `InvalidProject` unless both have the same project, and `EmbeddingMismatch` unless both
    have the same models.
    """
    if bound.project_id != asked.project_id:
        raise InvalidProject(
            f"Collection '{bound.name}' belongs to project '{bound.project_id}', "
            f"not to '{asked.project_id}'",
            f'Give this project a collection of its own: collection = "…" under '
            f'[project."{asked.project_id}"].',
        )
    if not same_models(bound, asked):
        raise _mismatch(bound, _named(asked.dense_model, asked.sparse_model), _vectors(asked))


def check_chunks(bound: Collection, chunks: Iterable[EmbeddedChunk]) -> None:
    """Raise `EmbeddingMismatch` unless every chunk was embedded by the bound models."""
    for chunk in chunks:
        stored = chunk.stored
        asked = _named(stored.embed_model, stored.sparse_model)
        if (stored.embed_model, stored.sparse_model) != (bound.dense_model, bound.sparse_model):
            raise _mismatch(bound, asked, f"{len(chunk.dense)} dimensions")
        if (chunk.sparse is not None) != bound.hybrid:
            has = "no" if chunk.sparse is None else "a"
            raise _mismatch(bound, asked, f"{has} sparse vector for chunk {stored.chunk.id}")
        check_dense(bound, chunk.dense, f"chunk {stored.chunk.id}")
        if chunk.sparse is not None and not all(map(math.isfinite, chunk.sparse.values)):
            raise EmbeddingMismatch(
                f"The sparse vector of chunk {stored.chunk.id} holds a value that is no number",
                _FAULTY,
            )


def check_dense(bound: Collection, vector: Sequence[float], whose: str) -> None:
    """Raise `EmbeddingMismatch` unless cosine similarity to the bound vectors is defined."""
    if len(vector) != bound.dimension:
        raise EmbeddingMismatch(
            f"The vector of {whose} has {len(vector)} dimensions; collection '{bound.name}' is "
            f"bound to {bound.dense_model} with {bound.dimension}",
            _REBUILD,
        )
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0.0:
        raise EmbeddingMismatch(
            f"The vector of {whose} by {bound.dense_model} is zero or holds a value that is no "
            "number, so its similarity is undefined",
            _FAULTY,
        )


def _mismatch(bound: Collection, asked: str, detail: str) -> EmbeddingMismatch:
    return EmbeddingMismatch(
        f"Collection '{bound.name}' is bound to {_named(bound.dense_model, bound.sparse_model)} "
        f"({_vectors(bound)}), not to {asked} ({detail})",
        _REBUILD,
    )


def _vectors(collection: Collection) -> str:
    inputs = f", {collection.dense_inputs}" if collection.dense_inputs else ""
    return f"{collection.dimension} dimensions{inputs}"


def _models(collection: Collection) -> tuple[str, int, str | None, str | None]:
    return (
        collection.dense_model,
        collection.dimension,
        collection.dense_inputs,
        collection.sparse_model,
    )


def _named(dense: str, sparse: str | None) -> str:
    return f"{dense} with {sparse}" if sparse else f"{dense} alone"
