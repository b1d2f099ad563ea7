"""Building a `DoclingDocument` from a PDF's items, with the exact place of their text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import indent
from typing import NamedTuple

from docling_core.types.doc.base import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.group import ListGroup
from docling_core.types.doc.items.table.table_data import TableCell, TableData
from docling_core.types.doc.items.text import TextItem
from docling_core.types.doc.labels import DocItemLabel

from citeloom_pdf.elements.block import BODY, LayoutBlock, PageLayout
from citeloom_pdf.elements.page import Style
from citeloom_pdf.elements.text import Vocabulary, is_unspaced, join, joined, listing, normalised
from citeloom_pdf.structure.reading_order import Placed, ReadingItem

DEEPEST_LEVEL = 100  # a heading's level until it is known
_LONG = 40  # characters of a text that tells where the column of its page begins
_DEEPEST = 40  # spaces: no listing goes on farther from where it began
_OFF_PITCH = 0.2  # of the pitch: its indentation is as near to a number of spaces
_BEARINGS = 0.3  # of the pitch: what a row leaves free at its ends


class _Margin(NamedTuple):
    """Where a listing and, if there is some, the text of its page begin, in points from the left,
    and the page on which the listing ends.
    """

    left: float
    text: float | None
    page: int


@dataclass(slots=True)
class BuiltDocument:
    """The document, and for each heading, by its reference, its style and its declared level."""

    document: DoclingDocument
    heading_styles: dict[str, Style] = field(default_factory=dict)
    declared_levels: dict[str, int] = field(default_factory=dict)


def build_document(
    name: str,
    pages: Sequence[PageLayout],
    items: Sequence[ReadingItem],
    is_english: Callable[[str], bool],
) -> BuiltDocument:
    """The document of the items, in their order."""
    document = DoclingDocument(name=name)
    for page in pages:
        width, height = page.shown_size
        document.add_page(page_no=page.number, size=Size(width=width, height=height))
    lines = (line for page in pages for block in page.blocks for line in _lines(block))
    vocabulary = Vocabulary(lines, is_english)
    builder = _Builder(BuiltDocument(document), vocabulary)
    for item in items:
        builder.add(item)
    return builder.built


def _lines(block: LayoutBlock) -> Iterator[str]:
    """What is printed in a block, line by line."""
    yield from block.lines
    for row in block.rows:
        for cell in row:
            yield from cell.split("\n")


class _Builder:
    def __init__(self, built: BuiltDocument, vocabulary: Vocabulary) -> None:
        self.built = built
        self._document = built.document
        self._vocabulary = vocabulary
        self._list: ListGroup | None = None
        self._listing: _Margin | None = None
        self._special: Mapping[DocItemLabel, Callable[[ReadingItem], None]] = {
            DocItemLabel.TABLE: self._add_table,
            DocItemLabel.CODE: self._add_code,
            DocItemLabel.LIST_ITEM: self._add_list_item,
            DocItemLabel.SECTION_HEADER: self._add_heading,
            DocItemLabel.TITLE: self._add_title,
        }

    def add(self, item: ReadingItem) -> None:
        if item.label != DocItemLabel.LIST_ITEM:
            self._list = None
        if item.label != DocItemLabel.CODE:
            self._listing = None
        if item.label == DocItemLabel.PICTURE:
            self._add_picture(item)
        else:
            self._special.get(item.label, self._add_text)(item)

    def _add_picture(self, item: ReadingItem) -> None:
        """The picture, and what is set in it as a text behind it."""
        part = item.parts[0]
        self._document.add_picture(prov=_place(part, 0, 0))
        texts = (normalised(joined(lines, self._vocabulary)) for lines in part.block.rows)
        text = "\n".join(filter(None, texts))
        if text:
            place = _place(part, 0, len(text))
            self._document.add_text(label=DocItemLabel.TEXT, text=text, prov=place)

    def _add_text(self, item: ReadingItem) -> None:
        text, places = self._located(item)
        if text:
            added = self._document.add_text(label=item.label, text=text, prov=places[0])
            added.prov.extend(places[1:])

    def _add_title(self, item: ReadingItem) -> None:
        text, places = self._located(item)
        if text:
            self._document.add_title(text=text, prov=places[0])

    def _add_heading(self, item: ReadingItem) -> None:
        text, places = self._located(item)
        if text:
            heading = self._document.add_heading(text=text, level=DEEPEST_LEVEL, prov=places[0])
            block = item.parts[0].block
            self.built.heading_styles[heading.self_ref] = block.style
            if block.level:
                self.built.declared_levels[heading.self_ref] = block.level

    def _add_list_item(self, item: ReadingItem) -> None:
        text, places = self._located(item)
        if not text:
            return
        self._list = self._list or self._document.add_list_group()
        added: TextItem = self._document.add_list_item(text=text, prov=places[0], parent=self._list)
        added.prov.extend(places[1:])

    def _add_code(self, item: ReadingItem) -> None:
        """The listing; one that goes on from the page before is as far from the left as there."""
        part = item.parts[0]
        margin = _Margin(part.block.box.left, _text_left(part.page), part.page.number)
        spaces, before = 0, self._listing
        if before is not None and before.page == margin.page - 1:
            moved = margin.text - before.text if margin.text and before.text else 0.0
            spaces = _spaces(margin.left - before.left - moved, part.block)
            margin = margin._replace(left=before.left + moved)
        self._listing = margin
        text = indent(listing(part.block.lines), " " * spaces)
        if text:
            self._document.add_code(text=text, prov=_place(part, 0, len(text)))

    def _add_table(self, item: ReadingItem) -> None:
        part = item.parts[0]
        rows = [
            [normalised(joined(cell.split("\n"), self._vocabulary)) for cell in row]
            for row in part.block.rows
        ]
        if any(any(row) for row in rows):
            cells = [
                TableCell(
                    text=text,
                    start_row_offset_idx=row,
                    end_row_offset_idx=row + 1,
                    start_col_offset_idx=column,
                    end_col_offset_idx=column + 1,
                    column_header=row == 0,
                )
                for row, texts in enumerate(rows)
                for column, text in enumerate(texts)
            ]
            width = max(len(row) for row in rows)
            self._document.add_table(
                data=TableData(table_cells=cells, num_rows=len(rows), num_cols=width),
                prov=_place(part, 0, 0),
            )

    def _located(self, item: ReadingItem) -> tuple[str, list[ProvenanceItem]]:
        text, places = "", []
        whole = [joined(part.block.lines, self._vocabulary) for part in item.parts]
        pieces = []
        for index in range(len(whole) - 1):
            first, between = join(whole[index], whole[index + 1], self._vocabulary)
            if not between and not is_unspaced(first, whole[index + 1]):
                end, _, whole[index + 1] = whole[index + 1].partition(" ")
                first, between = first + end, " "
            pieces.append(normalised(first) + between)
        pieces.append(normalised(whole[-1]))
        for part, piece in zip(item.parts, pieces):
            if piece:
                places.append(_place(part, len(text), len(text) + len(piece)))
                text += piece
        return text, places


def _text_left(page: PageLayout) -> float | None:
    """Where the text of a page begins, if it has some besides code."""
    texts = (block for block in page.blocks if block.label in BODY)
    lefts = Counter(round(block.box.left) for block in texts if len(block.text) > _LONG)
    return float(lefts.most_common(1)[0][0]) if lefts else None


def _spaces(gap: float, code: LayoutBlock) -> int:
    """How many spaces a gap in points before a listing is; none where it is of another margin, or
    its rows have numbers, which stand left of all.
    """
    if all(row[:1].isdecimal() for row in code.lines):
        return 0
    pitch = code.box.width / (max(map(len, code.lines)) - _BEARINGS)
    spaces = round(gap / pitch) if pitch > 0 else 0
    is_indent = 0 < spaces <= _DEEPEST and abs(gap / pitch - spaces) <= _OFF_PITCH
    return spaces if is_indent else 0


def _place(part: Placed, start: int, end: int) -> ProvenanceItem:
    box, (_, height) = part.page.shown(part.block.box), part.page.shown_size
    corner = BoundingBox(
        l=box.left, t=box.top, r=box.right, b=box.bottom, coord_origin=CoordOrigin.TOPLEFT
    )
    return ProvenanceItem(
        page_no=part.page.number,
        bbox=corner.to_bottom_left_origin(height),
        charspan=(start, end),
    )
