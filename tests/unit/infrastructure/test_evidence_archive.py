"""Archives of evidence that are damaged, or made to harm."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from citeloom.domain.errors import (
    CiteloomError,
    ConfigError,
    DiskFull,
    NotFound,
    UnreadableDocument,
)
from citeloom.infrastructure.answers import ro_crate
from citeloom.infrastructure.answers.ro_crate import bundle_of, members
from citeloom.infrastructure.manuscript import evidence_archive
from citeloom.infrastructure.manuscript.evidence_archive import read_archive, writing_archive


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    path = tmp_path / "evidence.zip"
    with writing_archive(path) as archive:
        assert archive.add_picture(b"first") == "pages/00001.png"
        assert archive.add_picture(b"second") == "pages/00002.png"
        assert archive.add_picture(b"first") == "pages/00001.png"
        archive.add("passages.json", b"{}")
    return path


def read_whole(path: Path) -> tuple[bytes, list[str]]:
    return read_archive(path, lambda file: file.read())


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
    assert read_whole(bundle) == (b"{}", [])


def test_files_that_changed_are_missing_or_were_added_are_named(bundle: Path) -> None:
    assert read_whole(copied(bundle, {"pages/00002.png": b"2"}))[1] == ["pages/00002.png"]
    assert read_whole(copied(bundle, without="pages/00001.png"))[1] == ["pages/00001.png"]
    assert read_whole(copied(bundle, {"more.txt": b"2"}))[1] == ["more.txt"]


def test_a_flipped_byte_is_found(bundle: Path) -> None:
    bundle.write_bytes(bundle.read_bytes().replace(b"second", b"sEcond", 1))
    assert read_whole(bundle)[1] == ["pages/00002.png"]


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "a\\b", "C:a", "a//b", "./a", "a\nb"])
def test_names_that_lead_out_of_the_archive_are_refused(bundle: Path, name: str) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        read_whole(copied(bundle, {name: b"x"}))
    assert "is no bundle" in refused.value.message
    assert refused.value.hint


def test_what_is_no_bundle_is_refused(bundle: Path, tmp_path: Path) -> None:
    for name in ("passages.json", "sha256sums.txt"):
        with pytest.raises(UnreadableDocument, match=f"it has no {name}"):
            read_whole(copied(bundle, without=name))
    (tmp_path / "text.zip").write_bytes(b"PK\x03\x04 and no more")
    with pytest.raises(UnreadableDocument, match="no readable ZIP"):
        read_whole(tmp_path / "text.zip")
    (tmp_path / "half.zip").write_bytes(bundle.read_bytes()[:-40])
    with pytest.raises(UnreadableDocument):
        read_whole(tmp_path / "half.zip")
    with pytest.raises(UnreadableDocument, match="a folder"):
        read_whole(tmp_path)
    with pytest.raises(NotFound):
        read_whole(tmp_path / "missing.zip")


def test_an_archive_is_read_within_bounds(bundle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for bound, value in (("_MOST_FILES", 3), ("_MOST_BYTES", 10), ("_LARGEST_FILE", 5)):
        with monkeypatch.context() as patched:
            patched.setattr(evidence_archive, bound, value)
            with pytest.raises(UnreadableDocument, match="too large"):
                read_whole(bundle)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_other_compressions_and_files_that_are_there_twice_are_refused(bundle: Path) -> None:
    twice = bundle.with_name("twice.zip")
    for compression, names in ((ZIP_BZIP2, ("a",)), (ZIP_STORED, ("a", "a"))):
        with ZipFile(twice, "w") as archive:
            for name in (*names, "passages.json", "sha256sums.txt"):
                archive.writestr(ZipInfo(name), b"", compression)
        with pytest.raises(UnreadableDocument, match=r"compressed in a way|is in it twice"):
            read_whole(twice)


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b'{"format": 1, "project": 2}'])
def test_evidence_in_another_form_is_refused(content: bytes) -> None:
    with pytest.raises(UnreadableDocument, match="is not what a bundle has"):
        bundle_of(BytesIO(content), "evidence.zip")


VERIFY = """
import resource, sys
from pathlib import Path
from citeloom.domain.errors import UnreadableDocument
from citeloom.infrastructure.manuscript.evidence_archive import read_archive
from citeloom.infrastructure.answers.ro_crate import bundle_of
_, most = resource.getrlimit(resource.RLIMIT_DATA)
resource.setrlimit(resource.RLIMIT_DATA, (400_000_000, most))
try:
    read_archive(Path(sys.argv[1]), lambda file: bundle_of(file, "evidence.zip"))
except UnreadableDocument as error:
    print(error)
"""
HEAD = b'{"format": 1, "project": "p", "date": "d", "versions": {}, "drafts": [], "sources": [], '


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory")
@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("passages.json", b'{"more": [' + b"[]," * 32_000_000 + b"[]]}", "what a bundle has"),
        ("passages.json", b'{"more": ' + b"[" * 90_000_000, "what a bundle has"),
        ("passages.json", HEAD + b'"evidence": ["' + b"a" * 90_000_000, "what a bundle has"),
        ("passages.json", HEAD + b'"evidence": [' + b"{}," * 30_000_000, "evidence"),
        ("sha256sums.txt", b"\n" * 90_000_000, "too many lines"),
    ],
    ids=["lists", "brackets", "text", "evidence", "hashes"],
)
def test_an_archive_of_something_else_takes_little_memory(
    tmp_path: Path, name: str, content: bytes, fault: str
) -> None:
    path = tmp_path / "evidence.zip"
    files = {"passages.json": HEAD + b'"evidence": []}', "sha256sums.txt": b"", name: content}
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for entry, its in files.items():
            archive.writestr(entry, its)
    done = subprocess.run(
        [sys.executable, "-c", VERIFY, str(path)], capture_output=True, encoding="utf-8", check=True
    )
    assert fault in done.stdout


def test_evidence_is_the_same_wherever_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    value = {"a": [1, "x\u2028\u00e9", [2.5, {}]], "b": {"c": None}, "d": [], "e": 12, "f": '\\"'}
    for piece in range(1, 40):
        monkeypatch.setattr(ro_crate, "_PIECE", piece)
        file = BytesIO(json.dumps(value, ensure_ascii=False, indent=1).encode())
        read = {key: [*one] if isinstance(one, Iterator) else one for key, one in members(file)}
        assert read == value


def test_a_bundle_of_another_format_names_the_version_that_made_it() -> None:
    content = (
        b'{"format": 9, "project": "p", "date": "d", "versions": {"citeloom": "7"}, '
        b'"drafts": [], "sources": [], "evidence": []}'
    )
    with pytest.raises(UnreadableDocument) as refused:
        bundle_of(BytesIO(content), "evidence.zip")
    assert "citeloom 7" in refused.value.hint


def test_what_fails_leaves_the_file_that_was_there(bundle: Path) -> None:
    before = bundle.read_bytes()
    with pytest.raises(CiteloomError, match="stopped"):
        half_written(bundle.with_name("half.zip"))
    assert bundle.read_bytes() == before
    assert [path.name for path in bundle.parent.iterdir()] == ["evidence.zip"]


def half_written(path: Path) -> None:
    with writing_archive(path) as archive:
        archive.add("a", b"")
        raise CiteloomError("stopped", "")


def test_an_archive_needs_its_suffix_and_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError), writing_archive(tmp_path / "a.tar"):
        pass
    taken = tmp_path / "taken.zip"
    taken.write_bytes(b"of last year")
    with pytest.raises(ConfigError, match="is there already"), writing_archive(taken):
        pass
    assert taken.read_bytes() == b"of last year"
    with pytest.raises(NotFound), writing_archive(tmp_path / "no" / "a.zip"):
        pass


def test_an_archive_without_room_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "evidence.zip"
    with pytest.raises(DiskFull, match=r"evidence\.zip"), writing_archive(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert [*tmp_path.iterdir()] == []
