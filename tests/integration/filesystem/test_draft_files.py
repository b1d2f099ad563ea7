"""Drafts in folders, and the files of decisions beside them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from citeloom.domain.errors import ConfigError, DiskFull
from citeloom.infrastructure.filesystem.draft_files import DecisionsBesideDrafts, latest_drafts


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    path = tmp_path / "thesis.md"
    path.write_text("# Thesis\n", encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> DecisionsBesideDrafts:
    return DecisionsBesideDrafts(lock=tmp_path / "lock")


def test_the_drafts_changed_last_come_first(tmp_path: Path) -> None:
    for number, name in enumerate(("b.md", "in/a.tex", "c.pdf", ".hidden/d.md", "notes/e.md")):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("words", encoding="utf-8")
        os.utime(path, (number, number))
    (tmp_path / "link.md").symlink_to(tmp_path / "b.md")
    found = latest_drafts([tmp_path, tmp_path / "in"], {".md", ".tex"}, {tmp_path / "notes"})
    assert [draft.path.name for draft in found] == ["a.tex", "b.md"]
    assert latest_drafts([tmp_path / "nowhere"], {".md"}, ()) == []


def test_a_file_of_decisions_is_replaced_and_as_open_as_its_draft(
    files: DecisionsBesideDrafts, draft: Path
) -> None:
    draft.chmod(0o600)
    files.change(draft, lambda _: "one")
    files.change(draft, lambda _: "two")
    beside = files.path(draft)
    assert (beside.read_text(), stat.S_IMODE(beside.stat().st_mode)) == ("two", 0o600)
    assert {path.name for path in draft.parent.iterdir()} == {draft.name, beside.name, "lock"}


def test_what_is_no_text_or_no_file_is_refused(files: DecisionsBesideDrafts, draft: Path) -> None:
    beside = files.path(draft)
    beside.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(ConfigError, match="not UTF-8"):
        files.read(draft)
    beside.unlink()
    beside.symlink_to(draft)
    with pytest.raises(ConfigError, match="cannot be read"):
        files.change(draft, lambda _: "over the draft")
    assert draft.read_text() == "# Thesis\n"
    beside.unlink()
    beside.mkdir()
    with pytest.raises(ConfigError):
        files.read(draft)


def test_a_full_disk_leaves_what_there_was(
    files: DecisionsBesideDrafts, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files.change(draft, lambda _: "one")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DiskFull):
        files.change(draft, lambda _: "two")
    assert files.read(draft) == "one"
    assert not list(draft.parent.glob("*.part"))
