"""Each check is shown to fire on a project with the fault it looks for, and on that alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from citeloom.application.ports.vector_index import CitationUpdate, IndexDescription, MetadataUpdate
from citeloom.domain.chunks.chunk import ChunkKind
from citeloom.domain.documents.sections import Paragraph
from citeloom.domain.references.bibliography import Flaw
from citeloom.domain.retrieval.passage import ExaminedChunk, SparseVector, StoredChunk
from citeloom.domain.validation import CHECKS, Severity, ValidationPolicy
from tests.fakes.embedders import HashingDense
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.unit.application.gate import Gate, TamperedIndex, moved_to, sound_gate, uncite
from tests.unit.application.library import EVERYTHING, NOISE, PROJECT, RYE, A, B, Library, paper
from tests.unit.application.test_validate import UnreadableReferences

Seed = Callable[[Gate], None]


class Unindexed(TamperedIndex):
    """A store without payload indexes, and with a chunk that names no project."""

    stray = 0

    def describe(self, name: str) -> IndexDescription:
        described = super().describe(name)
        points = described.points + self.stray
        indexed = described.indexed_fields if self.stray else {}
        return replace(described, indexed_fields=indexed, points=points)


def chunk_with(**changes: object) -> Seed:
    def change(stored: StoredChunk) -> StoredChunk:
        return replace(stored, chunk=replace(stored.chunk, **changes))  # type: ignore[arg-type]

    return lambda gate: gate.spoil(change)


def lying(**changes: object) -> Seed:
    def change(examined: ExaminedChunk) -> ExaminedChunk:
        return replace(examined, **changes)  # type: ignore[arg-type]

    return lambda gate: gate.tamper(change)


def lying_chunk(**changes: object) -> Seed:
    """Change what the payload says where the store itself would refuse it."""

    def change(examined: ExaminedChunk) -> ExaminedChunk:
        assert examined.stored is not None
        return replace(examined, stored=replace(examined.stored, **changes))  # type: ignore[arg-type]

    return lambda gate: gate.tamper(change)


def with_references(library: MemoryReferenceLibrary) -> Seed:
    def seed(gate: Gate) -> None:
        gate.library.references = library

    return seed


def stored_in(stray: int) -> Seed:
    def seed(gate: Gate) -> None:
        index = Unindexed(gate.library.fuse)
        index.stray = stray
        gate.library.index = index
        gate.library.manifest.remove(PROJECT.id, A)
        gate.library.manifest.remove(PROJECT.id, B)
        gate.library.ingest()

    return seed


def other_dimension(gate: Gate) -> None:
    gate.dense = HashingDense(PROJECT.embedding_model, dimension=8)


def dead_copy(gate: Gate) -> None:
    gate.library.index.problems = ("a shard has 1 active copies of 2",)


def missing_source(gate: Gate) -> None:
    gate.library.project = replace(PROJECT, sources=("papers", "nowhere"))


def emptied(gate: Gate) -> None:
    library = Library({A: paper("wheat")})
    library.files.remove(A)
    library.ingest()
    gate.library = library


def failed_file(gate: Gate) -> None:
    gate.library.files.write("papers/c.txt", NOISE)
    gate.library.ingest()


def missing_chunk(gate: Gate) -> None:
    index, selection = gate.library.index, replace(EVERYTHING, source_path=A, chunks=(2, 2))
    index.delete(PROJECT.collection, selection)


def forgotten(gate: Gate) -> None:
    gate.library.manifest.remove(PROJECT.id, B)


def other_reference(gate: Gate) -> None:
    selection = replace(EVERYTHING, source_path=A)
    cited = CitationUpdate(citation=replace(RYE, citekey="oats"))
    update = MetadataUpdate(citation=cited)
    gate.library.index.update_metadata(PROJECT.collection, selection, update)


def no_identifier(gate: Gate) -> None:
    selection = replace(EVERYTHING, source_path=A)
    update = MetadataUpdate(citation=CitationUpdate(citation=replace(RYE, doi=None)))
    gate.library.index.update_metadata(PROJECT.collection, selection, update)


def retracted_work(gate: Gate) -> None:
    selection = replace(EVERYTHING, source_path=A)
    cited = CitationUpdate(citation=replace(RYE, retracted="2024-03-01"))
    update = MetadataUpdate(citation=cited)
    gate.library.index.update_metadata(PROJECT.collection, selection, update)


def no_chunks(gate: Gate) -> None:
    gate.library.index.delete(PROJECT.collection, replace(EVERYTHING, source_path=A))
    gate.enter(A, lambda entry: replace(entry, chunks=0))


def low_body_share(gate: Gate) -> None:
    gate.enter(A, lambda entry: replace(entry, body_share=0.5))


def lossy_page(gate: Gate) -> None:
    gate.enter(A, lambda entry: replace(entry, lost_words={1: 3, 2: 20}))


def no_headings(gate: Gate) -> None:
    for index in range(3):
        gate.spoil(lambda stored: moved_to(stored, section_path=()), index=index)


def gap(gate: Gate) -> None:
    gate.spoil(lambda stored: moved_to(stored, chunk_idx=7), index=2)


def page_back(gate: Gate) -> None:
    gate.spoil(lambda stored: moved_to(stored, page_span=(3, 3)), index=0)


def twice_the_same(gate: Gate) -> None:
    (first,) = (
        s for s in gate.library.stored().values() if (s.source_path, s.chunk.chunk_idx) == (A, 0)
    )
    text = first.chunk.text
    gate.spoil(lambda stored: replace(stored, chunk=replace(stored.chunk, text=text)), index=1)


def everywhere_the_same(gate: Gate) -> None:
    papers = {f"papers/{name}.txt": paper(name) for name in ("oats", "rye", "spelt")}
    for path, text in papers.items():
        gate.library.files.write(path, "# Licence\n\nThis text may be shared by all.\n\n" + text)
    gate.library.references = MemoryReferenceLibrary(
        RYE,
        replace(RYE, citekey="barley2002"),
        mapping={
            "a.txt": "rye2001",
            "b.txt": "barley2002",
            "oats.txt": "rye2001",
            "rye.txt": "rye2001",
            "spelt.txt": "rye2001",
        },
    )
    gate.library.ingest()


UNIT = [1.0] + [0.0] * 31
SEEDS: dict[str, list[Seed]] = {
    "models": [other_dimension, lying_chunk(embed_model="other")],
    "store": [stored_in(0)],
    "copies": [dead_copy],
    "references": [with_references(UnreadableReferences())],
    "reference-notes": [
        with_references(MemoryReferenceLibrary(flaws=(Flaw("rye2001 has no year"),)))
    ],
    "sources": [missing_source],
    "documents": [emptied],
    "status": [failed_file],
    "missing-chunks": [missing_chunk],
    "orphans": [forgotten],
    "citation": [other_reference],
    "citekey": [lambda gate: uncite(gate, A)],
    "identifier": [no_identifier],
    "retracted": [retracted_work],
    "min-chunks": [no_chunks],
    "body-share": [low_body_share],
    "lost-words": [lossy_page],
    "headings": [no_headings],
    "order": [gap],
    "page-order": [page_back],
    "duplicates": [twice_the_same],
    "shared-text": [everywhere_the_same],
    "payload": [lying(stored=None, faults=("'kind' is missing",)), stored_in(2)],
    "id": [chunk_with(id="stray")],
    "empty": [lying(stored=None, text=" ", faults=("it has no 'chunk_text'",))],
    "pages": [lambda gate: gate.enter(A, lambda entry: replace(entry, pages=2))],
    "length": [chunk_with(text="Too short."), chunk_with(token_count=61)],
    "window": [chunk_with(text="wheat " * 200), chunk_with(token_count=129)],
    "signal": [chunk_with(signal_to_noise=0.1)],
    "labels": [chunk_with(text="0 53 106 159 212 l l ll lll age 40 50 60 70 80 90")],
    "hidden": [chunk_with(kind=ChunkKind.HIDDEN)],
    "encoding": [
        chunk_with(text=f"Plot one of wheat was measured for rainfall {noise}")
        for noise in (
            "\ufffd\ufffd",
            "(cid:12)",
            "GLYPH<7>",
            "GrÃ¶Ã\x9fe",
            "\ue001\ue002",
            "\x02\x03",
        )
    ],
    "vectors": [
        lying(dense=None),
        lying(dense=[0.0] * 32),
        lying(dense=[math.nan] * 32),
        lying(dense=[0.5, *UNIT[1:]]),
        lying(dense=UNIT[1:]),
    ],
    "sparse": [
        lying(sparse=None),
        lying(sparse=SparseVector(indices=(), values=())),
        lying(sparse=SparseVector(indices=(4,), values=(0.0,))),
        lying(sparse=SparseVector(indices=(4,), values=(math.nan,))),
    ],
}


def test_every_check_has_a_seeded_fault() -> None:
    assert list(SEEDS) == list(CHECKS)


@pytest.mark.parametrize(
    ("check", "seed"),
    [
        pytest.param(check, seed, id=f"{check}-{number}")
        for check, seeds in SEEDS.items()
        for number, seed in enumerate(seeds)
    ],
)
def test_the_check_fires_on_its_fault_alone(check: str, seed: Seed) -> None:
    gate = sound_gate()
    assert gate.check().findings == ()
    seed(gate)
    report = gate.check()
    assert {finding.check for finding in report.findings} == {check}
    assert {finding.severity for finding in report.findings} == {CHECKS[check].severity}
    assert report.passed is (CHECKS[check].severity is not Severity.ERROR)
    assert all(finding.message for finding in report.findings)
    assert gate.check(skip={check}).findings == ()
    assert gate.check(only={check}).findings == report.findings


def test_text_on_no_known_page_is_in_no_wrong_order() -> None:
    gate = sound_gate()
    paragraph = Paragraph(section="", number=1)
    unpaged = {"page_span": None, "page_labels": (), "page_starts": (), "boxes": ()}
    place = {**unpaged, "paragraphs": (paragraph, paragraph)}
    gate.spoil(lambda stored: moved_to(stored, **place), index=1)
    assert "page-order" not in {finding.check for finding in gate.check().findings}


def test_a_document_is_summed_up() -> None:
    gate = sound_gate()
    chunk_with(signal_to_noise=0.1)(gate)
    no_identifier(gate)
    one, other = gate.check().by_document
    assert (one.path, one.chunks, one.errors, one.warnings, one.infos) == (A, 3, 1, 0, 1)
    assert (other.path, other.errors, other.warnings, other.infos) == (B, 0, 0, 0)


def test_a_check_that_is_off_does_not_run() -> None:
    gate = sound_gate()
    low_body_share(gate)
    gate.policy = ValidationPolicy(severity={"body-share": Severity.OFF})
    report = gate.check()
    assert (report.findings, "body-share" in report.checks) == ((), False)


def test_severity_can_be_raised_and_lowered() -> None:
    gate = sound_gate()
    low_body_share(gate)
    gate.policy = ValidationPolicy(severity={"body-share": Severity.INFO}, strict=True)
    assert gate.check().passed
    gate.policy = ValidationPolicy(severity={"body-share": Severity.WARNING})
    assert gate.check().passed
    gate.policy = replace(gate.policy, strict=True)
    assert not gate.check().passed


def test_a_finding_counts_its_chunks_and_names_the_first() -> None:
    library = Library({A: paper("wheat", sections=5) + "\n\n" + paper("oats", sections=5)})
    library.ingest()
    gate = Gate(library, ValidationPolicy(), library.counter, library.dense)
    for index in range(7):
        gate.spoil(
            lambda stored: replace(stored, chunk=replace(stored.chunk, signal_to_noise=0.1)),
            index=index,
        )
    (finding,) = gate.check(only={"signal"}).findings
    assert (finding.count, len(set(finding.chunks))) == (7, 5)


def test_thresholds_are_those_of_the_policy() -> None:
    gate = sound_gate()
    everywhere_the_same(gate)
    gate.policy = ValidationPolicy(max_documents_per_text=3)
    assert gate.check().passed
    lying(dense=[0.9, *UNIT[1:]])(gate)
    gate.policy = replace(gate.policy, max_norm_deviation=0.2)
    assert gate.check().findings == ()


def test_a_collection_without_sparse_vectors_needs_none() -> None:
    library = Library({A: paper("wheat")})
    library.project = replace(PROJECT, sparse_model=None, hybrid_enabled=False)
    library.ingest()
    gate = Gate(library, ValidationPolicy(), library.counter, library.dense)
    assert gate.check(only={"sparse", "vectors"}).findings == ()


def test_a_severity_is_that_of_a_check() -> None:
    with pytest.raises(ValueError, match="no such check: headngs"):
        ValidationPolicy(severity={"headngs": Severity.OFF})
