"""The layout of one page: tables, figures, and text blocks with preliminary labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from docling_core.types.doc.labels import DocItemLabel

from citeloom.infrastructure.conversion.pdf_layout.blocks.figures import (
    find_figures,
    with_all_labels,
)
from citeloom.infrastructure.conversion.pdf_layout.blocks.formulas import with_formulas_whole
from citeloom.infrastructure.conversion.pdf_layout.blocks.line_numbers import (
    without_line_numbers,
)
from citeloom.infrastructure.conversion.pdf_layout.blocks.listings import Listing, find_listings
from citeloom.infrastructure.conversion.pdf_layout.blocks.paragraphs import paragraphs_of
from citeloom.infrastructure.conversion.pdf_layout.blocks.plots import is_panel
from citeloom.infrastructure.conversion.pdf_layout.blocks.rows import are_marks, words_of
from citeloom.infrastructure.conversion.pdf_layout.blocks.table_structure import table_rows
from citeloom.infrastructure.conversion.pdf_layout.blocks.tables import find_tables
from citeloom.infrastructure.conversion.pdf_layout.blocks.turned import TurnedPart, turned_parts
from citeloom.infrastructure.conversion.pdf_layout.elements.fonts import mixed_style
from citeloom.infrastructure.conversion.pdf_layout.elements.geometry import Rect, enclosing
from citeloom.infrastructure.conversion.pdf_layout.elements.page import (
    LayoutBlock,
    Line,
    PageContent,
    PageLayout,
    Style,
    Word,
)
from citeloom.infrastructure.conversion.pdf_layout.elements.patterns import (
    BULLET,
    CAPTION_WITH_STOP,
    EQUATION_NUMBER,
    FOOTNOTE_MARK,
    LEADER,
    LIST_MARK,
    MENTION,
    is_caption,
)
from citeloom.infrastructure.conversion.pdf_layout.parsing.lines import join_parts
from citeloom.infrastructure.conversion.pdf_layout.parsing.stretched import join_stretched

_USUAL_SIZE = 9.0
_MOST_CAPTION_LINES = 14
_CAPTION_REACH = 30.0  # points between a caption and its table or figure
_LEAST_CONTENTS = 3  # entries with leaders that make a table of contents
_MARGIN = 0.08  # of the page's width: rotated text out there is the publisher's


def lay_out(page: PageContent, titles: Set[str] = frozenset()) -> PageLayout:
    """Find the page's blocks. Text inside figures and numbers of lines are left out.

    `titles` are the outline's entries for the page, reduced to letters and digits.
    """
    turned = list(turned_parts(page))
    lines = without_line_numbers(_without(page.lines, turned))
    blocks = _blocks(replace(page, lines=lines), titles)
    for part in turned:
        found = _blocks(part.content, titles)
        blocks += [part.placed(block) for block in found if block.label != DocItemLabel.PICTURE]
    ordered = sorted(blocks, key=lambda block: (block.box.top, block.box.left))
    return PageLayout(page.number, page.width, page.height, tuple(ordered))


def _without(lines: Iterable[Line], turned: Sequence[TurnedPart]) -> list[Line]:
    """The lines that are in no such part; others on their side are labels, of no words."""
    parts = {id(line) for part in turned for line in part.lines}
    return [
        replace(line, words=()) if line.rotated else line for line in lines if id(line) not in parts
    ]


def _blocks(page: PageContent, titles: Set[str]) -> list[LayoutBlock]:
    body_size = _body_size(page.lines)
    tables, figures = _tables_and_figures(page, body_size)
    graphics = [*tables, *figures]
    text = [line for line in page.lines if not any(line.box.lies_in(box) for box in graphics)]
    upright = [line for line in text if not line.rotated]
    listings = find_listings(upright)
    contents, rest = _contents(join_stretched(join_parts(_outside(upright, listings))))
    paragraphs = paragraphs_of(rest, page.horizontal, titles)
    blocks = [
        *(_table(page, box) for box in tables),
        *(LayoutBlock(DocItemLabel.PICTURE, box, Style(0)) for box in figures),
        *(_rotated(line, page.width) for line in text if line.rotated),
        *(_code(listing) for listing in listings),
        *contents,
        *(_paragraph(lines, page, graphics, body_size) for lines in paragraphs),
    ]
    return with_formulas_whole(blocks)


def _body_size(lines: Iterable[Line]) -> float:
    sizes = Counter[float]()
    for line in lines:
        if not line.rotated:
            sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else _USUAL_SIZE


def _tables_and_figures(page: PageContent, body_size: float) -> tuple[list[Rect], list[Rect]]:
    """The tables and figures. A table inside a larger figure, such as a legend, belongs to the
    figure; a framed plot whose marks are characters is a figure with its labels.
    """
    tables = find_tables(page)
    plots = [box for box in tables if are_marks(_words_in(page, box)) or is_panel(box, page.lines)]
    tables = [table for table in tables if table not in plots]
    figures = [with_all_labels(plot, page, tables, body_size) for plot in plots]
    figures += find_figures(page, [*tables, *plots], body_size)
    tables = [
        table
        for table in tables
        if not any(table.lies_in(box, 0.6) and box.area > 1.3 * table.area for box in figures)
    ]
    return tables, [box for box in figures if not any(box.lies_in(table) for table in tables)]


def _words_in(page: PageContent, box: Rect) -> list[Word]:
    return [word for word in words_of(page.lines) if word.box.lies_in(box)]


def _table(page: PageContent, box: Rect) -> LayoutBlock:
    inside = [line for line in page.lines if line.box.lies_in(box) and not line.rotated]
    table = table_rows(page, box, inside)
    return LayoutBlock(DocItemLabel.TABLE, box, Style(0), rows=table.cells, doubtful=table.doubtful)


def _rotated(line: Line, width: float) -> LayoutBlock:
    outside = line.box.left < _MARGIN * width or line.box.right > (1 - _MARGIN) * width
    label = DocItemLabel.PAGE_HEADER if outside else DocItemLabel.TEXT
    return LayoutBlock(label, line.box, Style(0), (line.text,))


def _outside(lines: Sequence[Line], listings: Sequence[Listing]) -> list[Line]:
    """The lines that are in no listing."""
    code = {id(line) for listing in listings for line in listing.lines}
    return [line for line in lines if id(line) not in code]


def _contents(lines: Sequence[Line]) -> tuple[list[LayoutBlock], list[Line]]:
    """The table of contents on the page, if there is one, and the lines outside it."""
    entries = [line for line in lines if LEADER.search(line.text)]
    if len(entries) < _LEAST_CONTENTS:
        return [], list(lines)
    box = enclosing(entry.box for entry in entries)
    inside = [line for line in lines if line.box.lies_in(box)]
    if len(entries) < 0.5 * len(inside):
        return [], list(lines)
    block = _block(sorted(inside, key=lambda line: (line.box.middle_y, line.box.left)))
    block.label = DocItemLabel.DOCUMENT_INDEX
    return [block], [line for line in lines if not line.box.lies_in(box)]


def _block(lines: Sequence[Line]) -> LayoutBlock:
    return LayoutBlock(
        DocItemLabel.TEXT,
        enclosing(line.box for line in lines),
        mixed_style([(line.style, len(line.text)) for line in lines]),
        tuple(line.text for line in lines),
    )


def _code(listing: Listing) -> LayoutBlock:
    block = _block(listing.lines)
    return LayoutBlock(DocItemLabel.CODE, block.box, block.style, listing.rows)


def _paragraph(
    lines: Sequence[Line], page: PageContent, graphics: Sequence[Rect], body_size: float
) -> LayoutBlock:
    """The lines as a block with its label; those of code keep their indentation."""
    block = _block(lines)
    block.label = _label(block, lines, page, graphics, body_size)
    if block.label == DocItemLabel.CODE:
        block.lines = _indented(lines)
    return block


def _indented(lines: Sequence[Line]) -> tuple[str, ...]:
    """The lines of a listing with their indentation as spaces."""
    left = min(line.box.left for line in lines)
    advance = min(line.box.width / len(line.text) for line in lines)
    return tuple(
        " " * round((line.box.left - left) / advance if advance > 0 else 0) + line.text
        for line in lines
    )


def _label(
    block: LayoutBlock,
    lines: Sequence[Line],
    page: PageContent,
    graphics: Sequence[Rect],
    body_size: float,
) -> DocItemLabel:
    if _is_caption(block, lines, graphics):
        return DocItemLabel.CAPTION
    if block.style.size < 0.93 * body_size and _is_footnote(block, page):
        return DocItemLabel.FOOTNOTE
    if block.style.mono > 0.75 and len(block.text) > 12:
        return DocItemLabel.CODE
    if _is_formula(block):
        return DocItemLabel.FORMULA
    if BULLET.match(block.text) or (LIST_MARK.match(block.text) and not _is_bold_and_short(block)):
        return DocItemLabel.LIST_ITEM
    return DocItemLabel.TEXT


def _is_caption(block: LayoutBlock, lines: Sequence[Line], graphics: Sequence[Rect]) -> bool:
    first = lines[0]
    if not is_caption(first.text) or len(lines) > _MOST_CAPTION_LINES or MENTION.match(first.text):
        return False
    if CAPTION_WITH_STOP.match(first.text) or first.style.bold > 0.25:
        return True
    return any(block.box.grown(0, _CAPTION_REACH).touches(graphic) for graphic in graphics)


def _is_formula(block: LayoutBlock) -> bool:
    numbered = EQUATION_NUMBER.search(block.text) is not None
    mathematical = block.style.math > 0.33 or (numbered and block.style.math > 0.12)
    return mathematical and len(block.lines) <= 6 and len(block.text) < 160


def _is_bold_and_short(block: LayoutBlock) -> bool:
    return len(block.lines) <= 2 and block.style.bold > 0.8


def _is_footnote(block: LayoutBlock, page: PageContent) -> bool:
    box = block.box
    if box.top <= 0.5 * page.height or not FOOTNOTE_MARK.match(block.text):
        return False
    below_rule = any(
        box.top - 17 <= rule.at <= box.top + 3
        and rule.length < 0.6 * page.width
        and rule.start < box.right
        and rule.end > box.left
        for rule in page.horizontal
    )
    return below_rule or box.bottom > 0.8 * page.height
