"""What only a real file system does: links, permissions, names of any kind."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest

from citeloom.domain.errors import UnreadableDocument
from citeloom.infrastructure.answers.text import link_to_place
from citeloom.infrastructure.filesystem import DiskSourceFiles

PDF = frozenset({".pdf"})


def write(path: Path, content: bytes = b"text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def names(base: Path, *sources: str) -> list[str]:
    return [file.name for file in DiskSourceFiles(base).find(sources, PDF).files]


def test_a_linked_folder_is_searched_under_its_own_name(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "paper.pdf")
    base = tmp_path / "project"
    base.mkdir()
    (base / "library").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert names(base, "library") == ["library/paper.pdf"]


def test_a_linked_file_keeps_its_own_name_and_has_the_content_it_points_to(tmp_path: Path) -> None:
    target = write(tmp_path / "store" / "4711.bin", b"the paper")
    base = tmp_path / "project"
    base.mkdir()
    (base / "paper.pdf").symlink_to(target)
    assert DiskSourceFiles(base).find(["."], PDF).files == ()
    files = DiskSourceFiles(base, follow_links=True)
    (found,) = files.find(["."], PDF).files
    assert (found.name, found.size) == ("paper.pdf", len(b"the paper"))
    assert files.content_hash(found.path) == hashlib.sha256(b"the paper").hexdigest()


def test_a_dangling_link_is_unreadable_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").symlink_to(tmp_path / "gone.pdf")
    write(tmp_path / "sound.pdf")
    listing = DiskSourceFiles(tmp_path).find(["."], PDF)
    assert [file.name for file in listing.files] == ["sound.pdf"]
    assert [(one.name, one.reason) for one in listing.unreadable] == [
        ("paper.pdf", "a broken link")
    ]


def test_a_base_folder_reached_through_a_link_names_its_files_relative(tmp_path: Path) -> None:
    write(tmp_path / "real" / "paper.pdf")
    (tmp_path / "link").symlink_to(tmp_path / "real", target_is_directory=True)
    assert names(tmp_path / "link", ".") == ["paper.pdf"]


@pytest.mark.parametrize("name", ["Über Weizen (2019).pdf", "a;b & c.pdf", "日本語.pdf", "x.y.PDF"])
def test_names_of_any_kind_are_kept(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    assert names(tmp_path, ".") == [name]


def test_what_word_keeps_beside_an_open_document_is_no_document(tmp_path: Path) -> None:
    for name in ("~$paper.pdf", ".~lock.paper.pdf", "paper.pdf"):
        write(tmp_path / name)
    listing = DiskSourceFiles(tmp_path).find(["."], PDF)
    assert ([file.name for file in listing.files], listing.ignored) == (["paper.pdf"], 0)


@pytest.mark.skipif(sys.platform in ("darwin", "win32"), reason="its names are UTF-8 or UTF-16")
def test_names_that_are_no_utf_8_stay_apart_and_are_found_again(tmp_path: Path) -> None:
    for name in (b"na\xefve.pdf", b"na\xeeve.pdf"):
        write(Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name))), name)  # noqa: PTH118
    assert names(tmp_path, ".") == ["na\\xeeve.pdf", "na\\xefve.pdf"]
    assert names(tmp_path, "na\\xefve.pdf") == ["na\\xefve.pdf"]
    [found] = DiskSourceFiles(tmp_path).find(["na\\xefve.pdf"], PDF).files
    assert found.path.read_bytes() == b"na\xefve.pdf"
    assert link_to_place(found.name, 2, tmp_path) == f"{tmp_path.as_uri()}/na%EFve.pdf#page=2"


def test_a_file_larger_than_one_read_is_hashed_whole(tmp_path: Path) -> None:
    content = bytes(range(256)) * 9000
    path = write(tmp_path / "large.pdf", content)
    assert DiskSourceFiles(tmp_path).content_hash(path) == hashlib.sha256(content).hexdigest()


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_forbidden_file_is_unreadable(tmp_path: Path) -> None:
    path = write(tmp_path / "paper.pdf")
    path.chmod(0)
    with pytest.raises(UnreadableDocument) as caught:
        DiskSourceFiles(tmp_path).content_hash(path)
    assert "permissions" in caught.value.hint


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
def test_a_forbidden_folder_is_no_empty_folder_and_stops_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path / "library" / "paper.pdf").parent
    write(tmp_path / "sound.pdf")
    folder.chmod(0)
    files = DiskSourceFiles(tmp_path)
    listing = files.find(["."], PDF)
    assert [file.name for file in listing.files] == ["sound.pdf"]
    assert [one.name for one in listing.unreadable] == ["library"]
    inside = files.find(["library/paper.pdf"], PDF)
    assert (inside.missing, [one.name for one in inside.unreadable]) == ((), ["library/paper.pdf"])
    given = ("library/", "./library", str(folder))
    assert {one.name for one in files.find(given, PDF).unreadable} == {*given}


def test_a_folder_linked_to_from_a_source_is_searched_only_when_asked(tmp_path: Path) -> None:
    write(tmp_path / "etc" / "secret.pdf")
    base = tmp_path / "project"
    write(base / "papers" / "own.pdf")
    (base / "papers" / "etc").symlink_to(tmp_path / "etc", target_is_directory=True)
    listing = DiskSourceFiles(base).find(["papers"], PDF)
    assert [file.name for file in listing.files] == ["papers/own.pdf"]
    assert [one.name for one in listing.skipped] == ["papers/etc"]
    followed = DiskSourceFiles(base, follow_links=True).find(["papers"], PDF)
    assert [file.name for file in followed.files] == ["papers/etc/secret.pdf", "papers/own.pdf"]
    assert followed.skipped == ()


def test_a_device_is_never_opened(tmp_path: Path) -> None:
    (tmp_path / "zero.pdf").symlink_to("/dev/zero")
    files = DiskSourceFiles(tmp_path, follow_links=True)
    (passed,) = files.find(["."], PDF).skipped
    assert passed.reason == "a device; only regular files are read"
    with pytest.raises(UnreadableDocument, match="not a regular file"):
        files.content_hash(tmp_path / "zero.pdf")


def test_folders_that_link_to_each_other_end(tmp_path: Path) -> None:
    write(tmp_path / "a" / "one.pdf")
    write(tmp_path / "b" / "two.pdf")
    (tmp_path / "a" / "other").symlink_to(tmp_path / "b", target_is_directory=True)
    (tmp_path / "b" / "other").symlink_to(tmp_path / "a", target_is_directory=True)
    found = DiskSourceFiles(tmp_path, follow_links=True).find(["a"], PDF).files
    assert [file.name for file in found] == ["a/one.pdf", "a/other/two.pdf"]


def test_a_folder_in_place_of_a_file_is_unreadable(tmp_path: Path) -> None:
    with pytest.raises(UnreadableDocument):
        DiskSourceFiles(tmp_path).content_hash(tmp_path)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system has no /proc")
@pytest.mark.parametrize("place", ["/proc", "/proc/self", "/sys", "/dev"])
def test_the_state_of_the_machine_is_passed_over_even_where_links_are_followed(
    tmp_path: Path, place: str
) -> None:
    write(tmp_path / "sound.pdf")
    (tmp_path / "machine").symlink_to(place)
    listing = DiskSourceFiles(tmp_path, follow_links=True).find(["."], PDF)
    assert [file.name for file in listing.files] == ["sound.pdf"]
    assert [(one.name, one.reason) for one in listing.skipped] == [
        ("machine", "a folder of the operating system's own files")
    ]


@pytest.mark.skipif(not Path("/proc/kcore").exists(), reason="this system has no /proc/kcore")
def test_memory_shown_as_a_file_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "memory.pdf").symlink_to("/proc/kcore")
    listing = DiskSourceFiles(tmp_path, follow_links=True).find([".", "/proc", "/proc/kcore"], PDF)
    assert listing.files == ()
    assert {one.name for one in listing.skipped} == {"memory.pdf", "/proc", "/proc/kcore"}


def test_the_folder_left_out_is_read_only_where_it_is_named(tmp_path: Path) -> None:
    for folder in ("papers", "collected"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.pdf").write_bytes(b"x")
    files = DiskSourceFiles(tmp_path, left_out=tmp_path / "collected")
    assert [file.name for file in files.find(["."], PDF).files] == ["papers/a.pdf"]
    assert [file.name for file in files.find(["collected"], PDF).files] == ["collected/a.pdf"]
