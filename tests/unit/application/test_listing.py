"""The library as a table: every document with its state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from citeloom.application.documents import (
    CoverageKind,
    ListedDocument,
    coverage_of,
    list_documents,
)
from citeloom.application.requests.passages import DocumentsRequest
from citeloom.domain.documents.manifest import DocumentState, Tombstone
from citeloom.domain.errors import InvalidFilter, InvalidProject
from citeloom.domain.retrieval.passage import Selection
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import NOISE, PROJECT, RYE, Library, open_project, paper

A, B, C = "papers/a.txt", "papers/b.txt", "papers/c.txt"


@pytest.fixture
def library() -> Library:
    """Two papers that are indexed, the first with a reference, and one that failed."""
    library = Library({A: paper("wheat"), B: paper("barley"), C: NOISE})
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    return library


def listed(library: Library) -> Callable[..., list[ListedDocument]]:
    return partial(list_documents, open_project(library))


def states(documents: list[ListedDocument]) -> dict[str, str]:
    return {one.path: one.state.value for one in documents}


def test_every_document_is_listed(library: Library) -> None:
    documents = listed(library)()
    assert states(documents) == {A: "indexed", B: "indexed", C: "failed"}
    entry = library.manifest.entries(PROJECT.id)[0]
    assert documents[0] == ListedDocument(
        path=A,
        doc_id=entry.doc_id,
        title="Winter rye",
        citekey="rye2001",
        authors=("Ry, A.",),
        year=2001,
        pages=3,
        chunks=3,
        state=DocumentState.INDEXED,
        content_hash=entry.content_hash,
        size=entry.size,
        created_at=entry.created_at,
        modified_at=datetime.fromtimestamp(entry.modified_ns / 1e9, UTC),
        updated_at=entry.updated_at,
    )
    assert (documents[1].title, documents[1].citekey) == ("b.txt", None)


def test_times_and_errors_are_listed(library: Library) -> None:
    first = listed(library)()
    library.files.write(A, paper("spelt"))
    library.ingest()
    again = listed(library)()
    assert again[0].created_at == first[0].created_at
    assert first[0].updated_at
    assert again[0].updated_at
    assert again[0].updated_at > first[0].updated_at
    assert (again[2].error_code, bool(again[2].error)) == ("EMPTY_DOCUMENT", True)


def test_words_that_are_lost_and_pages_that_are_images_are_listed(library: Library) -> None:
    entry = library.manifest.entries(PROJECT.id)[0]
    library.manifest.put(replace(entry, lost_words={1: 19, 2: 20, 3: 300}, ocr="tesseract"))
    first = listed(library)()[0]
    assert (first.lost_words, first.ocr) == (320, "tesseract")


def test_each_document_is_covered_once(library: Library) -> None:
    documents = listed(library)()
    assert coverage_of(documents) == {
        CoverageKind.INDEXED: 1,
        CoverageKind.UNMATCHED: 1,
        CoverageKind.FAILED: 1,
    }
    assert [*coverage_of(documents)][-1] is CoverageKind.FAILED
    first = documents[0]
    kinds = {
        state: [*coverage_of([replace(first, state=state, citekey=None, ocr="tesseract")])]
        for state in DocumentState
    }
    assert kinds == {
        DocumentState.PENDING: [CoverageKind.WAITING],
        DocumentState.PROCESSING: [CoverageKind.WAITING],
        DocumentState.INDEXED: [CoverageKind.UNMATCHED],
        DocumentState.FAILED: [CoverageKind.FAILED],
        DocumentState.MISSING: [CoverageKind.MISSING],
        DocumentState.UNLISTED: [CoverageKind.APART],
        DocumentState.OTHER_MACHINE: [CoverageKind.APART],
        DocumentState.DELETED: [],
    }
    assert coverage_of([replace(first, ocr="tesseract")]) == {CoverageKind.SCANNED: 1}


def test_a_copy_names_its_original_and_is_not_counted(library: Library) -> None:
    before = coverage_of(listed(library)())
    library.files.write("papers/copy.txt", library.files.texts()["a.txt"])
    library.ingest()
    documents = listed(library)()
    [copy] = [document for document in documents if document.copy_of]
    assert (copy.path, copy.copy_of) == ("papers/copy.txt", "papers/a.txt")
    assert coverage_of(documents) == before


def test_the_list_is_narrowed(library: Library) -> None:
    def found(**filters: Any) -> set[str]:
        return set(states(listed(library)(DocumentsRequest(**filters))))

    failed = DocumentsRequest(state=DocumentState.FAILED)
    assert states(listed(library)(failed)) == {C: "failed"}
    for citekey in ("rye2001", "@rye2001"):
        assert found(citekey=citekey) == {A}
    assert found(missing_reference=True) == {B, C}
    assert found(citekey="nobody") == set()
    assert (found(years="2001.."), found(years="2002..")) == ({A}, set())
    assert found(years="..2001") == {A}
    assert found(citekey="nobody", years="..2001") == set()


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("RYE winter", {A}),
        ("ry, a", {A}),
        ("rye2001", {A}),
        ("papers", {A, B, C}),
        ("papers winter", {A}),
        ("b.txt", {B}),
        ("winter barley", set()),
    ],
)
def test_words_are_found_in_title_authors_citekey_and_path(
    library: Library, text: str, paths: set[str]
) -> None:
    assert set(states(listed(library)(DocumentsRequest(text=text)))) == paths


def test_an_empty_text_is_refused() -> None:
    with pytest.raises(InvalidFilter, match="search text is empty"):
        DocumentsRequest(text=" ")


def test_what_the_index_does_not_bear_out_is_told(library: Library) -> None:
    doc_id = library.entries()[A].doc_id
    one = Selection(project_id=PROJECT.id, doc_id=doc_id, chunks=(1, 1))
    library.index.delete(PROJECT.collection, one)
    library.manifest.remove(PROJECT.id, B)
    library.manifest.put_tombstones(
        Tombstone(project_id=PROJECT.id, doc_id="d", path="papers/d.txt", citekey="d1999")
    )
    documents = listed(library)()
    assert states(documents) == {
        A: "missing",
        B: "unlisted",
        C: "failed",
        "papers/d.txt": "deleted",
    }
    assert [one.chunks for one in documents] == [2, 3, 0, 0]


def test_a_lost_collection_is_told(library: Library) -> None:
    library.index.drop(PROJECT.collection)
    assert set(states(listed(library)(DocumentsRequest(state=DocumentState.MISSING)))) == {A, B}


def test_a_project_that_holds_nothing_yet_says_so() -> None:
    with pytest.raises(InvalidProject, match="nothing has been ingested"):
        listed(Library())()


def test_a_document_whose_deletion_is_unfinished_is_listed_once(library: Library) -> None:
    doc_id = library.entries()[A].doc_id
    library.manifest.put_tombstones(
        Tombstone(project_id=PROJECT.id, doc_id=doc_id, path=A, citekey="rye2001")
    )
    assert [(one.path, one.state.value) for one in listed(library)() if one.path == A] == [
        (A, "deleted")
    ]
