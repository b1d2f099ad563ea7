"""Archives of evidence that are damaged, or made to harm."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_STORED, ZipFile, ZipInfo

import pytest

from citeloom.domain.errors import CiteloomError, ConfigError, NotFound, UnreadableDocument
from citeloom.infrastructure.manuscript import evidence_archive
from citeloom.infrastructure.manuscript.evidence_archive import read_archive, writing_archive
from citeloom.infrastructure.serialisation.evidence import bundle_of


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "evidence.zip"
    with writing_archive(path) as archive:
        assert archive.add_picture(b"first") == "pages/00001.png"
        assert archive.add_picture(b"second") == "pages/00002.png"
        assert archive.add_picture(b"first") == "pages/00001.png"
        archive.add("passages.json", b"{}")
    return path


def copied(bundle: Path, changed: dict[str, bytes] | None = None, *, without: str = "") -> Path:
    path, more = bundle.with_name("copy.zip"), dict(changed or {})
    with ZipFile(bundle) as source, ZipFile(path, "w") as target:
        for name in source.namelist():
            if name != without:
                target.writestr(name, more.pop(name, b"") or source.read(name))
        for name, content in more.items():
            target.writestr(name, content)
    return path


def test_an_intact_archive_is_read(bundle: Path) -> None:
    assert read_archive(bundle) == (b"{}", [])


def test_files_that_changed_are_missing_or_were_added_are_named(bundle: Path) -> None:
    assert read_archive(copied(bundle, {"pages/00002.png": b"2"}))[1] == ["pages/00002.png"]
    assert read_archive(copied(bundle, without="pages/00001.png"))[1] == ["pages/00001.png"]
    assert read_archive(copied(bundle, {"more.txt": b"2"}))[1] == ["more.txt"]


def test_a_flipped_byte_is_found(bundle: Path) -> None:
    bundle.write_bytes(bundle.read_bytes().replace(b"second", b"sEcond", 1))
    assert read_archive(bundle)[1] == ["pages/00002.png"]


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "a\\b", "C:a", "a//b", "./a", "a\nb"])
def test_names_that_lead_out_of_the_archive_are_refused(bundle: Path, name: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        read_archive(copied(bundle, {name: b"x"}))
    assert "is no bundle" in refused.value.message
    assert refused.value.hint


def test_what_is_no_bundle_is_refused(bundle: Path, tmp_path: Path) -> None:
    for name in ("passages.json", "sha256sums.txt"):
        with pytest.raises(UnreadableDocument, match=f"it has no {name}"):
            read_archive(copied(bundle, without=name))
    (tmp_path / "text.zip").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(UnreadableDocument, match="no readable ZIP"):
        read_archive(tmp_path / "text.zip")
    (tmp_path / "half.zip").write_bytes(bundle.read_bytes()[:-40])
    with pytest.raises(UnreadableDocument):
        read_archive(tmp_path / "half.zip")
    with pytest.raises(UnreadableDocument, match="a folder"):
        read_archive(tmp_path)
    with pytest.raises(NotFound):
        read_archive(tmp_path / "missing.zip")


def test_an_archive_is_read_within_bounds(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for bound, value in (("_MOST_FILES", 3), ("_MOST_BYTES", 10), ("_LARGEST_FILE", 5)):
        with monkeypatch.context() as patched:
            patched.setattr(evidence_archive, bound, value)
            with pytest.raises(UnreadableDocument, match="too large"):
                read_archive(bundle)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_other_compressions_and_files_that_are_there_twice_are_refused(bundle: Path) -> None:
    twice = bundle.with_name("twice.zip")
    for compression, names in ((ZIP_BZIP2, ("a",)), (ZIP_STORED, ("a", "a"))):
        with ZipFile(twice, "w") as archive:
            for name in (*names, "passages.json", "sha256sums.txt"):
                archive.writestr(ZipInfo(name), b"", compression)
        with pytest.raises(UnreadableDocument, match=r"compressed in a way|is in it twice"):
            read_archive(twice)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"format": 1, "project": 2}'])
def test_evidence_in_another_form_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="is not what a bundle has"):
        bundle_of(content, "evidence.zip")


def test_a_bundle_of_another_format_names_the_version_that_made_it() -> None:
    content = (
        b'{"format": 9, "project": "p", "date": "d", "versions": {"citeloom": "7"}, '
        b'"drafts": [], "sources": [], "evidence": []}'
    )
    with pytest.raises(UnreadableDocument) as refused:
        bundle_of(content, "evidence.zip")
    assert "citeloom 7" in refused.value.hint


def test_what_fails_leaves_the_file_that_was_there(bundle: Path) -> None:
    before = bundle.read_bytes()
    with pytest.raises(CiteloomError):
        half_written(bundle)
    assert bundle.read_bytes() == before
    assert [path.name for path in bundle.parent.iterdir()] == ["evidence.zip"]


def half_written(path: Path) -> None:
    with writing_archive(path) as archive:
        archive.add("a", b"")
        raise CiteloomError("stopped", "")


def test_an_archive_needs_its_suffix_and_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError), writing_archive(tmp_path / "a.tar"):
        pass
    with pytest.raises(NotFound), writing_archive(tmp_path / "no" / "a.zip"):
        pass
