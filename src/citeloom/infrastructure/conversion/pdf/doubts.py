"""What speaks against the words of a PDF's blocks: the order of lines, and the cells of tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import replace

from docling_core.types.doc.labels import DocItemLabel

from citeloom.domain.documents.conversion import Block, BlockKind, Doubt
from citeloom.domain.evaluation.line_order import PageText, page_order, parts_in_doubt
from citeloom.infrastructure.conversion.pdfium import PrintedPages
from citeloom_pdf.elements.page import PageLayout
from citeloom_pdf.reading import ReadPdf

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
    doubted = list(blocks)
    for index, block in enumerate(blocks):
        doubts = [Doubt.ORDER] if index in unordered else []
        part = block.fragments[0]
        if block.kind is BlockKind.TABLE and part.page is not None and part.box is not None:
            near = (
                abs(part.box.left - left) < _SAME_BOX and abs(part.box.top - top) < _SAME_BOX
                for left, top in tables.get(part.page, ())
            )
            doubts += [Doubt.TABLE] if any(near) else []
        if doubts:
            doubted[index] = replace(block, doubts=tuple(doubts))
    return tuple(doubted)


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


def notes_on(pdf: ReadPdf, blocks: Sequence[Block]) -> tuple[str, ...]:
    """What a reader is told of pages whose words should be compared with them."""
    notes = []
    doubted = [block for block in blocks if Doubt.ORDER in block.doubts]
    if unordered := sorted(
        {part.page for block in doubted for part in block.fragments if part.page is not None}
    ):
        notes.append(f"the order of lines on {_listed(unordered)} is doubtful")
    if pdf.plain:
        which = _listed(pdf.plain)
        notes.append(f"{which} could not be laid out: read as text alone, without tables")
    if pdf.doubtful_tables:
        which = _listed(pdf.doubtful_tables)
        notes.append(f"a table on {which} is doubtful: its words do not fit its columns")
    if pdf.undecoded:
        which = _listed(pdf.undecoded)
        notes.append(f"letters on {which} could not be decoded: their fonts have no mapping")
    return tuple(notes)


def _listed(pages: Sequence[int]) -> str:
    return f"page{'s' if len(pages) > 1 else ''} {', '.join(map(str, pages))}"
