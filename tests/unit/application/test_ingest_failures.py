"""What failed is remembered, and tried again once that may help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from citeloom.application.ingest.ingest_run import ingest
from citeloom.application.ingest.plan import IngestParts
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.reports import DocumentFailure
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import Status
from citeloom.domain.errors import DiskFull, EncryptedDocument, ProcessKilled, SourceChanged
from citeloom.domain.retrieval.passage import EmbeddedChunk
from citeloom.testing.in_memory import InMemoryIndex
from tests.unit.application.library import NOISE, Library, open_project, paper

A, B, C = "papers/a.txt", "papers/b.txt", "papers/c.txt"


def with_a_failure() -> Library:
    library = Library({A: paper("wheat"), B: paper("barley")})
    library.canned["a.txt"] = EncryptedDocument("locked", "unlock it")
    assert [failure.path for failure in library.ingest().failed] == [A]
    library.canned.clear()
    return library


def test_an_unchanged_document_that_failed_is_listed_and_not_tried_again() -> None:
    library = with_a_failure()
    report = library.ingest()
    assert (report.failed, report.pending, report.unchanged) == ([], [], [B])
    assert report.failed_before == [
        DocumentFailure(path=A, code="ENCRYPTED_DOCUMENT", message="locked")
    ]
    assert library.converted == []
    assert library.entries()[A].status is Status.FAILED


def test_a_run_that_changes_nothing_lists_it_too() -> None:
    library = with_a_failure()
    report = library.ingest(IngestRequest(dry_run=True))
    assert [failure.path for failure in report.failed_before] == [A]


def _other_content(library: Library) -> None:
    library.files.write(A, paper("oats"))


def _other_converter(library: Library) -> None:
    library.converter_version = "fake-2"


def _other_chunks(library: Library) -> None:
    chunking = replace(library.project.chunking, min_chunk_tokens=6)
    library.project = replace(library.project, chunking=chunking)


def _other_language(library: Library) -> None:
    library.ocr_languages = ("fr",)


def _other_limits(library: Library) -> None:
    library.limits = "240 seconds"


@pytest.mark.parametrize(
    "change", [_other_content, _other_converter, _other_chunks, _other_language, _other_limits]
)
def test_it_is_tried_again_when_what_it_depends_on_changed(
    change: Callable[[Library], None],
) -> None:
    library = with_a_failure()
    change(library)
    report = library.ingest()
    assert A in report.indexed
    assert report.failed_before == []


@pytest.mark.parametrize("request_", [IngestRequest(retry_failed=True), IngestRequest(force=True)])
def test_it_is_tried_again_when_that_is_asked_for(request_: IngestRequest) -> None:
    library = with_a_failure()
    assert A in library.ingest(request_).indexed


@pytest.mark.parametrize("error", [SourceChanged("it changed"), ProcessKilled("killed")])
def test_what_may_pass_is_tried_again_by_itself(error: Exception) -> None:
    library = Library({A: paper("wheat")})
    library.canned["a.txt"] = error
    assert [failure.path for failure in library.ingest().failed] == [A]
    library.canned.clear()
    assert library.ingest().indexed == [A]


def test_a_copy_of_what_failed_is_not_tried_either_and_is_remembered() -> None:
    library = Library({A: NOISE})
    library.ingest()
    library.files.write(B, NOISE)
    report = library.ingest()
    assert [failure.path for failure in report.failed_before] == [A, B]
    assert (library.converted, report.duplicates) == ([], {})
    library.files.remove(A)
    library.ingest(IngestRequest(prune=True))
    assert set(library.entries()) == {B}
    assert [failure.path for failure in library.ingest().failed_before] == [B]


def test_a_document_that_failed_and_moved_is_remembered_where_it_is_now() -> None:
    library = Library({A: NOISE})
    library.ingest()
    library.files.move(A, C)
    report = library.ingest()
    assert ([failure.path for failure in report.failed_before], report.gone) == ([C], [])
    assert set(library.entries()) == {C}


def test_the_same_bytes_of_another_kind_are_tried() -> None:
    library = Library({A: NOISE})
    library.ingest()
    library.files.write("papers/a.pdf", NOISE)
    report = library.ingest()
    assert [failure.path for failure in report.failed] == ["papers/a.pdf"]


def test_a_document_that_failed_is_read_no_second_time_once_it_is_known() -> None:
    library = Library({A: NOISE})
    library.ingest()
    library.files.write(A, NOISE)
    library.ingest()
    library.files.hashed.clear()
    assert [failure.path for failure in library.ingest().failed_before] == [A]
    assert library.files.hashed == []


def test_files_without_a_byte_are_no_duplicates() -> None:
    library = Library({A: "", B: "", C: paper("wheat")})
    report = library.ingest()
    assert [(f.path, f.code) for f in report.failed] == [
        (A, "EMPTY_DOCUMENT"),
        (B, "EMPTY_DOCUMENT"),
    ]
    assert report.duplicates == {}
    assert [failure.path for failure in library.ingest().failed_before] == [A, B]


def test_a_failure_in_a_file_that_was_indexed_leaves_what_is_stored() -> None:
    library = Library({A: paper("wheat")})
    library.ingest()
    library.files.write(A, NOISE)
    library.ingest()
    library.ingest()
    assert library.sources() == {A: 3}
    library.files.write(A, paper("wheat"))
    report = library.ingest()
    assert (report.indexed, report.failed_before) == ([A], [])


def test_a_duplicate_of_what_may_pass_waits_for_the_next_run() -> None:
    library = Library({A: paper("wheat"), B: paper("wheat")})
    library.canned["a.txt"] = ProcessKilled("killed")
    assert [failure.path for failure in library.ingest().failed] == [A]
    library.canned.clear()
    assert library.ingest().indexed == [A]


class FullIndex(InMemoryIndex):
    """Refuses the n-th document to be stored."""

    def __init__(self, documents: int) -> None:
        super().__init__()
        self.left = documents

    def upsert(self, name: str, chunks: Sequence[EmbeddedChunk]) -> None:
        if not self.left:
            raise DiskFull("the disk is full")
        self.left -= 1
        super().upsert(name, chunks)


def statuses(library: Library) -> dict[str, Status]:
    return {path: entry.status for path, entry in library.entries().items()}


def test_a_run_that_an_error_ends_leaves_nothing_at_work() -> None:
    library = Library({A: paper("wheat"), B: paper("barley"), C: paper("oats")})
    index = FullIndex(1)

    def parts_with(index: FullIndex) -> IngestParts:
        return replace(library.parts(), project=open_project(library, index=index))

    with pytest.raises(DiskFull):
        ingest(parts_with(index), IngestRequest())
    assert Status.PROCESSING not in statuses(library).values()
    index.left = 9
    report = ingest(parts_with(index), IngestRequest())
    assert set(statuses(library).values()) == {Status.INDEXED}
    assert report.failed == []


def test_documents_that_a_cancelled_run_did_not_take_up_are_indexed_as_before() -> None:
    library = Library({A: paper("wheat"), B: paper("barley"), C: paper("oats")})
    library.ingest()
    before = library.entries()
    report = library.ingest(IngestRequest(force=True, stop=Cancellation(lambda: True)))
    assert report.interrupted
    assert set(statuses(library).values()) == {Status.INDEXED}
    assert {path: entry.chunks for path, entry in library.entries().items()} == {
        path: entry.chunks for path, entry in before.items()
    }


def test_a_changed_document_that_was_not_taken_up_is_done_by_the_next_run() -> None:
    library = Library({A: paper("wheat"), B: paper("barley"), C: paper("oats")})
    library.ingest()
    for path in (A, B, C):
        library.files.write(path, paper(f"rye in {path}"))
    first = library.ingest(IngestRequest(stop=Cancellation(lambda: True)))
    assert sorted([*first.indexed, *library.ingest().indexed]) == [A, B, C]
    assert library.sources() == {A: 3, B: 3, C: 3}
