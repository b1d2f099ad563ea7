"""The letters of a page as PDFium reads them."""

from __future__ import annotations

import ctypes
import unicodedata

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw

from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect
from citeloom.infrastructure.conversion.pdf_layout.elements.glyphs import Glyph
from citeloom.infrastructure.conversion.pdf_layout.parsing.turning import Turning

_HYPHENS = frozenset("\x02\ufffe")  # what PDFium makes of a hyphen at a line's end
_TEX_LIGATURES = {"\x0b": "\ufb00", "\x0c": "\ufb01", "\x0e": "\ufb03", "\x0f": "\ufb04"}
_LIGATURES = frozenset(map(chr, range(0xFB00, 0xFB07)))


def glyphs_of(text: pdfium.PdfTextPage, turning: Turning) -> list[Glyph]:
    """The letters of a page, in the order of its text."""
    page, box = text.raw, pdfium_raw.FS_RECTF()
    place = ctypes.byref(box)
    glyphs: list[Glyph] = []
    spaced = True
    for position in range(text.count_chars()):
        letter = chr(pdfium_raw.FPDFText_GetUnicode(page, position))
        if letter in _HYPHENS:
            letter = "-"
        letter = _TEX_LIGATURES.get(letter, letter)
        if letter.isspace() or not letter.isprintable():
            spaced = True
            continue
        pdfium_raw.FPDFText_GetLooseCharBox(page, position, place)
        corners = turning.shown(box.left, box.bottom, box.right, box.top)
        if letter in _LIGATURES:
            glyphs += _letters(letter, corners, len(glyphs), spaced)
        else:
            glyphs.append(Glyph(len(glyphs), letter, corners, spaced))
        spaced = False
    return glyphs


def _letters(ligature: str, box: Rect, first: int, spaced: bool) -> list[Glyph]:
    """The letters of a ligature, each with an even part of its width."""
    letters = unicodedata.normalize("NFKC", ligature)
    width = box.width / len(letters)
    return [
        Glyph(
            first + number,
            letter,
            Rect(box.left + number * width, box.top, box.left + (number + 1) * width, box.bottom),
            spaced and not number,
        )
        for number, letter in enumerate(letters)
    ]
