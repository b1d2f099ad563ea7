"""Checks of zip archives before anything is unpacked."""

from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from citeloom.domain.errors import CiteloomError, EncryptedDocument, UnreadableDocument
from citeloom.infrastructure.conversion.formats.bounds import Bounds
from citeloom.infrastructure.conversion.formats.decoding import ANOTHER_COPY, content_of

_MEGABYTE = 1 << 20
_MOST = 1024 * _MEGABYTE
_MOST_MEMBERS = 20_000
_TEXT_SUFFIXES = (".xml", ".rels", ".opf", ".ncx", ".xhtml", ".html", ".htm", ".svg", ".css")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_IS_ENCRYPTED = 1

DAMAGE = (BadZipFile, zlib.error, KeyError, NotImplementedError, EOFError)
"""The errors that reading a member of a damaged archive may raise."""


def checked_archive(path: Path, bounds: Bounds) -> BytesIO:
    """The bytes of an archive that is neither encrypted nor a zip bomb.

    Raises `EncryptedDocument` for an encrypted one, `UnreadableDocument` for one that is
    truncated, has more text than is read, or would unpack to far more than a document needs.
    """
    content = content_of(path)
    if content.startswith(_OLE):
        raise _of_old_form(path, content)
    try:
        archive = ZipFile(BytesIO(content))
    except BadZipFile as error:
        raise damaged(path, "it is not a complete zip archive") from error
    _check_members(path, archive, bounds)
    return BytesIO(content)


def _check_members(path: Path, archive: ZipFile, bounds: Bounds) -> None:
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


def damaged(path: Path, reason: str) -> UnreadableDocument:
    """The error for a damaged file, with the reason."""
    return UnreadableDocument(f"{path.name} is damaged: {reason}", ANOTHER_COPY)


def locked(path: Path) -> EncryptedDocument:
    """The error for a file that needs a password or a licence."""
    return EncryptedDocument(
        f"{path.name} is protected by a password or by rights management",
        "Save a copy without the protection and ingest that.",
    )


def _of_old_form(path: Path, content: bytes) -> CiteloomError:
    """The error for an OLE container: an encrypted file, or one from before Office 2007."""
    if _ENCRYPTED_STREAM in content:
        return locked(path)
    return UnreadableDocument(
        f"{path.name} is in the binary format of old Office versions",
        f"Save it as {path.suffix.lower()} in a current Office version or in LibreOffice.",
    )
