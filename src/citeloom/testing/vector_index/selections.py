"""What is selected is what the fields of chunks say, and nothing of another project."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.application.ports.vector_index import (
    VectorIndex,
)
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import (
    Selection,
)
from citeloom.testing.chunks import (
    EVERYTHING,
    PATHS,
    PROJECT,
    collection,
    embedded,
    library,
    marked,
    rich,
)
from citeloom.testing.in_memory import InMemoryIndex
from citeloom.testing.vector_index.filled import (
    EXAMPLES,
    NO_CITATION,
    OTHER,
    hybrid,
    ids,
    selections,
)


def test_every_selection_means_what_the_reference_says(index: VectorIndex, read_only: str) -> None:
    reference = InMemoryIndex()
    reference.create(collection(read_only))
    reference.upsert(read_only, library(120, seed=1, project_ids=(PROJECT, OTHER)))

    @given(selections(), st.sampled_from(("citekey", "doc_id", "tags", "kind")))
    @settings(max_examples=EXAMPLES, deadline=None)
    def agrees(selection: Selection, key: str) -> None:
        expected = reference.chunk_ids(read_only, selection)
        assert index.chunk_ids(read_only, selection) == expected
        assert index.count(read_only, selection) == len(expected)
        assert {stored.chunk.id for stored in index.scroll(read_only, selection)} == expected
        assert {text.chunk_id for text in index.texts(read_only, selection)} == expected
        assert index.facets(read_only, key, selection) == reference.facets(
            read_only, key, selection
        )

    agrees()


def test_a_section_is_found_by_its_words_and_not_by_its_beginning(
    index: VectorIndex, read_only: str
) -> None:
    found = {
        stored.chunk.section_path
        for stored in index.scroll(read_only, Selection(project_id=PROJECT, section=("METHODS",)))
    }
    assert found == {path for path in PATHS if path[:1] == ("2 Methods",)}


def test_projects_in_one_collection_never_see_each_other(
    index: VectorIndex, read_only: str
) -> None:
    whose = {
        chunk.stored.chunk.id: chunk.stored.project_id
        for chunk in library(120, seed=1, project_ids=(PROJECT, OTHER))
    }

    @given(selections(), st.sampled_from(Mode), st.integers(0, 99))
    @settings(max_examples=EXAMPLES, deadline=None)
    def only_its_own(selection: Selection, mode: Mode, seed: int) -> None:
        query = replace(hybrid(selection, Random(seed), limit=50), mode=mode)
        seen = {
            *ids(index.search(read_only, query)),
            *index.chunk_ids(read_only, selection),
            *(stored.chunk.id for stored in index.fetch(read_only, selection, list(whose))),
            *(stored.chunk.id for stored in index.scroll(read_only, selection)),
            *(text.chunk_id for text in index.texts(read_only, selection)),
            *(text.chunk_id for text in index.search_texts(read_only, query)),
        }
        assert {whose[chunk_id] for chunk_id in seen} <= {selection.project_id}

    only_its_own()


def test_projects_in_two_collections_never_see_each_other(index: VectorIndex, filled: str) -> None:
    other = f"{filled}-other"
    index.create(collection(other))
    index.upsert(other, [embedded("only here")])
    try:
        assert index.count(other, EVERYTHING) == 1
        assert "only here" not in index.chunk_ids(filled, EVERYTHING)
        assert ids(index.search(other, hybrid(EVERYTHING, Random(1)))) == ["only here"]
        assert index.delete(other, EVERYTHING) == 1
        assert index.count(filled, EVERYTHING) > 0
    finally:
        index.drop(other)


def test_facets_count_chunks_and_not_tags_twice(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    cited = CitationMeta(
        citekey="k",
        title="",
        tags=("x", "y"),
        collections=("Papers",),
        collection_keys=("AAAA2345",),
        item_type="book",
    )
    index.upsert(
        name, [embedded("a", citation=cited), embedded("b", citation=cited), embedded("c")]
    )
    assert index.facets(name, "tags", EVERYTHING) == {"x": 2, "y": 2}
    assert index.facets(name, "in_collections", EVERYTHING) == {"Papers": 2, "AAAA2345": 2}
    assert index.facets(name, "item_type", EVERYTHING) == {"book": 2}
    assert index.facets(name, "authors", EVERYTHING) == {}
    assert index.facets(name, "citekey", EVERYTHING) == {"k": 2}


def test_facets_have_no_empty_value(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    highlight = marked("a")
    chunk, mark = highlight.stored.chunk, highlight.stored.chunk.mark
    assert mark is not None
    note = replace(chunk, id="b", kind=ChunkKind.NOTE, mark=replace(mark, color=""))
    index.upsert(
        name, [highlight, replace(highlight, stored=replace(highlight.stored, chunk=note))]
    )
    assert index.facets(name, "mark_color", EVERYTHING) == {"#ffd400": 1}


def test_facets_need_a_keyword_field(index: VectorIndex, read_only: str) -> None:
    with pytest.raises(ValueError, match="chunk_text"):
        index.facets(read_only, "chunk_text", EVERYTHING)


def test_examined_chunks_are_those_scrolled_with_their_vectors(
    index: VectorIndex, name: str
) -> None:
    index.create(collection(name))
    index.upsert(name, [rich("c-1"), *library(300, seed=5)])
    index.update_metadata(name, replace(EVERYTHING, doc_id="doc-1"), NO_CITATION)
    examined = list(index.examine(name, EVERYTHING))
    scrolled = {stored.chunk.id: stored for stored in index.scroll(name, EVERYTHING)}
    assert {one.id: one.stored for one in examined} == scrolled
    assert all(one.stored and one.text == one.stored.chunk.text for one in examined)
    assert [one.faults for one in examined if one.faults] == []
    assert {len(one.dense or ()) for one in examined} == {8}
    rich_one = next(one for one in examined if one.id == "c-1")
    assert rich_one.sparse is not None
    assert rich_one.sparse.indices == (1, 2)
    assert rich_one.sparse.values == pytest.approx((1.0, 0.5))


def test_only_the_selected_chunks_are_examined(index: VectorIndex, read_only: str) -> None:
    selection = replace(EVERYTHING, doc_id="doc-2")
    examined = {one.id for one in index.examine(read_only, selection)}
    assert examined == index.chunk_ids(read_only, selection)
