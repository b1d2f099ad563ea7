"""What speaks against the words of a PDF's blocks: the order of lines, and the cells of tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from docling_core.types.doc.labels import DocItemLabel

from citeloom.domain.documents.conversion import Block, BlockKind, Doubt, Fragment
from citeloom.domain.evaluation.line_order import PageText, page_order, parts_in_doubt
from citeloom.infrastructure.conversion.printed_pages import PrintedPages
from citeloom_pdf.elements.page import PageLayout

_SAME_BOX = 1.0  # points
_DENSEST = 20_000  # characters of a page: of more, the order is not compared
# what may stand anywhere on its page
_ASIDE = (BlockKind.TABLE, BlockKind.CAPTION, BlockKind.FOOTNOTE)


def with_doubts(
    blocks: Sequence[Block], text: str, printed: PrintedPages, pages: Sequence[PageLayout]
) -> tuple[Block, ...]:
    """The blocks of a document with this text, each with what speaks against its words."""
    unordered = unordered_blocks(blocks, text, printed)
    # the left and upper edges of each page's tables whose words do not fit their columns
    tables = {
        page.number: [
            (block.box.left, block.box.top)
            for block in page.blocks
            if block.doubtful and block.label == DocItemLabel.TABLE
        ]
        for page in pages
    }
    return tuple(
        _doubted(block, tables, is_unordered=index in unordered)
        for index, block in enumerate(blocks)
    )


def unordered_blocks(blocks: Sequence[Block], text: str, printed: PrintedPages) -> Set[int]:
    """The indexes of the blocks with lines out of order or torn, by PDFium's reading of the page,
    and of those between which these lines belong.
    """
    texts: dict[int, list[tuple[int, PageText]]] = defaultdict(list)
    for index, block in enumerate(blocks):
        for part in block.fragments:
            if part.page is not None:
                page_text = PageText(text=text[part.start : part.end], aside=block.kind in _ASIDE)
                texts[part.page].append((index, page_text))
    unordered: set[int] = set()
    for number, placed in texts.items():
        indexes, parts = zip(*placed)
        if sum(len(part.text) for part in parts) > _DENSEST:
            continue
        page = printed[number]
        order = page_order(page, parts)
        if order.is_doubtful:
            wrong = parts_in_doubt(page, order, [part.text for part in parts])
            unordered.update(indexes[at] for at in wrong)
    return unordered


def _doubted(
    block: Block, tables: Mapping[int, Sequence[Sequence[float]]], *, is_unordered: bool
) -> Block:
    doubts = (Doubt.ORDER,) if is_unordered else ()
    if block.kind is BlockKind.TABLE and _is_at(block.fragments[0], tables):
        doubts = (*doubts, Doubt.TABLE)
    return replace(block, doubts=doubts) if doubts else block


def _is_at(part: Fragment, tables: Mapping[int, Sequence[Sequence[float]]]) -> bool:
    if part.page is None or part.box is None:
        return False
    return any(
        abs(part.box.left - left) < _SAME_BOX and abs(part.box.top - top) < _SAME_BOX
        for left, top in tables.get(part.page, ())
    )
