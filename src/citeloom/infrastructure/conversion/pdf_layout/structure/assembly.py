"""Assembling the page layouts into a document: decisions that need all pages."""

from __future__ import annotations

from collections.abc import Sequence

from docling.utils.pdf_outline import _PdfOutlineItem as OutlineItem
from docling_core.types.doc.document import DoclingDocument

from citeloom.infrastructure.conversion.pdf_layout.elements.page import PageLayout
from citeloom.infrastructure.conversion.pdf_layout.structure.body_style import body_style
from citeloom.infrastructure.conversion.pdf_layout.structure.chapters import with_labels_joined
from citeloom.infrastructure.conversion.pdf_layout.structure.declared import mark_declared
from citeloom.infrastructure.conversion.pdf_layout.structure.document import build_document
from citeloom.infrastructure.conversion.pdf_layout.structure.furniture import mark_furniture
from citeloom.infrastructure.conversion.pdf_layout.structure.headings import (
    mark_headings,
    mark_title,
)
from citeloom.infrastructure.conversion.pdf_layout.structure.levels import assign_levels
from citeloom.infrastructure.conversion.pdf_layout.structure.reading_order import read_in_order


def structured(
    name: str, pages: Sequence[PageLayout], outline: Sequence[OutlineItem], title: str
) -> DoclingDocument:
    """The document in reading order, with furniture labelled and headings with their levels."""
    size = body_style(pages).size
    pages = with_labels_joined(pages, size)
    mark_furniture(pages, size)
    body = body_style(pages)
    mark_declared(pages, outline, body.size)
    if pages:
        mark_title(pages[0], title)
    mark_headings(pages, body)
    built = build_document(name, pages, read_in_order(pages))
    assign_levels(built)
    return built.document
