"""The collections that promises are tested with, and what is asked of them."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from random import Random

import pytest
from hypothesis import strategies as st

from citeloom.application.ports.vector_index import (
    CitationUpdate,
    LocationUpdate,
    MetadataUpdate,
    VectorIndex,
)
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.policies import Mode
from citeloom.domain.references.citation import CitationMeta, ZoteroOrigin
from citeloom.domain.retrieval.filters import CHUNK_FIELDS, Operator, Where
from citeloom.domain.retrieval.passage import (
    Hit,
    IndexQuery,
    Selection,
)
from citeloom.testing.chunks import (
    DAYS,
    DOCUMENTS,
    KEYS,
    MODULES,
    OF_WORKS,
    PATHS,
    PROJECT,
    TAGS,
    TOPICS,
    collection,
    dense_vector,
    library,
    sparse_vector,
)

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
