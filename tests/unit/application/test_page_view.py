"""A document page by page, with what is marked on each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from citeloom.application.open_project import OpenProject
from citeloom.application.ports.conversion import PageGeometry
from citeloom.application.retrieval.page_view import (
    ContentsCache,
    PageView,
    draw_plain_page,
    view_page,
)
from citeloom.domain.chunks.chunk import AnnotationRef, Chunk, ChunkKind, PageBox
from citeloom.domain.documents.conversion import Box
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.errors import InvalidFilter, InvalidProject, NotFound, SourceChanged
from citeloom.domain.retrieval.passage import EmbeddedChunk, StoredChunk
from tests.fakes.page_images import InMemoryPageImages
from tests.unit.application.library import (
    PROJECT,
    TOPICS,
    A,
    B,
    Library,
    open_project,
    paper,
    two_papers,
)

SIZE = (1000, 1000)
LINE = Box(left=1, top=2, right=3, bottom=4)
WORDS = "Plot 2 of wheat was measured for rainfall."


@pytest.fixture
def library() -> Library:
    """Two papers of five and three pages; the first has a reference."""
    return two_papers(sections=5)


def viewer(
    library: Library, project: OpenProject | None = None, found: str = ""
) -> Callable[..., PageView]:
    images = InMemoryPageImages(
        {"a.txt": [SIZE] * 5, "b.txt": [SIZE] * 3}, {found: [LINE]} if found else {}
    )
    return partial(view_page, project or open_project(library), images)


def chunks_of(library: Library, path: str = A) -> list[StoredChunk]:
    stored = [one for one in library.stored().values() if one.source_path == path]
    return sorted(stored, key=lambda one: one.chunk.chunk_idx)


def add(library: Library, stored: StoredChunk) -> None:
    name = PROJECT.collection
    text = stored.chunk.text
    dense, sparse = library.dense.embed_query(text), library.sparse.embed_query(text)
    library.index.upsert(name, [EmbeddedChunk(stored=stored, dense=dense, sparse=sparse)])


def test_a_page_shows_its_passages_with_their_boxes(library: Library) -> None:
    view = viewer(library)(library.doc_id(A), page=3)
    [placed] = view.passages
    third = chunks_of(library)[2]
    assert placed.stored == third
    assert placed.boxes == tuple(box.box for box in third.chunk.boxes)
    assert (view.page.page, len(view.contents.pages)) == (3, 5)
    assert [entry.page for entry in view.contents.outline] == [1, 2, 3, 4, 5]
    assert [entry.title for entry in view.contents.outline] == [t.title() for t in TOPICS]
    assert view.geometry == PageGeometry(width=SIZE[0], height=SIZE[1])
    assert (view.passage, view.words, view.problem is None) == (None, (), True)


def test_a_document_opens_at_its_first_page_a_passage_at_its_own(library: Library) -> None:
    view, known = viewer(library), library.doc_id(A)
    assert view(known).page.page == 1
    shown = view(known, chunk_id=chunks_of(library)[3].chunk.id)
    assert shown.page.page == 4
    assert shown.passage == chunks_of(library)[3]
    assert view(known, page=2, chunk_id=chunks_of(library)[3].chunk.id).page.page == 2


def test_a_printed_label_opens_its_page(library: Library) -> None:
    fourth = chunks_of(library)[3]
    add(library, replace(fourth, chunk=replace(fourth.chunk, page_labels=("xiv",))))
    view, known = viewer(library), library.doc_id(A)
    shown = view(known, label=" XIV ")
    assert (shown.page.page, shown.page.label) == (4, "xiv")
    assert view(known, page=1, label="xiv").page.page == 1
    with pytest.raises(NotFound, match="'xv'"):
        view(known, label="xv")


def test_words_are_marked_where_they_are_found(library: Library) -> None:
    first = chunks_of(library)[0]
    shown = viewer(library, found=WORDS)(
        library.doc_id(A), chunk_id=first.chunk.id, words=f"\u201c{WORDS}\u201d"
    )
    assert shown.word_span is not None
    start, end = shown.word_span
    assert first.chunk.text[start:end].rstrip(".") == WORDS.rstrip(".")


def test_words_that_are_nowhere_are_not_marked(library: Library) -> None:
    first, view = chunks_of(library)[0], viewer(library, found=WORDS)
    shown = view(library.doc_id(A), chunk_id=first.chunk.id, words="Oats were never sown.")
    assert (shown.words, shown.word_span, shown.is_without_words) == ((), None, True)
    without = view(library.doc_id(A), words=WORDS)
    assert (without.words, without.is_without_words) == ((), False)


def running_on(library: Library) -> Chunk:
    """The first passage, made to run on from page 1 to page 2 behind `Plot 2 of wheat`."""
    [first, second] = chunks_of(library)[:2]
    text = first.chunk.text
    boxes = tuple(PageBox(page=page, box=LINE) for page in (1, 2))
    chunk = replace(
        first.chunk,
        page_span=(1, 2),
        page_starts=(text.index("was measured", text.index("Plot 2")),),
        boxes=boxes,
    )
    assert second.chunk.page_span == (2, 2)
    add(library, replace(first, chunk=chunk))
    return chunk


@pytest.mark.parametrize(
    ("page", "expected"),
    [(1, "Plot 2 of wheat"), (2, "was measured for rainfall"), (3, "")],
)
def test_of_words_on_two_pages_each_shows_its_own(
    library: Library, page: int, expected: str
) -> None:
    chunk = running_on(library)
    images = InMemoryPageImages({"a.txt": [SIZE] * 5}, {expected: [LINE]} if expected else {})
    view = partial(view_page, open_project(library), images, library.doc_id(A))
    words = WORDS.rstrip(".")
    shown = view(page=page, chunk_id=chunk.id, words=words)
    assert images.words == [expected]
    assert shown.words == ((LINE,) if expected else ())
    assert not shown.is_without_words
    assert view(chunk_id=chunk.id, words=words).page.page == 1
    assert view(chunk_id=chunk.id, words="was measured for rainfall. Plot 3").page.page == 2


def test_a_page_has_the_passages_that_run_on_to_it(library: Library) -> None:
    chunk = running_on(library)
    for page, count in ((1, 1), (2, 2)):
        passages = viewer(library)(library.doc_id(A), page=page).passages
        assert passages[0].stored.chunk.id == chunk.id
        assert passages[0].boxes == (LINE,)
        assert len(passages) == count


def test_annotations_are_placed_from_the_foot_of_the_page(library: Library) -> None:
    first = chunks_of(library)[0]
    for number, (page, rects) in enumerate([(1, ((10.0, 20.0, 30.0, 50.0),)), (2, ()), (1, ())]):
        mark = AnnotationRef(key=f"KEY{number}", color="#ffd400", quotes=True, rects=rects)
        chunk = replace(
            first.chunk,
            id=f"mark{number}",
            chunk_idx=100 + number,
            kind=ChunkKind.ANNOTATION,
            mark=mark,
            page_span=(page, page),
            boxes=(),
        )
        add(library, replace(first, chunk=chunk))
    shown = viewer(library)(library.doc_id(A), page=1)
    assert [(one.stored.chunk.id, one.boxes) for one in shown.annotations] == [
        ("mark0", (Box(left=10, top=950, right=30, bottom=980),)),
        ("mark2", ()),
    ]
    assert len(shown.passages) == 1


def test_a_page_that_cannot_be_drawn_shows_its_text_and_says_why(library: Library) -> None:
    known = library.doc_id(A)
    library.files.write(A, paper("oats"))
    shown = viewer(library)(known, page=1)
    assert isinstance(shown.problem, SourceChanged)
    assert shown.geometry is None
    assert len(shown.passages) == 1


@pytest.mark.parametrize("page", [6, 100])
def test_a_page_that_there_is_not_is_not_found(library: Library, page: int) -> None:
    with pytest.raises(NotFound, match="only 5"):
        viewer(library)(library.doc_id(A), page=page)


def test_a_passage_of_another_document_is_refused(library: Library) -> None:
    other = chunks_of(library, B)[0].chunk.id
    with pytest.raises(NotFound, match="of another document"):
        viewer(library)(library.doc_id(A), chunk_id=other)
    with pytest.raises(NotFound):
        viewer(library)(library.doc_id(A), chunk_id="nothing")
    with pytest.raises(NotFound):
        viewer(library)("nothing")
    with pytest.raises(InvalidFilter):
        viewer(library)(" ")
    with pytest.raises(InvalidProject):
        viewer(Library())("any")


# --- documents without pages


def test_a_document_without_pages_is_shown_in_parts() -> None:
    library = Library({A: "\n\n\f".join(f"# Section {n}\n\n{WORDS}" for n in range(30))})
    library.ingest()
    known = library.doc_id(A)
    for stored in chunks_of(library):
        place = Paragraph(section="", number=1 + stored.chunk.chunk_idx)
        chunk = replace(stored.chunk, page_span=None, paragraphs=(place, place), boxes=())
        add(library, replace(stored, chunk=replace(chunk, page_labels=(), page_starts=())))
    library.manifest.remove(PROJECT.id, A)
    view = viewer(library)
    first, third = view(known), view(known, page=3)
    assert not first.contents.has_pages
    assert [len(first.passages), len(third.passages)] == [12, 6]
    assert [len(first.contents.pages), first.contents.pages[2].label] == [3, None]
    assert (first.geometry, first.problem) == (None, None)
    assert [entry.page for entry in first.contents.outline] == [1] * 12 + [2] * 12 + [3] * 6
    thirteenth = chunks_of(library)[12].chunk.id
    assert view(known, chunk_id=thirteenth, words=WORDS).page.page == 2


# --- what is kept between turns


def test_contents_are_read_once_until_the_document_changes(library: Library) -> None:
    project, known = open_project(library), library.doc_id(A)
    cache = project.kept(ContentsCache)
    first = cache.contents(project, known)
    assert cache.contents(project, known) is first
    extra = chunks_of(library)[4]
    add(library, replace(extra, chunk=replace(extra.chunk, id="more", chunk_idx=5)))
    again = cache.contents(project, known)
    assert again is not first
    assert again.chunks[5] == (4, 5)


def test_the_contents_of_few_documents_are_kept(library: Library) -> None:
    project, cache = open_project(library), ContentsCache()
    first = cache.contents(project, library.doc_id(A))
    for number in range(40):
        path = f"papers/p{number}.txt"
        library.files.write(path, paper(f"kind {number}", sections=1))
    library.ingest()
    for number in range(40):
        cache.contents(project, library.doc_id(f"papers/p{number}.txt"))
    assert cache.contents(project, library.doc_id(A)) is not first
    first = cache.contents(project, library.doc_id(A))
    for number in range(40):
        cache.contents(project, library.doc_id(f"papers/p{number}.txt"))
        assert cache.contents(project, library.doc_id(A)) is first


# --- plain pictures


def test_a_plain_page_has_no_mark(library: Library) -> None:
    images = InMemoryPageImages({"a.txt": [SIZE] * 5})
    project, known = open_project(library), library.doc_id(A)
    drawn = draw_plain_page(project, images, known, 2, scale=0.5)
    assert drawn == images.draw(Path("a.txt"), 2, (), scale=0.5)
    with pytest.raises(NotFound):
        draw_plain_page(project, images, known, 6, scale=0.5)
    with pytest.raises(InvalidFilter):
        draw_plain_page(project, images, known, 2, scale=99)
    with pytest.raises(InvalidProject):
        draw_plain_page(open_project(Library()), images, known, 2, scale=1)
