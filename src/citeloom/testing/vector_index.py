"""What every vector index promises, as tests: a module that imports all of this, and has a fixture
`index` for the module, runs them for that index.

The fixture yields an open `VectorIndex`. Each test has a collection of its own in it, or one that
is read by several; all are dropped.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.application.ports.vector_index import (
    Capability,
    CitationUpdate,
    LocationUpdate,
    MetadataUpdate,
    VectorIndex,
)
from citeloom.application.retrieval.search import Search, TermStatisticsCache
from citeloom.application.retrieval.terms import LanguageCache
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.conversion import Doubt
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.errors import EmbeddingMismatch, HybridNotSupported, InvalidProject
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta, ZoteroOrigin
from citeloom.domain.retrieval.filters import CHUNK_FIELDS, Operator, Where
from citeloom.domain.retrieval.passage import (
    ChunkText,
    EmbeddedChunk,
    Hit,
    IndexQuery,
    Selection,
    SparseVector,
)
from citeloom.domain.retrieval.sparse import marked as in_languages
from citeloom.testing.chunks import (
    DAYS,
    DENSE_MODEL,
    DOCUMENTS,
    EVERYTHING,
    KEYS,
    MODULES,
    OF_WORKS,
    PATHS,
    PROJECT,
    TAGS,
    TOPICS,
    TWO_TERMS,
    collection,
    dense_vector,
    doubted,
    embedded,
    library,
    marked,
    placeless,
    rich,
    sparse_vector,
)
from citeloom.testing.in_memory import InMemoryIndex

OTHER = "lab/rye"
NO_CITATION = MetadataUpdate(citation=CitationUpdate(citation=None))
EXAMPLES = 30
"""Of each property, for every store."""

MakeName = Callable[[], str]


@pytest.fixture(scope="module")
def new_name() -> MakeName:
    """Makes names for collections."""
    return lambda: f"contract-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def name(index: VectorIndex, new_name: MakeName) -> Iterator[str]:
    name = new_name()
    yield name
    if index.binding(name):
        index.drop(name)


@pytest.fixture
def filled(index: VectorIndex, name: str) -> str:
    """A collection with a small library of two projects."""
    fill(index, name)
    return name


@pytest.fixture(scope="module")
def read_only(index: VectorIndex, new_name: MakeName) -> Iterator[str]:
    """A collection like `filled` for all tests that change nothing."""
    name = new_name()
    fill(index, name)
    yield name
    index.drop(name)


def fill(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    index.upsert(name, library(120, seed=1, project_ids=(PROJECT, OTHER)))


def cited(citation: CitationMeta) -> MetadataUpdate:
    return MetadataUpdate(citation=CitationUpdate(citation=citation))


def located(path: str, origin: ZoteroOrigin | None) -> MetadataUpdate:
    return MetadataUpdate(location=LocationUpdate(source_path=path, origin=origin))


def _one_of(key: str, values: Sequence[str]) -> st.SearchStrategy[tuple[str, tuple[str, ...]]]:
    some = st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True)
    return st.tuples(st.just(key), some.map(tuple))


_SCOPES = st.one_of(
    _one_of("tags", TAGS),
    _one_of("in_collections", (*OF_WORKS["collections"], *OF_WORKS["collection_keys"])),
    _one_of("mark_color", ("#ffd400", "#aaaaaa")),
    *(
        _one_of(key, (*values, "nowhere"))
        for key, values in OF_WORKS.items()
        if not key.startswith("collection")
    ),
)


_DAYS = [float(date.fromisoformat(day).toordinal()) for day in (*DAYS, "2024-01-01")]
_CONDITIONS = st.one_of(
    st.builds(
        Where,
        field=st.sampled_from(("module", "topics", "nowhere")),
        operator=st.sampled_from((Operator.EQUAL, Operator.NOT_EQUAL)),
        value=st.lists(st.sampled_from((*MODULES, *TOPICS)), min_size=1, max_size=2).map(tuple),
    ),
    *(
        st.builds(
            Where,
            field=st.just(field),
            operator=st.sampled_from((Operator.EQUAL, Operator.NOT_EQUAL)),
            value=st.lists(st.sampled_from(one.choices), min_size=1, max_size=2).map(tuple),
            on_chunk=st.just(True),
        )
        for field, one in CHUNK_FIELDS.items()
    ),
    *(
        st.builds(
            Where,
            field=st.just(field),
            operator=st.sampled_from(Operator),
            value=st.sampled_from(values),
        )
        for field, values in (
            ("tier", [0.0, 1.0, 2.0, 3.0]),
            ("hours", [0.5, 1.0, 1.5, 2.0]),
            ("draft", [0.0, 1.0]),
            ("published", _DAYS),
        )
    ),
)


def selections() -> st.SearchStrategy[Selection]:
    years = st.none() | st.integers(1995, 2025)
    return st.builds(
        Selection,
        project_id=st.sampled_from((PROJECT, OTHER, "lab/none")),
        doc_id=st.none() | st.sampled_from((*DOCUMENTS, "doc-9")),
        citekey=st.none() | st.sampled_from(KEYS),
        scopes=st.lists(_SCOPES, max_size=2, unique=True).map(tuple),
        added_since=st.none() | st.sampled_from(DAYS).map(date.fromisoformat),
        year_from=years,
        year_to=years,
        kinds=st.lists(st.sampled_from(ChunkKind), max_size=3, unique=True).map(tuple),
        without_kinds=st.lists(st.sampled_from(ChunkKind), max_size=2, unique=True).map(tuple),
        section=st.sampled_from((*PATHS, ("methods",), ("Methods", "sampling"), ("sampling",))),
        source_path=st.none() | st.sampled_from(("doc-1.pdf", "doc-9.pdf")),
        chunks=st.none() | st.tuples(st.integers(0, 4), st.integers(0, 8)),
        where=st.lists(_CONDITIONS, max_size=2).map(tuple),
    )


def hybrid(selection: Selection, random: Random, *, limit: int = 10) -> IndexQuery:
    return IndexQuery(
        selection=selection,
        mode=Mode.HYBRID,
        limit=limit,
        dense=dense_vector(random),
        sparse=sparse_vector(random),
    )


def ids(hits: list[Hit]) -> list[str]:
    return [hit.stored.chunk.id for hit in hits]


# --- collections ---------------------------------------------------------------------------------


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


# --- writing and reading -------------------------------------------------------------------------


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


# --- selections ----------------------------------------------------------------------------------


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


# --- changing ------------------------------------------------------------------------------------


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


# --- searching -----------------------------------------------------------------------------------


def test_every_search_finds_what_brute_force_finds(index: VectorIndex, read_only: str) -> None:
    reference = InMemoryIndex()
    reference.restrict(index.capabilities | {Capability.FACETS})
    reference.create(collection(read_only))
    reference.upsert(read_only, library(120, seed=1, project_ids=(PROJECT, OTHER)))

    @given(
        st.integers(0, 10_000),
        st.sampled_from(Mode),
        st.sampled_from(
            (EVERYTHING, Selection(project_id=PROJECT, scopes=(("tags", ("method",)),)))
        ),
        st.integers(1, 30),
        st.sampled_from((10, 60)),
    )
    @settings(max_examples=EXAMPLES, deadline=None)
    def agrees(seed: int, mode: Mode, selection: Selection, limit: int, rrf_k: int) -> None:
        query = replace(
            hybrid(selection, Random(seed), limit=limit), mode=mode, candidates=20, rrf_k=rrf_k
        )
        hits, expected = index.search(read_only, query), reference.search(read_only, query)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.stored.chunk.id))
        scores = [hit.score for hit in expected]
        assert [hit.score for hit in hits] == pytest.approx(scores, rel=1e-5, abs=1e-6)
        # Single precision does not tell those at the cut apart.
        surely = _scores(expected, above=min(scores, default=0.0) + 1e-5)
        found = {one: _scores(hits)[one] for one in surely}
        assert found == pytest.approx(surely, rel=1e-5, abs=1e-6)

    agrees()


def _scores(hits: list[Hit], *, above: float = -math.inf) -> dict[str, float]:
    return {hit.stored.chunk.id: hit.score for hit in hits if hit.score > above}


def test_fusion_is_reciprocal_rank_with_ranks_from_one(index: VectorIndex, read_only: str) -> None:
    query = replace(hybrid(EVERYTHING, Random(5), limit=12), candidates=12, rrf_k=10)
    expected: dict[str, float] = {}
    for mode in (Mode.DENSE, Mode.SPARSE):
        for rank, hit in enumerate(index.search(read_only, replace(query, mode=mode)), start=1):
            chunk_id = hit.stored.chunk.id
            expected[chunk_id] = expected.get(chunk_id, 0.0) + 1 / (10 + rank)
    for hit in index.search(read_only, query):
        assert hit.score == pytest.approx(expected[hit.stored.chunk.id], abs=1e-7)


def test_fewer_candidates_than_hits_are_asked_for_all_the_same(
    index: VectorIndex, read_only: str
) -> None:
    query = replace(hybrid(EVERYTHING, Random(6), limit=40), candidates=1)
    assert len(index.search(read_only, query)) == 40


def test_equal_scores_stand_in_the_order_of_their_ids(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    stored_in = Random(4).sample(range(40), 40)
    index.upsert(name, [embedded(f"{number:02d}") for number in stored_in])
    sparse = SparseVector(indices=(1,), values=(1.0,))
    for mode, candidates in (
        (Mode.DENSE, 50),
        (Mode.SPARSE, 50),
        (Mode.HYBRID, 50),
        (Mode.HYBRID, 7),
    ):
        query = IndexQuery(
            selection=EVERYTHING,
            mode=mode,
            limit=5,
            dense=(1.0,) * 8,
            sparse=sparse,
            candidates=candidates,
        )
        assert ids(index.search(name, query)) == ["00", "01", "02", "03", "04"]


def test_a_query_without_terms_matches_nothing(index: VectorIndex, read_only: str) -> None:
    nothing = SparseVector(indices=(), values=())
    query = replace(hybrid(EVERYTHING, Random(7)), sparse=nothing)
    assert index.search(read_only, replace(query, mode=Mode.SPARSE)) == []
    dense = index.search(read_only, replace(query, mode=Mode.DENSE))
    assert ids(index.search(read_only, query)) == ids(dense)


def test_a_dense_collection_answers_dense_queries_only(index: VectorIndex, name: str) -> None:
    index.create(collection(name, hybrid=False))
    index.upsert(name, [embedded("a", sparse=None)])
    query = hybrid(EVERYTHING, Random(8))
    for mode in (Mode.HYBRID, Mode.SPARSE):
        with pytest.raises(HybridNotSupported, match=name):
            index.search(name, replace(query, mode=mode))
    dense = replace(query, mode=Mode.DENSE)
    assert ids(index.search(name, dense)) == ["a"]
    (hit,) = index.search(name, replace(dense, with_vectors=True))
    assert hit.dense is not None
    assert hit.sparse is None


@pytest.mark.parametrize("dense", [(1.0, 2.0), (0.0,) * 8, (math.nan,) * 8])
def test_a_query_vector_must_be_comparable(
    index: VectorIndex, read_only: str, dense: tuple[float, ...]
) -> None:
    with pytest.raises(EmbeddingMismatch):
        index.search(read_only, replace(hybrid(EVERYTHING, Random(9)), dense=dense))


def test_nothing_is_found_in_an_empty_collection(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    assert index.search(name, hybrid(EVERYTHING, Random(10))) == []


def test_answers_survive_flush_and_optimize(index: VectorIndex, filled: str) -> None:
    query = hybrid(EVERYTHING, Random(11))
    before = index.search(filled, query)
    index.flush(filled)
    index.optimize(filled)
    assert index.search(filled, query) == before


# --- a successor ---------------------------------------------------------------------------------


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


# --- vectors of hits -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", list(Mode))
def test_hits_bring_their_vectors_where_asked(
    index: VectorIndex, read_only: str, mode: Mode
) -> None:
    query = replace(hybrid(EVERYTHING, Random(12)), mode=mode)
    plain, full = (
        index.search(read_only, replace(query, with_vectors=vectors)) for vectors in (False, True)
    )
    assert {(hit.dense, hit.sparse) for hit in plain} == {(None, None)}
    assert [hit.stored for hit in full] == [hit.stored for hit in plain]
    assert [hit.score for hit in full] == pytest.approx([hit.score for hit in plain])
    examined = {one.id: one for one in index.examine(read_only, EVERYTHING)}
    for hit in full:
        stored = examined[hit.stored.chunk.id]
        assert hit.dense == pytest.approx(stored.dense)
        assert hit.sparse is not None
        assert stored.sparse is not None
        assert hit.sparse.indices == stored.sparse.indices
        assert hit.sparse.values == pytest.approx(stored.sparse.values)


def test_hits_by_words_bring_the_terms_that_are_named(index: VectorIndex, read_only: str) -> None:
    by_words = replace(hybrid(EVERYTHING, Random(12)), mode=Mode.SPARSE, with_vectors=True)
    whole = index.search(read_only, by_words)
    terms = frozenset(index for hit in whole if hit.sparse for index in hit.sparse.indices[::2])
    named = index.search(read_only, replace(by_words, terms=terms, sparse_alone=True))
    assert [hit.stored for hit in named] == [hit.stored for hit in whole]
    assert [hit.score for hit in named] == pytest.approx([hit.score for hit in whole])
    assert [_weights(hit, terms) for hit in named] == [
        pytest.approx(_weights(hit, terms)) for hit in whole
    ]
    assert any(_weights(hit, terms) for hit in named)


def _weights(hit: Hit, terms: frozenset[int]) -> dict[int, float]:
    assert hit.sparse is not None
    return {
        index: value
        for index, value in zip(hit.sparse.indices, hit.sparse.values)
        if index in terms
    }


def test_terms_of_all_32_bits_are_found(index: VectorIndex, name: str) -> None:
    index.create(collection(name))
    low, high = (SparseVector(indices=(n,), values=(1.0,)) for n in (7, 7 | 1 << 31))
    index.upsert(name, [embedded("low", sparse=low), embedded("high", sparse=high)])
    query = replace(hybrid(EVERYTHING, Random(13)), mode=Mode.SPARSE, sparse=high)
    assert ids(index.search(name, query)) == ["high"]


def test_every_language_that_terms_are_in_is_found(index: VectorIndex, name: str) -> None:
    bound, known = collection(name), LanguageCache()
    index.create(bound)

    def search() -> Search:
        return Search(reader=index, collection=bound, statistics=TermStatisticsCache())

    index.upsert(name, [embedded("english")])
    assert known(search()) == ()

    others = [embedded(c, sparse=in_languages(TWO_TERMS, [c, "da"])) for c in ("de", "tr")]
    index.upsert(name, others)
    assert known(search()) == LanguageCache()(search()) == ("da", "de", "tr")


# --- examination ---------------------------------------------------------------------------------


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


# --- several at once -----------------------------------------------------------------------------


def test_a_batch_finds_what_single_searches_find(index: VectorIndex, read_only: str) -> None:
    random = Random(5)
    queries = [hybrid(EVERYTHING, random, limit=7), hybrid(EVERYTHING, random, limit=3)]
    one_side = [
        replace(queries[0], mode=Mode.DENSE, sparse=None, with_vectors=True),
        replace(queries[1], mode=Mode.SPARSE, dense=None),
    ]
    asked = [*queries, *one_side] if Capability.FUSION in index.capabilities else one_side
    batch = index.search_batch(read_only, asked)
    assert list(batch.hits) == [index.search(read_only, query) for query in asked]
    assert batch.matches == ()


def test_matches_have_the_ids_scores_and_vectors_of_the_hits(
    index: VectorIndex, read_only: str
) -> None:
    random = Random(6)
    query = hybrid(EVERYTHING, random)
    dense = replace(query, mode=Mode.DENSE, sparse=None, limit=5, with_vectors=True)
    sparse = replace(query, mode=Mode.SPARSE, dense=None, limit=5, with_vectors=True)
    batch = index.search_batch(
        read_only, [dense], [dense, sparse, replace(dense, with_vectors=False)]
    )
    by_dense, by_terms, bare = batch.matches
    assert [one.chunk_id for one in by_dense] == ids(batch.hits[0])
    assert [one.score for one in by_dense] == pytest.approx([one.score for one in batch.hits[0]])
    assert all(one.dense is not None and one.sparse is not None for one in by_dense)
    assert [one.score for one in by_terms] == pytest.approx(
        [one.score for one in index.search(read_only, sparse)]
    )
    assert all(one.sparse is not None for one in by_terms)
    assert [one.chunk_id for one in bare] == ids(batch.hits[0])
    assert all(one.dense is None and one.sparse is None for one in bare)


def test_a_batch_may_be_empty_or_match_nothing(index: VectorIndex, read_only: str) -> None:
    assert index.search_batch(read_only, []).hits == ()
    none = SparseVector(indices=(), values=())
    query = IndexQuery(selection=EVERYTHING, mode=Mode.SPARSE, limit=3, sparse=none)
    batch = index.search_batch(read_only, [query], [query])
    assert (batch.hits, batch.matches) == (([],), ([],))


def test_several_selections_are_read_at_once(index: VectorIndex, read_only: str) -> None:
    selections = [
        *(replace(EVERYTHING, doc_id=name) for name in DOCUMENTS),
        replace(EVERYTHING, doc_id=DOCUMENTS[0], chunks=(1, 2)),
        replace(EVERYTHING, doc_id="nowhere"),
    ]
    found = index.scroll_batch(read_only, selections)
    assert [sorted(one.chunk.id for one in chunks) for chunks in found] == [
        sorted(one.chunk.id for one in index.scroll(read_only, selection))
        for selection in selections
    ]
    assert any(found)
    assert not found[-1]
    assert index.scroll_batch(read_only, []) == []


def test_eight_first_ingests_at_once_lose_nothing(index: VectorIndex, name: str) -> None:
    """Each makes the collection and stores chunks of its own."""

    def ingest(number: int) -> None:
        index.create(collection(name, generation=f"of-{number}"))
        index.upsert(name, [embedded(f"{number}-{one}") for one in range(5)])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(ingest, range(8)))
    assert len(index.chunk_ids(name, EVERYTHING)) == 40
    assert index.count(name, EVERYTHING) == 40
