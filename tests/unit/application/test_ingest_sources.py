"""Files that change while they are read, and documents that nobody foresaw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from citeloom.application.ports.conversion import Conversion, SourceFile
from citeloom.application.ports.runtime import Cancellation, EmitEvent
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import Status
from citeloom.domain.errors import InvalidReferences, ModelUnavailable
from citeloom.domain.retrieval.passage import DenseVector
from tests.fakes.document_converter import FakeDocumentConverter
from tests.fakes.embedders import HashingDense
from tests.unit.application.library import A, B, Library, paper

TWO = {A: paper("wheat"), B: paper("barley")}


class BusyLibrary(Library):
    """A library in which somebody writes `changes`, one before each conversion of `a.txt`."""

    def __init__(self, *changes: str) -> None:
        super().__init__(TWO)
        self.changes = list(changes)
        self.taken: list[SourceFile] = []

    def new_converter(self) -> FakeDocumentConverter:
        def before(source: SourceFile) -> dict[str, str]:
            self.taken.append(source)
            if source.path.name == "a.txt" and self.changes:
                self.files.write(A, self.changes.pop(0))
            return self.files.texts()

        return ChangingConverter(before, self.files.digest)


class ChangingConverter(FakeDocumentConverter):
    """Reads what a file says at the moment it is converted."""

    def __init__(
        self, before: Callable[[SourceFile], dict[str, str]], content_hash: Callable[[Path], str]
    ) -> None:
        super().__init__(content_hash=content_hash)
        self._before = before

    def convert(self, source: SourceFile, emit: EmitEvent) -> Conversion:
        self._canned.update(self._before(source))
        return super().convert(source, emit)


def texts(library: Library) -> str:
    return " ".join(stored.chunk.text for stored in library.stored().values())


def test_a_file_that_changes_before_it_is_converted_is_stored_as_what_it_says() -> None:
    library = BusyLibrary(paper("oats"))
    report = library.ingest()
    assert sorted(report.indexed) == [A, B]
    assert (report.failed, report.interrupted) == ([], False)
    assert "oats" in texts(library)
    assert "wheat" not in texts(library)
    entry = library.entries()[A]
    assert entry.content_hash == library.files.digest(Path("/library") / A)
    assert {one.chunk.doc_id for one in library.stored().values()} == {
        other.doc_id for other in library.entries().values()
    }


def test_one_that_never_stops_changing_is_reported_and_tried_again() -> None:
    library = BusyLibrary(*(paper(f"oats {n}") for n in range(9)))
    report = library.ingest()
    (failure,) = report.failed
    assert (failure.path, failure.code) == (A, "SOURCE_CHANGED")
    assert report.indexed == [B]
    assert [source.path.name for source in library.taken] == ["a.txt", "b.txt", "a.txt", "a.txt"]
    library.changes.clear()
    assert library.ingest().indexed == [A]


def test_one_that_vanishes_is_reported() -> None:
    library = BusyLibrary(paper("oats"))
    library.files.write("papers/c.txt", paper("rye"))
    library.files.forbid(A)
    assert [failure.code for failure in library.ingest().failed] == ["UNREADABLE_DOCUMENT"]


def test_force_asks_for_a_conversion_afresh() -> None:
    library = BusyLibrary()
    library.ingest()
    library.ingest(IngestRequest(force=True))
    assert [source.ignore_cache for source in library.taken] == [False, False, True, True]


def test_an_error_that_nobody_foresaw_is_one_documents() -> None:
    library = Library(TWO)
    library.canned["a.txt"] = ZeroDivisionError("float division by zero")
    report = library.ingest()
    (failure,) = report.failed
    assert (failure.path, failure.code) == (A, "UNREADABLE_DOCUMENT")
    assert "ZeroDivisionError" in failure.message
    assert "float division" not in failure.message
    assert "report" in failure.hint
    assert report.indexed == [B]
    assert library.entries()[A].status is Status.FAILED


class FaultyDense(HashingDense):
    """Fails with `error` over a text that holds the word wheat."""

    def __init__(self, error: Exception) -> None:
        super().__init__("fake/hashing-dense")
        self._error = error

    def embed_passages(self, texts: list[str]) -> list[DenseVector]:  # type: ignore[override]
        if any("wheat" in text for text in texts):
            raise self._error
        return super().embed_passages(texts)


def test_an_error_in_embedding_one_document_leaves_the_others() -> None:
    library = Library(TWO)
    library.dense = FaultyDense(ValueError("bad shape"))
    report = library.ingest()
    assert [failure.path for failure in report.failed] == [A]
    assert report.indexed == [B]


@pytest.mark.parametrize("error", [ModelUnavailable("gone"), InvalidReferences("no JSON")])
def test_an_error_of_the_run_ends_it(error: Exception) -> None:
    library = Library(TWO)
    library.dense = FaultyDense(error)
    with pytest.raises(type(error)):
        library.ingest()
    assert library.progress.finished


def test_a_run_that_was_stopped_with_nothing_left_to_do_was_not_interrupted() -> None:
    library = Library(TWO)
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(library.converted) == 2

    report = library.ingest(IngestRequest(stop=Cancellation(stop)))
    assert asked
    assert (report.indexed, report.interrupted) == ([A, B], False)
