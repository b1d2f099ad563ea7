"""A PDF through PDFium alone: opened, as pictures of its pages, and their text and lines."""

from __future__ import annotations

import io
import math
import re
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from ctypes import byref, c_double
from functools import cached_property, lru_cache
from pathlib import Path
from statistics import median_low
from threading import Lock, RLock

import pypdfium2
from PIL import Image, ImageChops, ImageDraw
from pypdfium2 import raw

from citeloom.application.ports.conversion import PageGeometry, PageImages, PageTexts
from citeloom.domain.chunks.chunk import Rect
from citeloom.domain.documents.conversion import Box
from citeloom.domain.errors import (
    EncryptedDocument,
    NotFound,
    UnreadableDocument,
    UnsupportedFormat,
)
from citeloom.domain.evaluation.line_order import PrintedLine, PrintedPage
from citeloom.infrastructure.conversion.printed_from_right import read_by_places
from citeloom.infrastructure.conversion.word_boxes import box_on_page, word_boxes
from citeloom_pdf.elements.direction import has_from_right
from citeloom_pdf.elements.text import with_pairs
from citeloom_pdf.parsing.descending_letters import LettersFromRight, letters_from_right
from citeloom_pdf.parsing.opened_pages import OpenedPage

# PDFs as PDFium opens them, one at a time: it may not be called by two threads at once.

_PROTECTED = (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
_ONE_CALLER = RLock()


@contextmanager
def open_pdf(path: Path) -> Iterator[pypdfium2.PdfDocument]:
    """The PDF, closed at the end; meanwhile other threads wait.

    Raises `UnsupportedFormat` for another kind of file, `EncryptedDocument` and
    `UnreadableDocument` for a PDF that cannot be opened.
    """
    if path.suffix.lower() != ".pdf":
        raise UnsupportedFormat(
            f"{path.name} is not a PDF: it has no pages to look at",
            "It is cited by section and paragraph.",
        )
    with _ONE_CALLER, closing(document_at(path)) as document:
        yield document


def document_at(path: Path) -> pypdfium2.PdfDocument:
    """The PDF, which the caller closes; no other thread may use PDFium before that.

    Raises `EncryptedDocument` and `UnreadableDocument`.
    """
    try:
        return pypdfium2.PdfDocument(path)
    except (pypdfium2.PdfiumError, FileNotFoundError) as error:
        raise refusal(path, error) from error


def refusal(path: Path, error: BaseException) -> EncryptedDocument | UnreadableDocument:
    """Why PDFium could not open the file."""
    if getattr(error, "err_code", None) in _PROTECTED:
        return EncryptedDocument(
            f"'{path.name}' is protected by a password",
            "Save a copy without a password and ingest that.",
        )
    if isinstance(error, FileNotFoundError):
        return UnreadableDocument(
            f"'{path.name}' is not there any more", "Put it back, or ingest what is there now."
        )
    return UnreadableDocument(
        f"'{path.name}' cannot be read as a PDF: its structure is damaged",
        "Open it in a PDF reader and save it again, or get another copy.",
    )


# Pages of PDFs as images, drawn by PDFium.

_MOST_PIXELS, _LONGEST_SIDE = 8_000_000, 20_000
_MOST_BYTES = 64_000_000
_MOST_GEOMETRIES = 1_000
_MARKER = (255, 236, 120)
_MARGIN = 1.5  # points around a box
_NEARLY_ALL = 0.9
"""The share of the letters of words that must be found: half of them may be another sentence's."""

_FileVersion = tuple[Path, int, int]


class PdfiumPageImages(PageImages):
    """Draws pages of PDFs, and keeps the last pictures, up to 64 MB, until their file changes."""

    def __init__(self, most_bytes: int = _MOST_BYTES) -> None:
        self._pictures: OrderedDict[Hashable, bytes] = OrderedDict()
        self._most_bytes = most_bytes
        self._bytes = 0
        self._lock = Lock()
        self._geometry = lru_cache(maxsize=_MOST_GEOMETRIES)(_geometry)

    def draw(
        self, path: Path, page: int, boxes: Sequence[Box], *, scale: float, words: str = ""
    ) -> bytes:
        key = (_version(path), page, tuple(boxes), scale, words)
        with self._lock:
            if picture := self._pictures.get(key):
                self._pictures.move_to_end(key)
                return picture
        picture = _drawn(path, page, boxes, scale, words)
        with self._lock:
            self._bytes += len(picture) - len(self._pictures.pop(key, b""))
            self._pictures[key] = picture
            while self._bytes > self._most_bytes:
                self._bytes -= len(self._pictures.popitem(last=False)[1])
        return picture

    def geometry(
        self,
        path: Path,
        page: int,
        *,
        words: str = "",
        within: Sequence[Box] = (),
        rectangles: Sequence[Rect] = (),
    ) -> PageGeometry:
        return self._geometry(_version(path), page, words, tuple(within), tuple(rectangles))


def _version(path: Path) -> _FileVersion:
    try:
        status = path.stat()
    except OSError as error:
        raise UnreadableDocument(
            f"'{path.name}' is not there any more", "Put it back, or ingest what is there now."
        ) from error
    return path, status.st_mtime_ns, status.st_size


def _geometry(
    file: _FileVersion,
    number: int,
    words: str,
    within: tuple[Box, ...],
    rectangles: tuple[Rect, ...],
) -> PageGeometry:
    path = file[0]
    with open_pdf(path) as document, closing(_page(document, path, number)) as page:
        width, height = page.get_size()
        lines = word_boxes(page, words, within, least_share=_NEARLY_ALL) if words else ()
        return PageGeometry(
            width=width,
            height=height,
            words=tuple(lines),
            rectangles=tuple(box_on_page(page, rectangle) for rectangle in rectangles),
        )


def _drawn(path: Path, page: int, boxes: Sequence[Box], scale: float, words: str) -> bytes:
    marks = boxes
    with open_pdf(path) as document:
        image, scale = _bitmap(document, path, page, scale)
        if words:
            marks = word_boxes(document[page - 1], words, boxes) or boxes
    if marks:
        image = _marked(image, marks, scale)
    stream = io.BytesIO()
    image.save(stream, "PNG", compress_level=3)
    return stream.getvalue()


def _marked(image: Image.Image, marks: Sequence[Box], scale: float) -> Image.Image:
    sheet = Image.new("RGB", image.size, "white")
    pen = ImageDraw.Draw(sheet)
    for box in marks:
        corners = (
            *(box.left - _MARGIN, box.top - _MARGIN),
            *(box.right + _MARGIN, box.bottom + _MARGIN),
        )
        pen.rectangle([scale * corner for corner in corners], fill=_MARKER)
    return ImageChops.multiply(image.convert("RGB"), sheet)


def _without_colour(image: Image.Image) -> Image.Image:
    """The image in shades of grey if it has no other colour: a third of the bytes."""
    red, green, blue = image.split()
    is_grey = not (
        ImageChops.difference(red, green).getbbox() or ImageChops.difference(red, blue).getbbox()
    )
    return red if is_grey else image


def _bitmap(
    document: pypdfium2.PdfDocument, path: Path, number: int, scale: float
) -> tuple[Image.Image, float]:
    """The page as an image, and its scale."""
    page = _page(document, path, number)
    try:
        width, height = page.get_size()
        scale = min(
            scale,
            math.sqrt(_MOST_PIXELS / max(width * height, 1.0)),
            _LONGEST_SIDE / max(width, height, 1.0),
        )
        bitmap = page.render(scale=scale)
        try:
            return _without_colour(bitmap.to_pil().convert("RGB")), scale
        finally:
            bitmap.close()
            page.close()
    except (pypdfium2.PdfiumError, ValueError) as error:
        raise _undrawable(path, number) from error


def _page(document: pypdfium2.PdfDocument, path: Path, number: int) -> pypdfium2.PdfPage:
    """The page of that number, which the caller closes."""
    if not 1 <= number <= len(document):
        raise NotFound(
            f"{path.name} has no page {number}, only {len(document)}", "Pages are counted from 1."
        )
    try:
        return document[number - 1]
    except pypdfium2.PdfiumError as error:
        raise _undrawable(path, number) from error


def _undrawable(path: Path, number: int) -> UnreadableDocument:
    return UnreadableDocument(
        f"page {number} of {path.name} cannot be drawn", "Look at it in a PDF viewer."
    )


# The text of pages, and their lines in order, as PDFium alone reads them.

# what ends a line, a hyphen that divides a word included: PDFium says nothing more there
_LINE = re.compile(r"[^\n\r\x02\ufffe]+")
_SAMPLES = 8  # letters of a line whose size is looked up
_DEEPEST = 60  # levels of tags: a damaged file may have endless ones


class PdfiumPageTexts(PageTexts):
    """Reads PDFs; a page that PDFium cannot load has no text."""

    def pages(self, path: Path) -> Sequence[PrintedPage]:
        with open_pdf(path) as document:
            return [_printed_page(document, number) for number in range(1, len(document) + 1)]


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

    def add(self, page: OpenedPage) -> None:
        """Read a page that is open."""
        self._known[page.number] = _read(page)

    def __getitem__(self, number: int) -> PrintedPage:
        known = self._known.get(number)
        return known or _printed_page(self._document, number)

    def by_places(self, number: int) -> PrintedPage | None:
        """Another reading of a page with letters from the right, by the places of these."""
        printed = self[number]
        if not has_from_right(printed.text):
            return None
        with closing(self._document[number - 1]) as page, closing(page.get_textpage()) as text:
            return read_by_places(text, printed, page.get_height())

    def from_right(self, number: int) -> LettersFromRight | None:
        """The letters from the right of a page that has any."""
        if not has_from_right(self[number].text):
            return None
        with closing(OpenedPage(self._document, number)) as page:
            return letters_from_right(page)

    def close(self) -> None:
        """Close the file, if any page of it was loaded."""
        if document := vars(self).pop("_document", None):
            document.close()

    @cached_property
    def _document(self) -> pypdfium2.PdfDocument:
        return document_at(self._path)


def _printed_page(document: pypdfium2.PdfDocument, number: int) -> PrintedPage:
    """A page with its lines in the order of its tags, else in that of its drawing."""
    with closing(OpenedPage(document, number)) as page:
        try:
            page.text  # noqa: B018 - loads it
        except pypdfium2.PdfiumError:
            return PrintedPage(text="")
        return _read(page)


def _read(page: OpenedPage) -> PrintedPage:
    whole = with_pairs(page.whole.replace("\r\n", "\n"))
    lines = list(_lines(page.text, page.letters, page.page.get_height()))
    places = _tagged_places(page.page)
    placed = (
        [(places.get(_mark(page.text, start)), line) for start, line in lines] if places else []
    )
    in_order = sorted(
        ((at, line) for at, line in placed if at is not None), key=lambda pair: pair[0]
    )
    if in_order:
        return PrintedPage(
            text=whole,
            lines=tuple(line for _, line in in_order),
            tagged=True,
            untagged=tuple(line for at, line in placed if at is None),
        )
    return PrintedPage(text=whole, lines=tuple(line for _, line in lines))


def _lines(
    text: pypdfium2.PdfTextPage, read: str, height: float
) -> Iterator[tuple[int, PrintedLine]]:
    """Each line of what the page says, with the index of its first character."""
    for match in _LINE.finditer(read):
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
                    text=with_pairs(_whole_characters(match[0])),
                    left=min(box[0] for box in boxes),
                    top=height - max(box[1] for box in boxes),
                    right=max(box[2] for box in boxes),
                    bottom=height - min(box[3] for box in boxes),
                    size=median_low(size for size in sizes if size) if any(sizes) else 0.0,
                ),
            )


def _whole_characters(text: str) -> str:
    """The text with characters that PDFium counts as two halves made whole."""
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


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
