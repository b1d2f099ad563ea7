"""Files of chapters on a disk that a reader writes to, too."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError, DiskFull
from citeloom.infrastructure.filesystem.draft_files import FolderChapterFiles


@pytest.fixture
def files(tmp_path: Path) -> FolderChapterFiles:
    (tmp_path / "collected").mkdir()
    return FolderChapterFiles(tmp_path / "collected", lock=tmp_path / "lock")


def test_the_bytes_of_a_reader_stay_and_line_ends_are_theirs(files: FolderChapterFiles) -> None:
    files.path("methods").write_bytes(b"My own words.\r\nNo end of line")
    files.append("methods", lambda _: "\nadded\n")
    assert files.path("methods").read_bytes() == (b"My own words.\r\nNo end of line\r\nadded\r\n")


@pytest.mark.parametrize("content", [b"\xff\xfe", b"caf\xe9"])
def test_a_file_in_another_encoding_is_refused_and_stays(
    files: FolderChapterFiles, content: bytes
) -> None:
    files.path("methods").write_bytes(content)
    for access in (lambda: files.append("methods", lambda _: "x"), lambda: files.read("methods")):
        with pytest.raises(ConfigError, match="UTF-8"):
            access()
    assert files.path("methods").read_bytes() == content


def test_links_and_special_files_are_refused(files: FolderChapterFiles, tmp_path: Path) -> None:
    files.path("link").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(files.path("pipe"))
    files.path("folder").mkdir()
    for name in ("link", "pipe", "folder"):
        with pytest.raises(ConfigError, match=rf"{name}\.md") as refused:
            files.append(name, lambda _: "x")
        assert "collected_dir" in refused.value.hint
    assert not (tmp_path / "elsewhere").exists()


def test_of_what_finds_the_disk_full_nothing_is_written(
    files: FolderChapterFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.append("methods", lambda _: "first\n")
    written = os.write

    def short(descriptor: int, content: bytes) -> int:
        if content.startswith(b"ab"):
            return written(descriptor, content[:2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(DiskFull, match=r"methods\.md"):
        files.append("methods", lambda _: "abc")
    assert files.read("methods") == "first\n"


def test_of_many_that_append_the_same_one_does(files: FolderChapterFiles) -> None:
    def once(_: int) -> bool:
        other = FolderChapterFiles(files.path("x").parent, lock=files.path("x").parent / ".lock")
        return other.append("methods", lambda text: "" if "same" in text else "same\n")

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(once, range(40))) == 1
    assert files.read("methods") == "same\n"
