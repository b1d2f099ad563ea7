"""The names, the indexes and the binding that every collection has, whatever store it is in."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import TYPE_CHECKING

from citeloom.domain.errors import EmbeddingMismatch, InvalidProject
from citeloom.domain.project import SCHEMA_VERSION, Collection
from citeloom.domain.retrieval.filters import ADDED_DAY, SCOPE_KEYS
from citeloom.infrastructure.stores.records.metadata_payload import (
    required_text,
    required_whole,
    text,
)
from citeloom.infrastructure.stores.records.payload import CITATION_KEYS

if TYPE_CHECKING:
    from citeloom.domain.retrieval.passage import EmbeddedChunk

# The names and indexes every citeloom collection has, whatever store it is in.

DENSE = "dense"
SPARSE = "sparse"

KEYWORD_FIELDS = (
    "project_id",
    "doc_id",
    "citekey",
    "tags",
    "item_key",
    "attachment_key",
    "kind",
    "section_keys",
    "source_path",
)
INTEGER_FIELDS = ("year",)

SUCCESSOR = "@rebuild"
"""Marks the name of a staged successor; no collection's own name can hold an `@`."""


def successor_of(name: str) -> str:
    """The name under which the successor of collection `name` is filled."""
    return name + SUCCESSOR


def collection_of(name: str) -> str:
    """The collection that `name`, perhaps a successor's, belongs to."""
    return name.removesuffix(SUCCESSOR)


def check_facet_key(key: str) -> None:
    """Raise `ValueError` unless chunks can be counted by `key`."""
    keywords = (*KEYWORD_FIELDS, *sorted(SCOPE_KEYS - {ADDED_DAY}))
    if key not in keywords:
        raise ValueError(f"'{key}' is not a keyword field; there are {', '.join(keywords)}")


# The binding of a collection as JSON, and the checks against it before every write.

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


def same_models(first: Collection, second: Collection) -> bool:
    """Whether both collections have the same models."""
    return _models(first) == _models(second)


def check_models(bound: Collection, requested: Collection) -> None:
    """Raise `InvalidProject` unless both have the same project, and `EmbeddingMismatch` unless both
    have the same models.
    """
    if bound.project_id != requested.project_id:
        raise InvalidProject(
            f"Collection '{bound.name}' belongs to project '{bound.project_id}', "
            f"not to '{requested.project_id}'",
            f'Give this project a collection of its own: collection = "…" under '
            f'[project."{requested.project_id}"].',
        )
    if not same_models(bound, requested):
        raise _mismatch(
            bound, _model_names(requested.dense_model, requested.sparse_model), _vectors(requested)
        )


def check_chunks(bound: Collection, chunks: Iterable[EmbeddedChunk]) -> None:
    """Raise `EmbeddingMismatch` unless every chunk was embedded by the bound models."""
    for chunk in chunks:
        stored = chunk.stored
        models = _model_names(stored.embed_model, stored.sparse_model)
        if (stored.embed_model, stored.sparse_model) != (bound.dense_model, bound.sparse_model):
            raise _mismatch(bound, models, f"{len(chunk.dense)} dimensions")
        if (chunk.sparse is not None) != bound.hybrid:
            has = "no" if chunk.sparse is None else "a"
            raise _mismatch(bound, models, f"{has} sparse vector for chunk {stored.chunk.id}")
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


def _mismatch(bound: Collection, models: str, detail: str) -> EmbeddingMismatch:
    bound_models = _model_names(bound.dense_model, bound.sparse_model)
    return EmbeddingMismatch(
        f"Collection '{bound.name}' is bound to {bound_models} "
        f"({_vectors(bound)}), not to {models} ({detail})",
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


def _model_names(dense: str, sparse: str | None) -> str:
    return f"{dense} with {sparse}" if sparse else f"{dense} alone"


# What schema version 1 demands of a payload, and where one falls short of it.

_Test = Callable[[object], bool]
_BOX_SIZE = 5


def _is_a(*kinds: type) -> _Test:
    """Whether a value is of one of the types; yes and no are no numbers."""
    return lambda value: isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))


def _is_list_of(test: _Test) -> _Test:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _is_box(value: object) -> bool:
    return isinstance(value, list) and len(value) == _BOX_SIZE and _NUMBERS(value)


def _is_object_of_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


_TEXTS = ("text list", _is_list_of(_is_a(str)))
_TEXT = ("text", _is_a(str))
_WHOLE = ("whole number", _is_a(int))
_NUMBER = ("number", _is_a(int, float))
_YES_OR_NO = ("yes or no", _is_a(bool))
_NUMBERS = _is_list_of(_NUMBER[1])
_OF_TYPE = {
    "str": _TEXT,
    "str | None": _TEXT,
    "int | None": _WHOLE,
    "bool": _YES_OR_NO,
    "tuple[str, ...]": _TEXTS,
}
"""How a field of a reference is stored, by its type."""

REQUIRED: Mapping[str, tuple[str, _Test]] = {
    "version": _TEXT,
    "project_id": _TEXT,
    "doc_id": _TEXT,
    "chunk_id": _TEXT,
    "chunk_idx": _WHOLE,
    "source_path": _TEXT,
    "page_labels": _TEXTS,
    "section_path": _TEXTS,
    "section_keys": _TEXTS,
    "heading_chain": _TEXTS,
    "boxes": ("list of boxes", _is_list_of(_is_box)),
    "chunk_text": _TEXT,
    "token_count": _WHOLE,
    "signal_to_noise": _NUMBER,
    "kind": _TEXT,
    "embed_model": _TEXT,
}
ON_PAGES: Mapping[str, tuple[str, _Test]] = {"page_start": _WHOLE, "page_end": _WHOLE}
IN_PARAGRAPHS: Mapping[str, tuple[str, _Test]] = {
    "section_start": _TEXT,
    "paragraph_start": _WHOLE,
    "section_end": _TEXT,
    "paragraph_end": _WHOLE,
}
OPTIONAL: Mapping[str, tuple[str, _Test]] = {
    "attachment_key": _TEXT,
    "zotero_library": _TEXT,
    "machines": _TEXTS,
    "chunking": ("object of texts", _is_object_of_texts),
    "sparse_model": _TEXT,
    **{key: _OF_TYPE[str(each.type)] for key, each in CITATION_KEYS.items()},
    ADDED_DAY: _WHOLE,
    "in_collections": _TEXTS,
    "mark_annotation": _TEXT,
    "token_count_estimated": _YES_OR_NO,
    "lesson_section_type": _TEXT,
    "chunk_index": _WHOLE,
    "total_chunks": _WHOLE,
    "enrichment_strategy": _TEXT,
    "start_position": _WHOLE,
    "end_position": _WHOLE,
    "heading_level": _WHOLE,
    "section_type": _TEXT,
    "doubts": _TEXTS,
    "code": ("list of spans", _is_list_of(_is_list_of(_WHOLE[1]))),
    "sections": ("list of text lists", _is_list_of(_TEXTS[1])),
    "page_starts": ("list of whole numbers", _is_list_of(_WHOLE[1])),
}
OF_MARKS: Mapping[str, tuple[str, _Test]] = {
    "mark_key": _TEXT,
    "mark_fingerprint": _TEXT,
    "mark_parts": _WHOLE,
    "mark_quotes": _YES_OR_NO,
    "mark_comment": _TEXT,
    "mark_color": _TEXT,
    "mark_tags": _TEXTS,
    "mark_rects": ("list of rectangles", _is_list_of(_NUMBERS)),
}
"""What annotations and notes have besides; they may be without a place."""


def payload_faults(payload: Mapping[str, object]) -> tuple[str, ...]:
    """What is missing or of another type; a key with None counts as missing."""
    version = payload.get("version")
    if version is not None and version != SCHEMA_VERSION:
        return (f"it has schema version {version}, not {SCHEMA_VERSION}",)
    place = IN_PARAGRAPHS if "paragraph_start" in payload else ON_PAGES
    mark: Mapping[str, tuple[str, _Test]] = OF_MARKS if "mark_key" in payload else {}
    if mark and not place.keys() & payload.keys():
        place = {}
    required = {**REQUIRED, **place, **mark}
    missing = [f"'{key}' is missing" for key in required if payload.get(key) is None]
    wrong = [
        f"'{key}' is no {kind}"
        for key, (kind, test) in {**required, **OPTIONAL}.items()
        if payload.get(key) is not None and not test(payload[key])
    ]
    return (*missing, *wrong)
