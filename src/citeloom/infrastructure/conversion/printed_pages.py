"""The pages of a PDF as PDFium alone reads them: their text, and their lines in order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from ctypes import byref, c_double
from functools import cached_property
from pathlib import Path
from statistics import median_low

import pypdfium2
from pypdfium2 import raw

from citeloom.application.ports.conversion import PageTexts
from citeloom.domain.evaluation.line_order import PrintedLine, PrintedPage
from citeloom.infrastructure.conversion.pdfium import document_at, open_pdf

# what ends a line, a hyphen that divides a word included: PDFium says nothing more there
_LINE = re.compile(r"[^\n\r\x02\ufffe]+")
_SAMPLES = 8  # letters of a line whose size is looked up
_DEEPEST = 60  # levels of tags: a damaged file may have endless ones


class PdfiumPageTexts(PageTexts):
    """Reads PDFs; a page that PDFium cannot load has no text."""

    def pages(self, path: Path) -> Sequence[PrintedPage]:
        with open_pdf(path) as document:
            return [_printed_page(document, index) for index in range(len(document))]


def page_texts(path: Path) -> list[str]:
    """The text of each page."""
    return [page.text for page in PdfiumPageTexts().pages(path)]


class PrintedPages:
    """The pages of one PDF by number: those that were added while something else had them open, and
    of the others each as it is asked for; the caller closes them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[int, PrintedPage] = {}

    def add(self, number: int, page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage) -> None:
        """Read a page that is open."""
        self._known[number] = _read(page, text)

    def __getitem__(self, number: int) -> PrintedPage:
        known = self._known.get(number)
        return known or _printed_page(self._document, number - 1)

    def close(self) -> None:
        """Close the file, if any page of it was loaded."""
        if document := vars(self).pop("_document", None):
            document.close()

    @cached_property
    def _document(self) -> pypdfium2.PdfDocument:
        return document_at(self._path)


def _printed_page(document: pypdfium2.PdfDocument, index: int) -> PrintedPage:
    """A page with its lines in the order of its tags, else in that of its drawing."""
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return PrintedPage(text="")
    with closing(page):
        try:
            text = page.get_textpage()
        except pypdfium2.PdfiumError:
            return PrintedPage(text="")
        with closing(text):
            return _read(page, text)


def _read(page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage) -> PrintedPage:
    text_range = str(text.get_text_range())
    whole = text_range.replace("\r\n", "\n")
    lines = list(_lines(text, text_range, page.get_height()))
    places = _tagged_places(page)
    placed = [(places.get(_mark(text, start)), line) for start, line in lines] if places else []
    in_order = sorted(
        ((at, line) for at, line in placed if at is not None), key=lambda pair: pair[0]
    )
    if in_order:
        return PrintedPage(text=whole, lines=tuple(line for _, line in in_order), tagged=True)
    return PrintedPage(text=whole, lines=tuple(line for _, line in lines))


def _lines(
    text: pypdfium2.PdfTextPage, whole: str, height: float
) -> Iterator[tuple[int, PrintedLine]]:
    """Each line of what the page says, with the index of its first character."""
    count = raw.FPDFText_CountChars(text)
    if len(whole) != count:  # PDFium leaves characters out of a text that it still counts
        whole = "".join(chr(raw.FPDFText_GetUnicode(text, index)) for index in range(count))
    for match in _LINE.finditer(whole):
        if match[0].strip():
            span = match.span()
            start, length = span[0], span[1] - span[0]
            boxes = list(_boxes(text, start, length)) or [(0.0, height, 0.0, height)]
            letters = [
                at for at, character in enumerate(match[0], start) if not character.isspace()
            ]
            sizes = [_size(text, at) for at in letters[:: len(letters) // _SAMPLES + 1]]
            yield (
                match.start(),
                PrintedLine(
                    text=match[0],
                    left=min(box[0] for box in boxes),
                    top=height - max(box[1] for box in boxes),
                    right=max(box[2] for box in boxes),
                    bottom=height - min(box[3] for box in boxes),
                    size=median_low(size for size in sizes if size) if any(sizes) else 0.0,
                ),
            )


def _boxes(
    text: pypdfium2.PdfTextPage, start: int, length: int
) -> Iterator[tuple[float, float, float, float]]:
    """The left, top, right and bottom of the line's parts, counted from the foot of the page."""
    sides = [c_double() for _ in range(4)]
    for index in range(raw.FPDFText_CountRects(text, start, length)):
        raw.FPDFText_GetRect(text, index, *map(byref, sides))
        left, top, right, bottom = (side.value for side in sides)
        yield left, top, right, bottom


def _size(text: pypdfium2.PdfTextPage, index: int) -> float:
    """The height of a character's font, in points."""
    box = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(text, index, byref(box))
    return abs(float(box.top - box.bottom))


def _mark(text: pypdfium2.PdfTextPage, index: int) -> int:
    """The id of the marked content that a character belongs to; -1 without any."""
    drawn = raw.FPDFText_GetTextObject(text, index)
    return int(raw.FPDFPageObj_GetMarkedContentID(drawn)) if drawn else -1


def _tagged_places(page: pypdfium2.PdfPage) -> Mapping[int, int]:
    """The place of each marked content in the order of the page's tags; empty without tags."""
    tree = raw.FPDF_StructTree_GetForPage(page)
    if not tree:
        return {}
    try:
        places: dict[int, int] = {}
        for index in range(raw.FPDF_StructTree_CountChildren(tree)):
            for mark in _marks(raw.FPDF_StructTree_GetChildAtIndex(tree, index), 0):
                places.setdefault(mark, len(places))
        return places
    finally:
        raw.FPDF_StructTree_Close(tree)


def _marks(element: object, depth: int) -> Iterator[int]:
    """The marked contents of a tag and of those in it, in order."""
    if not element or depth > _DEEPEST:
        return
    for index in range(raw.FPDF_StructElement_CountChildren(element)):
        mark = raw.FPDF_StructElement_GetChildMarkedContentID(element, index)
        if mark >= 0:
            yield mark
        else:
            yield from _marks(raw.FPDF_StructElement_GetChildAtIndex(element, index), depth + 1)
