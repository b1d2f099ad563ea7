"""What speaks against the words of a PDF's blocks: the order of lines, and the cells of tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from docling_core.types.doc.labels import DocItemLabel

from citeloom.domain.documents.conversion import Block, BlockKind, Doubt, Fragment
from citeloom.domain.evaluation.line_order import PageText, page_order
from citeloom.infrastructure.conversion.pdfium import document_at
from citeloom.infrastructure.conversion.printed_pages import printed_page
from citeloom_pdf.elements.page import PageLayout

_SAME_BOX = 1.0  # points
_DENSEST = 20_000  # characters of a page: of more, the order is not compared
# what may stand anywhere on its page
_ASIDE = (BlockKind.TABLE, BlockKind.CAPTION, BlockKind.FOOTNOTE)


def with_doubts(
    blocks: Sequence[Block], text: str, path: Path, pages: Sequence[PageLayout]
) -> tuple[Block, ...]:
    """The blocks of a document with this text, each with what speaks against its words."""
    unordered = doubtful_pages(blocks, text, path)
    tables = _doubtful_tables(pages)
    return tuple(_doubted(block, unordered, tables) for block in blocks)


def doubtful_pages(blocks: Sequence[Block], text: str, path: Path) -> Set[int]:
    """The pages on which lines are out of order, or torn, by PDFium's reading of the page."""
    texts: dict[int, list[PageText]] = defaultdict(list)
    for block in blocks:
        for part in block.fragments:
            if part.page is not None:
                said = PageText(text=text[part.start : part.end], aside=block.kind in _ASIDE)
                texts[part.page].append(said)
    with closing(document_at(path)) as document:
        return {
            number
            for number, parts in texts.items()
            if sum(len(part.text) for part in parts) <= _DENSEST
            and page_order(printed_page(document, number - 1), parts).is_doubtful
        }


def _doubtful_tables(pages: Sequence[PageLayout]) -> Mapping[int, Sequence[Sequence[float]]]:
    """The left and upper edges of each page's tables whose words do not fit their columns."""
    return {
        page.number: [
            (block.box.left, block.box.top)
            for block in page.blocks
            if block.doubtful and block.label == DocItemLabel.TABLE
        ]
        for page in pages
    }


def _doubted(
    block: Block, unordered: Set[int], tables: Mapping[int, Sequence[Sequence[float]]]
) -> Block:
    doubts = tuple(_doubts(block, unordered, tables))
    return replace(block, doubts=doubts) if doubts else block


def _doubts(
    block: Block, unordered: Set[int], tables: Mapping[int, Sequence[Sequence[float]]]
) -> Iterator[Doubt]:
    if any(part.page in unordered for part in block.fragments):
        yield Doubt.ORDER
    if block.kind is BlockKind.TABLE and _is_at(block.fragments[0], tables):
        yield Doubt.TABLE


def _is_at(part: Fragment, tables: Mapping[int, Sequence[Sequence[float]]]) -> bool:
    if part.page is None or part.box is None:
        return False
    return any(
        abs(part.box.left - left) < _SAME_BOX and abs(part.box.top - top) < _SAME_BOX
        for left, top in tables.get(part.page, ())
    )
