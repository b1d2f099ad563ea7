"""One PDF, read window by window and put together."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_raw
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.labels import DocItemLabel
from docling_parse.pdf_parser import PageParseResult
from pypdfium2.internal.bases import ObjectTracker

from citeloom_pdf.elements.block import PageLayout
from citeloom_pdf.elements.page import DocumentMetadata, PageContent, PageFailure
from citeloom_pdf.elements.text import undecoded_share
from citeloom_pdf.options import ImageUnreadable, PdfOptions, PdfUnreadable
from citeloom_pdf.parsing.dense_drawings import LightPage, without_dense_drawings
from citeloom_pdf.parsing.metadata import (
    edge_numbers,
    embedded_metadata,
    outline_of,
    page_labels,
    titles_by_page,
    with_read_front,
)
from citeloom_pdf.parsing.opened_pages import OpenedPages
from citeloom_pdf.parsing.parsed_pages import PrintedWords, page_content, parsed_pages
from citeloom_pdf.parsing.plain_pages import is_too_dense, lay_out_plainly, plain_content
from citeloom_pdf.parsing.windows import ConvertedPages
from citeloom_pdf.parsing.written_numbers import has_exponents, with_plain_numbers
from citeloom_pdf.pictured_lines import PicturedLines
from citeloom_pdf.scans import lay_out_or_read, read_pages
from citeloom_pdf.structure.assembly import assemble

_NO_PAGE = "the page could not be read"
_LOST = "not even its text could be read: it crashed its process, or took too long"
_UNDECODED = 0.02  # of a page's characters: fewer are signs of formulas
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPdf:
    """A PDF as it was read.

    `pages` are the layouts of its pages with their blocks, furniture and hidden text; `document`
    is their body in reading order, with headings and the place of each text. `plain` pages are read
    by their text alone, of the pages in `ocr` the confidence is given, and of the others in
    `failures` why they could not be read.
    """

    document: DoclingDocument
    pages: Sequence[PageLayout]
    page_count: int
    page_labels: Mapping[int, str]
    edge_numbers: Mapping[int, tuple[int, ...]]
    metadata: DocumentMetadata
    ocr: Mapping[int, float]
    plain: Sequence[int]
    failures: Sequence[PageFailure]

    @property
    def doubtful_tables(self) -> Sequence[int]:
        """The pages with a table whose words do not fit its columns."""
        return [
            page.number
            for page in self.pages
            if any(block.doubtful and block.label == DocItemLabel.TABLE for block in page.blocks)
        ]

    @property
    def undecoded(self) -> Sequence[int]:
        """The pages on which more than a few letters are of fonts that do not say what they are."""
        texts = {page.number: "".join(block.text for block in page.blocks) for page in self.pages}
        return [page for page, text in texts.items() if undecoded_share(text) > _UNDECODED]


@dataclass(frozen=True, slots=True)
class _Work:
    """A document in progress, with the callback for its pages; `exponents` says that some may have
    numbers with them.
    """

    path: Path
    opened: OpenedPages
    titles: Mapping[int, Set[str]]
    on_page: Callable[[int], None]
    options: PdfOptions
    printed: PrintedWords
    pictured: PicturedLines
    exponents: bool


def read(path: Path, options: PdfOptions) -> ReadPdf:
    """What the PDF says; a page that cannot be laid out is read plainly, one without text fails.

    Raises `PdfUnreadable` for a file that PDFium cannot open.
    """
    with closing(_opened(path)) as pdf, closing(OpenedPages(pdf)) as opened:
        outline = outline_of(pdf)
        announced, printed = _each_once(options.on_page), PrintedWords(opened)
        titles, pictured = titles_by_page(outline), PicturedLines(options)
        work = _Work(
            path, opened, titles, announced, options, printed, pictured, has_exponents(path)
        )
        pages, size = ConvertedPages(), work.options.page_window
        windows = work.options.windows if len(work.opened) > size else None
        for window in _windows(len(work.opened), size):
            finished = windows.load(window) if windows else None
            if finished is None:
                finished = _window(work, window)
                if windows:
                    windows.keep(window, finished)
            pages.extend(finished)
        options.on_page(0)
        metadata = with_read_front(embedded_metadata(opened, path), pages.layouts)
        document = assemble(path.stem, pages.layouts, outline, metadata.title, options.is_english)
        return ReadPdf(
            document=document,
            pages=[page.turned_back() for page in pages.layouts],
            page_count=len(pdf),
            page_labels=page_labels(pdf),
            edge_numbers=edge_numbers(pages.layouts),
            metadata=metadata,
            ocr=read_pages(pages.layouts),
            plain=pages.plain,
            failures=pages.failures,
        )


def _opened(path: Path) -> pdfium.PdfDocument:
    _forget_fonts()
    try:
        return pdfium.PdfDocument(path)
    except (pdfium.PdfiumError, FileNotFoundError) as error:
        raise PdfUnreadable(str(error)) from error


def _forget_fonts() -> None:
    """Start PDFium anew unless something is open: it draws fonts that are not embedded with others,
    whose letters keep the widths of the document before, so that spaces would be read otherwise.
    """
    if not any(ObjectTracker.values()):
        pdfium_raw.FPDF_DestroyLibrary()
        pdfium_raw.FPDF_InitLibrary()


def _window(work: _Work, window: range) -> ConvertedPages:
    pages = ConvertedPages()
    work.on_page(window.start)  # PDFium may fail at any page of the window
    parsed = [
        number
        for number in window
        if not work.options.is_plain(number) and not is_too_dense(work.opened[number])
    ]
    lightened = ((number, without_dense_drawings(work.opened[number])) for number in parsed)
    light = {number: page for number, page in lightened if page is not None}
    for number in parsed if work.exponents else ():
        if number not in light and (plain := with_plain_numbers(work.opened[number])):
            light[number] = LightPage(plain, ())
    work.opened.release_heavy()
    results = parsed_pages(work.path, parsed, light, work.on_page)
    for number in window:
        if number in parsed:
            _, result = next(results)
            _add_parsed(pages, work, number, result, light.get(number))
            with suppress(pdfium.PdfiumError):
                work.options.look_at(work.opened[number])
        else:
            work.on_page(number)
            _add_plainly(pages, work, number)
        work.opened.release(number)
    return pages


def _each_once(on_page: Callable[[int], None]) -> Callable[[int], None]:
    """Announces a page that is announced again and again only once."""
    before: list[int] = []

    def announce(page: int) -> None:
        if before != [page]:
            before[:] = [page]
            on_page(page)

    return announce


def _add_parsed(
    pages: ConvertedPages,
    work: _Work,
    number: int,
    result: PageParseResult | None,
    light: LightPage | None,
) -> None:
    """Add a parsed page, of which `light` says what was left out, or its text alone."""
    left_out = light.drawings if light else ()
    try:
        content = page_content(result, work.opened[number], work.printed, left_out)
        _add(pages, work, content)
    except Exception:  # noqa: BLE001 - one bad page must not lose the others
        _log.debug("page %d of %s failed", number, work.path, exc_info=True)
        _add_plainly(pages, work, number)


def _add(pages: ConvertedPages, work: _Work, content: PageContent) -> None:
    """Lay out a page, with OCR if it needs that."""
    number, titles = content.number, work.titles.get(content.number, frozenset())
    try:
        layout, unread = lay_out_or_read(
            work.opened[number], content, titles, work.options, work.pictured
        )
    except ImageUnreadable as error:
        pages.failures.append(PageFailure(page=number, reason=f"{_NO_PAGE}: {error}"))
        return
    pages.layouts.append(replace(layout, hidden=content.hidden))
    if unread:
        pages.failures.append(PageFailure(page=number, reason=unread))


def _add_plainly(pages: ConvertedPages, work: _Work, number: int) -> None:
    """Add the text that PDFium finds on a page, which may have failed in any other way."""
    if work.options.is_lost(number):
        pages.failures.append(PageFailure(page=number, reason=_LOST))
        return
    try:
        content = plain_content(work.opened[number])
    except Exception:  # noqa: BLE001 - one bad page must not lose the others
        _log.debug("page %d of %s has no plain text", number, work.path, exc_info=True)
        content = None
    if content is None:
        pages.failures.append(PageFailure(page=number, reason=_NO_PAGE))
    else:
        pages.layouts.append(replace(lay_out_plainly(content), hidden=content.hidden))
        pages.plain.append(number)


def _windows(count: int, size: int) -> Iterator[range]:
    for first in range(1, count + 1, size):
        yield range(first, min(first + size, count + 1))
