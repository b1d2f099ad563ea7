"""Lines of a page in a script from the right, in the order of reading, from PDFium's letters.

PDFium has such letters in the order of reading or of drawing, as the program drew them, says the
text of a ligature once for each of its pieces, and begins a line where a mark stands high.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace

import pypdfium2
from pypdfium2 import raw

from citeloom.domain.evaluation.line_order import PrintedLine, PrintedPage
from citeloom_pdf.elements.geometry import Rect
from citeloom_pdf.elements.page import Word
from citeloom_pdf.parsing.actual_texts import actual_text
from citeloom_pdf.parsing.fast_calls import address_of, loose_box, text_object
from citeloom_pdf.parsing.letter_rows import without_marks
from citeloom_pdf.parsing.lines import Cell
from citeloom_pdf.parsing.right_to_left import with_lines_from_right

_NEAR = 0.5  # of a letter's height: how far apart two pieces of one text may be


def read_by_places(text: pypdfium2.PdfTextPage, printed: PrintedPage, height: float) -> PrintedPage:
    """A page of this height in points with its lines in their order; those with letters from the
    right as the places of these make them.
    """
    lines = printed.all_lines
    boxes = [Rect(line.left, line.top, line.right, line.bottom) for line in lines]
    cells = [Cell(box, line.text, "", 0.0) for box, line in zip(boxes, lines)]
    letters = _letters(text, height)
    read, _ = with_lines_from_right(cells, (), letters, lambda word: word.box.height)
    placed: list[tuple[int, PrintedLine]] = []
    for cell in read:
        at = max(range(len(boxes)), key=lambda index: _shared(cell.box, boxes[index]))
        left, top, right, bottom = cell.box
        line = replace(lines[at], text=cell.text, left=left, top=top, right=right, bottom=bottom)
        placed.append((at, line))
    in_order = tuple(line for _, line in sorted(placed, key=lambda pair: pair[0]))
    return PrintedPage(text="\n".join(line.text for line in in_order), lines=in_order)


def _shared(first: Rect, second: Rect) -> float:
    return max(first.shared_width(second), 0.0) * max(first.shared_height(second), 0.0)


def _letters(text: pypdfium2.PdfTextPage, height: float) -> list[Word]:
    """The letters in PDFium's order; those of one glyph or of one actual text as one, once where
    each of the glyphs of a letter and its marks has the text of all, as in PDFs of Typst.
    """
    letters: list[Word] = []
    pieces: dict[str, list[tuple[int, int]]] = {}  # places among the letters, and how many pieces
    for glyph in _glyphs(text, height):
        if len(glyph.text) < 2 and unicodedata.is_normalized("NFD", glyph.text):
            letters.append(glyph)
            continue
        base, marks = without_marks(glyph.text)
        said = base + "".join(sorted(marks))
        at = _place_of(glyph.box, pieces.setdefault(said, []), letters, most=_most_glyphs(said))
        if at is None:
            pieces[said].append((len(letters), 1))
            letters.append(glyph._replace(text=base + marks))
        elif glyph.box.width > letters[at].box.width:
            letters[at] = letters[at]._replace(box=glyph.box)
    return letters


def _glyphs(text: pypdfium2.PdfTextPage, height: float) -> Iterable[Word]:
    """The letters of each glyph, or of all glyphs that have one actual text."""
    box, sides = raw.FS_RECTF(), [ctypes.c_float() for _ in range(4)]
    opened, at_box = address_of(text.raw), ctypes.addressof(box)
    texts: dict[int, tuple[int, str]] = {}
    glyphs: dict[tuple[int, Rect | None], Word] = {}  # PDFium scatters the marks of a letter
    for index in range(text.count_chars()):
        letter = chr(raw.FPDFText_GetUnicode(text, index))
        if not letter.isprintable() or raw.FPDFText_IsGenerated(text, index) == 1:
            continue
        address = text_object(opened, index) or 0
        if address not in texts:
            piece = ctypes.cast(address, raw.FPDF_PAGEOBJECT)
            texts[address] = actual_text(piece) if address else (0, "")
        span, said = texts[address]
        if span and (span, None) in glyphs:
            continue
        if span:
            piece = ctypes.cast(address, raw.FPDF_PAGEOBJECT)
            raw.FPDFPageObj_GetBounds(piece, *map(ctypes.byref, sides))
            left, bottom, right, top = (side.value for side in sides)
        else:
            loose_box(opened, index, at_box)
            left, bottom, right, top = box.left, box.bottom, box.right, box.top
        place = Rect(left, height - top, right, height - bottom)
        key = (span, None) if span else (address, place)
        if key in glyphs:
            glyphs[key] = glyphs[key]._replace(text=glyphs[key].text + letter)
        else:
            glyphs[key] = Word(place, said or letter, "")
    return glyphs.values()


def _most_glyphs(text: str) -> int:
    """How many glyphs may draw a text."""
    return len(unicodedata.normalize("NFD", text))


def _place_of(
    box: Rect, pieces: list[tuple[int, int]], letters: Sequence[Word], *, most: int
) -> int | None:
    """The place of the letter of which a glyph with the same text is another part, if one is."""
    for index, (at, count) in enumerate(pieces):
        near = letters[at].box
        reach = _NEAR * max(near.height, box.height)
        down = abs(near.middle_y - box.middle_y)
        if count < most and near.shared_width(box) >= -reach and down <= 2 * reach:
            pieces[index] = (at, count + 1)
            return at
    return None
