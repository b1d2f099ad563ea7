"""The body parts of a `DoclingDocument`, each with its text as a reader sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from docling_core.types.doc.common.reference import ProvenanceItem
from docling_core.types.doc.document import DoclingDocument
from docling_core.types.doc.items.group import InlineGroup, ListGroup
from docling_core.types.doc.items.node import NodeItem
from docling_core.types.doc.items.table.table import TableItem
from docling_core.types.doc.items.text import ListItem, SectionHeaderItem, TextItem
from docling_core.types.doc.labels import DocItemLabel

_CELL_SEPARATOR = " | "
_INDENT = "  "
_SPACE_BEFORE_MARK = re.compile(r" (?=[,.;:!?)\]}»”])|(?<=[(\[{«“]) ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A paragraph, heading, table or the like; `level` is a heading's level, else 0. `is_title`
    marks every title, of which the first alone keeps that label.
    """

    label: DocItemLabel
    text: str
    places: Sequence[ProvenanceItem]
    level: int = 0
    is_title: bool = False


def readable_parts(document: DoclingDocument, *, marked: bool = False) -> Iterator[Part]:
    """The document's body in reading order, furniture and pictures left out.

    A second title becomes a heading. With `marked`, list items begin with their bullet or
    number, indented by their depth.
    """
    inline: set[str] = set()
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


def _part(
    document: DoclingDocument, node: TextItem | TableItem | InlineGroup, *, marked: bool
) -> Part:
    text = _text(document, node)
    if isinstance(node, InlineGroup):
        return Part(label=DocItemLabel.TEXT, text=text, places=[])
    if marked and isinstance(node, ListItem) and text:
        text = f"{_INDENT * _depth(document, node)}{_marker(document, node)} {text}"
    level = node.level if isinstance(node, SectionHeaderItem) else 0
    return Part(label=node.label, text=text, places=node.prov, level=level)


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
        return [found for found, _ in document.iterate_items(node, with_groups=True)]
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
