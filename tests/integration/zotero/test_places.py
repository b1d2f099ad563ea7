"""Where an attachment's file is, by how Zotero holds it and what it has written down."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Literal

import pytest

from citeloom.domain.zotero.items import LinkMode
from citeloom.infrastructure.zotero.places import FileLocations, is_there

Form = Literal["NFC", "NFD"]
FILE, SNAPSHOT, LINKED = LinkMode.IMPORTED_FILE, LinkMode.IMPORTED_URL, LinkMode.LINKED_FILE


@pytest.fixture
def places(tmp_path: Path) -> FileLocations:
    return FileLocations(data_dir=tmp_path / "zotero", base_dir=tmp_path / "base")


@pytest.mark.parametrize(
    ("mode", "stored", "where"),
    [
        (FILE, "storage:Fenn 2020.pdf", "zotero/storage/TIDEAAA2/Fenn 2020.pdf"),
        (SNAPSHOT, "storage:index.html", "zotero/storage/TIDEAAA2/index.html"),
        (FILE, "storage:book.epub", "zotero/storage/TIDEAAA2/book.epub"),
        (FILE, "storage:So..., what?.pdf", "zotero/storage/TIDEAAA2/So..., what?.pdf"),
        (FILE, "storage:figures/one.png", "zotero/storage/TIDEAAA2/figures/one.png"),
        (LINKED, "attachments:fenn.pdf", "base/fenn.pdf"),
        (LINKED, "attachments:coast/fenn.pdf", "base/coast/fenn.pdf"),
    ],
)
def test_a_file_is_where_zotero_keeps_it(
    places: FileLocations, tmp_path: Path, mode: LinkMode, stored: str, where: str
) -> None:
    assert places.path_of("TIDEAAA2", mode, stored) == tmp_path / where


def test_an_absolute_link_is_its_own_place(places: FileLocations, tmp_path: Path) -> None:
    assert places.path_of("TIDEAAA2", LINKED, str(tmp_path / "x.pdf")) == tmp_path / "x.pdf"


@pytest.mark.parametrize("mode", [LinkMode.LINKED_URL, LinkMode.EMBEDDED_IMAGE])
def test_what_is_no_file_has_no_place(places: FileLocations, mode: LinkMode) -> None:
    assert places.path_of("TIDEAAA2", mode, "storage:image.png") is None


@pytest.mark.parametrize(
    ("mode", "stored", "why"),
    [
        (FILE, "", "names no file"),
        (FILE, "storage:../../prefs.js", "outside its folder"),
        (FILE, "storage:/etc/hosts", "outside its folder"),
        (FILE, r"storage:..\prefs.js", "outside its folder"),
        (FILE, r"storage:C:\Windows\win.ini", "outside its folder"),
        (FILE, "storage:C:win.ini", "outside its folder"),
        (FILE, "storage:a\0.pdf", "outside its folder"),
        (LINKED, "attachments:fenn.pdf", "base directory"),
        (LINKED, "attachments:../../etc/hosts", "outside its folder"),
        (LINKED, "attachments:/etc/hosts", "outside its folder"),
        (LINKED, r"C:\Papers\fenn.pdf", "another system"),
        (LINKED, r"\\server\papers\fenn.pdf", "another system"),
        (LINKED, "papers/fenn.pdf", "says not where it begins"),
    ],
)
def test_a_place_that_cannot_be_known_says_why(
    tmp_path: Path, mode: LinkMode, stored: str, why: str
) -> None:
    places = FileLocations(data_dir=tmp_path)
    assert places.path_of("TIDEAAA2", mode, stored) is None
    assert why in places.flaw_of(stored)


@pytest.mark.parametrize("stored", ["attachments:../x.pdf", "attachments:/etc/hosts"])
def test_a_relative_link_cannot_leave_its_base(places: FileLocations, stored: str) -> None:
    assert places.path_of("TIDEAAA2", LINKED, stored) is None


def test_a_key_cannot_leave_the_storage(places: FileLocations) -> None:
    assert places.path_of("../../x", FILE, "storage:a.pdf") is None


@pytest.mark.parametrize("on_disk", ["NFC", "NFD"])
@pytest.mark.parametrize("written_down", ["NFC", "NFD"])
def test_accents_are_found_however_the_disk_spells_them(
    places: FileLocations, tmp_path: Path, on_disk: Form, written_down: Form
) -> None:
    folder = tmp_path / "base"
    folder.mkdir()
    (folder / unicodedata.normalize(on_disk, "Müller é.pdf")).write_bytes(b"%PDF")
    stored = unicodedata.normalize(written_down, "attachments:Müller é.pdf")
    assert is_there(places.path_of("TIDEAAA2", LINKED, stored))
    gone = places.path_of("TIDEAAA2", LINKED, "attachments:Möller.pdf")
    assert gone == folder / "Möller.pdf"
    assert not is_there(gone)


def test_a_name_too_long_for_the_disk_is_missing(tmp_path: Path) -> None:
    assert not is_there(tmp_path / ("x" * 5000))
    assert not is_there(None)
