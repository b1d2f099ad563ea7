"""Projects and the collections behind them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.domain.errors import InvalidProject
from citeloom.domain.project import Collection, Project, collection_name_for, collisions

COLLECTION = Collection(
    name="proj-a", project_id="lab/a", generation="g", dense_model="m", dimension=8
)
ids = st.from_regex(
    r"[A-Za-z0-9][A-Za-z0-9._-]{0,9}(/[A-Za-z0-9][A-Za-z0-9._-]{0,9})?", fullmatch=True
)


@pytest.mark.parametrize("project_id", ["citeloom/clean-arch", "wheat", "A1/b.2_c"])
def test_a_project_id_is_a_name_or_a_name_in_a_namespace(project_id: str) -> None:
    assert Project(id=project_id).id == project_id


@pytest.mark.parametrize(
    "project_id", ["", "/a", "a/", "a/b/c", "a b", "-a", "ü", "a/../b", "a\n", ".a"]
)
def test_other_project_ids_are_refused(project_id: str) -> None:
    with pytest.raises(InvalidProject) as caught:
        Project(id=project_id)
    assert "namespace/name" in caught.value.hint


@given(ids)
def test_every_project_id_gives_a_valid_collection_name(project_id: str) -> None:
    assert Project(id=project_id).collection == collection_name_for(project_id)


def test_a_collection_is_named_after_its_project_unless_it_is_told() -> None:
    assert Project(id="citeloom/clean-arch").collection == "proj-citeloom-clean-arch"
    assert Project(id="a", collection="mine_1").collection == "mine_1"


@pytest.mark.parametrize("name", ["a/b", "a b", "-a", "a" * 201, "ä"])
def test_other_collection_names_are_refused(name: str) -> None:
    with pytest.raises(InvalidProject, match="collection name"):
        Project(id="a", collection=name)
    with pytest.raises(InvalidProject, match="collection name"):
        replace(COLLECTION, name=name)


@pytest.mark.parametrize("sparse", [None, ""])
def test_a_hybrid_project_has_a_sparse_model(sparse: str | None) -> None:
    with pytest.raises(ValueError, match="sparse_model"):
        Project(id="a", sparse_model=sparse)


def test_a_project_without_hybrid_binds_no_sparse_model() -> None:
    assert Project(id="a", hybrid_enabled=False).bound_sparse_model is None
    assert Project(id="a", hybrid_enabled=False, sparse_model=None).bound_sparse_model is None
    assert Project(id="a", sparse_model="s").bound_sparse_model == "s"


@pytest.mark.parametrize(
    "project_id", ["Me/Thesis", "a-b/c", "a.b/c", "a/b--c", "a/b-", "a-b", "a/" + "b" * 200]
)
def test_an_id_its_name_would_not_lead_back_to_has_a_digest(project_id: str) -> None:
    assert re.fullmatch(r"proj-[a-z0-9_-]+--[0-9a-f]{12}", collection_name_for(project_id))


@pytest.mark.parametrize("project_id", ["a", "a_1", "a/b", "a/b-c", "lab_2/rye-and_oats"])
def test_a_plain_id_has_a_plain_name(project_id: str) -> None:
    assert collection_name_for(project_id) == "proj-" + project_id.replace("/", "-")


near_ids = st.from_regex(r"[aAb][aB._-]{0,3}(/[aA][aB._-]{0,3})?", fullmatch=True)


@given(st.lists(ids | near_ids, unique=True, max_size=40))
def test_no_two_ids_have_the_same_collection(project_ids: list[str]) -> None:
    names = {collection_name_for(project_id).lower() for project_id in project_ids}
    assert len(names) == len(project_ids)


def test_projects_that_share_a_collection_are_named_and_no_other() -> None:
    first, second = Project(id="a", collection="mine"), Project(id="b/c", collection="Mine")
    found = collisions([first, Project(id="d"), second])
    assert set(found) == {"a", "b/c"}
    assert "'a' and 'b/c'" in found["a"].message
    assert 'collection = "…" under [project."b/c"]' in found["b/c"].hint


def test_a_collection_has_vectors_of_some_dimension() -> None:
    with pytest.raises(ValueError, match="dimension"):
        replace(COLLECTION, dimension=0)


def test_an_index_on_disk_needs_vectors_on_disk() -> None:
    assert replace(COLLECTION, on_disk_hnsw=True, on_disk_vectors=True).on_disk_hnsw
    with pytest.raises(ValueError, match="requires on_disk_vectors"):
        replace(COLLECTION, on_disk_hnsw=True)


def test_a_collection_is_hybrid_by_its_sparse_model() -> None:
    assert not COLLECTION.hybrid
    assert replace(COLLECTION, sparse_model="bm25").hybrid
