"""The works of a project on a plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from citeloom.application.delete import Delete
from citeloom.application.retrieval.work_map import WorkMap, map_works
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.errors import InvalidProject
from citeloom.domain.retrieval.passage import DenseVector, EmbeddedChunk
from tests.unit.application.library import PROJECT, A, B, Library, open_project, paper, two_papers


class FirstTwo:
    """Lays vectors out by their first two numbers, and counts how often it does."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, vectors: Sequence[DenseVector]) -> list[tuple[float, float]]:
        self.calls += 1
        return [(vector[0], vector[1]) for vector in vectors]


@pytest.fixture
def library() -> Library:
    return two_papers()


def mean_of(library: Library, path: str, place: int) -> float:
    name = PROJECT.collection
    vectors = [
        each.dense
        for each in library.index.examine(name, open_project(library).everything)
        if each.stored and each.stored.source_path == path and each.dense is not None
    ]
    assert len(vectors) == 3
    return sum(vector[place] for vector in vectors) / len(vectors)


def paths(found: WorkMap) -> list[str]:
    return [work.document.path for work in found.works]


def test_a_work_is_where_the_mean_of_its_vectors_is(library: Library) -> None:
    found = map_works(open_project(library), FirstTwo())
    assert paths(found) == [A, B]
    assert [work.document.title for work in found.works] == ["Winter rye", "b.txt"]
    for work in found.works:
        assert work.x == pytest.approx(mean_of(library, work.document.path, 0))
        assert work.y == pytest.approx(mean_of(library, work.document.path, 1))
    assert found.without_vectors == ()


def test_references_and_annotations_are_no_text_of_a_work(library: Library) -> None:
    before = map_works(open_project(library), FirstTwo())
    some = next(one for one in library.stored().values() if one.source_path == A)
    far = [9.0] * len(library.dense.embed_query("far"))
    for kind in (ChunkKind.REFERENCE, ChunkKind.ANNOTATION):
        chunk = replace(some.chunk, id=f"other-{kind}", kind=kind, chunk_idx=90)
        stored = replace(some, chunk=chunk)
        sparse = library.sparse.embed_query("far")
        library.index.upsert(
            PROJECT.collection, [EmbeddedChunk(stored=stored, dense=far, sparse=sparse)]
        )
    after = map_works(open_project(library), FirstTwo())
    assert [(w.x, w.y) for w in after.works] == [(w.x, w.y) for w in before.works]


def test_works_without_vectors_are_named(library: Library) -> None:
    project = open_project(library)
    doc_id = map_works(project, FirstTwo()).works[1].document.doc_id
    library.index.delete(PROJECT.collection, replace(project.everything, doc_id=doc_id))
    found = map_works(project, FirstTwo())
    assert paths(found) == [A]
    assert [document.path for document in found.without_vectors] == [B]


def test_a_map_is_made_anew_once_something_has_changed(library: Library) -> None:
    project, projection = open_project(library), FirstTwo()
    first = map_works(project, projection)
    assert map_works(project, projection) is first
    library.files.write("papers/c.txt", paper("oats"))
    library.ingest()
    assert paths(map_works(project, projection)) == [A, B, "papers/c.txt"]
    assert projection.calls == 2


def test_what_was_deleted_is_not_on_the_map(library: Library) -> None:
    project = open_project(library)
    doc_id = map_works(project, FirstTwo()).works[1].document.doc_id
    Delete(project=project, audit=library.audit, lease=library.lease).documents("doc_id", doc_id)
    found = map_works(project, FirstTwo())
    assert (paths(found), found.without_vectors) == ([A], ())


def test_nothing_is_laid_out_where_nothing_has_vectors(library: Library) -> None:
    project, projection = open_project(library), FirstTwo()
    library.index.delete(PROJECT.collection, project.everything)
    found = map_works(project, projection)
    assert (found.works, len(found.without_vectors), projection.calls) == ((), 2, 0)


def test_there_is_no_map_before_the_first_ingest() -> None:
    with pytest.raises(InvalidProject):
        map_works(open_project(Library({})), FirstTwo())
