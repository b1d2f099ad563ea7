"""The first run, and what goes wrong in it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from citeloom.application.documents import inspect_project
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.conversion import LeftOut, LeftOutKind, LostWords, PageFailure
from citeloom.domain.documents.manifest import Status
from citeloom.domain.errors import (
    ConfigError,
    EmbeddingMismatch,
    EncryptedDocument,
    InvalidReferences,
    ModelUnavailable,
)
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.references.bibliography import Flaw
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import DenseVector, SparseVector
from citeloom.infrastructure.interfaces.cli.ingest_commands import summary
from tests.fakes.clock import SetClock
from tests.fakes.document_converter import conversion_of
from tests.fakes.embedders import HashingDense, PieceCounter, TermHashSparse
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.library import NOISE, PROJECT, RYE, Library, open_project, paper

TWO = {"papers/a.txt": paper("wheat"), "papers/b.txt": paper("barley")}


class AbsentDense(HashingDense):
    """A model whose size is known and whose weights are not here."""

    def embed_query(self, text: str) -> DenseVector:
        raise ModelUnavailable("no such model")


class AbsentSparse(TermHashSparse):
    def embed_query(self, text: str, language: str | None = None) -> SparseVector:
        raise ModelUnavailable("no such model")


class BrokenReferences(MemoryReferenceLibrary):
    """References of which only the fingerprint can be told."""

    def references(self) -> tuple[CitationMeta, ...]:
        raise InvalidReferences("line 3 is no JSON")


def test_a_first_run_stores_every_document() -> None:
    library = Library(TWO)
    report = library.ingest()
    assert report.indexed == ["papers/a.txt", "papers/b.txt"]
    assert (report.failed, report.pending, report.gone) == ([], [], [])
    assert library.sources() == {"papers/a.txt": 3, "papers/b.txt": 3}
    assert (report.found, report.pages, report.chunks.added) == (2, 6, 6)
    assert report.chunks.body_share == 1.0
    assert report.chunks.with_heading == 6


def test_a_stored_chunk_says_where_it_is_from_and_by_what_it_was_embedded() -> None:
    library = Library(TWO)
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    (last,) = (
        stored
        for stored in library.stored().values()
        if stored.source_path == "papers/a.txt" and stored.chunk.chunk_idx == 2
    )
    assert last.citation == RYE
    assert last.chunk.page_span == (3, 3)
    assert last.chunk.section_path == ("Winter Rye",)
    assert (last.embed_model, last.sparse_model) == (
        PROJECT.embedding_model,
        PROJECT.sparse_model,
    )


def test_the_catalogue_knows_each_document_and_its_life() -> None:
    library = Library({"papers/a.txt": paper("wheat")})
    library.ingest()
    lives = [entry.status for entry in library.manifest.puts]
    assert lives == [Status.PENDING, Status.PROCESSING, Status.INDEXED]
    entry = library.entries()["papers/a.txt"]
    assert (entry.status, entry.chunks, entry.pages, entry.body_share) == (
        Status.INDEXED,
        3,
        3,
        1.0,
    )
    assert entry.content_hash.startswith(entry.doc_id)
    assert library.manifest.puts[-1].updated_at is not None


def test_the_report_goes_into_the_audit_as_json() -> None:
    library = Library({"papers/a.txt": paper("wheat"), "papers/b.txt": ""})
    report = library.ingest()
    (record,) = library.audit.records(PROJECT.id)
    assert isinstance(record, dict)
    assert record["run_id"] == report.run_id
    assert record["failed"][0]["code"] == "EMPTY_DOCUMENT"
    assert json.dumps(record["seconds"])


def test_stages_and_outcomes_are_told_as_the_run_goes_on() -> None:
    library = Library({"papers/a.txt": paper("wheat"), "papers/b.txt": ""})
    report = library.ingest()
    progress = library.progress
    assert progress.total == 2
    stages = ["convert", "match", "chunk", "embed", "store"]
    assert progress.stages == [
        *(("papers/a.txt", stage) for stage in stages),
        ("papers/b.txt", "convert"),
    ]
    assert (progress.pages, progress.chunks) == (3, 3)
    assert dict(progress.outcomes) == {
        "papers/a.txt": "indexed: 3 chunks, no reference",
        "papers/b.txt": "failed: EMPTY_DOCUMENT",
    }
    assert progress.finished
    assert {"convert", "chunk", "match", "embed", "store", "total"} <= set(report.seconds)
    assert all(seconds > 0 for seconds in report.seconds.values())


def test_references_are_counted_by_how_they_matched() -> None:
    library = Library(TWO)
    library.references = MemoryReferenceLibrary(
        RYE,
        mapping={"a.txt": "rye2001"},
        flaws=(
            Flaw("the file is odd"),
            Flaw("rye2001 has no year", ("rye2001",)),
            Flaw("oat1999 has no year", ("oat1999",)),
        ),
    )
    report = library.ingest()
    assert sum(report.matched.values()) == 1
    assert [unmatched.path for unmatched in report.unmatched] == ["papers/b.txt"]
    assert report.reference_diagnostics == ("the file is odd", "rye2001 has no year")
    assert report.other_reference_diagnostics == 1
    assert ("papers/a.txt", "indexed: 3 chunks, @rye2001") in library.progress.outcomes


def test_a_failed_document_is_reported_and_the_rest_goes_on() -> None:
    library = Library(TWO)
    library.canned["a.txt"] = EncryptedDocument("locked", "unlock it")
    report = library.ingest()
    (failure,) = report.failed
    assert (failure.path, failure.code, failure.hint) == (
        "papers/a.txt",
        "ENCRYPTED_DOCUMENT",
        "unlock it",
    )
    assert report.indexed == ["papers/b.txt"]
    assert report.pending == []
    entry = library.entries()["papers/a.txt"]
    assert (entry.status, entry.error_code, entry.error) == (
        Status.FAILED,
        "ENCRYPTED_DOCUMENT",
        "locked",
    )
    library.canned.clear()
    assert library.ingest(IngestRequest(retry_failed=True)).indexed == ["papers/a.txt"]
    assert library.entries()["papers/a.txt"].error_code is None


def test_a_document_without_a_chunk_is_empty_and_the_reason_counted() -> None:
    library = Library({"papers/a.txt": NOISE, "papers/b.txt": ""})
    first, second = library.ingest().failed
    assert (first.code, second.code) == ("EMPTY_DOCUMENT", "EMPTY_DOCUMENT")
    assert "low signal to noise" in first.message
    assert "holds no text" in second.message
    assert "min_signal_to_noise" in first.hint


def test_a_document_is_kept_however_short_it_is() -> None:
    library = Library({"papers/a.txt": "Rye is late.", "papers/b.txt": "# Only a heading"})
    report = library.ingest()
    assert (report.failed, sorted(report.indexed)) == ([], ["papers/a.txt", "papers/b.txt"])
    assert {s.chunk.text for s in library.stored().values()} == {"Rye is late.", "# Only a heading"}


def test_text_that_says_nothing_is_left_out_and_counted() -> None:
    library = Library({"papers/a.txt": paper("wheat") + "\n\n# Noise\n\n" + ". , ; : " * 20})
    report = library.ingest()
    assert report.chunks.filtered == {"low_signal_to_noise": 2}
    assert {one.document for one in report.dropped_sections} == {"papers/a.txt"}
    assert [one.part.section_path for one in report.dropped_sections] == [("Noise",)] * 2
    assert all(one.part.signal_to_noise < 0.3 for one in report.dropped_sections)
    assert "left out as noise: 2 parts of sections" in summary(report)
    assert report.chunks.body_share < 1.0
    assert library.entries()["papers/a.txt"].body_share == report.chunks.body_share


def test_pages_that_failed_are_told_and_the_others_indexed() -> None:
    library = Library({"papers/a.txt": "x"})
    broken = replace(
        conversion_of(paper("wheat"), doc_id="d"),
        page_failures=(PageFailure(page=2, reason="too odd"),),
    )
    library.canned["a.txt"] = broken
    report = library.ingest()
    assert report.page_failures == {"papers/a.txt": ["page 2: too odd"]}
    assert report.indexed == ["papers/a.txt"]


def test_the_words_that_pages_lose_are_in_the_manifest_and_in_inspect() -> None:
    library = Library({"papers/a.txt": "x"})
    lost = {1: LostWords(count=3, sample="rye"), 2: LostWords(count=20, sample="oats")}
    library.canned["a.txt"] = replace(conversion_of(paper("wheat"), doc_id="d"), lost_words=lost)
    (note,) = library.ingest().notes["papers/a.txt"]
    assert note == "20 words on page 2 are in no passage: oats …"
    assert library.entries()["papers/a.txt"].lost_words == {1: 3, 2: 20}
    (page,) = inspect_project(open_project(library)).lossy_pages
    assert (page.path, page.page, page.lost_words) == ("papers/a.txt", 2, 20)


def test_what_pages_leave_out_on_purpose_is_counted_and_in_the_manifest() -> None:
    library = Library({"papers/a.txt": "x"})
    head = LeftOut(kind=LeftOutKind.HEADER, count=3, text="Rye and barley")
    number = LeftOut(kind=LeftOutKind.FOOTER, count=1, text="1")
    pages = {1: (head, number), 2: (head,)}
    library.canned["a.txt"] = replace(conversion_of(paper("wheat"), doc_id="d"), left_out=pages)
    report = library.ingest()
    assert report.chunks.left_out == {"header": 6, "footer": 1}
    assert "left out on purpose: 7 words (6 header, 1 footer)" in summary(report)
    assert library.entries()["papers/a.txt"].left_out == pages


def test_a_file_that_cannot_be_read_is_reported() -> None:
    library = Library(TWO)
    library.files.forbid("papers/a.txt")
    report = library.ingest()
    assert [(f.path, f.code) for f in report.failed] == [("papers/a.txt", "UNREADABLE_DOCUMENT")]
    assert report.indexed == ["papers/b.txt"]
    failed = library.entries()["papers/a.txt"]
    assert (failed.status, failed.error_code) == (Status.FAILED, "UNREADABLE_DOCUMENT")


def test_a_file_that_could_not_be_read_is_read_as_soon_as_it_can_be() -> None:
    library = Library(TWO)
    library.files.forbid("papers/a.txt")
    library.ingest()
    library.files.allow("papers/a.txt")
    assert library.ingest().indexed == ["papers/a.txt"]


def test_a_changed_file_that_cannot_be_read_keeps_what_was_indexed_of_it() -> None:
    library = Library(TWO)
    library.ingest()
    before = library.sources()
    library.files.write("papers/a.txt", paper("wheat and oats"))
    library.files.forbid("papers/a.txt")
    library.ingest()
    assert library.entries()["papers/a.txt"].status is Status.FAILED
    assert library.sources() == before


def test_a_file_that_could_not_be_read_and_is_gone_takes_nothing_with_it() -> None:
    library = Library(TWO)
    library.files.forbid("papers/a.txt")
    library.ingest()
    library.files.remove("papers/a.txt")
    before = library.sources()
    assert library.ingest(IngestRequest(prune=True)).pruned == ["papers/a.txt"]
    assert library.sources() == before != {}


def test_a_dry_run_writes_nothing_of_a_file_that_cannot_be_read() -> None:
    library = Library(TWO)
    library.files.forbid("papers/a.txt")
    library.ingest(IngestRequest(dry_run=True))
    assert library.entries() == {}


def test_a_source_that_is_not_there_is_reported() -> None:
    library = Library(TWO)
    report = library.ingest(IngestRequest(sources=("papers/a.txt", "nowhere")))
    assert [(f.path, f.code) for f in report.failed] == [("nowhere", "SOURCE_UNAVAILABLE")]
    assert report.indexed == ["papers/a.txt"]


def test_named_sources_come_before_the_configured_ones() -> None:
    library = Library({**TWO, "more/c.txt": paper("rye"), "more/c.jpg": "x"})
    report = library.ingest(IngestRequest(sources=("more",)))
    assert (report.indexed, report.ignored) == (["more/c.txt"], 1)


def test_without_sources_there_is_nothing_to_ingest_and_nothing_is_made() -> None:
    library = Library(TWO)
    library.project = replace(PROJECT, sources=())
    with pytest.raises(ConfigError, match="no sources"):
        library.ingest()
    assert library.index.binding(PROJECT.collection) is None


def test_a_missing_model_is_known_before_anything_is_converted_or_made() -> None:
    for change in ("dense", "sparse"):
        library = Library(TWO)
        if change == "dense":
            library.dense = AbsentDense(PROJECT.embedding_model)
        else:
            library.sparse = AbsentSparse()
        with pytest.raises(ModelUnavailable):
            library.ingest()
        assert library.converted == []
        assert library.index.binding(PROJECT.collection) is None
        assert library.progress.finished


def test_a_missing_model_is_known_before_a_later_run_converts() -> None:
    library = Library(TWO)
    library.ingest()
    library.files.write("papers/c.txt", paper("rye"))
    library.sparse = AbsentSparse()
    with pytest.raises(ModelUnavailable):
        library.ingest()
    assert library.converted == []


def test_a_chunk_size_the_model_cannot_read_is_refused() -> None:
    library = Library(TWO)
    library.counter = PieceCounter(window=50)
    with pytest.raises(ConfigError, match="max_tokens is 60"):
        library.ingest()


def test_a_dense_project_stores_no_sparse_vectors() -> None:
    library = Library(TWO)
    library.project = replace(PROJECT, hybrid_enabled=False)
    library.ingest()
    assert {stored.sparse_model for stored in library.stored().values()} == {None}
    bound = library.index.binding(PROJECT.collection)
    assert bound is not None
    assert not bound.hybrid


def test_another_model_is_refused_and_nothing_is_written() -> None:
    library = Library(TWO)
    library.ingest()
    before, entries = library.stored(), library.entries()
    for project in (
        replace(PROJECT, embedding_model="other/dense"),
        replace(PROJECT, sparse_model="other/sparse"),
        replace(PROJECT, hybrid_enabled=False),
    ):
        library.project = project
        with pytest.raises(EmbeddingMismatch) as caught:
            library.ingest(IngestRequest(force=True))
        assert PROJECT.collection in caught.value.message
        assert "--rebuild" in caught.value.hint
        assert library.fuse.journal == []
    library.project = PROJECT
    assert (library.stored(), library.entries()) == (before, entries)


def test_a_limit_leaves_the_rest_for_later() -> None:
    library = Library({**TWO, "papers/c.txt": paper("rye")})
    report = library.ingest(IngestRequest(limit=2))
    assert report.indexed == ["papers/a.txt", "papers/b.txt"]
    assert report.pending == ["papers/c.txt"]
    assert library.ingest().indexed == ["papers/c.txt"]


def test_a_dry_run_tells_what_there_is_to_do_and_changes_nothing() -> None:
    library = Library({**TWO, "papers/copy.txt": TWO["papers/a.txt"]})
    report = library.ingest(IngestRequest(dry_run=True))
    assert report.dry_run
    assert report.pending == ["papers/a.txt", "papers/b.txt"]
    assert report.duplicates == {"papers/copy.txt": "papers/a.txt"}
    assert library.fuse.journal == []
    assert library.converted == []
    assert library.index.binding(PROJECT.collection) is None


def test_a_dry_run_of_a_changed_library_tells_what_changed() -> None:
    library = Library(TWO)
    library.ingest()
    library.files.write("papers/a.txt", paper("oats"))
    library.files.remove("papers/b.txt")
    report = library.ingest(IngestRequest(dry_run=True))
    assert (report.pending, report.gone, report.unchanged) == (
        ["papers/a.txt"],
        ["papers/b.txt"],
        [],
    )
    assert library.fuse.journal == []


def test_one_flush_serves_many_small_documents() -> None:
    library = Library({f"papers/{n:03d}.txt": paper(f"wheat {n}", sections=5) for n in range(60)})
    library.clock = SetClock()
    report = library.ingest()
    assert len(report.indexed) == 60
    assert library.fuse.journal.count("flush") == 2
    assert len(library.stored()) == 300


def test_what_is_prepared_does_not_wait_for_long_to_be_stored() -> None:
    library = Library({f"papers/{n}.txt": paper(f"wheat {n}") for n in range(9)})
    library.clock = SetClock(tick=0.9)
    library.ingest()
    assert library.fuse.journal.count("flush") > 3


def test_a_long_document_tells_of_its_chunks_as_they_are_embedded() -> None:
    library = Library({"papers/a.txt": "\n\n".join(paper(f"wheat {n}") for n in range(40))})
    library.ingest()
    assert library.embedded == 2
    assert library.progress.chunks == len(library.stored()) > 64


def test_a_stop_ends_the_run_in_good_order() -> None:
    library = Library({**TWO, "papers/c.txt": paper("rye")})
    report = library.ingest(IngestRequest(stop=Cancellation(lambda: len(library.converted) >= 2)))
    assert report.interrupted
    assert report.indexed == ["papers/a.txt", "papers/c.txt"]
    assert report.pending == ["papers/b.txt"]
    assert library.sources() == {"papers/a.txt": 3, "papers/c.txt": 3}
    again = library.ingest()
    assert again.indexed == ["papers/b.txt"]
    assert not again.interrupted


def test_after_a_stop_nothing_is_pruned() -> None:
    library = Library(TWO)
    library.ingest()
    library.files.remove("papers/b.txt")
    library.files.write("papers/c.txt", paper("rye"))
    report = library.ingest(IngestRequest(stop=Cancellation(lambda: True), prune=True))
    assert (report.pruned, report.gone) == ([], ["papers/b.txt"])
    assert library.sources()["papers/b.txt"] == 3


def test_a_small_window_is_followed() -> None:
    library = Library(TWO)
    library.counter = PieceCounter(window=30)
    library.project = replace(PROJECT, chunking=ChunkingPolicy())
    library.ingest()
    assert max(stored.chunk.token_count for stored in library.stored().values()) <= 30


def test_a_citation_without_all_its_fields_is_no_obstacle() -> None:
    library = Library(TWO)
    bare = CitationMeta(citekey="bare", title="")
    library.references = MemoryReferenceLibrary(bare, mapping={"a.txt": "bare"})
    assert library.ingest().failed == []
    assert library.entries()["papers/a.txt"].citekey == "bare"


def test_references_that_cannot_be_read_stop_a_run_before_it_converts() -> None:
    library = Library(TWO)
    library.references = BrokenReferences()
    with pytest.raises(InvalidReferences):
        library.ingest()
    assert library.converted == []
    library.references = MemoryReferenceLibrary(RYE)
    library.ingest()
    library.references = BrokenReferences(RYE, mapping={"a.txt": "rye2001"})
    with pytest.raises(InvalidReferences):
        library.ingest()
