"""What every view of the source files promises."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from citeloom.application.ports.sources import SourceFiles, SourceFolder
from citeloom.application.watching import SettledFiles
from citeloom.application.zotero.ingest_zotero import ItemFiles
from citeloom.application.zotero.snapshot import ZoteroDocument, ZoteroSnapshot
from citeloom.domain.errors import UnreadableDocument
from citeloom.domain.zotero.items import LinkMode, ZoteroAttachment, ZoteroLibraryRef
from citeloom.infrastructure.clock import SystemClock
from citeloom.infrastructure.filesystem import DiskSourceFiles
from tests.fakes.source_files import InMemorySourceFiles

PDF = frozenset({".pdf"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project's folder with papers, other files and hidden ones, beside a paper outside it."""
    for name in (
        "project/papers/b.pdf",
        "project/papers/a.PDF",
        "project/papers/deep/er/c.pdf",
        "project/papers/notes.txt",
        "project/papers/.hidden.pdf",
        "project/papers/.trash/d.pdf",
        "project/loose.txt",
        "outside.pdf",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    papers = tmp_path / "project" / "papers"
    os.mkfifo(papers / "pipe.pdf")
    (papers / "zero.pdf").symlink_to("/dev/zero")
    (papers / "leaves.pdf").symlink_to(tmp_path / "outside.pdf")
    (papers / "stays.txt").symlink_to(papers / "notes.txt")
    return tmp_path / "project"


@pytest.fixture(params=["disk", "memory", "beside Zotero", "settled"])
def files(request: pytest.FixtureRequest, folder: Path) -> SourceFiles:
    if request.param == "beside Zotero":
        return ItemFiles(ZoteroSnapshot(source="an empty Zotero"), DiskSourceFiles(folder))
    if request.param == "settled":
        return SettledFiles(DiskSourceFiles(folder), clock=SystemClock(), seconds=0.0)
    if request.param == "memory":
        return InMemorySourceFiles.copy_of(folder.parent, base=folder)
    return DiskSourceFiles(folder)


def names(files: SourceFiles, *sources: str) -> list[str]:
    return [file.name for file in files.find(sources, PDF).files]


def test_folders_are_searched_for_the_suffixes_and_hidden_files_passed_over(
    files: SourceFiles,
) -> None:
    listing = files.find(["papers"], PDF)
    assert [file.name for file in listing.files] == [
        "papers/a.PDF",
        "papers/b.pdf",
        "papers/deep/er/c.pdf",
    ]
    assert listing.ignored == sum(listing.other_kinds.values()) == 2
    assert set(listing.other_kinds) & PDF == set()
    assert listing.missing == ()


def test_a_named_file_is_found_whatever_its_kind(files: SourceFiles) -> None:
    assert names(files, "loose.txt") == ["loose.txt"]


def test_each_file_is_found_once_however_often_it_is_named(
    files: SourceFiles, folder: Path
) -> None:
    sources = ("papers", "papers/", "./papers/b.pdf", "papers/deep/../b.pdf", str(folder))
    assert names(files, *sources) == ["papers/a.PDF", "papers/b.pdf", "papers/deep/er/c.pdf"]


def test_a_file_outside_the_project_has_its_absolute_name(files: SourceFiles, folder: Path) -> None:
    outside = folder.parent / "outside.pdf"
    assert names(files, "../outside.pdf") == [outside.as_posix()]


def test_a_source_that_does_not_exist_is_named(files: SourceFiles) -> None:
    listing = files.find(["papers/b.pdf", "gone", "papers/gone.pdf"], PDF)
    assert listing.missing == ("gone", "papers/gone.pdf")
    assert [file.name for file in listing.files] == ["papers/b.pdf"]


def test_the_folder_of_a_source_is_the_source_or_that_of_its_file(files: SourceFiles) -> None:
    assert files.folder("papers") == SourceFolder(name="papers")
    assert files.folder("papers/deep/er/c.pdf") == SourceFolder(name="papers/deep/er")


def test_a_folder_that_is_not_there_has_a_fault(files: SourceFiles) -> None:
    absent = files.folder("nowhere")
    assert (absent.name, absent.fault) == ("nowhere", "no such file or folder")


def test_pipes_devices_and_links_that_leave_are_passed_over_and_said(files: SourceFiles) -> None:
    listing = files.find(["papers"], PDF)
    assert [one.name for one in listing.skipped] == [
        "papers/leaves.pdf",
        "papers/pipe.pdf",
        "papers/zero.pdf",
    ]
    assert all(one.reason for one in listing.skipped)


def test_a_named_pipe_is_passed_over_too_and_never_opened(files: SourceFiles, folder: Path) -> None:
    listing = files.find(["papers/pipe.pdf"], PDF)
    assert (listing.files, listing.missing) == ((), ())
    assert [one.name for one in listing.skipped] == ["papers/pipe.pdf"]
    with pytest.raises(UnreadableDocument):
        files.content_hash(folder / "papers" / "pipe.pdf")


def test_a_link_back_to_a_folder_above_ends(files: SourceFiles, folder: Path) -> None:
    (folder / "papers" / "loop").symlink_to(folder / "papers", target_is_directory=True)
    assert names(files, "papers") == ["papers/a.PDF", "papers/b.pdf", "papers/deep/er/c.pdf"]


def test_a_file_is_described_as_it_lies_there(files: SourceFiles, folder: Path) -> None:
    (found,) = files.find(["papers/b.pdf"], PDF).files
    stat = (folder / "papers" / "b.pdf").stat()
    assert (found.size, found.modified_ns) == (stat.st_size, stat.st_mtime_ns)
    assert files.content_hash(found.path) == hashlib.sha256(found.path.read_bytes()).hexdigest()


def test_a_file_that_cannot_be_read_is_unreadable(files: SourceFiles, folder: Path) -> None:
    with pytest.raises(UnreadableDocument):
        files.content_hash(folder / "gone.pdf")


def test_files_of_zotero_are_found_however_their_paths_are_written(folder: Path) -> None:
    """A base directory may be reached by way of another folder; what is gone is missing."""
    papers = folder / "papers"
    written = (papers / "a.PDF", folder / "deep" / ".." / "papers" / "b.pdf", papers / "gone.pdf")
    (folder / "deep").mkdir()
    documents = {
        path: ZoteroDocument(
            attachment=ZoteroAttachment(
                library=ZoteroLibraryRef(),
                key=f"AAAAAAA{n}",
                parent=None,
                link_mode=LinkMode.LINKED_FILE,
                path=path,
                exists=True,
            )
        )
        for n, path in enumerate(written)
    }
    snapshot = ZoteroSnapshot(source="a Zotero of three", documents=documents)
    listing = ItemFiles(snapshot, DiskSourceFiles(folder)).find([], PDF)
    found = {file.name: file.origin.attachment_key for file in listing.files if file.origin}
    assert found == {"papers/a.PDF": "AAAAAAA0", "papers/b.pdf": "AAAAAAA1"}
    assert listing.missing == (str(written[2]),)
    assert listing.absent == frozenset({("library", "AAAAAAA2")})
