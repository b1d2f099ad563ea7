"""Removing documents whose files are gone: what is proof, and what needs a confirmation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from citeloom.application.ingest.cleanup import is_many
from citeloom.application.requests.ingest import IngestRequest
from citeloom.domain.documents.manifest import WithheldRemoval
from tests.unit.application.library import Library, paper
from tests.unit.application.test_zotero_marks import BOTH, annotated, keys
from tests.unit.application.zotero_project import ZoteroProject

PRUNE = IngestRequest(prune=True)
YES = replace(PRUNE, yes=True)
ALONE = "elsewhere/alone.txt"


def names(count: int, folder: str = "papers") -> list[str]:
    return [f"{folder}/{number:02}.txt" for number in range(count)]


def library_of(count: int) -> Library:
    """A library that has ingested so many papers."""
    library = Library({name: paper(f"grain {name}") for name in names(count)})
    library.ingest()
    return library


def remove(library: Library, *paths: str) -> None:
    for path in paths:
        library.files.remove(path)


@pytest.mark.parametrize(
    ("gone", "total", "many"),
    [
        (1, 1, True),
        (1, 2, False),
        (2, 3, False),
        (3, 12, False),
        (4, 12, True),
        (12, 12, True),
        (20_001, 20_001, True),
        (5_000, 20_001, False),
        (5_001, 20_001, True),
    ],
)
def test_more_than_a_quarter_or_all_is_many(gone: int, total: int, *, many: bool) -> None:
    assert is_many(gone, total) is many


@pytest.mark.parametrize("request_", [PRUNE, YES])
def test_nothing_is_removed_while_its_source_is_away(request_: IngestRequest) -> None:
    library = library_of(5)
    library.files.unmount("papers")
    report = library.ingest(request_)
    assert report.pruned == []
    assert [*report.withheld] == [
        WithheldRemoval(
            source="papers",
            reason="no such file or folder",
            documents=tuple(names(5)),
            can_be_confirmed=False,
        )
    ]
    assert library.sources().keys() == set(names(5))
    assert set(library.entries()) == set(names(5))


def test_a_rebuild_without_its_source_replaces_nothing() -> None:
    library = library_of(5)
    library.files.unmount("papers")
    report = library.ingest(replace(YES, rebuild=True))
    assert (report.promoted, [*report.left_behind]) == (False, names(5))
    assert library.sources().keys() == set(names(5))


def test_an_emptied_source_needs_a_confirmation() -> None:
    library = library_of(5)
    remove(library, *names(5))
    report = library.ingest(PRUNE)
    assert (report.pruned, report.gone) == ([], names(5))
    assert [one.can_be_confirmed for one in report.withheld] == [True]
    assert library.ingest(YES).pruned == names(5)
    assert library.sources() == {}


def test_many_at_once_are_asked_about_and_few_are_not() -> None:
    library = library_of(12)
    remove(library, *names(3))
    assert library.ingest(PRUNE).pruned == names(3)
    remove(library, *names(12)[3:6])
    asked: list[WithheldRemoval] = []

    def refuse(removal: WithheldRemoval) -> bool:
        asked.append(removal)
        return False

    report = library.ingest(replace(PRUNE, confirm=refuse))
    assert (report.pruned, [*report.withheld]) == ([], asked)
    assert asked[0].reason == "3 of its 9 documents are gone at once"
    assert library.ingest(replace(PRUNE, confirm=lambda _: True)).pruned == names(12)[3:6]


def test_a_dry_run_says_what_would_be_withheld_and_asks_nothing() -> None:
    library = library_of(5)
    remove(library, *names(4))

    def never_asked(_: WithheldRemoval) -> bool:
        raise AssertionError

    report = library.ingest(replace(PRUNE, dry_run=True, confirm=never_asked))
    assert [one.documents for one in report.withheld] == [tuple(names(4))]


def test_what_was_named_once_stays_while_its_folder_is_away() -> None:
    library = library_of(5)
    library.files.write(ALONE, paper("millet"))
    library.ingest(IngestRequest(sources=(ALONE,)))
    library.files.unmount("elsewhere")
    report = library.ingest(PRUNE)
    assert [(one.source, one.can_be_confirmed) for one in report.withheld] == [("elsewhere", True)]
    assert ALONE in library.sources()
    assert library.ingest(YES).pruned == [ALONE]


def test_one_source_that_is_away_does_not_hold_back_another() -> None:
    library = library_of(5)
    for name in names(5, "elsewhere"):
        library.files.write(name, paper(f"rye {name}"))
    both = IngestRequest(sources=("papers", "elsewhere"))
    library.ingest(both)
    library.files.unmount("elsewhere")
    remove(library, names(5)[0])
    report = library.ingest(replace(both, prune=True))
    assert report.pruned == names(5)[:1]
    assert [one.documents for one in report.withheld] == [tuple(names(5, "elsewhere"))]


def test_a_sync_asks_before_most_of_a_selection_is_dropped() -> None:
    project = ZoteroProject(4)
    project.ingest()
    for _ in range(3):
        project.bin(0)
    report = project.sync()
    assert (report.pruned, len(report.left)) == ([], 3)
    (withheld,) = report.withheld
    assert withheld.source == "Zotero library"
    assert withheld.reason == "3 of its 4 documents are no longer selected at once"
    assert len(project.sync(IngestRequest(yes=True)).pruned) == 3


def test_documents_that_a_sync_withholds_keep_their_annotations() -> None:
    project = annotated()
    project.attach("PDFAAAA9", project.item(2).key, paper("millet"))
    project.ingest(BOTH)
    before = keys(project)
    marked = project.content
    for _ in range(2):
        project.bin(0)
    project.attach("PDFAAAA9", project.item(0).key, None)
    project.content = replace(
        project.content, annotations=(), notes=(), attachments=marked.attachments[2:3]
    )
    assert project.sync().withheld
    assert keys(project) == before
    project.sync(IngestRequest(yes=True))
    assert keys(project) == []
