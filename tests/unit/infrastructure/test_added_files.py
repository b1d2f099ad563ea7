"""Files that visitors add: what they are is seen by their content, and none replaces another."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from citeloom.domain.errors import (
    CiteloomError,
    ConfigError,
    EmptyDocument,
    EncryptedDocument,
    UnreadableDocument,
    UnsupportedFormat,
)
from citeloom.infrastructure.filesystem.added_files import add_file, safe_stem

PDF = b"%PDF-1.7\n%\xe2\xe3\n"
TEXT = b"Swallows return to the same bridge.\n"
MOST = 1 << 20


def archive(**members: bytes) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w") as file:
        for name, content in members.items():
            file.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


WORD = archive(**{"[Content_Types].xml": b"", "word__document.xml": b"<w/>"})
SLIDES = archive(**{"[Content_Types].xml": b"", "ppt__presentation.xml": b"<p/>"})
BOOK = archive(mimetype=b"application/epub+zip", **{"META-INF__container.xml": b"<c/>"})


def added(folder: Path, name: str, content: bytes) -> str:
    path = add_file(folder, name, BytesIO(content), most_text=MOST)
    assert path.parent == folder
    assert path.read_bytes() == content
    return path.name


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.pdf", PDF, "a.pdf"),
        ("a.txt", PDF, "a.pdf"),
        ("a.exe", PDF, "a.pdf"),
        ("a", WORD, "a.docx"),
        ("a.pdf", WORD, "a.docx"),
        ("a.pptx", SLIDES, "a.pptx"),
        ("a.zip", BOOK, "a.epub"),
        ("a.md", TEXT, "a.md"),
        ("a.markdown", b"\xef\xbb\xbf" + TEXT, "a.markdown"),
        ("a.pdf", TEXT, "a.txt"),
        ("a.php", b"<?php echo 1;", "a.txt"),
        ("a.txt", b"<!DOCTYPE html><p>One", "a.html"),
        ("a.xhtml", b"<html><p>One</p></html>", "a.xhtml"),
    ],
)
def test_the_content_says_what_a_file_is(
    tmp_path: Path, name: str, content: bytes, expected: str
) -> None:
    assert added(tmp_path, name, content) == expected


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", EmptyDocument),
        (b"\x7fELF\x02\x01\x01\x00", UnsupportedFormat),
        (b"MZ\x90\x00\x03", UnsupportedFormat),
        (b"\x89PNG\r\n\x1a\n\x00", UnsupportedFormat),
        ("Über".encode("utf-16"), UnsupportedFormat),
        ("Über".encode("latin-1"), UnsupportedFormat),
        (b"plain \x00 text", UnsupportedFormat),
        (archive(readme=b"x"), UnsupportedFormat),
        (archive(mimetype=b"application/epub+zip, or not"), UnsupportedFormat),
        (archive(**{"[Content_Types].xml": b"", "xl__workbook.xml": b""}), UnsupportedFormat),
        (WORD[:-30], UnreadableDocument),
        (b"PK\x03\x04 and nothing else", UnreadableDocument),
        (b"x" * (MOST + 1), UnreadableDocument),
    ],
)
def test_what_is_no_document_is_refused(
    tmp_path: Path, content: bytes, error: type[CiteloomError]
) -> None:
    with pytest.raises(error):
        add_file(tmp_path, "paper.pdf", BytesIO(content), most_text=MOST)
    assert [*tmp_path.iterdir()] == []


def test_archives_that_cost_more_than_a_document_are_refused(tmp_path: Path) -> None:
    encrypted = bytearray(WORD)
    for signature, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        encrypted[WORD.find(signature) + flags] |= 1
    large = bytearray(WORD)
    at = WORD.rfind(b"PK\x01\x02")
    large[at + 24 : at + 28] = (2 << 30).to_bytes(4, "little")
    many = bytearray(WORD)
    at = WORD.rfind(b"PK\x05\x06")
    many[at + 12 : at + 16] = (100 << 20).to_bytes(4, "little")
    zip64 = WORD[:at] + b"PK\x06\x07" + bytes(16) + WORD[at:]
    for content, error in (
        (bytes(encrypted), EncryptedDocument),
        (bytes(large), UnreadableDocument),
        (bytes(many), UnreadableDocument),
        (zip64, UnreadableDocument),
    ):
        with pytest.raises(error):
            add_file(tmp_path, "a.docx", BytesIO(content), most_text=MOST)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ada\\Rye.pdf", "Rye"),
        ("/abs/olute.pdf", "olute"),
        ("..", "document"),
        ("", "document"),
        (".htaccess", "htaccess"),
        ("a\0b.pdf", "a_b"),
        ("a\nb.pdf", "a_b"),
        ("-rf.pdf", "rf"),
        ("<script>.pdf", "script"),
        ("invoice\u202efdp.exe", "invoice_fdp"),
        ("Münzen und Maße.pdf", "Münzen und Maße"),
        ("Mu\u0308nzen.pdf", "Münzen"),
        ("論語.pdf", "論語"),
        ("con.pdf", "_con"),
        ("LPT1.v2.pdf", "_LPT1.v2"),
        ("ü" * 300 + ".pdf", "ü" * 60),
    ],
)
def test_names_stay_in_the_folder_and_can_be_printed(name: str, stem: str) -> None:
    assert safe_stem(name) == stem


def test_no_file_is_overwritten(tmp_path: Path) -> None:
    assert added(tmp_path, "a.md", TEXT) == "a.md"
    assert added(tmp_path, "x/a.md", b"Another.") == "a (2).md"
    assert added(tmp_path, "a.md", TEXT) == "a.md"
    assert added(tmp_path, "a.md", b"A third.") == "a (3).md"
    assert (tmp_path / "a.md").read_bytes() == TEXT
    assert len([*tmp_path.iterdir()]) == 3


def test_a_link_is_neither_followed_nor_replaced(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "a.md").symlink_to(outside)
    assert added(folder, "a.md", TEXT) == "a (2).md"
    assert not outside.exists()


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        add_file(tmp_path / "gone", "a.md", BytesIO(TEXT), most_text=MOST)
