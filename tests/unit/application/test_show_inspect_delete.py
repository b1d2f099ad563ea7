"""Looking at what a project holds, and taking things out of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from citeloom.application.delete import Delete, DeleteReport, Key
from citeloom.application.documents import inspect_project
from citeloom.application.requests.ingest import IngestRequest
from citeloom.application.retrieval.show import Shown, show
from citeloom.domain.errors import IndexLocked, InvalidProject, NotFound
from tests.fakes.write_lease import InMemoryLease, InMemoryLeases
from tests.unit.application.library import (
    NOISE,
    PROJECT,
    A,
    B,
    Library,
    open_project,
    paper,
    two_papers,
)


@pytest.fixture
def library() -> Library:
    """Two papers of five and three chunks; the first has a reference."""
    return two_papers(sections=5)


def show_of(library: Library) -> Callable[..., Shown]:
    return partial(show, open_project(library))


def delete_of(library: Library) -> Delete:
    return Delete(project=open_project(library), audit=library.audit, lease=library.lease)


def chunk_named(library: Library, path: str, index: int) -> str:
    (found,) = (
        stored.chunk.id
        for stored in library.stored().values()
        if stored.source_path == path and stored.chunk.chunk_idx == index
    )
    return found


# --- show


def test_a_chunk_is_shown_between_its_neighbours(library: Library) -> None:
    shown = show_of(library)(chunk_named(library, A, 2))
    around = (*shown.before, *shown.chunks, *shown.after)
    assert [stored.chunk.chunk_idx for stored in around] == [1, 2, 3]
    assert {stored.source_path for stored in around} == {A}


@pytest.mark.parametrize(("context", "before", "after"), [(0, 0, 0), (2, 1, 2), (9, 1, 3)])
def test_as_many_neighbours_are_shown_as_there_are(
    library: Library, context: int, before: int, after: int
) -> None:
    shown = show_of(library)(chunk_named(library, A, 1), context=context)
    assert (len(shown.before), len(shown.after)) == (before, after)


@pytest.mark.parametrize("name", ["rye2001", "@rye2001"])
def test_a_work_is_shown_whole_in_reading_order(library: Library, name: str) -> None:
    shown = show_of(library)(name)
    assert [stored.chunk.chunk_idx for stored in shown.chunks] == [0, 1, 2, 3, 4]
    assert (shown.before, shown.after) == ((), ())


@pytest.mark.parametrize("name", [A, "a.txt", "./papers/a.txt", "/home/me/papers/a.txt"])
def test_a_document_is_shown_by_its_path(library: Library, name: str) -> None:
    shown = show_of(library)(name)
    assert {stored.source_path for stored in shown.chunks} == {A}
    assert [stored.chunk.chunk_idx for stored in shown.chunks] == [0, 1, 2, 3, 4]


def test_a_document_is_shown_by_its_id(library: Library) -> None:
    doc_id = next(one.chunk.doc_id for one in library.stored().values() if one.source_path == B)
    assert {stored.source_path for stored in show_of(library)(doc_id).chunks} == {B}


def test_the_end_of_several_paths_names_them() -> None:
    library = Library({"papers/one/a.txt": paper("wheat"), "papers/two/a.txt": paper("barley")})
    library.ingest()
    with pytest.raises(NotFound, match="2 documents") as caught:
        show_of(library)("a.txt")
    assert "papers/one/a.txt, papers/two/a.txt" in (caught.value.hint or "")


def test_a_check_of_a_deletion_changes_nothing(library: Library) -> None:
    before = library.stored()
    delete_of(library).check("citekey", "@rye2001")
    keys: tuple[Key, ...] = ("citekey", "doc_id")
    for key in keys:
        with pytest.raises(NotFound, match="nope"):
            delete_of(library).check(key, "nope")
    assert library.stored() == before


def test_what_is_neither_chunk_nor_work_is_not_found(library: Library) -> None:
    with pytest.raises(NotFound, match="'nobody'"):
        show_of(library)("nobody")


# --- inspect


def test_an_inspection_counts_documents_and_chunks(library: Library) -> None:
    library.files.write("papers/c.txt", NOISE)
    library.ingest()
    seen = inspect_project(open_project(library), sample=2)
    assert seen.by_status == {"indexed": 2, "failed": 1}
    assert seen.by_kind == {"text": 8}
    assert seen.description.points == 8
    assert [entry.path for entry in seen.documents] == [A, B, "papers/c.txt"]
    assert len(seen.sample) == 2
    assert {stored.chunk.id for stored in seen.sample} <= set(library.stored())
    assert seen.staged is None


def test_an_inspection_counts_copies_apart(library: Library) -> None:
    library.files.write("papers/copy.txt", library.files.texts()["a.txt"])
    library.ingest()
    seen = inspect_project(open_project(library))
    assert (seen.by_status, seen.copies) == ({"indexed": 2}, 1)
    assert len(seen.documents) == 3


def test_an_inspection_tells_of_an_unfinished_rebuild(library: Library) -> None:
    library.ingest(IngestRequest(rebuild=True, limit=1))
    seen = inspect_project(open_project(library))
    assert seen.staged is not None
    assert seen.staged.generation != seen.description.collection.generation
    assert seen.sample == ()


# --- delete


def test_a_document_is_deleted_by_its_id(library: Library) -> None:
    doc_id = library.entries()[B].doc_id
    assert delete_of(library).documents("doc_id", doc_id) == DeleteReport(documents=(B,), chunks=3)
    assert library.sources() == {A: 5}
    assert set(library.entries()) == {A}
    assert library.audit.records(PROJECT.id)[-1] == {
        "event": "delete",
        "documents": [B],
        "chunks": 3,
    }


def test_a_work_is_deleted_by_its_citekey(library: Library) -> None:
    assert delete_of(library).documents("citekey", "@rye2001") == DeleteReport(
        documents=(A,), chunks=5
    )
    assert library.sources() == {B: 3}
    again = library.ingest()
    assert (again.indexed, again.deleted) == ([], [A])


def test_what_is_not_there_is_an_error_that_names_what_is_near(library: Library) -> None:
    with pytest.raises(NotFound, match="no work 'rye2011'") as near:
        delete_of(library).documents("citekey", "rye2011")
    assert near.value.hint == "Did you mean rye2001?"
    with pytest.raises(NotFound) as far:
        delete_of(library).documents("doc_id", "nobody")
    assert "citeloom list" in far.value.hint
    assert library.sources() == {A: 5, B: 3}
    assert library.manifest.tombstones(PROJECT.id) == []


def test_everything_is_deleted_with_the_collection(library: Library) -> None:
    assert delete_of(library).everything() == DeleteReport(documents=(A, B), chunks=8)
    assert library.index.binding(PROJECT.collection) is None
    assert library.entries() == {}
    again = library.ingest()
    assert (again.indexed, again.deleted) == ([], [A, B])
    assert library.ingest(IngestRequest(restore=True)).indexed == [A, B]


def test_what_was_deleted_stays_out_until_it_is_restored(library: Library) -> None:
    before = library.stored()
    delete_of(library).documents("citekey", "rye2001")
    library.files.write("papers/copy.txt", paper("wheat", sections=5))
    for request in (IngestRequest(), IngestRequest(force=True), IngestRequest(dry_run=True)):
        report = library.ingest(request)
        assert report.deleted == [A, "papers/copy.txt"]
        assert A not in report.indexed + report.pending + report.unchanged
    assert library.sources() == {B: 3}
    library.files.remove("papers/copy.txt")
    report = library.ingest(IngestRequest(restore=True))
    assert (report.indexed, report.deleted) == ([A], [])
    assert library.stored() == before
    assert library.ingest().unchanged == [A, B]


def test_a_new_version_of_a_deleted_file_is_another_document(library: Library) -> None:
    delete_of(library).documents("citekey", "rye2001")
    library.files.write(A, paper("oats"))
    assert library.ingest().indexed == [A]


def test_restoring_names_brings_back_those_alone(library: Library) -> None:
    delete_of(library).everything()
    assert library.ingest(IngestRequest(sources=(B,), restore=True)).indexed == [B]
    assert library.ingest().deleted == [A]


DELETIONS = [
    pytest.param(lambda delete: delete.documents("citekey", "rye2001"), id="work"),
    pytest.param(lambda delete: delete.everything(), id="everything"),
]


@pytest.mark.parametrize("deletion", DELETIONS)
def test_a_deletion_cut_short_is_finished_by_the_next_ingest(
    deletion: Callable[[Delete], DeleteReport],
) -> None:
    undisturbed, step = two_papers(), 0
    deletion(delete_of(undisturbed))
    undisturbed.ingest()
    while cut_short(library := two_papers(), step, deletion):
        started = bool(library.manifest.tombstones(PROJECT.id))
        library.ingest()
        expected = undisturbed if started else two_papers()
        assert library.stored() == expected.stored(), f"cut before step {step}"
        assert library.entries() == expected.entries(), f"cut before step {step}"
        step += 1
    assert step >= 4


@pytest.mark.parametrize("deletion", DELETIONS)
def test_a_deletion_cut_short_is_finished_by_itself(
    deletion: Callable[[Delete], DeleteReport],
) -> None:
    undisturbed, step = two_papers(), 0
    deletion(delete_of(undisturbed))
    while cut_short(library := two_papers(), step, deletion):
        deletion(delete_of(library))
        assert library.entries() == undisturbed.entries(), f"cut before step {step}"
        assert all(tombstone.finished for tombstone in library.manifest.tombstones(PROJECT.id))
        library.ingest()
        undisturbed.ingest()
        assert library.stored() == undisturbed.stored(), f"cut before step {step}"
        step += 1
    assert step >= 4


def cut_short(library: Library, step: int, deletion: Callable[[Delete], DeleteReport]) -> bool:
    return library.until(step, lambda: deletion(delete_of(library)))


def test_while_the_project_is_changed_elsewhere_nothing_is_deleted(library: Library) -> None:
    leases = InMemoryLeases()
    library.lease = InMemoryLease(leases)
    before = library.manifest.entries(PROJECT.id)
    with (
        InMemoryLease(leases, name="process 2").hold(PROJECT.id),
        pytest.raises(IndexLocked, match="process 2"),
    ):
        delete_of(library).everything()
    assert library.manifest.entries(PROJECT.id) == before
    assert library.manifest.tombstones(PROJECT.id) == []


@pytest.mark.parametrize("key", ["doc_id", "citekey", None])
def test_another_projects_collection_is_refused(library: Library, key: Key | None) -> None:
    rye = replace(PROJECT, id="lab/rye", collection=PROJECT.collection)
    delete = replace(delete_of(library), project=open_project(library, settings=rye))
    with pytest.raises(InvalidProject, match="'lab/wheat', not to 'lab/rye'"):
        delete.everything() if key is None else delete.documents(key, "rye2001")
    assert library.sources() == {A: 5, B: 3}


@pytest.mark.parametrize(
    "use",
    [
        lambda library: show_of(library)("a"),
        lambda library: inspect_project(open_project(library)),
        lambda library: delete_of(library).documents("doc_id", "a"),
        lambda library: delete_of(library).documents("citekey", "a"),
        lambda library: delete_of(library).everything(),
    ],
    ids=["show", "inspect", "delete document", "delete work", "delete everything"],
)
def test_a_project_that_holds_nothing_yet_says_so(use: Callable[[Library], object]) -> None:
    with pytest.raises(InvalidProject, match="nothing has been ingested"):
        use(Library())
