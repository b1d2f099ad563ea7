"""What every `ChapterFiles` promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from citeloom.application.ports.records import ChapterFiles
from citeloom.infrastructure.filesystem.draft_files import FolderChapterFiles
from tests.fakes.chapter_files import InMemoryChapterFiles


@pytest.fixture(params=["memory", "folder"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> ChapterFiles:
    if request.param == "memory":
        return InMemoryChapterFiles()
    return FolderChapterFiles(tmp_path / "collected", lock=tmp_path / "data" / "lock")


def test_a_file_that_is_not_there_has_no_text(files: ChapterFiles) -> None:
    assert files.read("methods") is None
    assert files.names() == []


def test_what_is_appended_stands_behind_what_there_is(files: ChapterFiles) -> None:
    assert files.append("methods", lambda text: f"first{text}\n")
    assert files.append("methods", lambda text: f"second behind {len(text)} ü\n")
    assert files.read("methods") == "first\nsecond behind 6 ü\n"
    assert files.append("intro", lambda _: "a\n")
    assert files.names() == ["intro", "methods"]
    assert files.path("intro").name == "intro.md"


def test_nothing_is_appended_where_there_is_nothing_to_append(files: ChapterFiles) -> None:
    files.append("methods", lambda _: "first\n")
    assert not files.append("methods", lambda _: "")
    assert files.read("methods") == "first\n"
