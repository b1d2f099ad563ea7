"""Files that visitors add to a folder of sources: typed by their content, never in the place of
another.
"""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
import zlib
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import IO
from zipfile import BadZipFile, ZipFile

from citeloom.application.disk_space import write_error
from citeloom.application.ports.conversion import KINDS_READ
from citeloom.domain.errors import (
    ConfigError,
    EmptyDocument,
    EncryptedDocument,
    UnreadableDocument,
    UnsupportedFormat,
)

_BLOCK = 1 << 20
_PDF, _ZIP = b"%PDF-", b"PK\x03\x04"
_BLANK = b"\xef\xbb\xbf \t\r\n"
_HTML = (b"<!doctype html", b"<html")
_TEXTS = frozenset({".md", ".markdown", ".mdx", ".txt", ".html", ".htm", ".xhtml"})
"""What a text is called by its name; its content does not say."""
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")

# Archives: the directory of one is looked at before it is read.

_END, _END_OF_LARGE = b"PK\x05\x06", b"PK\x06\x07"
_LONGEST_END = (1 << 16) + 42
_MOST_DIRECTORY, _MOST_UNPACKED = 4 << 20, 1 << 30
_IS_ENCRYPTED = 1
_EPUB = b"application/epub+zip"
_OFFICE = {"word/document.xml": ".docx", "ppt/presentation.xml": ".pptx"}

# Names.

_LONGEST_NAME = 120
_SAFE = frozenset(" -_.,()&+'")
_DEVICES = frozenset(
    {"aux", "con", "nul", "prn", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
)


def add_file(folder: Path, name: str, content: IO[bytes], *, most_text: int) -> Path:
    """Write a file into a folder under its name, made safe, and return where; a file that is there
    with the same content stays, and one with another makes the name a further one.

    `most_text` is the most bytes of a text. Raises `EmptyDocument`, `EncryptedDocument`,
    `UnsupportedFormat` for what is no document by its content, `UnreadableDocument` for one that is
    damaged or too large, `DiskFull`, and `ConfigError` where the folder cannot be written.
    """
    suffix = _suffix_of(name, content, most_text)
    stem = safe_stem(name)
    digest = _digest(content)
    try:
        number = 1
        while True:
            numbered = stem if number == 1 else f"{stem} ({number})"
            target = folder / f"{numbered}{suffix}"
            if _written(target, content):
                return target
            if target.is_file() and not target.is_symlink():
                with target.open("rb") as existing:
                    if _digest(existing) == digest:
                        return target
            number += 1
    except OSError as error:
        refused = ConfigError(
            f"files cannot be added to {folder}: {error.strerror}",
            "Let the server write there, or set another folder as [server] uploads.",
        )
        raise write_error("the file", error, refused) from error


def safe_stem(name: str) -> str:
    """The name of a file without its suffix, of which each part can be a name on any system."""
    last = unicodedata.normalize("NFC", name).replace("\\", "/").rpartition("/")[2]
    stem = PurePosixPath(last).stem if last.strip(".") else ""
    kept = "".join(c if c in _SAFE or unicodedata.category(c)[0] in "LMN" else "_" for c in stem)
    short = " ".join(kept.split()).encode()[:_LONGEST_NAME].decode(errors="ignore").strip(" ._-")
    is_device = short.partition(".")[0].casefold() in _DEVICES
    return f"_{short}" if is_device else short or "document"


def _suffix_of(name: str, content: IO[bytes], most_text: int) -> str:
    """The suffix that the content of a file has, whatever its name says."""
    content.seek(0)
    head = content.read(_BLOCK)
    if not head:
        raise EmptyDocument(
            f"{safe_stem(name)} is empty: it has zero bytes", "Choose another file."
        )
    opening = head.lstrip(_BLANK)
    if opening.startswith(_PDF):
        return ".pdf"
    if head.startswith(_ZIP):
        return _suffix_of_archive(name, content)
    content.seek(0)
    everything = content.read(most_text + 1)
    if len(everything) > most_text:
        raise UnreadableDocument(
            f"{safe_stem(name)} has more than {most_text >> 20} MB of text", "Split it."
        )
    try:
        text = everything.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if _NO_TEXT.search(text):
        raise UnsupportedFormat(f"{safe_stem(name)} is no document that is read here", KINDS_READ)
    suffix = PurePosixPath(name.lower()).suffix
    if opening[:20].lower().startswith(_HTML):
        return suffix if suffix in {".htm", ".xhtml"} else ".html"
    return suffix if suffix in _TEXTS else ".txt"


def _suffix_of_archive(name: str, content: IO[bytes]) -> str:
    """That of a Word document, a presentation or an EPUB, by the parts of the archive."""
    damage = UnreadableDocument(
        f"{safe_stem(name)} is damaged, or larger than any document",
        "Open it in the program it was made with; if that fails, get another copy.",
    )
    size = content.seek(0, os.SEEK_END)
    content.seek(max(size - _LONGEST_END, 0))
    tail = content.read()
    end = tail.rfind(_END)
    directory = int.from_bytes(tail[end + 12 : end + 16], "little")
    if end < 0 or directory > _MOST_DIRECTORY or _END_OF_LARGE in tail[max(end - 20, 0) : end]:
        raise damage
    content.seek(0)
    try:
        with ZipFile(content) as archive:
            members = archive.infolist()
            names = {member.filename for member in members}
            if sum(member.file_size for member in members) > _MOST_UNPACKED:
                raise damage
            if any(member.flag_bits & _IS_ENCRYPTED for member in members):
                raise EncryptedDocument(
                    f"{safe_stem(name)} is protected by a password", "Save it without one."
                )
            if "[Content_Types].xml" in names:
                found = (suffix for part, suffix in _OFFICE.items() if part in names)
                suffix = next(found, "")
            else:
                suffix = _suffix_of_book(archive) if "mimetype" in names else ""
    except (BadZipFile, zlib.error, NotImplementedError, EOFError, ValueError) as error:
        raise damage from error
    if not suffix:
        raise UnsupportedFormat(f"{safe_stem(name)} is an archive, but no document", KINDS_READ)
    return suffix


def _suffix_of_book(archive: ZipFile) -> str:
    with archive.open("mimetype") as file:
        return ".epub" if file.read(len(_EPUB) + 1).strip() == _EPUB else ""


def _digest(content: IO[bytes]) -> str:
    content.seek(0)
    digest = sha256()
    while block := content.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _written(target: Path, content: IO[bytes]) -> bool:
    """Write a file where none is; False where one is, or a link."""
    try:
        file = target.open("xb")
    except FileExistsError:
        return False
    try:
        with file:
            content.seek(0)
            shutil.copyfileobj(content, file, _BLOCK)
    except BaseException:
        with suppress(OSError):
            target.unlink()
        raise
    return True
