"""The gate: a clean project passes, and every check fires on the fault it is for."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import pytest

from citeloom.application.ports.runtime import Cancellation
from citeloom.application.ports.vector_index import IndexDescription
from citeloom.application.validate import Finding, ValidationReport
from citeloom.domain.documents.manifest import Status
from citeloom.domain.errors import (
    DeadlineExceeded,
    EmbeddingMismatch,
    InvalidProject,
    InvalidReferences,
)
from citeloom.domain.policies import ChunkingPolicy
from citeloom.domain.references.bibliography import Flaw
from citeloom.domain.retrieval.passage import StoredChunk
from citeloom.domain.validation import CHECKS, Severity, ValidationPolicy
from tests.fakes.embedders import HashingDense, PieceCounter
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.gate import Gate, moved_to, sound_gate, uncite
from tests.unit.application.library import NOISE, PROJECT, RYE, A, B, Library, WatchedIndex, paper


class UnreadableReferences(MemoryReferenceLibrary):
    def diagnostics(self, citekeys: Collection[str] | None = None) -> tuple[str, ...]:
        raise InvalidReferences("line 3 is torn", "Export it anew.")


class NoReferences(MemoryReferenceLibrary):
    @property
    def fingerprint(self) -> str:
        return ""


@pytest.fixture
def gate() -> Gate:
    return sound_gate()


def the_one(report: ValidationReport) -> Finding:
    (finding,) = report.findings
    assert finding.check in report.checks
    return finding


def test_a_clean_project_passes(gate: Gate) -> None:
    report = gate.check()
    assert report.findings == ()
    assert report.passed
    assert (report.documents, report.chunks, report.checks) == (2, 6, tuple(CHECKS))


def test_a_copy_is_no_document_more(gate: Gate) -> None:
    [first, *_] = gate.library.files.texts()
    gate.library.files.write("papers/copy.txt", gate.library.files.texts()[first])
    gate.library.ingest()
    assert gate.check().documents == 2


def test_checking_changes_nothing(gate: Gate) -> None:
    gate.library.fuse.journal.clear()
    gate.check()
    assert gate.library.fuse.journal == []


def test_nothing_is_checked_where_nothing_was_ingested(gate: Gate) -> None:
    gate.library.index = WatchedIndex(gate.library.fuse)
    with pytest.raises(InvalidProject):
        gate.check()


def test_other_models_leave_nothing_to_check(gate: Gate) -> None:
    gate.library.project = replace(PROJECT, embedding_model="other")
    with pytest.raises(EmbeddingMismatch):
        gate.check()


def test_a_check_that_nobody_waits_for_stops_at_the_next_chunks(gate: Gate) -> None:
    cancellation = Cancellation()
    cancellation.request()
    with pytest.raises(DeadlineExceeded):
        gate.check(cancellation=cancellation)


def test_in_a_project_without_references_no_document_lacks_one() -> None:
    library = Library({A: paper("wheat")})
    library.references = NoReferences()
    library.ingest()
    gate = Gate(library, ValidationPolicy(), library.counter, library.dense)
    assert "citekey" not in gate.check().checks
    assert gate.check().findings == ()
    gate.policy = ValidationPolicy(require_citekey=True)
    assert the_one(gate.check()).check == "citekey"


# --- models and store


def test_chunk_sizes_must_fit_the_window(gate: Gate) -> None:
    chunking = replace(PROJECT.chunking, max_tokens=500)
    gate.library.project = replace(PROJECT, chunking=chunking)
    finding = the_one(gate.check())
    assert (finding.check, "500" in finding.message) == ("models", True)


def test_vectors_must_have_the_collections_dimension(gate: Gate) -> None:
    gate.dense = HashingDense(PROJECT.embedding_model, dimension=8)
    finding = the_one(gate.check())
    assert "8 dimensions" in finding.message
    assert "--rebuild" in finding.hint


class OtherSchema(WatchedIndex):
    """A store of an older version, with fewer indexes."""

    def describe(self, name: str) -> IndexDescription:
        described = super().describe(name)
        return replace(
            described,
            collection=replace(described.collection, schema_version="0"),
            indexed_fields={"project_id": "keyword", "doc_id": "keyword"},
        )


def test_the_store_must_have_the_current_schema_and_its_indexes() -> None:
    library = Library({A: paper("wheat")})
    library.index = OtherSchema(library.fuse)
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    gate = Gate(library, ValidationPolicy(), library.counter, library.dense)
    schema, indexes = gate.check().findings
    assert {schema.check, indexes.check} == {"store"}
    assert "version 0" in schema.message
    assert "citekey, tags, year, kind" in indexes.message


# --- catalogue and references


def test_every_document_must_be_indexed(gate: Gate) -> None:
    gate.library.files.write("papers/c.txt", NOISE)
    gate.library.ingest()
    finding = the_one(gate.check())
    assert (finding.check, finding.subject) == ("status", "papers/c.txt")
    assert finding.message.startswith("is failed: no text worth a chunk")


def test_an_unfinished_document_is_told(gate: Gate) -> None:
    gate.enter(A, lambda entry: replace(entry, status=Status.PROCESSING))
    assert the_one(gate.check()).message == "is processing"


def test_the_store_must_hold_what_the_catalogue_says(gate: Gate) -> None:
    gate.enter(A, lambda entry: replace(entry, chunks=4))
    finding = the_one(gate.check())
    assert (finding.check, finding.subject) == ("missing-chunks", A)
    assert "has 3 chunks in the store, but 4" in finding.message


def test_a_document_must_have_enough_chunks(gate: Gate) -> None:
    gate.policy = ValidationPolicy(min_chunks_per_document=4)
    findings = gate.check().findings
    assert [finding.subject for finding in findings] == [A, B]
    assert "fewer than 4" in findings[0].message


def test_enough_of_the_body_must_be_in_chunks(gate: Gate) -> None:
    gate.enter(A, lambda entry: replace(entry, body_share=0.5))
    finding = the_one(gate.check())
    assert (finding.check, finding.subject) == ("body-share", A)
    assert "50%" in finding.message
    gate.policy = ValidationPolicy(min_body_share=0.5)
    assert gate.check().passed


def test_every_chunk_must_belong_to_a_document(gate: Gate) -> None:
    doc_id = gate.library.entries()[B].doc_id
    gate.library.manifest.remove(PROJECT.id, B)
    finding = the_one(gate.check())
    assert (finding.check, finding.subject) == ("orphans", doc_id)
    assert doc_id in finding.hint


def test_a_document_without_a_reference_is_a_warning_unless_it_must_have_one(gate: Gate) -> None:
    uncite(gate, B)
    report = gate.check()
    finding = the_one(report)
    assert (finding.check, finding.subject) == ("citekey", B)
    assert (finding.severity, report.passed) == (Severity.WARNING, True)
    gate.policy = ValidationPolicy(require_citekey=True)
    assert not gate.check().passed


def test_what_is_wrong_with_the_references_is_a_warning(gate: Gate) -> None:
    gate.library.references = MemoryReferenceLibrary(flaws=(Flaw("rye2001 has no year"),))
    report = gate.check()
    assert the_one(report).message == "rye2001 has no year"
    assert report.passed


def test_references_must_be_readable(gate: Gate) -> None:
    gate.library.references = UnreadableReferences()
    report = gate.check()
    finding = the_one(report)
    assert (finding.check, finding.message, finding.hint) == (
        "references",
        "line 3 is torn",
        "Export it anew.",
    )
    assert not report.passed


# --- sources and documents


def test_every_source_must_be_there(gate: Gate) -> None:
    gate.library.project = replace(PROJECT, sources=("papers", "nowhere"))
    report = gate.check()
    finding = the_one(report)
    assert (finding.check, finding.subject) == ("sources", "nowhere")
    assert finding.message == "no such file or folder"
    assert not report.passed


def test_a_project_without_documents_fails() -> None:
    library = Library({A: paper("wheat")})
    library.files.remove(A)
    library.ingest()
    gate = Gate(library, ValidationPolicy(), library.counter, library.dense)
    report = gate.check()
    finding = the_one(report)
    assert (finding.check, report.documents) == ("documents", 0)
    assert "`citeloom ingest`" in finding.hint
    assert not report.passed
    gate.policy = ValidationPolicy(severity={"documents": Severity.OFF})
    assert gate.check().passed


# --- chunks


@pytest.mark.parametrize(
    ("check", "change", "said"),
    [
        (
            "signal",
            lambda stored: replace(stored, chunk=replace(stored.chunk, signal_to_noise=0.1)),
            "signal-to-noise of 0.10, less than 0.3",
        ),
        ("pages", lambda stored: moved_to(stored, page_span=(3, 4)), "page 4 of a document of 3"),
        (
            "id",
            lambda stored: replace(stored, chunk=replace(stored.chunk, id="stray")),
            "its place gives it the id",
        ),
        (
            "encoding",
            lambda stored: replace(
                stored, chunk=replace(stored.chunk, text=stored.chunk.text + " \ufffd" * 9)
            ),
            "could not be decoded",
        ),
        (
            "encoding",
            lambda stored: replace(
                stored, chunk=replace(stored.chunk, text=stored.chunk.text + " (cid:12)")
            ),
            "could not be decoded",
        ),
        (
            "length",
            lambda stored: replace(stored, chunk=replace(stored.chunk, text="Too short.")),
            "has 3 tokens, fewer than 4",
        ),
        (
            "window",
            lambda stored: replace(stored, chunk=replace(stored.chunk, text="wheat " * 200)),
            "tokens, but the model reads 128",
        ),
        (
            "window",
            lambda stored: replace(stored, chunk=replace(stored.chunk, token_count=129)),
            "tokens, but the model reads 128",
        ),
    ],
)
def test_a_spoilt_chunk_is_found(
    gate: Gate, check: str, change: Callable[[StoredChunk], StoredChunk], said: str
) -> None:
    gate.spoil(change, index=2)
    report = gate.check()
    finding = the_one(report)
    assert finding.check == check
    assert said in finding.message
    assert not report.passed


def test_a_text_that_comes_twice_is_found(gate: Gate) -> None:
    texts = {
        s.chunk.chunk_idx: s.chunk.text
        for s in gate.library.stored().values()
        if s.source_path == A
    }
    gate.spoil(lambda stored: replace(stored, chunk=replace(stored.chunk, text=texts[0])), index=1)
    finding = the_one(gate.check())
    assert finding.check == "duplicates"
    assert "has the text of chunk" in finding.message


def test_two_documents_may_say_the_same(gate: Gate) -> None:
    library = Library({A: paper("wheat"), B: paper("wheat") + "\n\n# More\n\n" + "And more. " * 4})
    library.references = gate.library.references
    library.ingest()
    gate.library = library
    assert gate.check().passed


def test_chunks_must_be_numbered_without_a_gap(gate: Gate) -> None:
    gate.spoil(lambda stored: moved_to(stored, chunk_idx=7, page_span=(3, 3)), index=1)
    finding = the_one(gate.check())
    assert (finding.check, finding.subject) == ("order", A)
    assert "0..2" in finding.message


def test_a_few_chunks_may_be_too_long_where_that_is_allowed(gate: Gate) -> None:
    gate.spoil(lambda stored: replace(stored, chunk=replace(stored.chunk, token_count=129)))
    gate.policy = ValidationPolicy(max_window_overflow=1)
    assert gate.check().passed


def test_a_document_without_any_heading_is_a_warning() -> None:
    library = Library({A: "Plot one of wheat was measured for rainfall in the field trial."})
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    report = Gate(library, ValidationPolicy(), library.counter, library.dense).check()
    finding = the_one(report)
    assert (finding.check, finding.subject, report.passed) == ("headings", A, True)


def test_a_model_of_a_small_window_has_chunks_as_short_as_it_needs(gate: Gate) -> None:
    library = Library({A: paper("wheat", sections=5)})
    library.project = replace(PROJECT, chunking=ChunkingPolicy(overlap_tokens=0))
    library.counter = PieceCounter(window=30)
    library.references = gate.library.references
    library.ingest()
    assert Gate(library, ValidationPolicy(), library.counter, library.dense).check().passed


def test_more_chunks_than_are_counted_together_are_all_looked_at() -> None:
    library = Library({f"papers/{n:03d}.txt": paper(f"wheat {n}", sections=5) for n in range(53)})
    library.ingest()
    gate = Gate(library, ValidationPolicy(), PieceCounter(window=20), library.dense)
    report = gate.check()
    windows = [finding for finding in report.findings if finding.check == "window"]
    assert sum(finding.count for finding in windows) == report.chunks == 265


def test_a_generated_citekey_is_reported() -> None:
    gate = sound_gate()
    library = gate.library
    generated = replace(RYE, citekey_generated=True)
    library.references = MemoryReferenceLibrary(generated, mapping={"a.txt": "rye2001"})
    library.ingest()
    told = {one.path: one.citekey_generated for one in gate.check().by_document}
    assert told == {A: True, B: False}
