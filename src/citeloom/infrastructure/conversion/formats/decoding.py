"""Decoding the bytes of a file to text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from pathlib import Path

from citeloom.domain.errors import EmptyDocument, UnreadableDocument

ANOTHER_COPY = "Open it in the program it was made with; if that fails as well, get another copy."

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_OTHER_FORMATS = (b"%PDF-", b"PK\x03\x04", b"{\\rtf")
_MOST_CONTROLS = 0.001


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, and the assumptions made to decode it; `original` has its line ends as they are."""

    text: str
    notes: tuple[str, ...] = ()
    original: str = ""


def content_of(path: Path) -> bytes:
    """The file's bytes; raises `EmptyDocument` or `UnreadableDocument` if there are none."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableDocument(
            f"{path.name} cannot be read: {error.strerror}",
            "Check that the file is still there and that you may read it.",
        ) from error
    if not content:
        raise EmptyDocument(f"{path.name} is empty: it has zero bytes", ANOTHER_COPY)
    return content


def decoded(name: str, content: bytes, declared: str | None = None) -> Decoded:
    """The text in the encoding of its BOM or its header, else UTF-8, else Windows-1252, which
    is noted. Raises `UnreadableDocument` for binary data.
    """
    text, notes = _decoded(content, declared)
    if content.startswith(_OTHER_FORMATS) or len(_NO_TEXT.findall(text)) > _MOST_CONTROLS * len(
        text
    ):
        raise UnreadableDocument(f"{name} is not a text file", ANOTHER_COPY)
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), notes, text)


def _decoded(content: bytes, declared: str | None) -> tuple[str, tuple[str, ...]]:
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    for encoding in (marked, declared, "utf-8"):
        if encoding is None:
            continue
        try:
            return content.decode(encoding), ()
        except (LookupError, UnicodeDecodeError):
            continue
    try:
        text = content.decode("cp1252")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text, ("it is not UTF-8 and was read as Windows-1252 (Latin-1): check its accents",)
