"""A new collection for another model, swapped in once it is complete."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.delete import Delete
from citeloom.application.ports.runtime import Cancellation
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.errors import EmbeddingMismatch, UnreadableDocument
from citeloom.domain.project import Collection
from tests.unit.application.library import (
    NOISE,
    PROJECT,
    Library,
    WatchedDense,
    open_project,
    paper,
)

A, B, C = "papers/a.txt", "papers/b.txt", "papers/c.txt"
REBUILD = IngestRequest(rebuild=True)
OTHER = replace(PROJECT, embedding_model="other/dense")


def library_with_another_model() -> Library:
    library = Library({A: paper("wheat"), B: paper("barley")})
    library.ingest()
    library.project = OTHER
    library.dense = WatchedDense(library.fuse, OTHER.embedding_model)
    return library


def bound(library: Library) -> Collection:
    collection = library.index.binding(PROJECT.collection)
    assert collection is not None
    return collection


def test_the_old_collection_serves_until_the_new_one_is_promoted() -> None:
    library = library_with_another_model()
    models: list[set[str]] = []
    library.fuse.watch = lambda: models.append(
        {stored.embed_model for stored in library.stored().values()}
    )
    report = library.ingest(REBUILD)
    assert models[:-1]
    assert all(seen == {PROJECT.embedding_model} for seen in models)
    assert report.promoted
    assert report.indexed == [A, B]
    assert {s.embed_model for s in library.stored().values()} == {OTHER.embedding_model}
    assert bound(library).dense_model == OTHER.embedding_model
    assert library.index.staged(PROJECT.collection) is None
    assert library.ingest().unchanged == [A, B]


def test_a_rebuild_without_a_collection_makes_it() -> None:
    library = Library({A: paper("wheat")})
    report = library.ingest(REBUILD)
    assert (report.indexed, report.promoted) == ([A], False)
    assert library.sources() == {A: 3}


def test_a_rebuild_takes_every_document_there_is_whatever_sources_are_named() -> None:
    library = library_with_another_model()
    report = library.ingest(IngestRequest(rebuild=True, sources=(A,)))
    assert (report.indexed, report.promoted) == ([A, B], True)


def test_a_rebuild_needs_no_sources_where_documents_are_known() -> None:
    library = library_with_another_model()
    library.project = replace(OTHER, sources=())
    assert library.ingest(REBUILD).indexed == [A, B]


def test_promotion_waits_while_a_document_would_be_left_behind() -> None:
    library = library_with_another_model()
    library.canned["b.txt"] = UnreadableDocument("torn")
    report = library.ingest(REBUILD)
    assert (report.promoted, [*report.left_behind]) == (False, [B])
    assert bound(library).dense_model == PROJECT.embedding_model
    assert library.sources() == {A: 3, B: 3}
    library.canned.clear()
    again = library.ingest(replace(REBUILD, retry_failed=True))
    assert (again.indexed, again.unchanged, again.promoted) == ([B], [A], True)
    assert library.sources() == {A: 3, B: 3}


def test_promotion_waits_for_documents_beyond_the_limit() -> None:
    library = library_with_another_model()
    report = library.ingest(replace(REBUILD, limit=1))
    assert (report.indexed, report.pending, [*report.left_behind]) == ([A], [B], [B])
    assert library.ingest(REBUILD).promoted


def test_a_document_whose_file_is_gone_holds_promotion_back_until_it_is_pruned() -> None:
    library = library_with_another_model()
    library.files.remove(B)
    report = library.ingest(REBUILD)
    assert (report.promoted, [*report.left_behind], report.gone) == (False, [B], [B])
    assert report.failed == []
    assert library.ingest(replace(REBUILD, prune=True)).promoted
    assert library.sources() == {A: 3}


def test_a_new_document_that_fails_holds_nothing_back() -> None:
    library = library_with_another_model()
    library.files.write(C, NOISE)
    report = library.ingest(REBUILD)
    assert [failure.path for failure in report.failed] == [C]
    assert report.promoted


@pytest.mark.no_cover
def test_a_rebuild_cut_short_at_any_step_is_continued() -> None:
    undisturbed = library_with_another_model()
    undisturbed.ingest(REBUILD)
    step = 0
    while (library := library_with_another_model()).ingest_until(step, REBUILD):
        assert {s.embed_model for s in library.stored().values()} == {PROJECT.embedding_model}
        assert library.ingest(REBUILD).promoted
        assert library.stored() == undisturbed.stored()
        assert library.entries() == undisturbed.entries()
        step += 1
    assert step > 15


def test_what_was_rebuilt_before_an_interruption_is_not_done_again() -> None:
    library = library_with_another_model()
    library.ingest(replace(REBUILD, stop=Cancellation(lambda: True)))
    library.ingest(REBUILD)
    assert library.converted == ["b.txt"]


def test_while_a_rebuild_is_unfinished_the_other_model_is_still_refused() -> None:
    library = library_with_another_model()
    library.ingest(replace(REBUILD, limit=1))
    with pytest.raises(EmbeddingMismatch):
        library.ingest()


def test_what_was_deleted_during_a_rebuild_is_not_promoted() -> None:
    library = library_with_another_model()
    library.ingest(replace(REBUILD, limit=1))
    delete = Delete(project=open_project(library), audit=library.audit, lease=library.lease)
    for entry in library.manifest.entries(PROJECT.id):
        delete.documents("doc_id", entry.doc_id)
    library.files.write(C, paper("rye"))
    report = library.ingest(REBUILD)
    assert (report.promoted, report.deleted) == (True, [A, B])
    assert library.sources() == {C: 3}


def test_a_dry_rebuild_stages_nothing() -> None:
    library = library_with_another_model()
    report = library.ingest(replace(REBUILD, dry_run=True))
    assert report.pending == [A, B]
    assert library.index.staged(PROJECT.collection) is None
