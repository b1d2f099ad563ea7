"""Checks of files before anything is unpacked or parsed: bounds, zip archives, character
encodings.
"""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from citeloom.application.limits import DOCUMENT_LIMITS, DocumentLimits
from citeloom.domain.errors import (
    EmptyDocument,
    EncryptedDocument,
    UnreadableDocument,
)

# How much a document may hold to be read at all: checked before the work begins.

_MEGABYTE = 1 << 20


class TooManyCells(Exception):
    """The tables of a document have more cells than are read."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Holds documents to the limits of text and of table cells.

    What is read of a megabyte of text takes a worker about two seconds, of a thousand cells a
    third of one.
    """

    limits: DocumentLimits = DOCUMENT_LIMITS

    def check_text(self, path: Path, size: int) -> None:
        """Raise `UnreadableDocument` for text of more bytes."""
        most = self.limits.max_text_mb
        if size > most * _MEGABYTE:
            raise UnreadableDocument(
                f"{path.name} has {size // _MEGABYTE} MB of text; no more than {most} MB are read",
                "Split it, or raise max_text_mb under [conversion].",
            )

    def check_cells(self, cells: int) -> None:
        """Raise `TooManyCells` for tables of more cells."""
        if cells > self.limits.max_table_cells:
            raise TooManyCells

    @contextmanager
    def refusing(self, path: Path) -> Iterator[None]:
        """Turn the errors for too many cells, or for parts too deep in one another, into
        `UnreadableDocument`.
        """
        try:
            yield
        except TooManyCells as error:
            raise UnreadableDocument(
                f"{path.name} has tables of more than {self.limits.max_table_cells} cells",
                "Take the large tables out, or raise max_table_cells under [conversion].",
            ) from error
        except RecursionError as error:
            raise UnreadableDocument(
                f"{path.name} is nested too deeply", "Save it as PDF and ingest that."
            ) from error


# Decoding the bytes of a file to text.

ANOTHER_COPY = "Open it in the program it was made with; if that fails as well, get another copy."

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WESTERN = "cp1252"
_AS_IN_BROWSERS = {
    "iso8859-1": _WESTERN,
    "ascii": _WESTERN,
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-16": "utf-8",
    "utf-16-le": "utf-8",
    "utf-16-be": "utf-8",
}
"""What the Encoding Standard of the WHATWG has for a label: the larger set of the same letters, and
UTF-8 for UTF-16, as which the label itself could not have been read.
"""
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_OTHER_FORMATS = (b"%PDF-", b"PK\x03\x04", b"{\\rtf")
_MOST_CONTROLS = 0.001


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, and the assumptions made to decode it; `original` has its line ends as they are."""

    text: str
    notes: tuple[str, ...] = ()
    original: str = ""


def read_bytes(path: Path, most: Bounds | None = None) -> bytes:
    """The file's bytes; raises `EmptyDocument` or `UnreadableDocument` if there are none, or the
    file is text of `most` bytes and larger.
    """
    try:
        if most:
            most.check_text(path, path.stat().st_size)
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableDocument(
            f"{path.name} cannot be read: {error.strerror}",
            "Check that the file is still there and that you may read it.",
        ) from error
    if not content:
        raise EmptyDocument(f"{path.name} is empty: it has zero bytes", ANOTHER_COPY)
    return content


def decode(name: str, content: bytes, declared: str | None = None) -> Decoded:
    """The text in the encoding of its BOM or its header, as browsers understand that, else UTF-8,
    else Windows-1252, which is noted, as is UTF-8 that says it is Latin-1 and is read as UTF-8.
    Raises `UnreadableDocument` for binary data.
    """
    text, notes = _decode(content, declared)
    if content.startswith(_OTHER_FORMATS) or len(_NO_TEXT.findall(text)) > _MOST_CONTROLS * len(
        text
    ):
        raise UnreadableDocument(f"{name} is not a text file", ANOTHER_COPY)
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), notes, text)


def _decode(content: bytes, declared: str | None) -> tuple[str, tuple[str, ...]]:
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    meant = _meant(declared)
    tries = (marked, "utf-8", meant) if meant == _WESTERN else (marked, meant, "utf-8")
    for encoding in filter(None, tries):
        try:
            text = content.decode(encoding)
        except (LookupError, UnicodeDecodeError):
            continue
        if encoding == "utf-8" and meant == _WESTERN and not text.isascii():
            return text, (f"it says that it is {declared} and was read as UTF-8",)
        return text, ()
    text = content.decode(_WESTERN, "replace")
    return text, ("it is not UTF-8 and was read as Windows-1252 (Latin-1): check its accents",)


def _meant(declared: str | None) -> str | None:
    """The encoding that browsers read where one is declared."""
    try:
        name = codecs.lookup(declared).name if declared else None
    except LookupError:
        return declared
    return _AS_IN_BROWSERS.get(name, name) if name else None


# Checks of zip archives before anything is unpacked.

_MOST = 1024 * _MEGABYTE
_MOST_MEMBERS = 20_000
_TEXT_SUFFIXES = (".xml", ".rels", ".opf", ".ncx", ".xhtml", ".html", ".htm", ".svg", ".css")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_IS_ENCRYPTED = 1

DAMAGE = (BadZipFile, zlib.error, KeyError, NotImplementedError, EOFError)
"""The errors that reading a member of a damaged archive may raise."""


def read_archive(path: Path, bounds: Bounds) -> BytesIO:
    """The bytes of an archive that is neither encrypted nor a zip bomb.

    Raises `EncryptedDocument` for an encrypted one, `UnreadableDocument` for one that is
    truncated, has more text than is read, or would unpack to far more than a document needs.
    """
    content = read_bytes(path)
    if content.startswith(_OLE):
        if _ENCRYPTED_STREAM in content:
            raise locked(path)
        raise UnreadableDocument(
            f"{path.name} is in the binary format of old Office versions",
            f"Save it as {path.suffix.lower()} in a current Office version or in LibreOffice.",
        )
    try:
        archive = ZipFile(BytesIO(content))
    except BadZipFile as error:
        raise damaged(path, "it is not a complete zip archive") from error
    members = archive.infolist()
    if any(member.flag_bits & _IS_ENCRYPTED for member in members):
        raise locked(path)
    everything = sum(member.file_size for member in members)
    if len(members) > _MOST_MEMBERS or everything > _MOST:
        raise UnreadableDocument(
            f"{path.name} would unpack to {everything // _MEGABYTE} MB in {len(members)} parts: "
            "more than any document needs",
            "If the file is intact, split it, or save it as PDF and ingest that.",
        )
    texts = [m.file_size for m in members if m.filename.lower().endswith(_TEXT_SUFFIXES)]
    bounds.check_text(path, sum(texts))
    return BytesIO(content)


def damaged(path: Path, reason: str) -> UnreadableDocument:
    """The error for a damaged file, with the reason."""
    return UnreadableDocument(f"{path.name} is damaged: {reason}", ANOTHER_COPY)


def locked(path: Path) -> EncryptedDocument:
    """The error for a file that needs a password or a licence."""
    return EncryptedDocument(
        f"{path.name} is protected by a password or by rights management",
        "Save a copy without the protection and ingest that.",
    )
