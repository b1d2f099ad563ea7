"""How many works have each tag, author and year, and passages that are like one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from citeloom.application.open_project import OpenProject
from citeloom.application.retrieval.facets import FacetsCache, WorkFacets
from citeloom.application.retrieval.similar import similar_passages
from citeloom.domain.errors import InvalidFilter, InvalidProject, NotFound
from citeloom.domain.retrieval.passage import ExaminedChunk, Selection, StoredChunk
from tests.fakes.clock import SetClock
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import RYE, Fuse, Library, WatchedIndex, open_project, paper

OAT = replace(RYE, citekey="oat2003", title="Oats", authors=("Avens, O.", "Ry, A."), year=2003)


@pytest.fixture
def library() -> Library:
    """Three papers; two have references with a tag in common."""
    library = Library({f"papers/{name}.txt": paper(name) for name in ("rye", "oats", "barley")})
    tagged = [
        replace(RYE, tags=("field",), item_type="book", language="en", collections=("Cereals",)),
        replace(OAT, tags=("field", "barn"), item_type="book"),
    ]
    library.references = MemoryReferenceLibrary(
        *tagged, mapping={"rye.txt": "rye2001", "oats.txt": "oat2003"}
    )
    library.ingest()
    return library


def facets_of(project: OpenProject) -> WorkFacets:
    return project.kept(FacetsCache).facets(project)


def test_works_are_counted_by_each_value(library: Library) -> None:
    facets = facets_of(open_project(library))
    assert facets.works == 3
    assert list(facets.tags.items()) == [("field", 2), ("barn", 1)]
    assert list(facets.authors.items()) == [("Ry, A.", 2), ("Avens, O.", 1)]
    assert (facets.item_types, facets.languages) == ({"book": 2}, {"en": 1})
    assert (facets.collections, facets.years) == ({"Cereals": 1}, {2001: 1, 2003: 1})
    assert {work.path for work in facets.recent} == {
        f"papers/{name}.txt" for name in ("rye", "oats", "barley")
    }


def test_facets_are_counted_again_once_the_index_has_changed(library: Library) -> None:
    project = open_project(library)
    first = facets_of(project)
    assert facets_of(project) is first
    library.files.write("papers/wheat.txt", paper("wheat"))
    library.ingest()
    assert facets_of(project).works == 4


def test_facets_are_counted_again_after_a_minute(library: Library) -> None:
    clock = SetClock()
    project = replace(open_project(library), clock=clock)
    first = facets_of(project)
    assert facets_of(project) is first
    clock.pass_seconds(61)
    assert facets_of(project) is not first


def test_a_work_without_chunks_or_dates_counts_as_it_is(library: Library) -> None:
    [document] = open_project(library).kept(FacetsCache).facets(open_project(library)).recent[:1]
    undated = replace(document, created_at=None, doc_id="undated", citekey=None)
    facets = WorkFacets.of([document, undated, replace(undated, doc_id="lost", chunks=0)])
    assert [work.doc_id for work in facets.recent] == [document.doc_id, "undated"]


def test_nothing_is_counted_before_an_ingest() -> None:
    with pytest.raises(InvalidProject):
        facets_of(open_project(Library()))


# --- passages like one


def first_of(library: Library, path: str) -> StoredChunk:
    stored = library.stored().values()
    return next(s for s in stored if s.source_path == path and s.chunk.chunk_idx == 0)


def test_passages_of_other_works_are_like_one(library: Library) -> None:
    rye = first_of(library, "papers/rye.txt")
    found = similar_passages(open_project(library), rye.chunk.id)
    assert found[0].stored.chunk.section_path == rye.chunk.section_path
    assert rye.chunk.doc_id not in {one.stored.chunk.doc_id for one in found}
    assert len(found) == 4
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert len(similar_passages(open_project(library), rye.chunk.id, top_k=1)) == 1


class VectorlessIndex(WatchedIndex):
    """Gives no vectors back."""

    def examine(self, name: str, selection: Selection) -> Iterator[ExaminedChunk]:
        return (replace(one, dense=None) for one in super().examine(name, selection))


def test_a_passage_without_a_vector_is_embedded_again() -> None:
    library = Library({f"papers/{name}.txt": paper(name) for name in ("rye", "oats")})
    library.index = VectorlessIndex(Fuse())
    library.ingest()
    rye = first_of(library, "papers/rye.txt")
    found = similar_passages(open_project(library), rye.chunk.id)
    assert found[0].stored.chunk.section_path == rye.chunk.section_path
    assert len(found) == 2


def test_an_unknown_passage_is_like_none(library: Library) -> None:
    with pytest.raises(NotFound):
        similar_passages(open_project(library), "nothing")
    with pytest.raises(InvalidFilter):
        similar_passages(open_project(library), " ")
