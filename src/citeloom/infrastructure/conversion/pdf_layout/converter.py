"""Conversion of one PDF to a `ConversionResult`, in this process."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import pypdfium2 as pdfium

from citeloom.application.ports.conversion import OcrEngine, OcrFailure, PlainPages
from citeloom.domain.documents.conversion import Box, ConversionResult, PageFailure
from citeloom.domain.errors import EmptyDocument, UnreadableDocument
from citeloom.infrastructure.conversion.docling_document import body_of
from citeloom.infrastructure.conversion.file_converter import (
    LAYOUT_ENGINE,
    NO_PLAIN_PAGES,
    HiddenPassage,
    ImageReading,
    converter_version,
    with_hidden,
)
from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import enclosing
from citeloom.infrastructure.conversion.pdf_layout.elements.page import PageContent
from citeloom.infrastructure.conversion.pdf_layout.parsing.dense_drawings import (
    LightPage,
    without_dense_drawings,
)
from citeloom.infrastructure.conversion.pdf_layout.parsing.metadata import (
    edge_numbers,
    embedded_metadata,
    outline_of,
    page_labels,
    titles_by_page,
    with_read_front,
)
from citeloom.infrastructure.conversion.pdf_layout.parsing.parsed_pages import (
    PrintedWords,
    page_content,
    parsed_pages,
)
from citeloom.infrastructure.conversion.pdf_layout.parsing.plain_pages import (
    is_too_dense,
    lay_out_plainly,
    plain_content,
)
from citeloom.infrastructure.conversion.pdf_layout.parsing.windows import (
    ConvertedPages,
    KeptWindows,
    WindowStore,
)
from citeloom.infrastructure.conversion.pdf_layout.scans import Scans, read_pages
from citeloom.infrastructure.conversion.pdf_layout.structure.assembly import structured
from citeloom.infrastructure.conversion.pdfium import document_at

_NO_PAGE = "the page could not be read"
_LOST = "not even its text could be read: it crashed its process, or took too long"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Work:
    """A document in progress, with the callback for its pages."""

    path: Path
    pdf: pdfium.PdfDocument
    titles: Mapping[int, Set[str]]
    on_page: Callable[[int], None]
    scans: Scans
    plain: PlainPages
    printed: PrintedWords


class PdfConverter:
    """Converts one PDF at a time in this process.

    The finished page windows of a long document are kept in `windows`, if given, until it is
    complete: after a kill the conversion resumes there.
    """

    def __init__(
        self,
        *,
        page_window: int = 25,
        threads: int = 1,
        windows: WindowStore | None = None,
        engines: Sequence[OcrEngine] = (),
    ) -> None:
        self._page_window = page_window
        self._threads = threads
        self._windows = windows
        self._engines = engines
        if not logging.getLogger("citeloom").isEnabledFor(logging.DEBUG):
            logging.getLogger("docling").setLevel(logging.CRITICAL)

    @property
    def version(self) -> str:
        """The engine with its version and options: whatever may change a result."""
        return converter_version()

    def convert(
        self,
        path: Path,
        doc_id: str,
        on_page: Callable[[int], None],
        reading: ImageReading | None = None,
        plain: PlainPages = NO_PLAIN_PAGES,
    ) -> ConversionResult:
        """Convert the file, calling `on_page` with each page number when its conversion starts, and
        with 0 before the work on the whole document.

        Of `plain` pages, and of any that cannot be laid out, only the text is read; a note says
        so. A page without even that, or that is lost, is reported in the result. Raises
        `EmptyDocument` if the document has no text, and `EncryptedDocument` or
        `UnreadableDocument` if it cannot be read as a PDF.
        """
        scans = Scans(self._engines, reading)
        with closing(document_at(path)) as pdf, self._keeping(doc_id, len(pdf), scans) as windows:
            outline = outline_of(pdf)
            titles, announced = titles_by_page(outline), _each_once(on_page)
            work = _Work(path, pdf, titles, announced, scans, plain, PrintedWords(pdf))
            pages = self._laid_out(work, windows)
            on_page(0)
            embedded = with_read_front(embedded_metadata(pdf, path), pages.layouts)
            body = body_of(structured(path.stem, pages.layouts, outline, embedded.title))
            read, hidden = read_pages(pages.layouts), list(_hidden(pages))
            if not body.blocks and not hidden:
                raise _nothing_in(path, len(pdf), pages.failures, scans)
            result = ConversionResult(
                doc_id=doc_id,
                plain_text=body.plain_text,
                blocks=tuple(body.blocks),
                headings=tuple(body.headings),
                page_map=body.page_map,
                page_count=len(pdf),
                page_labels=page_labels(pdf),
                edge_numbers=edge_numbers(pages.layouts),
                ocr_pages=read,
                ocr_languages=scans.languages if read else (),
                ocr_engine=scans.engine if read else "",
                engine=LAYOUT_ENGINE,
                converter_version=self.version,
                embedded=embedded,
                page_failures=tuple(pages.failures),
                notes=_notes(pages),
            )
            return with_hidden(result, hidden)

    def _keeping(
        self, doc_id: str, page_count: int, scans: Scans
    ) -> AbstractContextManager[KeptWindows | None]:
        if self._windows is None or page_count <= self._page_window:
            return nullcontext()
        return self._windows.of(doc_id, scans.fingerprint)

    def _laid_out(self, work: _Work, windows: KeptWindows | None) -> ConvertedPages:
        pages = ConvertedPages()
        for window in _windows(len(work.pdf), self._page_window):
            finished = windows.load(window) if windows else None
            if finished is None:
                finished = self._window(work, window)
                if windows:
                    windows.keep(window, finished)
            pages.extend(finished)
        return pages

    def _window(self, work: _Work, window: range) -> ConvertedPages:
        pages = ConvertedPages()
        work.on_page(window.start)  # PDFium may fail at any page of the window
        parsed = [number for number in window if _is_laid_out(work, number)]
        light = _light_pages(work.pdf, parsed)
        results = parsed_pages(
            work.path, parsed, light, threads=self._threads, on_page=work.on_page
        )
        for number in window:
            if number not in parsed:
                work.on_page(number)
                _add_plainly(pages, work, number)
                continue
            _, result = next(results)
            left_out = light[number].drawings if number in light else ()
            try:
                content = page_content(result, work.pdf, number, left_out, work.printed)
                _add(pages, work, content)
            except Exception:  # noqa: BLE001 - one bad page must not lose the others
                _log.debug("page %d of %s failed", number, work.path, exc_info=True)
                _add_plainly(pages, work, number)
        return pages


def _each_once(on_page: Callable[[int], None]) -> Callable[[int], None]:
    """Announces a page that is announced again and again only once."""
    before: list[int] = []

    def announce(page: int) -> None:
        if before != [page]:
            before[:] = [page]
            on_page(page)

    return announce


def _is_laid_out(work: _Work, number: int) -> bool:
    return number not in work.plain and not is_too_dense(work.pdf, number)


def _add(pages: ConvertedPages, work: _Work, content: PageContent) -> None:
    """Lay out a page, with OCR if it needs that."""
    number = content.number
    try:
        layout, unread = work.scans.lay_out(work.pdf, content, work.titles.get(number, frozenset()))
    except OcrFailure as error:
        pages.failures.append(PageFailure(page=number, reason=f"{_NO_PAGE}: {error}"))
        return
    pages.layouts.append(replace(layout, hidden=content.hidden))
    if unread:
        pages.failures.append(PageFailure(page=number, reason=unread))


def _add_plainly(pages: ConvertedPages, work: _Work, number: int) -> None:
    """Add the text that PDFium finds on a page, which may have failed in any other way."""
    if work.plain.is_lost(number):
        pages.failures.append(PageFailure(page=number, reason=_LOST))
        return
    try:
        content = plain_content(work.pdf, number)
    except Exception:  # noqa: BLE001 - one bad page must not lose the others
        _log.debug("page %d of %s has no plain text", number, work.path, exc_info=True)
        content = None
    if content is None:
        pages.failures.append(PageFailure(page=number, reason=_NO_PAGE))
    else:
        pages.layouts.append(replace(lay_out_plainly(content), hidden=content.hidden))
        pages.plain.append(number)


def _hidden(pages: ConvertedPages) -> Iterator[HiddenPassage]:
    for layout in pages.layouts:
        for passage in layout.hidden:
            around = enclosing(passage.boxes)
            box = Box(left=around.left, top=around.top, right=around.right, bottom=around.bottom)
            yield HiddenPassage(
                text=passage.text, reason=passage.reason, page=layout.number, box=box
            )


def _notes(pages: ConvertedPages) -> tuple[str, ...]:
    doubtful = [
        layout.number for layout in pages.layouts if any(block.doubtful for block in layout.blocks)
    ]
    notes = []
    if pages.plain:
        which = _listed(pages.plain)
        notes.append(f"{which} could not be laid out in time: read as text alone, without tables")
    if doubtful:
        notes.append(
            f"a table on {_listed(doubtful)} is doubtful: its words do not fit its columns"
        )
    return tuple(notes)


def _listed(pages: Sequence[int]) -> str:
    return f"page{'s' if len(pages) > 1 else ''} {', '.join(map(str, pages))}"


def _windows(count: int, size: int) -> Iterator[range]:
    for first in range(1, count + 1, size):
        yield range(first, min(first + size, count + 1))


def _light_pages(pdf: pdfium.PdfDocument, numbers: Iterable[int]) -> dict[int, LightPage]:
    pages = ((number, without_dense_drawings(pdf, number)) for number in numbers)
    return {number: page for number, page in pages if page is not None}


def _nothing_in(
    path: Path, count: int, failures: Sequence[PageFailure], scans: Scans
) -> EmptyDocument | UnreadableDocument:
    if len(failures) == count and not any("image" in failure.reason for failure in failures):
        return UnreadableDocument(
            f"'{path.name}' cannot be read as a PDF: {failures[0].reason}",
            "Open it in a PDF reader and save it again, or get another copy.",
        )
    return EmptyDocument(f"'{path.name}' has no text on any of its {count} pages", scans.advice)
