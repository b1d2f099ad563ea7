"""The letters of a page as PDFium reads them."""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Iterator
from contextlib import closing

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect
from citeloom.infrastructure.conversion.pdf_layout.elements.glyphs import Glyph, PlacedGlyphs
from citeloom.infrastructure.conversion.pdf_layout.parsing.turning import Turning, turning_of

_HYPHENS = frozenset("\x02\ufffe")  # what PDFium makes of a hyphen at a line's end


def glyphs_of(document: pdfium.PdfDocument, number: int) -> PlacedGlyphs:
    """The letters of a page."""
    with closing(document[number - 1]) as page, closing(page.get_textpage()) as text:
        return PlacedGlyphs(list(_glyphs(text, turning_of(page))))


def _glyphs(text: pdfium.PdfTextPage, turning: Turning) -> Iterator[Glyph]:
    box = pdfium_raw.FS_RECTF()
    place = ctypes.byref(box)
    index, spaced = 0, True
    for position in range(text.count_chars()):
        letter = chr(pdfium_raw.FPDFText_GetUnicode(text, position))
        if letter in _HYPHENS:
            letter = "-"
        letter = _TEX_LIGATURES.get(letter, letter)
        if letter.isspace() or not letter.isprintable():
            spaced = True
            continue
        pdfium_raw.FPDFText_GetLooseCharBox(text, position, place)
        corners = turning.shown(box.left, box.bottom, box.right, box.top)
        parts = unicodedata.normalize("NFKC", letter) if letter in _LIGATURES else letter
        for number, part in enumerate(parts):
            yield Glyph(index, part, _part(corners, number, len(parts)), spaced)
            index, spaced = index + 1, False


def _part(box: Rect, number: int, count: int) -> Rect:
    width = box.width / count
    left = box.left + number * width
    return Rect(left, box.top, left + width, box.bottom)


_TEX_LIGATURES = {"\x0b": "\ufb00", "\x0c": "\ufb01", "\x0e": "\ufb03", "\x0f": "\ufb04"}
_LIGATURES = frozenset(map(chr, range(0xFB00, 0xFB07)))
