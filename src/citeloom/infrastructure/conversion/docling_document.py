"""Converts a `DoclingDocument` of any origin to a `ConversionResult`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.group import InlineGroup, ListGroup
from docling_core.types.doc.items.node import NodeItem
from docling_core.types.doc.items.table.table import TableItem
from docling_core.types.doc.items.table.table_data import RichTableCell
from docling_core.types.doc.items.text import ListItem, SectionHeaderItem, TextItem
from docling_core.types.doc.labels import DocItemLabel

from citeloom.domain.documents.conversion import (
    Block,
    BlockKind,
    Box,
    Fragment,
    Heading,
    parent_of,
)
from citeloom.domain.documents.metadata import with_authors

# The body parts of a `DoclingDocument`, each with its text as a reader sees it.

_CELL_SEPARATOR = " | "
_INDENT = "  "
_SPACE_BEFORE_MARK = re.compile(r" (?=[,.;:!?)\]}»”])|(?<=[(\[{«“]) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPart:
    """A paragraph, heading, table or the like; `level` is a heading's level, else 0. `is_title`
    marks every title, of which the first alone keeps that label. `turns` are the pages of a format
    without boxes, each behind the offset that its text begins at, the first of them 0.
    """

    label: DocItemLabel
    text: str
    places: Sequence[ProvenanceItem]
    level: int = 0
    is_title: bool = False
    turns: tuple[tuple[int, int | None], ...] = ((0, None),)


def readable_parts(document: DoclingDocument, *, marked: bool = False) -> Iterator[DocumentPart]:
    """The document's body in reading order, furniture and pictures left out.

    A second title becomes a heading. With `marked`, list items begin with their bullet or
    number, indented by their depth.
    """
    inline = _parts_of_cells(document)
    titled = False
    for node, _ in document.iterate_items(with_groups=True):
        if node.self_ref in inline or not isinstance(node, TextItem | TableItem | InlineGroup):
            continue
        inline.update(child.self_ref for child in _inline_parts(document, node))
        part = _part(document, node, marked=marked)
        if not part.text.strip():
            continue
        if part.label == DocItemLabel.TITLE:
            label = DocItemLabel.SECTION_HEADER if titled else part.label
            part = replace(part, label=label, level=1 if titled else 0, is_title=True)
            titled = True
        yield part


def _parts_of_cells(document: DoclingDocument) -> set[str]:
    """The items that the text of a table's cell is made of; the table has it."""
    cells = (cell for table in document.tables for cell in table.data.table_cells)
    groups = (cell.ref.resolve(document) for cell in cells if isinstance(cell, RichTableCell))
    return {
        item.self_ref
        for group in groups
        for item, _ in document.iterate_items(group, with_groups=True)
    }


def _part(
    document: DoclingDocument, node: TextItem | TableItem | InlineGroup, *, marked: bool
) -> DocumentPart:
    text = _text(document, node)
    if isinstance(node, InlineGroup):
        return DocumentPart(label=DocItemLabel.TEXT, text=text, places=[])
    if marked and isinstance(node, ListItem) and text:
        text = f"{_INDENT * _depth(document, node)}{_marker(document, node)} {text}"
    level = node.level if isinstance(node, SectionHeaderItem) else 0
    return DocumentPart(label=node.label, text=text, places=node.prov, level=level)


def table_text(table: TableItem) -> str:
    """A table as text: one line per row, cells separated by bars, a spanning cell once."""
    rows = (
        [" ".join(c.text.split()) for n, c in enumerate(row) if n <= c.start_col_offset_idx]
        for row in table.data.grid
    )
    return "\n".join(_CELL_SEPARATOR.join(row).strip() for row in rows if any(row))


def _text(document: DoclingDocument, node: TextItem | TableItem | InlineGroup) -> str:
    if isinstance(node, TableItem):
        return table_text(node)
    if isinstance(node, TextItem) and node.text.strip():
        return node.text
    texts = (part.text for part in _inline_parts(document, node) if isinstance(part, TextItem))
    return _SPACE_BEFORE_MARK.sub("", " ".join(filter(None, texts)))


def _inline_parts(document: DoclingDocument, node: NodeItem) -> list[NodeItem]:
    """The items of an inline group, or of the group that replaces a node's own text."""
    if isinstance(node, InlineGroup):
        return [item for item, _ in document.iterate_items(node, with_groups=True)]
    if not isinstance(node, TextItem) or node.text.strip():
        return []
    groups = (child.resolve(document) for child in node.children[:1])
    return [
        part
        for group in groups
        if isinstance(group, InlineGroup)
        for part in _inline_parts(document, group)
    ]


def _marker(document: DoclingDocument, item: ListItem) -> str:
    """The item's own marker, else its number in the list, else a dash."""
    siblings = (
        [child.cref for child in item.parent.resolve(document).children] if item.parent else []
    )
    number = siblings.index(item.self_ref) + 1 if item.self_ref in siblings else 1
    return item.marker or (f"{number}." if item.enumerated else "-")


def _depth(document: DoclingDocument, item: ListItem) -> int:
    """The nesting depth of the item's list."""
    lists, above = -1, item.parent
    while above is not None:
        node = above.resolve(document)
        lists += isinstance(node, ListGroup)
        above = node.parent
    return max(lists, 0)


_SEPARATOR = "\n\n"
_KINDS: Mapping[DocItemLabel, BlockKind] = {
    DocItemLabel.TITLE: BlockKind.TITLE,
    DocItemLabel.SECTION_HEADER: BlockKind.HEADING,
    DocItemLabel.LIST_ITEM: BlockKind.LIST_ITEM,
    DocItemLabel.TABLE: BlockKind.TABLE,
    DocItemLabel.CAPTION: BlockKind.CAPTION,
    DocItemLabel.FORMULA: BlockKind.FORMULA,
    DocItemLabel.CODE: BlockKind.CODE,
    DocItemLabel.FOOTNOTE: BlockKind.FOOTNOTE,
}


@dataclass(slots=True)
class DocumentBody:
    """A document's text with its blocks and headings."""

    texts: list[str] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)

    @property
    def plain_text(self) -> str:
        return _SEPARATOR.join(self.texts)

    @property
    def page_map(self) -> dict[int, tuple[int, int]]:
        """For each page the smallest span that holds all of its text."""
        spans: dict[int, tuple[int, int]] = {}
        for fragment in (fragment for block in self.blocks for fragment in block.fragments):
            if fragment.page is None:
                continue
            start, end = spans.get(fragment.page, (fragment.start, fragment.end))
            spans[fragment.page] = (min(start, fragment.start), max(end, fragment.end))
        return dict(sorted(spans.items()))


def with_block(body: DocumentBody, index: int, text: str, *, page: int, box: Box) -> DocumentBody:
    """The body with a paragraph more, which becomes the block of that index."""
    start = body.blocks[index - 1].end + len(_SEPARATOR) if index else 0
    moved = len(text) + len(_SEPARATOR)
    section = body.blocks[index - 1].section if index else None
    added = Fragment(page=page, box=box, start=start, end=start + len(text))
    later = [
        replace(
            block,
            fragments=tuple(
                replace(each, start=each.start + moved, end=each.end + moved)
                for each in block.fragments
            ),
        )
        for block in body.blocks[index:]
    ]
    block = Block(kind=BlockKind.PARAGRAPH, fragments=(added,), section=section)
    return DocumentBody(
        texts=[*body.texts[:index], text, *body.texts[index:]],
        blocks=[*body.blocks[:index], block, *later],
        headings=[
            replace(heading, start=heading.start + moved) if heading.start >= start else heading
            for heading in body.headings
        ],
    )


def body_of(
    document: DoclingDocument,
    *,
    marked: bool = False,
    on_pages: Callable[[Iterable[DocumentPart]], Iterable[DocumentPart]] = tuple,
) -> DocumentBody:
    """The document's body in reading order, furniture and pictures left out.

    In a document with pages, parts without a page are left out. With `marked`, list items begin
    with their bullet or number, and the title is a section, too: of the first level, as is the
    title of each further slide, with all headings below it. `on_pages` gives the parts the pages
    that the document does not have.
    """
    body = DocumentBody()
    parts = [
        part
        for part in on_pages(readable_parts(document, marked=marked))
        if part.places or not document.pages
    ]
    for part in _below_titles(parts) if marked else parts:
        start = body.blocks[-1].end + len(_SEPARATOR) if body.blocks else 0
        body.texts.append(part.text)
        fragments = tuple(_fragments(document, part, start))
        title = part.label == DocItemLabel.TITLE
        if part.level:
            heading = Heading(
                level=part.level,
                title=part.text,
                page=fragments[0].page,
                start=fragments[0].start,
                parent=parent_of(body.headings, part.level),
                is_title=title,
            )
            body.headings.append(heading)
        outside = (title and not part.level) or not body.headings
        section = None if outside else len(body.headings) - 1
        kind = _KINDS.get(part.label, BlockKind.PARAGRAPH)
        body.blocks.append(Block(kind=kind, fragments=fragments, section=section))
    body.blocks = with_authors(body.blocks, body.plain_text)
    return body


def _below_titles(parts: Sequence[DocumentPart]) -> Sequence[DocumentPart]:
    """The parts with levels that leave the first one to titles, where there is a title."""
    if not any(part.label == DocItemLabel.TITLE for part in parts):
        return parts
    return [
        replace(part, level=1 if part.is_title else part.level + 1)
        if part.is_title or part.level
        else part
        for part in parts
    ]


def _fragments(document: DoclingDocument, part: DocumentPart, start: int) -> Iterator[Fragment]:
    """One fragment a place; with one place, a single one with the whole text; without any, one a
    page that the part has a turn of.
    """
    places, length = part.places, len(part.text)
    if not places:
        for (at, page), (until, _) in pairwise((*part.turns, (length, None))):
            yield Fragment(page=page, start=start + at, end=start + until)
    position = start
    for index, place in enumerate(places):
        last = index == len(places) - 1
        end = start + (length if last else place.charspan[1])
        box = place.bbox.to_top_left_origin(document.pages[place.page_no].size.height)
        yield Fragment(
            page=place.page_no,
            box=Box(left=box.l, top=box.t, right=box.r, bottom=box.b),
            start=position,
            end=end,
        )
        position = end
