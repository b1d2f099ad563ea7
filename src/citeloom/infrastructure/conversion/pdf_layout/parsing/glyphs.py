"""The letters of a page as PDFium reads them, by place."""

from __future__ import annotations

import ctypes
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect

_SQUARE = 8.0  # points
_HYPHENS = frozenset("\x02\ufffe")  # what PDFium makes of a hyphen at a line's end


class Glyph(NamedTuple):
    """A letter with its place in the text and on the page; `spaced` after white space."""

    index: int
    text: str
    box: Rect
    spaced: bool


class PlacedGlyphs:
    """Letters by their middle, in squares of the page."""

    def __init__(self, glyphs: Sequence[Glyph]) -> None:
        self._squares: dict[tuple[int, int], list[Glyph]] = defaultdict(list)
        for glyph in glyphs:
            self._squares[_square(glyph.box.middle_x, glyph.box.middle_y)].append(glyph)

    def inside(self, box: Rect) -> list[Glyph]:
        """The letters with their middle in the box, in the order of the text."""
        (left, top), (right, bottom) = _square(box.left, box.top), _square(box.right, box.bottom)
        near = (
            glyph
            for x in range(left, right + 1)
            for y in range(top, bottom + 1)
            for glyph in self._squares.get((x, y), ())
        )
        return sorted(
            glyph
            for glyph in near
            if box.left <= glyph.box.middle_x <= box.right
            and box.top <= glyph.box.middle_y <= box.bottom
        )


def _square(x: float, y: float) -> tuple[int, int]:
    return int(x // _SQUARE), int(y // _SQUARE)


def glyphs_of(document: pdfium.PdfDocument, number: int) -> PlacedGlyphs:
    """The letters of a page."""
    with closing(document[number - 1]) as page, closing(page.get_textpage()) as text:
        return PlacedGlyphs(list(_glyphs(text, page.get_bbox())))


def _glyphs(text: pdfium.PdfTextPage, page: tuple[float, float, float, float]) -> Iterator[Glyph]:
    box = pdfium_raw.FS_RECTF()
    place = ctypes.byref(box)
    index, spaced = 0, True
    for position in range(text.count_chars()):
        letter = chr(pdfium_raw.FPDFText_GetUnicode(text, position))
        if letter in _HYPHENS:
            letter = "-"
        if letter.isspace() or not letter.isprintable():
            spaced = True
            continue
        pdfium_raw.FPDFText_GetLooseCharBox(text, position, place)
        corners = Rect(
            box.left - page[0], page[3] - box.top, box.right - page[0], page[3] - box.bottom
        )
        parts = unicodedata.normalize("NFKC", letter) if letter in _LIGATURES else letter
        for number, part in enumerate(parts):
            yield Glyph(index, part, _part(corners, number, len(parts)), spaced)
            index, spaced = index + 1, False


def _part(box: Rect, number: int, count: int) -> Rect:
    width = box.width / count
    left = box.left + number * width
    return Rect(left, box.top, left + width, box.bottom)


_LIGATURES = frozenset(map(chr, range(0xFB00, 0xFB07)))
