"""What is stored comes back as it was, and changes as it is told to."""

import math
import uuid
from dataclasses import replace
from datetime import date
from random import Random

import pytest

from citeloom.application.ports.vector_index import (
    MetadataUpdate,
    VectorIndex,
)
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.errors import EmbeddingMismatch
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta, ZoteroOrigin
from citeloom.domain.retrieval.passage import (
    ChunkText,
    EmbeddedChunk,
    IndexQuery,
    Selection,
    SparseVector,
)
from citeloom.testing.chunks import (
    EVERYTHING,
    PROJECT,
    TWO_TERMS,
    collection,
    doubted,
    embedded,
    library,
    marked,
    placeless,
    rich,
)
from citeloom.testing.vector_index.filled import (
    NO_CITATION,
    OTHER,
    cited,
    hybrid,
    located,
)


@pytest.mark.parametrize(
    "chunk",
    [rich("a"), embedded("a"), marked("a"), placeless("a"), doubted("a")],
    ids=["rich", "plain", "marked", "placeless", "doubted"],
)
def test_a_chunk_comes_back_as_it_was(index: VectorIndex, name: str, chunk: EmbeddedChunk) -> None:
    index.create(collection(name))
    index.upsert(name, [chunk])
    assert index.fetch(name, EVERYTHING, ["a"]) == [chunk.stored]
    assert list(index.scroll(name, EVERYTHING)) == [chunk.stored]
    query = IndexQuery(selection=EVERYTHING, mode=Mode.DENSE, limit=1, dense=chunk.dense)
    assert [hit.stored for hit in index.search(name, query)] == [chunk.stored]


def test_storing_twice_is_storing_once(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    chunks = library(20, seed=2)
    index.upsert(name, chunks)
    index.upsert(name, chunks)
    assert index.count(name, EVERYTHING) == 20
    assert index.chunk_ids(name, EVERYTHING) == {chunk.stored.chunk.id for chunk in chunks}


def test_a_chunk_replaces_the_one_of_its_id(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    index.upsert(name, [rich("a")])
    index.upsert(name, [embedded("a", text="Rye grows.")])
    assert index.fetch(name, EVERYTHING, ["a"]) == [embedded("a", text="Rye grows.").stored]


def test_storing_nothing_is_allowed(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    index.upsert(name, [])
    assert index.count(name, EVERYTHING) == 0


NOT_STORABLE = {
    "another dense model": replace(
        embedded("b"), stored=replace(embedded("b").stored, embed_model="another")
    ),
    "another sparse model": replace(
        embedded("b"), stored=replace(embedded("b").stored, sparse_model="another")
    ),
    "no sparse vector": replace(embedded("b"), sparse=None),
    "another dimension": embedded("b", dense=(1.0, 2.0)),
    "a zero vector": embedded("b", dense=(0.0,) * 8),
    "not a number": embedded("b", dense=(math.nan,) * 8),
    "infinite": embedded("b", dense=(math.inf,) * 8),
    "sparse not a number": embedded("b", sparse=SparseVector(indices=(1,), values=(math.nan,))),
}


@pytest.mark.parametrize("reason", NOT_STORABLE)
def test_what_other_models_embedded_is_refused_whole(
    index: VectorIndex, name: str, reason: str
) -> None:
    index.create(collection(name))
    with pytest.raises(EmbeddingMismatch, match=r"\w"):
        index.upsert(name, [embedded("a"), NOT_STORABLE[reason]])
    assert index.count(name, EVERYTHING) == 0


def test_a_dense_collection_takes_no_sparse_vectors(index: VectorIndex, name: str) -> None:
    index.create(collection(name, hybrid=False))
    with pytest.raises(EmbeddingMismatch):
        index.upsert(name, [embedded("a")])
    index.upsert(name, [embedded("a", sparse=None)])
    assert index.count(name, EVERYTHING) == 1


def test_chunks_are_fetched_in_the_order_asked_for(index: VectorIndex, read_only: str) -> None:
    mine = sorted(index.chunk_ids(read_only, EVERYTHING))
    theirs = sorted(index.chunk_ids(read_only, Selection(project_id=OTHER)))
    asked = [mine[7], "unknown", theirs[0], mine[2], mine[40]]
    fetched = index.fetch(read_only, EVERYTHING, asked)
    assert [stored.chunk.id for stored in fetched] == [mine[7], mine[2], mine[40]]


def test_fetching_nothing_gives_nothing(index: VectorIndex, read_only: str) -> None:
    assert index.fetch(read_only, EVERYTHING, []) == []


def test_a_long_list_is_fetched_and_scrolled_whole(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    chunks = library(700, seed=3)
    index.upsert(name, chunks)
    asked = [chunk.stored.chunk.id for chunk in reversed(chunks)]
    assert index.fetch(name, EVERYTHING, asked) == [chunk.stored for chunk in reversed(chunks)]
    scrolled = [stored.chunk.id for stored in index.scroll(name, EVERYTHING)]
    assert sorted(scrolled) == sorted(asked)


def test_texts_come_with_their_work_and_place(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    rye = CitationMeta(citekey="rye2001", title="Rye", year=2001)
    cited, plain = embedded("cited", citation=rye), embedded("plain", text="Of oats.")
    later = replace(plain.stored, chunk=replace(plain.stored.chunk, chunk_idx=3))
    paragraphs = (Paragraph(section="1", number=2), Paragraph(section="1", number=4))
    paged = replace(
        later.chunk,
        id="paged",
        page_span=(2, 3),
        page_starts=(4,),
        page_labels=("ii", "iii"),
        doubts=(Doubt.ORDER,),
    )
    numbered = replace(later.chunk, id="numbered", page_span=None, paragraphs=paragraphs)
    note = replace(numbered, id="note", kind=ChunkKind.NOTE)
    placed = [replace(plain, stored=replace(later, chunk=each)) for each in (paged, numbered, note)]
    chunks = [cited, replace(plain, stored=later), *placed]
    index.upsert(name, chunks)
    expected = {chunk.stored.chunk.id: ChunkText.of(chunk.stored) for chunk in chunks}
    assert {text.chunk_id: text for text in index.texts(name, EVERYTHING)} == expected
    for chunk in chunks:
        cites = expected[chunk.stored.chunk.id].cited_between(0, 2)
        assert cites == chunk.stored.cited_between(0, 2)
    query = IndexQuery(selection=EVERYTHING, mode=Mode.SPARSE, limit=5, sparse=TWO_TERMS)
    assert {text.chunk_id: text for text in index.search_texts(name, query)} == expected
    assert len(index.search_texts(name, replace(query, limit=1))) == 1
    assert index.search_texts(name, replace(query, sparse=SparseVector.of({}))) == []


def test_deleting_takes_what_is_selected_and_tells_how_many(
    index: VectorIndex, filled: str
) -> None:
    document = Selection(project_id=PROJECT, doc_id="doc-1")
    before, gone = index.chunk_ids(filled, EVERYTHING), index.chunk_ids(filled, document)
    others = index.count(filled, Selection(project_id=OTHER))
    assert index.delete(filled, document) == len(gone) > 0
    assert index.chunk_ids(filled, EVERYTHING) == before - gone
    assert index.count(filled, Selection(project_id=OTHER)) == others
    assert index.delete(filled, document) == 0


def test_deleting_keeps_what_is_to_be_kept(index: VectorIndex, filled: str) -> None:
    document = Selection(project_id=PROJECT, doc_id="doc-2")
    chunks = index.chunk_ids(filled, document)
    keep = frozenset(sorted(chunks)[:3])
    assert index.delete(filled, document, keep=keep | {"unknown"}) == len(chunks) - 3
    assert index.chunk_ids(filled, document) == keep


def test_ids_may_be_uuids_of_the_projects_own(index: VectorIndex, name: str) -> None:
    one, two = (str(uuid.uuid5(uuid.NAMESPACE_DNS, f"lesson:{n}")) for n in range(2))
    index.create(collection(name))
    index.upsert(name, [embedded(one), embedded(two), embedded("a")])
    index.upsert(name, [embedded(one, doc_id="doc-2")])
    assert index.chunk_ids(name, EVERYTHING) == {one, two, "a"}
    assert [s.chunk.doc_id for s in index.fetch(name, EVERYTHING, [one, two])] == ["doc-2", "doc-1"]
    assert index.delete(name, EVERYTHING, keep=frozenset({one})) == 2
    assert index.chunk_ids(name, EVERYTHING) == {one}


def test_another_reference_changes_nothing_else(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    index.upsert(name, [rich("a"), embedded("b", doc_id="doc-2")])
    before = index.search(name, hybrid(EVERYTHING, Random(4)))
    updated = CitationMeta(
        citekey="new2020", title="New", tags=("fresh",), item_type="thesis", added="2025-02-01"
    )
    index.update_metadata(name, Selection(project_id=PROJECT, doc_id="doc-1"), cited(updated))
    [stored] = index.fetch(name, EVERYTHING, ["a"])
    assert stored == replace(rich("a").stored, citation=updated)
    assert index.fetch(name, EVERYTHING, ["b"]) == [embedded("b", doc_id="doc-2").stored]
    after = index.search(name, hybrid(EVERYTHING, Random(4)))
    assert [(hit.stored.chunk.id, hit.score) for hit in after] == [
        (hit.stored.chunk.id, hit.score) for hit in before
    ]
    assert index.count(name, Selection(project_id=PROJECT, scopes=(("tags", ("fresh",)),))) == 1
    assert index.count(name, Selection(project_id=PROJECT, year_from=1)) == 0
    assert index.facets(name, "item_type", EVERYTHING) == {"thesis": 1}
    assert index.facets(name, "in_collections", EVERYTHING) == {}
    for day, count in ((date(2025, 2, 1), 1), (date(2025, 2, 2), 0)):
        assert index.count(name, Selection(project_id=PROJECT, added_since=day)) == count


def test_what_a_reference_no_longer_says_is_gone(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    said = CitationMeta(
        citekey="a-b",
        title="A",
        citekey_generated=True,
        attachment="Appendix",
        more_authors=True,
        retracted="2020-01-01",
    )
    index.upsert(name, [embedded("a", citation=said)])
    assert index.fetch(name, EVERYTHING, ["a"]) == [embedded("a", citation=said).stored]
    plain = CitationMeta(citekey="a", title="A")
    index.update_metadata(name, EVERYTHING, cited(plain))
    assert index.fetch(name, EVERYTHING, ["a"]) == [embedded("a", citation=plain).stored]


def test_another_place_changes_nothing_else(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    index.upsert(name, [rich("a"), embedded("b", doc_id="doc-2")])
    origin = ZoteroOrigin(library="library", attachment_key="AAAA2345", item_key="BBBB2345")
    second = Selection(project_id=PROJECT, doc_id="doc-2")
    index.update_metadata(name, second, located("storage/b.pdf", origin))
    [first, stored] = index.fetch(name, EVERYTHING, ["a", "b"])
    assert first == rich("a").stored
    assert stored == replace(
        embedded("b", doc_id="doc-2").stored,
        source_path="storage/b.pdf",
        attachment_key="AAAA2345",
        zotero_library="library",
    )
    assert index.count(name, Selection(project_id=PROJECT, source_path="storage/b.pdf")) == 1
    index.update_metadata(name, second, located("doc-2.pdf", None))
    assert index.fetch(name, EVERYTHING, ["b"]) == [embedded("b", doc_id="doc-2").stored]


def test_the_store_says_how_it_and_its_collections_are(index: VectorIndex, name: str) -> None:
    before = index.check([name])
    assert [(one.name, one.exists) for one in before.collections] == [(name, False)]
    index.create(collection(name))
    index.upsert(name, [embedded("a", doc_id="doc-1")])
    state = index.check([name])
    assert (state.is_available, state.problems) == (True, ())
    assert [(one.name, one.exists) for one in state.collections] == [(name, True)]
    assert state.may_write is not False
    assert state.kind
    if state.remote:
        assert (state.may_write, state.collections[0].points) == (True, 1)
        assert all(one.version and one.milliseconds >= 0 for one in state.addresses)
    assert index.count(name, EVERYTHING) == 1
    assert index.fetch(name, EVERYTHING, ["a"]) == [embedded("a", doc_id="doc-1").stored]


def test_the_machines_of_a_document_are_kept_and_changed(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    one = embedded("a", doc_id="doc-1")
    both = replace(one, stored=replace(one.stored, machines=("desk-1", "lap-2")))
    other = embedded("b", doc_id="doc-2")
    index.upsert(name, [both, other])
    assert index.fetch(name, EVERYTHING, ["a", "b"]) == [both.stored, other.stored]
    first = Selection(project_id=PROJECT, doc_id="doc-1")
    index.update_metadata(name, first, MetadataUpdate(machines=("lap-2",)))
    [left] = index.fetch(name, first, ["a"])
    assert left == replace(one.stored, machines=("lap-2",))
    assert [seen.faults for seen in index.examine(name, first)] == [()]
    index.update_metadata(name, first, MetadataUpdate(machines=()))
    assert index.fetch(name, first, ["a"]) == [one.stored]


def test_new_labels_go_by_the_pages_of_each_chunk(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    first, last = rich("a"), rich("b")
    chunk = replace(last.stored.chunk, page_span=(9, 9), page_labels=("ix",))
    index.upsert(name, [first, replace(last, stored=replace(last.stored, chunk=chunk))])
    start, end = first.stored.chunk.page_span or (0, 0)
    labels = {page: f"A{page}" for page in range(start, end + 1)}
    index.update_metadata(name, EVERYTHING, MetadataUpdate(page_labels=labels))
    [one, other] = index.fetch(name, EVERYTHING, ["a", "b"])
    assert one == replace(
        first.stored, chunk=replace(first.stored.chunk, page_labels=tuple(labels.values()))
    )
    assert other.chunk == replace(chunk, page_labels=())
    second = replace(EVERYTHING, doc_id="doc-2")
    index.update_metadata(name, second, MetadataUpdate(page_labels={9: "ix"}))
    assert index.fetch(name, EVERYTHING, ["b"]) == [other]


def test_a_reference_can_be_taken_away(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    index.upsert(name, [rich("a")])
    index.update_metadata(name, EVERYTHING, NO_CITATION)
    assert index.fetch(name, EVERYTHING, ["a"]) == [replace(rich("a").stored, citation=None)]
    assert index.facets(name, "citekey", EVERYTHING) == {}
