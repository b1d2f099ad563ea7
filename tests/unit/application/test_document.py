"""A document with its outline and pages, and the pages of passages as images."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest
from PIL import Image

from citeloom.application.documents import DocumentDetail, describe_document
from citeloom.application.retrieval.show import draw_page
from citeloom.domain.documents.manifest import DocumentState
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.errors import (
    InvalidFilter,
    InvalidProject,
    NotFound,
    SourceChanged,
)
from citeloom.domain.retrieval.passage import EmbeddedChunk, StoredChunk
from tests.fakes.page_images import InMemoryPageImages
from tests.unit.application.library import (
    NOISE,
    PROJECT,
    RYE,
    TOPICS,
    A,
    B,
    Library,
    open_project,
    paper,
    two_papers,
)

SIZE = (1000, 1000)
WHITE = (255, 255, 255)


@pytest.fixture
def library() -> Library:
    """Two papers of five and three pages; the first has a reference."""
    return two_papers(sections=5)


def describe(library: Library) -> Callable[[str], DocumentDetail]:
    return partial(describe_document, open_project(library))


def draw(library: Library) -> Callable[..., bytes]:
    images = InMemoryPageImages({"a.txt": [SIZE] * 5, "b.txt": [SIZE] * 3})
    return partial(draw_page, open_project(library), images)


def first_chunk(library: Library, path: str) -> StoredChunk:
    return next(
        one
        for one in library.stored().values()
        if one.source_path == path and one.chunk.chunk_idx == 0
    )


# --- documents


def test_a_document_has_its_reference_its_outline_and_its_pages(library: Library) -> None:
    detail = describe(library)(library.doc_id(A))
    assert (detail.document.path, detail.document.citekey) == (A, "rye2001")
    assert (detail.document.title, detail.document.chunks) == (RYE.title, 5)
    assert [(one.level, one.title, one.page) for one in detail.outline] == [
        (1, topic.title(), page) for page, topic in enumerate(TOPICS, start=1)
    ]
    assert [(one.page, one.chunks) for one in detail.pages] == [(n, 1) for n in range(1, 6)]
    assert [one.chunk.chunk_idx for one in detail.chunks] == [0, 1, 2, 3, 4]
    assert [one.chunk_id for one in detail.outline] == [one.chunk.id for one in detail.chunks]


def test_the_outline_has_each_section_of_a_joined_chunk_on_its_page() -> None:
    library = Library({A: f"# Aim\n\nNone\n\n\f{paper('wheat', sections=1)}"})
    library.ingest()
    detail = describe(library)(library.doc_id(A))
    assert [(one.title, one.page) for one in detail.outline] == [
        ("Aim", 1),
        (TOPICS[0].title(), 2),
    ]
    assert len(detail.chunks) == 1


def test_a_document_that_failed_has_no_chunks(library: Library) -> None:
    library.files.write("papers/c.txt", NOISE)
    library.ingest()
    detail = describe(library)(library.doc_id("papers/c.txt"))
    assert (detail.chunks, detail.outline) == ((), ())
    assert detail.document.chunks == 0


def test_a_document_that_only_the_index_knows_is_described(library: Library) -> None:
    known = library.doc_id(B)
    library.manifest.remove(PROJECT.id, B)
    detail = describe(library)(known)
    assert detail.document.state is DocumentState.UNLISTED
    assert len(detail.pages) == 3


def test_an_unknown_document_is_not_found(library: Library) -> None:
    with pytest.raises(NotFound, match="'nothing'"):
        describe(library)("nothing")
    with pytest.raises(InvalidFilter):
        describe(library)(" ")


def test_nothing_is_described_before_an_ingest() -> None:
    with pytest.raises(InvalidProject):
        describe(Library())("any")


# --- images of pages


def test_a_page_is_drawn_with_the_passage_on_it(library: Library) -> None:
    stored = first_chunk(library, A)
    placed = stored.chunk.boxes[0].box
    image = Image.open(io.BytesIO(draw(library)(stored.chunk.id, scale=1.0))).convert("RGB")
    middle = ((placed.left + placed.right) / 2, (placed.top + placed.bottom) / 2)
    assert image.getpixel((round(middle[0]), round(middle[1]))) != WHITE
    assert image.getpixel((SIZE[0] - 1, SIZE[1] - 1)) == WHITE


def test_only_pages_of_the_passage_are_drawn(library: Library) -> None:
    chunk = first_chunk(library, A).chunk
    assert draw(library)(chunk.id, page=1) == draw(library)(chunk.id)
    with pytest.raises(NotFound, match=r"1\.\.1, not on 2"):
        draw(library)(chunk.id, page=2)


def test_an_unknown_passage_is_not_found(library: Library) -> None:
    with pytest.raises(NotFound, match="'nothing'"):
        draw(library)("nothing")


@pytest.mark.parametrize("scale", [0.0, -1.0, 100.0, float("nan"), float("inf")])
def test_a_scale_out_of_range_is_refused(library: Library, scale: float) -> None:
    with pytest.raises(InvalidFilter):
        draw(library)(first_chunk(library, A).chunk.id, scale=scale)


def test_a_file_that_changed_is_not_drawn(library: Library) -> None:
    chunk = first_chunk(library, A).chunk
    library.files.write(A, paper("oats"))
    with pytest.raises(SourceChanged, match="has changed"):
        draw(library)(chunk.id)


def test_a_file_with_a_new_date_and_the_same_bytes_is_drawn(library: Library) -> None:
    chunk, text = first_chunk(library, A).chunk, library.files.texts()["a.txt"]
    library.files.write(A, text)
    assert draw(library)(chunk.id)


def test_a_file_that_is_gone_is_not_drawn(library: Library) -> None:
    chunk = first_chunk(library, A).chunk
    library.files.remove(A)
    with pytest.raises(NotFound, match="no longer there"):
        draw(library)(chunk.id)


def test_a_passage_without_pages_is_not_drawn(library: Library) -> None:
    stored = first_chunk(library, A)
    place = Paragraph(section="1", number=1)
    chunk = replace(
        stored.chunk, page_span=None, page_labels=(), boxes=(), paragraphs=(place, place)
    )
    vector, terms = library.dense.embed_query(chunk.text), library.sparse.embed_query(chunk.text)
    moved = EmbeddedChunk(stored=replace(stored, chunk=chunk), dense=vector, sparse=terms)
    library.index.upsert(PROJECT.collection, [moved])
    with pytest.raises(NotFound, match="no pages"):
        draw(library)(chunk.id)
