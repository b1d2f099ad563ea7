"""Pages as docling-parse reads them: lines with their styles, rules, images and drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pypdfium2 as pdfium
from docling_core.types.doc import BoundingBox
from docling_core.types.doc.page import SegmentedPdfPage, TextCell
from docling_parse.pdf_parser import (
    ContentConfig,
    ContentLevel,
    DecodeConfig,
    DoclingThreadedPdfParser,
    PageParseResult,
    ThreadedPdfParserConfig,
)

from citeloom.infrastructure.docling.fonts import CharacterSizes
from citeloom.infrastructure.docling.geometry import Rect
from citeloom.infrastructure.docling.lines import Cell, lines_of_cells
from citeloom.infrastructure.docling.page import PageContent, Word
from citeloom.infrastructure.docling.rules import find_rules

_CONTENT = ContentConfig(
    char_cells_content_level=ContentLevel.COMPUTE,
    word_cells_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
    line_cells_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
    shapes_content_level=ContentLevel.COMPUTE,
    bitmaps_content_level=ContentLevel.COMPUTE_AND_MATERIALIZE,
    include_bitmap_bytes=False,
)


class PageUnreadable(Exception):
    """The parser could not read a page; its message says why."""


@contextmanager
def _loaded(path: Path, pages: tuple[int, int], threads: int) -> Iterator[DoclingThreadedPdfParser]:
    parser = DoclingThreadedPdfParser(
        parser_config=ThreadedPdfParserConfig(
            loglevel="fatal",
            threads=threads,
            max_concurrent_results=threads,
            page_content_config=_CONTENT,
        ),
        decode_config=DecodeConfig(
            do_sanitization=False, release_native_memory_every_n_pages=pages[1] - pages[0] + 1
        ),
    )
    key = parser.load(path, page_range=pages)
    try:
        yield parser
    finally:
        # a parser dropped with pages in flight waits for them for ever
        while parser.has_tasks():
            parser.get_task()
        parser.unload(key)


def parsed_pages(
    path: Path, pages: tuple[int, int], *, threads: int, on_page: Callable[[int], None]
) -> Iterator[PageParseResult]:
    """The results of pages first..last in order; `on_page` is called before each is waited for."""
    with _loaded(path, pages, threads) as parser:
        early: dict[int, PageParseResult] = {}
        for number in range(pages[0], pages[1] + 1):
            on_page(number)
            while number not in early and parser.has_tasks():
                result = parser.get_task()
                early[result.page_number] = result
            yield early.pop(number)


def page_content(result: PageParseResult, document: pdfium.PdfDocument) -> PageContent:
    """What stands on a parsed page, in points from its top left corner.

    Raises `PageUnreadable` where the parser failed.
    """
    if not result.success:
        raise PageUnreadable(result.error_message or "the page could not be parsed")
    page = result.get_page()
    width, height = result.page_width, result.page_height
    drawings = _boxes(result.get_connected_shape_bounding_boxes(), height)
    strokes = _boxes(result.get_shape_lines(), height)
    horizontal, vertical = find_rules([*strokes, *drawings], width, height)
    with closing(CharacterSizes(document, result.page_number)) as size_at:
        lines = lines_of_cells(
            [_cell(cell, height) for cell in page.textline_cells if cell.text.strip()],
            [_word(cell, height) for cell in page.word_cells if cell.text.strip()],
            size_at,
        )
    return PageContent(
        number=result.page_number,
        width=width,
        height=height,
        lines=tuple(lines),
        horizontal=horizontal,
        vertical=vertical,
        bitmaps=tuple(_bitmaps(page, height)),
        drawings=tuple(drawings),
    )


def _boxes(boxes: list[BoundingBox], height: float) -> list[Rect]:
    return [_rect(box, height) for box in boxes]


def _rect(box: BoundingBox, height: float) -> Rect:
    turned = box.to_top_left_origin(height)
    return Rect(
        min(turned.l, turned.r),
        min(turned.t, turned.b),
        max(turned.l, turned.r),
        max(turned.t, turned.b),
    )


def _bitmaps(page: SegmentedPdfPage, height: float) -> Iterator[Rect]:
    for bitmap in page.bitmap_resources:
        yield _rect(bitmap.rect.to_bounding_box(), height)


def _word(cell: TextCell, height: float) -> Word:
    return Word(
        _rect(cell.rect.to_bounding_box(), height), cell.text.strip(), str(cell.font_name or "")
    )


def _cell(cell: TextCell, height: float) -> Cell:
    return Cell(
        box=_rect(cell.rect.to_bounding_box(), height),
        text=cell.text.strip(),
        font=str(getattr(cell, "font_name", "") or ""),
        angle=float(cell.rect.angle_360 or 0.0),
    )
