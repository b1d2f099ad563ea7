"""Numbers that the content of a page has with an exponent, such as `3.05e-05`.

HTMLDOC and others write them, though no number of a PDF has one: the parser takes it for an unknown
command, and sets the line that it places behind the line before, beyond the edge of the page.
PDFium reads such numbers.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from mmap import ACCESS_READ, mmap
from pathlib import Path

import pypdfium2 as pdfium

from citeloom_pdf.parsing.opened_pages import OpenedPage

_MOST = 64 << 20  # bytes of a stream: more are no content of a page, or a bomb
_LONGEST_HEAD = 500  # bytes before a stream in which its object says what it is
_BEGIN, _END = b"stream", b"endstream"
_FLATE, _FILTER = b"/FlateDecode", b"/Filter"
# what an object with a stream has that is no content of a page: an image, a font, objects
_OTHER = re.compile(rb"/Subtype\s*/(?!Form)|/Length1|/Type\s*/(?!XObject)")
_SIGNS = (b"e-", b"E-")
_NUMBER = rb"[-+]?(?:\d+(?:\.\d*)?|\.\d+)"
# a string of text, or a number with an exponent, up to five other numbers and their command
_WRITTEN = re.compile(
    rb"\((?:[^()\\]|\\.|\((?:[^()\\]|\\.){0,200}\)){0,5000}\)"
    rb"|(?<=\s)(" + _NUMBER + rb"[eE]-\d{1,2})(?=(?:\s+[-+.\deE]{1,24}){0,5}\s+[A-Za-z]{1,2}\W)",
    re.DOTALL,
)
_ANY = re.compile(rb"\s" + _NUMBER + rb"[eE]-\d{1,2}\s")


def has_exponents(path: Path) -> bool:
    """Whether the content of a page in a file has a number with an exponent."""
    with path.open("rb") as file, closing(mmap(file.fileno(), 0, access=ACCESS_READ)) as data:
        return any(
            any(sign in content for sign in _SIGNS) and _ANY.search(content) is not None
            for _, content, _ in _contents(data)
        )


def with_plain_numbers(page: OpenedPage) -> BytesIO | None:
    """The page as a PDF without exponents; None if it has none."""
    copied = BytesIO()
    try:
        with closing(pdfium.PdfDocument.new()) as copy:
            copy.import_pages(page.document, [page.number - 1])
            copy.save(copied)
    except pdfium.PdfiumError:
        return None
    data = copied.getvalue()
    written = bytearray(data)
    for place, content, is_packed in _contents(data):
        plain = _WRITTEN.sub(_plain, content)
        if plain == content:
            continue
        packed = zlib.compress(plain, 9) if is_packed else plain
        size = place.stop - place.start
        if len(packed) <= size:
            written[place] = packed.ljust(size)
    return BytesIO(bytes(written)) if written != data else None


def _plain(found: re.Match[bytes]) -> bytes:
    return (b"%.5f" % float(found[1])).rstrip(b"0").rstrip(b".") if found[1] else found[0]


def _contents(data: bytes | mmap) -> Iterator[tuple[slice, bytes, bool]]:
    """The streams of a file that may draw a page: the place of each, what is in it, and whether it
    was packed there.
    """
    at = 0
    while (at := data.find(_BEGIN, at)) >= 0:
        start = at + len(_BEGIN) + (2 if data[at + 6 : at + 8] == b"\r\n" else 1)
        end = data.find(_END, start)
        if end < 0:
            return
        head = data[max(0, at - _LONGEST_HEAD) : at].rpartition(b" obj")[2]
        at = end + len(_END)
        if _OTHER.search(head):
            continue
        if _FLATE in head:
            inflater = zlib.decompressobj()
            try:
                content = inflater.decompress(data[start:end], _MOST)
            except zlib.error:
                continue
            if not inflater.unconsumed_tail:
                yield slice(start, end), content, True
        elif _FILTER not in head:
            content = data[start:end].rstrip(b"\r\n")
            yield slice(start, start + len(content)), content, False
