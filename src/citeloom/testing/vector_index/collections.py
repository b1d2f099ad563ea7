"""Collections are bound to a project and its models, and a successor takes a place whole."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from citeloom.application.ports.vector_index import (
    VectorIndex,
)
from citeloom.domain.errors import EmbeddingMismatch, InvalidProject
from citeloom.testing.chunks import (
    DENSE_MODEL,
    EVERYTHING,
    collection,
    embedded,
    rich,
)
from citeloom.testing.vector_index.filled import (
    NO_CITATION,
    hybrid,
)


def test_what_was_never_made_is_not_bound(index: VectorIndex, name: str) -> None:
    assert index.binding(name) is None
    assert index.staged(name) is None


def test_a_collection_keeps_its_binding(index: VectorIndex, name: str) -> None:
    made = collection(name)
    index.create(made)
    assert index.binding(name) == made


def test_creating_again_leaves_the_collection_as_it_is(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    index.upsert(name, [embedded("a")])
    index.create(collection(name, generation="second"))
    assert index.count(name, EVERYTHING) == 1
    bound = index.binding(name)
    assert bound is not None
    assert bound.generation == "first"


def test_a_collection_of_another_project_is_refused(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    with pytest.raises(InvalidProject) as refused:
        index.create(replace(collection(name), project_id="lab/another"))
    assert collection(name).project_id in refused.value.message
    assert "lab/another" in refused.value.message


@pytest.mark.parametrize(
    "change", [{"dense_model": "another"}, {"dimension": 9}, {"sparse_model": None}]
)
def test_creating_with_other_models_is_refused(
    index: VectorIndex, name: str, change: dict[str, str | int | None]
) -> None:
    index.create(collection(name))
    with pytest.raises(EmbeddingMismatch) as refused:
        index.create(replace(collection(name), **change))  # type: ignore[arg-type]
    assert name in refused.value.message
    assert DENSE_MODEL in refused.value.message
    assert "--rebuild" in refused.value.hint


CALLS: dict[str, Callable[[VectorIndex, str], object]] = {
    "upsert": lambda index, name: index.upsert(name, [embedded("a")]),
    "chunk_ids": lambda index, name: index.chunk_ids(name, EVERYTHING),
    "delete": lambda index, name: index.delete(name, EVERYTHING),
    "update_metadata": lambda index, name: index.update_metadata(name, EVERYTHING, NO_CITATION),
    "search": lambda index, name: index.search(name, hybrid(EVERYTHING, Random(0))),
    "fetch": lambda index, name: index.fetch(name, EVERYTHING, ["a"]),
    "scroll": lambda index, name: index.scroll(name, EVERYTHING),
    "texts": lambda index, name: index.texts(name, EVERYTHING),
    "search_texts": lambda index, name: index.search_texts(name, hybrid(EVERYTHING, Random(0))),
    "count": lambda index, name: index.count(name, EVERYTHING),
    "facets": lambda index, name: index.facets(name, "citekey", EVERYTHING),
    "describe": lambda index, name: index.describe(name),
    "flush": lambda index, name: index.flush(name),
    "optimize": lambda index, name: index.optimize(name),
    "stage": lambda index, name: index.stage(collection(name)),
    "promote": lambda index, name: index.promote(name),
    "drop": lambda index, name: index.drop(name),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_missing_collection_is_named(index: VectorIndex, name: str, call: str) -> None:
    with pytest.raises(InvalidProject, match=name):
        CALLS[call](index, name)


def test_a_dropped_collection_is_gone_and_can_be_made_anew(index: VectorIndex, filled: str) -> None:
    index.stage(collection(filled))
    index.drop(filled)
    assert index.binding(filled) is None
    assert index.staged(filled) is None
    index.create(collection(filled))
    assert index.count(filled, EVERYTHING) == 0


def test_a_description_tells_size_and_binding(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    index.upsert(name, [rich("a"), embedded("b")])
    description = index.describe(name)
    assert description.collection == collection(name)
    assert description.points == 2
    assert description.storage


def test_a_successor_is_filled_beside_the_collection(index: VectorIndex, filled: str) -> None:
    before = index.chunk_ids(filled, EVERYTHING)
    staged = index.stage(collection(filled, generation="second"))
    index.upsert(staged, [embedded("new")])
    assert index.chunk_ids(staged, EVERYTHING) == {"new"}
    assert index.chunk_ids(filled, EVERYTHING) == before
    assert index.staged(filled) == collection(filled, generation="second")
    assert index.binding(filled) == collection(filled)


def test_a_successor_can_be_used_like_a_collection(index: VectorIndex, filled: str) -> None:
    staged = index.stage(collection(filled, generation="second"))
    index.upsert(staged, [embedded("new"), embedded("old")])
    index.flush(staged)
    index.optimize(staged)
    assert index.delete(staged, EVERYTHING, keep=frozenset({"new"})) == 1
    assert index.count(staged, EVERYTHING) == 1
    assert index.describe(staged).points == 1


def test_a_promoted_successor_takes_the_place(index: VectorIndex, filled: str) -> None:
    successor = replace(collection(filled, hybrid=False, generation="second"), dense_model="other")
    staged = index.stage(successor)
    chunk = embedded("new", sparse=None)
    index.upsert(staged, [replace(chunk, stored=replace(chunk.stored, embed_model="other"))])
    index.promote(filled)
    assert index.binding(filled) == successor
    assert index.staged(filled) is None
    assert index.chunk_ids(filled, EVERYTHING) == {"new"}
    with pytest.raises(InvalidProject):
        index.count(staged, EVERYTHING)


def test_a_successor_with_the_same_models_is_continued(index: VectorIndex, filled: str) -> None:
    staged = index.stage(collection(filled, generation="second"))
    index.upsert(staged, [embedded("new")])
    assert index.stage(collection(filled, generation="third")) == staged
    assert index.chunk_ids(staged, EVERYTHING) == {"new"}
    continued = index.staged(filled)
    assert continued is not None
    assert continued.generation == "second"


def test_a_successor_with_other_models_is_begun_anew(index: VectorIndex, filled: str) -> None:
    index.upsert(index.stage(collection(filled, generation="second")), [embedded("new")])
    other = replace(collection(filled, generation="third"), dense_model="other")
    staged = index.stage(other)
    assert index.count(staged, EVERYTHING) == 0
    assert index.staged(filled) == other


def test_without_a_successor_there_is_nothing_to_promote(
    index: VectorIndex, read_only: str
) -> None:
    with pytest.raises(InvalidProject):
        index.promote(read_only)
    assert index.count(read_only, EVERYTHING) > 0
