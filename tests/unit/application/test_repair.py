"""A manifest that was lost or does not agree is made to agree with the index."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.delete import finish_deletions
from citeloom.application.repair import Discrepancy, Repair, RepairReport
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import ManifestEntry, Tombstone, WriteIntent
from citeloom.domain.errors import IndexLocked, IndexUnavailable, InvalidProject
from citeloom.domain.retrieval.passage import EmbeddedChunk, Selection
from citeloom.testing.chunks import TWO_TERMS
from tests.fakes.manifest_store import InMemoryManifest
from tests.fakes.write_lease import InMemoryLease, InMemoryLeases
from tests.unit.application.library import (
    PROJECT,
    A,
    B,
    Library,
    WatchedManifest,
    open_project,
    paper,
    two_papers,
)


@pytest.fixture
def library() -> Library:
    """Two papers, the first with a reference."""
    return two_papers()


def repair_of(library: Library) -> Repair:
    return Repair(project=open_project(library), audit=library.audit, lease=library.lease)


def repair(library: Library, *, dry_run: bool = False) -> RepairReport:
    return repair_of(library)(dry_run=dry_run)


def left(report: RepairReport) -> list[tuple[Discrepancy, str]]:
    return [(finding.discrepancy, finding.path) for finding in report.findings]


def known(entry: ManifestEntry) -> ManifestEntry:
    """An entry without what the index does not say of it."""
    return replace(entry, fingerprint="", references="", ocr="", body_share=1.0)


def test_what_agrees_is_left_alone(library: Library) -> None:
    before = library.manifest.entries(PROJECT.id)
    report = repair(library)
    assert (report.documents, report.relisted, report.finished, report.findings) == (2, (), (), ())
    assert library.manifest.entries(PROJECT.id) == before


def test_a_lost_manifest_is_made_anew(library: Library) -> None:
    before, stored = library.entries(), library.stored()
    library.manifest = WatchedManifest(library.fuse)
    report = repair(library)
    assert (report.relisted, report.findings) == ((A, B), ())
    assert library.entries() == {path: known(entry) for path, entry in before.items()}
    report_of_ingest = library.ingest()
    assert report_of_ingest.chunks.added == 0
    assert library.stored() == stored
    assert library.entries() == before
    assert library.ingest().unchanged == [A, B]


def test_a_collection_whose_name_was_lost_gets_it_back(library: Library) -> None:
    before = library.manifest.entries(PROJECT.id)
    index = library.index
    index.lose_name(PROJECT.collection)
    assert repair(library, dry_run=True).documents == 0
    assert index.binding(PROJECT.collection) is None
    assert repair(library).documents == 2
    assert library.manifest.entries(PROJECT.id) == before


def test_a_dry_run_changes_nothing(library: Library) -> None:
    library.manifest = WatchedManifest(library.fuse)
    assert repair(library, dry_run=True).relisted == (A, B)
    assert library.entries() == {}
    assert library.lease.taken.count(PROJECT.id) == 1


def test_a_file_that_has_changed_is_relisted_and_replaced(library: Library) -> None:
    library.manifest = WatchedManifest(library.fuse)
    library.files.write(A, paper("oats"))
    assert left(repair(library)) == []
    assert library.entries()[A].content_hash == ""
    library.ingest()
    assert library.sources() == {A: 3, B: 3}
    assert any("oats" in one.chunk.text for one in library.stored().values())


def test_a_file_that_cannot_be_read_is_relisted_without_its_hash(library: Library) -> None:
    library.manifest = WatchedManifest(library.fuse)
    library.files.forbid(A)
    assert repair(library).relisted == (A, B)
    assert library.entries()[A].content_hash == ""


def test_a_file_that_is_gone_is_told(library: Library) -> None:
    library.manifest = WatchedManifest(library.fuse)
    library.files.remove(B)
    assert left(repair(library)) == [(Discrepancy.GONE, B)]
    assert library.ingest(IngestRequest(prune=True)).pruned == [B]
    assert library.sources() == {A: 3}


@pytest.mark.parametrize("source", ["notes.pdf", ""])
def test_what_another_program_wrote_is_left_alone(library: Library, source: str) -> None:
    own = next(iter(library.stored().values()))
    chunk = replace(own.chunk, id="row-1", doc_id=source or "row-1")
    foreign = replace(own, chunk=chunk, source_path=source)
    vector = library.dense.embed_query("oats")
    library.index.upsert(
        PROJECT.collection, [EmbeddedChunk(stored=foreign, dense=vector, sparse=TWO_TERMS)]
    )
    library.manifest = WatchedManifest(library.fuse)
    report = repair(library)
    assert (report.documents, report.relisted, report.findings) == (2, (A, B), ())
    assert library.stored()["row-1"] == foreign
    library.ingest(IngestRequest(prune=True))
    assert "row-1" in library.stored()


def test_lost_and_surplus_chunks_are_told(library: Library) -> None:
    doc_id = library.entries()[A].doc_id
    chosen = Selection(project_id=PROJECT.id, doc_id=doc_id, chunks=(0, 0))
    library.index.delete(PROJECT.collection, chosen)
    entry = library.manifest.entries(PROJECT.id)[1]
    library.manifest.put(replace(entry, chunks=1))
    assert left(repair(library)) == [(Discrepancy.LOST, A), (Discrepancy.SURPLUS, B)]
    library.ingest(IngestRequest(force=True))
    assert left(repair(library)) == []


def test_a_lost_collection_is_told(library: Library) -> None:
    library.index.drop(PROJECT.collection)
    report = repair(library)
    assert (report.documents, report.relisted) == (0, ())
    assert left(report) == [(Discrepancy.LOST, A), (Discrepancy.LOST, B)]


def test_another_content_of_a_path_is_told_and_stays(library: Library) -> None:
    library.files.write(A, paper("oats"))
    library.manifest.remove(PROJECT.id, A)
    library.ingest()
    assert left(repair(library)) == [(Discrepancy.SECOND, A)]
    assert library.sources() == {A: 6, B: 3}


def test_of_two_contents_the_one_on_disk_is_listed(library: Library) -> None:
    library.files.write(A, paper("oats"))
    library.manifest.remove(PROJECT.id, A)
    library.ingest()
    now = library.entries()[A].doc_id
    library.manifest = WatchedManifest(library.fuse)
    report = repair(library)
    assert (report.relisted, left(report)) == ((A, B), [(Discrepancy.SECOND, A)])
    assert library.entries()[A].doc_id == now


def test_a_killed_delete_is_finished(library: Library) -> None:
    entry = library.entries()[A]
    library.manifest.put_tombstones(
        Tombstone(project_id=PROJECT.id, doc_id=entry.doc_id, path=A, citekey="rye2001")
    )
    dry = repair(library, dry_run=True)
    assert (dry.finished, dry.documents) == ((A,), 1)
    assert library.sources() == {A: 3, B: 3}
    report = repair(library)
    assert (report.finished, report.relisted, report.findings) == ((A,), (), ())
    assert library.sources() == {B: 3}
    assert set(library.entries()) == {B}
    assert repair(library).finished == ()


def test_what_a_killed_run_left_is_not_listed(library: Library) -> None:
    entry = library.entries()[A]
    generation = library.manifest.entries(PROJECT.id)[0].generation
    library.manifest.remove(PROJECT.id, A)
    library.manifest.put_intents(
        WriteIntent(project_id=PROJECT.id, path=A, doc_id=entry.doc_id, generation=generation)
    )
    assert repair(library).relisted == ()


def test_documents_of_an_unfinished_rebuild_are_no_finding(library: Library) -> None:
    library.ingest(IngestRequest(rebuild=True, limit=1))
    assert left(repair(library)) == []


def test_a_project_that_holds_nothing_yet_says_so() -> None:
    with pytest.raises(InvalidProject, match="nothing has been ingested"):
        repair(Library())


def test_while_the_project_is_changed_elsewhere_nothing_is_repaired(library: Library) -> None:
    leases = InMemoryLeases()
    library.lease = InMemoryLease(leases)
    with (
        InMemoryLease(leases, name="process 2").hold(PROJECT.id),
        pytest.raises(IndexLocked, match="process 2"),
    ):
        repair(library)


def test_a_deletion_under_no_collection_only_forgets() -> None:
    tombstone = Tombstone(project_id=PROJECT.id, doc_id="d", path=A)
    library, manifest = Library(), InMemoryManifest()
    manifest.put_tombstones(tombstone)
    project = open_project(library, open_manifest=lambda: manifest)
    assert finish_deletions(project) == [tombstone]
    assert manifest.tombstones(PROJECT.id) == [replace(tombstone, finished=True)]


def test_a_repair_cut_short_is_done_by_the_next(library: Library) -> None:
    before = library.entries()
    library.manifest = WatchedManifest(library.fuse)
    assert library.until(0, lambda: repair(library))
    assert library.entries() == {}
    repair(library)
    assert library.entries().keys() == before.keys()


def test_a_damaged_manifest_is_set_aside_and_made_anew(library: Library) -> None:
    before = library.manifest.entries(PROJECT.id)
    library.manifest.damaged = "the manifest is damaged: malformed"
    with pytest.raises(IndexUnavailable, match="malformed") as refused:
        repair(library, dry_run=True)
    assert "without --dry-run" in refused.value.hint
    report = repair(library)
    assert (report.set_aside, report.relisted) == ("manifest.damaged-1", (A, B))
    after = library.manifest.entries(PROJECT.id)
    assert [(one.path, one.chunks) for one in after] == [(one.path, one.chunks) for one in before]


def test_no_manifest_is_set_aside_while_the_index_cannot_be_read(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreadable(*_: object) -> dict[str, int]:
        raise IndexUnavailable("the index is damaged")

    library.manifest.damaged = "the manifest is damaged: malformed"
    monkeypatch.setattr(library.index, "facets", unreadable)
    with pytest.raises(IndexUnavailable, match="the index is damaged"):
        repair(library)
    assert library.manifest.damaged
