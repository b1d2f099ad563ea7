from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from citeloom.domain.errors import EmbeddingMismatch
from citeloom.domain.project import Collection
from citeloom.infrastructure.stores.records.schema import (
    check_models,
    from_json,
    same_models,
    to_json,
)
from citeloom.testing.chunks import collection

FULL = Collection(
    name="papers",
    project_id="lab/wheat",
    generation="g1",
    dense_model="dense-model",
    dimension=8,
    sparse_model="sparse-model",
    on_disk_vectors=True,
    on_disk_hnsw=True,
    created_at=datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC),
)


REMOTE = replace(FULL, dense_inputs="cohere, search_document, search_query")


@pytest.mark.parametrize("bound", [FULL, REMOTE, collection("papers", hybrid=False)])
def test_a_binding_survives_json(bound: Collection) -> None:
    assert from_json(json.loads(json.dumps(to_json(bound)))) == bound


def test_keys_of_a_later_version_are_passed_over() -> None:
    assert from_json(to_json(FULL) | {"colour": "red"}) == FULL


@pytest.mark.parametrize("key", ["name", "project_id", "generation", "dense_model", "dimension"])
def test_a_binding_must_be_whole(key: str) -> None:
    values = to_json(FULL)
    del values[key]
    with pytest.raises(LookupError, match=key):
        from_json(values)


def test_generation_and_place_are_not_models() -> None:
    assert same_models(FULL, collection("papers", generation="g2"))
    assert not same_models(FULL, collection("papers", hybrid=False))


def test_a_mismatch_names_both_sides_and_the_way_out() -> None:
    with pytest.raises(EmbeddingMismatch) as refused:
        check_models(FULL, collection("papers", hybrid=False))
    assert refused.value.message == (
        "Collection 'papers' is bound to dense-model with sparse-model (8 dimensions), "
        "not to dense-model alone (8 dimensions)"
    )
    assert "citeloom ingest --rebuild" in refused.value.hint


def test_other_inputs_are_other_models() -> None:
    assert not same_models(FULL, REMOTE)
    with pytest.raises(EmbeddingMismatch, match="8 dimensions, cohere, search_document"):
        check_models(FULL, REMOTE)
