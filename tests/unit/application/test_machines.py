"""Two machines with one store: neither takes from the index what the other ingested."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.documents import inspect_project, list_documents
from citeloom.application.repair import Discrepancy, Repair, RepairReport
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import DocumentState, WriteIntent
from citeloom.domain.validation import ValidationPolicy
from tests.fakes.embedders import HashingDense
from tests.unit.application.gate import Gate
from tests.unit.application.library import PROJECT, Library, WatchedManifest, open_project, paper

A, B, SHARED = "papers/a.txt", "papers/b.txt", "papers/shared.txt"
PRUNE = IngestRequest(prune=True, yes=True)


def machine(name: str, texts: dict[str, str], other: Library | None = None) -> Library:
    """A machine with files of its own, in the other's store."""
    library = Library(texts)
    library.machine = name
    if other is not None:
        library.index = other.index
    return library


@pytest.fixture
def desk() -> Library:
    library = machine("desk-1", {A: paper("wheat"), SHARED: paper("oats")})
    library.ingest()
    return library


@pytest.fixture
def lap(desk: Library) -> Library:
    library = machine("lap-2", {B: paper("barley"), SHARED: paper("oats")}, desk)
    library.ingest()
    return library


def repair(library: Library, *, dry_run: bool = False) -> RepairReport:
    return Repair(project=open_project(library), audit=library.audit, lease=library.lease)(
        dry_run=dry_run
    )


def machines(library: Library) -> dict[str, tuple[str, ...]]:
    return {one.source_path: one.machines for one in library.stored().values()}


def test_a_document_says_which_machines_ingested_it(desk: Library, lap: Library) -> None:
    assert machines(desk) == {
        A: ("desk-1",),
        B: ("lap-2",),
        SHARED: ("desk-1", "lap-2"),
    }
    lap.ingest(IngestRequest(force=True))
    desk.ingest(IngestRequest(force=True))
    assert machines(desk)[SHARED] == ("desk-1", "lap-2")


def test_a_short_document_of_another_machine_is_no_fault_here() -> None:
    desk = machine("desk-1", {A: "It grows.\n"})
    desk.ingest()
    lap = machine("lap-2", {B: paper("barley")}, desk)
    lap.ingest()
    assert A not in lap.entries()
    gate = Gate(lap, ValidationPolicy(), lap.counter, HashingDense(PROJECT.embedding_model))
    assert gate.check(only={"length", "signal", "labels"}).findings == ()


def test_a_store_of_this_machine_alone_says_nothing_of_machines() -> None:
    library = Library({A: paper("wheat")})
    library.ingest()
    assert machines(library) == {A: ()}


def test_repair_and_prune_leave_the_documents_of_other_machines_alone(
    desk: Library, lap: Library
) -> None:
    before = desk.stored()
    for library in (desk, lap):
        report = repair(library)
        assert (report.relisted, report.findings, report.of_other_machines) == ((), (), 1)
        assert report.documents == 2
        assert library.ingest(PRUNE).pruned == []
    assert desk.stored() == before


def test_what_both_have_stays_for_the_one_that_keeps_its_file(desk: Library, lap: Library) -> None:
    desk.files.remove(SHARED)
    assert desk.ingest(PRUNE).pruned == [SHARED]
    assert machines(lap) == {A: ("desk-1",), B: ("lap-2",), SHARED: ("lap-2",)}
    assert lap.ingest().unchanged == [B, SHARED]
    lap.files.remove(SHARED)
    assert lap.ingest(PRUNE).pruned == [SHARED]
    assert machines(lap) == {A: ("desk-1",), B: ("lap-2",)}


def test_a_changed_file_leaves_the_content_that_others_have(desk: Library, lap: Library) -> None:
    desk.files.write(SHARED, paper("rye"))
    desk.ingest()
    subjects = {
        (one.machines, subject)
        for one in desk.stored().values()
        for subject in ("oats", "rye was")
        if one.source_path == SHARED and f"of {subject}" in one.chunk.text
    }
    assert subjects == {(("lap-2",), "oats"), (("desk-1",), "rye was")}
    assert SHARED in lap.ingest().unchanged


def test_a_lost_manifest_lists_the_documents_of_this_machine(desk: Library, lap: Library) -> None:
    lap.manifest = WatchedManifest(lap.fuse)
    report = repair(lap)
    assert (report.relisted, report.of_other_machines) == ((B, SHARED), 1)
    assert sorted(lap.entries()) == [B, SHARED]


def test_a_data_folder_without_an_id_owns_nothing(desk: Library) -> None:
    reader = machine("", {}, desk)
    report = repair(reader, dry_run=True)
    assert (report.relisted, report.of_other_machines) == ((), 2)


def test_documents_that_say_nothing_of_machines_are_listed_where_their_file_is() -> None:
    old = Library({A: paper("wheat"), B: paper("barley")})
    old.ingest()
    new = machine("lap-2", {A: paper("wheat")})
    new.index = old.index
    report = repair(new)
    assert report.relisted == (A,)
    assert [(one.discrepancy, one.path) for one in report.findings] == [(Discrepancy.UNKNOWN, B)]
    new.files.remove(A)
    new.ingest(PRUNE)
    assert machines(new) == {B: ()}


def test_documents_of_other_machines_are_counted_and_no_orphans(
    desk: Library, lap: Library
) -> None:
    inspection = inspect_project(open_project(lap))
    assert inspection.other_machines == {"desk-1": 1}
    listed = list_documents(open_project(lap))
    assert {one.path: one.state for one in listed} == {
        A: DocumentState.OTHER_MACHINE,
        B: DocumentState.INDEXED,
        SHARED: DocumentState.INDEXED,
    }
    gate = Gate(lap, ValidationPolicy(), lap.counter, lap.dense)
    report = gate.check()
    assert report.of_other_machines == 1
    assert [one for one in report.findings if one.check == "orphans"] == []


def test_a_rebuild_is_promoted_once_every_machine_has_run_it(desk: Library, lap: Library) -> None:
    rebuild = IngestRequest(rebuild=True)
    report = desk.ingest(rebuild)
    assert (report.promoted, [*report.left_behind]) == (False, [B])
    assert report.left_behind_of_other_machines == 1
    assert machines(lap) == {A: ("desk-1",), B: ("lap-2",), SHARED: ("desk-1", "lap-2")}
    assert lap.ingest(rebuild).promoted
    assert machines(lap) == {A: ("desk-1",), B: ("lap-2",), SHARED: ("desk-1", "lap-2")}
    assert desk.ingest().unchanged == [A, SHARED]


def test_a_rebuild_keeps_another_machines_file_of_the_same_path(desk: Library) -> None:
    lap = machine("lap-2", {A: paper("millet")}, desk)
    lap.ingest()
    report = desk.ingest(IngestRequest(rebuild=True))
    assert (report.promoted, report.left_behind_of_other_machines) == (False, 1)


def test_chunks_of_a_killed_run_are_left_where_others_have_the_document(desk: Library) -> None:
    lap = machine("lap-2", {SHARED: paper("oats")}, desk)
    lap.ingest()
    [entry] = lap.manifest.entries(PROJECT.id)
    lap.manifest.remove(PROJECT.id, SHARED)
    lap.manifest.put_intents(
        WriteIntent(
            project_id=PROJECT.id, path=SHARED, doc_id=entry.doc_id, generation=entry.generation
        )
    )
    lap.files.remove(SHARED)
    lap.ingest()
    assert machines(desk)[SHARED] == ("desk-1",)


def test_machines_with_other_settings_of_chunking_are_told_once(
    desk: Library, lap: Library
) -> None:
    chunking = replace(lap.project.chunking, overlap_tokens=30)
    lap.project = replace(lap.project, chunking=chunking)
    notes = lap.ingest().notes
    assert {path: len(notes) for path, notes in notes.items()} == {SHARED: 1}
    [note] = notes[SHARED]
    assert note.startswith("desk-1 stored it with overlap_tokens 0 instead of 30,")
    assert lap.ingest(IngestRequest(force=True)).notes == {}
    assert "overlap_tokens 30 instead of 0" in str(desk.ingest(IngestRequest(force=True)).notes)
