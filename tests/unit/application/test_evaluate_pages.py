"""`eval pages` over a project in memory: right by itself, and every seeded fault is reported."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.evaluate.pages import PageReport, evaluate_pages
from citeloom.domain.documents.conversion import LeftOut, LeftOutKind, LostWords
from citeloom.domain.errors import InvalidProject, UnsupportedFormat
from citeloom.domain.evaluation.page_truth import PageVerdict
from citeloom.domain.retrieval.passage import EmbeddedChunk, StoredChunk
from tests.fakes.document_converter import conversion_of
from tests.fakes.page_texts import InMemoryPageTexts, Told
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import PROJECT, RYE, A, B, Library, open_project, paper


@pytest.fixture
def library() -> Library:
    library = Library({A: paper("barley"), B: paper("oats")})
    library.ingest()
    return library


def evaluate(
    library: Library, told: dict[str, Told] | None = None, examples: int = 3
) -> PageReport:
    """Compare with what the files themselves say, or with what else is told of them."""
    raw: dict[str, Told] = {name: text.split("\f") for name, text in library.files.texts().items()}
    page_texts = InMemoryPageTexts({**raw, **(told or {})})
    return evaluate_pages(open_project(library), page_texts, examples=examples)


def misplace(library: Library, path: str, span: tuple[int, int]) -> StoredChunk:
    """Give the first chunk of a document another page span."""
    stored = next(
        s for s in library.stored().values() if s.source_path == path and not s.chunk.chunk_idx
    )
    wrong = replace(stored, chunk=replace(stored.chunk, page_span=span, boxes=()))
    vector = library.dense.embed_query(wrong.chunk.text)
    sparse = library.sparse.embed_query(wrong.chunk.text)
    library.index.upsert(
        PROJECT.collection, [EmbeddedChunk(stored=wrong, dense=vector, sparse=sparse)]
    )
    return wrong


def test_what_was_ingested_stands_on_its_pages(library: Library) -> None:
    report = evaluate(library)
    assert [(d.path, d.verdicts[PageVerdict.EXACT], d.examples) for d in report.documents] == [
        (A, 3, ()),
        (B, 3, ()),
    ]
    assert (report.project, report.share, report.skipped) == (PROJECT.id, 1.0, ())


def test_a_chunk_that_claims_a_page_it_has_no_part_of_is_reported(library: Library) -> None:
    wrong = misplace(library, A, (1, 2))
    report = evaluate(library)
    assert report.totals[PageVerdict.WRONG_PAGE] == 1
    assert report.share == pytest.approx(5 / 6)
    [example] = report.documents[0].examples
    assert example.chunk.id == wrong.chunk.id
    assert example.check.stands_on == (1,)


def test_words_in_no_chunk_are_counted_by_page(library: Library) -> None:
    words = evaluate(library).recall.words
    pages = library.files.texts()["a.txt"].split("\f")
    more = " ".join(f"harvest{n}" for n in range(25))
    recall = evaluate(library, {"a.txt": [f"{pages[0]}\n{more}", *pages[1:]]}).recall
    assert (recall.words, recall.lost, recall.lossy_pages) == (words + 25, 25, 1)
    assert recall.share == 1 - 25 / (words + 25)
    scan: dict[str, Told] = {"a.txt": [""] * 3, "b.txt": [""] * 3}
    assert evaluate(library, scan).recall.share is None


def test_words_left_out_on_purpose_are_not_lost() -> None:
    library = Library({A: "x"})
    more = " ".join(f"harvest{n}" for n in range(25))
    apart = {1: (LeftOut(kind=LeftOutKind.MARGIN, count=25, text=more),)}
    converted = conversion_of(paper("barley"), doc_id="d")
    library.canned["a.txt"] = replace(converted, left_out=apart)
    library.ingest()
    first, *others = paper("barley").split("\f")
    recall = evaluate(library, {"a.txt": [f"{first}\n{more}", *others]}).recall
    assert (recall.left_out, recall.lost, recall.share) == (25, 0, 1.0)


def test_a_loss_that_the_conversion_does_not_confirm_may_be_of_the_layout() -> None:
    library = Library({A: "x"})
    converted = conversion_of(paper("barley"), doc_id="d")
    lost = {1: LostWords(count=25, sample="harvest")}
    library.canned["a.txt"] = replace(converted, lost_words=lost)
    library.ingest()
    pages = paper("barley").split("\f")
    more = [" ".join(f"harvest{page}{n}" for n in range(25)) for page in "abc"]
    report = evaluate(library, {"a.txt": list(map("\n".join, zip(pages, more)))})
    assert (report.recall.lossy_pages, report.recall.confirmed_pages) == (len(pages), 1)
    [document] = report.documents
    assert [document.is_confirmed(page) for page in document.lossy] == [True, *[False] * 2]


def test_the_worst_chunks_are_the_examples(library: Library) -> None:
    rainfall = library.files.texts()["a.txt"].split("\f")[0]
    told: dict[str, Told] = {"a.txt": ["Nothing of it", rainfall, "Nothing of it"]}
    examples = evaluate(library, told).documents[0].examples
    assert [(e.chunk.chunk_idx, e.check.verdict) for e in examples] == [
        (2, PageVerdict.WRONG_PAGE),
        (0, PageVerdict.WRONG_PAGE),
        (1, PageVerdict.NOT_FOUND),
    ]
    assert len(evaluate(library, told, examples=2).documents[0].examples) == 2


def test_a_scan_has_nothing_to_compare_with(library: Library) -> None:
    blank: dict[str, Told] = {"a.txt": [""] * 3, "b.txt": [""] * 3}
    report = evaluate(library, blank)
    assert report.totals[PageVerdict.NO_TEXT] == 6
    assert report.share is None


def test_a_document_that_cannot_be_compared_is_named_with_the_reason(library: Library) -> None:
    library.files.write(A, "Another text by now.")
    report = evaluate(library, {"b.txt": UnsupportedFormat("no pages")})
    assert [(s.path, s.code) for s in report.skipped] == [
        (A, "UNREADABLE_DOCUMENT"),
        (B, "UNSUPPORTED_FORMAT"),
    ]
    library.files.remove(A)
    assert evaluate(library).skipped[0].code == "SOURCE_UNAVAILABLE"


def test_a_copy_is_not_counted_twice(library: Library) -> None:
    library.files.write("papers/c.txt", library.files.texts()["a.txt"])
    library.ingest()
    assert [document.path for document in evaluate(library).documents] == [A, B]


def test_nothing_ingested_is_said_so() -> None:
    with pytest.raises(InvalidProject):
        evaluate(Library())


def test_a_generated_citekey_is_reported(library: Library) -> None:
    generated = replace(RYE, citekey_generated=True)
    library.references = MemoryReferenceLibrary(generated, mapping={"a.txt": "rye2001"})
    library.ingest()
    documents = {one.path: one.citekey_generated for one in evaluate(library).documents}
    assert documents == {A: True, B: False}
