"""Preflight checks, so that a PDF that cannot be converted is refused with a clear reason."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Generator, Iterable
from mmap import ACCESS_READ, mmap
from pathlib import Path

import pypdfium2
from pypdfium2 import raw

from citeloom.domain.errors import (
    CiteloomError,
    EmptyDocument,
    EncryptedDocument,
    UnreadableDocument,
)
from citeloom.infrastructure.conversion.pdf.besides import besides, has_annotations

# The packed streams of a PDF, and whether one is longer than PDFium unpacks.

PDFIUM_LIMIT = 1 << 30
"""PDFium unpacks so many bytes of a stream, and reads the rest as if it were not there."""
_STREAM = re.compile(rb"/Filter\s*(\[[^\]]{0,200}\]|/\w+)[^>]{0,500}>>\s*stream\r?\n")
_DEFLATED = re.compile(rb"/(?:FlateDecode|Fl)\b")
_BLOCK = 1 << 20


def has_oversized_stream(content: mmap | bytes, limit: int) -> bool:
    """Whether a deflated stream unpacks to more than `limit` bytes; no more than a megabyte of it
    is ever held.
    """
    for match in _STREAM.finditer(content):
        layers, unpacked = len(_DEFLATED.findall(match[1])), 0
        places = range(match.end(), len(content), _BLOCK)  # the inflater knows where it ends
        stream = (content[at : at + _BLOCK] for at in places if layers)
        for _ in range(layers):
            stream = _inflated(stream)
        for block in stream:
            unpacked += len(block)
            if unpacked > limit:
                return True
    return False


def _inflated(packed: Iterable[bytes]) -> Generator[bytes, None, None]:
    """What a stream unpacks to, up to its end or the first damage, in blocks."""
    inflater = zlib.decompressobj()
    for block in packed:
        rest = block
        while rest and not inflater.eof:
            try:
                piece = inflater.decompress(rest, _BLOCK)
            except zlib.error:
                return
            if piece:
                yield piece
            rest = inflater.unconsumed_tail
        if inflater.eof:
            return


# Readers accept up to a kilobyte of junk before the header and after the end marker.
_TOLERANCE = 1024
# A linearized file opens with a `startxref 0` of its own; any other offset is written at the end.
_END_OF_FILE = re.compile(rb"startxref\s+0*[1-9]")
_UNLOCKABLE = (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)

_GET_ANOTHER_COPY = "Open it in a PDF viewer; if that fails as well, get another copy of the file."
_UNLOCK = "Save a copy without the password, for instance with `qpdf --decrypt`, and ingest that."
_SPLIT = "It may be made to exhaust readers; a copy printed to a new PDF may be readable."
_LOOK = "Open it in a PDF viewer; if you see text there, print it to a new PDF and ingest that."
SAVE = "Save what it holds as files of their own from a PDF viewer, and ingest those."
_READ_IMAGES = "Have its pages read: leave --no-ocr out, or set ocr = true under [conversion]."


def check_pdf(
    path: Path,
    *,
    reads_images: bool = False,
    is_lost: Callable[[int], bool] = lambda _: False,
    on_page: Callable[[int], None] = lambda _: None,
) -> None:
    """Raise `EmptyDocument`, `EncryptedDocument` or `UnreadableDocument` if `path` has no text
    to convert. A file with text or an annotation on at least one page passes.

    With `reads_images`, so does one with a page that is an image or a drawing. Pages that are lost
    are not looked at; `on_page` is called with the number of each other page before it is.
    """
    _check_bytes(path)
    # PDFium sets no error when it refuses a document without pages, so that its last error would be
    # another file's: this sets one that no file causes
    raw.FPDF_LoadDocument(b"", None)
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        raise _refusal(path, error) from error
    try:
        loaded, lost, images = 0, 0, 0
        for number in range(1, len(document) + 1):
            if is_lost(number):
                lost += 1
                continue
            on_page(number)
            try:
                page = document[number - 1]
            except pypdfium2.PdfiumError:
                continue
            loaded += 1
            if _has_text(page) or has_annotations(page):
                return
            if reads_images and next(page.get_objects(), None) is not None:
                return
            objects = page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3)
            images += next(iter(objects), None) is not None
            page.close()
        count = "1 page" if len(document) == 1 else f"{len(document)} pages"
    finally:
        document.close()
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as content:
        if has_oversized_stream(content, PDFIUM_LIMIT):
            raise UnreadableDocument(
                f"{path.name} cannot be read: a page of it unpacks to more than 1 GB", _SPLIT
            )
    if not loaded:
        raise _none_loaded(path, count, lost=lost > 0)
    found = f"images only: {count} without text" if images else f"no text: {count}, blank or drawn"
    if notes := besides(path, is_looked_at=lambda _: False, on_page=on_page).notes:
        raise EmptyDocument(f"{path.name} has {found}; {'; '.join(notes)}", SAVE)
    raise EmptyDocument(f"{path.name} has {found}", _LOOK if reads_images else _READ_IMAGES)


def _none_loaded(path: Path, count: str, *, lost: bool) -> UnreadableDocument:
    """The error for a file none of whose pages was loaded, some since they were lost."""
    if lost:
        return UnreadableDocument(
            f"{path.name} cannot be read: of {count}, none could be read within the limits of time "
            "and memory",
            _SPLIT,
        )
    return UnreadableDocument(
        f"{path.name} is damaged: of {count}, none can be loaded", _GET_ANOTHER_COPY
    )


def _check_bytes(path: Path) -> None:
    try:
        with path.open("rb") as file:
            if not path.stat().st_size:
                raise EmptyDocument(f"{path.name} is empty: it has zero bytes", _GET_ANOTHER_COPY)
            with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
                if b"%PDF-" not in content[:_TOLERANCE]:
                    raise UnreadableDocument(
                        f"{path.name} is not a PDF: it does not begin with a PDF header",
                        _GET_ANOTHER_COPY,
                    )
                if b"%%EOF" not in content[-_TOLERANCE:] and _END_OF_FILE.search(content) is None:
                    raise UnreadableDocument(
                        f"{path.name} is truncated: its end is missing", _GET_ANOTHER_COPY
                    )
    except OSError as error:
        raise UnreadableDocument(
            f"{path.name} cannot be read: {error.strerror}",
            "Check that the file is still there and that you may read it.",
        ) from error


def _refusal(path: Path, error: pypdfium2.PdfiumError) -> CiteloomError:
    if error.err_code in _UNLOCKABLE:
        return EncryptedDocument(f"{path.name} is protected by a password", _UNLOCK)
    if error.err_code == raw.FPDF_ERR_FILE:  # no error was set: a document without pages
        return EmptyDocument(f"{path.name} has no pages", _GET_ANOTHER_COPY)
    return UnreadableDocument(
        f"{path.name} is damaged: its structure cannot be read", _GET_ANOTHER_COPY
    )


def _has_text(page: pypdfium2.PdfPage) -> bool:
    try:
        text = page.get_textpage()
    except pypdfium2.PdfiumError:
        return False
    try:
        return bool(text.get_text_range().strip())
    finally:
        text.close()
