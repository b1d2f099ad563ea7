"""Later runs: what has not changed is left alone, what has is replaced, what is gone is told."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import cast

import pytest

from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import Status
from citeloom.domain.errors import IndexLocked, UnreadableDocument
from citeloom.domain.policies import ChunkingPolicy, RetrievalPolicy
from citeloom.domain.references.citation import CitationMeta
from citeloom.domain.retrieval.passage import Selection
from tests.fakes.reference_library import MemoryReferenceLibrary
from tests.fakes.write_lease import InMemoryLease, InMemoryLeases
from tests.unit.application.library import NOISE, PROJECT, RYE, Library, paper

A, B, C = "papers/a.txt", "papers/b.txt", "papers/c.txt"


def ingested() -> Library:
    """A library of two papers, ingested once."""
    library = Library({A: paper("wheat"), B: paper("barley")})
    library.ingest()
    return library


def test_a_second_run_converts_embeds_and_writes_nothing() -> None:
    library = ingested()
    library.files.hashed.clear()
    report = library.ingest()
    assert report.unchanged == [A, B]
    assert library.converted == []
    assert library.fuse.journal == []
    assert library.files.hashed == []


def test_a_file_that_was_only_touched_is_read_again_and_left_alone() -> None:
    library = ingested()
    library.files.write(A, paper("wheat"))
    assert library.ingest().unchanged == [A, B]
    assert library.files.hashed[-1] == "a.txt"
    assert library.converted == []


def test_force_processes_what_has_not_changed_and_doubles_nothing() -> None:
    library = ingested()
    before = library.stored()
    report = library.ingest(IngestRequest(force=True))
    assert report.indexed == [A, B]
    assert (report.chunks.added, report.chunks.rewritten, report.chunks.removed) == (0, 6, 0)
    assert report.chunks.total == 6
    assert library.stored() == before


def test_after_a_cancelled_force_every_document_that_answers_counts() -> None:
    library = ingested()
    library.files.write(C, paper("oats"))
    report = library.ingest(IngestRequest(force=True, stop=Cancellation(lambda: True)))
    assert report.interrupted
    entries = library.manifest.entries(PROJECT.id)
    assert {entry.path for entry in entries if entry.status is not Status.INDEXED} >= {C}
    assert {entry.path for entry in entries if entry.is_searchable} == {A, B}


def test_a_changed_file_replaces_its_chunks() -> None:
    library = ingested()
    library.files.write(A, paper("oats", sections=4))
    report = library.ingest()
    assert (report.indexed, report.unchanged) == ([A], [B])
    assert (report.chunks.added, report.chunks.removed) == (4, 3)
    texts = [s.chunk.text for s in library.stored().values() if s.source_path == A]
    assert len(texts) == 4
    assert all("oats" in text for text in texts)


def test_a_changed_file_is_never_without_chunks() -> None:
    library = ingested()
    library.files.write(A, paper("oats"))
    seen: list[int] = []
    library.fuse.watch = lambda: seen.append(library.sources().get(A, 0))
    library.ingest()
    assert min(seen) >= 3
    journal = library.fuse.journal
    assert max(i for i, s in enumerate(journal) if s == "upsert") < journal.index("flush")
    assert library.sources() == {A: 3, B: 3}


def test_a_changed_file_that_fails_keeps_its_earlier_chunks_until_it_is_mended() -> None:
    library = ingested()
    library.files.write(A, paper("oats"))
    library.canned["a.txt"] = UnreadableDocument("torn")
    library.ingest()
    assert library.sources() == {A: 3, B: 3}
    assert library.entries()[A].status is Status.FAILED
    library.canned.clear()
    library.ingest(IngestRequest(retry_failed=True))
    assert all("oats" in s.chunk.text for s in library.stored().values() if s.source_path == A)
    assert library.sources() == {A: 3, B: 3}


def test_a_moved_file_stays_the_same_document() -> None:
    library = ingested()
    before = set(library.stored())
    library.files.move(A, C)
    report = library.ingest()
    assert (report.moved, report.unchanged, report.gone) == ([C], [B, C], [])
    assert library.embedded == 0
    assert set(library.stored()) == before
    assert library.sources() == {B: 3, C: 3}
    assert set(library.entries()) == {B, C}
    assert library.ingest().unchanged == [B, C]


def test_a_moved_file_that_has_to_wait_is_found_all_the_while() -> None:
    library = ingested()
    library.files.move(B, C)
    library.files.write(A, paper("oats"))
    seen: list[int] = []
    library.fuse.watch = lambda: seen.append(len(library.stored()))
    for _ in range(2):
        assert library.ingest(IngestRequest(limit=1)).failed == []
        library.files.write(A, paper("more oats"))
    library.ingest()
    assert min(seen) >= 6
    assert library.sources() == {A: 3, C: 3}


def test_two_files_of_one_content_are_one_document() -> None:
    library = Library({A: paper("wheat"), B: paper("wheat")})
    report = library.ingest()
    assert (report.indexed, report.duplicates) == ([A], {B: A})
    assert library.converted == ["a.txt"]
    assert library.sources() == {A: 3}
    again = library.ingest()
    assert (again.unchanged, again.duplicates) == ([A], {B: A})
    assert library.converted == []


def test_a_duplicate_of_a_failed_document_is_not_taken_for_indexed() -> None:
    library = Library({A: NOISE, B: NOISE})
    report = library.ingest()
    assert ({failure.path for failure in report.failed}, report.duplicates) == ({A, B}, {})
    assert {e.status for e in library.entries().values()} == {Status.FAILED}
    assert library.converted == ["a.txt"]


def test_a_file_that_becomes_a_duplicate_gives_up_what_it_held() -> None:
    library = ingested()
    library.files.write(B, paper("wheat"))
    report = library.ingest()
    assert report.duplicates == {B: A}
    assert library.sources() == {A: 3}
    assert library.entries()[B].doc_id == library.entries()[A].doc_id


@pytest.mark.parametrize("force", [False, True])
def test_a_copy_is_a_copy_while_its_original_exists(force: bool) -> None:
    library = Library({B: paper("wheat")})
    library.ingest()
    library.files.write(A, paper("wheat"))
    report = library.ingest(IngestRequest(force=force))
    assert (report.moved, report.duplicates) == ([], {A: B})
    assert library.sources() == {B: 3}
    library.files.remove(B)
    library.ingest()
    assert library.sources() == {A: 3}


def test_a_copy_stays_one_in_later_runs_too() -> None:
    library = Library({B: paper("wheat")})
    library.ingest()
    original = library.manifest.get(PROJECT.id, B)
    library.clock.pass_seconds(60)
    library.files.write(A, paper("wheat"))
    for _ in range(3):
        report = library.ingest()
        assert (report.unchanged, report.duplicates) == ([B], {A: B})
    assert library.sources() == {B: 3}
    copied = library.manifest.get(PROJECT.id, A)
    assert library.manifest.get(PROJECT.id, B) == original
    assert original is not None
    assert copied is not None
    assert copied.copy_of == B
    assert cast("datetime", copied.created_at) > cast("datetime", original.created_at)
    assert library.ingest(IngestRequest(sources=(A,))).duplicates == {}
    assert library.sources() == {B: 3}


def test_a_copy_stands_alone_once_its_original_has_changed() -> None:
    library = Library({B: paper("wheat")})
    library.ingest()
    library.files.write(A, paper("wheat"))
    library.ingest()
    library.files.write(B, paper("barley"))
    library.ingest()
    assert library.ingest().duplicates == {}
    assert library.sources() == {A: 3, B: 3}
    assert library.entries()[A].copy_of is None


def test_a_file_overwritten_with_a_copy_of_another_is_the_copy() -> None:
    library = ingested()
    library.files.write(A, paper("barley"))
    assert library.ingest().duplicates == {A: B}
    assert library.sources() == {B: 3}


def test_one_of_two_duplicates_may_go() -> None:
    library = Library({A: paper("wheat"), B: paper("wheat")})
    library.ingest()
    library.files.remove(A)
    report = library.ingest(IngestRequest(prune=True))
    assert report.pruned == []
    assert library.sources() == {B: 3}
    assert set(library.entries()) == {B}


def test_what_is_gone_is_told_and_dropped_only_when_asked() -> None:
    library = ingested()
    library.files.remove(B)
    assert library.ingest().gone == [B]
    assert library.sources() == {A: 3, B: 3}
    report = library.ingest(IngestRequest(prune=True))
    assert (report.pruned, report.gone, report.chunks.removed) == ([B], [], 3)
    assert library.sources() == {A: 3}
    assert set(library.entries()) == {A}
    assert library.ingest(IngestRequest(prune=True)).pruned == []


def test_a_file_outside_the_sources_named_is_not_gone() -> None:
    library = ingested()
    report = library.ingest(IngestRequest(sources=(A,), prune=True))
    assert (report.unchanged, report.gone, report.pruned) == ([A], [], [])
    assert library.sources() == {A: 3, B: 3}


def test_pruning_drops_a_failed_document_with_what_it_held_before() -> None:
    library = ingested()
    library.files.write(B, NOISE)
    library.ingest()
    library.files.remove(B)
    library.ingest(IngestRequest(prune=True))
    assert library.sources() == {A: 3}


def test_changed_references_are_rewritten_without_embedding() -> None:
    library = ingested()
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    before = library.stored()
    report = library.ingest()
    assert (report.updated, report.unchanged, report.indexed) == ([A], [B], [])
    assert report.references_lost == {}
    assert ("papers/a.txt", "updated: @rye2001") in library.progress.outcomes
    assert library.embedded == 0
    assert library.fuse.journal.count("update_metadata") == 1
    assert "upsert" not in library.fuse.journal
    after = library.stored()
    assert {s.citation for s in after.values() if s.source_path == A} == {RYE}
    assert {key: replace(s, citation=None) for key, s in after.items()} == before
    assert library.entries()[A].citekey == "rye2001"
    assert library.ingest().unchanged == [A, B]
    assert library.converted == []


def test_the_page_range_of_a_reference_labels_the_pages_and_a_corrected_one_does_again() -> None:
    library = Library({A: paper("barley")})
    mapping = {"a.txt": "rye2001"}
    library.references = MemoryReferenceLibrary(replace(RYE, pages="1123\u201325"), mapping=mapping)
    library.ingest()
    assert locators(library) == [
        "p. 1123 (PDF page 1)",
        "p. 1124 (PDF page 2)",
        "p. 1125 (PDF page 3)",
    ]
    library.references = MemoryReferenceLibrary(replace(RYE, pages="7-9"), mapping=mapping)
    assert library.ingest().updated == [A]
    assert library.embedded == 0
    assert locators(library) == ["p. 7 (PDF page 1)", "p. 8 (PDF page 2)", "p. 9 (PDF page 3)"]
    library.references = MemoryReferenceLibrary(replace(RYE, pages="102"), mapping=mapping)
    library.ingest()
    assert locators(library) == ["p. 1", "p. 2", "p. 3"]


def locators(library: Library) -> list[str]:
    return sorted(str(stored.locator) for stored in library.stored().values())


def test_a_corrected_reference_reaches_its_chunks_and_a_lost_one_leaves_them() -> None:
    library = ingested()
    mapping = {"a.txt": "rye2001"}
    library.references = MemoryReferenceLibrary(RYE, mapping=mapping)
    library.ingest()
    corrected = replace(RYE, year=2002)
    library.references = MemoryReferenceLibrary(corrected, mapping=mapping)
    library.ingest()
    assert {s.citation for s in library.stored().values()} == {corrected, None}
    library.references = MemoryReferenceLibrary()
    report = library.ingest()
    assert (report.updated, report.unchanged, report.references_lost) == ([A], [B], {A: "rye2001"})
    assert dict(library.progress.outcomes)[A] == "updated: lost its reference @rye2001"
    assert {s.citation for s in library.stored().values()} == {None}
    assert library.ingest().references_lost == {}


def test_a_document_that_is_processed_again_may_lose_its_reference_too() -> None:
    library = ingested()
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    library.references = MemoryReferenceLibrary()
    report = library.ingest(IngestRequest(force=True))
    assert report.references_lost == {A: "rye2001"}
    assert dict(library.progress.outcomes)[A] == "indexed: 3 chunks, lost its reference @rye2001"


def test_a_reference_more_leaves_the_others_alone() -> None:
    library = ingested()
    library.references = MemoryReferenceLibrary(CitationMeta(citekey="other", title="Other"))
    report = library.ingest()
    assert (report.updated, report.unchanged) == ([], [A, B])
    assert "update_metadata" not in library.fuse.journal
    assert library.progress.total == 2


def test_after_a_stop_changed_references_wait() -> None:
    library = ingested()
    library.files.write(C, paper("rye"))
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    report = library.ingest(IngestRequest(stop=Cancellation(lambda: True)))
    assert (report.indexed, report.updated) == ([C], [])
    assert library.ingest().updated == [A]


def test_another_chunking_policy_processes_everything_again() -> None:
    library = ingested()
    chunking = ChunkingPolicy(max_tokens=30, overlap_tokens=0, min_chunk_tokens=5)
    library.project = replace(PROJECT, chunking=chunking)
    report = library.ingest()
    assert report.indexed == [A, B]
    assert all(s.chunk.token_count <= 30 for s in library.stored().values())
    assert len(library.stored()) == report.chunks.added + report.chunks.rewritten


def test_another_converter_processes_everything_again() -> None:
    library = ingested()
    library.converter_version = "fake-2"
    assert library.ingest().indexed == [A, B]
    assert library.ingest().unchanged == [A, B]


def test_another_retrieval_policy_processes_nothing() -> None:
    library = ingested()
    library.project = replace(PROJECT, retrieval=RetrievalPolicy(top_k=3))
    assert library.ingest().unchanged == [A, B]


def test_what_no_entry_knows_stays() -> None:
    library = ingested()
    library.manifest.remove(PROJECT.id, A, B)
    library.files.remove(A)
    library.files.remove(B)
    library.files.write(C, paper("oats"))
    library.ingest(IngestRequest(prune=True))
    assert library.sources() == {A: 3, B: 3, C: 3}


def test_two_manifests_on_one_index_keep_what_the_other_has() -> None:
    here, there = ingested(), Library({C: paper("oats")})
    there.index = here.index
    there.ingest()
    here.files.write(A, paper("rye"))
    here.ingest(IngestRequest(prune=True))
    assert here.sources() == {A: 3, B: 3, C: 3}


def test_a_rebuild_without_its_manifest_replaces_nothing() -> None:
    library = ingested()
    library.manifest.remove(PROJECT.id, A, B)
    library.files.remove(A)
    library.files.write(B, paper("rye"))
    report = library.ingest(IngestRequest(rebuild=True))
    assert (report.promoted, [*report.left_behind]) == (False, [A])
    assert library.sources() == {A: 3, B: 3}


@pytest.mark.parametrize("lost", [1, 3])
def test_what_the_index_has_lost_is_processed_again(lost: int) -> None:
    library = ingested()
    before = library.stored()
    for chunk in [c.chunk for c in before.values() if c.source_path == A][:lost]:
        chosen = Selection(
            project_id=PROJECT.id, doc_id=chunk.doc_id, chunks=(chunk.chunk_idx, chunk.chunk_idx)
        )
        library.index.delete(PROJECT.collection, chosen)
    dry = library.ingest(IngestRequest(dry_run=True))
    assert (dry.pending, dry.missing, dry.unchanged) == ([A], [A], [B])
    report = library.ingest()
    assert (report.indexed, report.missing, report.unchanged) == ([A], [A], [B])
    assert library.stored() == before
    assert library.ingest().missing == []


def test_an_index_that_cannot_be_opened_is_an_error_and_changes_no_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = ingested()
    library.files.write(A, paper("oats"))
    before = library.manifest.entries(PROJECT.id)

    def locked(*_: object) -> dict[str, int]:
        raise IndexLocked("in use")

    monkeypatch.setattr(library.index, "facets", locked)
    with pytest.raises(IndexLocked):
        library.ingest()
    assert library.manifest.entries(PROJECT.id) == before


def test_another_process_at_work_is_told_before_anything_is_marked() -> None:
    library, leases = ingested(), InMemoryLeases()
    library.lease = InMemoryLease(leases)
    library.files.write(A, paper("oats"))
    before = library.manifest.entries(PROJECT.id)
    with (
        InMemoryLease(leases, name="process 2").hold(PROJECT.id),
        pytest.raises(IndexLocked, match="process 2"),
    ):
        library.ingest()
    assert library.manifest.entries(PROJECT.id) == before
    assert library.converted == []


def test_a_dropped_collection_is_filled_anew() -> None:
    library = ingested()
    before = library.stored()
    library.index.drop(PROJECT.collection)
    assert library.ingest().indexed == [A, B]
    assert library.stored() == before


class NoReferences(MemoryReferenceLibrary):
    """The library of a run that was given none."""

    @property
    def fingerprint(self) -> str:
        return ""


def test_a_run_without_references_leaves_unchanged_documents_theirs() -> None:
    library = Library({"papers/a.txt": paper("wheat")})
    library.references = MemoryReferenceLibrary(RYE, mapping={"a.txt": "rye2001"})
    library.ingest()
    library.references = NoReferences()
    report = library.ingest()
    assert (report.unchanged, report.updated) == (["papers/a.txt"], [])
    assert {stored.citation for stored in library.stored().values()} == {RYE}
    assert library.entries()["papers/a.txt"].citekey == "rye2001"


PAGED = CitationMeta(citekey="fenn2001", title="On cereals", pages="1123-1125")


def labels_by_path(library: Library) -> dict[str, set[tuple[str, ...]]]:
    labels: dict[str, set[tuple[str, ...]]] = {}
    for stored in library.stored().values():
        labels.setdefault(stored.source_path, set()).add(stored.chunk.page_labels)
    return labels


def test_a_file_alone_has_the_printed_pages_of_its_reference() -> None:
    library = Library({A: paper("wheat")})
    library.references = MemoryReferenceLibrary(PAGED, mapping={"a.txt": "fenn2001"})
    library.ingest()
    assert labels_by_path(library) == {A: {("1123",), ("1124",), ("1125",)}}


@pytest.mark.parametrize("at_once", [True, False])
def test_files_that_share_a_reference_have_none_of_its_printed_pages(at_once: bool) -> None:
    library = Library({A: paper("wheat")})
    library.references = MemoryReferenceLibrary(
        PAGED, mapping={"a.txt": "fenn2001", "b.txt": "fenn2001"}
    )
    if not at_once:
        library.ingest()
    library.files.write(B, paper("barley"))
    library.ingest()
    assert labels_by_path(library) == {A: {()}, B: {()}}
    again = library.ingest()
    assert again.unchanged == [A, B]
    assert library.fuse.journal == []


def test_a_file_that_is_named_as_a_supplement_leaves_the_pages_to_the_other() -> None:
    supplement = "papers/supplement.txt"
    library = Library({A: paper("wheat"), supplement: paper("barley")})
    library.references = MemoryReferenceLibrary(
        PAGED, mapping={"a.txt": "fenn2001", "supplement.txt": "fenn2001"}
    )
    library.ingest()
    assert labels_by_path(library) == {
        A: {("1123",), ("1124",), ("1125",)},
        supplement: {()},
    }
